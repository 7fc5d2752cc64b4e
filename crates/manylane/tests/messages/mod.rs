//! Messages for tests.

/// Bytes that do not repeat with any block.
pub fn message(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 7 + i / 251) as u8).collect()
}
