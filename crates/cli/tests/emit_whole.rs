//! A core's folder is there whole or not at all, wherever it is to be.
#![cfg(unix)]

mod common;

use common::text;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const MANYLANE: &str = env!("CARGO_BIN_EXE_manylane");

fn emit(options: &[&str], folder: impl AsRef<Path>) -> Output {
    let mut emit = Command::new(MANYLANE);
    emit.args(["emit", "rtl", "md5"]).args(options).arg("-o").arg(folder.as_ref());
    emit.output().unwrap()
}

fn good(output: &Output) {
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn refused(output: &Output, said: &str) {
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    assert!(!text(&output.stderr).contains("os error"), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "");
}

/// All files below a folder and what is in them; of a link, where it leads.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            all.extend(tree(&entry.path()));
        } else if kind.is_symlink() {
            let target = fs::read_link(entry.path()).unwrap();
            all.insert(entry.path(), target.as_os_str().as_encoded_bytes().to_vec());
        } else {
            all.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
    all
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A file may have 4 KiB here: the first long one is an error, as a full disk is, also where the
/// signal of the limit (SIGXFSZ) is not ignored.
fn cut(signal: bool, options: &[&str], folder: &Path) -> Output {
    let trap = if signal { "" } else { "trap '' XFSZ; " };
    let script = format!("{trap}ulimit -c 0; ulimit -f 8; exec \"$0\" \"$@\"");
    let mut emit = Command::new("sh");
    emit.args(["-c", &script, MANYLANE, "emit", "rtl", "md5"]);
    emit.args(options).arg("-o").arg(folder).output().unwrap()
}

/// Emits into a folder and kills the program as soon as it has begun to write below `root`. Returns
/// whether the program was still running.
fn killed(options: &[&str], folder: &Path, root: &Path) -> bool {
    let mut emit = Command::new(MANYLANE);
    emit.args(["emit", "rtl", "md5"]).args(options).arg("-o").arg(folder).stdout(Stdio::null());
    let mut child = emit.spawn().unwrap();
    let is_hidden = |name: &String| name.starts_with(".manylane-");
    while !names(root).iter().any(is_hidden) && child.try_wait().unwrap().is_none() {}
    child.kill().unwrap();
    let killed = child.wait().unwrap().code().is_none();
    for name in names(root).iter().filter(|name| is_hidden(name)) {
        fs::remove_dir_all(root.join(name)).unwrap();
    }
    killed
}

#[test]
fn what_is_killed_in_the_middle_leaves_no_part_of_a_folder() {
    let root = tempfile::tempdir().unwrap();
    for (folder, first) in [("new", "new"), ("deep/er/new", "deep")] {
        let (folder, first) = (root.path().join(folder), root.path().join(first));
        good(&emit(&[], &folder));
        let whole = tree(&folder);
        assert!(whole.contains_key(&folder.join("core.json")));
        // The signal may come after the last step: then the folder is whole.
        loop {
            fs::remove_dir_all(&first).unwrap();
            if killed(&[], &folder, root.path()) && !first.exists() {
                break;
            }
            assert!(tree(&folder) == whole);
        }
        // What an interrupted run leaves is no obstacle to the next run.
        good(&emit(&[], &folder));
        assert!(tree(&folder) == whole);
    }
    // If the folder has files, a killed run leaves it as it was.
    let folder = root.path().join("new");
    fs::write(folder.join("mine"), "kept").unwrap();
    let other = ["--force", "--merge", "2"];
    good(&emit(&other, &folder));
    good(&emit(&["--force"], &folder));
    let before = tree(&folder);
    good(&emit(&other, &folder));
    let after = tree(&folder);
    let again = || {
        good(&emit(&["--force"], &folder));
        assert!(tree(&folder) == before);
        killed(&other, &folder, root.path())
    };
    while !again() || tree(&folder) != before {
        assert!(tree(&folder) == after);
    }
}

#[test]
fn what_fails_in_the_middle_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    for folder in ["new", "deep/er/new"] {
        let folder = root.path().join(folder);
        for signal in [false, true] {
            refused(&cut(signal, &[], &folder), "rtl/md5.v: File too large");
            assert_eq!(names(root.path()), [] as [&str; 0]);
        }
    }
    let folder = root.path().join("old");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("mine"), "kept").unwrap();
    refused(&cut(false, &["--force"], &folder), "rtl/md5.v: File too large");
    assert_eq!((names(root.path()), names(&folder)), (vec!["old".into()], vec!["mine".into()]));
}

