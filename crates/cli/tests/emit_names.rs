//! Names of cores: no two different cores share a name, and several cores can be built together.

mod common;

use common::{has_tool, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn emit(options: &str, folder: &Path) -> Output {
    let mut emit = Command::new(env!("CARGO_BIN_EXE_manylane"));
    emit.args(["emit", "rtl"]).args(options.split_whitespace()).arg("-o").arg(folder);
    emit.output().unwrap()
}

fn made(options: &str, folder: &Path) -> Value {
    let made = emit(options, folder);
    assert!(made.status.success(), "{options}: {}", text(&made.stderr));
    serde_json::from_str(&std::fs::read_to_string(folder.join("core.json")).unwrap()).unwrap()
}

/// The command that is written down makes the folder again, whatever its name begins with.
#[test]
fn a_folder_like_an_option_is_recorded_as_a_path() {
    let folder = tempfile::tempdir().unwrap();
    let options = [&["c", "md5"][..], &["rtl", "md5"]];
    for (what, file) in options.into_iter().zip(["README.md", "core.json"]) {
        let mut emit = Command::new(env!("CARGO_BIN_EXE_manylane"));
        let name = format!("-{}", what[0]);
        emit.arg("emit").args(what).arg(format!("-o={name}")).current_dir(&folder);
        assert!(emit.output().unwrap().status.success(), "{what:?}");
        let text = std::fs::read_to_string(folder.path().join(&name).join(file)).unwrap();
        assert!(text.contains(&format!(" -o ./{name}")), "{what:?}: {text}");
    }
}

/// The files of a design.
fn sources(sheet: &Value, folder: &Path) -> Vec<PathBuf> {
    let files = sheet["sources"].as_array().unwrap();
    files.iter().map(|file| folder.join(file.as_str().unwrap())).collect()
}

/// The modules or entities in a text.
fn modules(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let named = text.lines().filter_map(|line| {
        let rest = line.strip_prefix("module ").or(line.strip_prefix("entity "))?;
        Some(rest.split([' ', '(']).next().unwrap().to_lowercase())
    });
    named.collect()
}

const CONVENTIONAL: &str = "sha256_m1_s4_chain_none";

/// Each option alone, and several at once.
const SHAPES: [&str; 18] = [
    "sha256",
    "sha256 --stages 4",
    "sha256 --merge 2",
    "sha256 --preset paper",
    "sha256 --preset conventional",
    "sha256 --window ram",
    "sha256 --preset conventional --chaining ram",
    "sha256 --clear on-done",
    "sha256 --reset async",
    "sha256 --target ice40",
    "sha256 --lang sv",
    "sha256 --lang vhdl",
    "sha256 --interface axis",
    "sha256 --interface axis --width 64",
    "sha256 --interface axis --width 64 --clear on-done --reset async",
    "sha256 --interface axis --lang vhdl",
    "sha256 --interface axilite",
    "sha224+sha256 --interface axilite",
];

#[test]
fn every_shape_has_modules_of_its_own_and_all_are_built_together() {
    let root = tempfile::tempdir().unwrap();
    let (mut names, mut cores) = (BTreeSet::new(), BTreeSet::new());
    let (mut verilog, mut vhdl, mut tops) = (Vec::new(), Vec::new(), Vec::new());
    for (i, shape) in SHAPES.iter().enumerate() {
        let folder = root.path().join(i.to_string());
        let sheet = made(shape, &folder);
        let top = sheet["module"].as_str().unwrap().to_owned();
        assert!(top.len() < 64 && top.starts_with("sha2"), "{shape}: {top}");
        let mut found = Vec::new();
        for file in sources(&sheet, &folder) {
            found.extend(modules(&file));
            let is_vhdl = file.extension().is_some_and(|extension| extension == "vhd");
            if is_vhdl { vhdl.push(file) } else { verilog.push(file) }
        }
        assert!(found.contains(&top), "{shape}: {top} is none of {found:?}");
        for name in found {
            assert!(names.insert(name.clone()), "{shape}: {name} is another core's too");
        }
        let core = std::fs::read_to_string(folder.join(format!("{top}.core"))).unwrap();
        let core = core.lines().find(|line| line.starts_with("name:")).unwrap().to_owned();
        assert!(cores.insert(core.clone()), "{shape}: {core} is another core's too");
        tops.push(top);
    }
    for top in ["sha256", CONVENTIONAL] {
        assert!(tops.contains(&top.to_owned()), "{tops:?}");
    }
    let quiet = |command: &mut Command| {
        let done = command.current_dir(root.path()).output().unwrap();
        let said = text(&done.stdout).to_owned() + text(&done.stderr);
        assert!(done.status.success() && said.is_empty(), "{command:?}: {said}");
    };
    if has_tool("iverilog", "-V") {
        let options = ["-g2012", "-Wall", "-o", "all", "-s", "sha256", "-s", CONVENTIONAL];
        quiet(Command::new("iverilog").args(options).args(&verilog));
    }
    if has_tool("verilator", "--version") {
        // Streams of 64 bits, one that clears and one that does not.
        let few = verilog.iter().filter(|file| file.to_string_lossy().contains("axis64"));
        let options = ["--lint-only", "-Wall", "-Wno-MULTITOP", "-Wno-DECLFILENAME"];
        quiet(Command::new("verilator").args(options).args(few));
    }
    if has_tool("ghdl", "--version") {
        quiet(Command::new("ghdl").args(["-a", "--std=08"]).args(&vhdl));
    }
    if has_tool("yosys", "-V") {
        let files: Vec<_> = verilog.iter().map(|file| file.display().to_string()).collect();
        let script = format!("read_verilog -sv {}; hierarchy -check", files.join(" "));
        quiet(Command::new("yosys").args(["-q", "-p", &script]));
    }
}

/// The command in a README names every option that the program chose, and its core has the same
/// name as the core for which the program chose them.
#[test]
fn names_are_those_of_the_command_in_the_readme() {
    let root = tempfile::tempdir().unwrap();
    for (i, shape) in ["sha1", "sha256 --preset paper --lang vhdl", "md5 --interface axis"]
        .into_iter()
        .enumerate()
    {
        let sheet = made(shape, &root.path().join(i.to_string()));
        let command = sheet["command"].as_str().unwrap();
        let options = command.strip_prefix("manylane emit rtl ").unwrap();
        let options = options.split_once(" -o ").unwrap().0;
        let again = made(options, &root.path().join(format!("{i}-again")));
        assert_eq!(again["module"], sheet["module"], "{shape}: {options}");
    }
}

/// A name of one's own is that of the files too, and is in the command. The benches in Python still
/// know which hash it is.
#[test]
fn a_name_of_ones_own() {
    let root = tempfile::tempdir().unwrap();
    for (options, files) in [
        ("sha1 --name Hasher9", &["rtl/Hasher9.v", "Hasher9.core", "tb/Hasher9_tb.v"][..]),
        (
            "sha256 --interface axis --name full",
            &["rtl/full.v", "rtl/full_core.v", "constraints/full.sdc", "tb/test_full.py"],
        ),
        ("sha3-256 --interface axilite --lang vhdl --name Chain", &["rtl/Chain.vhd"]),
    ] {
        let name = options.rsplit(' ').next().unwrap();
        let folder = root.path().join(name);
        let sheet = made(options, &folder);
        assert_eq!(sheet["module"], name);
        assert!(sheet["command"].as_str().unwrap().contains(&format!(" --name {name} ")));
        for file in files {
            assert!(folder.join(file).is_file(), "{file}");
        }
        if options.contains("vhdl") {
            if has_tool("ghdl", "--version") {
                run(&folder, "lint");
            }
        } else if has_tool("iverilog", "-V") && has_tool("verilator", "--version") {
            assert_eq!(run(&folder, "test").matches("ok ").count(), 2, "{options}");
            run(&folder, "lint");
        }
    }
    let python = std::fs::read_to_string(root.path().join("Chain/tb/test_Chain.py")).unwrap();
    assert!(python.contains("NAMES = [\"sha3_256\"]"), "{python}");
}

fn run(folder: &Path, target: &str) -> String {
    let made = Command::new("make").arg("-C").arg(folder).arg(target).output().unwrap();
    assert!(made.status.success(), "{}{}", text(&made.stdout), text(&made.stderr));
    text(&made.stdout).to_owned()
}

#[test]
fn names_that_a_language_cannot_have_are_refused() {
    let root = tempfile::tempdir().unwrap();
    for (name, why) in [
        ("always", "reserved word"),
        ("logic", "reserved word"),
        ("Entity", "reserved word"),
        ("PROCESS", "reserved word"),
        ("std_logic", "VHDL's standard libraries"),
        ("work", "VHDL's standard libraries"),
        ("manylane_harness", "manylane synth"),
        ("clk", "that of a port"),
        ("S_axis_tdata", "that of a port"),
        ("core", "something else inside"),
        ("9lives", "does not begin with a letter"),
        ("_hidden", "does not begin with a letter"),
        ("two__scores", "two of them side by side"),
        ("last_", "ends in an underscore"),
        ("with-dash", "other characters"),
        ("a/b", "other characters"),
        ("ärger", "does not begin with a letter"),
        ("x$y", "other characters"),
        (&"x".repeat(200), "more than 128"),
    ] {
        let folder = root.path().join("refused");
        let refused = emit(&format!("md5 --name {name}"), &folder);
        assert_eq!(refused.status.code(), Some(1), "{name}");
        let said = text(&refused.stderr);
        assert!(said.contains(why) && said.contains("--name"), "{name}: {said}");
        assert!(!folder.exists(), "{name}");
    }
}

/// Icarus Verilog reads the SystemVerilog without a warning.
#[test]
fn simulators_have_nothing_to_say() {
    if !has_tool("iverilog", "-V") {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    for (options, count) in [
        ("md5 --lang sv", 2),
        ("sha256 --preset paper --lang sv", 2),
        ("sha224+sha256 --lang sv --interface axis", 2),
    ] {
        let folder = root.path().join(options);
        made(options, &folder);
        let test = Command::new("make").arg("-C").arg(&folder).arg("test").output().unwrap();
        assert_eq!(text(&test.stderr), "", "{options}");
        assert_eq!(text(&test.stdout).matches("ok ").count(), count, "{options}");
    }
}
