//! Threads for many signatures by one key: one signature fills the lanes of a core, so each is made
//! on one thread.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The most threads, as many as a batch of the engine has at most.
const MOST_THREADS: usize = 1024;

/// Bytes of a stack. Without optimisation, kernels keep up to 9 MB there; what is not used takes no
/// memory.
const STACK: usize = 16 << 20;

/// Returns `of(0)` to `of(count - 1)`, computed on up to `threads` threads, the calling one
/// included. If the system gives no more threads, the running threads do the work.
pub(crate) fn each<T: Send>(
    count: usize,
    threads: usize,
    of: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let serve = || {
        let indices = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let taken = indices.take_while(|index| *index < count);
        taken.map(|index| (index, of(index))).collect::<Vec<_>>()
    };
    let serve = &serve;
    let mut results = thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, serve).ok();
        let others: Vec<_> = (1..threads.min(count).min(MOST_THREADS)).map_while(spawn).collect();
        let mut results = serve();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
