//! `manylane tune`, and the table that it keeps.
#![cfg_attr(not(target_os = "linux"), allow(unused_imports))]

mod common;

use common::{MANYLANE, Ran, Rng, Sandbox};
use serde_json::Value;
use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Runs the program with `MANYLANE_TUNING` set so.
fn run(sandbox: &Sandbox, tuning: impl AsRef<OsStr>, args: &[&str]) -> Ran {
    let mut command = sandbox.command(MANYLANE);
    command.args(args).env("MANYLANE_TUNING", tuning);
    command.env("XDG_CACHE_HOME", sandbox.path("cache")).env("HOME", sandbox.path("home"));
    let output = command.output().unwrap();
    Ran {
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
        status: output.status.code(),
    }
}

/// A table of SHA-256 and BLAKE-256 made by the program, as quickly as can be.
fn tuned(sandbox: &Sandbox) -> (PathBuf, String) {
    let file = sandbox.path("folder/table");
    run(sandbox, &file, &["tune", "--runs", "1", "sha256", "hmac-blake256"]).good();
    let text = std::fs::read_to_string(&file).unwrap();
    (file, text)
}

/// If the home directory is no directory there is no table, and no message about it.
#[test]
#[cfg(target_os = "linux")]
fn a_home_that_is_no_directory_has_no_table() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    for home in ["/dev/null", "/nonexistent"] {
        let mut command = sandbox.command(MANYLANE);
        command.args(["sum", "a"]).env_remove("MANYLANE_TUNING").env_remove("XDG_CACHE_HOME");
        let output = command.env("HOME", home).output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{home}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_table_is_kept_in_the_cache_and_removed() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    let folder = sandbox.path("cache/manylane");
    let dry = run(&sandbox, "", &["tune", "--dry-run", "--runs", "1", "md5"]).good();
    assert!(String::from_utf8(dry).unwrap().contains("nothing was written"));
    assert!(!folder.exists());
    let said =
        String::from_utf8(run(&sandbox, "", &["tune", "--runs", "1", "md5"]).good()).unwrap();
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap()).collect();
    assert_eq!(files.len(), 1, "nothing is left beside the table");
    let name = files[0].file_name().into_string().unwrap();
    assert!(said.contains(&name), "{said}");
    assert!(name.starts_with("tuning-") && name.contains(env!("CARGO_PKG_VERSION")), "{name}");

    let shown = String::from_utf8(run(&sandbox, "", &["tune", "--show"]).good()).unwrap();
    assert!(shown.contains("\nmd5 scalar 1 ") && shown.contains(&name), "{shown}");
    // What is measured later is added.
    run(&sandbox, "", &["tune", "--runs", "1", "jh384"]).good();
    let json = run(&sandbox, "", &["tune", "--show", "--json"]).good();
    let json: Value = serde_json::from_slice(&json).unwrap();
    let families = json["families"].as_array().unwrap();
    assert_eq!(families.len(), 2);
    assert_eq!(families[0]["primitives"], serde_json::json!(["md5"]));
    assert!(families[1]["primitives"].as_array().unwrap().contains(&"jh384".into()));
    for family in families {
        let choice = family["choice"].as_array().unwrap();
        assert_eq!(choice[0]["from"], 1);
        assert_eq!(choice.last().unwrap()["to"], 64);
        assert!(
            family["kernels"]
                .as_array()
                .unwrap()
                .iter()
                .all(|k| k["nanoseconds"].as_f64() > Some(0.0))
        );
    }
    run(&sandbox, "", &["sum", "a"]).good();

    // Another instruction set has another table.
    let mut capped = sandbox.command(MANYLANE);
    capped.args(["tune", "--show"]).env("MANYLANE_TUNING", "").env("MANYLANE_MAX_ISA", "scalar");
    capped.env("XDG_CACHE_HOME", sandbox.path("cache"));
    let capped = String::from_utf8(capped.output().unwrap().stdout).unwrap();
    assert!(capped.contains("nothing was measured"), "{capped}");
    assert!(capped.contains("\nmd5                       1 to 64   scalar"), "{capped}");

    let said = String::from_utf8(run(&sandbox, "", &["tune", "--clear"]).good()).unwrap();
    assert!(said.starts_with("removed ") && said.contains(&name), "{said}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    let said = String::from_utf8(run(&sandbox, "", &["tune", "--clear"]).good()).unwrap();
    assert!(said.starts_with("there is no "), "{said}");
    // The built-in table serves again.
    for tuning in ["", "off"] {
        let shown = run(&sandbox, tuning, &["tune", "--show"]).good();
        let shown = String::from_utf8(shown).unwrap();
        assert!(shown.contains("nothing was measured here: the built-in table serves, of "));
        assert!(shown.contains("\nmd5 ") && shown.contains("\njh224 to jh512 "), "{shown}");
        let json = run(&sandbox, tuning, &["tune", "--show", "--json"]).good();
        let json: Value = serde_json::from_slice(&json).unwrap();
        assert!(json["file"].is_null() && json["of_this_core"].is_boolean(), "{json}");
        for family in json["families"].as_array().unwrap() {
            let choice = family["choice"].as_array().unwrap();
            assert_eq!(
                (&choice[0]["from"], &choice.last().unwrap()["to"]),
                (&1.into(), &64.into())
            );
        }
    }
}

