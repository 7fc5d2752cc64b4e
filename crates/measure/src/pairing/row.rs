//! One measurement of the pairing or of a part of it.

use super::contestants::Contestant;
use super::peers::{self, Clock};
use crate::timing::Paired;
use serde::Serialize;

/// One measurement.
#[derive(Serialize)]
pub struct Row {
    /// What was measured.
    pub what: &'static str,
    /// The name of the engine, or of the library, that computed it.
    pub engine: &'static str,
    /// Elements or pairs in one call.
    pub count: usize,
    /// Threads that computed it.
    pub threads: usize,
    /// Nanoseconds for each element or pair: processor time on one core, wall time on several.
    pub nanoseconds: f64,
    /// The same in cycles of the core, where its clock rate is known.
    pub cycles: Option<f64>,
    /// How many elements or pairs take as long as one pairing of BLS12-381 by blst in the same run.
    pub per_blst_pairing: Option<f64>,
    /// The speedup over one thread in the same run.
    pub speedup: Option<f64>,
    /// For pairings on several threads: the share of the parts that threads other than the caller's
    /// computed. It is (p − 1)/p for p threads, less where they found no idle core.
    pub shared: Option<f64>,
    /// Cycles that the paper measured or estimated for it, in its own comparison alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper_cycles: Option<f64>,
}

impl Row {
    /// A row for one element on one thread, which took `seconds`.
    pub fn new(what: &'static str, engine: &'static str, seconds: f64) -> Self {
        Self {
            what,
            engine,
            count: 1,
            threads: 1,
            nanoseconds: seconds * 1e9,
            cycles: None,
            per_blst_pairing: None,
            speedup: None,
            shared: None,
            paper_cycles: None,
        }
    }
}

impl Contestant<'_> {
    /// Measures it beside the peers: medians of `runs` slices of processor time.
    pub fn row(self, runs: u32) -> Row {
        let Self { what, engine, count, times, call } = self;
        let mut calls = vec![call];
        calls.extend(Clock::call());
        calls.extend(peers::bls12_381());
        let mut medians = Paired::new(calls).medians(runs).into_iter();
        let call = medians.next().expect("one median per contestant");
        let seconds = call / (count * times) as f64;
        let hertz = Clock::call().and(medians.next()).map(Clock::hertz);
        Row {
            count,
            cycles: hertz.map(|hertz| seconds * hertz),
            per_blst_pairing: medians.next().map(|blst| blst / seconds),
            ..Row::new(what, engine, seconds)
        }
    }
}
