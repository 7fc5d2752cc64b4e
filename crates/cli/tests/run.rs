//! `manylane run` and `manylane platforms measure`.

mod common;

use common::{MANYLANE, Sandbox};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Whether this computer has what a machine needs: tried once for each. On CI the compiler of this
/// computer must be there.
fn is_here(sandbox: &Sandbox, machine: &'static str) -> bool {
    static TRIED: Mutex<BTreeMap<&str, bool>> = Mutex::new(BTreeMap::new());
    *TRIED.lock().unwrap().entry(machine).or_insert_with(|| try_machine(sandbox, machine))
}

fn try_machine(sandbox: &Sandbox, machine: &str) -> bool {
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

/// Where cycles are counted, a prediction and a limit stand beside them, and no run is faster than
/// its limit.
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
            // The programs for one core and for two were measured on this machine, each share of
            // two cores by itself. Another version of the compiler may give other programs.
            assert!((number("predicted_cycles") / cycles - 1.0).abs() < 0.08, "{row}");
            assert_eq!(row["predicted_from"], "measured", "{row}");
            assert_eq!(row["gain"].is_number(), row["cores"] == 2, "{row}");
        }
    }
}

/// `plan` says of a program what `run` prints beside the run, and the run keeps `plan`'s limit.
#[test]
#[ignore = "simulators: `make test-simulators`"]
fn plan_and_run_predict_the_same() {
    let sandbox = Sandbox::new();
    for (name, machine) in
        [("sha3-256", "rp2040"), ("rc5-32/12/16", "rp2040"), ("skein256", "ibex-duo")]
    {
        if !is_here(&sandbox, machine) {
            continue;
        }
        let rows = rows(&sandbox, &["run", name, "--on", machine, "--length", "1024"]);
        let printed = sandbox.run(MANYLANE, ["plan", name, "--on", machine, "--json"]).good();
        let plan: Value = serde_json::from_slice(&printed).unwrap();
        let lines = plan["emitted"]["messages"].as_array().unwrap();
        let line = lines.iter().find(|line| line["length"] == 1024).unwrap();
        for (cores, of) in [(1, "one_core"), (2, "two_cores")] {
            let row = rows.iter().find(|row| row["cores"] == cores);
            let Some(row) = row else {
                assert_eq!((name, cores, &line[of]), ("skein256", 2, &Value::Null));
                continue;
            };
            let same = [&row["predicted_cycles"], &row["predicted_from"]];
            assert_eq!([&line[of]["cycles"], &line[of]["from"]], same, "{name}: {row}");
            assert!(row["limit_cycles"].as_f64() <= row["cycles"].as_f64(), "{name}: {row}");
        }
    }
}

/// The table fits a terminal, and notes at its end explain it.
#[test]
fn the_table_explains_itself() {
    let sandbox = Sandbox::new();
    for (machine, notes) in [
        ("host", &["nothing is predicted: no platform's file has costs of this computer"][..]),
        ("s390x", &["nothing is predicted: this machine counts no cycles"]),
        ("ibex-duo", &["hand-overs between the cores: 510 in 1024 bytes (30 a block)", "core 1 "]),
    ] {
        if !is_here(&sandbox, machine) {
            continue;
        }
        let args = ["run", "sha256", "--on", machine, "--length", "1024"];
        let text = String::from_utf8(sandbox.run(MANYLANE, args).good()).unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(text.contains(" a byte "), "{text}");
        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
        notes.iter().for_each(|note| assert!(joined.contains(note), "{machine}: {note}: {text}"));
    }
}

