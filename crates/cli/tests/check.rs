//! `manylane sum -c` says and does what `sha256sum -c` says and does.
#![cfg(unix)]

mod common;

use common::{MANYLANE, Ran, Rng, Sandbox, coreutils, coreutils_is_9_1, has, skip};
use manylane_files::quote::{quote, unescape};

/// SHA-256 of "abc" and of nothing.
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["a", "b", " a", "*a", "a b", "a\\nb", "a\nb", "x)y", "#a", "a ", "-"] {
        sandbox.write(name, "abc");
    }
    sandbox.write("empty", "");
    std::fs::create_dir(sandbox.path("dir")).unwrap();
    sandbox
}

/// Runs both programs and compares them.
fn compare(sandbox: &Sandbox, args: &[&str], input: &[u8]) -> Ran {
    let ours = sandbox.run_with_input(MANYLANE, [&["sum"], args].concat(), input);
    let mut theirs = sandbox.run_with_input("sha256sum", args, input);
    theirs.stderr = theirs.stderr.replace("'sha256sum --help'", "'manylane sum --help'");
    theirs.stderr = theirs.stderr.replace("sha256sum: ", "manylane: ");
    let list = std::fs::read(sandbox.path("list")).unwrap_or_default();
    let shown = String::from_utf8_lossy(if args.contains(&"list") { &list } else { input });
    let checked = args.contains(&"-c");
    let expected = if checked { requoted(&theirs.stdout) } else { theirs.stdout.clone() };
    assert_eq!(
        (String::from_utf8_lossy(&ours.stdout), ours.status),
        (String::from_utf8_lossy(&expected), theirs.status),
        "{args:?} {shown:?}\n{ours:?}\n{theirs:?}"
    );
    if coreutils_is_9_1() {
        assert_eq!(unexplained(&ours.stderr), theirs.stderr, "{args:?} {shown:?}");
    }
    ours
}

/// Status lines of any version of coreutils as versions since 9.11 print them.
fn requoted(status: &[u8]) -> Vec<u8> {
    let is_9_1 = coreutils_is_9_1();
    let mut lines = Vec::new();
    for line in status.split_inclusive(|&byte| byte == b'\n') {
        let colon = line.windows(2).rposition(|pair| pair == b": ").expect("NAME: VERDICT");
        let (name, verdict) = line.split_at(colon);
        // 9.1 escapes names with a line feed, later versions those with a backslash too.
        let escaped = name.strip_prefix(b"\\").and_then(unescape);
        let name = match escaped.filter(|name| !is_9_1 || name.contains(&b'\n')) {
            Some(name) => quote(&name),
            None if coreutils().is_some_and(|version| version >= (9, 11)) => {
                String::from_utf8_lossy(name).into()
            }
            None => quote(name),
        };
        lines.extend_from_slice(name.as_bytes());
        lines.extend_from_slice(verdict);
    }
    lines
}

/// Messages without those that explain why lines are not taken, which coreutils does not do.
fn unexplained(messages: &str) -> String {
    const EXPLAINED: [&str; 8] = [
        ": unknown algorithm ",
        " hexadecimal digits look like ",
        " is refused",
        " needs a key",
        " is a family ",
        "`manylane audit LIST DIR`",
        " is a directory, whose digest --tree",
        " more lines for other reasons",
    ];
    let is_theirs = |line: &&str| !EXPLAINED.iter().any(|words| line.contains(words));
    messages.split_inclusive('\n').filter(is_theirs).collect()
}

const OPTIONS: [&[&str]; 9] = [
    &["-c"],
    &["-c", "-w"],
    &["-c", "--strict"],
    &["-c", "--quiet"],
    &["-c", "--status"],
    &["-c", "--ignore-missing"],
    &["-c", "--ignore-missing", "--quiet", "--strict"],
    &["-c", "--quiet", "--status", "-w"],
    &["-c", "-w", "--status", "--ignore-missing"],
];

