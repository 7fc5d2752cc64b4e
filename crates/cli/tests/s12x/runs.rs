//! `manylane run` on the simulated S12X, beside the paper and the predictions.

use crate::common::{MANYLANE, Sandbox};
use crate::{number, rows};
use serde_json::Value;

/// What was run until a signal came is printed, and said not to be whole.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_prints_what_it_has() {
    use std::process::{Command, Stdio};
    let lengths = vec!["16384"; 200].join(",");
    let run = Command::new(MANYLANE)
        .args(["run", "sha256", "--on", "s12x-xgate", "--json", "--effort", "0"])
        .args(["--length", &lengths])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", run.id());
    let is_caught = || {
        let status = std::fs::read_to_string(&status).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:\t")).unwrap();
        u64::from_str_radix(mask, 16).unwrap() & 2 != 0
    };
    while !is_caught() {
        std::thread::yield_now();
    }
    let id = run.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let ran = run.wait_with_output().unwrap();
    assert_eq!(ran.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("interrupted: "));
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(report["whole"], false);
    assert!(report["rows"].as_array().unwrap().len() < 600);
}

/// Every choice of cores gives the definition's digests; the paper's figures stand beside ours, and
/// the CPU alone needs less than half of them.
#[test]
fn a_run_stands_beside_the_papers() {
    let sandbox = Sandbox::new();
    let args = ["run", "sha256", "--on", "s12x-xgate", "--length", "0,55,1024", "--effort", "4"];
    let rows = rows(&sandbox, &args);
    assert_eq!(rows.len(), 9, "{rows:?}");
    for row in &rows {
        assert_eq!((&row["digest_ok"], &row["platform"]), (&true.into(), &"s12x-xgate".into()));
        let (cycles, blocks) = (number(row, "cycles"), number(row, "blocks"));
        assert!((number(row, "cycles_per_block") - cycles / blocks).abs() < 1e-6, "{row}");
        let is_alone = row["cores"] == "cpu";
        assert_eq!(number(row, "handshakes") > 0.0, !is_alone, "{row}");
        assert!(!is_alone || row["predicted_cycles"].is_number(), "{row}");
        assert_eq!(row["paper_cycles"].is_number(), row["cores"] != "xgate", "{row}");
        if row["paper_cycles"].is_number() {
            assert!(2.0 * cycles < number(row, "paper_cycles"), "{row}");
        }
    }
    let cycles = |cores: &str| {
        let row = rows.iter().find(|row| row["cores"] == cores && row["length"] == 1024);
        number(row.unwrap(), "cycles")
    };
    for row in &rows {
        let of = |name: &str| number(row, name);
        let alone = rows.iter().find(|of| of["cores"] == "xgate" && of["length"] == row["length"]);
        assert_eq!(row["gain"].is_number(), row["cores"] == "both", "{row}");
        if row["cores"] == "both" {
            let gain = 1.0 - of("cycles") / number(alone.unwrap(), "cycles");
            assert!((of("gain") - gain).abs() < 1e-9, "{row}");
        }
        assert!(row["calls"].is_null() && row["program"].as_str().unwrap().len() == 16, "{row}");
        // What other machines' rows have, with `null` where it is not known here.
        for name in ["limit_cycles", "predicted_gain", "predicted_from", "constant_bytes"] {
            assert!(row.as_object().unwrap().contains_key(name), "{name}: {row}");
        }
    }
    assert!(3.0 * cycles("xgate") < cycles("cpu"));
    assert!(cycles("both") <= cycles("xgate"));
}

/// The record of the paper's tables.
const RECORD: &str = include_str!("../../../../benches/record/2026-11-29-s12x.json");

/// The record is of this program: its rows are complete, and each digest is the definition's.
#[test]
fn the_papers_tables_are_recorded() {
    let report: Value = serde_json::from_str(RECORD).unwrap();
    let rows = report["rows"].as_array().unwrap();
    let (hashes, cipher): (Vec<&Value>, Vec<&Value>) =
        rows.iter().partition(|row| row["primitive"] != "rc5-32/12/16");
    assert_eq!((hashes.len(), cipher.len()), (8 * 3 * 6, 3 * 3));
    for row in cipher {
        assert_eq!(row["digest_ok"], true, "{row}");
        // Key expansion with one block, in mode CTR.
        if row["length"] == 8 && row["cores"] != "cpu" {
            assert!(number(row, "cycles") <= 8000.0, "{row}");
        }
    }
    for row in hashes {
        assert_eq!(row["digest_ok"], true, "{row}");
        if row["cores"] == "cpu" {
            assert!(2.0 * number(row, "cycles") < number(row, "paper_cycles"), "{row}");
        }
    }
}

