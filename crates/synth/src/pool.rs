//! Tasks that make tasks, on several threads.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

struct State<T> {
    waiting: Vec<T>,
    /// Tasks that are being done and may make other tasks.
    active: usize,
}

/// The most threads: more would only wait for each other.
const MOST_THREADS: usize = 1024;

/// Bytes of a thread's stack. Planning recurses as deep as a graph is long: Grøstl's takes more
/// than the 2 MiB that threads have by default.
const STACK: usize = 64 << 20;

/// Does all tasks, and those that `work` pushes, on `threads` threads. The task that was made last
/// is done first, so that work that was begun is ended before other work begins.
pub fn run<T: Send>(mut tasks: Vec<T>, threads: usize, work: impl Fn(T, &mut Vec<T>) + Sync) {
    tasks.reverse();
    let state = Mutex::new(State { waiting: tasks, active: 0 });
    let changed = Condvar::new();
    thread::scope(|scope| {
        for number in 0..threads.clamp(1, MOST_THREADS) {
            let builder = thread::Builder::new().stack_size(STACK);
            let worker = || {
                while let Some(task) = next(&state, &changed) {
                    let mut made = Vec::new();
                    // The others would wait for ever for the tasks of a thread that is gone.
                    let done = catch_unwind(AssertUnwindSafe(|| work(task, &mut made)));
                    let mut state = locked(&state);
                    state.waiting.extend(made.into_iter().rev());
                    state.active -= 1;
                    changed.notify_all();
                    drop(state);
                    if let Err(panic) = done {
                        resume_unwind(panic);
                    }
                }
            };
            match builder.spawn_scoped(scope, worker) {
                Err(error) if number == 0 => panic!("no thread can be started: {error}"),
                // The system gives no more threads.
                Err(_) => break,
                Ok(_) => {}
            }
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

/// The state is whole even after a thread panicked, because each change of it is a single step.
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

    #[test]
    fn a_panic_ends_and_is_passed_on() {
        let sum = AtomicU32::new(0);
        let work = |n: u32, _: &mut Vec<u32>| {
            assert_ne!(n, 1, "the task that fails");
            sum.fetch_add(n, Ordering::Relaxed);
        };
        let ended = catch_unwind(AssertUnwindSafe(|| run(vec![1, 2, 3, 4], 2, work)));
        assert!(ended.is_err());
        assert_eq!(sum.into_inner(), 2 + 3 + 4, "the others are done");
    }

    #[test]
    fn more_threads_than_there_can_be_are_no_error() {
        let sum = AtomicU32::new(0);
        run(vec![1_u32, 2], usize::MAX, |n, _| _ = sum.fetch_add(n, Ordering::Relaxed));
        assert_eq!(sum.into_inner(), 3);
    }
}
