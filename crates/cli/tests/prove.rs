//! `manylane prove`: folders that are as they were emitted, and folders that are not.

mod common;

use common::{has_tool, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Whether yosys and z3 are there.
fn has_tools() -> bool {
    has_tool("yosys", "-V") && has_tool("z3", "--version")
}

fn manylane(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_manylane")).args(args).output().unwrap()
}

/// A folder with an emitted core.
struct Core {
    _folder: TempDir,
    path: PathBuf,
}

impl Core {
    fn new(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // A name that has to be quoted, and that the command in core.json ends with.
        let path = folder.path().join("a core -o 'x'");
        let made = manylane(&[&["emit", "rtl"], options, &["-o", path.to_str().unwrap()]].concat());
        assert!(made.status.success(), "{}", text(&made.stderr));
        Self { _folder: folder, path }
    }

    fn name(&self) -> &str {
        self.path.to_str().unwrap()
    }

    fn prove(&self, options: &[&str]) -> Output {
        manylane(&[&["prove"], options, &[self.name()]].concat())
    }

    /// The message about a folder after `change`, which is then undone.
    fn said(&self, change: impl Fn(&Path)) -> String {
        let files = ["core.json", "rtl/sha256.v"].map(|file| self.path.join(file));
        let texts = files.clone().map(|file| fs::read(file).unwrap());
        change(&self.path);
        let done = self.prove(&["--text"]);
        assert_eq!(done.status.code(), Some(1), "{}", text(&done.stdout));
        assert_eq!(text(&done.stdout), "");
        for (file, text) in files.iter().zip(texts) {
            let _ = fs::remove_file(file);
            fs::write(file, text).unwrap();
        }
        text(&done.stderr).to_owned()
    }
}

fn replace(file: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(old), "{old}");
    fs::write(file, text.replacen(old, new, 1)).unwrap();
}

/// The proof of a core, by the command and by make, and of one that was edited.
#[test]
fn a_core_is_proved_and_an_edited_one_is_not() {
    if !has_tools() {
        return;
    }
    let core = Core::new(&["sha256"]);
    let done = core.prove(&[]);
    let said = text(&done.stdout);
    assert!(done.status.success(), "{}", text(&done.stderr));
    for part in ["rtl/sha256.v: 2517 bits of registers", "for every block it is", "by induction"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let make = |program: &str| {
        let mut make = Command::new("make");
        make.arg("-C").arg(&core.path).args(["prove", &format!("MANYLANE={program}")]);
        make.output().unwrap()
    };
    let made = make(env!("CARGO_BIN_EXE_manylane"));
    assert!(made.status.success(), "{}", text(&made.stderr));
    let made = make("no-such-program");
    assert!(!made.status.success());
    assert!(text(&made.stderr).contains("no-such-program is missing: cargo install"));
    replace(&core.path.join("rtl/sha256.v"), "32'hefbe4786", "32'hefbe4787");
    let made = make(env!("CARGO_BIN_EXE_manylane"));
    assert!(!made.status.success());
    assert!(text(&made.stderr).contains("rtl/sha256.v:"), "{}", text(&made.stderr));
    let both = manylane(&["prove", "--json", core.name(), "no/such/folder"]);
    assert_eq!(both.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&both.stdout).unwrap();
    let failed = report["failed"].as_array().unwrap();
    assert_eq!(failed[0]["file"], "rtl/sha256.v");
    assert!(failed[0]["line"].as_u64().is_some_and(|line| line > 100));
    assert!(failed[0]["signal"].is_string() && failed[1]["signal"].is_null());
    assert!(failed[1]["why"].as_str().unwrap().contains("no core.json"));
}

/// Files that are missing, too many, or no text; descriptions that are damaged or of other
/// versions.
#[test]
fn folders_that_are_not_as_they_were_emitted() {
    if !has_tools() {
        return;
    }
    let core = Core::new(&["sha256"]);
    let rtl = |folder: &Path| folder.join("rtl/sha256.v");
    let sheet = |folder: &Path| folder.join("core.json");
    let is = |part: &str, change: &dyn Fn(&Path)| {
        let said = core.said(change);
        assert!(said.contains(part), "{part}: {said}");
    };
    is("rtl/sha256.v: No such file", &|folder| fs::remove_file(rtl(folder)).unwrap());
    is("rtl/sha256.v: is empty", &|folder| fs::write(rtl(folder), "\n").unwrap());
    is("is no text in UTF-8", &|folder| fs::write(rtl(folder), [0xff, 0xfe]).unwrap());
    is("syntax error", &|folder| {
        let text = fs::read_to_string(rtl(folder)).unwrap();
        fs::write(rtl(folder), &text[..text.len() / 2]).unwrap();
    });
    #[cfg(unix)]
    is("is no regular file", &|folder| {
        fs::rename(rtl(folder), folder.join("elsewhere.v")).unwrap();
        std::os::unix::fs::symlink("../elsewhere.v", rtl(folder)).unwrap();
    });
    is("rtl/more.v: does not belong to the core", &|folder| {
        fs::write(folder.join("rtl/more.v"), "module more; endmodule").unwrap();
    });
    fs::remove_file(core.path.join("rtl/more.v")).unwrap();
    is("no core.json", &|folder| fs::remove_file(sheet(folder)).unwrap());
    is("core.json: is damaged", &|folder| fs::write(sheet(folder), "{").unwrap());
    is("emit the core again", &|folder| {
        replace(&sheet(folder), "emit rtl sha256", "emit rtl sha1")
    });
    is("emit the core again", &|folder| replace(&sheet(folder), "--merge 1", "--merge one"));
    is("makes no core", &|folder| replace(&sheet(folder), "--merge 1", "--merge 7"));
    is("does not say which command", &|folder| replace(&sheet(folder), "manylane emit", "rm -rf"));
    is("has more than the folder's name behind -o", &|folder| {
        replace(&sheet(folder), "\",\n  \"sources\"", " more\",\n  \"sources\"");
    });
    // Another shape, by another version.
    is("it was made by manylane 0.0.1", &|folder| {
        replace(&sheet(folder), "--merge 1", "--merge 2");
        let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
        replace(&sheet(folder), &version, "\"version\": \"0.0.1\"");
    });
    assert!(core.prove(&["--text"]).status.success(), "nothing was lost");
}

/// For words in memory the text can be proved and the function cannot, and the answer says so.
#[test]
fn what_cannot_be_proved_is_no_proof() {
    if !has_tools() {
        return;
    }
    let core = Core::new(&["md5", "--window", "ram"]);
    let done = core.prove(&[]);
    assert_eq!(done.status.code(), Some(1));
    assert!(text(&done.stderr).contains("say --text"), "{}", text(&done.stderr));
    let done = core.prove(&["--text"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("not proved  that what manylane emits is the definition"));
    // A stream: the core inside is proved.
    let stream = Core::new(&["md5", "--interface", "axis"]);
    let done = stream.prove(&[]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("not proved  that padding and bus"));
}

/// Tools in the folder that MANYLANE_TOOLS names, as far as finding them goes.
#[cfg(unix)]
fn tools() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, version) in [("yosys", "Yosys 0.23"), ("z3", "Z3 version 4.8.12 - 64 bit")] {
        let script = format!("#!/bin/sh\necho {version}\n");
        common::write_program(&folder.path().join(name), script);
    }
    folder
}

