//! Digests that are kept for the next run: in a file, in the user's folder, in attributes.
#![cfg(target_os = "linux")]

mod common;

use common::{MANYLANE, Ran, Sandbox, skip};
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

const FILES: usize = 4;

fn folder() -> Sandbox {
    let sandbox = Sandbox::new();
    for i in 0..FILES {
        sandbox.write(format!("d/{i}"), format!("content {i}"));
    }
    sandbox
}

/// A run with a cache, and how many files it read.
#[track_caller]
fn run(sandbox: &Sandbox, args: &[&str]) -> (Ran, usize) {
    let ran = sandbox.sum([&["--summary", "-r", "d"], args].concat());
    let line = ran.stderr.lines().find(|line| line.contains(" read, "));
    let line = line.unwrap_or_else(|| panic!("{args:?}: {ran:?}"));
    let read = line.strip_prefix("manylane: ").unwrap().split(' ').next().unwrap().parse().unwrap();
    (ran, read)
}

fn set_modified(path: &Path, time: SystemTime) {
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// Changes the bytes of a file, but neither its size nor its time of modification.
fn rot(path: &Path, bytes: &[u8]) {
    let modified = path.metadata().unwrap().modified().unwrap();
    assert_eq!(path.metadata().unwrap().len(), bytes.len() as u64);
    fs::write(path, bytes).unwrap();
    set_modified(path, modified);
}

/// Files that Linux generates when they are read have no size, and times that do not change. They
/// are read each time.
#[test]
fn files_without_a_size_are_not_kept() {
    let sandbox = folder();
    let name = "/proc/sys/kernel/random/uuid";
    let about = fs::metadata(name).unwrap();
    assert_eq!(about.len(), 0);
    let settled = about.modified().unwrap() + Duration::from_millis(30);
    std::thread::sleep(settled.duration_since(SystemTime::now()).unwrap_or_default());
    let cached = ["--cache", "CACHE", name];
    let digests = [(); 3].map(|()| sandbox.sum(cached).good());
    assert!(digests[0] != digests[1] && digests[1] != digests[2], "{digests:?}");
    sandbox.sum(["--update", "LIST", name]).good();
    for _ in 0..2 {
        let ran = sandbox.sum(["--update", "LIST", name]);
        assert!(ran.text().starts_with(&format!("{name}: CHANGED")), "{ran:?}");
    }
}

#[test]
fn known_files_are_not_read_and_changed_ones_are() {
    let sandbox = folder();
    let plain = sandbox.sum(["-r", "d"]).good();
    let cached = ["--cache", "CACHE"];
    let (first, read) = run(&sandbox, &cached);
    assert_eq!((read, &first.stdout), (FILES, &plain));
    let (second, read) = run(&sandbox, &cached);
    assert_eq!((read, &second.stdout), (0, &plain));
    assert!(second.stderr.contains("4 files known without reading"), "{second:?}");
    // Each algorithm has digests of its own; a file is known if it has one of each algorithm.
    assert_eq!(run(&sandbox, &["--cache", "CACHE", "-a", "md5"]).1, FILES);
    let both = ["--cache", "CACHE", "-a", "md5,sha256"];
    let (ran, read) = run(&sandbox, &both);
    assert_eq!((read, ran.stdout), (0, sandbox.sum(["-r", "d", "-a", "md5,sha256"]).good()));
    assert_eq!(run(&sandbox, &["--cache", "CACHE", "-a", "md5,sha1"]).1, FILES);
    sandbox.write("d/1", "other");
    sandbox.write("d/new", "new");
    let (third, read) = run(&sandbox, &cached);
    assert_eq!((read, third.stdout), (2, sandbox.sum(["-r", "d"]).good()));
    // A file keeps its digest under another name.
    fs::rename(sandbox.path("d/2"), sandbox.path("d/renamed")).unwrap();
    let (renamed, _) = run(&sandbox, &cached);
    assert_eq!(renamed.stdout, sandbox.sum(["-r", "d"]).good());
    // Lists are updated from this cache too.
    let updated = sandbox.sum(["--update", "LIST", "-r", "d", "--cache", "CACHE", "--summary"]);
    assert!(updated.stderr.contains("0 files read"), "{updated:?}");
    let audited =
        sandbox.run(MANYLANE, ["audit", "LIST", "d", "--cache", "CACHE", "--summary", "-q"]);
    assert!(audited.stderr.contains("0 files read"), "{audited:?}");
    assert_eq!(audited.text(), "SUMMARY: 5 OK\n");
    // Known files are read nevertheless if asked, and their digests are the same.
    assert_eq!(run(&sandbox, &["--cache", "CACHE", "--verify-cache", "100%"]).1, FILES + 1);
    assert_eq!(run(&sandbox, &["--cache", "CACHE", "--verify-cache", "0"]).1, 0);
}

#[test]
fn the_users_cache_is_where_caches_are() {
    let sandbox = folder();
    let mut command = sandbox.command(MANYLANE);
    command.env("XDG_CACHE_HOME", sandbox.path("xdg")).args(["sum", "-r", "d", "--cache"]);
    assert!(command.output().unwrap().status.success());
    assert!(sandbox.path("xdg/manylane/digests.sqlite").is_file());
    // The words that stand for places are not taken for names of files.
    for name in ["default", "xattr"] {
        sandbox.write(name, "a file of this name");
    }
    for place in ["--cache=default", "--cache=xattr"] {
        let mut command = sandbox.command(MANYLANE);
        command.env("XDG_CACHE_HOME", sandbox.path("xdg")).args(["sum", "-r", place]);
        let printed = String::from_utf8(command.output().unwrap().stdout).unwrap();
        assert!(printed.contains("./default\n") && printed.contains("./xattr\n"), "{printed}");
    }
    let mut command = sandbox.command(MANYLANE);
    command.env("XDG_CACHE_HOME", sandbox.path("d/0")).args(["sum", "-r", "d", "--cache"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("d/0") && message.contains("--cache=FILE"), "{message}");
    assert!(!message.contains("os error"), "{message}");
}

/// A file that may be modified again without a difference in its times is not kept.
#[test]
fn recent_files_are_not_trusted() {
    let sandbox = folder();
    set_modified(&sandbox.path("d/1"), SystemTime::now() + Duration::from_secs(3600));
    for _ in 0..2 {
        run(&sandbox, &["--cache", "CACHE"]);
    }
    assert_eq!(run(&sandbox, &["--cache", "CACHE"]).1, 1);
    let update = || sandbox.sum(["--update", "LIST", "-r", "d", "--summary"]);
    update();
    assert!(update().stderr.contains("1 file read"));
}

#[test]
fn rot_has_its_own_word_and_status() {
    let sandbox = folder();
    run(&sandbox, &["--cache", "CACHE"]);
    rot(&sandbox.path("d/2"), b"CONTENT 2");
    for _ in 0..2 {
        let (ran, read) = run(&sandbox, &["--cache", "CACHE"]);
        assert_eq!((ran.status, read), (Some(2), 0), "{ran:?}");
        assert!(ran.stderr.contains("d/2: BITROT: its content is another one"), "{ran:?}");
        assert!(!ran.text().contains("d/2") && ran.text().lines().count() == 3, "{ran:?}");
    }
    let (json, _) = run(&sandbox, &["--cache", "CACHE", "--json"]);
    assert!(json.text().contains("\"error\":\"bitrot: content changed"), "{json:?}");
    // The digest that is kept shows the rot, also if the other algorithm's digest is unknown or
    // new.
    for (algorithms, status) in [("sha256,md5", 2), ("md5", 0), ("sha256,md5", 2), ("sha256", 2)] {
        let (ran, _) = run(&sandbox, &["--cache", "CACHE", "-a", algorithms]);
        assert_eq!(ran.status, Some(status), "{algorithms}: {ran:?}");
    }
    let modified = sandbox.path("d/3").metadata().unwrap().modified().unwrap();
    // A touched file is good again. A new file with the inode number and the times of a deleted one
    // is not rotten.
    sandbox.write("d/2", "CONTENT 2");
    fs::remove_file(sandbox.path("d/3")).unwrap();
    set_modified(&sandbox.write("d/3", "CONTENT 3"), modified);
    if sandbox.path("d/3").metadata().unwrap().created().is_err() {
        return skip("rot_has_its_own_word_and_status", "this file system keeps no times of birth");
    }
    let (ran, read) = run(&sandbox, &["--cache", "CACHE"]);
    assert_eq!((ran.status, read), (Some(0), 2), "{ran:?}");
}

#[test]
fn attributes_go_where_files_go() {
    let sandbox = folder();
    let xattr = ["--cache", "xattr"];
    let (first, read) = run(&sandbox, &xattr);
    assert_eq!(read, FILES);
    if first.stderr.contains("could not be kept in attributes") {
        return skip("attributes_go_where_files_go", "this file system has no attributes");
    }
    let (second, read) = run(&sandbox, &xattr);
    assert_eq!((read, second.stdout), (0, sandbox.sum(["-r", "d"]).good()));
    fs::rename(sandbox.path("d/2"), sandbox.path("d/renamed")).unwrap();
    assert_eq!(run(&sandbox, &xattr).1, 0);
    sandbox.write("d/1", "other");
    let (third, read) = run(&sandbox, &xattr);
    assert_eq!((read, third.stdout), (1, sandbox.sum(["-r", "d"]).good()));
    rot(&sandbox.path("d/0"), b"CONTENT 0");
    let (ran, _) = run(&sandbox, &["--cache", "xattr", "--verify-cache", "1"]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("d/0: BITROT"), "{ran:?}");
}

#[test]
fn other_files_are_no_caches() {
    let sandbox = folder();
    run(&sandbox, &["--cache", "CACHE"]);
    run(&sandbox, &["--cache", "CACHE"]);
    let cache = fs::read(sandbox.path("CACHE")).unwrap();
    let field = |at: usize, byte: u8| {
        let mut other = cache.clone();
        other[at] = byte;
        other
    };
    let (user_version, application) = (63, 68);
    let text = b"a text of somebody".to_vec();
    let cut = cache[..100].to_vec();
    // Pages after the first are other bytes.
    let damaged = [&cache[..4096], &vec![0xa5; cache.len() - 4096]].concat();
    let missing = cache[..cache.len() - 1000].to_vec();
    let line = String::from_utf8(sandbox.sum(["d/0"]).good()).unwrap();
    let digest: Vec<u8> =
        (0..32).map(|i| u8::from_str_radix(&line[2 * i..][..2], 16).unwrap()).collect();
    let place = cache.windows(32).position(|bytes| bytes == digest).unwrap();
    let spoiled = field(place + 7, cache[place + 7] ^ 1);
    for (bytes, option, word) in [
        (&missing, "--cache", "this cache of digests is damaged: its end is missing"),
        (&spoiled, "--cache", "this cache of digests is damaged"),
        (&text, "--cache", "is no cache of digests of manylane"),
        (&text, "--checkpoint", "is no checkpoint of manylane"),
        (&field(application, 0x41), "--cache", "is another program's database"),
        (&cache, "--checkpoint", "is another program's database"),
        (&field(user_version, 9), "--cache", "of another version of manylane (9)"),
        (&cut, "--cache", "OTHER: "),
        (&damaged, "--cache", "this cache of digests is damaged"),
    ] {
        for end in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(sandbox.path(format!("OTHER{end}")));
        }
        sandbox.write("OTHER", bytes);
        let ran = sandbox.sum(["-r", "d", option, "OTHER"]);
        assert_eq!(ran.status, Some(1), "{word}: {ran:?}");
        assert!(ran.stderr.contains(word), "{word}: {ran:?}");
        assert!(ran.stderr.contains("another file"), "{word}: {ran:?}");
        // Digests do not depend on what is kept.
        let good = ran.stdout.is_empty() || ran.stdout == sandbox.sum(["-r", "d"]).good();
        assert!(good, "{word}: {ran:?}");
        assert_eq!(fs::read(sandbox.path("OTHER")).unwrap(), *bytes, "{word}");
    }
    assert!(sandbox.command("mkfifo").arg("pipe").status().unwrap().success());
    for (args, word) in [
        (&["--cache", "d"][..], "d: is no cache of digests but another kind of file"),
        (&["--cache", "pipe"], "pipe: is no cache of digests but another kind of file"),
        (&["--checkpoint", "pipe"], "pipe: is no checkpoint but another kind of file"),
        (&["--cache", "none/CACHE"], "none/CACHE: No such file or directory; give --cache another"),
        (&["--checkpoint", "none/RUN"], "none/RUN: No such file or directory; give --checkpoint"),
        (&["--cache", "CACHE", "--verify-cache", "2"], "from 0 to 1"),
        (&["--verify-cache", "1"], "--cache"),
        (&["--cache", "CACHE", "--checkpoint", "CACHE"], "CACHE: --cache and --checkpoint each"),
        (&["--cache", "CACHE", "--checkpoint", "d/../CACHE"], "each need a file of their own"),
        (&["--cache", "CACHE", "-a", "hmac-md5", "--key-file", "d/0"], "depends on a key"),
        (&["--cache", "CACHE", "-c"], "--recursive option is meaningless"),
    ] {
        let ran = sandbox.sum([&["-r", "d"], args].concat());
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args:?}");
        assert!(ran.stderr.contains(word), "{args:?}: {ran:?}");
    }
}

/// Runs that begin at once make one cache and share it.
#[test]
fn concurrent_runs_share_a_cache() {
    let sandbox = folder();
    for i in 0..60 {
        sandbox.write(format!("d/more/{i}"), i.to_string());
    }
    let expected = sandbox.sum(["-r", "d"]).good();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let runs = [(); 6].map(|()| scope.spawn(|| run(&sandbox, &["--cache", "CACHE"]).0));
            for ran in runs.map(|run| run.join().unwrap()) {
                assert_eq!((ran.status, &ran.stdout), (Some(0), &expected), "{ran:?}");
                assert!(!ran.stderr.contains("CACHE"), "{ran:?}");
            }
        }
    });
    assert_eq!(run(&sandbox, &["--cache", "CACHE"]).1, 0);
}
