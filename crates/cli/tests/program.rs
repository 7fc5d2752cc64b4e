//! The program around `sum`: help, lists, scripts, pages and refusals.

mod common;

use common::{MANYLANE, Sandbox};

#[test]
fn bad_usage_ends_with_1() {
    let sandbox = Sandbox::new();
    for args in [
        &[][..],
        &["nonsense"],
        &["sum", "--nonsense"],
        &["sum", "--engine", "mmx"],
        &["sum", "-j0"],
    ] {
        let ran = sandbox.run(MANYLANE, args);
        assert_eq!(ran.status, Some(1), "{args:?}");
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn help_teaches() {
    let sandbox = Sandbox::new();
    for args in [&["--help"][..], &["sum", "--help"]] {
        let help = String::from_utf8(sandbox.run(MANYLANE, args).good()).unwrap();
        for word in ["Examples:", "Exit status:", "Environment:", "MANYLANE_MAX_ISA", "NO_COLOR"] {
            assert!(help.contains(word), "{args:?} {word}");
        }
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
}

#[test]
fn unknown_algorithms_are_explained() {
    let sandbox = Sandbox::new();
    sandbox.write("key", "secret");
    for (args, words) in [
        (
            &["-a", "sha257"][..],
            &["unknown algorithm sha257", "did you mean sha2", "manylane list"][..],
        ),
        (&["-a", "whirlpool"], &["unknown algorithm whirlpool", "manylane list"]),
        (&["-a", "rc5"], &["rc5 is a block cipher"]),
        (&["-a", "hmac-sha256"], &["needs a key", "--key-file"]),
        (&["-a", "hmac-sha256", "--key-file", "none"], &["none: No such file or directory"]),
        (&["-a", "sha256", "--key-file", "key"], &["takes no key"]),
    ] {
        let ran = sandbox.sum(args);
        assert_eq!(ran.status, Some(1));
        for word in words {
            assert!(ran.stderr.starts_with("manylane: ") && ran.stderr.contains(word), "{ran:?}");
        }
    }
}

#[test]
fn a_bad_cap_on_the_instruction_set_is_an_error_and_a_good_one_holds() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "abc");
    let run = |cap: &str, args: &[&str]| {
        sandbox.command(MANYLANE).args(args).env("MANYLANE_MAX_ISA", cap).output().unwrap()
    };
    for args in [&["sum", "a"][..], &["list"]] {
        let ran = run("mmx", args);
        assert_eq!(ran.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&ran.stderr).contains("MANYLANE_MAX_ISA is `mmx`"));
    }
    assert!(run("scalar", &["sum", "a"]).status.success());
    let list = run("scalar", &["list", "--json"]).stdout;
    let list: serde_json::Value = serde_json::from_slice(&list).unwrap();
    for engine in list["engines"].as_array().unwrap() {
        assert_eq!(engine["available"], engine["name"] == "scalar");
    }
    let ran = run("scalar", &["sum", "--engine", "avx2", "a"]);
    assert!(String::from_utf8_lossy(&ran.stderr).contains("engine `avx2` cannot run here"));
}

#[test]
fn the_list_names_hashes_macs_ciphers_and_engines() {
    let sandbox = Sandbox::new();
    let list: serde_json::Value =
        serde_json::from_slice(&sandbox.run(MANYLANE, ["list", "--json"]).good()).unwrap();
    let find = |name: &str| {
        let mut all = list["primitives"].as_array().unwrap().iter();
        all.find(|primitive| primitive["name"] == name).unwrap_or_else(|| panic!("{name}"))
    };
    let sha256 = find("sha256");
    assert_eq!(sha256["kind"], "hash");
    assert_eq!(sha256["block_bits"], 512);
    assert_eq!(sha256["digest_bits"], 256);
    assert_eq!(sha256["standard"], "FIPS 180-4");
    assert_eq!(sha256["security"]["level"], "standard");
    assert!(sha256["engines"].as_array().unwrap().contains(&"scalar".into()));
    assert_eq!(find("md5")["security"]["level"], "broken");
    assert_eq!(find("shake128")["any_length"], true);
    assert_eq!(find("hmac-sha256")["kind"], "mac");
    assert_eq!(find("rc5")["kind"], "cipher");
}

#[test]
fn completions_and_manual_pages_are_made() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.run(MANYLANE, ["completions", shell]).good();
        assert!(String::from_utf8(script).unwrap().contains("ignore-missing"), "{shell}");
    }
    let page = sandbox.run(MANYLANE, ["man"]).good();
    assert!(String::from_utf8(page).unwrap().contains(".TH manylane 1"));
    sandbox.run(MANYLANE, ["man", "share/man1"]).good();
    for page in ["manylane.1", "manylane-sum.1", "manylane-list.1", "manylane-tune.1"] {
        let page = std::fs::read_to_string(sandbox.path("share/man1").join(page)).unwrap();
        let foot = concat!("\"manylane ", env!("CARGO_PKG_VERSION"), "\"");
        assert!(page.lines().any(|line| line.starts_with(".TH") && line.contains(foot)), "{page}");
    }
}
