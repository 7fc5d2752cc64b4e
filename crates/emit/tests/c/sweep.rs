//! One core and two at every length of messages and pieces: libraries of hashes, HMAC and RC5
//! beside the definition, on threads of this computer and on simulated microcontrollers.

use crate::compile::driver;
use crate::for_each;
use crate::machines::{COUNTING, here, strict};
use crate::subject::{CIPHERS, divided, is_first_of_its_kind, of_hash, of_rc5_on, prefix};
use manylane_emit::c::{Cores, Folder, Options};
use manylane_graph::calls::{digest, hmac, rc5};
use manylane_plan::Platform;
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_primitives::cipher::{Rc5Params, modes};
use manylane_simulate::{Delays, Job, Machine, Run};
use std::time::Instant;

/// Which messages of a hash are computed. Their lengths go up to three blocks and one byte.
#[derive(Clone, Copy)]
struct Sweep {
    /// The number of lengths about a block's end for which pieces of every size are tried. If it is
    /// 0, an extendable output is not squeezed either.
    width: usize,
    /// Among all lengths, one in this many is tried, each with pieces of one size.
    step: usize,
    /// The `width` and the `step` for messages of MACs.
    macs_width: usize,
    macs_step: usize,
    /// Whether each message is cut in two at every byte.
    cuts: bool,
    /// The seed of sizes that are drawn.
    seed: u32,
}

/// A table of bytes in C.
fn table(name: &str, rows: &[Vec<u8>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let row = |row: &Vec<u8>| {
        let bytes: Vec<String> = row.iter().map(u8::to_string).collect();
        format!("{{{}}},\n", if bytes.is_empty() { "0".to_owned() } else { bytes.join(",") })
    };
    let text: String = rows.iter().map(row).collect();
    format!("static const uint8_t {name}[{}][{columns}] = {{\n{text}}};\n", rows.len())
}

/// A row of bytes in C.
fn row(name: &str, bytes: &[u8]) -> String {
    let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
    format!("static const uint8_t {name}[{}] = {{{}}};\n", bytes.len(), list.join(","))
}

/// A library's sources beside a driver and its answers, under the strict flags.
fn job(machine: Machine, cores: Cores, folder: &Folder, driver: &str, answers: &str) -> Job {
    let sources = Job::of("driver.c", driver).file("answers.h", answers);
    let mut job = strict(sources.file("sweep.h", include_str!("sweep.h")));
    let is_part = |path: &String| path.starts_with("include/") || folder.library.contains(path);
    for (path, text) in folder.files.iter().filter(|(path, _)| is_part(path)) {
        let name = path.rsplit('/').next().unwrap();
        // On this computer a thread that waits gives way to other programs.
        let is_port = machine == Machine::Host && name == "manylane_port.h";
        job = job.file(name, &format!("{}{text}", if is_port { YIELDING } else { "" }));
    }
    job = job.flag(if cores == Cores::One { "-DCORES=1" } else { "-DCORES=2" });
    if machine.is_in_order() {
        job = job.flag("-DMANYLANE_IN_ORDER=1");
    }
    if machine == Machine::Host { job.flag("-O1") } else { job }
}

/// Before the port: what a thread does in a turn of a wait.
const YIELDING: &str = "#include <sched.h>\n#define MANYLANE_PAUSE() ((void)sched_yield())\n";

/// Runs a driver. Its second core, if it has one, must have had a job in a quarter of all
/// computations: some modes of a cipher have none for it. QEMU's cores may run by turns, so that
/// waits end before the other core has answered: there it must have had one.
fn run(machine: Machine, cores: Cores, what: &str, job: &Job, runs: &[Run]) {
    let begun = Instant::now();
    let program = machine.build(job).unwrap_or_else(|error| panic!("{what}: {error}"));
    for run in runs {
        let delays = run.delays;
        let outcome = program.run(run);
        let outcome = outcome.unwrap_or_else(|error| panic!("{what}, {delays:?}: {error}"));
        let number = |name| outcome.number(name).unwrap();
        let (runs, jobs) = (number("runs"), number("jobs"));
        let is_shared = match (cores, machine) {
            (Cores::One, _) => true,
            (Cores::Two, Machine::Mps2An521) => jobs > 0,
            (Cores::Two, _) => 4 * jobs >= runs,
        };
        assert!(runs > 0 && is_shared, "{what}, {delays:?}: {jobs} jobs in {runs} runs");
    }
    eprintln!("{what}: {:.1} s", begun.elapsed().as_secs_f64());
}

fn told(machine: Machine, cores: Cores) -> String {
    format!("{} of {machine}", if cores == Cores::One { "one core" } else { "two cores" })
}

/// The platform for which two cores are planned.
fn platform(machine: Machine) -> &'static str {
    if COUNTING.contains(&machine) { machine.name() } else { "unit" }
}

