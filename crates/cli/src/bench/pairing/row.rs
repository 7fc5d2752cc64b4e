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
}
