//! Predictions of whole messages: what memory, registers, jobs and measured shares do to them.

use manylane_graph::framing::{ByteOrder, stream};
use manylane_graph::trace::literal_compression;
use manylane_plan::Platform;
use manylane_plan::platform::{HandOverTimes, Memory, ProgramTime, ShareTime};
use manylane_plan::program::message::{Calls, predict};
use manylane_plan::program::parts::HandOvers;
use manylane_plan::program::prices::{PriceBasis, Prices};
use manylane_plan::program::shape::{Shape, Worth, two};
use manylane_plan::program::time::{time, time_jobs};
use manylane_plan::program::{Program, scaled_by};
use manylane_primitives::catalog::{Algorithm, HashId};

fn algorithm(name: &str) -> Algorithm {
    name.parse().unwrap()
}

fn one(name: &str) -> Program {
    Shape::default().one(&literal_compression(algorithm(name)))
}

/// A platform that knows of no program.
fn bare(name: &str) -> Platform {
    let mut platform = Platform::load(name).unwrap();
    platform.programs.clear();
    platform.shares.clear();
    platform
}

/// Blocks are counted as the framing makes them, in every length up to three of them.
#[test]
fn calls_are_those_of_the_framing() {
    for &id in HashId::ALL {
        let framing = stream(Algorithm::from(id)).unwrap().framing;
        for bytes in 0..=3 * framing.block_bytes + 1 {
            let calls = Calls::of(&framing, bytes);
            let blocks = framing.blocks(&vec![0; bytes]).len();
            let closing = usize::from(framing.closing.is_some());
            assert_eq!(calls.count(), blocks + closing, "{id:?}, {bytes} bytes");
            assert_eq!(calls.jobs().iter().sum::<usize>(), calls.count());
            assert_eq!(calls.whole * framing.block_bytes + calls.held, bytes);
        }
    }
}

/// Fewer registers never make a program faster, and few make it slower; each price of memory
/// counts.
#[test]
fn registers_and_memory_have_prices() {
    for name in ["md5", "sha256", "sha512", "jh256"] {
        let program = one(name);
        let cycles = |change: &dyn Fn(&mut Memory)| {
            let mut platform = bare("rp2040");
            platform.cores.iter_mut().for_each(|core| change(&mut core.memory));
            let prices = Prices::of(&program.rolled, 1, ByteOrder::Little, &platform).unwrap();
            time(&program, &prices, 1).unwrap().cycles()
        };
        let with = |registers| cycles(&|memory| memory.registers = registers);
        let all = [Some(6), Some(12), Some(24), Some(48), None].map(with);
        assert!(all.is_sorted_by(|few, many| few >= many), "{name}: {all:?}");
        assert!(all[0] > 1.05 * all[4], "{name}: {all:?}");
        let usual = cycles(&|_| ());
        for (what, change) in [
            ("load", &(|memory: &mut Memory| memory.load += 1.0) as &dyn Fn(&mut Memory)),
            ("constant", &|memory: &mut Memory| memory.constant += 1.0),
            ("copy", &|memory: &mut Memory| memory.copy += 1.0),
        ] {
            // JH has no constants that are not loaded from a table.
            assert!(
                cycles(change) > usual || (name, what) == ("jh256", "constant"),
                "{name}: {what}"
            );
        }
    }
}