/// Digests and MACs of a hash.
fn hash_agrees(machine: Machine, cores: Cores, id: HashId, sweep: Sweep, runs: &[Run]) {
    let algorithm = Algorithm::from(id);
    let block = id.entry().shape.block_bytes;
    let name = prefix(&algorithm.to_string());
    let folder = match cores {
        Cores::One => of_hash(algorithm, true, &Options::default()).unwrap(),
        Cores::Two => divided(algorithm, true, platform(machine)),
    };
    let squeeze = format!("{name}_squeeze");
    let is_xof = folder.files.iter().any(|(_, text)| text.contains(&squeeze));
    let lengths = 3 * block + 2;
    let keys: Vec<u8> = (0..block + 25).map(|i| (i * 57 + 3) as u8).collect();
    let of = |length: usize| -> Vec<u8> {
        (0..length).map(|i| (i * 89 + i / 251 + length) as u8).collect()
    };
    let digests: Vec<_> = (0..lengths).map(|length| digest(algorithm, &of(length))).collect();
    let mac = |length: usize| {
        let key = &keys[length % 5..][..length * 7 % (block + 20)];
        hmac(algorithm, key, &of(length))
    };
    let macs: Vec<_> = (0..lengths).map(mac).collect();
    let answers = format!(
        "#define LENGTHS {lengths}u\n#define IS_XOF {}\n#define WIDTH {}u\n\
         #define STEP {}u\n#define MACS_WIDTH {}u\n#define MACS_STEP {}u\n\
         #define CUTS {}\n#define SEED {}u\n{}{}{}",
        u8::from(is_xof && sweep.width > 0),
        sweep.width,
        sweep.step,
        sweep.macs_width,
        sweep.macs_step,
        u8::from(sweep.cuts),
        sweep.seed,
        table("digests", &digests),
        table("macs", &macs),
        row("keys", &keys),
    );
    let text = driver("sweep_driver.c", &name, &format!("hmac_{name}"));
    let what = format!("{algorithm} on {}, seed {}", told(machine, cores), sweep.seed);
    run(machine, cores, &what, &job(machine, cores, &folder, &text, &answers), runs);
}

/// Blocks of the longest data of a cipher: several for each core.
const BLOCKS: usize = 9;