/// A bad table causes a warning with the file and the remedy, and the right digest all the same.
#[test]
fn a_bad_table_is_told_of_and_not_used() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    let (file, text) = tuned(&sandbox);
    let good = run(&sandbox, "off", &["sum", "a"]).good();
    assert_eq!(run(&sandbox, &file, &["sum", "a"]).good(), good);
    let elsewhere = text.replace("\ncpu ", "\ncpu Another ");
    for (bytes, why) in [
        (&b""[..], "line 1"),
        (&text.as_bytes()[..text.len() / 2], "line"),
        (
            text.replace("sha224 scalar 1 ", "sha224 scalar 1 x").as_bytes(),
            "no time in nanoseconds",
        ),
        (text.replace("manylane ", "manylane 9").as_bytes(), "it was made for manylane `9"),
        (elsewhere.as_bytes(), "it was made for cpu `Another"),
        (b"\xff\xfe\x00", "UTF-8"),
        (&[b'\n'; 2 << 20], "line 1"),
    ] {
        std::fs::write(&file, bytes).unwrap();
        let ran = run(&sandbox, &file, &["sum", "a"]);
        assert_eq!((&ran.stdout, ran.status), (&good, Some(0)), "{why}");
        for word in ["folder/table: ", why, "`manylane tune`"] {
            assert!(ran.stderr.contains(word), "{word} in {}", ran.stderr);
        }
        // The remedy, which takes no file of another kind for a damaged table.
        let is_table = bytes.is_empty() || bytes.starts_with(b"manylane ");
        for args in [&["tune", "--runs", "1", "md5"][..], &["tune", "--clear"]] {
            std::fs::write(&file, bytes).unwrap();
            let ran = run(&sandbox, &file, args);
            if is_table {
                assert_eq!(ran.status, Some(0), "{why}: {}", ran.stderr);
                let is_replaced = args[1] == "--runs";
                assert_eq!(ran.stderr.contains("it is replaced"), is_replaced, "{why}");
                assert_eq!(file.exists(), is_replaced, "{why}");
                if is_replaced {
                    assert_eq!(run(&sandbox, &file, &["sum", "a"]).good(), good);
                }
            } else {
                assert_eq!((ran.status, ran.stdout), (Some(1), Vec::new()), "{why}");
                let said = "folder/table: is no table of `manylane tune`, and stays; ";
                assert!(ran.stderr.contains(said), "{}", ran.stderr);
                assert!(std::fs::read(&file).unwrap() == bytes, "{args:?}: {why}");
            }
        }
    }

    let none = sandbox.path("none");
    let ran = run(&sandbox, &none, &["sum", "a"]);
    assert!(
        ran.status == Some(0) && ran.stderr.contains("there is no such file"),
        "{}",
        ran.stderr
    );
    // A pipe would keep the program waiting for its writer.
    assert!(sandbox.command("mkfifo").arg("pipe").status().unwrap().success());
    let ran = run(&sandbox, sandbox.path("pipe"), &["sum", "a"]);
    assert!(ran.status == Some(0) && ran.stderr.contains("is no regular file"), "{}", ran.stderr);
    let ran = run(&sandbox, sandbox.path(""), &["tune", "--runs", "1", "md5"]);
    assert_eq!(ran.status, Some(1), "a folder is no file");
    let ran = run(&sandbox, "off", &["tune", "--runs", "1", "md5"]);
    assert!(
        ran.status == Some(1) && ran.stderr.contains("MANYLANE_TUNING is off"),
        "{}",
        ran.stderr
    );
}

