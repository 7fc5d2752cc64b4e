//! Work in parts, on threads that are started for it or on those of a pool.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::thread;

#[cfg(feature = "rayon")]
pub use rayon::ThreadPool;

/// Without the feature `rayon` no caller has a pool.
#[cfg(not(feature = "rayon"))]
#[derive(Debug)]
pub enum ThreadPool {}

/// Who computes the items of a batch.
#[derive(Clone, Copy, Debug)]
pub enum Threads<'p> {
    /// Up to this many threads: the caller's, and others that are started for the call.
    Count(usize),
    /// The threads of a pool that the caller has.
    Pool(&'p ThreadPool),
}

/// A range of items and the part of the output for their results.
pub type Chunk<'o> = (Range<usize>, &'o mut [u8]);

impl Threads<'_> {
    /// The number of threads.
    pub fn count(self) -> usize {
        match self {
            Self::Count(count) => count,
            #[cfg(feature = "rayon")]
            Self::Pool(pool) => pool.current_num_threads(),
            #[cfg(not(feature = "rayon"))]
            Self::Pool(none) => match *none {},
        }
    }

    /// Does `work` on each of `parts`, on up to `most` threads started for it, or on the threads of
    /// the pool, whose number `most` does not limit. The function is not generic, so that it is
    /// compiled once for all hashes.
    pub fn share_out(
        self,
        most: usize,
        parts: Vec<Chunk>,
        work: &(dyn Fn(Range<usize>, &mut [u8]) + Sync),
    ) {
        match self {
            Self::Count(_) => share_out(most, parts, |(range, out)| work(range, out)),
            #[cfg(feature = "rayon")]
            Self::Pool(pool) => pool.scope(|scope| {
                for (range, out) in parts {
                    scope.spawn(move |_| work(range, out));
                }
            }),
            #[cfg(not(feature = "rayon"))]
            Self::Pool(none) => match *none {},
        }
    }
}

/// A thread whose stack is large enough for any kernel. Without optimisation, kernels of several
/// lanes keep thousands of words on the stack, up to 9 MB.
fn builder() -> thread::Builder {
    match cfg!(unoptimised) {
        true => thread::Builder::new().stack_size(16 << 20),
        false => thread::Builder::new(),
    }
}

/// Does `work` on each of `parts`, the last first, on up to `threads` threads, the calling thread
/// included.
///
/// If the system gives no more threads, the running threads do the work. If `work` panics on one of
/// them, so does this function, with the same payload.
pub fn share_out<T: Send>(threads: usize, parts: Vec<T>, work: impl Fn(T) + Sync) {
    let others = threads.min(parts.len()).saturating_sub(1);
    let queue = Mutex::new(parts);
    let serve = || {
        loop {
            let next = queue.lock().expect("no holder of the lock panics").pop();
            let Some(part) = next else { break };
            work(part);
        }
    };
    thread::scope(|scope| {
        let start = |_| builder().spawn_scoped(scope, serve).ok();
        let started: Vec<_> = (0..others).map_while(start).collect();
        serve();
        for thread in started {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}
