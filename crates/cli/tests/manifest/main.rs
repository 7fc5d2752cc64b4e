//! Lists that are brought up to date and compared with folders: `sum --update` and `audit`.
#![cfg(unix)]

mod common;

use common::{MANYLANE, Ran, Sandbox, coreutils, has, nasty_names};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

/// A folder `d` with a few files.
fn folder() -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, bytes) in [("d/a", "one"), ("d/b/c", "two"), ("d/b/d", ""), ("d/e", "four")] {
        sandbox.write(name, bytes);
    }
    sandbox
}

fn update(sandbox: &Sandbox, args: &[&str]) -> Ran {
    sandbox.sum([&["--update", "LIST", "-r", "d"], args].concat())
}

fn audit(sandbox: &Sandbox, args: &[&str]) -> Ran {
    sandbox.run(MANYLANE, [&["audit"], args].concat())
}

/// Other bytes in a file, of which size and time of modification stay.
fn rot(path: &Path, bytes: &[u8]) {
    let modified = path.metadata().unwrap().modified().unwrap();
    assert_eq!(path.metadata().unwrap().len(), bytes.len() as u64);
    fs::write(path, bytes).unwrap();
    File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
}

/// The lines, the last one apart.
fn lines(ran: &Ran) -> (Vec<&str>, &str) {
    let mut lines: Vec<&str> = ran.text().lines().collect();
    let last = lines.pop().unwrap_or_default();
    (lines, last)
}

#[track_caller]
fn says(ran: Ran, status: i32, expected: &[&str], summary: &str) {
    assert_eq!((ran.status, lines(&ran)), (Some(status), (expected.to_vec(), summary)), "{ran:?}");
}

#[test]
fn a_list_is_kept_up_to_date() {
    let sandbox = folder();
    let first = update(&sandbox, &["--summary"]);
    assert!(first.stderr.contains("4 files read, 10 B"), "{first:?}");
    let new = ["d/a: NEW", "d/b/c: NEW", "d/b/d: NEW", "d/e: NEW"];
    says(first, 0, &new, "SUMMARY: 0 kept, 4 NEW, 0 CHANGED, 0 REMOVED");
    // Coreutils take the list as it is.
    if coreutils().is_some() {
        sandbox.run("sha256sum", ["-c", "--strict", "--quiet", "LIST"]).good();
    }
    sandbox.sum(["-c", "--strict", "--quiet", "LIST"]).good();
    let before = fs::read(sandbox.path("LIST")).unwrap();
    let written = sandbox.path("LIST").metadata().unwrap().modified().unwrap();
    let again = update(&sandbox, &["--summary"]);
    assert!(again.stderr.contains("0 files read, 0 B"), "{again:?}");
    says(again, 0, &[], "SUMMARY: 4 kept, 0 NEW, 0 CHANGED, 0 REMOVED");
    // There is nothing to write then.
    assert_eq!(sandbox.path("LIST").metadata().unwrap().modified().unwrap(), written);
    assert_eq!(fs::read(sandbox.path("LIST")).unwrap(), before);
    sandbox.write("d/a", "other");
    fs::remove_file(sandbox.path("d/b/c")).unwrap();
    sandbox.write("d/b/x", "new");
    let third = update(&sandbox, &["--summary"]);
    assert!(third.stderr.contains("2 files read, 8 B"), "{third:?}");
    let changes = ["d/a: CHANGED", "d/b/x: NEW", "d/b/c: REMOVED"];
    says(third, 0, &changes, "SUMMARY: 2 kept, 1 NEW, 1 CHANGED, 1 REMOVED");
    // In the order of a walk, wherever lines were added.
    let listed = String::from_utf8(fs::read(sandbox.path("LIST")).unwrap()).unwrap();
    let listed: Vec<&str> = listed.lines().filter(|line| !line.starts_with('#')).collect();
    let walked = sandbox.sum(["-r", "d"]).good();
    assert_eq!(listed.join("\n") + "\n", String::from_utf8(walked).unwrap());
    // Other folders of the list stay as they are.
    sandbox.write("other/f", "other");
    says(
        sandbox.sum(["--update", "LIST", "-r", "other"]),
        0,
        &["other/f: NEW"],
        "SUMMARY: 0 kept, 1 NEW, 0 CHANGED, 0 REMOVED",
    );
    fs::remove_dir_all(sandbox.path("d")).unwrap();
    fs::create_dir(sandbox.path("d")).unwrap();
    let emptied = update(&sandbox, &[]);
    assert_eq!(emptied.status, Some(1));
    assert!(emptied.stderr.contains("is a disk not mounted"), "{emptied:?}");
    // A file that the list does not name says nothing of the disk.
    sandbox.write("d/z", "");
    let list = fs::read(sandbox.path("LIST")).unwrap();
    let emptied = update(&sandbox, &[]);
    assert_eq!(emptied.status, Some(1));
    assert!(emptied.stderr.contains("is a disk not mounted"), "{emptied:?}");
    assert_eq!(fs::read(sandbox.path("LIST")).unwrap(), list);
    // Nor does one that cannot be read.
    symlink("none", sandbox.path("d/dangling")).unwrap();
    let emptied = update(&sandbox, &[]);
    assert_eq!(emptied.status, Some(1));
    assert!(emptied.stderr.contains("is a disk not mounted"), "{emptied:?}");
    fs::remove_file(sandbox.path("d/dangling")).unwrap();
    says(
        update(&sandbox, &["--keep-missing"]),
        0,
        &["d/z: NEW"],
        "SUMMARY: 0 kept, 1 NEW, 0 CHANGED, 0 REMOVED",
    );
    assert!(update(&sandbox, &[]).good().ends_with(b"4 REMOVED\n"));
    assert_eq!(sandbox.sum(["-c", "LIST"]).good(), b"d/z: OK\nother/f: OK\n");
}

