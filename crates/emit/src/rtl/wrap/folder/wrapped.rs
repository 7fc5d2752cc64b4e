//! The values from which a folder with a core in its surroundings is made.

use crate::rtl::Built;
use crate::rtl::wrap::{Message, Wrapper};
use manylane_graph::framing::Framing;

/// A hash in its surroundings, with all that was made for it.
#[derive(Clone, Copy, Debug)]
pub struct Wrapped<'w> {
    /// The core.
    pub built: Built<'w>,
    /// The wrapper around it.
    pub wrapper: &'w Wrapper,
    /// The framing from which the wrapper was made.
    pub framing: &'w Framing,
    /// Messages for the benches.
    pub messages: &'w [Message],
}
