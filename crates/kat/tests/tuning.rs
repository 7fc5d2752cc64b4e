//! Times decide which kernel serves and never what it computes.

use manylane_engine::tuning::{Error, KernelName, Tuning, family, install, probes};
use manylane_engine::tuning::{batches_one_by_one, selection, selection_of};
use manylane_engine::{Batch, Engine, HashId, Hasher, engines};
use manylane_kat::{Backend, MOST_LANES, MacBackend, Rng};
use std::process::Command;

const CPU: &str = "a CPU, model 1";

/// The first hash of each family.
fn firsts() -> impl Iterator<Item = HashId> {
    HashId::ALL.iter().copied().filter(|&id| family(id)[0] == id)
}

fn kernels(hash: HashId) -> Vec<KernelName> {
    probes(hash).unwrap().iter().map(|probe| probe.kernel()).collect()
}

/// A time for every kernel, by a function of the hash and its kernel.
fn table(mut time: impl FnMut(HashId, KernelName) -> f64) -> Tuning {
    let mut table = Tuning::new(CPU);
    for hash in firsts() {
        for kernel in kernels(hash) {
            table.set(hash, kernel, time(hash, kernel));
        }
    }
    table
}

fn random(name: &str) -> Tuning {
    let mut rng = Rng::from_name(name);
    table(|_, _| (rng.below(10_000) + 1) as f64 / 10.0)
}

#[test]
fn families_are_all_hashes_each_once() {
    let mut all: Vec<_> = firsts().flat_map(family).collect();
    all.sort_by_key(|id| HashId::ALL.iter().position(|other| other == id));
    assert_eq!(all, HashId::ALL);
    assert_eq!(family(HashId::Sha256), [HashId::Sha224, HashId::Sha256]);
    assert!(firsts().count() > 10);
}

/// The engine reads the times that are built in as numbers with one decimal, and leaves out what is
/// none.
#[test]
fn times_that_are_built_in_have_one_decimal() {
    // Zen 3 has no AVX-512, and therefore fewer kernels.
    let tables = [
        (95, include_str!("../../engine/src/select/sapphire_rapids.txt")),
        (85, include_str!("../../engine/src/select/zen3.txt")),
        (95, include_str!("../../engine/src/select/zen4.txt")),
        (95, include_str!("../../engine/src/select/zen5.txt")),
    ];
    for (more_than, table) in tables {
        let is_time = |line: &&str| line.split(' ').next().unwrap().parse::<HashId>().is_ok();
        let times: Vec<&str> = table.lines().filter(is_time).collect();
        assert!(times.len() > more_than, "{} times", times.len());
        for line in times {
            let (whole, tenth) = line.rsplit(' ').next().unwrap().split_once('.').expect(line);
            assert!(whole.parse::<u32>().is_ok() && tenth.len() == 1, "{line}");
        }
    }
}

#[test]
fn a_table_reads_what_it_writes() {
    let table = random("a_table_reads_what_it_writes");
    let text = table.to_string();
    assert_eq!(Tuning::read(&text, CPU), Ok(table));
    let crlf = text.replace('\n', "\r\n");
    assert!(Tuning::read(&crlf, CPU).is_ok());
    let mut some = Tuning::new(CPU);
    for kernel in kernels(HashId::Sha512_256) {
        some.set(HashId::Sha512_256, kernel, 1.5);
    }
    assert_eq!(some.hashes().collect::<Vec<_>>(), [HashId::Sha384]);
    assert_eq!(some.times(HashId::Sha512), some.times(HashId::Sha384));
    assert_eq!(some.times(HashId::Md5), None);
    assert_eq!(Tuning::read(&some.to_string(), CPU), Ok(some));
}

