//! One measurement of the pairing or of a part of it.

use serde::Serialize;

/// One measurement.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) what: &'static str,
    pub(super) engine: &'static str,
    /// Elements or pairs in one call.
    pub(super) count: usize,
    pub(super) threads: usize,
    /// Nanoseconds for each element or pair: processor time on one core, wall time on several.
    pub(super) nanoseconds: f64,
    /// The same in cycles of the core, where its clock rate is known.
    pub(super) cycles: Option<f64>,
    /// How many of them take as long as one pairing of BLS12-381 by blst in the same run.
    pub(super) per_blst_pairing: Option<f64>,
    /// The speedup over one thread in the same run.
    pub(super) speedup: Option<f64>,
    /// For pairings on several threads: the share of the parts that threads other than the caller's
    /// computed. It is (p − 1)/p for p threads, less where they found no idle core.
    pub(super) shared: Option<f64>,
    /// Cycles that the paper measured or estimated for it, in its own comparison alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) paper_cycles: Option<f64>,
}

impl Row {
    /// One call of one element on one thread, in seconds.
    pub(super) fn new(what: &'static str, engine: &'static str, seconds: f64) -> Self {
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
