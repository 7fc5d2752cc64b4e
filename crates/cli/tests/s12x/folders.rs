//! What `manylane emit asm` writes.

use crate::common::{MANYLANE, Sandbox};
use crate::{number, rows};

/// A folder has the sources, their bytes and the README, and the S-records are those of the
/// sources.
#[test]
fn a_folder_has_a_whole_program() {
    let sandbox = Sandbox::new();
    for cores in ["cpu", "xgate", "both"] {
        let args = ["emit", "asm", "md5", "--on", "s12x-xgate", "--cores", cores, "-o", cores];
        let args = [&args[..], &["--effort", "50"]].concat();
        let said = sandbox.run(MANYLANE, args).good();
        let said = String::from_utf8(said).unwrap();
        assert!(said.contains("bus cycles a block"), "{said}");
        let file = |name: &str| {
            let path = sandbox.path(cores).join(name);
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        let source = file("src/md5.s");
        for name in ["md5_init:", "md5_update:", "md5_final:", "md5_compress:"] {
            assert!(source.contains(&format!("\n{name}\n")), "{cores}: {name}");
        }
        assert_eq!(source.contains("md5_xgate_image:"), cores != "cpu");
        let map = file("md5.map");
        assert!(file("md5.s19").starts_with("S0") && map.contains("md5_self_test"));
        // The map has the steps by their names in the definition, those of XGATE's part too.
        let has = |core: &str, label: &str| {
            let mut lines = map.lines();
            lines.any(|line| line.starts_with(core) && line.ends_with(&format!(" {label}")))
        };
        assert!(has("cpu", "md5_round16_loop") && has("cpu", "md5_round16"), "{map}");
        // XGATE's shape decides whether all rounds are one stretch, which begins with the first.
        let on_xgate = ["md5_xgate_round16_loop", "md5_xgate_round16", "md5_xgate_round0"];
        assert_eq!(on_xgate.iter().any(|label| has("xgate", label)), cores != "cpu", "{map}");
        let readme = file("README.md");
        assert!(readme.contains("| 1024 | 17 |") && readme.contains("## Sizes"), "{readme}");
        assert!(readme.contains("| on the CPU, which waits for nothing | "), "{readme}");
        assert_eq!(readme.contains("if the CPU uses the RAM in every bus cycle"), cores != "cpu");
        assert!(readme.contains(&format!("--cores {cores} --effort 50 -o {cores}\n")), "{readme}");
        let header = file("include/md5.h");
        assert!(header.contains("void md5_final(md5_ctx *c, uint8_t digest[MD5_DIGEST_BYTES]);"));
        assert_eq!(header.contains("void md5_xgate_init(void);"), cores != "cpu");
        assert_eq!(header.contains("void md5_settle(void);"), cores == "both");
        assert_eq!(sandbox.path(cores).join("src/md5_xgate.s").exists(), cores != "cpu");
    }
}

/// Words of 64 bits stay whole on every choice of cores, whatever rotations the hash has, and a
/// hash whose output may be of any length has the digest of its own length.
#[test]
fn sponges_and_words_of_64_bits_are_right() {
    let sandbox = Sandbox::new();
    for name in ["keccak256", "shake256"] {
        let args = ["run", name, "--on", "s12x-xgate", "--length", "200", "--effort", "0"];
        let rows = rows(&sandbox, &args);
        assert_eq!(rows.len(), 3, "{name}");
        for row in rows {
            assert_eq!(row["digest_ok"], true, "{row}");
        }
    }
}

/// HMAC is there on every choice of cores: as a folder, and run with its key of 32 bytes.
#[test]
fn hmac_is_written_and_run() {
    let sandbox = Sandbox::new();
    let args = ["emit", "asm", "hmac-md5", "--cores", "both", "--effort", "1", "-o", "mac"];
    sandbox.run(MANYLANE, args).good();
    let file = |name: &str| std::fs::read_to_string(sandbox.path("mac").join(name)).unwrap();
    let header = file("include/hmac_md5.h");
    let init = "void hmac_md5_init(hmac_md5_ctx *c, const void *key, uint16_t length);";
    assert!(header.contains(init), "{header}");
    assert!(file("README.md").contains("hmac_md5_init(&c, key, key_length);"));
    assert!(file("hmac_md5.map").contains("hmac_md5_self_test"));
    let args = ["run", "hmac-md5", "--on", "s12x-xgate", "--effort", "1", "--length", "0,64"];
    let rows = rows(&sandbox, &args);
    assert_eq!(rows.len(), 6);
    for row in rows {
        assert_eq!((&row["primitive"], &row["digest_ok"]), (&"hmac-md5".into(), &true.into()));
        // Two blocks of the key, the message's, and the one of the inner digest.
        let blocks = if row["length"] == 0 { 4.0 } else { 5.0 };
        assert_eq!(number(&row, "blocks"), blocks, "{row}");
    }
}

/// RC5 is there on every choice of cores, as it is in C: names, modes, and a run in mode CTR.
#[test]
fn a_cipher_is_written_and_run() {
    let sandbox = Sandbox::new();
    let args = ["emit", "asm", "rc5-32/3/16", "--cores", "both", "--effort", "1", "-o", "cipher"];
    sandbox.run(MANYLANE, args).good();
    let file = |name: &str| std::fs::read_to_string(sandbox.path("cipher").join(name)).unwrap();
    let header = file("include/rc5_32_3_16.h");
    for name in ["init", "encrypt_block", "ecb_decrypt", "cbc_encrypt", "cbc_decrypt", "ctr"] {
        assert!(header.contains(&format!(" rc5_32_3_16_{name}(")), "{name}: {header}");
    }
    assert!(file("README.md").contains("rc5_32_3_16_ctr(&c, counter, data, length);"));
    let args = ["run", "rc5", "--on", "s12x-xgate", "--effort", "1", "--length", "0,8,5000"];
    let rows = rows(&sandbox, &args);
    assert_eq!(rows.len(), 9);
    for row in rows {
        assert_eq!((&row["primitive"], &row["digest_ok"]), (&"rc5-32/12/16".into(), &true.into()));
        assert_eq!(number(&row, "blocks"), (number(&row, "length") / 8.0).ceil(), "{row}");
        // Each function alone: where XGATE computes, within the bounds of a key with a block, and
        // of a block.
        let calls = &row["calls"];
        let [key, encrypt, decrypt] =
            ["init", "encrypt_block", "decrypt_block"].map(|name| number(calls, name));
        let is_fast = key + encrypt <= 8000.0 && encrypt <= 1500.0 && decrypt <= 1600.0;
        assert!(row["cores"] == "cpu" || is_fast, "{row}");
    }
}

/// RC5 with ECB alone has no other mode, and fewer bytes than the paper's program for both cores.
#[test]
fn a_cipher_may_have_ecb_alone() {
    let sandbox = Sandbox::new();
    let args = ["emit", "asm", "rc5", "--cores", "xgate", "--no-fallback", "--modes", "ecb"];
    let said = sandbox.run(MANYLANE, [&args[..], &["--within", "2095", "-o", "small"]].concat());
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let file = |name: &str| std::fs::read_to_string(sandbox.path("small").join(name)).unwrap();
    let (header, readme) = (file("include/rc5_32_12_16.h"), file("README.md"));
    for (name, is_there) in [("encrypt_block", true), ("ecb_decrypt", true), ("cbc_", false)] {
        assert_eq!(header.contains(&format!(" rc5_32_12_16_{name}")), is_there, "{header}");
    }
    assert!(!header.contains("_ctr(") && !readme.contains("CTR"), "{readme}");
    assert!(readme.contains(" --modes ecb"), "{readme}");
    for (name, modes) in [("sha256", "ecb"), ("hmac-md5", "all"), ("rc5", "cbc")] {
        let args = ["emit", "asm", name, "--modes", modes, "-o", "none"];
        let refused = sandbox.run(MANYLANE, args);
        assert_eq!(refused.status, Some(1), "{args:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("--modes"), "{args:?}: {}", refused.stderr);
    }
}

/// RC5 with single blocks alone has no mode, and its texts speak of none.
#[test]
fn a_cipher_may_have_single_blocks_alone() {
    let sandbox = Sandbox::new();
    for (cores, options) in [
        ("xgate", &["--no-fallback", "--size", "--within", "1250"][..]),
        ("both", &["--effort", "1"]),
        ("cpu", &[]),
    ] {
        let args = ["emit", "asm", "rc5", "--modes", "block", "--cores", cores, "-o", cores];
        let said = sandbox.run(MANYLANE, [&args[..], options].concat());
        assert_eq!(said.status, Some(0), "{}", said.stderr);
        let file = |name: &str| std::fs::read_to_string(sandbox.path(cores).join(name)).unwrap();
        let (header, readme) = (file("include/rc5_32_12_16.h"), file("README.md"));
        for name in ["init", "encrypt_block", "decrypt_block"] {
            assert!(header.contains(&format!(" rc5_32_12_16_{name}(")), "{name}: {header}");
        }
        for text in [&header, &readme] {
            let has_mode = ["ecb", "ECB", "CBC", "CTR", "16 blocks", "Modes", "eight blocks"]
                .into_iter()
                .find(|mode| text.contains(mode));
            assert_eq!(has_mode, None, "{text}");
        }
        assert!(readme.contains(" --modes block"), "{readme}");
    }
}

/// A signal during the search or the writing leaves the whole folder or none, nothing beside it.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_folder_is_whole_or_not_there() {
    use std::process::{Command, Stdio};
    let sandbox = Sandbox::new();
    let at = sandbox.path("at");
    std::fs::create_dir(&at).unwrap();
    let args = ["emit", "asm", "md5", "--cores", "both", "--no-share", "--effort", "60"];
    // The signal comes later and later, until a run is over before it.
    for round in 0..12_u32 {
        let run = Command::new(MANYLANE)
            .args(args)
            .args(["-o", "folder"])
            .current_dir(&at)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1 << round));
        let _ = Command::new("kill")
            .args(["-INT", &run.id().to_string()])
            .stderr(Stdio::null())
            .status();
        let ran = run.wait_with_output().unwrap();
        let left: Vec<String> = std::fs::read_dir(&at)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        if ran.status.success() {
            assert_eq!(left, ["folder"]);
            let files = ["README.md", "md5.s19", "md5.map", "src/md5.s", "include/md5.h"];
            assert!(files.iter().all(|file| at.join("folder").join(file).exists()));
            return;
        }
        assert_eq!(left, [""; 0], "after {} ms", 1 << round);
    }
}