/// What is wrong with a file is seen before any tool reads it, and is said of this file.
#[cfg(unix)]
#[test]
fn files_that_are_no_text_of_the_core_are_named() {
    let tools = tools();
    let core = Core::new(&["sha256"]);
    let whole = fs::read_to_string(core.path.join("rtl/sha256.v")).unwrap();
    let failed = || {
        let mut prove = Command::new(env!("CARGO_BIN_EXE_manylane"));
        prove.args(["prove", "--text", "--json", core.name()]);
        let prove = prove.env("PATH", "").env("MANYLANE_TOOLS", tools.path());
        let done = prove.output().unwrap();
        assert_eq!(done.status.code(), Some(1), "{}", text(&done.stderr));
        let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        report["failed"][0].clone()
    };
    let other = Core::new(&["md5"]);
    let other = fs::read_to_string(other.path.join("rtl/md5.v")).unwrap();
    let vhdl = Core::new(&["sha256", "--lang", "vhdl"]);
    let vhdl = fs::read_to_string(vhdl.path.join("rtl/sha256_vhdl.vhd")).unwrap();
    let half = &whole[..whole.len() / 2];
    let line = |text: &str, word: &str| {
        1 + text.lines().position(|line| line.starts_with(word)).unwrap() as u64
    };
    for (content, line, why) in [
        (&other[..], Some(line(&other, "module ")), "is the module md5, and the core's is sha256"),
        (&vhdl, Some(line(&vhdl, "entity ")), "is VHDL, and the core's text is Verilog"),
        (half, Some(half.lines().count() as u64), "the text ends before `endmodule`"),
        ("// nothing\n", None, "has no module, and the core's is sha256"),
        ("\n", None, "is empty"),
    ] {
        fs::write(core.path.join("rtl/sha256.v"), content).unwrap();
        let failed = failed();
        assert_eq!((&failed["file"], failed["line"].as_u64()), (&"rtl/sha256.v".into(), line));
        assert!(failed["why"].as_str().unwrap().contains(why), "{failed}");
    }
    fs::remove_file(core.path.join("core.json")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", core.path.join("core.json")).unwrap();
    let failed = failed();
    assert_eq!(failed["file"], "core.json");
    assert_eq!(failed["why"], "is no regular file; emit the core again");
}

/// A missing tool is reported before anything that takes time.
#[test]
fn missing_tools_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let prove = |path: &Path, yosys: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manylane"));
        command.args(["prove", "no/such/folder"]).env("PATH", path).env("MANYLANE_YOSYS", yosys);
        let done = command.output().unwrap();
        assert_eq!(done.status.code(), Some(1));
        text(&done.stderr).to_owned()
    };
    let said = prove(folder.path(), "/no/such/yosys");
    assert!(said.contains("apt-get install yosys"), "{said}");
    if has_tools() {
        // A yosys, and no solver.
        let said = prove(folder.path(), "/usr/bin/yosys");
        assert!(said.contains("apt-get install z3") || said.contains("install yosys"), "{said}");
    }
}
