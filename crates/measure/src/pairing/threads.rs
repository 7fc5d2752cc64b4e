//! One pairing on several threads, in wall time.
//!
//! **The curve has about 59 bits of security: for research and teaching only.**

use super::row::Row;
use super::{contestants, peers};
use crate::timing::{Complain, Paired};
use manylane_engine::Engine;
use manylane_engine::pairing::Pairing;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long the handoff between two threads is measured.
const HANDOFF_TIME: Duration = Duration::from_millis(20);
/// How long the measurement may take while a busy machine has not yet run both threads at once.
const HANDOFF_PATIENCE: Duration = Duration::from_millis(500);
/// A turn of so many nanoseconds or more shows that the threads did not run at the same time: the
/// scheduler takes that long, a cache does not.
const HANDOFF_MOST: f64 = 10_000.0;

/// A pairing in both [ways](contestants::WAYS) on 2, 4, … and all cores, and the handoff between
/// two cores.
pub fn rows(
    engine: Engine,
    cores: usize,
    runs: u32,
    complain: Complain,
) -> anyhow::Result<Vec<Row>> {
    let row = |what, threads, seconds| Row { threads, ..Row::new(what, engine.name(), seconds) };
    let ways = counts(cores).flat_map(|threads| contestants::WAYS.map(|what| (what, threads)));
    let pairings = ways.map(|(what, threads)| {
        let pairing = || {
            let pairing = Pairing::on(Some(engine))?;
            Ok(if what == contestants::WAYS[1] { pairing.by_factors() } else { pairing })
        };
        let Shared { seconds, alone, blst, by_others } =
            Shared::measure(pairing, threads, runs, complain)?;
        Ok(Row {
            per_blst_pairing: blst.map(|blst| blst / seconds),
            speedup: Some(alone / seconds),
            shared: Some(by_others),
            ..row(what, threads, seconds)
        })
    });
    let handoff = handoff().map(|nanoseconds| Ok(row("handoff", 2, nanoseconds / 1e9)));
    handoff.into_iter().chain(pairings).collect()
}

/// 2, 4, … and all cores.
pub fn counts(cores: usize) -> impl Iterator<Item = usize> {
    let powers = std::iter::successors(Some(2), |n| Some(2 * n)).take_while(move |&n| n < cores);
    powers.chain((cores > 1).then_some(cores))
}

/// Wall times in seconds, each the minimum over all runs, and the share of the work that the other
/// threads did.
pub struct Shared {
    /// One pairing on the threads asked for.
    pub seconds: f64,
    /// One pairing on one thread.
    pub alone: f64,
    /// BLS12-381 by blst on one thread.
    blst: Option<f64>,
    /// The share of the parts of all pairings that threads other than the caller's computed.
    by_others: f64,
}

/// The share of their parts that the other threads must compute themselves, or there is a
/// complaint.
const HELP_LEAST: f64 = 0.9;

impl Shared {
    /// Measures one pairing on several threads, one pairing on one thread, and BLS12-381, in turn.
    /// Complains where the caller had to do much of the others' work.
    pub fn measure(
        pairing: impl Fn() -> anyhow::Result<Pairing>,
        threads: usize,
        runs: u32,
        complain: Complain,
    ) -> anyhow::Result<Self> {
        let threads = NonZeroUsize::new(threads).expect("somebody must do the work");
        let (alone, together) = (pairing()?, pairing()?.threads(threads));
        let mut calls = vec![contestants::pairing(&together), contestants::pairing(&alone)];
        calls.extend(peers::bls12_381());
        let minima = Paired::in_wall_time(calls).minima(runs);
        let shares = together.shares();
        let by_others = shares.others as f64 / (shares.caller + shares.others) as f64;
        let due = 1.0 - 1.0 / threads.get() as f64;
        if by_others < HELP_LEAST * due {
            complain(&format!(
                "{threads} threads found too few idle cores: the others computed {:.0} % of the \
                 parts, \
                 where {:.0} % are theirs",
                100.0 * by_others,
                100.0 * due
            ));
        }
        match minima[..] {
            [seconds, alone, ref blst @ ..] => {
                Ok(Self { seconds, alone, blst: blst.first().copied(), by_others })
            }
            _ => unreachable!("one time per contestant"),
        }
    }
}

/// Number of words that one thread hands to another, at most: four coordinates and two roots.
const WORDS: usize = 6 * 20;

/// Nanoseconds from the first store of `WORDS` words on one core until another core has read them
/// all: half of the fastest round trip between two threads. None where there is only one core, or
/// where the machine is too busy to run two threads at the same time.
pub fn handoff() -> Option<f64> {
    const STOP: u64 = u64::MAX;
    if cores() < 2 {
        return None;
    }
    // Odd while it is the other thread's turn.
    let turn = AtomicU64::new(0);
    let words = [const { AtomicU64::new(0) }; WORDS];
    let give = |now| {
        words.iter().for_each(|word| word.store(now, Ordering::Relaxed));
        turn.store(now, Ordering::Release);
    };
    let wait_beyond = |seen| loop {
        match turn.load(Ordering::Acquire) {
            now if now != seen => {
                for word in &words {
                    black_box(word.load(Ordering::Relaxed));
                }
                return now;
            }
            _ => std::hint::spin_loop(),
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut seen = 0;
            loop {
                match wait_beyond(seen) {
                    STOP => return,
                    asked => seen = asked + 1,
                }
                give(seen);
            }
        });
        let begin = Instant::now();
        let mut least = f64::MAX;
        let mut asked = 1;
        let patience = |least| if least < HANDOFF_MOST { HANDOFF_TIME } else { HANDOFF_PATIENCE };
        while begin.elapsed() < patience(least) {
            let since = Instant::now();
            give(asked);
            wait_beyond(asked);
            least = least.min(since.elapsed().as_nanos() as f64);
            asked += 2;
        }
        turn.store(STOP, Ordering::Release);
        (least < HANDOFF_MOST).then_some(least / 2.0)
    })
}

/// Cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