/// What is listed as a file and is a directory, a pipe or a link to a directory now is gone.
#[test]
fn files_may_become_something_else() {
    let sandbox = folder();
    sandbox.write("d/f", "five");
    update(&sandbox, &[]).good();
    for name in ["d/a", "d/e", "d/f"] {
        fs::remove_file(sandbox.path(name)).unwrap();
    }
    fs::create_dir(sandbox.path("d/a")).unwrap();
    let fifo = sandbox.command("mkfifo").arg("d/e").status().unwrap();
    assert!(fifo.success());
    symlink("b", sandbox.path("d/f")).unwrap();
    let audited = audit(&sandbox, &["-q", "LIST", "d"]);
    says(audited, 1, &["d/a: CHANGED", "d/e: CHANGED", "d/f: CHANGED"], "SUMMARY: 2 OK, 3 CHANGED");
    let ran = update(&sandbox, &[]);
    let removed = ["d/a: REMOVED", "d/e: REMOVED", "d/f: REMOVED"];
    says(ran, 0, &removed, "SUMMARY: 2 kept, 0 NEW, 0 CHANGED, 3 REMOVED");
}

/// A cache does not keep --rehash from reading.
#[test]
fn all_is_read_again_beside_a_cache() {
    let sandbox = folder();
    let cached = update(&sandbox, &["--cache=CACHE", "--summary"]);
    assert!(cached.stderr.contains("4 files read"), "{cached:?}");
    let again = update(&sandbox, &["--cache=CACHE", "--summary"]);
    assert!(again.stderr.contains("0 files read"), "{again:?}");
    let rehashed = update(&sandbox, &["--cache=CACHE", "--summary", "--rehash"]);
    assert!(rehashed.stderr.contains("4 files read"), "{rehashed:?}");
}

#[test]
fn rot_is_told_from_change_and_good_digests_stay() {
    let sandbox = folder();
    update(&sandbox, &[]).good();
    let before = fs::read(sandbox.path("LIST")).unwrap();
    rot(&sandbox.path("d/e"), b"FOUR");
    // The time of the inode tells that it was touched, so that it is read without being asked for.
    for args in [&[][..], &["--rehash"]] {
        let ran = update(&sandbox, args);
        assert!(ran.stderr.contains("d/e: BITROT: its content is another one"), "{ran:?}");
        let summary = "SUMMARY: 3 kept, 0 NEW, 0 CHANGED, 0 REMOVED, 1 BITROT";
        says(ran, 2, &["d/e: BITROT"], summary);
        assert_eq!(fs::read(sandbox.path("LIST")).unwrap(), before);
    }
    let audited = audit(&sandbox, &["-q", "LIST", "d"]);
    says(audited, 2, &["d/e: BITROT"], "SUMMARY: 3 OK, 1 BITROT");
    let json = audit(&sandbox, &["--json", "-q", "LIST", "d"]);
    assert!(json.text().starts_with("{\"file\":\"d/e\",\"status\":\"bitrot\"}\n"), "{json:?}");
    // Touched, it is a change like any other.
    sandbox.write("d/e", "FOUR");
    says(
        update(&sandbox, &[]),
        0,
        &["d/e: CHANGED"],
        "SUMMARY: 3 kept, 0 NEW, 1 CHANGED, 0 REMOVED",
    );
    audit(&sandbox, &["LIST", "d"]).good();
}

