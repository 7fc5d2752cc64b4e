//! What a text may not have, and where it has it.

/// What is refused, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Refused {
    pub(in super::super) line: usize,
    pub(in super::super) why: String,
}
