//! Trees of hashes.