#[test]
fn an_audit_says_what_became_of_each_file() {
    let sandbox = folder();
    for (name, bytes) in [("d/gone", "gone"), ("d/moved", "moved"), ("d/twice", "twice")] {
        sandbox.write(name, bytes);
    }
    let list = sandbox.sum(["-r", "d"]).good();
    sandbox.write("LIST", &list);
    let all = audit(&sandbox, &["LIST", "d"]);
    assert_eq!(lines(&all).0.len(), 7);
    assert!(all.good().ends_with(b"d/twice: OK\nSUMMARY: 7 OK\n"));
    sandbox.write("d/a", "ONE!");
    fs::remove_file(sandbox.path("d/gone")).unwrap();
    fs::create_dir(sandbox.path("d/deep")).unwrap();
    fs::rename(sandbox.path("d/moved"), sandbox.path("d/deep/moved")).unwrap();
    sandbox.write("d/copy", "twice");
    sandbox.write("d/new", "new");
    let expected = [
        "d/a: CHANGED",
        "d/copy: DUPLICATE of d/twice",
        "d/deep/moved: MOVED from d/moved",
        "d/new: NEW",
        "d/gone: MISSING",
    ];
    let summary = "SUMMARY: 4 OK, 1 CHANGED, 1 MOVED, 1 DUPLICATE, 1 NEW, 1 MISSING";
    for args in [&["-q", "LIST", "d"][..], &["-q", "--by-size-first", "LIST", "d"]] {
        says(audit(&sandbox, args), 1, &expected, summary);
    }
    // From within the folder, and from a pipe.
    let mut inside = sandbox.command(MANYLANE);
    inside.args(["audit", "-q", "../LIST", "../d"]).current_dir(sandbox.path("d"));
    assert_eq!(inside.output().unwrap().status.code(), Some(1));
    for from in ["-", "/dev/stdin"] {
        let piped = sandbox.run_with_input(MANYLANE, ["audit", "-q", from, "d"], &list);
        says(piped, 1, &expected, summary);
    }
    // Names that count from the folder itself, wherever it is.
    let mut within = sandbox.command(MANYLANE);
    let within = within.args(["sum", "-r"]).current_dir(sandbox.path("d")).output().unwrap();
    sandbox.write("WITHIN", within.stdout);
    let absolute = sandbox.path("d");
    for folder in ["d", "./d/", absolute.to_str().unwrap()] {
        let ran = audit(&sandbox, &["-q", "WITHIN", folder]);
        assert_eq!(ran.good(), b"SUMMARY: 8 OK\n", "{folder}");
    }
    let silent = audit(&sandbox, &["--status", "LIST", "d"]);
    assert_eq!((silent.text(), silent.status), ("", Some(1)));
    let allowed = ["--allow", "changed,moved,duplicate,new,missing", "-q", "LIST", "d"];
    assert_eq!(audit(&sandbox, &allowed).status, Some(0));
    let quick = audit(&sandbox, &["-q", "--fail-fast", "LIST", "d"]);
    says(quick, 1, &["d/a: CHANGED"], "SUMMARY: 0 OK, 1 CHANGED");
    let json = audit(&sandbox, &["--json", "-q", "LIST", "d"]);
    let rows: Vec<serde_json::Value> =
        json.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        rows[1],
        serde_json::json!({"file": "d/copy", "of": "d/twice", "status": "duplicate"})
    );
    assert_eq!(rows[2]["from"], "d/moved");
    assert_eq!(rows[5]["summary"]["ok"], 4);
    assert_eq!(rows[5]["summary"]["missing"], 1);
}

