//! The table of `docs/c.md` of hashes of C libraries beside the emitted C, made of the newest
//! record of `make peers-c`.

use crate::common::Sandbox;
use crate::{assert_same, docs, newest, renewed};
use manylane_primitives::catalog::Algorithm;
use serde_json::Value;
use std::fmt::Write;

const MACHINES: [&str; 2] = ["ibex-duo", "rp2040"];

/// Bytes of the messages that the table is about.
const LENGTH: &str = "1024";

fn rows() -> Vec<Value> {
    let mut record = newest("-peers-c.json").expect("a record of `make peers-c`");
    let Value::Array(rows) = record["rows"].take() else { panic!("a record without rows") };
    rows
}

/// A line for each hash of a library: its cycles per byte, ours, and their ratio, by machine.
pub fn table() -> String {
    let mut out = String::from(
        "| hash | library | Ibex | | | Cortex-M0+ | | |\n|---|---|--:|--:|--:|--:|--:|--:|\n",
    );
    let rows = rows();
    let mut last = "";
    for row in rows.iter().filter(|row| row["machine"] == MACHINES[0]) {
        let hash: Algorithm = row["hash"].as_str().unwrap().parse().unwrap();
        let hash = hash.id().entry().title;
        let peer = row["peer"].as_str().unwrap().split(',').next().unwrap();
        write!(out, "| {} | {peer} |", if hash == last { "" } else { hash }).unwrap();
        for machine in MACHINES {
            let of = rows.iter().find(|of| {
                of["machine"] == machine && of["hash"] == row["hash"] && of["peer"] == row["peer"]
            });
            let of = of.unwrap_or_else(|| panic!("{hash} of {peer} on {machine}"));
            let [theirs, ours] =
                ["cycles", "our_cycles"].map(|of_whom| of[of_whom][LENGTH].as_f64().unwrap());
            let [a, b] = [theirs, ours].map(|cycles| cycles / 1024.0);
            write!(out, " {a:.1} | {b:.1} | {:.2} |", theirs / ours).unwrap();
        }
        out.push('\n');
        last = hash;
    }
    out
}

#[test]
fn peers_in_c_are_told_as_they_were_run() {
    let file = docs("c.md");
    let text = std::fs::read_to_string(&file).expect("docs/c.md");
    assert!(text.contains("<!-- peers-c -->"), "no table of peers");
    assert_same(&file, &renewed(&Sandbox::new(), &text));
}

/// The record has every peer on both machines, and no peer is faster than the emitted C.
#[test]
fn no_peer_in_c_is_faster() {
    let rows = rows();
    for machine in MACHINES {
        assert!(rows.iter().filter(|row| row["machine"] == machine).count() >= 9, "{machine}");
    }
    for row in rows {
        for (length, theirs) in row["cycles"].as_object().unwrap() {
            let [theirs, ours] =
                [theirs, &row["our_cycles"][length]].map(|of| of.as_f64().unwrap());
            assert!(theirs > ours && ours > 0.0, "{length} bytes: {row}");
        }
    }
}
