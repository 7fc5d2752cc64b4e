//! No line of Rust, Python, JavaScript, TypeScript or C is longer than 100 columns, comments and
//! strings too.

use super::{files_of, sources};
use std::path::Path;

/// Characters of the longest line, as in rustfmt.toml.
const WIDTH: usize = 100;

/// Where Rust is.
pub const FOLDERS: [&str; 4] = ["benches", "compat", "crates", "fuzz"];

/// Where Python is that runs here. The Python of `crates/emit` is text that is emitted.
const PYTHON: [&str; 3] = ["benches", "tools", "crates/python"];

/// How the files of JavaScript, TypeScript, C and C++ end.
const OF_OTHERS: [&str; 6] = ["js", "mjs", "ts", "c", "h", "cpp"];

/// Where such files are.
const FOLDERS_OF_OTHERS: [&str; 3] = ["benches", "crates", "tools"];

/// The script of pages, which is text that is emitted. Templates, which are too, end in `j2`.
const EMITTED: &str = "crates/pages/src/script.js";

/// The numbers of the lines that are too long, and their columns.
fn too_long(content: &str) -> Vec<(usize, usize)> {
    let lines = content.lines().enumerate().map(|(i, line)| (i + 1, line.chars().count()));
    lines.filter(|(_, columns)| *columns > WIDTH).collect()
}

#[test]
fn lines_fit_into_their_columns() {
    let (mut read, mut wide) = (0, Vec::new());
    for (file, content) in FOLDERS.into_iter().flat_map(sources) {
        let found = too_long(&content);
        if !found.is_empty() {
            wide.push(format!("{}: (line, columns) {found:?}", file.display()));
        }
        read += content.lines().count();
    }
    assert!(wide.is_empty(), "wrap at {WIDTH}: {}", wide.join("; "));
    assert!(read > 100_000, "{read} lines read: the search is broken");
}

#[test]
fn lines_of_python_fit_into_their_columns() {
    let (mut read, mut wide) = (0, Vec::new());
    for (file, content) in PYTHON.into_iter().flat_map(|folder| files_of(folder, "py")) {
        let lines = content.lines().enumerate();
        let long = lines.filter(|(_, line)| line.chars().count() > WIDTH);
        wide.extend(long.map(|(i, _)| format!("{}:{}", file.display(), i + 1)));
        read += content.lines().count();
    }
    assert!(wide.is_empty(), "wrap at {WIDTH}: {}", wide.join(", "));
    assert!(read > 2000, "{read} lines read: the search is broken");
}

#[test]
fn lines_of_other_languages_fit_into_their_columns() {
    let (mut read, mut wide) = (0, Vec::new());
    let files = FOLDERS_OF_OTHERS.into_iter().flat_map(|folder| {
        OF_OTHERS.into_iter().flat_map(move |extension| files_of(folder, extension))
    });
    for (file, content) in files.filter(|(file, _)| file != Path::new(EMITTED)) {
        let found = too_long(&content);
        if !found.is_empty() {
            wide.push(format!("{}: (line, columns) {found:?}", file.display()));
        }
        read += content.lines().count();
    }
    assert!(wide.is_empty(), "wrap at {WIDTH}: {}", wide.join("; "));
    assert!(read > 9000, "{read} lines read: the search is broken");
}

#[test]
fn planted_lines_are_found() {
    let long = "é".repeat(WIDTH + 1);
    assert_eq!(too_long(&long[..2 * WIDTH]), []);
    assert_eq!(too_long(&format!("fn f() {{}}\n// {long}\n")), [(2, WIDTH + 4)]);
    let raw = format!("let a = r#\"first\n{long}\nlast\"#;\n");
    assert_eq!(too_long(&raw), [(2, WIDTH + 1)]);
}
