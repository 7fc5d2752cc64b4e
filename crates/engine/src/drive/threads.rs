//! Work in parts, on threads that are started for it.

use std::sync::Mutex;
use std::thread;

/// Does `work` on each of `parts`, the last first, on up to `threads` threads, this one among them.
///
/// Where the system gives no more threads, those there are do the work.
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
        for _ in 0..others {
            if thread::Builder::new().spawn_scoped(scope, serve).is_err() {
                break;
            }
        }
        serve();
    });
}