/// Whatever is cut off, and whatever one line is replaced by, is found, and the line is named.
#[test]
fn damage_is_found() {
    let text = random("damage_is_found").to_string();
    for end in (0..text.len() - 1).step_by(7) {
        assert!(Tuning::read(&text[..end], CPU).is_err(), "cut at byte {end}");
    }
    let lines: Vec<_> = text.lines().collect();
    for (wrong, why) in [
        ("md5 scalar 1", "is expected"),
        ("md6 scalar 1 5.0", "no hash is named `md6`"),
        ("md5 mmx 1 5.0", "no engine is named `mmx`"),
        ("md5 scalar one 5.0", "no number of lanes"),
        ("md5 scalar 1 -5.0", "no time"),
        ("md5 scalar 1 NaN", "no time"),
        ("md5 scalar 1 inf", "no time"),
        ("md5 scalar 1 0", "no time"),
        (lines[5], "second time"),
        ("kernels 3", "3 kernels promised"),
        ("", "is expected"),
        ("\u{0}\u{1}", "is expected"),
    ] {
        let mut lines = lines.clone();
        lines[6] = wrong;
        let error = Tuning::read(&lines.join("\n"), CPU).unwrap_err().to_string();
        assert!(error.contains("line 7") && error.contains(why), "{wrong}: {error}");
    }
    let mut unknown = lines.clone();
    unknown[6] = "md5 scalar 31 5.0";
    let error = Tuning::read(&unknown.join("\n"), CPU).unwrap_err();
    assert!(matches!(error, Error::Kernels { .. }), "{error}");
    let error = Tuning::read(&format!("{text}\nmore"), CPU).unwrap_err();
    assert!(error.to_string().contains("nothing may follow"), "{error}");
}

#[test]
fn a_table_from_elsewhere_is_refused() {
    let text = random("a_table_from_elsewhere_is_refused").to_string();
    let version = concat!("manylane ", env!("CARGO_PKG_VERSION"));
    for (text, cpu, what) in [
        (text.clone(), "another CPU", "cpu"),
        (text.replace(version, "manylane 0.0.1"), CPU, "manylane"),
        (text.replace("\nengines scalar", "\nengines abacus, scalar"), CPU, "engines"),
    ] {
        match Tuning::read(&text, cpu).unwrap_err() {
            Error::Elsewhere { what: found, made, here } => {
                assert_eq!(found, what);
                assert_ne!(made, here);
            }
            other => panic!("{what}: {other}"),
        }
    }
}

/// The kernel that is said to be fast serves, for every number of messages.
#[test]
fn times_decide() {
    for hash in firsts() {
        for fast in kernels(hash) {
            let tuning = table(|_, kernel| if kernel == fast { 0.1 } else { 1e6 });
            let chosen = selection(hash, Some(&tuning)).unwrap();
            assert_eq!(chosen, vec![fast; MOST_LANES], "{hash:?}");
        }
    }
}

/// A kernel that reads tables at secret addresses is not chosen for being twice as fast.
#[test]
fn times_do_not_bring_tables_back() {
    for hash in [HashId::Groestl256, HashId::Groestl512] {
        let with_tables = |kernel: KernelName| {
            matches!(kernel.engine, Engine::Scalar | Engine::Bmi2 | Engine::Portable)
        };
        if kernels(hash).into_iter().all(with_tables) {
            return eprintln!("skipped: no engine here computes {hash:?} without tables");
        }
        let tuning = table(|_, kernel| {
            // Per message twice as fast as the others.
            if with_tables(kernel) { kernel.lanes as f64 } else { 2.0 }
        });
        let chosen = selection(hash, Some(&tuning)).unwrap();
        assert!(!chosen.into_iter().any(with_tables), "{hash:?}");
    }
}

/// The factor on the times of kernels that read tables at secret addresses.
fn handicap(hash: HashId, kernel: KernelName) -> f64 {
    let looks_up = matches!(hash.name(), "groestl224" | "groestl256" | "groestl384" | "groestl512");
    let with_tables = matches!(kernel.engine, Engine::Scalar | Engine::Bmi2 | Engine::Portable);
    if looks_up && with_tables { 4.0 } else { 1.0 }
}

/// The kernels that are chosen for the calls of so many messages, one after the other.
fn calls(chosen: &[KernelName], count: usize) -> Vec<KernelName> {
    let (mut calls, mut left) = (Vec::new(), count);
    while left > 0 {
        let kernel = chosen[left - 1];
        calls.push(kernel);
        left = left.saturating_sub(kernel.lanes);
    }
    calls
}

