//! The claim about a core, and the reasons for which it may not be proved.

use super::unroll::Unrollable;
use crate::rtl::Core;
use manylane_graph::Function;

/// The claim that a core computes a compression.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'c> {
    /// The core.
    pub core: &'c Core,
    /// The function after which its ports are named.
    pub compression: &'c Function,
    /// The trace of the definition, without any pass, which the core should compute.
    pub definition: &'c Function,
}

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The core is wrong, or could not be proved right.
    #[error("{0}")]
    Wrong(String),
    /// The core's control is not what the claim says.
    #[error("{0}")]
    Control(String),
    /// A signal cannot be followed.
    #[error(transparent)]
    Unrollable(#[from] Unrollable),
}