/// Listed files outside the folder are counted, whether or not they exist.
#[test]
fn an_audit_leaves_out_what_is_outside() {
    let sandbox = Sandbox::new();
    sandbox.write("d/a", "a");
    sandbox.write("d/sub/b", "b");
    sandbox.write("LIST", sandbox.sum(["-r", "d"]).good());
    let elsewhere = "SUMMARY: 1 OK, 1 listed file elsewhere was not audited";
    for folder in ["d/sub", "d/sub/b"] {
        sandbox.write("d/a", "a");
        says(audit(&sandbox, &["-q", "LIST", folder]), 0, &[], elsewhere);
        fs::remove_file(sandbox.path("d/a")).unwrap();
        says(audit(&sandbox, &["-q", "LIST", folder]), 0, &[], elsewhere);
    }
    says(audit(&sandbox, &["-q", "LIST", "d"]), 1, &["d/a: MISSING"], "SUMMARY: 1 OK, 1 MISSING");
}

/// The quickest no looks at all sizes before it reads a file.
#[test]
fn other_sizes_are_found_before_files_are_read() {
    let sandbox = folder();
    update(&sandbox, &[]).good();
    sandbox.write("d/e", "longer");
    let quick = |more: &[&str]| {
        let args = ["-q", "--by-size-first", "--fail-fast", "--summary", "LIST", "d"];
        audit(&sandbox, &[&args, more].concat())
    };
    let ran = quick(&[]);
    assert!(ran.stderr.contains("0 files read"), "{ran:?}");
    says(ran, 1, &["d/e: CHANGED"], "SUMMARY: 0 OK, 1 CHANGED");
    // What is left out or allowed is no difference.
    for allowed in [&["--exclude", "e"][..], &["--allow", "changed"]] {
        let ran = quick(allowed);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        assert!(ran.stderr.contains("3 files read"), "{ran:?}");
    }
    sandbox.write("d/z", "of a size that no listed file has");
    let ran = quick(&["--allow", "changed"]);
    says(ran, 1, &["d/z: NEW"], "SUMMARY: 0 OK, 1 NEW");
}

/// The exit status alone tells, of special files too.
#[test]
fn an_audit_for_its_status_says_nothing() {
    let sandbox = folder();
    sandbox.write("LIST", sandbox.sum(["-r", "d"]).good());
    let pipe = sandbox.path("d/pipe");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    assert!(audit(&sandbox, &["LIST", "d"]).stderr.contains("skipped 1 FIFO"));
    assert_eq!(audit(&sandbox, &["--status", "LIST", "d"]).good(), b"");
}

/// Every new file of one content has at most one listed file that it was moved from.
#[test]
fn many_files_of_one_content_are_matched_one_by_one() {
    let sandbox = Sandbox::new();
    for i in 0..300 {
        sandbox.write(format!("d/old/{i}"), "");
    }
    sandbox.write("LIST", sandbox.sum(["-r", "d"]).good());
    fs::rename(sandbox.path("d/old"), sandbox.path("d/now")).unwrap();
    sandbox.write("d/now/more", "");
    let ran = audit(&sandbox, &["LIST", "d"]);
    let (lines, summary) = lines(&ran);
    assert_eq!(summary, "SUMMARY: 0 OK, 300 MOVED, 1 DUPLICATE");
    let same = |line: &&&str| {
        line.strip_prefix("d/now/")
            .and_then(|line| line.split_once(": MOVED from d/old/"))
            .is_some_and(|(now, then)| now == then)
    };
    assert!(lines.iter().filter(same).count() > 60, "{lines:?}");
}

