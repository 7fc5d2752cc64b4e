//! `manylane verity` by known answers of `fsverity` 1.5 and `veritysetup` 2.6.1, and beside these
//! programs where they are installed.

use manylane_engine::{HashId, hash};
use std::env;
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

/// Another program's output. A missing program is a named skip, on CI too: `tools/setup.sh`
/// installs it there where it can, and the known answers hold without it.
fn peer(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    // The paths of users often lack the folders of administrators' programs.
    let path = env::var_os("PATH").unwrap_or_default();
    let mut places = env::split_paths(&path).chain(["/usr/sbin", "/sbin"].map(Into::into));
    let Some(program) = places.find_map(|place| {
        let program = place.join(program);
        program.is_file().then_some(program)
    }) else {
        eprintln!("skipped: comparison with {program}, which is not installed");
        return None;
    };
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    Some(text(&output))
}

/// SHA-256 in hexadecimal digits.
fn sha256(bytes: &[u8]) -> String {
    hash(HashId::Sha256, bytes).iter().map(|byte| format!("{byte:02x}")).collect()
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

/// A limit on the size of files is an error, and nothing is left.
#[cfg(unix)]
#[test]
fn a_tree_that_finds_no_room_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("file"), data(4096 * 800)).unwrap();
    for option in ["--out-merkle-tree", "--dm"] {
        let script = "ulimit -c 0; ulimit -f 8; exec \"$0\" verity \"$@\"";
        let program = env!("CARGO_BIN_EXE_manylane");
        let mut limited = Command::new("sh");
        limited.args(["-c", script, program, option, "tree", "file"]).current_dir(folder);
        assert_eq!(error(&limited.output().unwrap()), "manylane: tree: File too large\n");
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "{option}");
    }
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

/// Digests that fsverity 1.5 printed, and the SHA-256 of the trees that it wrote.
#[test]
fn fsverity_known_answers_with_options() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("file"), data(600_000)).unwrap();
    for (options, digest, tree) in [
        (
            &["--salt=00ff5a"][..],
            "sha256:44990ac26716b20254522f1fd76f4f51f78805cf1828b74b0934c7af94358214",
            "2490527f5fe002a00e3ed1a1f72693c2d4ca4861f77f15b990e8d425001cc77a",
        ),
        (
            &["--block-size=1024", "--salt=77"],
            "sha256:b18561ca1d70cd95c0aafac70d6f58f101e8eee5f0639b6b9e336638959b9877",
            "335af2b06088ca0ebe705a3534d27d8ab9077ec8205bd7ecdfdfc852f1558da2",
        ),
        (
            &["--hash-alg=sha512"],
            "sha512:32abddd215b44a9882f877f4e8cbfd199667ec1c8a1a6b85c8831bce63d6fee8\
             25d76f7f3149e98f801cd822b333254fbd5af7a7547c98c196e0b0f40e02090a",
            "fb91772ff8af8146a64ee6b1d32bf822c69dc0cfbc22ad82ab59ba85c82d67ca",
        ),
        (
            &["--hash-alg=sha512", "--salt=5a5a5a5a5a5a5a5a5a"],
            "sha512:7177efae7b72a811c51bcefff55e79cb6b21f5aeacd36f189411b82b1196a6c6\
             42e9c64c8110460d3bff8bc2d12d414a317da0b746df5639d27f27c01b49695a",
            "7f65a5df9a2fc8a78ab19f22c054939e40ac3a05d90124ede8a58d92b789b3f4",
        ),
        (
            &["--hash-alg=sha512", "--block-size=1024", "--salt=5a5a5a5a5a5a5a5a5a"],
            "sha512:5a67e30823743cdfba44b2f82fa975e636c3f39bf4e8a6888b37bd13e3195a2a\
             4d44f4842fa1a1caaf3f2216b346c37df60d927b4cb4975c0cfe41c4f29a59d7",
            "bedec758de7fb5fe2dbfa2e80c9e1b92e730480f3dd96c7387f9e564228a720e",
        ),
    ] {
        let arguments = [options, &["--out-merkle-tree=tree", "--force", "file"]].concat();
        let said = text(&manylane(&arguments, folder));
        assert_eq!(said, format!("{digest} file\n"), "{options:?}");
        assert_eq!(sha256(&fs::read(folder.join("tree")).unwrap()), tree, "{options:?}");
    }
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
        (&["--uuid=00", "--compact", "file"], "cannot be used with"),
        (&["--uuid=00", "--out-merkle-tree=tree", "file"], "cannot be used with"),
        (&["--uuid=00", "--out-descriptor=tree", "file"], "cannot be used with"),
        (&["--dm=tree", "file", "file"], "--dm takes one FILE, not 2"),
        (&["--dm=tree", "file"], "file: 1 bytes are no whole number of blocks of 4096"),
        (&["--dm=tree", "."], "manylane: .: Is a directory\n"),
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

