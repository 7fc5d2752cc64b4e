//! `manylane emit c`.

mod common;

use common::text;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn emit(args: &[&str], folder: &Path) -> Output {
    let mut emit = Command::new(env!("CARGO_BIN_EXE_manylane"));
    emit.args(["emit", "c"]).args(args).arg("-o").arg(folder).output().unwrap()
}

/// A folder that was made, and what was said.
fn made(args: &[&str], folder: &Path) -> String {
    let output = emit(args, folder);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Every file below a folder, with its content.
fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let content = std::fs::read_to_string(&path).unwrap();
                all.push((path.strip_prefix(folder).unwrap().to_owned(), content));
            }
        }
    }
    all.sort();
    all
}

/// Builds the program for the PC of a folder and runs it.
fn runs(folder: &Path) -> Option<String> {
    if Command::new("cc").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "cc is missing: tools/setup.sh");
        eprintln!("skipped: cc is missing");
        return None;
    }
    let sources = std::fs::read_dir(folder.join("src")).unwrap().map(|entry| entry.unwrap().path());
    let program = folder.join("pc");
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror"]).args(sources);
    cc.args(["-pthread", "-DMANYLANE_PORT_PTHREADS"]);
    cc.arg("-I").arg(folder.join("include")).arg(folder.join("examples/pc/main.c"));
    let built = cc.arg("-o").arg(&program).output().unwrap();
    assert!(built.status.success(), "{}", text(&built.stderr));
    let ran = Command::new(&program).output().unwrap();
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    std::fs::remove_file(program).unwrap();
    Some(text(&ran.stdout).to_owned())
}

/// A folder has what was asked for, states the command that made it, and computes its known
/// answers.
#[test]
fn folders_test_themselves_and_are_made_again_by_their_command() {
    let root = tempfile::tempdir().unwrap();
    for (args, prefix, answers) in [
        (&["SHA-512/256"][..], "sha512_256", 6),
        (&["hmac-sha3-256"], "hmac_sha3_256", 11),
        (&["rc5"], "rc5_32_12_16", 3),
        (&["skein512-1024", "--packaging", "platformio,amalgamated"], "skein512_1024", 6),
        (&["hmac-skein256", "--name", "tag", "--packaging", "cmake"], "tag", 11),
        (&["sha1", "--cores", "2"], "sha1", 6),
        (&["hmac-sha3-224", "--cores", "2", "--on", "x86-two-threads"], "hmac_sha3_224", 11),
        (&["rc5-16/4/8", "--cores", "2", "--on", "ibex-duo"], "rc5_16_4_8", 3),
        (&["groestl224", "--tables", "lookup"], "groestl224", 6),
    ] {
        let folder = root.path().join(prefix);
        let said = made(args, &folder);
        assert!(said.contains(&format!("computes {answers} known answers")), "{said}");
        let source = read(&folder, &format!("src/{prefix}.c"));
        let command = source.lines().find_map(|line| line.split_once("Made by: ")).unwrap().1;
        let command = command.trim_end_matches(" */");
        assert!(read(&folder, "README.md").contains(&format!("```sh\n{command}\n```")));
        let before = files(&folder);
        if let Some(ran) = runs(&folder) {
            let cores = if args.contains(&"2") { " on one core and on two" } else { "" };
            assert_eq!(ran, format!("{prefix}: {answers} known answers, all right{cores}\n"));
        }
        let again: Vec<&str> = command.split(' ').skip(3).collect();
        let (again, _) = again.split_at(again.len() - 2);
        made(&[again, &["--force"]].concat(), &folder);
        assert_eq!(files(&folder), before, "{command}");
    }
    assert!(root.path().join("skein512_1024/library.json").is_file());
    assert!(!root.path().join("skein512_1024/CMakeLists.txt").exists());
    assert!(read(&root.path().join("tag"), "include/tag.h").contains("#include \"tag_hash.h\""));
    assert!(
        read(&root.path().join("sha1"), "README.md")
            .contains("SHA-1: chosen-prefix collisions found.")
    );
}