#[test]
fn lists_are_judged_as_by_sha256sum() {
    if !has("sha256sum", "lists_are_judged_as_by_sha256sum") {
        return;
    }
    if !coreutils_is_9_1() {
        skip("messages of lists_are_judged_as_by_sha256sum", "coreutils is not 9.1");
    }
    let sandbox = sandbox();
    let upper = ABC.to_uppercase();
    for list in [
        "",
        "\n",
        "# only a comment\n",
        "nonsense\n",
        "nonsense\nmore nonsense\n",
        "ABC  a\n",
        "ABC  a",
        "ABC *a\n",
        "ABC  a\r\n",
        "UPPER  a\n",
        "EMPTY  a\n",
        "EMPTY  empty\n",
        "ABC  a\nEMPTY  a\nABC  a\nEMPTY  a\n",
        "ABC  missing\n",
        "ABC  missing\nABC  missing too\nABC  a\n",
        "ABC  dir\n",
        "ABC  a\nnonsense\n",
        "ABC  a\nnonsense\nnonsense\n",
        "nonsense\nABC  missing\nEMPTY  a\n",
        "# c\n\nABC  a\n",
        " ABC  a\n",
        "\tABC  a\n",
        "ABC   a\n",
        "ABC  *a\n",
        "ABC **a\n",
        "ABC\t a\n",
        "ABC\t*a\n",
        "ABC\t\ta\n",
        "ABC a\n",
        "ABC a\nABC b\n",
        "ABC ab\n",
        "ABC  a\nABC b\n",
        "ABC b\nABC  a\n",
        "ABC b\nABC *a\n",
        "ABC a b\n",
        "ABC  a b\n",
        "ABC  a \n",
        "ABC  \n",
        "ABC \n",
        "ABC\n",
        "ABCd  a\n",
        "dABC  a\n",
        "ABC  #a\n",
        "\\ABC  a\\nb\n",
        "\\ABC  a\\\\nb\n",
        "ABC  a\\nb\n",
        "\\ABC  a\\\n",
        "\\ABC  a\\x\n",
        "\\\\ABC  a\n",
        "\\ABC  missing\\n\n",
        "\\EMPTY  a\\nb\n",
        "SHA256 (a) = ABC\n",
        "SHA256(a)= ABC\n",
        "SHA256 (a)=ABC\n",
        "SHA256 (a) =\t ABC\n",
        "SHA256  (a) = ABC\n",
        "SHA256 (a) = ABC \n",
        "SHA256 (a) = ABCd\n",
        "SHA256 (a) = abc\n",
        "SHA256 (x)y) = ABC\n",
        "SHA256 (a = ABC\n",
        "SHA256 a) = ABC\n",
        "SHA256 (a) ABC\n",
        "SHA256 (\n",
        "SHA256\n",
        "  SHA256 (a) = ABC\n",
        "\\SHA256 (a\\nb) = ABC\n",
        "\\SHA256 (a\\qb) = ABC\n",
        "SHA256 (a) = ABC\nABC b\nABC  a\n",
        "SHA256 () = ABC\n",
        "MD5 (a) = ABC\n",
        "ABC  -\n",
        "EMPTY  -\n",
    ] {
        let list = list.replace("ABC", ABC).replace("EMPTY", EMPTY).replace("UPPER", &upper);
        sandbox.write("list", &list);
        for options in OPTIONS {
            compare(&sandbox, &[options, &["list"]].concat(), b"");
        }
        compare(&sandbox, &["-c"], list.as_bytes());
        compare(&sandbox, &["-c", "-w", "-"], list.as_bytes());
    }
}

/// Lines of good lists, where ABC stands for a digest; the last ones are of other lists.
const LINES: [&str; 16] = [
    "ABC  a\n",
    "ABC *a b\n",
    "ABC b\n",
    "\\ABC  a\\nb\n",
    "SHA256 (a) = ABC\n",
    "\\SHA256 (a\\nb) = ABC\n",
    "SHA256(x)y)= ABC\n",
    "# comment\n",
    "ABC  empty\n",
    "ABC  none\n",
    "ABC  dir\n",
    "ABC  -\n",
    "  ABC  #a\r\n",
    "SHA256 (a ) = ABC\r\n",
    "\n",
    "900150983cd24fb0d6963f7d28e17f72  a\n",
];

/// A list with some bytes changed, dropped and doubled, lines cut and repeated.
fn spoiled(rng: &mut Rng, lines: &[&str]) -> Vec<u8> {
    let mut list = Vec::new();
    for _ in 0..1 + rng.below(4) {
        let digest = if rng.below(8) == 0 { EMPTY } else { ABC };
        let digest = if rng.below(8) == 0 { digest.to_uppercase() } else { digest.to_owned() };
        list.extend(lines[rng.below(lines.len())].replace("ABC", &digest).into_bytes());
    }
    for _ in 0..rng.below(4) {
        if list.is_empty() {
            break;
        }
        // Most changes are outside the digests.
        let at = loop {
            let at = rng.below(list.len());
            if !list[at].is_ascii_hexdigit() || rng.below(16) == 0 {
                break at;
            }
        };
        let byte = b" \t*\\()=#\r\nanbrS0-"[rng.below(17)];
        match rng.below(3) {
            0 => list[at] = byte,
            1 => list.insert(at, byte),
            _ => _ = list.remove(at),
        }
    }
    list
}

