//! Shares of the CPU in a block that XGATE computes: no digest changes, and time is saved.

use crate::case::{Case, agrees, message, seed};
use manylane_emit::asm::{Ahead, Cores, ThreadSize, thread};
use manylane_graph::calls::digest;
use manylane_graph::interpret::run_main;
use manylane_graph::trace;
use manylane_graph::{Function, Module, Role};
use manylane_plan::program::cut::{Split, cuts, split, split_schedule, split_stream};
use manylane_plan::program::shape::{Shape, Worth};
use manylane_simulate::s12x::Stalls;
use manylane_simulate::s12x::caller::Caller;

/// A share of the CPU: the hash; whether its sums are regrouped; the cut, as a fraction of the
/// largest one; every how many blocks one is shared, where 1 means all but the first; and the
/// rounds in an iteration of XGATE's two threads and of the CPU's part.
type Shared = (&'static str, bool, f64, usize, [usize; 3]);

#[rustfmt::skip]
pub const SHARES: [Shared; 8] = [
    ("md5",        true,  1.0, 1, [1, 1, 1000]),
    ("sha1",       true,  0.5, 1, [1, 2, 1000]),
    ("sha256",     false, 0.4, 1, [1, 1, 4]),
    ("blake256",   false, 1.0, 1, [1, 1, 1000]),
    ("groestl256", false, 1.0, 1, [1, 1, 1]),
    ("md5",        true,  1.0, 2, [1, 1, 1000]),
    ("sha256",     true,  1.0, 2, [1, 1, 1000]),
    ("groestl256", false, 1.0, 3, [1, 1, 1]),
];

pub fn sharing((name, is_regrouped, part, every, rounds): Shared) -> Case {
    let case = Case::new(name, 1);
    let cuts = cuts(&trace::literal_compression(case.algorithm), is_regrouped);
    let cut = cuts[(part * (cuts.len() - 1) as f64) as usize];
    case.sharing(cut, every, rounds, 0).unwrap_or_else(|| panic!("{name} has no cut {cut:?}"))
}

/// The two functions of a cut, one after the other, compute the function; there is no cut where
/// nothing can be computed ahead.
#[test]
fn a_cut_computes_the_same() {
    for name in ["md5", "sha1", "sha256", "blake256", "blake512", "groestl256", "ripemd160"] {
        let function = trace::literal_compression(name.parse().unwrap());
        let run = |function: &Function, value: &dyn Fn(Role, &str) -> u64| -> Vec<(String, u64)> {
            let inputs = function.inputs().iter();
            let inputs: Vec<u64> =
                inputs.map(|input| value(input.role, &input.name) & mask(function)).collect();
            let values = run_main(&Module::of(function.clone()), &inputs);
            let names = function.outputs().iter().map(|output| output.name.clone());
            names.zip(values).collect()
        };
        let value = |_: Role, name: &str| seed(name).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let expected = run(&function, &value);
        let schedule = split_schedule(&function);
        let has_schedule = matches!(name, "sha1" | "sha256");
        assert_eq!(schedule.is_some(), has_schedule, "{name}");
        let stream = split_stream(&function).unwrap();
        let mut splits: Vec<Split> = schedule.into_iter().chain([stream]).collect();
        for is_regrouped in [false, true] {
            let all = cuts(&function, is_regrouped);
            assert!(!all.is_empty(), "{name}");
            let some = all.iter().step_by(all.len().div_ceil(4));
            splits.extend(some.filter_map(|cut| split(&function, *cut)));
        }
        for split in splits {
            let words = run(&split.ahead, &value);
            assert_eq!(words.len(), split.words, "{name}");
            let got = run(&split.rest, &|role, name| match role {
                Role::Message => words.iter().find(|(of, _)| of == name).unwrap().1,
                _ => value(role, name),
            });
            assert_eq!(got, expected, "{name}, {} words", split.words);
        }
    }
    for name in ["jh256", "keccak256", "sha3-512"] {
        let function = trace::literal_compression(name.parse().unwrap());
        assert!(cuts(&function, true).is_empty() && split_stream(&function).is_none(), "{name}");
    }
}

fn mask(function: &Function) -> u64 {
    u64::MAX >> (64 - function.width(function.inputs()[0].node))
}

/// Whatever is computed ahead, digests are the definition's: lengths at the edges, random stalls of
/// either core, pieces at odd addresses, of which XGATE reaches no block.
#[test]
fn a_share_of_the_cpu_changes_no_digest() {
    for of in SHARES {
        let case = sharing(of);
        let mut lengths = case.lengths();
        lengths.extend([5 * case.stream.framing.block_bytes, 1024]);
        agrees(&case, Cores::Both, &lengths, &[None, Some(seed(of.0)), Some(3)]);
    }
    let case = sharing(SHARES[0]);
    let mut caller = case.caller(Cores::Both);
    for sizes in [&[1, 63, 64, 65, 129][..], &[3, 200, 7], &[64, 64, 64], &[1000, 127, 1]] {
        let hashed = caller.hash_pieces(&message(2000), sizes).unwrap();
        assert_eq!(hashed.digest, digest(case.algorithm, &message(2000)), "pieces {sizes:?}");
    }
}

/// The share is worth it: XGATE computes all blocks, in one thread after the first one, and both
/// need less time than XGATE alone.
#[test]
fn a_share_saves_time() {
    let case = sharing(SHARES[3]);
    let shared = case.caller(Cores::Both).hash(&message(1024)).unwrap();
    let case = Case::new("blake256", 1);
    let alone = case.caller(Cores::Both).hash(&message(1024)).unwrap();
    assert_eq!(shared.counts.xgate.starts, alone.counts.xgate.starts);
    assert!(100 * shared.cycles < 92 * alone.cycles, "{} {}", shared.cycles, alone.cycles);
}

/// If the coprocessor never answers, or stops in the middle, the CPU computes everything.
#[test]
fn a_share_for_a_dead_coprocessor_is_lost() {
    let case = sharing(SHARES[0]);
    let (made, object) = case.program(Cores::Both);
    let mut caller = case.machine(&made, &object);
    let hashed = caller.hash(&message(300)).unwrap();
    assert_eq!(hashed.digest, digest(case.algorithm, &message(300)));
    assert_eq!(hashed.counts.xgate.starts, 0);
    for block in 0..4 {
        let mut caller = case.caller(Cores::Both);
        caller.set_stalls(Some(Stalls { seed: block + 1, one_in: 2, at_most: 400 }));
        for length in [64, 129, 700] {
            let hashed = caller.hash(&message(length)).unwrap();
            assert_eq!(hashed.digest, digest(case.algorithm, &message(length)), "{length}");
        }
    }
}

/// Many runs with many seeds: every run ends, and no digest is wrong.
#[test]
#[ignore = "a minute: `make test-asm`"]
fn nothing_hangs_in_ten_thousand_runs() {
    let mut runs = 0;
    let cases: Vec<Case> = SHARES.into_iter().map(sharing).collect();
    let mut callers: Vec<Caller> = cases.iter().map(|case| case.caller(Cores::Both)).collect();
    for round in 0_u64.. {
        for (case, caller) in cases.iter().zip(&mut callers) {
            if runs == 10_000 {
                return;
            }
            let block = case.stream.framing.block_bytes as u64;
            let length = (round * 37 % (6 * block)) as usize;
            let (one_in, at_most) = [(5, 9), (2, 30), (40, 2000), (3, 1)][round as usize % 4];
            caller.set_stalls(Some(Stalls { seed: round + 1, one_in, at_most }));
            let hashed = caller.hash(&message(length)).unwrap();
            let expected = digest(case.algorithm, &message(length));
            assert_eq!(hashed.digest, expected, "{}, run {runs}", case.algorithm);
            runs += 1;
        }
    }
}

/// Figures of shares: `HASHES=md5,sha1 ROUNDS=1,4 EFFORT=20`.
#[test]
#[ignore = "prints figures"]
fn figures_of_shares() {
    let of = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let effort: usize = of("EFFORT", "20").parse().unwrap();
    let most: usize = of("CUTS", "8").parse().unwrap();
    for name in of("HASHES", "md5,sha1,sha256,blake256,groestl256").split(',') {
        for rounds in of("ROUNDS", "1").split(',') {
            let unroll: usize = rounds.parse().unwrap();
            let mut alone = Case::new(name, unroll);
            let function = trace::literal_compression(alone.algorithm);
            let shape = Shape { unroll: Some(unroll), worth: Worth::Size, word: Some(64) };
            alone.thread = thread(
                "hash",
                &alone.stream.framing,
                &shape.one(&function),
                effort,
                Ahead::None,
                ThreadSize::Fast,
            )
            .unwrap();
            let hashed = alone.caller(Cores::Both).hash(&message(1024)).unwrap();
            println!("{name}, {rounds} rounds, {} clocks: {}", alone.thread.clocks, hashed.cycles);
            for is_regrouped in [false, true] {
                let all = cuts(&function, is_regrouped);
                let every = all.len().div_ceil(most).max(1);
                for cut in all.iter().rev().step_by(every) {
                    for cpu in of("CPU", "1,4").split(',') {
                        let cpu: usize = cpu.parse().unwrap();
                        let case = Case::new(name, 1);
                        let case = case.sharing(
                            *cut,
                            of("EVERY", "1").parse().unwrap(),
                            [unroll, unroll, cpu],
                            effort,
                        );
                        let Some(case) = case else { continue };
                        let share = case.share.as_ref().unwrap();
                        let (clocks, words) = (share.rest.clocks, share.cpu.rolled.outputs.len());
                        let made = std::panic::catch_unwind(|| {
                            let hashed = case.caller(Cores::Both).hash(&message(1024)).unwrap();
                            let right = hashed.digest == digest(case.algorithm, &message(1024));
                            (
                                hashed.cycles,
                                hashed.counts.xgate.stalls / 2,
                                hashed.counts.xgate.starts,
                                right,
                            )
                        });
                        let whole = share.whole.as_ref().unwrap();
                        let bytes =
                            [whole, &share.rest].map(|of| of.code + of.constants + of.memory);
                        println!(
                            "  {cut:?} cpu {cpu}: {words} words, {clocks} clocks, {bytes:?} bytes: \
                             {made:?}"
                        );
                    }
                }
            }
        }
    }
}
