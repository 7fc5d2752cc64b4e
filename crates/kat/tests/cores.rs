//! The choice of kernels on cores that were not measured, and the time that it would lose on
//! measured ones.
//!
//! No choice is right on every core: three messages of MD5 take the least time one by one on one
//! core and in sixteen lanes on another. So a choice may lose 5 %. Where every sequence of calls
//! loses more on some core, it may lose a little more than the sequence with the least worst loss.

#![cfg(target_arch = "x86_64")]

use manylane_engine::tuning::elsewhere::{selection_on, setup_on, times_on};
use manylane_engine::tuning::{KernelName, Tuning, family, knows_this_core, probes, selection};
use manylane_engine::{Engine, HashId};
use manylane_kat::MOST_LANES;
use rayon::prelude::*;
use std::process::Command;

const MEASURED: [&str; 4] = ["sapphire-rapids", "zen3", "zen4", "zen5"];

/// A core that was not measured.
struct Unknown {
    cpu: &'static str,
    /// The cores that it is judged on.
    like: &'static [&'static str],
    /// The margin over the least worst loss of all sequences of calls.
    more: f64,
    /// How many of a thousand choices may lose more than 5 %.
    most: usize,
}

/// The cores that were not measured. They have AVX-512 if this process may use it.
fn unknown() -> [Unknown; 3] {
    let has_avx512 = Engine::available().unwrap().contains(&Engine::Avx512);
    // Zen 3 has no AVX-512, so it says nothing about cores that have it.
    let amd: &'static [&'static str] =
        if has_avx512 { &["zen4", "zen5"] } else { &["zen3", "zen4", "zen5"] };
    let of = |cpu, like, more, most| Unknown { cpu, like, more, most };
    [
        of("intel", &["sapphire-rapids"], 1.001, 0),
        of("amd", amd, 1.05, 165),
        of("other", &["sapphire-rapids", "zen4", "zen5"], 1.35, 190),
    ]
}

/// A choice that loses no more than this is good.
const LOSS: f64 = 1.05;

/// Blocks of messages: the shortest of sizes for which the engine chooses.
const BLOCKS: [usize; 5] = [1, 2, 4, 8, 16];

/// Blocks of a long message.
const LONG: usize = 64;

fn firsts() -> Vec<HashId> {
    HashId::ALL.iter().copied().filter(|&id| family(id)[0] == id).collect()
}

fn tuning(hash: HashId, cpu: &str) -> Tuning {
    let mut tuning = Tuning::new("a core");
    let times = times_on(hash, cpu).unwrap();
    times.iter().for_each(|(kernel, time)| tuning.set(hash, kernel, time));
    tuning
}

/// A kernel that this machine runs, with what it costs on each of some cores.
struct Priced {
    kernel: KernelName,
    times: Vec<f64>,
    /// The times to prepare a call, for each number of messages and size of [`BLOCKS`].
    setups: Vec<[f64; BLOCKS.len()]>,
}

impl Priced {
    /// The time on each core of a call for messages of `blocks` blocks while `count` messages are
    /// left.
    fn call(&self, count: usize, blocks: usize) -> Vec<f64> {
        let size = BLOCKS.iter().position(|&of| of == blocks).unwrap();
        let setup = self.setups[count][size];
        self.times.iter().map(|time| blocks as f64 * time + setup).collect()
    }
}

/// The kernels with what they cost on these cores, and with the driver's times on `cpu`.
fn priced(hash: HashId, cpu: &str, cores: &[&str]) -> Vec<Priced> {
    let tables: Vec<_> = cores.iter().map(|cpu| times_on(hash, cpu).unwrap()).collect();
    let looks_up = hash.name().starts_with("groestl");
    let here = probes(hash).unwrap().into_iter().map(|probe| {
        let kernel = probe.kernel();
        let with_tables = matches!(kernel.engine, Engine::Scalar | Engine::Bmi2 | Engine::Portable);
        // The kernel reads its tables at secret addresses, and counts as slower for it.
        let handicap = if looks_up && with_tables { 4.0 } else { 1.0 };
        let times = tables.iter().map(|table| handicap * table.get(kernel).unwrap()).collect();
        let setup =
            |count: usize| BLOCKS.map(|blocks| setup_on(cpu, kernel, count, blocks).unwrap());
        let setups = (0..=MOST_LANES).map(setup);
        Priced { kernel, times, setups: setups.collect() }
    });
    here.collect()
}

/// The least time for each number of messages on core number `core`.
fn least(kernels: &[Priced], blocks: usize, core: usize) -> Vec<f64> {
    let mut least = vec![0.0];
    for count in 1..=MOST_LANES {
        let time = |one: &Priced| {
            one.call(count, blocks)[core] + least[count.saturating_sub(one.kernel.lanes)]
        };
        least.push(kernels.iter().map(time).fold(f64::INFINITY, f64::min));
    }
    least
}

/// The time of so many messages by the calls that are chosen, on each core.
fn times(kernels: &[Priced], chosen: &[KernelName], blocks: usize, count: usize) -> Vec<f64> {
    let (mut left, mut times) = (count, vec![0.0; kernels[0].times.len()]);
    while left > 0 {
        let name = chosen[left - 1];
        let kernel = kernels.iter().find(|one| one.kernel == name).unwrap();
        for (sum, time) in times.iter_mut().zip(kernel.call(left, blocks)) {
            *sum += time;
        }
        left = left.saturating_sub(name.lanes);
    }
    times
}

