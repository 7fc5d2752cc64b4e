//! `manylane emit rtl`.

mod common;

use common::{has_tool, text};
use std::path::Path;
use std::process::{Command, Output};

fn manylane(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_manylane")).args(args).arg(folder).output().unwrap()
}

/// The folder of the paper's SHA-1 tests itself, passes a linter, and states the throughput of one
/// message alone.
#[test]
fn a_folder_with_a_core_that_tests_itself() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("sha1 core");
    let made = manylane(&["emit", "rtl", "sha1", "--preset", "paper", "-o"], &folder);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert!(text(&made.stdout).contains("512 bits every 10 clocks"), "{}", text(&made.stdout));
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    // A block of one message alone waits for the one before.
    for line in ["| clocks between blocks | 10 |", "| latency", "**one message alone**", "SHA-1: "]
    {
        assert!(readme.contains(line), "{line}: {readme}");
    }
    for file in [
        "rtl/sha1_m2_s4_chain_none.v",
        "tb/sha1_m2_s4_chain_none_tb.v",
        "tb/sha1_m2_s4_chain_none_tb_stalls.v",
        "tb/test_sha1_m2_s4_chain_none.py",
        "tb/vectors.hex",
        "constraints/sha1_m2_s4_chain_none.xdc",
        "sha1_m2_s4_chain_none.core",
        "Makefile",
    ] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    let make = |target: &str| {
        let made = Command::new("make").arg("-C").arg(&folder).arg(target).output().unwrap();
        assert!(made.status.success(), "{}{}", text(&made.stdout), text(&made.stderr));
        text(&made.stdout).to_owned()
    };
    if has_tool("iverilog", "-V") {
        assert_eq!(make("test").matches("ok 24 blocks").count(), 2);
    }
    if has_tool("verilator", "--version") {
        make("lint");
    }
}

/// The clocks per block of the paper's table 3: 80 and 64 operations in four stages, one or two at
/// a time.
#[test]
fn presets_of_the_paper() {
    let folder = tempfile::tempdir().unwrap();
    for (hash, preset, clocks) in [
        ("sha256", "conventional", 16),
        ("sha1", "conventional", 20),
        ("sha256", "paper", 8),
        ("sha1", "paper", 10),
    ] {
        let folder = folder.path().join(format!("{hash}-{preset}"));
        let made = manylane(&["emit", "rtl", hash, "--preset", preset, "-o"], &folder);
        assert!(made.status.success(), "{}", text(&made.stderr));
        let (said, due) = (text(&made.stdout), format!("512 bits every {clocks} clocks"));
        assert!(said.contains(&due), "{hash} {preset}: {said}");
        assert_eq!(sheet(&folder)["options"]["stages"], 4, "{hash} {preset}");
    }
}

/// With all steps in one clock, every word of the message schedule is computed once for all its
/// users.
#[test]
fn a_core_without_turns() {
    let folder = tempfile::tempdir().unwrap();
    for (hash, steps) in [("sha1", "80"), ("sha256", "64")] {
        let folder = folder.path().join(hash);
        let made = manylane(&["emit", "rtl", hash, "--merge", steps, "-o"], &folder);
        assert!(made.status.success(), "{}", text(&made.stderr));
        assert!(text(&made.stdout).contains("512 bits every 1 clock,"), "{}", text(&made.stdout));
        let core = sheet(&folder)["sources"][0].as_str().unwrap().to_owned();
        let core = std::fs::read_to_string(folder.join(core)).unwrap();
        assert!(core.lines().count() < 10_000, "{hash}: {} lines", core.lines().count());
    }
    if has_tool("iverilog", "-V") {
        let folder = folder.path().join("sha1");
        let made = Command::new("make").arg("-C").arg(folder).arg("test").output().unwrap();
        assert_eq!(text(&made.stdout).matches("ok 24 blocks").count(), 2);
    }
}