/// A shell that runs the recorded command makes the same folder byte for byte: with a platform and
/// without, for one core and for two, in every shape.
#[test]
fn recorded_commands_make_the_same_folders() {
    let root = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_manylane")).parent().unwrap().to_owned();
    let known = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(program).chain(std::env::split_paths(&known));
    let paths = std::env::join_paths(paths).unwrap();
    let file = root.path().join("-a board.toml");
    std::fs::write(&file, include_str!("../../plan/platforms/rp2040.toml")).unwrap();
    let in_root = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(root.path()).env("PATH", &paths);
        command
    };
    let platforms = ["", "--on=rp2040", "--on=ibex-duo", "--on=-a board.toml"];
    let of_one = ["", "--unroll=4", "--size", "--speed", "--word=64"];
    let of_two = ["--cores=2", "--cores=2,--size", "--cores=2,--unroll=2"];
    let [folder, kept] = ["a folder", "kept"].map(|name| root.path().join(name));
    for (primitive, shapes) in [
        ("sha512", &of_one[..]),
        ("hmac-blake512", &of_one),
        ("jh256", &of_one[..3]),
        ("sha3-256", &of_one[..1]),
        ("rc5-64/12/16", &of_one[..1]),
        ("md5", &of_two),
    ] {
        for (on, shape) in platforms.iter().flat_map(|on| shapes.iter().map(move |of| (on, of))) {
            let options = [*on].into_iter().chain(shape.split(','));
            let options: Vec<&str> = options.filter(|option| !option.is_empty()).collect();
            let mut emit = in_root("manylane");
            emit.args(["emit", "c", primitive]).args(&options).args(["-o", "a folder"]);
            let output = emit.output().unwrap();
            assert!(output.status.success(), "{emit:?}: {}", text(&output.stderr));
            let readme = read(&folder, "README.md");
            let command = readme.split("```sh\n").nth(1).unwrap().split('\n').next().unwrap();
            std::fs::rename(&folder, &kept).unwrap();
            let output = in_root("sh").args(["-c", command]).output().unwrap();
            assert!(output.status.success(), "{command}: {}", text(&output.stderr));
            let (made, before) = (files(&folder), files(&kept));
            let differs = made.iter().zip(&before).find(|(made, before)| made != before);
            let differs = differs.map(|((file, _), _)| file);
            assert!(made == before, "{command} for {primitive} {options:?}: {differs:?}");
            for folder in [&folder, &kept] {
                std::fs::remove_dir_all(folder).unwrap();
            }
        }
    }
}

/// A README says which of its figures were measured, and what rests on an estimate.
#[test]
fn a_readme_says_what_was_measured() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("folder");
    let estimate = "The split over two cores rests on an estimate: nobody has measured the costs";
    for (args, is_estimate, has) in [
        (&["sha256", "--cores", "2", "--on", "rp2040"][..], false, "| rp2040 | 2 |"),
        (&["sha256", "--cores", "2", "--on", "esp32"], true, "were not measured with a split"),
        (&["sha256", "--unroll", "2"], false, "This code was not measured"),
        (&["sha256", "--unroll", "2"], false, "| rp2040 | 1 | ~"),
        (&["sha256", "--unroll", "2", "--cores", "2", "--on", "ibex-duo"], false, "duo | 2 | ~"),
        (&["rc5", "--size"], false, "| ibex-duo | 1 | ~"),
        (&["groestl224", "--tables", "lookup"], false, "--word and --tables. `manylane run`"),
        (&["sha256", "--speed"], false, "With `--speed` 1,024 bytes were measured to take"),
        (&["sha256", "--speed"], false, "Little of this code was measured"),
        (&["sha512"], false, "One core of rp2040 was measured with other C, which `--cores 1 --on"),
        (&["sha512", "--on", "rp2040"], false, "Words of 64 bits are cut into words of 32 bits"),
        (&["sha512", "--on", "rp2040"], false, "| rp2040 | 1 |"),
        (
            &["sha512", "--on", "rp2040", "--word", "64"],
            false,
            "With `--word 64` 1,024 bytes were measured to take",
        ),
        (&["rc5-8/3/4"], false, "Nothing was measured of rc5-8/3/4"),
    ] {
        let said = made(&[args, &["--force"]].concat(), &folder).replace("\n  ", " ");
        let readme = read(&folder, "README.md").replace('\n', " ");
        assert_eq!(readme.contains(estimate), is_estimate, "{args:?}: {readme}");
        assert_eq!(said.contains("rests on an estimate"), is_estimate, "{args:?}: {said}");
        assert!(readme.contains(has), "{args:?}: {readme}");
        // A time is measured or estimated, not both.
        assert!(!has.contains("--speed") || !readme.contains(" ~"), "{args:?}: {readme}");
    }
}

