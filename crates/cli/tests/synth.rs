//! `manylane synth` and `manylane explore`, as far as they go without tools.

mod common;

use common::{MANYLANE, Ran, Sandbox};

fn run(sandbox: &Sandbox, args: &[&str], environment: &[(&str, &str)]) -> Ran {
    let mut command = sandbox.command(MANYLANE);
    command.args(args).env("MANYLANE_SYNTH_CACHE", sandbox.path("cache"));
    command.envs(environment.iter().copied());
    let output = command.output().unwrap();
    Ran {
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
        status: output.status.code(),
    }
}

fn emitted(options: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    let args = [&["emit", "rtl", "md5", "-o", "core"], options].concat();
    assert_eq!(run(&sandbox, &args, &[]).status, Some(0));
    sandbox
}

#[track_caller]
fn refused(ran: &Ran, said: &str) {
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.stderr.contains(said), "{said}: {ran:?}");
}

#[test]
fn errors_name_the_thing_and_the_remedy() {
    let sandbox = emitted(&[]);
    sandbox.write("empty/x", "");
    refused(
        &run(&sandbox, &["synth", "empty"], &[]),
        "name a folder that `manylane emit rtl` wrote",
    );
    let missing = [("MANYLANE_YOSYS", "/nowhere/yosys")];
    let ran = run(&sandbox, &["synth", "core"], &missing);
    refused(&ran, "yosys is missing: /nowhere/yosys");
    refused(&ran, "apt-get install yosys");
    sandbox.write("core/core.json", "{");
    refused(&run(&sandbox, &["synth", "core"], &[]), "emit the core again");
    let vhdl = emitted(&["--lang", "vhdl"]);
    refused(&run(&vhdl, &["synth", "core"], &[]), "emit the core with --lang verilog");
}