#[test]
fn lists_of_other_programs_are_read() {
    let sandbox = Sandbox::new();
    sandbox.write("d/abc", "abc");
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let (md5, sha1) =
        ("900150983cd24fb0d6963f7d28e17f72", "a9993e364706816aba3e25717850c26c9cd0d89d");
    let good = [
        format!("{sha256}  d/abc\n"),
        format!("{sha256} *d/abc\n"),
        format!("\u{feff}{}  d/abc\r\n", sha256.to_uppercase()),
        format!("SHA256 (d/abc) = {sha256}\nMD5 (d/abc) = {md5}\n"),
        // rhash --bsd brings tags to one length, rhash -MH prints several columns.
        format!("MD5   (d/abc) = {md5}\nSHA1  (d/abc) = {sha1}\n"),
        format!("; Generated by RHash\n;  3  12:00.00 2024-01-01 d/abc\nd/abc  {md5}  {sha1}\n"),
        // rhash -CMH has a column of CRC32, which is left out; rhash --sfv -H writes one blank.
        format!("d/abc  352441c2  {md5}  {sha1}\n"),
        format!("; Generated by RHash\nd/abc {}\n", sha1.to_uppercase()),
        format!(
            "%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n## $ hashdeep d\n## \n\
             3,{md5},{sha256},d/abc\n"
        ),
        // Columns of what is not computed here do no harm.
        format!("%%%% HASHDEEP-1.0\n%%%% size,md5,tiger,filename\n3,{md5},{sha1},d/abc\n"),
        format!("{{\"file\":\"d/abc\",\"digests\":{{\"sha256\":\"{sha256}\"}}}}\n"),
    ];
    for list in good {
        sandbox.write("LIST", &list);
        assert_eq!(audit(&sandbox, &["LIST", "d"]).good(), b"d/abc: OK\nSUMMARY: 1 OK\n", "{list}");
    }
    let sha3_224 = "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf";
    sandbox.write("LIST", format!("d/abc  {md5}  {sha3_224}\n"));
    let named = audit(&sandbox, &["-a", "sha3-224", "LIST", "d"]);
    assert_eq!(named.good(), b"d/abc: OK\nSUMMARY: 1 OK\n");
    let blake3 = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";
    for (list, word) in [
        (format!("BLAKE3 (d/abc) = {blake3}\n"), "BLAKE3"),
        ("d/abc 352441C2\n".to_owned(), "CRC32 is no hash"),
        ("d/abc  352441c2  352441c2\n".to_owned(), "CRC32 is no hash"),
        (format!("d/abc  {md5}  {sha3_224}\n"), "SHA-224 or of SHA3-224: say which by -a"),
        (format!("d/abc  {sha256}  {blake3}\n"), "columns cannot be told apart"),
        // rhash --sfv -MH and --sfv -CH.
        (format!("d/abc {md5} {sha1}\n"), "columns cannot be told apart"),
        (format!("d/abc 352441C2 {sha1}\n"), "columns cannot be told apart"),
        (format!("%%%% HASHDEEP-1.0\n%%%% size,tiger,filename\n3,{sha1},d/abc\n"), "tiger"),
        (format!("%%%% HASHDEEP-1.0\n3,{sha1},d/abc\n"), "names the columns"),
        (format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\nx,{md5},d/abc\n"), "size"),
        (format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n3,{sha1},d/abc\n"), "digest of md5"),
        ("{\"file\":\"d/abc\"}\n".to_owned(), "without digests"),
        ("{\"digests\":{}}\n".to_owned(), "without a file"),
        ("{\"file\":\"d/abc\",\"digests\":{}}\n".to_owned(), "without digests"),
        ("{".to_owned(), "not JSON"),
        (String::new(), "no properly formatted"),
        (format!("{sha256}  d/abc\n{}  d/abc\n", sha256.replace('b', "c")), "names d/abc twice"),
        (format!("{sha256}  /no/such/file\n"), "is in d: name the folder"),
        (format!("{sha256}  d/abc\nnonsense\n"), "1 line is improperly formatted"),
    ] {
        sandbox.write("LIST", &list);
        let ran = audit(&sandbox, &["LIST", "d"]);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{list}");
        assert!(ran.stderr.contains(word), "{list}: {ran:?}");
    }
    // Without a tag, BLAKE3 looks like SHA-256.
    sandbox.write("LIST", format!("{blake3}  d/abc\n"));
    let ran = audit(&sandbox, &["LIST", "d"]);
    assert!(ran.stderr.contains("BLAKE3's digests (b3sum)"), "{ran:?}");
    says(ran, 1, &["d/abc: CHANGED"], "SUMMARY: 0 OK, 1 CHANGED");
    // The first file is not all, and a list that names its hash leaves no doubt of it.
    assert_eq!(audit(&sandbox, &["--fail-fast", "LIST", "d"]).stderr, "");
    sandbox.write("TAGGED", format!("SHA256 (d/abc) = {blake3}\n"));
    let ran = audit(&sandbox, &["TAGGED", "d"]);
    assert_eq!((ran.status, &*ran.stderr), (Some(1), ""), "{ran:?}");
    for (args, word) in [
        (&["none", "d"][..], "none: No such file"),
        (&["d", "d"], "d: Is a directory"),
        (&["LIST", "--allow", "ok", "d"], "--allow"),
    ] {
        let ran = audit(&sandbox, args);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args:?}");
        assert!(ran.stderr.contains(word), "{args:?}: {ran:?}");
    }
}

#[test]
fn lists_of_every_form_come_back_with_every_name() {
    let sandbox = Sandbox::new();
    for (at, name) in nasty_names().iter().enumerate() {
        sandbox.write(Path::new("d").join(name), at.to_string());
    }
    for (form, algorithms) in
        [("gnu", "sha256"), ("bsd", "sha256,md5"), ("json", "sha256,blake512"), ("gnu", "md5")]
    {
        let list = format!("LIST-{form}-{algorithms}");
        let args = ["--update", &list, "-r", "d", "--format", form, "-a", algorithms];
        let count = nasty_names().len();
        let made = sandbox.sum(args).good();
        let text = String::from_utf8_lossy(&made).into_owned();
        assert!(text.ends_with(&format!("{count} NEW, 0 CHANGED, 0 REMOVED\n")), "{text}");
        let again = sandbox.sum(["--update", &list, "-r", "d", "-a", algorithms]).good();
        assert!(again.starts_with(format!("SUMMARY: {count} kept").as_bytes()), "{form}");
        let audited =
            audit(&sandbox, &["-q", "-a", algorithms.split(',').next().unwrap(), &list, "d"]);
        assert_eq!(audited.text(), format!("SUMMARY: {count} OK\n"), "{form}");
    }
    // hashdeep escapes nothing, so that names with line feeds have no place in its lists. The
    // other files are not hashed in vain.
    let args = ["--update", "DEEP", "-r", "d", "--format", "hashdeep"];
    let ran = sandbox.sum(args);
    assert_eq!(ran.status, Some(1));
    assert!(ran.stderr.contains("line feeds; take another --format"), "{ran:?}");
    let failed = ran.stderr.lines().filter(|line| line.contains("take another --format")).count();
    let listed = nasty_names().len() - failed;
    let totals = format!("{listed} NEW, 0 CHANGED, 0 REMOVED, {failed} without a digest\n");
    assert!(String::from_utf8_lossy(&ran.stdout).ends_with(&totals), "{ran:?}");
    let audited = audit(&sandbox, &["-q", "--allow", "new", "DEEP", "d"]);
    assert!(audited.stdout.ends_with(format!(" {listed} OK, {failed} NEW\n").as_bytes()));
}

/// Digests of several hashes have as many digits: what is not of the hash that is asked for is
/// neither kept as if it were nor called rotten.
#[test]
fn a_list_without_tags_knows_its_hash() {
    let sandbox = folder();
    let updated = |args: &[&str]| update(&sandbox, args);
    for (algorithm, other) in [
        ("sha3-256", "sha256"),
        ("sha256", "sha3-256"),
        ("sha256", "skein1024"),
        ("md5", "skein512-160"),
    ] {
        let _ = fs::remove_file(sandbox.path("LIST"));
        let _ = fs::remove_file(sandbox.path("d/new"));
        updated(&["-a", algorithm]).good();
        sandbox.write("d/new", "new");
        let added = updated(&[]);
        assert!(added.text().ends_with("1 NEW, 0 CHANGED, 0 REMOVED\n"), "{algorithm}: {added:?}");
        let list = fs::read_to_string(sandbox.path("LIST")).unwrap();
        let named = list.starts_with(&format!("#manylane: {algorithm}\n"));
        assert_eq!(named, algorithm != "sha256", "{list}");
        let lines = |list: &str| -> Vec<String> {
            let mut lines: Vec<String> = list.lines().map(str::to_owned).collect();
            lines.retain(|line| !line.starts_with('#'));
            lines
        };
        let ours = sandbox.sum(["-a", algorithm, "-r", "d"]);
        assert_eq!(lines(&list), lines(ours.text()), "{algorithm}");
        audit(&sandbox, &["-q", "LIST", "d"]).good();
        let refused = updated(&["-a", other]);
        assert!(refused.stderr.contains(&format!("has digests of {algorithm}")), "{refused:?}");
        assert_eq!(fs::read_to_string(sandbox.path("LIST")).unwrap(), list);
    }
}

#[test]
fn hashdeep_takes_our_lists_and_we_take_its() {
    let sandbox = folder();
    let form = ["--format", "hashdeep", "-a", "md5,sha256"];
    says(
        update(&sandbox, &form),
        0,
        &["d/a: NEW", "d/b/c: NEW", "d/b/d: NEW", "d/e: NEW"],
        "SUMMARY: 0 kept, 4 NEW, 0 CHANGED, 0 REMOVED",
    );
    let printed = sandbox.sum([&form[..], &["-r", "d"]].concat()).good();
    assert_eq!(printed, fs::read(sandbox.path("LIST")).unwrap());
    assert_eq!(audit(&sandbox, &["-q", "LIST", "d"]).good(), b"SUMMARY: 4 OK\n");
    if !has("hashdeep", "hashdeep_takes_our_lists_and_we_take_its") {
        return;
    }
    let theirs = sandbox.run("hashdeep", ["-l", "-r", "-a", "-k", "LIST", "d"]);
    assert!(theirs.text().contains("Audit passed"), "{theirs:?}");
    let made = sandbox.run("hashdeep", ["-r", "d"]).good();
    sandbox.write("THEIRS", made);
    assert_eq!(audit(&sandbox, &["-q", "THEIRS", "d"]).good(), b"SUMMARY: 4 OK\n");
}

#[test]
fn what_cannot_be_updated_is_left_as_it_was() {
    let sandbox = folder();
    let digest = sandbox.sum(["d/a"]).good();
    let tagged = sandbox.sum(["--tag", "d/a"]).good();
    for (list, args, word) in [
        (&b"nonsense\n"[..], &[][..], "LIST: 1: "),
        (&digest, &["-a", "md5"], "look like SHA-256"),
        (&tagged, &["-a", "md5"], "has digests of sha256"),
        (&digest, &["-a", "sha256,md5", "--format", "gnu"], "hold one digest"),
        (&digest, &["-a", "hmac-md5", "--key-file", "d/a"], "not of HMAC"),
        (&digest, &["--check"], "--check"),
        (&digest, &["-"], "standard input"),
        (&digest, &["--exclude", "a{"], "--exclude"),
    ] {
        sandbox.write("LIST", list);
        let ran = update(&sandbox, args);
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args:?}");
        assert!(ran.stderr.contains(word), "{args:?}: {ran:?}");
        assert_eq!(fs::read(sandbox.path("LIST")).unwrap(), list);
    }
    fs::remove_file(sandbox.path("LIST")).unwrap();
    fs::create_dir(sandbox.path("LIST")).unwrap();
    assert!(update(&sandbox, &[]).stderr.contains("LIST: is no regular file"));
    let nowhere = sandbox.sum(["--update", "none/LIST", "-r", "d"]);
    assert_eq!(nowhere.status, Some(1));
    assert!(nowhere.stderr.contains("none/LIST: No such file"), "{nowhere:?}");
    // A list in the folder that it describes does not list itself, nor what is written beside it.
    let own = sandbox.sum(["--update", "d/LIST", "-r", "d", "--quiet"]);
    assert_eq!((own.text(), own.status), ("", Some(0)), "{own:?}");
    sandbox.write("d/.LIST.a1b2c3.unfinished", "half");
    let own = sandbox.sum(["--update", "d/LIST", "-r", "d"]).good();
    assert_eq!(own, b"SUMMARY: 4 kept, 0 NEW, 0 CHANGED, 0 REMOVED\n");
    assert_eq!(audit(&sandbox, &["-q", "d/LIST", "d"]).good(), b"SUMMARY: 4 OK\n");
    // Beside another list they are files like any other. More algorithms may be added, and comments
    // before the first file stay.
    sandbox.write("MORE", [b"# ours\n", &digest[..]].concat());
    let more = ["--update", "MORE", "-r", "d", "-a", "sha256,md5", "--format", "bsd"];
    assert!(sandbox.sum(more).good().ends_with(b"1 kept, 5 NEW, 0 CHANGED, 0 REMOVED\n"));
    let text = String::from_utf8(fs::read(sandbox.path("MORE")).unwrap()).unwrap();
    assert!(text.starts_with("# ours\n#manylane: ") && text.contains("\nMD5 (d/a) = "), "{text}");
    assert_eq!(sandbox.sum(["-c", "--strict", "--quiet", "MORE"]).status, Some(0));
}

