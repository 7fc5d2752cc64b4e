//! `manylane verity` beside `fsverity` and `veritysetup`, where they are installed, and by known
//! answers everywhere.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn manylane(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manylane"));
    command.args(["verity"]).args(arguments).current_dir(folder).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Another program's output, or nothing where it is not installed.
fn peer(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    let places = ["/usr/bin", "/usr/sbin", "/sbin"].map(|place| Path::new(place).join(program));
    let Some(program) = places.into_iter().find(|place| place.exists()) else {
        eprintln!("{program} is not installed: not compared with it");
        return None;
    };
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    Some(text(&output))
}

/// Bytes that no two blocks share.
fn data(length: usize) -> Vec<u8> {
    (0..length as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8 ^ i as u8).collect()
}

#[test]
fn fsverity_digests() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut compared = 0;
    for length in [0, 1, 4095, 4096, 4097, 128 * 4096 - 1, 128 * 4096, 128 * 4096 + 1, 3_000_001] {
        fs::write(folder.join("file"), data(length)).unwrap();
        for options in [
            &[][..],
            &["--salt=00ff5a"],
            &["--hash-alg=sha512", "--block-size=1024", "--salt=5a5a5a5a5a5a5a5a5a"],
            &["--block-size=1024"],
            &["--hash-alg=sha512", "--compact"],
            &["--block-size=64", "--salt="],
            &["--block-size=2097152"],
        ] {
            let arguments = [options, &["file"]].concat();
            let ours = text(&manylane(&arguments, folder));
            if let Some(theirs) = peer("fsverity", &[&["digest"], &arguments[..]].concat(), folder)
            {
                assert_eq!(ours, theirs, "{length} bytes, {options:?}");
                compared += 1;
            }
        }
    }
    assert!(compared == 0 || compared == 9 * 7);
}

/// Trees of no level, one and two, and descriptors.
#[test]
fn fsverity_trees_and_descriptors() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    let blocks = [1, 2, 1024 * 32, 1024 * 32 + 1, 1024 * 1024 + 7];
    for (length, hash) in blocks.into_iter().zip(["sha256", "sha512"].into_iter().cycle()) {
        fs::write(folder.join("file"), data(length)).unwrap();
        let hash = format!("--hash-alg={hash}");
        let arguments = |of: &str| {
            let [tree, descriptor] = ["merkle-tree", "descriptor"].map(|what| {
                let first = what.chars().next().unwrap();
                format!("--out-{what}={of}-{first}")
            });
            [hash.clone(), "--block-size=1024".into(), "--salt=77".into(), tree, descriptor]
        };
        let ours = arguments("ours");
        let ours: Vec<_> = ours.iter().map(String::as_str).chain(["--force", "file"]).collect();
        let ours = text(&manylane(&ours, folder));
        let theirs = arguments("theirs");
        let theirs = ["digest"].into_iter().chain(theirs.iter().map(String::as_str));
        let theirs: Vec<_> = theirs.chain(["file"]).collect();
        if let Some(theirs) = peer("fsverity", &theirs, folder) {
            assert_eq!(ours, theirs);
            assert!(read("ours-m") == read("theirs-m"), "{length} bytes");
            assert!(read("ours-d") == read("theirs-d"), "{length} bytes");
        }
        assert_eq!(read("ours-d").len(), 256);
        assert_eq!(read("ours-m").is_empty(), length <= 1024);
    }
    let said = error(&manylane(&["--out-merkle-tree=ours-m", "file"], folder));
    assert_eq!(said, "manylane: ours-m: exists already; name another, or say --force\n");
    let said = error(&manylane(&["--out-descriptor=new", "file", "file"], folder));
    assert!(said.contains("one FILE is needed for a tree or a descriptor, not 2"), "{said}");
    assert!(error(&manylane(&["--force", "file"], folder)).contains("--dm"));
    assert!(!folder.join("new").exists());
}

/// Where one of two files cannot be written, neither is, so that the same command can be repeated.
#[test]
fn of_two_files_that_cannot_both_be_written_none_is() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("file"), data(8192)).unwrap();
    for [tree, descriptor] in [["tree", "none/descriptor"], ["none/tree", "descriptor"]] {
        let options =
            [format!("--out-merkle-tree={tree}"), format!("--out-descriptor={descriptor}")];
        let said = error(&manylane(&[&options[0], &options[1], "file"], folder));
        assert!(said.contains(": No such file or directory"), "{said}");
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
    }
    let options = ["--out-merkle-tree=tree", "--out-descriptor=descriptor", "file"];
    text(&manylane(&options, folder));
    assert_eq!(fs::read(folder.join("descriptor")).unwrap().len(), 256);
}