/// Where one processor alone may be used, both threads are said to share it.
#[test]
#[cfg(target_os = "linux")]
fn one_processor_is_shared() {
    let sandbox = Sandbox::new();
    if !is_here(&sandbox, "host") || !common::has("taskset", "one_processor_is_shared") {
        return;
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let first = allowed.unwrap().trim().split([',', '-']).next().unwrap();
    let args = ["-c", first, MANYLANE, "run", "md5", "--on", "host", "--length", "64"];
    let text = String::from_utf8(sandbox.run("taskset", args).good()).unwrap();
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains("both on the one processor that may be used;"), "{text}");
    let is_slow = joined.contains("× in the place of a gain");
    assert_eq!(joined.contains("waits for the other's turn"), is_slow, "{text}");
    assert!(joined.contains("times of two cores mean nothing here"), "{text}");
    assert!(joined.contains("allow it two (`taskset -c 0,1 manylane run …`)"), "{text}");
    let alone = sandbox.run("taskset", [&args[..], &["--cores", "1"]].concat()).good();
    assert!(!String::from_utf8(alone).unwrap().contains("mean nothing"));
}

/// What was asked for and has no row is named with the reason, and nothing is run twice.
#[test]
fn what_is_not_run_is_named() {
    let sandbox = Sandbox::new();
    let both =
        sandbox.run(MANYLANE, ["run", "md5", "--on", "host", "--worth", "size", "--unroll", "4"]);
    assert!(both.status == Some(1) && both.stderr.contains("leave out one"), "{both:?}");
    if !is_here(&sandbox, "host") {
        return;
    }
    let args = ["run", "skein256", "--on", "host,host", "--length", "0,64,0"];
    let args = [&args[..], &["--platform", "ibex-duo"]].concat();
    let text = String::from_utf8(sandbox.run(MANYLANE, args.clone()).good()).unwrap();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for note in [
        "one core alone: skein256: no split over two cores was found that is faster",
        "is simulated; ibex-duo only plans the split",
    ] {
        assert_eq!(words.matches(note).count(), 1, "{note}: {text}");
    }
    let printed = sandbox.run(MANYLANE, [args, vec!["--json"]].concat()).good();
    let report: Value = serde_json::from_slice(&printed).unwrap();
    let without = serde_json::json!([{ "platform": "host", "primitive": "skein256" }]);
    assert_eq!(report["without_split"], without);
    let lengths = report["rows"].as_array().unwrap().iter().map(|row| row["length"].as_u64());
    assert_eq!(lengths.collect::<Vec<_>>(), [Some(0), Some(64)]);
}

/// HMAC and RC5 under a key, of hashes with a share for a second core and without, whole blocks and
/// not.
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

/// A second core takes one of the key's two blocks, and half of the cipher's. Cycles of simulated
/// cores are the same in every run.
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

