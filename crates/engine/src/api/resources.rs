//! The engine and the threads on which rows, chains and keys are computed.

use super::batch::MOST_THREADS;
use crate::cpu::Engine;
use crate::drive::threads::Threads;
use std::ops::Range;

/// Bytes of work below which another thread is not worth starting.
const LEAST_SHARE: u64 = 64 * 1024;

/// The engine, or the best ones, and the threads.
#[derive(Clone, Copy, Debug)]
pub struct Resources<'p> {
    /// The engine of all kernels, or `None` for the best kernels of this CPU.
    pub engine: Option<Engine>,
    threads: Threads<'p>,
}

impl Default for Resources<'_> {
    fn default() -> Self {
        Self { engine: None, threads: Threads::Count(1) }
    }
}

impl<'p> Resources<'p> {
    /// An engine, `None` for the best ones of this CPU, and threads.
    pub fn new(engine: Option<Engine>, threads: Threads<'p>) -> Self {
        Self { engine, threads }
    }

    /// Uses up to `count` threads, started for a call.
    pub fn threads(&mut self, count: usize) {
        self.threads = Threads::Count(count.clamp(1, MOST_THREADS));
    }

    /// Uses the threads of `pool`.
    #[cfg(feature = "rayon")]
    pub fn pool(&mut self, pool: &'p rayon::ThreadPool) {
        self.threads = Threads::Pool(pool);
    }

    /// Divides `count` items into runs, and calls `part` with the numbers of each run and its piece
    /// of `out`, in which item i begins at byte `at(i)`. `work` is the work of all items, in bytes
    /// that are hashed. The length of a run is a multiple of `full` items, if there are then enough
    /// runs for every thread.
    pub fn share(
        &self,
        count: usize,
        full: usize,
        work: u64,
        at: &dyn Fn(usize) -> usize,
        mut out: &mut [u8],
        part: &(dyn Fn(Range<usize>, &mut [u8]) + Sync),
    ) {
        let threads = self.threads.count().min((work / LEAST_SHARE) as usize);
        if threads <= 1 || count <= 1 {
            if count > 0 {
                part(0..count, out);
            }
            return;
        }
        let mut run = count.div_ceil(4 * threads).next_multiple_of(full);
        if count.div_ceil(run) < threads {
            run = count.div_ceil(threads);
        }
        let mut parts = Vec::new();
        for begin in (0..count).step_by(run) {
            let end = count.min(begin + run);
            let (now, later) = std::mem::take(&mut out).split_at_mut(at(end) - at(begin));
            parts.push((begin..end, now));
            out = later;
        }
        self.threads.share_out(threads, parts, part);
    }
}

/// The functions of a builder with a field `resources`.
macro_rules! with_resources {
    ($what:ident) => {
        impl<'p> $what<'p> {
            /// Uses only this engine; with `None` the best engines.
            #[must_use]
            pub fn engine(mut self, engine: impl Into<Option<$crate::cpu::Engine>>) -> Self {
                self.resources.engine = engine.into();
                self
            }

            /// Uses up to `count` threads, the calling thread included. The others are started for
            /// the call and ended with it; there are fewer where there is little work, and never
            /// more than 1,024.
            #[must_use]
            pub fn threads(mut self, count: usize) -> Self {
                self.resources.threads(count);
                self
            }

            /// Uses the threads of `pool` instead of starting threads. Of `threads` and `pool`, the
            /// later call counts. With the feature `rayon`, which is on by default.
            #[cfg(feature = "rayon")]
            #[must_use]
            pub fn pool(mut self, pool: &'p rayon::ThreadPool) -> Self {
                self.resources.pool(pool);
                self
            }
        }
    };
}
pub(crate) use with_resources;