/// The least time of calls that serve `count` messages: of all multisets of kernels, each tried.
fn least(kernels: &[(KernelName, f64)], count: usize) -> f64 {
    match kernels {
        _ if count == 0 => 0.0,
        [] => f64::INFINITY,
        [(kernel, time), others @ ..] => (0..=count.div_ceil(kernel.lanes))
            .map(|n| n as f64 * time + least(others, count.saturating_sub(n * kernel.lanes)))
            .fold(f64::INFINITY, f64::min),
    }
}

/// No other calls would take less time, by random times and by those that are built in.
#[test]
fn calls_take_the_least_time_together() {
    for seed in ["calls 1", "calls 2"] {
        let tuning = random(seed);
        for hash in firsts() {
            let chosen = selection(hash, Some(&tuning)).unwrap();
            let times = tuning.times(hash).unwrap();
            let time = |kernel: &KernelName| handicap(hash, *kernel) * times.get(*kernel).unwrap();
            // A kernel that takes longer than another with as many lanes is in no best choice.
            let mut kernels: Vec<_> =
                times.iter().map(|(kernel, _)| (kernel, time(&kernel))).collect();
            let all = kernels.clone();
            kernels.retain(|(kernel, time)| {
                !all.iter().any(|(other, less)| other.lanes >= kernel.lanes && less < time)
            });
            for count in (1..=24).chain([31, 33, 50]) {
                let together: f64 = calls(&chosen, count).iter().map(time).sum();
                let least = least(&kernels, count);
                assert!(
                    together <= 1.001 * least,
                    "{hash:?}, {count}: {:?} takes {together}, not {least}",
                    calls(&chosen, count)
                );
            }
        }
    }
}

/// What a batch of messages of one length computes is what was chosen, call by call.
#[test]
fn batches_follow_the_choice() {
    for &hash in HashId::ALL {
        let block = hash.entry().shape.block_bytes;
        // A byte after whole blocks, which are as many whether the last one is held back or not.
        for whole in [0, 1, 3, 20] {
            let chosen = selection_of(hash, whole + 1, None).unwrap();
            let alone = batches_one_by_one(hash, whole + 1).unwrap();
            for count in (1..=20).chain([33, 47, MOST_LANES]) {
                let messages = vec![vec![0; whole * block + 1]; count];
                let one = Batch::new(hash).work(&messages[..1]).unwrap().useful;
                let mut expected = std::collections::BTreeMap::new();
                let calls = match alone[count - 1] {
                    true => vec![chosen[0]; count],
                    false => calls(&chosen, count),
                };
                for kernel in calls {
                    *expected.entry(kernel).or_default() += kernel.lanes as u64 * one;
                }
                let work = Batch::new(hash).work(&messages).unwrap();
                assert_eq!(work.computed, expected, "{hash:?}, {count} of {whole} blocks");
                assert_eq!(work.useful, one * count as u64);
            }
        }
    }
}

/// A table that is refused is not installed.
#[test]
fn a_table_that_would_not_serve_is_refused() {
    let id = HashId::Sha256;
    let of_all = |time: f64| {
        let mut table = Tuning::new(CPU);
        kernels(id).into_iter().for_each(|kernel| table.set(id, kernel, time));
        table
    };
    for time in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = install(&of_all(time)).unwrap_err();
        assert!(matches!(error, Error::Time { hash: "sha224", .. }), "{time}: {error}");
        assert!(error.to_string().contains(Engine::Scalar.name()), "{error}");
    }
    let mut some = Tuning::new(CPU);
    some.set(id, kernels(id)[0], 1.5);
    let mut more = of_all(1.5);
    more.set(id, KernelName { engine: Engine::Scalar, lanes: 77 }, 1.5);
    for table in [some, more] {
        assert_eq!(install(&table), Err(Error::Kernels { hash: "sha224" }));
    }
}

/// A process has one table, so each is tried in a process of its own.
#[test]
fn digests_do_not_depend_on_times() {
    for seed in ["a", "b", "c"] {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "with_a_random_table"])
            .env("MANYLANE_TEST_SEED", seed)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && said.contains("1 passed"), "{seed}: {said}");
    }
}