/// What nobody measured is predicted by the model, and the answer says so: in JSON, and by a mark
/// in the text.
#[test]
fn a_prediction_says_what_it_rests_on() {
    let sandbox = Sandbox::new();
    if !is_here(&sandbox, "ibex-duo") {
        return;
    }
    for (name, more, from) in [
        ("md5", &[][..], "measured"),
        ("md5", &["--unroll", "1"], "scaled"),
        ("md5", &["--platform", "esp32"], "model"),
        ("hmac-md5", &["--worth", "size"], "scaled"),
        ("rc5", &[], "measured"),
        ("rc5", &["--unroll", "1"], "scaled"),
        ("rc5-32/12/5", &[], "model"),
    ] {
        let args = ["run", name, "--on", "ibex-duo", "--length", "64", "--cores", "1"];
        let args = [&args, more].concat();
        let rows = rows(&sandbox, &args);
        assert!(rows[0]["predicted_cycles"].is_number(), "{rows:?}");
        assert_eq!(rows[0]["predicted_from"], from, "{args:?}");
        let text = String::from_utf8(sandbox.run(MANYLANE, args).good()).unwrap();
        let is_marked = from != "measured";
        assert_eq!(text.contains(" ~"), is_marked, "{text}");
        assert_eq!(text.contains("~ an estimate: this program was"), is_marked, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}

/// Programs that are written in other ways than the measured one have times of their own, which are
/// nearer to those of runs than the measured one's.
#[test]
fn other_programs_have_other_predictions() {
    let sandbox = Sandbox::new();
    if !is_here(&sandbox, "ibex-duo") {
        return;
    }
    let args = ["--on", "ibex-duo", "--length", "1024"];
    for (name, cores, more) in [
        ("sha256", "1", ["--unroll", "1"]),
        ("sha256", "2", ["--unroll", "1"]),
        ("sha512", "1", ["--word", "16"]),
        ("rc5", "1", ["--unroll", "1"]),
    ] {
        let usual = [&["run", name, "--cores", cores][..], &args].concat();
        let usual = &rows(&sandbox, &usual)[0];
        let other = [&["run", name, "--cores", cores][..], &args, &more].concat();
        let other = &rows(&sandbox, &other)[0];
        let number = |row: &Value, of: &str| row[of].as_f64().unwrap();
        let [cycles, limit] = ["cycles", "limit_cycles"].map(|of| number(other, of));
        let [before, after] = [usual, other].map(|row| number(row, "predicted_cycles"));
        assert!(limit <= cycles && limit <= after, "{other}");
        assert!((after - cycles).abs() < 0.8 * (before - cycles).abs(), "{before}: {other}");
    }
}

/// Machines are run one after the other, and a row says which it is of.
#[test]
fn several_machines_have_one_report() {
    let sandbox = Sandbox::new();
    if !is_here(&sandbox, "host") || !is_here(&sandbox, "s390x") {
        return;
    }
    let args = ["run", "md5", "--on", "host,s390x", "--length", "3", "--cores", "1", "--json"];
    let report: Value = serde_json::from_slice(&sandbox.run(MANYLANE, args).good()).unwrap();
    let of = |list: &str, field: &str| -> Vec<Value> {
        report[list].as_array().unwrap().iter().map(|one| one[field].clone()).collect()
    };
    assert_eq!(of("machines", "name"), ["host", "s390x"]);
    assert_eq!(of("rows", "platform"), ["host", "s390x"]);
    assert_eq!(of("rows", "digest_ok"), [true, true]);
}

/// What was run until a signal came is printed, and said not to be whole.
#[test]
fn an_interrupted_run_prints_what_it_has() {
    let sandbox = Sandbox::new();
    if !is_here(&sandbox, "host") {
        return;
    }
    // A compiler that, in the midst of some programs, sends the signal to the program that called
    // it.
    let count = sandbox.path("count");
    let count = count.display();
    let cc = format!(
        "#!/bin/sh\necho >>'{count}'\n[ $(wc -l <'{count}') -ne 30 ] || kill -TERM $PPID\n\
         PATH=$OTHERS exec cc \"$@\"\n"
    );
    common::write_program(&sandbox.path("cc"), cc);
    let others = std::env::var("PATH").unwrap();
    let mut command = std::process::Command::new(MANYLANE);
    command.args(["run", "--all", "--on", "host", "--length", "3", "--json"]);
    command.env("OTHERS", &others);
    command.env("PATH", format!("{}:{others}", sandbox.path("").display()));
    let ran = command.output().unwrap();
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(130), "{errors}");
    assert!(errors.contains("interrupted: "), "{errors}");
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(report["whole"], false);
    let rows = report["rows"].as_array().unwrap();
    assert!((1..20).contains(&rows.len()), "{rows:?}");
    assert!(rows.iter().all(|row| row["digest_ok"] == true), "{rows:?}");
}

/// What is measured is written into the platform's file, and nothing else there changes.
#[test]
#[ignore = "simulators: `make test-simulators`"]
fn a_platform_is_measured_in_place() {
    let sandbox = Sandbox::new();
    if !is_here(&sandbox, "rp2040") {
        return;
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../platforms/rp2040.toml");
    let text = std::fs::read_to_string(file).unwrap();
    let old = text.replace("title = \"", "# Kept.\ntitle = \"My ");
    sandbox.write("mine.toml", &old);
    let args = ["--platform", "mine.toml", "--only", "md5", "-o", "mine.toml"];
    sandbox.run(MANYLANE, [&["platforms", "measure", "rp2040"][..], &args].concat()).good();
    let new = std::fs::read_to_string(sandbox.path("mine.toml")).unwrap();
    let lines = |text: &str, what: &str| -> Vec<String> {
        text.lines().filter(|line| line.contains(what)).map(str::to_owned).collect()
    };
    for kept in ["#", "sha256 = ", "title = ", "registers = "] {
        assert_eq!(lines(&new, kept), lines(&old, kept));
    }
    // It says when and by what: the other figures are older, and were measured on the first day.
    let measured = &lines(&new, "measured = ")[0];
    assert!(measured.starts_with("measured = \"2026-11-27"), "{measured}");
    assert!(
        measured.contains("arm-none-eabi-gcc ") && measured.contains("; rp2040js "),
        "{measured}"
    );
    // The simulator counts the same cycles each time; the compiler may be another one.
    let block = |text: &str| -> f64 {
        let of = manylane_plan::Platform::parse("mine.toml", text).unwrap();
        of.programs["md5"].block
    };
    assert!((block(&new) / block(&old) - 1.0).abs() < 0.1, "{} {}", block(&new), block(&old));
    // What the file has is not missing: nothing is measured again, and nothing changes.
    let again = [&["platforms", "measure", "rp2040", "--missing"][..], &args].concat();
    sandbox.run(MANYLANE, again).good();
    assert_eq!(std::fs::read_to_string(sandbox.path("mine.toml")).unwrap(), new);
}

/// The message names the missing temporary folder, and not the compiler or yosys.
#[test]
fn a_temporary_folder_that_is_not_there_is_named() {
    for args in [
        &["run", "md5", "--on", "host"][..],
        &["platforms", "measure", "ibex-duo"],
        &["prove", "folder"],
        &["explore", "sha1", "--seeds", "1"],
    ] {
        let mut command = std::process::Command::new(MANYLANE);
        let ran = command.args(args).env("TMPDIR", "/nonexistent").output().unwrap();
        let said = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(1), "{args:?}: {said}");
        let problem = "manylane: no temporary file in /nonexistent; set TMPDIR to a folder";
        assert!(said.starts_with(problem), "{args:?}: {said}");
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
        (&["run", "sha256", "--on", "host", "--cores", "3"], "possible values: 1, 2"),
        (&["run", "sha256", "--all", "--on", "host"], "--all"),
        (&["platforms", "measure", "host"], "counts no cycles"),
        (&["platforms", "measure", "nosuch"], "measure one of ibex-duo, rp2040, s12x-xgate"),
        (&["platforms", "measure", "z80"], "z80"),
        (&["platforms", "measure", "rp2040", "--only", "sha257"], "sha256"),
        (&["platforms", "measure", "rp2040", "--platform", "none.toml"], "none.toml"),
        (&["platforms", "measure", "rp2040", "--platform", "unit-adder"], "unit-adder"),
        (&["platforms", "measure", "rp2040", "-o", "-"], "--output -: standard output has"),
        (&["platforms", "measure", "rp2040", "-o", "."], ".: is no regular file"),
        (&["platforms", "measure", "s12x-xgate", "-o", "none/x"], "none/x: No such file"),
        (&["run", "md5", "--on", "rp2040", "--platform", "none"], "no platform"),
        (&["run", "md5", "--on", "host,ibex"], "ibex-duo"),
        (&["run", "md5"], "--on"),
    ] {
        let ran = sandbox.run(MANYLANE, args);
        assert_eq!(ran.status, Some(1), "{args:?}: {ran:?}");
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
        assert!(ran.stdout.is_empty(), "{args:?}: {ran:?}");
    }
}
