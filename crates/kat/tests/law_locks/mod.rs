//! Bindings, benchmarks and trials of compatibility stand beside the workspace, each with a lock
//! file of its own. What a crate of the workspace needs must stand there too, or `--locked` refuses
//! to build them.

use super::{is_ours, packages, read, root, text};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The lock files below the root, but the workspace's own and those of what is built.
fn lock_files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap_or_default();
            let is_built = name.starts_with('.') || name.starts_with("target");
            if entry.file_type().unwrap().is_dir() && !is_built {
                folders.push(entry.path());
            } else if name == "Cargo.lock" && folder != root() {
                files.push(entry.path().strip_prefix(root()).unwrap().into());
            }
        }
    }
    // Not committed: each who fuzzes makes his own.
    files.retain(|file| !file.starts_with("fuzz"));
    files
}

/// What each package of a lock file depends on, by names.
fn locked(content: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let quoted = |line| str::split(line, '"').nth(1).unwrap_or_default();
    let packages = content.split("[[package]]").skip(1);
    let parts = packages.filter_map(|package| {
        let name = package.lines().find(|line| line.starts_with("name = "))?;
        let needs = package.lines().filter(|line| line.starts_with(" \""));
        // A version stands behind the name where several are locked.
        let needs = needs.filter_map(|line| quoted(line).split(' ').next());
        Some((quoted(name), needs.collect()))
    });
    parts.collect()
}

/// Dependencies of `packages` that a lock file lacks although it has the package.
fn missing(lock: &str, needs: &[(String, Vec<String>)]) -> Vec<String> {
    let locked = locked(lock);
    let known = needs.iter().filter_map(|(name, needs)| Some((name, needs, locked.get(&**name)?)));
    known
        .flat_map(|(name, needs, known)| {
            let missing = needs.iter().filter(|need| !known.contains(&***need));
            missing.map(move |need| format!("{name} needs {need}"))
        })
        .collect()
}

#[test]
fn lock_files_know_what_our_crates_need() {
    let ours: Vec<_> = packages().into_iter().filter(is_ours).collect();
    let needs: Vec<_> = ours
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().unwrap().iter();
            let always =
                dependencies.filter(|d| text(&d["kind"]) != "dev" && d["optional"] == false);
            let names = always.map(|d| text(&d["name"]).to_owned()).collect();
            (text(&package["name"]).to_owned(), names)
        })
        .collect();
    let files = lock_files();
    assert!(files.iter().any(|file| file == Path::new("crates/python/Cargo.lock")), "{files:?}");
    for file in files {
        let missing = missing(&read(&file), &needs);
        let folder = file.parent().unwrap().display();
        assert!(
            missing.is_empty(),
            "{}: {}: run `cargo update --workspace` in {folder}",
            file.display(),
            missing.join(", ")
        );
    }
}

/// Unit tests of a library with `test = false` would not run.
#[test]
fn libraries_that_are_not_tested_have_no_unit_tests() {
    let without: Vec<_> = super::files_of("crates", "toml")
        .into_iter()
        .filter(|(_, content)| content.lines().any(|line| line == "test = false"))
        .collect();
    assert!(without.len() > 2, "{}: the search is broken", without.len());
    for (manifest, _) in without {
        for (file, content) in super::sources(manifest.with_file_name("src")) {
            let place = file.display();
            assert!(!content.contains("#[test]"), "{place}: this test never runs");
        }
    }
}

#[test]
fn what_a_lock_file_lacks_is_found() {
    let lock = "\
[[package]]
name = \"ours\"
version = \"0.1.0\"
dependencies = [
 \"digest 0.11.3\",
 \"rayon\",
]

[[package]]
name = \"rayon\"
source = \"registry\"
";
    let needs = |names: &[&str]| [("ours".into(), names.iter().map(|&n| n.to_owned()).collect())];
    assert!(missing(lock, &needs(&["rayon", "digest"])).is_empty());
    assert_eq!(missing(lock, &needs(&["rayon", "rusqlite"])), ["ours needs rusqlite"]);
    assert!(missing("", &needs(&["rayon"])).is_empty());
}