/// A file alone is audited by a list that was made inside its folder, from wherever.
#[test]
fn an_audit_of_one_file_knows_its_folder() {
    let sandbox = folder();
    update(&sandbox, &[]).good();
    let text = String::from_utf8(fs::read(sandbox.path("LIST")).unwrap()).unwrap();
    sandbox.write("INSIDE", text.replace("  d/", "  ./"));
    for (list, file) in [("INSIDE", "d/a"), ("LIST", "d/a"), ("LIST", "./d/a")] {
        let ran = audit(&sandbox, &[list, file]);
        let last = ran.text().lines().last().unwrap_or_default().to_owned();
        assert!(last.starts_with("SUMMARY: 1 OK"), "{list} {file}: {ran:?}");
        assert_eq!(ran.status, Some(0), "{ran:?}");
    }
}

/// A link to nothing is not replaced by a list.
#[test]
fn a_link_to_nothing_stays() {
    let sandbox = folder();
    symlink("nowhere/LIST", sandbox.path("LIST")).unwrap();
    let ran = update(&sandbox, &[]);
    assert_eq!((ran.text(), ran.status), ("", Some(1)), "{ran:?}");
    assert!(ran.stderr.contains("LIST: is a link to nothing"), "{ran:?}");
    assert_eq!(fs::read_link(sandbox.path("LIST")).unwrap(), Path::new("nowhere/LIST"));
}

