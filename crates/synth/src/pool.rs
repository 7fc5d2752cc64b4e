//! Tasks that make tasks, on several threads.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

struct State<T> {
    waiting: Vec<T>,
    /// Tasks that are being done, and may make others.
    active: usize,
}

/// More threads than that only wait for each other.
const MOST_THREADS: usize = 1024;

/// Does all tasks, and those that `work` pushes, on `threads` threads: the last made first, so that
/// what was begun is ended.
pub fn run<T: Send>(mut tasks: Vec<T>, threads: usize, work: impl Fn(T, &mut Vec<T>) + Sync) {
    tasks.reverse();
    let state = Mutex::new(State { waiting: tasks, active: 0 });
    let changed = Condvar::new();
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, MOST_THREADS) {
            scope.spawn(|| {
                while let Some(task) = next(&state, &changed) {
                    let mut made = Vec::new();
                    work(task, &mut made);
                    let mut state = locked(&state);
                    state.waiting.extend(made.into_iter().rev());
                    state.active -= 1;
                    changed.notify_all();
                }
            });
        }
    });
}

/// A task, or none if there will be no more.
fn next<T>(state: &Mutex<State<T>>, changed: &Condvar) -> Option<T> {
    let mut state = locked(state);
    loop {
        if let Some(task) = state.waiting.pop() {
            state.active += 1;
            return Some(task);
        }
        if state.active == 0 {
            return None;
        }
        state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Whatever a thread that panicked left is whole: it changes the state in one go.
fn locked<T>(state: &Mutex<State<T>>) -> MutexGuard<'_, State<T>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn every_task_is_done_once() {
        for threads in [1, 2, 7] {
            let sum = AtomicU32::new(0);
            run(vec![3_u32, 5, 0], threads, |n, made| {
                sum.fetch_add(1, Ordering::Relaxed);
                made.extend((0..n).map(|_| 0));
            });
            assert_eq!(sum.into_inner(), 3 + 3 + 5);
        }
    }
}
