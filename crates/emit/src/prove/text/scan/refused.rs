//! A construct that a text may not have, and its place.

/// The construct that is refused, and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Refused {
    pub(in super::super) line: usize,
    /// Why it is refused.
    pub(in super::super) why: String,
}