/// C for one core differs from machine to machine in its words alone, where they were measured.
#[test]
fn one_core_takes_a_platform() {
    let root = tempfile::tempdir().unwrap();
    let [plain, named] = ["plain", "named"].map(|name| root.path().join(name));
    made(&["sha512"], &plain);
    for (on, word, is_cut) in [
        ("rp2040", None, true),
        ("rp2040", Some("64"), false),
        ("ibex-duo", None, false),
        ("esp32", None, false),
    ] {
        let word = word.map_or(Vec::new(), |word| vec!["--word", word]);
        let args = [&["sha512", "--on", on, "--force"], &word[..]].concat();
        let said = made(&args, &named).replace("\n    ", " ");
        assert_eq!(said.contains("words of 64 bits are cut into words of 32"), is_cut, "{said}");
        assert!(!said.contains("two cores") && !said.contains("estimate"), "{on}: {said}");
        let code = |folder: &Path| {
            let source = read(folder, "src/sha512.c");
            source.split_once("*/").unwrap().1.to_owned()
        };
        assert_eq!(code(&plain) != code(&named), is_cut, "{on}");
    }
}

/// What cannot be emitted is refused with status 1 and a remedy, and nothing is written.
#[test]
fn what_cannot_be_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("none");
    for (args, said) in [
        (&["sha257"][..], "did you mean sha256"),
        (&["hmac-sha257"], "did you mean"),
        (&["rc5-32/12/256"], "a key of 0 to 255 bytes, not 256"),
        (&["rc5-33/12/16"], "words of 8, 16, 32 or 64 bits, not 33"),
        (&["eta-t"], "eta-t is a pairing"),
        (
            &["hmac-skein256-512"],
            "HMAC needs a digest (64 bytes) no longer than the block (32 bytes)",
        ),
        (&["shake128-80000000"], "has no digest of 80000000 bits here"),
        (&["sha3-256", "--cores", "2", "--on", "x86-two-threads"], "take --cores 1"),
        (&["sha256", "--cores", "3"], "3 is not in 1..=2"),
        (&["md5", "--on", "nosuch"], "no platform `nosuch`: known are s12x-xgate, "),
        (&["md5", "--cores", "2", "--on", "host"], "--on host: a machine of `manylane run`, of"),
        (&["md5", "--cores", "2", "--on", "mps2-an521"], "known are s12x-xgate, s12x-xgate-2012, "),
        (&["md5", "--on", "s390x"], "`manylane run PRIMITIVE --on s390x` runs C whose split is"),
        (&["md5", "--cores", "2", "--on", "s12x-xgate"], "take `manylane emit asm`, or another"),
        (&["md5", "--on", "s12x-xgate"], "its costs are those of assembly"),
        (&["sha256", "--tables", "fast"], "bitwise, lookup"),
        (&["sha256", "--tables", "lookup"], "such as Grøstl's; sha256 has none"),
        (&["rc5", "--tables", "lookup"], "such as Grøstl's; rc5-32/12/16 has none"),
        (
            &["sha256", "--packaging", "make"],
            "cmake, pico-sdk, zephyr, esp-idf, platformio, amalgamated",
        ),
        (&["sha256", "--name", "int"], "reserved word of C or C++"),
        (&["sha256", "--name", "sha-256"], "other characters"),
        (&["sha256", "--name", ""], "is empty"),
        (&["blake256", "--cores", "2", "--name", "constants"], "a variable inside the library"),
        (&["sha256", "--name", "m0"], "a variable inside the library"),
        (&["sha256", "--cores", "2", "--name", "there"], "a variable inside the library"),
    ] {
        let refused = emit(args, &folder);
        let error = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{args:?}: {error}");
        assert!(error.contains(said), "{args:?}: {error}");
        assert!(!folder.exists(), "{args:?}");
    }
    let one_core = root.path().join("one.toml");
    let text_of_one = "name = \"small\"\ntitle = \"A small chip\"\nsource = \"none\"\n\
                       [main]\nname = \"core\"\nword = 32\n[main.cost]\nadd = 1\n";
    std::fs::write(&one_core, text_of_one).unwrap();
    for primitive in ["sha256", "rc5"] {
        let refused = emit(&[primitive, "--cores=2", "--on", one_core.to_str().unwrap()], &folder);
        let error = text(&refused.stderr);
        assert!(error.contains("small has one core: leave out --cores 2"), "{error}");
        assert!(!folder.exists() && refused.status.code() == Some(1), "{primitive}");
    }
    made(&["md5"], &folder);
    let refused = emit(&["md5"], &folder);
    assert!(text(&refused.stderr).contains("has files already"), "{}", text(&refused.stderr));
    if cfg!(target_os = "linux") {
        let refused = emit(&["md5"], Path::new("/proc/x/y"));
        let said = text(&refused.stderr);
        assert!(said.contains("/proc: takes no new folders; name another place"), "{said}");
    }
    let refused = emit(&["md5"], Path::new("-"));
    assert!(text(&refused.stderr).contains("name a folder"), "{}", text(&refused.stderr));
}