/// The trees that veritysetup wrote and those written here, of no level, one, two and three: the
/// root hashes that veritysetup 2.6.1 printed, the SHA-256 of the files that it wrote, and all that
/// it says and writes now where it is installed.
#[test]
fn veritysetup_trees() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let uuid = "--uuid=3c9bb5e8-5a4e-4f0b-9d0c-0123456789ab";
    let value = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.starts_with(key)).unwrap();
        line.split_once(':').unwrap().1.trim().to_owned()
    };
    for (options, block, blocks, root, tree) in [
        (
            &["--salt=-"][..],
            4096,
            1,
            "3f050dec03acf30d4a7cdf71216cd0d5d2581b82a95500b7db5ef7e97891f4ac",
            "620f856c71fe0c550b0d08516824742b0490ce2df0bbe849b201b97a34abb265",
        ),
        (
            &["--salt=00ff5a"],
            4096,
            2,
            "122de09fd637ffa550535168d944bc02003dfcc44eda587615ae77118e746a53",
            "dbad8e23eccba1ae86009b725685288499a79feb4406ccd4aab2621a4487c216",
        ),
        (
            &["--salt=aa"],
            4096,
            128,
            "9806fb9d132e8ca6628b91e63210a8c7ffbf1d1c789a5065a8691463ad65d031",
            "c748aa67363ca7f10d2cc54fbd1db659a7ed1fb78060ccb45fd706ce6b7eff24",
        ),
        (
            &["--salt=aabb"],
            4096,
            129,
            "4b6d70fd539c3bce2cf9a3aba11dc1c29b53c18dfa128e6ac0b44bd198482ab9",
            "2c909c6a4208cc0dd22bce53be704522e4fa7caf6a01c061080e848afb6c3c5b",
        ),
        (
            &["--salt=-", "--hash-alg=sha1"],
            512,
            300,
            "178d292454a34c6934dc86407488442a21f4ab46",
            "50feee4b6da5844647d4a7834078800d73f306b172ca277502cf7ffb6df00b9a",
        ),
        (
            &["--salt=01020304", "--hash-alg=sha512"],
            1024,
            700,
            "37ece00611930d9d8a4fe21ba527d758daaf5d6aa6606720655d2b7cae11b37f\
             d246b1103b056b5e687907f33ee2583b5736811a59a96c8cfb18d3e8a49d3ae0",
            "1e4131f89c3121f75c54dd4456723e15f07fee12df1a02fd3a92655b3b119cc0",
        ),
        (
            &["--salt=07", "--hash-alg=sha224"],
            512,
            257,
            "3c8d4ee1b2209a9cb02771fcc980dbb2efed1c0b9ca616d67551d4c6",
            "b08dad372e9638de3a95161f22fcdff33301a289de10b327fcc9f8fcf435c9fc",
        ),
        (
            &["--salt=08", "--hash-alg=sha3-384"],
            512,
            65,
            "25d5a37512494823712f6276a83b689dbeadf2299d2ac19f\
             d56b7cb3642a949796d8de623228808efdcd8284d7fe00f0",
            "bb6d7451a5d90317f2b7120dafa502b59199bab3b9e15daa024f6fc8ae9abcd1",
        ),
    ] {
        fs::write(folder.join("data"), data(block * blocks)).unwrap();
        let size = format!("--block-size={block}");
        let arguments = [options, &[&size, uuid, "--dm=ours", "--force", "data"]].concat();
        let ours = text(&manylane(&arguments, folder));
        let our_tree = fs::read(folder.join("ours")).unwrap();
        assert_eq!(value(&ours, "Root hash"), root, "{blocks} of {block}");
        assert_eq!(sha256(&our_tree), tree, "{blocks} of {block}");
        let sizes = ["data", "hash"].map(|of| format!("--{of}-block-size={block}"));
        let options: Vec<_> =
            options.iter().map(|option| option.replace("hash-alg", "hash")).collect();
        let mut arguments = vec!["format", "data", "theirs", uuid, &sizes[0], &sizes[1]];
        arguments.extend(options.iter().map(String::as_str));
        if let Some(theirs) = peer("veritysetup", &arguments, folder) {
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
            assert!(our_tree == fs::read(folder.join("theirs")).unwrap(), "{blocks} of {block}");
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