/// Comments and empty lines stay before the files that they stand before; those of a file that is
/// gone go to the end.
#[test]
fn comments_stay_with_their_files() {
    let sandbox = folder();
    let listed = update(&sandbox, &[]).good();
    assert!(!listed.is_empty());
    let list = String::from_utf8(fs::read(sandbox.path("LIST")).unwrap()).unwrap();
    let bare: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    let [a, c, d, e] = bare[..] else { panic!("{list}") };
    sandbox.write("LIST", format!("# ours\n\n{e}\n\n# of c\n{c}\n# of d\n{d}\n# of a\n{a}\n# end"));
    fs::remove_file(sandbox.path("d/b/d")).unwrap();
    says(
        update(&sandbox, &[]),
        0,
        &["d/b/d: REMOVED"],
        "SUMMARY: 3 kept, 0 NEW, 0 CHANGED, 1 REMOVED",
    );
    let text = String::from_utf8(fs::read(sandbox.path("LIST")).unwrap()).unwrap();
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("#manylane: ")).collect();
    assert_eq!(kept, ["# ours", "", "# of a", a, "", "# of c", c, e, "# of d", "# end"]);
    assert_eq!(sandbox.sum(["-c", "--strict", "--quiet", "LIST"]).status, Some(0));
    // A form that has no comments has none.
    update(&sandbox, &["--format", "json"]).good();
    let text = String::from_utf8(fs::read(sandbox.path("LIST")).unwrap()).unwrap();
    assert!(text.lines().all(|line| line.starts_with('{')), "{text}");
}

/// A file that cannot be read keeps its line, and another's list is not overwritten.
#[test]
fn failures_lose_no_lines() {
    let sandbox = folder();
    update(&sandbox, &[]).good();
    let listed = fs::read(sandbox.path("LIST")).unwrap();
    let missing = sandbox.sum(["--update", "LIST", "-r", "d", "nowhere"]);
    assert_eq!(missing.status, Some(1));
    assert!(missing.stderr.contains("nowhere: No such file"), "{missing:?}");
    assert_eq!(fs::read(sandbox.path("LIST")).unwrap(), listed);
    let list = sandbox.path("LIST");
    assert!(sandbox.command("mkfifo").arg("names").status().unwrap().success());
    let mut child = sandbox.command(MANYLANE);
    child.args(["sum", "--update", "LIST", "--files-from", "names"]);
    child.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    // The list is read before the names are asked for; then another program writes it.
    let mut names = File::options().write(true).open(sandbox.path("names")).unwrap();
    fs::write(&list, "another's\n").unwrap();
    sandbox.write("d/more", "more");
    names.write_all(b"d/more\n").unwrap();
    drop(names);
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("another program has written it meanwhile"), "{message}");
    assert_eq!(fs::read(&list).unwrap(), b"another's\n");
}