#[test]
fn errors_name_the_thing_and_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine"), "kept").unwrap();
    let refused = |args: &[&str], said: &str| {
        let refused = manylane(args, folder.path());
        assert_eq!(refused.status.code(), Some(1), "{}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains(said), "{}", text(&refused.stderr));
    };
    refused(
        &["emit", "rtl", "md5", "-o"],
        "has files already; name another folder, or say --force",
    );
    refused(&["emit", "rtl", "sha257", "-o"], "did you mean sha256 or");
    refused(&["emit", "rtl", "hmac-md5", "-o"], "no core of its own; name md5");
    refused(&["emit", "rtl", "sha256", "--merge", "3", "-o"], "64 steps cannot be merged 3");
    refused(&["emit", "rtl", "md5", "--width", "64", "-o"], "say --interface axis too");
    let narrow = ["emit", "rtl", "md5", "--interface", "axis", "--width", "48", "-o"];
    refused(&narrow, "--width 48: there are streams of 32, 64, 128, 256 and 512 bits");
    refused(&["emit", "rtl", "sha1", "--stages", "3", "-o"], "cannot be divided into 3 stages");
    let whole = ["emit", "rtl", "keccak256", "--window", "ram", "-o"];
    refused(&whole, "a block goes into the state as a whole before the first round");
    for hash in ["sha3-256", "jh256"] {
        let unkept = ["emit", "rtl", hash, "--chaining", "ram", "-o"];
        refused(&unkept, "none is kept until the last; say --chaining registers");
    }
    let preset = ["emit", "rtl", "sha3-256", "--preset", "paper", "--stages", "5", "-o"];
    refused(&preset, "manylane: 12 clocks per block cannot be divided into 5 stages");
    let preset = ["emit", "rtl", "groestl256", "--preset", "paper", "-o"];
    refused(&preset, "manylane: the preset asks for 4 stages, --stages for others: 5 clocks per");
    let preset = ["emit", "rtl", "sha256", "--preset", "paper", "--merge", "3", "-o"];
    refused(&preset, "manylane: 64 steps cannot be merged 3 to a clock");
    let unproved = ["emit", "rtl", "sha256", "--window", "ram", "--prove", "-o"];
    refused(&unproved, "prove the core with --window registers");
    let words = ["emit", "rtl", "sha512", "--window", "ram", "--interface", "axis", "-o"];
    refused(&words, "take --interface axis --width 64 or more");
    refused(&["emit", "rtl", "sha256+md5", "-o"], "md5 and sha256 have different compressions");
    refused(&["emit", "rtl", "blake224+blake256", "-o"], "differ in their padding");
    let memory = ["emit", "rtl", "sha256", "--window", "ram", "--clear", "on-done", "-o"];
    refused(&memory, "say --window registers --chaining registers with");
    assert_eq!(std::fs::read_to_string(folder.path().join("mine")).unwrap(), "kept");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Words in memory: the folder says so, and tests itself.
#[test]
fn a_folder_with_words_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("md5");
    let options =
        ["--preset", "conventional", "--stages", "1", "--window", "ram", "--chaining", "ram"];
    let made = manylane(&[&["emit", "rtl", "md5"], &options[..], &["-o"]].concat(), &folder);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert!(text(&made.stdout).contains(", 1536 of memory"), "{}", text(&made.stdout));
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    for line in ["| `word` | 32 | the 16 words", "--window ram --chaining ram --target ecp5"] {
        assert!(readme.contains(line), "{line}: {readme}");
    }
    let sheet = std::fs::read_to_string(folder.join("core.json")).unwrap();
    assert!(sheet.contains("\"window\": \"ram\""), "{sheet}");
    if has_tool("iverilog", "-V") {
        let made = Command::new("make").arg("-C").arg(&folder).arg("test").output().unwrap();
        assert_eq!(text(&made.stdout).matches("ok 24 blocks").count(), 2);
    }
}

fn sheet(folder: &Path) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("core.json")).unwrap()).unwrap()
}

/// The data sheet of a wrapped core has the figures of the whole module, and its README has an
/// example.
#[test]
fn a_wrapped_core_states_its_own_clocks() {
    let folder = tempfile::tempdir().unwrap();
    let emitted = |options: &[&str]| {
        let folder = folder.path().join(format!("x{}", options.concat()));
        let made = manylane(&[&["emit", "rtl", "sha256"], options, &["-o"]].concat(), &folder);
        assert!(made.status.success(), "{}", text(&made.stderr));
        sheet(&folder)
    };
    let core = emitted(&[]);
    let clocks = |sheet: &serde_json::Value| sheet["latency"].as_u64().unwrap();
    assert_eq!((&core["interface"], &core["clear_on_done"]), (&"core".into(), &false.into()));
    assert_eq!(core["modes"].as_array().map(Vec::len), Some(0));
    for bus in ["axis", "axilite"] {
        let sheet = emitted(&["--interface", bus]);
        assert_eq!(sheet["interface"], bus);
        assert_eq!(sheet["module"], format!("sha256_{bus}"));
        assert_eq!(clocks(&sheet), clocks(&core) + 3, "{bus}");
    }
    let readme = |options: &str| {
        std::fs::read_to_string(folder.path().join(format!("x{options}/README.md"))).unwrap()
    };
    // SHA-256 of nothing, and of `abc`: BA7816BF 8F01CFEA and on (FIPS 180-2, B.1).
    for (options, lines) in [
        ("", ["out_chain   e3b0c44298fc1c14", "| `rtl/sha256.v` | the design", "sha256 hash ("]),
        (
            "--interfaceaxis",
            ["s 00636261  7  1\nm bf1678ba  f  0\n", "m ad1500f2  f  1", "`make cocotb`"],
        ),
        (
            "--interfaceaxilite",
            ["the first word of its digest is 0xbf1678ba", "`constraints/`", "irq"],
        ),
    ] {
        let readme = readme(options);
        for line in lines {
            assert!(readme.contains(line), "{line}: {readme}");
        }
    }
}