/// A measured program has its measured time; another one of the primitive is scaled, and says so.
#[test]
fn measured_times_are_of_one_program() {
    let (name, program) = ("sha256", one("sha256"));
    let framing = stream(algorithm(name)).unwrap().framing;
    let mut platform = bare("ibex-duo");
    let basis = |program: &Program, platform: &Platform| {
        predict(program, &framing, platform, 64).unwrap().basis
    };
    assert_eq!(basis(&program, &platform), PriceBasis::Model);
    let of = ProgramTime {
        program: Some(program.identity()),
        block: 5000.0,
        message: 700.0,
        held: 30.0,
        byte: 2.0,
        padding: 100.0,
        ..ProgramTime::default()
    };
    platform.programs.insert(name.to_owned(), of);
    assert_eq!(basis(&program, &platform), PriceBasis::Measured);
    for (bytes, cycles) in [
        (0, 5700.0),
        (1, 5732.0),
        (55, 5840.0),
        (56, 5000.0 + 5842.0 + 100.0),
        (64, 10700.0),
        (1024, 17.0 * 5000.0 + 700.0),
    ] {
        let predicted = predict(&program, &framing, &platform, bytes).unwrap().cycles;
        assert!((predicted - cycles).abs() < 0.01, "{bytes} bytes: {predicted}, not {cycles}");
    }
    let rolled =
        Shape { unroll: Some(1), ..Shape::default() }.one(&literal_compression(algorithm(name)));
    assert_ne!(rolled.identity(), program.identity());
    // Only the model of both programs tells how far their times are apart.
    assert_eq!(basis(&rolled, &platform), PriceBasis::Model);
    let scaled = scaled_by(&platform, &program, framing.order).unwrap();
    assert_eq!(basis(&rolled, &scaled), PriceBasis::Scaled);
    assert_eq!(basis(&program, &scaled), PriceBasis::Measured);
}

/// Of two programs of a hash, one of which was measured, the other one keeps the ratio that the
/// model gives, and the platform's own ratio does not depend on the measured time.
#[test]
fn other_programs_keep_the_ratio_of_the_model() {
    for (name, other) in [
        ("sha256", Shape { unroll: Some(1), ..Shape::default() }),
        ("sha256", Shape { worth: Worth::Size, ..Shape::default() }),
        ("sha512", Shape { word: Some(16), ..Shape::default() }),
    ] {
        let hash = algorithm(name);
        let framing = stream(hash).unwrap().framing;
        let (usual, other) = (one(name), other.one(&literal_compression(hash)));
        let cycles = |program: &Program, platform: &Platform| {
            let [few, many] = [0, framing.block_bytes]
                .map(|bytes| predict(program, &framing, platform, bytes).unwrap());
            assert!(few.limit <= few.cycles && many.limit <= many.cycles, "{name}: {many:?}");
            many.cycles - few.cycles
        };
        let modelled = bare("ibex-duo");
        let ratio = cycles(&other, &modelled) / cycles(&usual, &modelled);
        assert!(ratio > 1.02, "{name}: {ratio}");
        let platform = Platform::load("ibex-duo").unwrap();
        let block = platform.programs[name].block;
        let scaled = scaled_by(&platform, &usual, framing.order).unwrap();
        assert!((cycles(&usual, &scaled) - block).abs() < 0.01, "{name}");
        let predicted = cycles(&other, &scaled);
        assert!((predicted / block / ratio - 1.0).abs() < 1e-6, "{name}: {predicted}, {block}");
    }
}

/// A prediction is never below the limit of its program, however little was measured.
#[test]
fn predictions_keep_limits() {
    let name = "sha256";
    let framing = stream(algorithm(name)).unwrap().framing;
    let mut platform = bare("ibex-duo");
    let program = one(name);
    let of = ProgramTime { block: 10.0, ..ProgramTime::default() };
    platform.programs.insert(name.to_owned(), of);
    let predicted = predict(&program, &framing, &platform, 1024).unwrap();
    assert_eq!(predicted.cycles, predicted.limit);
}

