//! Lists that are brought up to date and compared with folders: `sum --update` and `audit`.
#![cfg(unix)]

mod audits;
#[path = "../common/mod.rs"]
mod common;
mod forms;
mod updates;

use common::{MANYLANE, Ran, Sandbox};
use std::fs::{self, File};
use std::path::Path;

/// A folder `d` with a few files.
fn folder() -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, bytes) in [("d/a", "one"), ("d/b/c", "two"), ("d/b/d", ""), ("d/e", "four")] {
        sandbox.write(name, bytes);
    }
    sandbox
}

fn update(sandbox: &Sandbox, args: &[&str]) -> Ran {
    sandbox.sum([&["--update", "LIST", "-r", "d"], args].concat())
}

fn audit(sandbox: &Sandbox, args: &[&str]) -> Ran {
    sandbox.run(MANYLANE, [&["audit"], args].concat())
}

/// Changes the bytes of a file, but neither its size nor its time of modification.
fn rot(path: &Path, bytes: &[u8]) {
    let modified = path.metadata().unwrap().modified().unwrap();
    assert_eq!(path.metadata().unwrap().len(), bytes.len() as u64);
    fs::write(path, bytes).unwrap();
    File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
}

/// The lines, the last one apart.
fn lines(ran: &Ran) -> (Vec<&str>, &str) {
    let mut lines: Vec<&str> = ran.text().lines().collect();
    let last = lines.pop().unwrap_or_default();
    (lines, last)
}

#[track_caller]
fn says(ran: Ran, status: i32, expected: &[&str], summary: &str) {
    assert_eq!((ran.status, lines(&ran)), (Some(status), (expected.to_vec(), summary)), "{ran:?}");
}
