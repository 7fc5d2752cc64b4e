//! manylane
