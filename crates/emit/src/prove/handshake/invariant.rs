//! Relations between registers of the control and the blocks that are under way.

use std::collections::BTreeMap;

/// The relation of a register of the control to the blocks that are under way.
pub(super) enum Invariant {
    /// It is 1 exactly while a block is in one of these places.
    Marks(Vec<u32>),
    /// It has this value while a block is in this place.
    Counts(BTreeMap<u32, u64>),
    /// It has the tag of the block in one of these places.
    Tags(Vec<u32>),
}

/// A register as the properties see it.
pub(super) struct Register {
    pub name: String,
    pub width: u32,
    pub invariant: Invariant,
}
