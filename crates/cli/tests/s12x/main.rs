//! `manylane emit asm`, and `manylane run` on the S12X that is simulated here.

#[path = "../common/mod.rs"]
mod common;
mod folders;
mod platform;
mod runs;
mod shapes;

use common::{MANYLANE, Sandbox};
use serde_json::Value;

fn rows(sandbox: &Sandbox, args: &[&str]) -> Vec<Value> {
    let printed = sandbox.run(MANYLANE, [args, &["--json"]].concat()).good();
    let report: Value = serde_json::from_slice(&printed).unwrap();
    report["rows"].as_array().unwrap().clone()
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or_else(|| panic!("{name}: {row}"))
}