/// Every mode of a cipher, at every length.
fn cipher_agrees(machine: Machine, cores: Cores, name: &str, runs: &[Run]) {
    let params: Rc5Params = name.parse().unwrap();
    let options = Options { cores, ..Options::default() };
    let folder = of_rc5_on(name, &options, platform(machine)).unwrap();
    let block = params.block_bytes();
    let most = BLOCKS * block + 1;
    let plain: Vec<u8> = (0..most).map(|i| (i * 89 + i / 7 + 1) as u8).collect();
    let iv: Vec<u8> = (0..block).map(|i| (i * 3 + 7) as u8).collect();
    let mut counter = vec![255; block];
    counter[0] = 253;
    let key = |k: usize| -> Vec<u8> {
        (0..params.key_bytes()).map(|i| (i * 31 + 100 * k) as u8).collect()
    };
    let keys: Vec<_> = (0..3).map(key).collect();
    let whole = BLOCKS * block;
    let of = |what: &dyn Fn(&[u8], &mut Vec<u8>)| -> Vec<Vec<u8>> {
        let of_key = |key: &Vec<u8>| {
            let mut data = plain.clone();
            what(key, &mut data);
            data
        };
        keys.iter().map(of_key).collect()
    };
    let ecb = of(&|key, data| modes::ecb_encrypt(&*rc5(params, key), &mut data[..whole]).unwrap());
    let cbc = of(&|key, data| {
        modes::cbc_encrypt(&*rc5(params, key), &iv, &mut data[..whole]).unwrap();
    });
    let ctr = of(&|key, data| modes::ctr(&*rc5(params, key), &counter, data).unwrap());
    let next = |length: usize| {
        let mut out = vec![0; block];
        modes::counter_block(&counter, length.div_ceil(block) as u64, &mut out);
        out
    };
    let counters: Vec<_> = (0..=most).map(next).collect();
    let end = |length: usize| {
        let mut data = plain[..length].to_vec();
        data.resize(modes::padded_bytes(length, block), 0);
        let cipher = rc5(params, &keys[length % keys.len()]);
        modes::cbc_pad_encrypt(&*cipher, &iv, &mut data, length).unwrap();
        data.split_off(length / block * block)
    };
    let ends: Vec<_> = (0..=most).map(end).collect();
    let answers = format!("#define BLOCKS {BLOCKS}\n#define KEYS {}\n", keys.len())
        + &[("keys", keys), ("ecb", ecb), ("cbc", cbc), ("ctr", ctr)]
            .map(|(name, rows)| table(name, &rows))
            .concat()
        + &table("counters", &counters)
        + &table("ends", &ends)
        + &[("plain", &plain), ("iv", &iv), ("counter", &counter)]
            .map(|(name, bytes)| row(name, bytes))
            .concat();
    let p = prefix(&params.to_string());
    let text = driver("cipher_sweep_driver.c", &p, &p);
    let what = format!("{name} on {}", told(machine, cores));
    run(machine, cores, &what, &job(machine, cores, &folder, &text, &answers), runs);
}

/// Hashes of several ways to divide a block, and RC5: all lengths, around the blocks' ends in every
/// size of pieces.
#[test]
fn two_threads_agree_at_every_length() {
    for machine in here(&[Machine::Host]) {
        for_each(&["sha256", "ripemd160", "skein512"], |name| {
            let id = HashId::ALL.iter().find(|id| id.name() == *name).unwrap();
            let width = id.entry().shape.block_bytes / 3;
            let sweep = Sweep { width, step: 1, macs_width: 1, macs_step: 1, cuts: false, seed: 1 };
            hash_agrees(machine, Cores::Two, *id, sweep, &[Run::default()]);
        });
        for_each(&CIPHERS[..2], |name| cipher_agrees(machine, Cores::Two, name, &[Run::default()]));
    }
}

/// Every hash with its HMAC, and RC5: all lengths in every size of pieces, and every cut in two.
#[test]
#[ignore = "minutes: `make test-simulators`"]
fn two_threads_agree_in_every_piece() {
    for machine in here(&[Machine::Host]) {
        for_each(HashId::ALL, |&id| {
            let width = id.entry().shape.block_bytes;
            let (macs_width, cuts) = (width, true);
            let sweep = Sweep { width, step: 1, macs_width, macs_step: 1, cuts, seed: 2 };
            hash_agrees(machine, Cores::Two, id, sweep, &[Run::default()]);
        });
        for_each(&CIPHERS, |name| cipher_agrees(machine, Cores::Two, name, &[Run::default()]));
    }
}

/// Cycles that a simulator is given for the digests of a hash: a minute of its time or less.
const MOST_CYCLES: f64 = 2e7;