#[test]
fn a_dry_run_lists_shapes_and_needs_no_tool() {
    let sandbox = Sandbox::new();
    let args =
        ["explore", "sha1", "-n", "--merge", "1,2", "--stages", "1", "--adders", "chain,csa"];
    let ran = run(&sandbox, &args, &[("MANYLANE_YOSYS", "/nowhere/yosys")]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let shapes: Vec<&str> = ran.text().lines().skip(1).collect();
    assert!(shapes.contains(&"  --merge 1 --stages 1 --adders chain --precompute kw"), "{ran:?}");
    assert!(ran.text().starts_with(&format!("{} shapes", shapes.len())), "{ran:?}");
    assert!(!sandbox.path("cache").exists());
}

#[test]
fn shapes_that_cannot_be_are_explained() {
    let sandbox = Sandbox::new();
    let ran = run(&sandbox, &["explore", "sha256", "-n", "--merge", "3"], &[]);
    refused(&ran, "64 steps cannot be merged 3");
    let ran = run(&sandbox, &["explore", "sha224+sha256", "-n"], &[]);
    refused(&ran, "only `manylane emit rtl` takes names joined by `+`");
    refused(&ran, "name one here: sha224 or sha256");
}

/// Tools that do not exist: messages that come before the search for tools appear without them.
const NO_TOOLS: [(&str, &str); 1] = [("MANYLANE_YOSYS", "/nowhere/yosys")];

#[test]
fn numbers_that_are_none_are_refused() {
    let sandbox = emitted(&[]);
    sandbox.write("record.json", "{}");
    let tolerance = ["synth", "core", "--check", "record.json", "--tolerance"];
    for percent in ["nan", "inf", "-inf", "-1", "1e300", ""] {
        let percent = format!("{}={percent}", tolerance[4]);
        let ran = run(&sandbox, &[&tolerance[..4], &[&percent]].concat(), &NO_TOOLS);
        refused(&ran, "a tolerance is a number of percent from 0 to 1000");
    }
    let explore = ["explore", "md5", "-n"];
    for (command, options) in [
        (&["synth", "core"][..], ["--seeds", "--jobs", "--time-limit"].as_slice()),
        (&explore, &["--budget", "--throughput", "--seeds", "--jobs", "--merge", "--stages"]),
    ] {
        for option in options {
            for number in ["0", "-1", "nan", "inf", "99999999999999999999", "1.5", ""] {
                let given = format!("{option}={number}");
                let ran = run(&sandbox, &[command, &[&given]].concat(), &NO_TOOLS);
                refused(&ran, &format!("invalid value '{number}' for '{option}"));
            }
        }
    }
}

#[test]
fn a_target_has_the_names_of_its_delay_model_too() {
    let sandbox = Sandbox::new();
    let shapes = |target| {
        let args = ["explore", "md5", "-n", "--merge", "1", "--stages", "1", "--target", target];
        run(&sandbox, &args, &[]).good()
    };
    let gates = shapes("generic-gates");
    assert!(gates == shapes("gate") && gates == shapes("gates"));
    assert_eq!(shapes("ecp5"), shapes("ecp5-85k"));
    assert_eq!(shapes("ice40"), shapes("ice40-hx8k"));
    let unknown = run(&sandbox, &["explore", "md5", "-n", "--target", "virtex"], &[]);
    refused(&unknown, "ice40-hx8k, ecp5-85k, generic-gates");
}

/// A record with one row of the core in the folder `core`, which a change is made to.
fn record(sandbox: &Sandbox, change: impl FnOnce(&mut serde_json::Value)) -> String {
    let core = std::fs::read(sandbox.path("core/core.json")).unwrap();
    let core: serde_json::Value = serde_json::from_slice(&core).unwrap();
    let mut row = serde_json::json!({
        "module": core["module"], "primitive": core["primitive"], "command": core["command"],
        "options": core["options"], "target": "ice40-hx8k", "sums": "as-written", "tools": [],
        "cells": {"luts": 1, "carries": 1, "flip_flops": 1, "rams": 0, "dsps": 0},
        "area": {"value": 100.0, "unit": "LC"}, "depth": null, "mhz": 50.0, "mbps": 1.0,
        "mbps_alone": 1.0, "energy": null, "placed": [],
    });
    change(&mut row);
    serde_json::json!({"results": [row], "failed": []}).to_string()
}

#[test]
fn a_record_is_read_before_any_tool_runs() {
    let sandbox = emitted(&[]);
    let against = |text: Option<String>, said: &str| {
        match text {
            Some(text) => _ = sandbox.write("record.json", text),
            None => _ = std::fs::remove_file(sandbox.path("record.json")),
        }
        refused(&run(&sandbox, &["synth", "core", "--check", "record.json"], &NO_TOOLS), said);
    };
    against(None, "record.json: No such file");
    for damaged in ["", "[]", "{", "{}", "null", "{\"results\": [], \"failed\": [1]}"] {
        against(Some(damaged.to_owned()), "record.json: is no record");
    }
    against(Some(record(&sandbox, |row| row["mhz"] = "nan".into())), "record.json: is no record");
    let no_area = record(&sandbox, |row| row["area"]["value"] = 0.into());
    against(Some(no_area), "0 LC and 50 MHz are no figures");
    let other = record(&sandbox, |row| row["command"] = "manylane emit rtl sha1 -o core".into());
    against(Some(other), "record.json: has no figures of md5");
    let chip = record(&sandbox, |row| row["target"] = "ecp5-85k".into());
    against(Some(chip), "for ice40-hx8k, sums as-written, but for ecp5-85k");
    let fused = record(&sandbox, |row| row["sums"] = "fused".into());
    against(Some(fused), "but with sums fused");
    let gates = record(&sandbox, |row| row["area"]["unit"] = "GE".into());
    against(Some(gates), "md5 1×1 chain full: has its area in \"GE\"");
    let mut two: serde_json::Value = serde_json::from_str(&record(&sandbox, |_| ())).unwrap();
    let mut row = two["results"][0].clone();
    two["results"].as_array_mut().unwrap().push(row.clone());
    against(Some(two.to_string()), "yosys is missing");
    row["mhz"] = 60.0.into();
    two["results"].as_array_mut().unwrap().push(row);
    against(Some(two.to_string()), "has two rows for ice40-hx8k with other figures, the second");
    // With a usable record only the tool is missing.
    against(Some(record(&sandbox, |_| ())), "yosys is missing");
}

#[test]
fn a_folder_that_cannot_take_figures_is_named_before_any_tool_runs() {
    let sandbox = emitted(&[]);
    sandbox.write("core/synth.json", "not JSON");
    refused(&run(&sandbox, &["synth", "core"], &NO_TOOLS), "synth.json: has no figures");
    std::fs::remove_file(sandbox.path("core/synth.json")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/dev/zero", sandbox.path("core/synth.json")).unwrap();
        let ran = run(&sandbox, &["synth", "core"], &NO_TOOLS);
        refused(&ran, "core/synth.json: is no regular file");
        std::fs::remove_file(sandbox.path("core/synth.json")).unwrap();
    }
    sandbox.write("core/README.md", b"Latin \xe9");
    refused(&run(&sandbox, &["synth", "core"], &NO_TOOLS), "core/README.md");
    assert_eq!(std::fs::read(sandbox.path("core/README.md")).unwrap(), b"Latin \xe9");
}

/// The message about a failure names the folder and its file, also in JSON.
#[cfg(unix)]
#[test]
fn failures_are_of_a_folder_and_its_file() {
    let sandbox = emitted(&[]);
    let script = "#!/bin/sh\n[ \"$1\" = -V ] && echo Yosys 0.23 && exit\n\
                  echo core.v:1: ERROR: syntax error\nexit 1\n";
    let yosys = sandbox.path("yosys");
    common::write_program(&yosys, script);
    let tools = [("MANYLANE_YOSYS", yosys.to_str().unwrap())];
    let args = ["synth", "core", "--target", "generic-gates", "--json"];
    let ran = run(&sandbox, &args, &tools);
    refused(&ran, "manylane: core: md5: yosys failed: rtl/md5.v:");
    let text = std::fs::read_to_string(sandbox.path("core/rtl/md5.v")).unwrap();
    let first = 1 + text.lines().take_while(|line| line.starts_with("//")).count();
    refused(&ran, &format!("rtl/md5.v:{first}: ERROR: syntax error"));
    let report: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(report["failed"][0]["folder"], "core");
}

#[test]
fn what_is_missing_is_noticed_before_planning() {
    let sandbox = Sandbox::new();
    // Planning would refuse the number of steps.
    let impossible = ["explore", "sha256", "--merge", "3", "--target", "generic-gates"];
    refused(&run(&sandbox, &impossible, &NO_TOOLS), "yosys is missing: /nowhere/yosys");
}

#[test]
fn a_dry_run_is_printed_as_json_too() {
    let sandbox = Sandbox::new();
    let args = ["explore", "md5", "-n", "--merge", "1", "--stages", "1", "--json"];
    let printed = run(&sandbox, &args, &[]).good();
    let printed: serde_json::Value = serde_json::from_slice(&printed).unwrap();
    let shapes = printed["shapes"].as_array().unwrap();
    assert!(!shapes.is_empty());
    for shape in shapes {
        assert!(shape["command"].as_str().unwrap().starts_with("manylane emit rtl md5 --merge 1"));
        assert!(shape["predicted"]["area"].as_f64().unwrap() > 0.0);
    }
}