/// With `--force` files of the same names are replaced and others stay: deep ones, links, modes.
#[test]
fn what_else_is_in_the_folder_stays() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("core");
    good(&emit(&[], &folder));
    let fresh = tree(&folder);
    fs::write(folder.join("Makefile"), "old").unwrap();
    fs::create_dir_all(folder.join("rtl/more")).unwrap();
    fs::write(folder.join("rtl/more/mine.v"), "mine").unwrap();
    fs::write(folder.join("notes"), "mine").unwrap();
    fs::set_permissions(folder.join("notes"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("notes", folder.join("link")).unwrap();
    symlink("nowhere", folder.join("dangling")).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o750)).unwrap();
    refused(&emit(&[], &folder), "has files already; name another folder, or say --force");
    assert_eq!(fs::read(folder.join("Makefile")).unwrap(), b"old");
    good(&emit(&["--force"], &folder));
    let mut due = fresh;
    for (name, content) in
        [("rtl/more/mine.v", "mine"), ("notes", "mine"), ("link", "notes"), ("dangling", "nowhere")]
    {
        due.insert(folder.join(name), content.as_bytes().to_vec());
    }
    let found = tree(&folder);
    assert_eq!(found.keys().collect::<Vec<_>>(), due.keys().collect::<Vec<_>>());
    assert!(found == due);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join("notes"))), (0o750, 0o600));
    assert_eq!(names(root.path()), ["core"]);
    // What is in the way is named, and nothing changes.
    fs::remove_file(folder.join("README.md")).unwrap();
    fs::create_dir(folder.join("README.md")).unwrap();
    let before = tree(&folder);
    refused(&emit(&["--force"], &folder), "README.md: is a folder in place of a file; move it");
    assert!(tree(&folder) == before);
    assert_eq!(names(root.path()), ["core"]);
    fs::remove_dir(folder.join("README.md")).unwrap();
    fs::remove_file(folder.join("rtl/md5.v")).unwrap();
    fs::create_dir(folder.join("rtl/md5.v")).unwrap();
    let ran = emit(&["--force"], &folder);
    refused(&ran, "core/rtl/md5.v: is a folder in place of a file; move it away");
    // The folders around it are named once, in its path.
    assert_eq!(String::from_utf8_lossy(&ran.stderr).matches("core/rtl").count(), 1);
}

#[test]
fn places_that_are_no_folders_are_named() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "mine").unwrap();
    symlink("nowhere", root.path().join("dangling")).unwrap();
    refused(&emit(&[], &file), "file: is a file; name a folder");
    refused(&emit(&["--force"], &file), "file: is a file; name a folder");
    refused(&emit(&[], file.join("below")), "Not a directory");
    refused(&emit(&[], root.path().join("dangling")), "is a link to nothing");
    refused(&emit(&[], "-"), "name a folder, ./- for one of that name");
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    assert_eq!(names(root.path()), ["dangling", "file"]);
}

/// Empty folders, the current one, one behind a link, and names with characters special to a shell.
#[test]
fn places_of_many_kinds() {
    let root = tempfile::tempdir().unwrap();
    let real = root.path().join("real");
    fs::create_dir(&real).unwrap();
    symlink(&real, root.path().join("link")).unwrap();
    good(&emit(&[], root.path().join("link")));
    assert!(real.join("core.json").is_file() && root.path().join("link").is_symlink());
    let here = root.path().join("here");
    fs::create_dir(&here).unwrap();
    for force in [&[][..], &["--force"]] {
        let mut emit = Command::new(MANYLANE);
        emit.args(["emit", "rtl", "md5", "-o", "."]).args(force).current_dir(&here);
        // A folder that is the current one of a shell is filled, not replaced.
        let held = fs::File::open(&here).unwrap();
        good(&emit.output().unwrap());
        let same = |a: fs::Metadata, b: fs::Metadata| {
            use std::os::unix::fs::MetadataExt;
            a.ino() == b.ino()
        };
        assert!(same(held.metadata().unwrap(), fs::metadata(&here).unwrap()));
    }
    assert_eq!(names(&here), names(&real));
    let odd = root.path().join("it's a \"core\" $HOME");
    good(&emit(&["--interface", "axis"], &odd));
    good(&emit(&[], root.path().join("a/../b/./c/")));
    assert!(root.path().join("b/c/core.json").is_file());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&odd), mode(&odd.join("rtl")), "a folder like any other");
    if Command::new("iverilog").arg("-V").output().is_ok() {
        for target in ["test", "test", "clean"] {
            let made = Command::new("make").arg("-C").arg(&odd).arg(target).output().unwrap();
            good(&made);
            let due = if target == "test" { 2 } else { 0 };
            assert_eq!(text(&made.stdout).matches("ok ").count(), due, "{}", text(&made.stdout));
        }
        assert!(!odd.join("build").exists());
    }
}