/// A device is not replaced by a table, nor a link by a file: the file that it leads to is written.
#[test]
#[cfg(target_os = "linux")]
fn what_is_no_regular_file_stays() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new();
    let tune = |file: &PathBuf| run(&sandbox, file, &["tune", "--runs", "1", "md5"]);
    let is_link = |file: &PathBuf| file.symlink_metadata().unwrap().is_symlink();
    let device = sandbox.path("device");
    symlink("/dev/full", &device).unwrap();
    let ran = tune(&device);
    assert!(is_link(&device), "it was replaced");
    assert_eq!((ran.status, ran.stdout), (Some(1), Vec::new()));
    assert!(ran.stderr.contains("device: is no regular file"), "{}", ran.stderr);
    let (file, _) = tuned(&sandbox);
    let link = sandbox.path("link");
    symlink(&file, &link).unwrap();
    tune(&link).good();
    assert!(is_link(&link), "it was replaced");
    assert!(std::fs::read_to_string(&file).unwrap().contains("\nmd5 scalar 1 "));
}

#[test]
fn what_has_no_kernels_is_refused() {
    let sandbox = Sandbox::new();
    for (name, why) in [("sha265", "did you mean sha2"), ("rc5", "block cipher")] {
        let ran = run(&sandbox, sandbox.path("table"), &["tune", name]);
        assert!(ran.status == Some(1) && ran.stderr.contains(why), "{}", ran.stderr);
    }
    assert!(!sandbox.path("table").exists());
}

/// Whatever times a table has, digests of short and long files are the same, and a forced engine is
/// used.
#[test]
fn sums_do_not_depend_on_the_table() {
    let sandbox = Sandbox::new();
    let mut rng = Rng::from_name("sums_do_not_depend_on_the_table");
    let names: Vec<_> = (0..40)
        .map(|i| {
            let length = if i % 10 == 0 { 3_000_000 } else { rng.below(5000) };
            sandbox.write(format!("{i}"), rng.bytes(length));
            format!("{i}")
        })
        .collect();
    let (file, text) = tuned(&sandbox);
    for algorithm in ["sha256", "blake256"] {
        let mut args = vec!["sum", "-a", algorithm];
        args.extend(names.iter().map(String::as_str));
        let expected = run(&sandbox, "off", &args).good();
        for _ in 0..4 {
            let other_times = text.lines().map(|line| match line.rsplit_once(' ') {
                Some((kernel, _))
                    if line.starts_with("sha224 ") || line.starts_with("blake224 ") =>
                {
                    format!("{kernel} {}.5\n", rng.below(1000))
                }
                _ => format!("{line}\n"),
            });
            std::fs::write(&file, other_times.collect::<String>()).unwrap();
            assert_eq!(run(&sandbox, &file, &args).good(), expected, "{algorithm}");
        }
        args.extend(["--engine", "portable"]);
        assert_eq!(run(&sandbox, &file, &args).good(), expected);
        let bench = ["bench", algorithm, "--engine", "portable", "--runs", "1", "--json"];
        let bench: Value = serde_json::from_slice(&run(&sandbox, &file, &bench).stdout).unwrap();
        for row in bench["rows"].as_array().unwrap() {
            assert_eq!(row["engine"], "portable");
            let percent = row["occupancy_percent"].as_f64().unwrap();
            assert!(percent > 0.0 && percent <= 100.0, "{row}");
        }
    }
}

