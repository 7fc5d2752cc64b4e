//! No comment of the documentation begins with words that stand for a noun which is not there.

use super::law_lines::FOLDERS;
use super::sources;

/// Beginnings that leave the reader to guess what is spoken of.
const OPENINGS: [&str; 8] = [
    "By itself",
    "So few",
    "So many",
    "So much",
    "That of",
    "Those of",
    "Those that",
    "This number",
];

/// Numbers of the lines in which a comment of the documentation, or a paragraph of one, begins with
/// one of these openings.
fn unclear(content: &str) -> Vec<usize> {
    let mut found = Vec::new();
    // Whether the next line of a comment begins a paragraph.
    let mut begins = true;
    for (i, line) in content.lines().enumerate() {
        let line = line.trim_start();
        let Some(text) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            begins = true;
            continue;
        };
        let text = text.trim_start();
        let opens = |opening: &&str| {
            let rest = text.strip_prefix(*opening);
            rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        if begins && OPENINGS.iter().any(opens) {
            found.push(i + 1);
        }
        begins = text.is_empty();
    }
    found
}

#[test]
fn comments_name_what_they_speak_of() {
    let (mut read, mut wrong) = (0, Vec::new());
    for (file, content) in FOLDERS.into_iter().flat_map(sources) {
        wrong.extend(unclear(&content).iter().map(|line| format!("{}:{line}", file.display())));
        read += 1;
    }
    assert!(wrong.is_empty(), "begin with the thing itself, not {OPENINGS:?}: {wrong:#?}");
    assert!(read > 500, "{read} files read: the search is broken");
}

#[test]
fn planted_openings_are_found() {
    assert_eq!(unclear("/// By itself.\nExit,\n"), [1]);
    assert_eq!(unclear("//! A module.\n//!\n//! Those that do not.\n"), [3]);
    assert_eq!(unclear("/// The result.\n///\n///  That of a core.\nfn f() {}\n"), [3]);
    assert_eq!(unclear("    /// This number.\n    Is(u8),\n    /// So many.\n"), [1, 3]);
    assert_eq!(unclear("/// The blocks;\n/// so many of them. Of two\n/// Those of it.\n"), [0; 0]);
    assert_eq!(unclear("// So many.\n/// Thatched. So many.\n"), [0; 0]);
}
