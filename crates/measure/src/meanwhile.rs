//! Times of kernels, measured in the background of a long run on a CPU for which none are built in.
//!
//! ```text
//! load ── no table in the user's cache ──► drive ── many bytes are hashed ──► hashed
//!                                               a thread measures once, and writes the table ◄──┘
//! ```
//!
//! The thread has the lowest priority and prints nothing. It ends with the process at the latest,
//! and then nothing is written. The run goes by what was built in to its end, later runs by the
//! table.

use crate::tuning::{TablePlace, lacking, measure};
use manylane_engine::HashId;
use manylane_engine::tuning::{Tuning, family, knows_this_core};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

/// Hashed bytes that make a run a long one. Measuring takes some two seconds of a core.
const LONG: u64 = 4 << 30;

/// An environment variable for tests: the number of hashed bytes after which any CPU is measured.
const AFTER: &str = "MANYLANE_MEASURE_AFTER";

/// The name of the thread that measures, by which tools and tests find it.
const THREAD: &str = "measure";

/// Says how many bytes this run has hashed. If they are many, measures in the background, where
/// this may gain something.
pub fn hashed(bytes: u64) {
    static WANTED: OnceLock<Option<(&TablePlace, u64)>> = OnceLock::new();
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if let Some((place, after)) = *WANTED.get_or_init(wanted)
        && bytes >= after
        && !BEGUN.swap(true, Relaxed)
    {
        // If no thread can be started, nothing is measured.
        let _ = thread::Builder::new().name(THREAD.to_owned()).spawn(|| keep(place));
    }
}

/// Where a table is to be kept, and after how many bytes it is measured.
fn wanted() -> Option<(&'static TablePlace, u64)> {
    let place = lacking()?;
    let after = std::env::var(AFTER).ok().and_then(|bytes| bytes.parse().ok());
    let after = after.or((!knows_this_core()).then_some(LONG))?;
    // Elsewhere a thread has no priority of its own.
    cfg!(target_os = "linux").then_some((place, after))
}

/// Measures all kernels and writes the table. If anything fails, no table is written.
fn keep(place: &TablePlace) -> Option<()> {
    lower_priority()?;
    let mut table = Tuning::new(&crate::cpu::identity());
    for &hash in HashId::ALL.iter().filter(|&&id| family(id)[0] == id) {
        // Between two slices other threads may have the core: the least of many short ones counts.
        measure(&mut table, hash, |kernels| kernels.minima(1)).ok()?;
    }
    // A table that `manylane tune` may have written meanwhile stays.
    let is_none = matches!(place.read(), Ok(None));
    if is_none { place.write(&table).ok() } else { None }
}

/// Gives this thread the lowest priority.
#[cfg(target_os = "linux")]
fn lower_priority() -> Option<()> {
    // On Linux, priorities are those of threads.
    rustix::process::setpriority_process(None, 19).ok()
}

#[cfg(not(target_os = "linux"))]
fn lower_priority() -> Option<()> {
    None
}