/// Predictions from the platform's measured programs are the record's runs of the paper's hashes:
/// totals within 8 %, what both cores gain over XGATE alone within 3 points.
#[test]
fn the_record_was_predicted() {
    let report: Value = serde_json::from_str(RECORD).unwrap();
    let rows = report["rows"].as_array().unwrap();
    let mut seen = 0;
    for row in rows.iter().filter(|row| row["primitive"] != "rc5-32/12/16") {
        let ratio = number(row, "predicted_cycles") / number(row, "cycles");
        assert!((0.92..=1.08).contains(&ratio), "{ratio}: {row}");
        let same = |other: &&Value| {
            other["cores"] == "xgate"
                && (&other["primitive"], &other["length"]) == (&row["primitive"], &row["length"])
        };
        if row["cores"] == "both" {
            let alone = rows.iter().find(same).unwrap();
            let gain = |of: &str| 1.0 - number(row, of) / number(alone, of);
            let error = gain("predicted_cycles") - gain("cycles");
            assert!(error.abs() <= 0.03, "{error}: {row}");
            seen += 1;
        }
    }
    assert_eq!(seen, 8 * 6);
}

/// The platform's times of programs on the CPU are those that the programs take now.
#[test]
fn a_run_on_the_cpu_is_predicted() {
    let sandbox = Sandbox::new();
    let lengths = "0,55,56,64,119,1024";
    for name in ["sha1", "keccak256", "sha3-512", "blake224", "groestl512", "skein1024"] {
        let args = ["run", name, "--on", "s12x-xgate", "--cores", "cpu", "--length", lengths];
        for row in rows(&sandbox, &args) {
            let ratio = number(&row, "predicted_cycles") / number(&row, "cycles");
            assert!((0.92..=1.08).contains(&ratio), "{ratio}: {row}");
        }
    }
}

/// A prediction says whether the program was measured, in JSON and by a mark in the text.
#[test]
fn a_prediction_says_what_it_rests_on() {
    let sandbox = Sandbox::new();
    let run = |more: &[&str]| {
        let args = ["run", "--on", "s12x-xgate", "--length", "64", "--effort", "0"];
        [&args, more].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    for (more, from) in [
        (&["sha256", "--cores", "cpu"][..], "measured".into()),
        (&["sha256", "--cores", "cpu", "--unroll", "16"], "scaled".into()),
        (&["sha3-512", "--cores", "cpu"], "measured".into()),
        // Digests of other lengths than the catalogue's are not measured.
        (&["skein512-384", "--cores", "cpu"], "model".into()),
        // The steps are those that were measured, in another order of instructions.
        (&["md5", "--cores", "xgate", "--unroll", "16"], "scaled".into()),
        (&["skein512-384", "--cores", "xgate"], Value::Null),
        (&["hmac-md5", "--cores", "cpu"], Value::Null),
    ] {
        let args = run(more);
        let args: Vec<&str> = args.iter().map(|arg| &arg[..]).collect();
        let row = rows(&sandbox, &args).remove(0);
        assert_eq!(row["predicted_from"], from, "{more:?}: {row}");
        assert_eq!(row["predicted_cycles"].is_number(), from.is_string(), "{more:?}: {row}");
        let text = String::from_utf8(sandbox.run(MANYLANE, &args).good()).unwrap();
        let is_marked = from == "scaled" || from == "model";
        assert_eq!(text.contains(" ~"), is_marked, "{more:?}: {text}");
        assert_eq!(text.contains("~  an estimate: "), is_marked, "{more:?}: {text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}

/// If one of all programs does not fit, the answer is not whole, and its exit status says so too.
#[test]
fn what_is_not_run_is_no_success() {
    let sandbox = Sandbox::new();
    let args = ["run", "--all", "--on", "s12x-xgate", "--cores", "cpu", "--within", "10"];
    let ran = sandbox.run(MANYLANE, [&args[..], &["--length", "0", "--json"]].concat());
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!((&report["whole"], &report["rows"]), (&false.into(), &Value::Array(Vec::new())));
    let refused = ran.stderr.lines().filter(|line| line.contains(": not run: ")).count();
    assert!(refused > 70, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("{refused} programs were not run")), "{}", ran.stderr);
}