/// A folder whose name would end a comment of C, or begin one within another, does no harm.
#[test]
fn names_of_folders_end_no_comment() {
    let root = tempfile::tempdir().unwrap();
    for name in ["a*/b */ int x; é", "x/*y"] {
        let folder = root.path().join(name);
        made(&["sha256"], &folder);
        for file in ["src/sha256.c", "include/sha256.h"] {
            let text = read(&folder, file);
            let line = text.lines().find(|line| line.contains("Made by: ")).unwrap();
            assert!(line.matches("/*").count() <= 1 && line.matches("*/").count() <= 1, "{line}");
        }
        runs(&folder);
    }
}

/// The command in a comment names the same platform's file to a shell.
#[test]
fn names_of_platforms_end_no_comment() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("d*").join("*x/*.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = include_str!("../../plan/platforms/ibex-duo.toml");
    std::fs::write(&file, text).unwrap();
    let folder = root.path().join("made");
    made(&["sha256", "--cores", "2", "--on", file.to_str().unwrap()], &folder);
    for name in ["src/sha256.c", "include/sha256.h"] {
        let text = read(&folder, name);
        let line = text.lines().find(|line| line.contains("Made by: ")).unwrap();
        assert!(line.matches("/*").count() <= 1 && line.matches("*/").count() <= 1, "{line}");
        let (_, command) = line.split_once("--on ").unwrap();
        let (argument, _) = command.split_once(" -o").unwrap();
        let said = Command::new("sh").args(["-c", &format!("printf %s {argument}")]).output();
        assert_eq!(said.unwrap().stdout, file.to_str().unwrap().as_bytes(), "{argument}");
    }
    runs(&folder);
}
