//! `manylane emit asm`, and `manylane run` on the S12X that is simulated here.

mod common;

use common::{MANYLANE, Sandbox};
use manylane_graph::Op;
use serde_json::Value;

fn rows(sandbox: &Sandbox, args: &[&str]) -> Vec<Value> {
    let printed = sandbox.run(MANYLANE, [args, &["--json"]].concat()).good();
    let report: Value = serde_json::from_slice(&printed).unwrap();
    report["rows"].as_array().unwrap().clone()
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or_else(|| panic!("{name}: {row}"))
}

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

/// What was run until a signal came is printed, and said not to be whole.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_prints_what_it_has() {
    use std::process::{Command, Stdio};
    let lengths = vec!["16384"; 200].join(",");
    let run = Command::new(MANYLANE)
        .args(["run", "sha256", "--on", "s12x-xgate", "--json", "--effort", "0"])
        .args(["--length", &lengths])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", run.id());
    let is_caught = || {
        let status = std::fs::read_to_string(&status).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:\t")).unwrap();
        u64::from_str_radix(mask, 16).unwrap() & 2 != 0
    };
    while !is_caught() {
        std::thread::yield_now();
    }
    let id = run.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let ran = run.wait_with_output().unwrap();
    assert_eq!(ran.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("interrupted: "));
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(report["whole"], false);
    assert!(report["rows"].as_array().unwrap().len() < 600);
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

/// The shape that is chosen is no slower than a given one, the small one is smaller, and the same
/// command writes the same bytes.
#[test]
fn the_best_shape_is_chosen() {
    let sandbox = Sandbox::new();
    let row = |args: &[&str]| {
        let run = ["run", "sha256", "--on", "s12x-xgate", "--cores", "xgate", "--length", "1024"];
        rows(&sandbox, &[&run[..], &["--effort", "100"], args].concat()).remove(0)
    };
    let chosen = row(&[]);
    for rounds in ["1", "4"] {
        let given = row(&["--unroll", rounds]);
        assert_eq!(given["digest_ok"], true, "{given}");
        assert!(number(&chosen, "cycles") <= 1.02 * number(&given, "cycles"), "{given} {chosen}");
    }
    let small = row(&["--worth", "size"]);
    assert!(number(&small, "code_bytes") < number(&chosen, "code_bytes"), "{small} {chosen}");
    assert!(number(&chosen, "cycles") < number(&small, "cycles"), "{small} {chosen}");
    let text = |folder: &str| {
        let args = ["emit", "asm", "sha1", "--cores", "xgate", "--effort", "150", "-o", folder];
        sandbox.run(MANYLANE, args).good();
        std::fs::read_to_string(sandbox.path(folder).join("sha1.s19")).unwrap()
    };
    assert_eq!(text("first"), text("second"));
}

/// Where the CPU's share pays it is there, and the README says so; without it the program is
/// slower.
#[test]
fn a_share_is_told_and_may_be_left_out() {
    let sandbox = Sandbox::new();
    let cycles = |more: &[&str], folder: &str| -> (u64, String) {
        let args = ["emit", "asm", "blake256", "--cores", "both", "--effort", "20", "-o", folder];
        sandbox.run(MANYLANE, [&args, more].concat()).good();
        let readme = std::fs::read_to_string(sandbox.path(folder).join("README.md")).unwrap();
        let row = readme.lines().find(|line| line.starts_with("| 1024 |")).unwrap();
        (row.split('|').nth(3).unwrap().trim().parse().unwrap(), readme)
    };
    let (shared, said) = cycles(&[], "shared");
    assert!(said.contains("The CPU has a share: `blake256_ahead` computes"), "{said}");
    let (alone, said) = cycles(&["--no-share"], "alone");
    assert!(said.contains("it has no share of a block") && said.contains(" --no-share"), "{said}");
    assert!(100 * shared < 95 * alone, "{shared} {alone}");
}

