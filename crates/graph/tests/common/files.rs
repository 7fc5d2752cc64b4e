//! Tests that are files: a first line `; test: COMMAND`, an input, and what the command makes of
//! it.

use std::path::{Path, PathBuf};

const SEPARATOR: &str = "---\n";

/// The number that a word is, in decimal or after `0x`.
pub fn number<T: TryFrom<u64>>(word: &str) -> T {
    let value = match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => word.parse(),
    };
    let value = value.ok().and_then(|value| T::try_from(value).ok());
    value.unwrap_or_else(|| panic!("`{word}` is no number"))
}

/// Runs one file and returns whether it is as expected.
fn check(path: &Path, bless: bool, outcome: impl Fn(&str, &str) -> String) -> bool {
    let text = std::fs::read_to_string(path).unwrap();
    let (input, expected) = text.split_once(SEPARATOR).unwrap_or((&text, ""));
    let first = input.lines().next().unwrap_or_default();
    let command = first.strip_prefix("; test: ").expect("the first line is `; test: COMMAND`");
    let found = outcome(command, input);
    if found == expected {
        return true;
    }
    if bless {
        std::fs::write(path, format!("{input}{SEPARATOR}{found}")).unwrap();
        return true;
    }
    eprintln!("{}: expected\n{expected}but it is\n{found}", path.display());
    false
}

/// Checks the files of `folder`, at least `least` of them, against what `outcome` makes of command
/// and input.
pub fn hold(folder: &Path, least: usize, outcome: impl Fn(&str, &str) -> String) {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= least, "only {} files", paths.len());
    let bless = std::env::var_os("MANYLANE_BLESS").is_some();
    let failed = paths.iter().filter(|path| {
        eprintln!("{}", path.display());
        !check(path, bless, &outcome)
    });
    let failed = failed.count();
    assert_eq!(failed, 0, "files differ; MANYLANE_BLESS=1 rewrites them, to be reviewed as a diff");
}