/// Good lists, spoiled, of the lines that are most often met.
#[test]
fn spoiled_lists_are_judged_as_by_sha256sum() {
    if !has("sha256sum", "spoiled_lists_are_judged_as_by_sha256sum") {
        return;
    }
    let sandbox = sandbox();
    let mut rng = Rng::from_name("spoiled lists");
    for _ in 0..300 {
        sandbox.write("list", spoiled(&mut rng, &LINES[..8]));
        compare(&sandbox, &["-c", "-w", "--strict", "list"], b"");
    }
}

/// Whether a line has the tag of SHA-256 in another spelling than coreutils', such as `Sha-256`.
/// Such lines are read here (docs/sum.md), and badly formatted for coreutils.
fn spells_a_tag_otherwise(list: &[u8]) -> bool {
    let tags = list.split(|&byte| byte == b'\n').filter_map(|line| {
        let open = line.iter().position(|&byte| byte == b'(')?;
        let tag = String::from_utf8_lossy(&line[..open]).into_owned();
        Some(tag.trim_start_matches([' ', '\t', '\\']).trim_end().to_owned())
    });
    let mut tags = tags.filter(|tag| tag != "SHA256");
    tags.any(|tag| tag.to_lowercase().replace(['-', '_'], "") == "sha256")
}

#[test]
fn tags_are_read_in_other_spellings() {
    let sandbox = sandbox();
    for tag in ["SHa256", "sha256", "SHA-256"] {
        let list = format!("{tag} (a) = {ABC}\n");
        assert!(spells_a_tag_otherwise(list.as_bytes()), "{tag}");
        let ran = sandbox.run_with_input(MANYLANE, ["sum", "-c", "-"], list.as_bytes());
        assert_eq!((&*ran.stdout, ran.status), (&b"a: OK\n"[..], Some(0)), "{tag}: {ran:?}");
    }
    assert!(!spells_a_tag_otherwise(format!("  \\SHA256 (a) = {ABC}\n").as_bytes()));
}

/// All lines, all options, and bytes that stand in no list (`make test-lists`).
#[test]
#[ignore = "minutes"]
fn spoiled_lists_of_every_kind_are_judged_as_by_sha256sum() {
    const LISTS: usize = 24_000;
    assert!(coreutils().is_some(), "sha256sum of coreutils is missing");
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            scope.spawn(move || {
                let sandbox = sandbox();
                let mut rng = Rng::from_name(&format!("spoiled lists of every kind {worker}"));
                for _ in 0..LISTS.div_ceil(workers) {
                    let mut list = spoiled(&mut rng, &LINES);
                    for _ in 0..rng.below(12) / 10 {
                        // Any byte but NUL, which ends a name in coreutils and spoils a line here.
                        let at = rng.below(list.len().max(1)).min(list.len());
                        list.insert(at, 1 + rng.below(255) as u8);
                    }
                    if rng.below(8) == 0 {
                        list.truncate(rng.below(list.len() + 1));
                    }
                    let options = OPTIONS[rng.below(OPTIONS.len())];
                    if spells_a_tag_otherwise(&list) {
                        continue;
                    }
                    sandbox.write("list", list);
                    compare(&sandbox, &[options, &["list"]].concat(), b"");
                }
            });
        }
    });
}

#[test]
fn several_lists_are_judged_as_by_sha256sum() {
    if !has("sha256sum", "several_lists_are_judged_as_by_sha256sum") {
        return;
    }
    let sandbox = sandbox();
    sandbox.write("good", format!("{ABC}  a\n{EMPTY}  empty\n"));
    sandbox.write("reversed", format!("{ABC} a\n{ABC} b\n"));
    sandbox.write("bad", format!("{EMPTY}  a\nnonsense\n"));
    for lists in [
        &["good", "good"][..],
        &["good", "bad"],
        &["bad", "good"],
        &["good", "reversed"],
        &["reversed", "good"],
        &["good", "missing", "bad"],
        &["missing list", "good"],
        &["good", "-", "bad"],
    ] {
        let input = format!("{ABC}  b\n");
        for options in [&["-c"][..], &["-c", "-w", "--strict"], &["-c", "--status"]] {
            compare(&sandbox, &[options, lists].concat(), input.as_bytes());
        }
    }
}

