//! Relations between registers of the control and the blocks that are under way.

use std::collections::BTreeMap;

/// The relation of a register of the control to the blocks that are under way.
pub(super) enum Invariant {
    /// The register is 1 exactly while a block is in one of these places.
    Marks(Vec<u32>),
    /// For each place, the value that the register has while a block is there.
    Counts(BTreeMap<u32, u64>),
    /// The register has the tag of the block in one of these places.
    Tags(Vec<u32>),
}

/// A register as the properties see it.
pub(super) struct Register {
    /// The register's name in the netlist.
    pub name: String,
    /// Bits of the register.
    pub width: u32,
    /// How the register follows the blocks that are under way.
    pub invariant: Invariant,
}