#[test]
#[ignore = "run by digests_do_not_depend_on_times"]
fn with_a_random_table() {
    let seed = std::env::var("MANYLANE_TEST_SEED").unwrap_or_default();
    let tuning = random(&seed);
    install(&tuning).unwrap();
    assert!(matches!(install(&tuning), Err(Error::Installed)));
    let mut rng = Rng::from_name(&seed);
    let mut unusual = 0;
    for &hash in HashId::ALL {
        let block = hash.entry().shape.block_bytes;
        let chosen = selection(hash, Some(&tuning)).unwrap();
        unusual += usize::from(chosen != selection(hash, None).unwrap());
        let times = tuning.times(hash).unwrap();
        let time = |kernel: &KernelName| handicap(hash, *kernel) * times.get(*kernel).unwrap();
        for count in [1, 2, 3, 5, 8, 13, MOST_LANES, 2 * MOST_LANES + 3] {
            let lengths: Vec<_> = (0..count).map(|_| rng.below(4 * block)).collect();
            let messages = rng.messages(lengths);
            let expected = Backend::Definition.digest_many(hash, &messages);
            for backend in Backend::each_engine(hash).into_iter().chain([Backend::Group(None)]) {
                assert_eq!(backend.digest_many(hash, &messages), expected, "{hash:?}, {backend}");
            }
            // A forced engine is used, whatever the table says.
            for engine in engines(hash).unwrap() {
                assert_eq!(Hasher::on(hash, Some(engine)).unwrap().engine(), engine);
                let work = Batch::new(hash).engine(engine).work(&messages).unwrap();
                assert!(work.computed.keys().all(|kernel| kernel.engine == engine));
            }
            let most = Batch::new(hash).work(&vec![[0; 8192]; 1000]).unwrap().kernel();
            let per_message = |kernel: &KernelName| time(kernel) / kernel.lanes as f64;
            let kernels = times.iter().map(|(kernel, _)| kernel);
            let best = kernels.min_by(|a, b| per_message(a).total_cmp(&per_message(b)));
            assert_eq!(most, best, "{hash:?}");
        }
    }
    assert!(unusual > HashId::ALL.len() / 2, "the table is like the built-in one");
    let messages = rng.messages([0, 1, 64, 65, 1000]);
    let expected = MacBackend::Definition.mac_many(HashId::Sha256, b"key", &messages);
    let tags = MacBackend::Batch(None).mac_many(HashId::Sha256, b"key", &messages);
    assert_eq!(tags, expected);
}

/// SHA-256 has ⌈(l + 9) / 64⌉ blocks of a message of l bytes; SHAKE and Skein compute output too.
#[test]
fn work_is_what_lengths_say() {
    let mut rng = Rng::from_name("work_is_what_lengths_say");
    let lengths: Vec<usize> = (0..3000).map(|_| rng.below(700)).collect();
    let messages = rng.messages(lengths.iter().copied());
    let blocks: usize = lengths.iter().map(|length| (length + 9).div_ceil(64)).sum();
    for engine in engines(HashId::Sha256).unwrap() {
        let batch = Batch::new(HashId::Sha256).engine(engine);
        let work = batch.work(&messages).unwrap();
        assert_eq!(work.useful, blocks as u64, "{engine}");
        assert!(work.occupancy() > 0.5 && work.occupancy() <= 1.0, "{engine}: {work:?}");
        // Inner hash: the same and the key's block before; outer: a digest after the key.
        let after_key = lengths.iter().map(|length| (length + 9).div_ceil(64) + 1).sum::<usize>();
        assert_eq!(batch.work_hmac(&messages).unwrap().useful, after_key as u64, "{engine}");
    }
    let scalar = Batch::new(HashId::Md5).engine(Engine::Scalar).work(&messages).unwrap();
    assert_eq!(scalar.occupancy(), 1.0);
    assert_eq!(scalar.kernel(), Some(KernelName { engine: Engine::Scalar, lanes: 1 }));
    // A block of message and one of output each.
    let skein = Batch::new(HashId::Skein512).engine(Engine::Scalar).work(&[[0; 64]; 10]).unwrap();
    assert_eq!(skein.useful, 20);
    let none: [&[u8]; 0] = [];
    assert_eq!(Batch::new(HashId::Md5).work(&none).unwrap().occupancy(), 1.0);
}