/// What is not written is named, with the remedy, and no folder is there.
#[test]
fn what_cannot_be_written_is_refused() {
    let sandbox = Sandbox::new();
    for (args, said) in [
        (&["rc5-8/12/16"][..], "its words are not of 16, 32 or 64 bits"),
        (&["sha256", "--on", "rp2040"], "rp2040: assembly is written for s12x-xgate"),
        (&["sha256", "--cores", "2"], "invalid value '2' for '--cores <CORES>'"),
        (&["sha256", "--name", "9x"], "asm: --name \"9x\" does not begin with a letter"),
        (&["md5", "--no-share"], "to XGATE alone: take --cores both with it"),
        (&["md5", "--cores", "xgate", "--no-share"], "take --cores both with it"),
        (&["rc5-64/255/255"], "rc5-64/255/255: its work area"),
        (&["shake128-65536"], "assembly is written for 8192 at most"),
        (&["skein256-512"], "`manylane emit c` has C for it"),
        (
            &["groestl384", "--unroll", "7"],
            "groestl384: the program reaches beyond the last address",
        ),
        (
            &["groestl384", "--cores", "xgate", "--unroll", "7", "--effort", "1"],
            "no room in 20 KiB of RAM; take --cores cpu",
        ),
    ] {
        let ran = sandbox.run(MANYLANE, [&["emit", "asm"], args, &["-o", "none"]].concat());
        assert_eq!(ran.status, Some(1), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{args:?}: {}", ran.stderr);
        assert!(!sandbox.path("none").exists(), "{args:?}");
    }
    for (args, said) in [
        (&["sha256", "--on", "s12x-xgate", "--cores", "2"][..], "take cpu, xgate, both"),
        (&["sha256", "--on", "host", "--cores", "xgate"], "take 1 or 2"),
        (&["sha256", "--on", "s12x-xgate,host"], "give it alone"),
        (&["rc5-8/12/16", "--on", "s12x-xgate"], "its words are not of 16, 32 or 64 bits"),
        (&["sha256", "--on", "s12x-xgate", "--word", "16"], "--word are for C"),
        (&["sha256", "--on", "host", "--effort", "9"], "--effort is for assembly; host runs C"),
        (&["--paper", "s12x", "--cores", "cpu"], "cannot be used with '--cores <N>'"),
    ] {
        let ran = sandbox.run(MANYLANE, [&["run"], args].concat());
        assert_eq!(ran.status, Some(1), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{args:?}: {}", ran.stderr);
    }
}