/// The simulator combines shares that were measured alone: the result is no faster than the longer
/// share, and no slower than both in turn with their hand-overs.
#[test]
fn shares_are_put_together() {
    let (name, program) = ("sha256", one("sha256"));
    let framing = stream(algorithm(name)).unwrap().framing;
    let mut platform = bare("ibex-duo");
    let pair = two(&program, framing.order, &platform).unwrap();
    assert_eq!(pair.processors, 2);
    let with = |platform: &mut Platform, main: f64, second: f64| {
        let of = ShareTime {
            program: pair.identity(),
            main,
            second,
            message: 500.0,
            give: 80.0,
            take: 40.0,
            word_size: None,
            parts: None,
        };
        platform.shares.insert(name.to_owned(), of);
        predict(&pair, &framing, platform, 1024).unwrap()
    };
    let calls = 17.0;
    for (main, second) in [(3000.0, 1000.0), (2000.0, 2000.0), (1000.0, 3000.0)] {
        let of = with(&mut platform, main, second);
        assert_eq!(of.basis, PriceBasis::Measured);
        let longer = main.max(second) * calls + 500.0;
        let both = (main + second) * calls + 500.0;
        assert!((longer..1.1 * both).contains(&of.cycles), "{main}, {second}: {of:?}");
    }
    let [few, many] = [1000.0, 3000.0].map(|second| with(&mut platform, 2000.0, second));
    assert!(few.waits < many.waits, "{few:?}, {many:?}");
    // Another split is not the one that was measured.
    let other = two(&one("sha256"), framing.order, &bare("unit")).unwrap();
    if other.identity() != pair.identity() {
        let basis = predict(&other, &framing, &platform, 64).unwrap().basis;
        assert_eq!(basis, PriceBasis::Model);
    }
}

/// Where the second core may be a block ahead, it begins as soon as the first block's words are
/// given, and the rest of the main core's time for a job comes after them.
#[test]
fn a_job_begins_with_its_words() {
    let (name, program) = ("sha1", one("sha1"));
    let framing = stream(algorithm(name)).unwrap().framing;
    let mut platform = bare("ibex-duo");
    let pair = two(&program, framing.order, &platform).unwrap();
    assert!(pair.runs_ahead());
    let mut cycles = |begin: Option<f64>, second: f64| {
        let list = |processor, cycles| {
            let mut list = vec![cycles; HandOvers::of(&pair, processor).places() + 2];
            list[0] = 40.0;
            list
        };
        let lists = [list(0, 100.0), list(1, second)];
        let [main, of_second] = [0, 1].map(|one: usize| lists[one].iter().sum());
        let of = ShareTime {
            program: pair.identity(),
            main,
            second: of_second,
            message: 500.0,
            give: 200.0,
            take: 40.0,
            word_size: None,
            parts: Some(HandOverTimes {
                open: 40.0,
                begin,
                enter: 20.0,
                cycles: lists,
                accesses: [0.0; 2],
                line: 0,
            }),
        };
        platform.shares.insert(name.to_owned(), of);
        predict(&pair, &framing, &platform, 0).unwrap().cycles
    };
    // With a short share the second core waits for the main one, so that an earlier start gains
    // nothing; with a long share the main core waits.
    let same = [None, Some(70.0)].map(|begin| cycles(begin, 10.0));
    assert!((same[0] - same[1]).abs() < 0.01, "{same:?}");
    let sooner = [None, Some(70.0)].map(|begin| cycles(begin, 1000.0));
    assert!((sooner[0] - sooner[1] - 70.0).abs() < 0.01, "{sooner:?}");
}

/// Calls of one job overlap where the second core is ahead; each job is waited for.
#[test]
fn jobs_are_waited_for() {
    let program = one("sha1");
    let platform = bare("ibex-duo");
    let pair = two(&program, ByteOrder::Big, &platform).unwrap();
    let prices = Prices::of_program(&pair, ByteOrder::Big, &platform).unwrap();
    let cycles = |jobs: &[usize]| time_jobs(&pair, &prices, jobs).unwrap().cycles();
    assert!(cycles(&[8]) < cycles(&[4, 4]) && cycles(&[4, 4]) < cycles(&[1; 8]));
    assert_eq!(cycles(&[3]), time(&pair, &prices, 3).unwrap().cycles());
}
