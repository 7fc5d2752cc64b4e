//! Names in texts of C, and arrays in its syntax.

use super::expr::constant;

/// Whether a text has a name as a whole word.
pub(super) fn uses(text: &str, name: &str) -> bool {
    around(text, name).next().is_some()
}

/// The texts before and behind each place at which a text has a name as a whole word.
pub(super) fn around<'t>(
    text: &'t str,
    name: &'t str,
) -> impl Iterator<Item = (&'t str, &'t str)> + 't {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let places = text.match_indices(name).map(|(at, _)| (&text[..at], &text[at + name.len()..]));
    places.filter(move |(before, after)| !before.ends_with(is_part) && !after.starts_with(is_part))
}

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