fn worst(times: &[f64], least: &[Vec<f64>], count: usize) -> f64 {
    times.iter().zip(least).map(|(time, least)| time / least[count]).fold(0.0, f64::max)
}

/// For each number of messages: the least, over all sequences of calls, of the worst ratio to
/// `least` on any core. A sum of times is dropped if another sum is less or at most a part in 500
/// more on every core.
fn least_worst(kernels: &[Priced], blocks: usize, least: &[Vec<f64>]) -> Vec<f64> {
    let mut sums: Vec<Vec<Vec<f64>>> = vec![vec![vec![0.0; least.len()]]];
    for count in 1..=MOST_LANES {
        let mut all = Vec::new();
        for one in kernels {
            let call = one.call(count, blocks);
            let before = &sums[count.saturating_sub(one.kernel.lanes)];
            all.extend(before.iter().map(|sum| {
                sum.iter().zip(&call).map(|(sum, time)| sum + time).collect::<Vec<f64>>()
            }));
        }
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let mut kept: Vec<Vec<f64>> = Vec::new();
        for sum in all {
            let is_no_less =
                |other: &Vec<f64>| other.iter().zip(&sum).all(|(a, b)| *a <= 1.002 * b);
            if !kept.iter().any(is_no_less) {
                kept.push(sum);
            }
        }
        sums.push(kept);
    }
    let of_count = |(count, sums): (usize, &Vec<Vec<f64>>)| {
        sums.iter().map(|sum| worst(sum, least, count)).fold(f64::INFINITY, f64::min)
    };
    sums.iter().enumerate().map(of_count).collect()
}

/// What is chosen on a measured core by its own table takes the least time there.
#[test]
fn measured_cores_lose_nothing() {
    firsts().into_par_iter().for_each(|hash| {
        for cpu in MEASURED {
            let kernels = priced(hash, cpu, &[cpu]);
            for blocks in BLOCKS {
                let chosen = selection_on(cpu, hash, blocks).unwrap();
                let least = [least(&kernels, blocks, 0)];
                for count in 1..=MOST_LANES {
                    let loss = worst(&times(&kernels, &chosen, blocks, count), &least, count);
                    assert!(loss < 1.001, "{hash:?} on {cpu}, {count} of {blocks}: {loss}");
                }
            }
        }
    });
}

#[test]
fn cores_that_were_not_measured_lose_little() {
    for Unknown { cpu, like, more, most } in unknown() {
        // Choices, and those that lose more than 5 % on some core.
        let counted: Vec<[usize; 2]> = firsts()
            .into_par_iter()
            .map(|hash| {
                let kernels = priced(hash, cpu, like);
                let mut bad = 0;
                for blocks in BLOCKS {
                    let chosen = selection_on(cpu, hash, blocks).unwrap();
                    let least: Vec<_> =
                        (0..like.len()).map(|core| least(&kernels, blocks, core)).collect();
                    let mut unavoidable = None;
                    for count in 1..=MOST_LANES {
                        let loss = worst(&times(&kernels, &chosen, blocks, count), &least, count);
                        if loss <= LOSS {
                            continue;
                        }
                        bad += 1;
                        let unavoidable = unavoidable
                            .get_or_insert_with(|| least_worst(&kernels, blocks, &least))[count];
                        let bound = more * unavoidable.max(LOSS);
                        assert!(
                            loss <= bound,
                            "{hash:?} on {cpu}, {count} of {blocks} blocks: {loss:.3} of the least \
                             time, and {unavoidable:.3} could not be avoided"
                        );
                    }
                }
                [BLOCKS.len() * MOST_LANES, bad]
            })
            .collect();
        let [all, bad] = [0, 1].map(|i| counted.iter().map(|counts| counts[i]).sum::<usize>());
        println!("{cpu}: {bad} of {all} choices lose more than 5 %");
        assert!(1000 * bad <= most * all, "{cpu}: {bad} of {all} choices lose more than 5 %");
    }
}

/// Cores without AVX-512, like most of those that were not measured, lose little.
#[test]
fn cores_without_avx512_lose_little() {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "cores_that_were_not_measured_lose_little", "--nocapture"])
        .env("MANYLANE_MAX_ISA", "avx2")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
}

/// This process goes by the table of its core, or by what is built in for cores like it.
#[test]
fn this_core_goes_by_one_of_the_tables() {
    let here = |cpu: &&str| {
        firsts().into_iter().all(|hash| {
            let of_table = match knows_this_core() {
                true => selection(hash, Some(&tuning(hash, cpu))).unwrap(),
                false => selection_on(cpu, hash, LONG).unwrap(),
            };
            of_table == selection(hash, None).unwrap()
        })
    };
    let cpus = match knows_this_core() {
        true => MEASURED.to_vec(),
        false => unknown().map(|core| core.cpu).to_vec(),
    };
    assert!(cpus.iter().any(here), "none of {cpus:?}");
    assert_eq!(times_on(HashId::Sha256, "zen6"), None);
}