/// What fsverity 1.5 printed.
#[test]
fn fsverity_known_answers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("empty"), "").unwrap();
    fs::write(folder.join("file"), data(600_000)).unwrap();
    let expected = "\
sha256:3d248ca542a24fc62d1c43b916eae5016878e2533c88238480b26128a1f1af95 empty\n\
sha256:d85948e97a03fff516f75caa7378e29133cfcb478897ef3d7eaa3f8eaba54e83 file\n";
    assert_eq!(text(&manylane(&["empty", "file"], folder)), expected);
    let json = text(&manylane(&["--json", "empty"], folder));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["file"], &json["hash"]), (&"empty".into(), &"sha256".into()));
    assert_eq!(json["digest"], expected[7..71]);
    let output = manylane(&["--json", "none", "empty"], folder);
    assert_eq!(output.status.code(), Some(1));
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[1]), (2, &json));
    assert_eq!(lines[0]["file"], "none");
    assert!(lines[0]["error"].as_str().unwrap().starts_with("No such file"), "{}", lines[0]);
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("file"), "x").unwrap();
    let output = manylane(&["missing", "file", "."], folder);
    assert_eq!(
        error(&output),
        "manylane: missing: No such file or directory\nmanylane: .: Is a directory\n"
    );
    assert!(String::from_utf8(output.stdout).unwrap().ends_with(" file\n"));
    for (arguments, expected) in [
        (&["--block-size=1000", "file"][..], "blocks of 1000 bytes: a power of two from 64"),
        (&["--block-size=32", "file"], "a power of two from 64 to 67108864"),
        (&["--hash-alg=sha1", "file"], "fs-verity by sha1: choose one of sha256, sha512"),
        (&["--salt=abc", "file"], "an even number of hexadecimal digits"),
        (&["--salt=xy", "file"], "an even number of hexadecimal digits"),
        (&["--uuid=00", "file"], "--dm"),
        (&["--dm=tree", "file", "file"], "--dm takes one FILE, not 2"),
        (&["--dm=tree", "file"], "file: 1 bytes are no whole number of blocks of 4096"),
        (&["--dm=tree", "--uuid=0g", "file"], "UUID 0g"),
        (
            &["--dm=tree", "--hash-alg=sha3", "file"],
            "dm-verity by sha3: choose one of sha1, sha224",
        ),
        (&["--dm=tree", "--block-size=256", "file"], "a power of two from 512 to 524288"),
    ] {
        let said = error(&manylane(arguments, folder));
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    let salt = format!("--salt={}", "5a".repeat(33));
    assert!(error(&manylane(&[&salt, "file"], folder)).contains("at most 32"));
    assert!(!folder.join("tree").exists());
}

/// The trees that veritysetup wrote and those written here, of no level, one, two and three.
#[test]
fn veritysetup_trees() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let uuid = "--uuid=3c9bb5e8-5a4e-4f0b-9d0c-0123456789ab";
    for (options, block, blocks) in [
        (&["--salt=-"][..], 4096, 1),
        (&["--salt=00ff5a"], 4096, 2),
        (&["--salt=aa"], 4096, 128),
        (&["--salt=aabb"], 4096, 129),
        (&["--salt=-", "--hash-alg=sha1"], 512, 300),
        (&["--salt=01020304", "--hash-alg=sha512"], 1024, 700),
        (&["--salt=07", "--hash-alg=sha224"], 512, 257),
        (&["--salt=08", "--hash-alg=sha3-384"], 512, 65),
    ] {
        fs::write(folder.join("data"), data(block * blocks)).unwrap();
        let size = format!("--block-size={block}");
        let arguments = [options, &[&size, uuid, "--dm=ours", "--force", "data"]].concat();
        let ours = text(&manylane(&arguments, folder));
        let sizes = ["data", "hash"].map(|of| format!("--{of}-block-size={block}"));
        let options: Vec<_> =
            options.iter().map(|option| option.replace("hash-alg", "hash")).collect();
        let mut arguments = vec!["format", "data", "theirs", uuid, &sizes[0], &sizes[1]];
        arguments.extend(options.iter().map(String::as_str));
        if let Some(theirs) = peer("veritysetup", &arguments, folder) {
            let value = |text: &str, key: &str| {
                let line = text.lines().find(|line| line.starts_with(key)).unwrap();
                line.split_once(':').unwrap().1.trim().to_owned()
            };
            for key in [
                "UUID",
                "Data blocks",
                "Hash blocks",
                "Hash device size",
                "Hash algorithm",
                "Salt",
                "Root hash",
            ] {
                assert_eq!(value(&ours, key), value(&theirs, key), "{key}, {blocks} of {block}");
            }
            let trees = ["ours", "theirs"].map(|tree| fs::read(folder.join(tree)).unwrap());
            assert!(trees[0] == trees[1], "{blocks} of {block}");
            fs::remove_file(folder.join("theirs")).unwrap();
        }
    }
}

/// A tree that exists stays as it is, and so does the data.
#[test]
fn trees_are_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("data"), data(8192)).unwrap();
    fs::write(folder.join("tree"), "kept").unwrap();
    let said = error(&manylane(&["--dm=tree", "data"], folder));
    assert_eq!(said, "manylane: tree: exists already; name another, or say --force\n");
    assert_eq!(fs::read(folder.join("tree")).unwrap(), b"kept");
    let said = error(&manylane(&["--dm=data", "--force", "data"], folder));
    assert!(said.contains("data: is the data"), "{said}");
    assert_eq!(fs::read(folder.join("data")).unwrap(), data(8192));
    assert!(error(&manylane(&["--dm=.", "--force", "data"], folder)).contains("no regular file"));
    let said = error(&manylane(&["--dm=none/tree", "data"], folder));
    assert!(said.contains("none/tree: No such file or directory"), "{said}");
    // Salt and UUID are drawn anew.
    let first = text(&manylane(&["--dm=tree", "--force", "data"], folder));
    let second = text(&manylane(&["--dm=tree", "--force", "data"], folder));
    assert_ne!(first, second);
    let json = text(&manylane(&["--dm=new", "--json", "--salt=-", "data"], folder));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["data_blocks"], 2);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 3);
}
