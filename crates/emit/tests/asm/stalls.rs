//! Many runs with random stalls of both cores: every hash, whoever computes and whatever the CPU
//! computes ahead. Every run ends, and no digest is wrong.

use crate::case::{Case, message, seed};
use manylane_emit::asm::Cores;
use manylane_graph::calls::digest;
use manylane_graph::trace;
use manylane_plan::program::cut::cuts;
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_simulate::s12x::Stalls;
use std::time::Instant;

/// One of how many instructions stalls, and for how many clocks at most: now and then, all the
/// time, seldom and for as long as a block takes, and by one clock.
pub const KINDS: [(u32, u32); 4] = [(5, 9), (2, 30), (40, 2000), (3, 1)];

/// Messages of up to six blocks, each with stalls of a seed of its own.
pub fn survives(case: &Case, cores: Cores, runs: usize) {
    let mut caller = case.caller(cores);
    let name = case.algorithm.to_string();
    let block = case.stream.framing.block_bytes;
    for run in 0..runs {
        let length = run * 37 % (6 * block);
        let (one_in, at_most) = KINDS[run % KINDS.len()];
        let stalls = Stalls { seed: seed(&name).wrapping_add(run as u64), one_in, at_most };
        let what = || format!("{name} on {cores}, {length} bytes, {stalls:?}");
        caller.set_stalls(Some(stalls));
        let hashed = caller.hash(&message(length));
        let hashed = hashed.unwrap_or_else(|error| panic!("{}: {error}", what()));
        assert_eq!(hashed.digest, digest(case.algorithm, &message(length)), "{}", what());
        assert_eq!(hashed.counts.xgate.starts > 0, cores != Cores::Cpu, "{}", what());
    }
}

/// Runs of each hash on a choice of cores: more than ten thousand of all hashes.
const RUNS: usize = 300;

fn every_hash_survives(cores: Cores) {
    assert!(RUNS * HashId::ALL.len() > 10_000);
    for &id in HashId::ALL {
        let name = Algorithm::from(id).to_string();
        let begun = Instant::now();
        survives(&Case::new(&name, 1), cores, RUNS);
        println!("{name} on {cores}: {RUNS} runs in {:.1} s", begun.elapsed().as_secs_f64());
    }
}

#[test]
#[ignore = "minutes: `make test-asm`"]
fn nothing_hangs_on_the_cpu() {
    every_hash_survives(Cores::Cpu);
}

#[test]
#[ignore = "minutes: `make test-asm`"]
fn nothing_hangs_on_xgate() {
    every_hash_survives(Cores::Xgate);
}

#[test]
#[ignore = "minutes: `make test-asm`"]
fn nothing_hangs_on_both() {
    every_hash_survives(Cores::Both);
}

/// Nothing hangs where the CPU has a share in each block, for each hash of which a part can be
/// computed ahead.
#[test]
#[ignore = "minutes: `make test-asm`"]
fn nothing_hangs_with_shares() {
    let mut shared = 0;
    for &id in HashId::ALL {
        let algorithm = Algorithm::from(id);
        let cuts = cuts(&trace::literal_compression(algorithm), false);
        if cuts.is_empty() {
            continue;
        }
        let name = algorithm.to_string();
        let begun = Instant::now();
        // The greatest share of four whose program has room.
        let shares = [cuts.len() - 1, cuts.len() / 2, cuts.len() / 4, 0];
        let case = shares.into_iter().find_map(|share| {
            let cut = cuts[share];
            let case = Case::new(&name, 1).sharing(cut, 1, [1, 1, 1], 0);
            let case = case.unwrap_or_else(|| panic!("{name} has no cut {cut:?}"));
            case.has_room(Cores::Both).then_some(case)
        });
        let Some(case) = case else {
            println!("{name}: no share has room");
            continue;
        };
        survives(&case, Cores::Both, RUNS);
        println!("{name} shared: {RUNS} runs in {:.1} s", begun.elapsed().as_secs_f64());
        shared += 1;
    }
    assert!(shared > 0);
}
