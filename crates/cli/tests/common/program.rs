//! Programs that tests write and start.
#![allow(dead_code)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a program that can be started at once. A shell writes it: a file that this process has
/// written cannot be started as long as a child, which another test forks meanwhile, has it open.
pub fn write_program(path: &Path, content: impl AsRef<[u8]>) {
    let mut shell = Command::new("sh")
        .args(["-c", "cat >\"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell");
    shell.stdin.take().unwrap().write_all(content.as_ref()).expect("the shell reads");
    assert!(shell.wait().unwrap().success(), "{} is written", path.display());
}
