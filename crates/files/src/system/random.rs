//! Random bytes of the operating system.

use anyhow::anyhow;

/// Fills `bytes` with random ones.
///
/// # Errors
/// If the system has none.
pub fn fill(bytes: &mut [u8]) -> anyhow::Result<()> {
    getrandom::fill(bytes).map_err(|error| anyhow!("no random bytes: {error}"))
}
