//! Folders that are read: those of others, edited and damaged ones.

mod common;

use common::tiny;
use manylane_synth::Core;
use serde_json::{Value, json};
use std::fs;

/// What is said of the small core's folder, its description changed.
fn said(change: impl FnOnce(&mut Value)) -> Result<Core, String> {
    let folder = tempfile::tempdir().unwrap();
    let core = tiny();
    let mut sheet: Value = serde_json::from_str(&core.sheet.json()).unwrap();
    change(&mut sheet);
    fs::write(folder.path().join("core.json"), sheet.to_string()).unwrap();
    fs::write(folder.path().join("tiny.v"), &core.verilog).unwrap();
    Core::read(folder.path()).map_err(|error| error.to_string())
}

#[test]
fn a_folder_of_others_is_read() {
    let core = said(|_| ()).unwrap();
    assert_eq!((core.sheet, core.verilog), (tiny().sheet, tiny().verilog));
}

/// A tool's message about a line of the core's text names the file and the line in the folder.
#[test]
fn a_line_is_that_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut sheet = tiny().sheet;
    sheet.sources.push("more.v".into());
    fs::write(folder.path().join("core.json"), sheet.json()).unwrap();
    fs::write(folder.path().join("tiny.v"), format!("// a\n// b\n{}", tiny().verilog)).unwrap();
    fs::write(folder.path().join("more.v"), "// c\nmodule more; endmodule\n").unwrap();
    let core = Core::read(folder.path()).unwrap();
    let lines = tiny().verilog.lines().count();
    for (line, place) in [
        (1, "tiny.v:3".to_owned()),
        (lines, format!("tiny.v:{}", lines + 2)),
        (lines + 1, "more.v:2".to_owned()),
        (lines + 2, format!("core.v:{}", lines + 2)),
    ] {
        let said = core.located(&format!("core.v:{line}: ERROR: no"), "core.v");
        assert_eq!(said, format!("{place}: ERROR: no"));
    }
    assert_eq!(core.located("ERROR: core.v", "core.v"), "ERROR: core.v");
}

/// A pipe is not waited for, and a device without an end is not read.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink("/dev/zero", file("core.json")).unwrap();
    let said = || Core::read(folder.path()).unwrap_err().to_string();
    assert!(said().ends_with("core.json: is no regular file"), "{}", said());
    fs::remove_file(file("core.json")).unwrap();
    fs::write(file("core.json"), tiny().sheet.json()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(file("tiny.v")).status();
    assert!(made.unwrap().success());
    assert!(said().contains("tiny.v: is no regular file"), "{}", said());
    fs::remove_file(file("tiny.v")).unwrap();
    fs::File::create(file("tiny.v")).unwrap().set_len((64 << 20) + 1).unwrap();
    assert!(said().contains("tiny.v: is larger than 64 MiB"), "{}", said());
}

#[test]
fn descriptions_that_would_make_nonsense_are_refused() {
    let port = |name: &str, bits: u64| json!({"name": name, "input": true, "bits": bits});
    let with = |key: &'static str, value: Value| move |sheet: &mut Value| sheet[key] = value;
    let ports =
        |port: Value| move |sheet: &mut Value| sheet["ports"].as_array_mut().unwrap().push(port);
    for (result, words) in [
        // Names go into scripts of yosys, which run commands of the shell.
        (said(with("module", json!("tiny; !touch x"))), "is no name of a module"),
        (said(with("module", json!(""))), "is no name of a module"),
        (said(with("module", json!("other"))), "none of its sources has the module other"),
        (said(with("module", json!("iny"))), "none of its sources has the module iny"),
        (said(ports(port("a b", 1))), "is no name of a module or port"),
        (said(ports(port("a", 1))), "two ports have one name"),
        (said(ports(port("z", 0))), "a port has no bits"),
        (said(ports(port("z", u64::from(u32::MAX)))), "its ports have more than"),
        (said(with("ports", json!([port("clk", 1)]))), "an input clk, other inputs, and outputs"),
        (said(with("ports", json!([]))), "an input clk, other inputs, and outputs"),
        (said(with("cycles_per_block", json!(0))), "are no throughput"),
        (said(with("latency", json!(0))), "are no throughput"),
        (said(with("block_bits", json!(0))), "are no throughput"),
        (said(with("block_bits", json!(-8))), "invalid value"),
        (said(with("sources", json!(["gone.v"]))), "emit the core again"),
        (said(with("sources", json!([]))), "none of its sources has the module tiny"),
    ] {
        let error = result.expect_err(words);
        assert!(error.contains(words) && error.contains("emit the core again"), "{words}: {error}");
    }
}
