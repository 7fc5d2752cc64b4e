//! The code for which registers are allocated.

use crate::xgate::frame::Slot;
use crate::xgate::select::Selected;

/// The place of a leaf of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A word of the frame.
    Frame(Slot),
    /// A word behind a pointer that is in the frame.
    Behind {
        /// The pointer's word of the frame.
        pointer: Slot,
        /// Bytes from the pointer's address.
        offset: u16,
        /// Whether the bytes are in opposite order.
        swaps: bool,
    },
}

/// The code for which registers are allocated.
pub struct Body {
    /// The instructions.
    pub selected: Selected,
    /// The places of leaves.
    pub places: Vec<Place>,
    /// For each output the word of the frame that it goes to.
    pub homes: Vec<Slot>,
    /// The first word of the frame that is free for spilled words.
    pub temporary: Slot,
    /// The label of the S-box.
    pub table: String,
    /// Labels of the tables of rows.
    pub rows: Vec<String>,
}