/// Both cores of a simulated machine, as they are planned for it, in time and with delays of either
/// core. The first hash of each kind has all lengths, or every other one, and so on, where they
/// would take too long; its siblings have the blocks' ends. Those are in every size of pieces.
fn simulated(machine: Machine) {
    let delayed = |seed| {
        let delays = Delays { seed, per_mille: [4, 6], longest: 60 };
        Run { delays: Some(delays), ..Run::default() }
    };
    for machine in here(&[machine]) {
        for_each(HashId::ALL, |&id| {
            let (lengths, cycles) = lengths_and_cycles(machine, id);
            let is_slow = cycles > MOST_CYCLES;
            let sweep = Sweep {
                width: if is_slow { 1 } else { 3 },
                step: match is_first_of_its_kind(id) {
                    true => (cycles / MOST_CYCLES).ceil() as usize,
                    false => lengths,
                },
                macs_width: 0,
                macs_step: if is_slow { lengths / 3 } else { 13 },
                cuts: false,
                seed: 3,
            };
            let runs = [Run::default(), delayed(1)];
            hash_agrees(machine, Cores::Two, id, sweep, if is_slow { &runs[..1] } else { &runs });
        });
        for_each(&CIPHERS, |name| {
            let runs = [Run::default(), delayed(1), delayed(2)];
            cipher_agrees(machine, Cores::Two, name, &runs);
        });
    }
}

/// How many lengths a hash has, and cycles of their digests on a machine: a message has two blocks
/// and a half at the mean, its padding among them.
fn lengths_and_cycles(machine: Machine, id: HashId) -> (usize, f64) {
    let platform = Platform::load(machine.name()).unwrap();
    let lengths = 3 * id.entry().shape.block_bytes + 2;
    (lengths, lengths as f64 * 2.5 * platform.programs[id.entry().name].block)
}

/// One Ibex core: every hash at one in `step` lengths, each in pieces of one size, and RC5.
fn on_one_ibex_core(step: impl Fn(HashId) -> usize + Sync) {
    for machine in here(&[Machine::IbexDuo]) {
        for_each(HashId::ALL, |&id| {
            let (lengths, _) = lengths_and_cycles(machine, id);
            let (step, macs_step) = (step(id), lengths / 3);
            let sweep = Sweep { width: 0, step, macs_width: 0, macs_step, cuts: false, seed: 5 };
            hash_agrees(machine, Cores::One, id, sweep, &[Run::default()]);
        });
        for_each(&CIPHERS, |name| cipher_agrees(machine, Cores::One, name, &[Run::default()]));
    }
}

#[test]
#[ignore = "minutes: `make test-simulators`"]
fn ibex_cores_agree_at_every_length() {
    simulated(Machine::IbexDuo);
}

#[test]
#[ignore = "minutes: `make test-simulators`"]
fn cortex_m0_cores_agree_at_every_length() {
    simulated(Machine::Rp2040);
}

/// All lengths of a hash of each kind, or one in several where they would take too long, and a few
/// of its siblings.
#[test]
#[ignore = "minutes: `make test-simulators`"]
fn an_ibex_core_agrees_at_every_length() {
    on_one_ibex_core(|id| {
        let (lengths, cycles) = lengths_and_cycles(Machine::IbexDuo, id);
        let most = MOST_CYCLES / 4.0;
        if is_first_of_its_kind(id) { (cycles / most).ceil() as usize } else { lengths / 6 }
    });
}

/// Every length of every hash.
#[test]
#[ignore = "most of an hour: `make test-lengths`"]
fn every_length_of_every_hash_on_an_ibex_core() {
    on_one_ibex_core(|_| 1);
}

/// Words of 32 and of 64 bits, Keccak and RC5 on another architecture (ARMv8-M), one core and two.
/// No costs of this platform are known, so the split is planned for hand-overs that cost next to
/// nothing.
#[test]
#[ignore = "minutes: `make test-simulators`"]
fn cortex_m33_cores_agree() {
    for machine in here(&[Machine::Mps2An521]) {
        for cores in [Cores::One, Cores::Two] {
            for_each(&["sha256", "sha512", "sha3-256"], |name| {
                let id = HashId::ALL.iter().find(|id| id.name() == *name).unwrap();
                let (macs_width, macs_step) = (1, 29);
                let sweep =
                    Sweep { width: 1, step: 13, macs_width, macs_step, cuts: false, seed: 4 };
                hash_agrees(machine, cores, *id, sweep, &[Run::default()]);
            });
            for_each(&["rc5-32/12/16", "rc5-64/24/24"], |name| {
                cipher_agrees(machine, cores, name, &[Run::default()]);
            });
        }
    }
}