/// Without the CPU's code for a block the program is smaller and as fast, C is told that `final`
/// returns a status, and there must be an XGATE to compute.
#[test]
fn a_fallback_may_be_left_out() {
    let sandbox = Sandbox::new();
    for (name, declared) in [
        ("md5", "uint16_t md5_final("),
        ("hmac-md5", "uint16_t hmac_md5_final("),
        ("rc5-32/3/16", "uint16_t rc5_32_3_16_encrypt_block("),
    ] {
        let folder = name.replace('/', "-");
        let args = ["emit", "asm", name, "--cores", "xgate", "--no-fallback", "--effort", "0"];
        sandbox.run(MANYLANE, [&args[..], &["-o", &folder]].concat()).good();
        let prefix = folder.replace('-', "_");
        let file = |name: &str| std::fs::read_to_string(sandbox.path(&folder).join(name)).unwrap();
        let header = file(&format!("include/{prefix}.h"));
        assert!(header.contains(declared), "{header}");
        assert!(header.contains(&format!("#define {}_LATE ", prefix.to_uppercase())), "{header}");
        let readme = file("README.md");
        assert!(readme.contains("--no-fallback") && readme.contains("_LATE"), "{readme}");
        assert!(!readme.contains("on the CPU, which waits for nothing"), "{readme}");
        assert!(readme.contains("| until the CPU gives up, about | "), "{readme}");
    }
    let row = |more: &[&str]| {
        let args = ["run", "sha1", "--on", "s12x-xgate", "--cores", "xgate", "--length", "1024"];
        rows(&sandbox, &[&args[..], &["--effort", "0"], more].concat()).remove(0)
    };
    let (whole, part) = (row(&[]), row(&["--no-fallback"]));
    assert_eq!(part["digest_ok"], true, "{part}");
    assert!(number(&part, "code_bytes") + 1000.0 < number(&whole, "code_bytes"), "{part} {whole}");
    let ratio = number(&part, "cycles") / number(&whole, "cycles");
    assert!((0.99..=1.01).contains(&ratio), "{ratio}");
    for args in [
        &["emit", "asm", "md5", "--no-fallback", "-o", "none"][..],
        &["run", "md5", "--on", "s12x-xgate", "--cores", "cpu", "--no-fallback"],
        &["run", "md5", "--on", "host", "--no-fallback"],
        &["emit", "asm", "md5", "--cores", "xgate", "--within", "2000", "-o", "none"],
    ] {
        let ran = sandbox.run(MANYLANE, args);
        assert_eq!(ran.status, Some(1), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("--no-fallback"), "{args:?}: {}", ran.stderr);
    }
    assert!(!sandbox.path("none").exists());
}