/// A core of two hashes that forgets: its folder tests and lints itself, and says what its ports
/// are.
#[test]
fn a_folder_with_modes_that_clears() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("sha2");
    let made = manylane(&["emit", "rtl", "sha224+sha256", "--clear", "on-done", "-o"], &folder);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    for line in ["| 1 | sha256 | 32 |", "| `in_mode` | 1 |", "--clear on-done", "| `clear` | 1 |"] {
        assert!(readme.contains(line), "{line}: {readme}");
    }
    let sheet = sheet(&folder);
    let named = |n: usize| (&sheet["modes"][n]["name"], &sheet["modes"][n]["digest_bytes"]);
    assert_eq!(named(0), (&"sha224".into(), &28.into()));
    assert_eq!(named(1), (&"sha256".into(), &32.into()));
    assert_eq!(sheet["modes"].as_array().unwrap().len(), 2);
    assert_eq!(sheet["clear_on_done"], true);
    let make = |target: &str| {
        let made = Command::new("make").arg("-C").arg(&folder).arg(target).output().unwrap();
        assert!(made.status.success(), "{}{}", text(&made.stdout), text(&made.stderr));
        text(&made.stdout).to_owned()
    };
    if has_tool("iverilog", "-V") {
        assert_eq!(make("test").matches("ok 48 blocks").count(), 2);
    }
    if has_tool("verilator", "--version") {
        make("lint");
    }
}

/// `--prove` leaves a folder that proves itself again.
#[test]
fn a_folder_with_its_proof() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("sha256");
    if !has_tool("z3", "--version") {
        return;
    }
    let made = manylane(&["emit", "rtl", "sha256", "--prove", "-o"], &folder);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert!(text(&made.stdout).contains("proved: for every block it is the definition"));
    for file in ["lemma_01.smt2", "handshake.sv", "README.md"] {
        assert!(folder.join("proof").join(file).is_file(), "{file}");
    }
    if has_tool("yosys", "-V") {
        assert!(text(&made.stdout).contains("proved: its handshakes"), "{}", text(&made.stdout));
        let program = format!("MANYLANE={}", env!("CARGO_BIN_EXE_manylane"));
        let mut again = Command::new("make");
        let again = again.arg("-C").arg(&folder).args(["prove", &program]).output().unwrap();
        assert!(again.status.success(), "{}{}", text(&again.stdout), text(&again.stderr));
        assert!(text(&again.stdout).contains("proof/lemma_01.smt2: proved"));
        assert!(text(&again.stdout).contains("proof/handshake.sv: proved"));
    }
}

/// Without a solver nothing is written.
#[test]
fn a_missing_solver_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let made = Command::new(env!("CARGO_BIN_EXE_manylane"))
        .args(["emit", "rtl", "sha256", "--prove", "-o"])
        .arg(folder.path())
        .env("PATH", folder.path())
        .output()
        .unwrap();
    assert_eq!(made.status.code(), Some(1));
    assert!(text(&made.stderr).contains("apt-get install z3"), "{}", text(&made.stderr));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Finds yosys where `manylane prove` does, and says so where it is missing.
#[cfg(unix)]
#[test]
fn yosys_is_found_in_the_folder_of_tools() {
    use common::write_program;
    let folder = tempfile::tempdir().unwrap();
    let Some(z3) = found("z3") else { return };
    let tools = folder.path().join("tools");
    std::fs::create_dir(&tools).unwrap();
    std::os::unix::fs::symlink(z3, tools.join("z3")).unwrap();
    let yosys = tools.join("yosys");
    write_program(&yosys, "#!/bin/sh\necho Yosys 0.23\n");
    let said = |yosys: &str, name: &str| {
        let mut emit = Command::new(env!("CARGO_BIN_EXE_manylane"));
        emit.args(["emit", "rtl", "md5", "--prove", "-o"]).arg(folder.path().join(name));
        emit.env("PATH", "").env("MANYLANE_TOOLS", &tools).env("MANYLANE_YOSYS", yosys);
        let done = emit.output().unwrap();
        assert!(done.status.success(), "{}", text(&done.stderr));
        text(&done.stdout).to_owned()
    };
    let proved = said("", "proved");
    assert!(proved.contains("proved: its handshakes, by induction (yosys)"), "{proved}");
    let unproved = said("/nowhere/yosys", "unproved");
    let why = "handshakes: not proved, for yosys is missing: /nowhere/yosys";
    assert!(unproved.contains(why) && unproved.contains("then make -C "), "{unproved}");
}

/// The path of a tool.
#[cfg(unix)]
fn found(tool: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(tool)).find(|p| p.is_file());
    if found.is_none() {
        common::skip("yosys_is_found_in_the_folder_of_tools", &format!("{tool} is missing"));
    }
    found
}
