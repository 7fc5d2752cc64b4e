//! Arrays in the syntax of C.

use super::expr::constant;

/// Bytes, twelve to a line.
pub(super) fn bytes(bytes: &[u8], indent: &str) -> String {
    let line = |line: &[u8]| {
        let bytes: Vec<String> = line.iter().map(|byte| format!("0x{byte:02x}")).collect();
        format!("{indent}{}", bytes.join(", "))
    };
    bytes.chunks(12).map(line).collect::<Vec<_>>().join(",\n")
}

/// Words of `width` bits, four to a line.
pub(super) fn words(words: &[u64], width: u8) -> String {
    let line = |line: &[u64]| {
        let words: Vec<String> = line.iter().map(|&word| constant(word, width)).collect();
        format!("    {}", words.join(", "))
    };
    words.chunks(4).map(line).collect::<Vec<_>>().join(",\n")
}