/// A program within so many bytes has no more, and is the faster the more it may have; what cannot
/// be is refused.
#[test]
fn bytes_may_be_limited() {
    let sandbox = Sandbox::new();
    let run = |more: &[&str]| {
        let args = ["run", "sha256", "--on", "s12x-xgate", "--length", "1024", "--effort", "0"];
        sandbox.run(MANYLANE, [&args[..], &["--no-fallback", "--json"], more].concat())
    };
    let row = |more: &[&str]| -> Value {
        let report: Value = serde_json::from_slice(&run(more).good()).unwrap();
        report["rows"][0].clone()
    };
    for cores in ["xgate", "both"] {
        let [small, large] = ["3500", "6257"].map(|bytes| {
            let row = row(&["--cores", cores, "--within", bytes]);
            assert!(number(&row, "code_bytes") <= bytes.parse().unwrap(), "{row}");
            assert_eq!(row["digest_ok"], true, "{row}");
            number(&row, "cycles")
        });
        assert!(large < small, "{cores}: {small} {large}");
    }
    let args = ["run", "sha1", "--on", "s12x-xgate", "--cores", "cpu", "--length", "64"];
    let sha1 = |bytes: &str| sandbox.run(MANYLANE, [&args[..], &["--within", bytes]].concat());
    assert_eq!(sha1("4000").status, Some(0));
    for (ran, said) in [
        (sha1("2000"), "more than --within 2000"),
        (run(&["--cores", "xgate", "--within", "1500"]), "take more with --within"),
        (run(&["--cores", "both", "--within", "0"]), "--within"),
        (sandbox.run(MANYLANE, ["run", "md5", "--on", "host", "--within", "9"]), "--within is for"),
    ] {
        assert_eq!(ran.status, Some(1), "{}", ran.stderr);
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
}

/// Within the bytes of the paper's programs for both cores a block takes this many bus cycles at
/// most: what 1,024 bytes take beyond the empty message, for each of 16 blocks.
#[test]
fn speed_has_room_in_the_papers_bytes() {
    let sandbox = Sandbox::new();
    for (name, cores, bytes, most) in
        [("md5", "xgate", "4466", 1_700.0), ("sha1", "xgate", "4644", 3_650.0)]
    {
        let args = ["run", name, "--on", "s12x-xgate", "--cores", cores, "--no-fallback"];
        let more = ["--within", bytes, "--length", "0,1024", "--effort", "100", "--json"];
        let ran = sandbox.run(MANYLANE, [&args[..], &more].concat());
        let report: Value = serde_json::from_slice(&ran.good()).unwrap();
        let [empty, long] = [0, 1].map(|i| &report["rows"][i]);
        assert_eq!((&empty["digest_ok"], &long["digest_ok"]), (&true.into(), &true.into()));
        assert!(number(long, "code_bytes") <= bytes.parse().unwrap(), "{long}");
        let block = (number(long, "cycles") - number(empty, "cycles")) / 16.0;
        assert!(block <= most, "{name}: {block} cycles a block");
    }
}

/// Every choice of cores gives the definition's digests; the paper's figures stand beside ours, and
/// the CPU alone needs less than half of them.
#[test]
fn a_run_stands_beside_the_papers() {
    let sandbox = Sandbox::new();
    let args = ["run", "sha256", "--on", "s12x-xgate", "--length", "0,55,1024", "--effort", "50"];
    let rows = rows(&sandbox, &args);
    assert_eq!(rows.len(), 9, "{rows:?}");
    for row in &rows {
        assert_eq!((&row["digest_ok"], &row["platform"]), (&true.into(), &"s12x-xgate".into()));
        let (cycles, blocks) = (number(row, "cycles"), number(row, "blocks"));
        assert!((number(row, "cycles_per_block") - cycles / blocks).abs() < 1e-6, "{row}");
        let is_alone = row["cores"] == "cpu";
        assert_eq!(number(row, "handshakes") > 0.0, !is_alone, "{row}");
        assert!(!is_alone || row["predicted_cycles"].is_number(), "{row}");
        assert_eq!(row["paper_cycles"].is_number(), row["cores"] != "xgate", "{row}");
        if row["paper_cycles"].is_number() {
            assert!(2.0 * cycles < number(row, "paper_cycles"), "{row}");
        }
    }
    let cycles = |cores: &str| {
        let row = rows.iter().find(|row| row["cores"] == cores && row["length"] == 1024);
        number(row.unwrap(), "cycles")
    };
    for row in &rows {
        let of = |name: &str| number(row, name);
        let alone = rows.iter().find(|of| of["cores"] == "xgate" && of["length"] == row["length"]);
        assert_eq!(row["gain"].is_number(), row["cores"] == "both", "{row}");
        if row["cores"] == "both" {
            let gain = 1.0 - of("cycles") / number(alone.unwrap(), "cycles");
            assert!((of("gain") - gain).abs() < 1e-9, "{row}");
        }
        assert!(row["calls"].is_null() && row["program"].as_str().unwrap().len() == 16, "{row}");
        // What other machines' rows have, with `null` where it is not known here.
        for name in ["limit_cycles", "predicted_gain", "predicted_from", "constant_bytes"] {
            assert!(row.as_object().unwrap().contains_key(name), "{name}: {row}");
        }
    }
    assert!(3.0 * cycles("xgate") < cycles("cpu"));
    assert!(cycles("both") <= cycles("xgate"));
}

/// The record is of this program: its rows are complete, and each digest is the definition's.
#[test]
fn the_papers_tables_are_recorded() {
    let record = include_str!("../../../benches/record/2026-11-28-s12x.json");
    let report: Value = serde_json::from_str(record).unwrap();
    let rows = report["rows"].as_array().unwrap();
    let (hashes, cipher): (Vec<&Value>, Vec<&Value>) =
        rows.iter().partition(|row| row["primitive"] != "rc5-32/12/16");
    assert_eq!((hashes.len(), cipher.len()), (8 * 3 * 6, 3 * 3));
    for row in cipher {
        assert_eq!(row["digest_ok"], true, "{row}");
        // Key expansion with one block, in mode CTR.
        if row["length"] == 8 && row["cores"] != "cpu" {
            assert!(number(row, "cycles") <= 8000.0, "{row}");
        }
    }
    for row in hashes {
        assert_eq!(row["digest_ok"], true, "{row}");
        if row["cores"] == "cpu" {
            assert!(2.0 * number(row, "cycles") < number(row, "paper_cycles"), "{row}");
        }
    }
}

/// Predictions from the platform's measured programs are the record's runs of the paper's hashes:
/// totals within 8 %, what both cores gain over XGATE alone within 3 points.
#[test]
fn the_record_was_predicted() {
    let record = include_str!("../../../benches/record/2026-11-28-s12x.json");
    let report: Value = serde_json::from_str(record).unwrap();
    let rows = report["rows"].as_array().unwrap();
    let mut seen = 0;
    for row in rows.iter().filter(|row| row["primitive"] != "rc5-32/12/16") {
        let ratio = number(row, "predicted_cycles") / number(row, "cycles");
        assert!((0.92..=1.08).contains(&ratio), "{ratio}: {row}");
        let same = |other: &&Value| {
            other["cores"] == "xgate"
                && (&other["primitive"], &other["length"]) == (&row["primitive"], &row["length"])
        };
        if row["cores"] == "both" {
            let alone = rows.iter().find(same).unwrap();
            let gain = |of: &str| 1.0 - number(row, of) / number(alone, of);
            let error = gain("predicted_cycles") - gain("cycles");
            assert!(error.abs() <= 0.03, "{error}: {row}");
            seen += 1;
        }
    }
    assert_eq!(seen, 8 * 6);
}

/// What the platform has of programs on the CPU is what they take now.
#[test]
fn a_run_on_the_cpu_is_predicted() {
    let sandbox = Sandbox::new();
    let lengths = "0,55,56,64,119,1024";
    for name in ["sha1", "keccak256", "sha3-512", "blake224", "groestl512", "skein1024"] {
        let args = ["run", name, "--on", "s12x-xgate", "--cores", "cpu", "--length", lengths];
        for row in rows(&sandbox, &args) {
            let ratio = number(&row, "predicted_cycles") / number(&row, "cycles");
            assert!((0.92..=1.08).contains(&ratio), "{ratio}: {row}");
        }
    }
}

/// A prediction says whether the program was measured, in JSON and by a mark in the text.
#[test]
fn a_prediction_says_what_it_rests_on() {
    let sandbox = Sandbox::new();
    let run = |more: &[&str]| {
        let args = ["run", "--on", "s12x-xgate", "--length", "64", "--effort", "0"];
        [&args, more].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    for (more, from) in [
        (&["sha256", "--cores", "cpu"][..], "measured".into()),
        (&["sha256", "--cores", "cpu", "--unroll", "16"], "scaled".into()),
        (&["sha3-512", "--cores", "cpu"], "measured".into()),
        // Digests of other lengths than the catalogue's are not measured.
        (&["skein512-384", "--cores", "cpu"], "model".into()),
        // The same steps in another order of instructions than the one that was measured.
        (&["md5", "--cores", "xgate", "--unroll", "16"], "scaled".into()),
        (&["skein512-384", "--cores", "xgate"], Value::Null),
        (&["hmac-md5", "--cores", "cpu"], Value::Null),
    ] {
        let args = run(more);
        let args: Vec<&str> = args.iter().map(|arg| &arg[..]).collect();
        let row = rows(&sandbox, &args).remove(0);
        assert_eq!(row["predicted_from"], from, "{more:?}: {row}");
        assert_eq!(row["predicted_cycles"].is_number(), from.is_string(), "{more:?}: {row}");
        let text = String::from_utf8(sandbox.run(MANYLANE, &args).good()).unwrap();
        let is_marked = from == "scaled" || from == "model";
        assert_eq!(text.contains(" ~"), is_marked, "{more:?}: {text}");
        assert_eq!(text.contains("~  an estimate: "), is_marked, "{more:?}: {text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}

/// With --missing a hash is measured on those choices of cores alone whose times the file lacks.
#[test]
fn what_is_missing_is_measured() {
    let sandbox = Sandbox::new();
    let known = include_str!("../../../platforms/s12x-xgate.toml");
    let measure = |text: &str| {
        std::fs::write(sandbox.path("mine.toml"), text).unwrap();
        let args = ["platforms", "measure", "s12x-xgate", "--missing", "--platform", "mine.toml"];
        let said = sandbox.run(MANYLANE, [&args[..], &["--only", "jh256"]].concat()).good();
        String::from_utf8(said).unwrap()
    };
    assert_eq!(measure(known), known, "nothing is missing");
    let is_cpu = |line: &&str| line.starts_with("jh256 = ");
    let without: String =
        known.lines().filter(|line| !is_cpu(line)).map(|line| format!("{line}\n")).collect();
    let again = measure(&without);
    let line = known.lines().find(is_cpu).unwrap();
    assert!(again.lines().any(|other| other == line), "{line}\nis not in\n{again}");
    assert_eq!(again.lines().count(), known.lines().count());
}

/// A platform of one's own may write its tables in a line each, and have words of other lengths:
/// what is measured is read again.
#[test]
fn what_is_measured_fits_the_file() {
    let sandbox = Sandbox::new();
    let measure = |text: &str| {
        std::fs::write(sandbox.path("mine.toml"), text).unwrap();
        let args = ["measure", "s12x-xgate", "--only", "rc5", "--platform", "mine.toml"];
        sandbox.run(MANYLANE, [&["platforms"][..], &args].concat())
    };
    let file = |main: &str, coprocessor: &str| {
        format!(
            "name = \"mine\"\ntitle = \"Mine\"\nsource = \"a test\" # kept\n\
             main = {{ name = \"a\", {main} }}\n{coprocessor}"
        )
    };
    let sides = "{ send = 1, receive = 1 }";
    let second = format!(
        "coprocessor = {{ name = \"b\", word = 32, cost = {{ xor = 1 }} }}\n\
         handshake = {{ main = {sides}, coprocessor = {sides} }}\n"
    );
    for word in [16, 32] {
        let main = format!("word = {word}, cost = {{ add = 1, \"add.64\" = 7 }}");
        let text = String::from_utf8(measure(&file(&main, &second)).good()).unwrap();
        assert!(text.contains("source = \"a test\" # kept\n"), "{text}");
        assert!(text.contains("\n[main]\nname = \"a\"\nword = "), "{text}");
        let platform = manylane_plan::Platform::parse("mine.toml", &text).unwrap();
        let built_in = manylane_plan::Platform::load("s12x-xgate").unwrap();
        for core in 0..2 {
            for (op, width) in [(Op::Add, 16), (Op::Add, 32), (Op::Xor, 64), (Op::RotlVar, 32)] {
                let cost = |of: &manylane_plan::Platform| of.cost(core, op, width).unwrap();
                assert_eq!(cost(&platform), cost(&built_in), "{op:?} of {width} bits, core {core}");
            }
        }
    }
    // XGATE has other instructions than the CPU: a number of times the CPU's costs is none of it.
    for second in ["", &second.replace("word = 32, cost = { xor = 1 }", "speed = 0.5")] {
        let ran = measure(&file("word = 16, cost = { add = 1 }", second));
        assert_eq!((ran.status, ran.stdout), (Some(1), Vec::new()));
        let said = "manylane: mine.toml: no costs of XGATE: add `[coprocessor]` with `word = 16`";
        assert!(ran.stderr.starts_with(said), "{}", ran.stderr);
    }
}

/// The list of platforms does not compare cores whose costs differ operation by operation.
#[test]
fn each_core_has_its_own_costs() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run(MANYLANE, ["platforms"]).good()).unwrap();
    for (name, has_own_costs) in
        [("s12x-xgate", true), ("s12x-xgate-2012", false), ("rp2040", false), ("stm32h7", true)]
    {
        let mut lines =
            text.lines().skip_while(|line| line.split_whitespace().next() != Some(name));
        let line = lines.nth(1).unwrap();
        assert_eq!(line.contains("each core has its own cost of each operation"), has_own_costs);
        assert_eq!(line.contains(" of the cycles of "), !has_own_costs, "{name}: {line}");
    }
}

/// If a program of all does not fit, the answer is not whole, and says so by its exit status too.
#[test]
fn what_is_not_run_is_no_success() {
    let sandbox = Sandbox::new();
    let args = ["run", "--all", "--on", "s12x-xgate", "--cores", "cpu", "--within", "10"];
    let ran = sandbox.run(MANYLANE, [&args[..], &["--length", "0", "--json"]].concat());
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!((&report["whole"], &report["rows"]), (&false.into(), &Value::Array(Vec::new())));
    let refused = ran.stderr.lines().filter(|line| line.contains(": not run: ")).count();
    assert!(refused > 70, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("{refused} programs were not run")), "{}", ran.stderr);
}
