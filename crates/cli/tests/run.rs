//! `manylane run` and `manylane platforms measure`.

mod common;

use common::{MANYLANE, Sandbox};
use serde_json::Value;

/// Whether this computer has what a machine needs. On CI the compiler of this computer must be there.
fn is_here(sandbox: &Sandbox, machine: &str) -> bool {
    let args = ["run", "md5", "--on", machine, "--length", "0", "--cores", "1"];
    let ran = sandbox.run(MANYLANE, args);
    if ran.status == Some(0) {
        return true;
    }
    let set = |name| std::env::var_os(name).is_some();
    let required = set("MANYLANE_REQUIRE_SIMULATORS") || (machine == "host" && set("CI"));
    assert!(!required, "{}", ran.stderr);
    assert!(ran.stderr.contains("make setup-simulators"), "{}", ran.stderr);
    eprintln!("skipped: {machine}: {}", ran.stderr);
    false
}

fn rows(sandbox: &Sandbox, args: &[&str]) -> Vec<Value> {
    let printed = sandbox.run(MANYLANE, [args, &["--json"]].concat()).good();
    let report: Value = serde_json::from_slice(&printed).unwrap();
    report["rows"].as_array().unwrap().clone()
}

/// Every kind of hash on two threads of this computer, in lengths of one block and several.
#[test]
fn digests_are_the_definitions_on_one_core_and_two() {
    let sandbox = Sandbox::new();
    if !is_here(&sandbox, "host") {
        return;
    }
    for name in ["sha256", "ripemd160", "blake512", "groestl256", "jh256", "sha3-256", "skein512"] {
        let args = ["run", name, "--on", "host", "--length", "0,55,64,300"];
        let rows = rows(&sandbox, &args);
        assert!(rows.len() == 8 || rows.len() == 4, "{name}: {rows:?}");
        for row in rows {
            assert_eq!(row["digest_ok"], true, "{row}");
            assert_eq!(row["primitive"], name);
            // This computer has no platform, and so nothing is predicted.
            assert!(row["predicted_cycles"].is_null() && row["limit_cycles"].is_null(), "{row}");
            assert_eq!(row["handshakes"].as_u64() > Some(0), row["cores"] == 2, "{row}");
        }
    }
}

/// A machine that counts nothing has no cycles, whatever its clock says.
#[test]
fn where_nothing_is_counted_there_are_no_cycles() {
    let sandbox = Sandbox::new();
    for machine in ["s390x", "mps2-an521"] {
        if !is_here(&sandbox, machine) {
            continue;
        }
        for row in rows(&sandbox, &["run", "md5", "--on", machine, "--length", "100"]) {
            assert!(row["cycles"].is_null() && row["cycles_per_block"].is_null(), "{row}");
            assert_eq!(row["digest_ok"], true, "{row}");
        }
    }
}

/// Where cycles are counted, a prediction and a limit stand beside them, and no run is faster than its
/// limit.
#[test]
fn a_prediction_stands_beside_the_run() {
    let sandbox = Sandbox::new();
    for machine in ["ibex-duo", "rp2040"] {
        if !is_here(&sandbox, machine) {
            continue;
        }
        let rows = rows(&sandbox, &["run", "sha256", "--on", machine, "--length", "0,64"]);
        assert_eq!(rows.len(), 4, "{rows:?}");
        for row in rows {
            let number = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("{row}"));
            assert_eq!((&row["digest_ok"], &row["platform"]), (&true.into(), &machine.into()));
            let (cycles, blocks) = (number("cycles"), number("blocks"));
            assert!(number("limit_cycles") <= cycles, "{row}");
            assert!((number("cycles_per_block") - cycles / blocks).abs() < 1e-6, "{row}");
            // The platform's programs were measured on this machine: a prediction that is a fifth
            // beside the run has another reason than the compiler's version.
            assert!((number("predicted_cycles") / cycles - 1.0).abs() < 0.2, "{row}");
        }
    }
}

/// HMAC and RC5 under a key, of hashes with a share for a second core and without, whole blocks and not.
#[test]
fn keyed_primitives_are_their_definitions_on_one_core_and_two() {
    let sandbox = Sandbox::new();
    if !is_here(&sandbox, "host") {
        return;
    }
    for name in ["hmac-md5", "hmac-skein256", "rc5-32/12/16", "rc5-16/4/7"] {
        let rows = rows(&sandbox, &["run", name, "--on", "host", "--length", "0,8,55,1024"]);
        assert_eq!(rows.len(), 8, "{name}: {rows:?}");
        for row in rows {
            assert_eq!(row["digest_ok"], true, "{row}");
            assert_eq!(row["primitive"], name);
            let is_shared =
                row["cores"] == 2 && (name.starts_with("hmac") || row["length"] == 1024);
            assert!(row["handshakes"].as_u64() > Some(0) || !is_shared, "{row}");
            assert!(row["code_bytes"].as_u64() > Some(500), "{row}");
            assert_eq!(row["cycles_per_block"].is_null(), row["blocks"] == 0, "{row}");
        }
    }
}

/// A second core takes one of the key's two blocks, and half of the cipher's. Cycles of simulated cores are
/// the same in every run.
#[test]
fn a_second_core_helps_under_a_key() {
    let sandbox = Sandbox::new();
    for machine in ["ibex-duo", "rp2040"] {
        if !is_here(&sandbox, machine) {
            continue;
        }
        for (name, length, least) in [("hmac-sha256", "55", 0.2), ("rc5-32/12/16", "1024", 0.3)] {
            let rows = rows(&sandbox, &["run", name, "--on", machine, "--length", length]);
            let cycles = |i: usize| rows[i]["cycles"].as_f64().unwrap();
            assert!(1.0 - cycles(1) / cycles(0) >= least, "{name}: {rows:?}");
            for row in &rows {
                assert_eq!(row["digest_ok"], true, "{row}");
                assert!(row["limit_cycles"].as_f64() <= row["cycles"].as_f64(), "{row}");
                assert!(row["stack_bytes"].as_u64() > Some(50), "{row}");
            }
        }
    }
}

#[test]
fn what_cannot_be_run_is_refused() {
    let sandbox = Sandbox::new();
    for (args, words) in [
        (&["run", "sha256", "--on", "ibex"][..], "ibex-duo"),
        (&["run", "--on", "host"], "PRIMITIVE"),
        (&["run", "sha257", "--on", "host"], "sha256"),
        (&["run", "rc5-33/12/16", "--on", "host"], "8, 16, 32 or 64 bits"),
        (&["run", "sha256", "--on", "host", "--length", "20000"], "16384"),
        (&["run", "sha256", "--on", "host", "--cores", "3"], "1..=2"),
        (&["run", "sha256", "--all", "--on", "host"], "--all"),
        (&["platforms", "measure", "host"], "counts no cycles"),
        (&["platforms", "measure", "z80"], "z80"),
    ] {
        let ran = sandbox.run(MANYLANE, args);
        assert_eq!(ran.status, Some(1), "{args:?}: {ran:?}");
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
        assert!(ran.stdout.is_empty(), "{args:?}: {ran:?}");
    }
}