/// Whether a thread of a run measures kernels.
#[cfg(target_os = "linux")]
fn measures(run: &Child) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{}/task", run.id())).unwrap();
    let name = |thread: PathBuf| std::fs::read_to_string(thread.join("comm")).ok();
    let mut names = threads.filter_map(|thread| name(thread.ok()?.path()));
    names.any(|name| name == "measure\n")
}

/// Waits until a run has decided whether it measures. Its first thread does so before each of its
/// waits for a digest, and the system counts the waits.
#[cfg(target_os = "linux")]
fn wait_for_decision(run: &Child) {
    let waits = || -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", run.id())).unwrap();
        let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        count.unwrap().trim().parse().unwrap()
    };
    // Once there is a thread that hashes, the first thread waits for it.
    let threads = || std::fs::read_dir(format!("/proc/{}/task", run.id())).unwrap().count();
    while threads() == 1 {
        sleep(Duration::from_millis(1));
    }
    let begin = waits();
    while waits() < begin + 10 {
        sleep(Duration::from_millis(1));
    }
}

/// A long run on a CPU without built-in times measures them, once and silently. The variable makes
/// any CPU count as one without times, and any run as long.
#[test]
#[cfg(target_os = "linux")]
fn a_long_run_measures_meanwhile() {
    let sandbox = Sandbox::new();
    let start = |tuning: &str, cache: &str, after: &str| {
        let mut command = sandbox.command(MANYLANE);
        command.arg("sum").env("MANYLANE_TUNING", tuning).env("MANYLANE_MEASURE_AFTER", after);
        command.env("XDG_CACHE_HOME", sandbox.path(cache)).env("HOME", sandbox.path("home"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let run = command.spawn().unwrap();
        wait_for_decision(&run);
        run
    };
    // The run ends with its input.
    let end = |mut child: Child| {
        child.stdin.take().unwrap().write_all(b"abc").unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.starts_with("ba7816bf"), "{said}");
        assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));
    };
    // However long the thread of the lowest priority takes beside other programs, it ends.
    let end_measured = |child: Child| {
        while measures(&child) {
            sleep(Duration::from_millis(20));
        }
        end(child);
    };
    let tables = |cache: &str| -> Vec<(PathBuf, String)> {
        let folder = std::fs::read_dir(sandbox.path(cache).join("manylane")).unwrap();
        let paths = folder.map(|entry| entry.unwrap().path());
        paths.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
    };
    // That nothing can be written is no reason to complain.
    let children = [start("", "cache", "0"), start("", "/proc", "0")];
    children.into_iter().for_each(end_measured);
    let measured = tables("cache");
    assert_eq!(measured.len(), 1, "a table, and nothing beside it");
    let json = run(&sandbox, "", &["tune", "--show", "--json"]).good();
    let json: Value = serde_json::from_slice(&json).unwrap();
    let hashes = json["families"].as_array().unwrap().iter();
    let hashes: usize = hashes.map(|one| one["primitives"].as_array().unwrap().len()).sum();
    assert_eq!(hashes, manylane_engine::HashId::ALL.len());

    // Kernels are not measured again, nor if the user wants no table, nor in a short run.
    for (tuning, cache, after) in
        [("", "cache", "0"), ("off", "no cache", "0"), ("", "no cache", "1000000000")]
    {
        let child = start(tuning, cache, after);
        assert!(!measures(&child), "{tuning} {cache} {after}");
        end(child);
    }
    assert_eq!(tables("cache"), measured);
    assert!(!sandbox.path("no cache").exists());
}
