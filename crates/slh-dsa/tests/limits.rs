//! What the environment of a process limits.

use manylane_slh_dsa::{ParameterSet, PrivateKey};
use std::process::{Command, Output};

/// Runs here and in the processes that the other test starts.
#[test]
fn a_key_is_made() {
    PrivateKey::from_seeds(ParameterSet::Sha2_128f, &[1; 16], &[2; 16], &[3; 16]).unwrap();
}

fn capped(cap: &str) -> Output {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "a_key_is_made", "--nocapture"]);
    child.env("MANYLANE_MAX_ISA", cap).output().unwrap()
}

/// A cap that names no engine is named itself, with those that there are.
#[test]
fn an_unknown_cap_is_named() {
    let scalar = capped("scalar");
    assert!(scalar.status.success(), "{}", String::from_utf8_lossy(&scalar.stderr));
    let unknown = capped("avx3");
    assert!(!unknown.status.success());
    let said = String::from_utf8_lossy(&unknown.stderr);
    assert!(said.contains("MANYLANE_MAX_ISA is `avx3`") && said.contains("scalar"), "{said}");
}