#[test]
fn usage_is_refused_in_the_words_of_sha256sum() {
    if !has("sha256sum", "usage_is_refused_in_the_words_of_sha256sum") {
        return;
    }
    let sandbox = sandbox();
    for args in [
        &["--tag", "-t", "a"][..],
        &["-c", "-z", "a"],
        &["-c", "--tag", "a"],
        &["-c", "-b", "a"],
        &["-c", "-t", "a"],
        &["--ignore-missing", "a"],
        &["--status", "a"],
        &["--warn", "a"],
        &["-w", "a"],
        &["--quiet", "a"],
        &["--strict", "a"],
    ] {
        assert_eq!(compare(&sandbox, args, b"").status, Some(1));
    }
    // Long options may be cut short, and given twice.
    assert_eq!(compare(&sandbox, &["--bin", "-b", "--bin", "a"], b"").status, Some(0));
}

#[test]
fn lists_of_many_algorithms_and_many_files_are_checked_in_order() {
    let sandbox = Sandbox::new();
    let mut rng = Rng::from_name("many algorithms");
    let mut list = Vec::new();
    let mut expected = String::new();
    for i in 0..600 {
        let name = format!("f{i}");
        let length = if i % 97 == 0 { 700_000 } else { rng.below(20_000) };
        sandbox.write(&name, rng.bytes(length));
    }
    for (i, algorithm) in (0..600).zip(["sha256", "md5", "blake256", "sha3-256"].iter().cycle()) {
        let name = format!("f{i}");
        if i < 8 || i % 97 == 0 {
            list.extend(sandbox.sum(["--tag", "-a", algorithm, &name]).good());
        } else {
            list.extend(format!("SHA256 ({name}) = {EMPTY}\n").bytes());
        }
        let verdict = if i < 8 || i % 97 == 0 { "OK" } else { "FAILED" };
        expected += &format!("{name}: {verdict}\n");
    }
    sandbox.write("list", list);
    let ran = sandbox.sum(["-c", "list"]);
    assert_eq!(ran.text(), expected);
    assert_eq!(ran.status, Some(1));
}

#[test]
fn a_line_without_end_is_malformed_and_not_kept() {
    let sandbox = sandbox();
    let mut list = vec![b'0'; 5 << 20];
    list.extend(format!("\n{ABC}  a\n").bytes());
    sandbox.write("list", list);
    let ran = sandbox.sum(["-c", "list"]);
    assert_eq!(ran.text(), "a: OK\n");
    assert_eq!(ran.stderr, "manylane: WARNING: 1 line is improperly formatted\n");
}

/// Each line of a list that comes slowly is answered before the next is there.
#[test]
fn a_slow_list_is_answered_line_by_line() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    let sandbox = sandbox();
    let mut command = sandbox.command(MANYLANE);
    command.args(["sum", "-c"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for name in ["a", "b", "a b"] {
        stdin.write_all(format!("{ABC}  {name}\n").as_bytes()).unwrap();
        assert_eq!(answers.next().unwrap().unwrap(), format!("{}: OK", quote(name.as_bytes())));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// A list that `--update` wrote without tags states its hash in a comment, which -c obeys as
/// `--update` and `audit` do.
#[test]
fn lists_of_our_own_say_their_hash() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("d")).unwrap();
    sandbox.write("d/a", "abc");
    sandbox.write("d/b", "another");
    for hash in ["blake256", "sha512", "shake128", "sha256"] {
        let list = format!("{hash}.list");
        sandbox.sum(["--update", &list, "-a", hash, "--untagged", "-r", "d"]).good();
        let checked = sandbox.sum(["-c", &list]);
        assert_eq!(checked.text(), "d/a: OK\nd/b: OK\n", "{hash}");
        assert_eq!(checked.status, Some(0), "{hash}: {}", checked.stderr);
    }
    // Each list states its own hash; one that states none is of the default.
    sandbox.write("plain", sandbox.sum(["d/a"]).text());
    let checked = sandbox.sum(["-c", "blake256.list", "plain", "sha512.list"]);
    assert_eq!(checked.text(), "d/a: OK\nd/b: OK\nd/a: OK\nd/a: OK\nd/b: OK\n");
    // What the user asks for comes first.
    let checked = sandbox.sum(["-a", "sha256", "-c", "blake256.list"]);
    assert_eq!(checked.text(), "d/a: FAILED\nd/b: FAILED\n");
}
