//! Contestants that take turns, on one thread or two.
//!
//! A shared machine takes a thread away for longer than a pairing lasts. Besides wall time, each
//! run therefore has the time of its longest path: the processor time of one thread or, where two
//! run, of the longer part. Time that threads spend waiting for each other is not part of it.

use rustix::time::{ClockId, clock_gettime};
use std::hint::spin_loop;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// Microseconds of a run.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// Wall time.
    pub clock: f64,
    /// Processor time on the longest path.
    pub path: f64,
}

impl Time {
    /// The shorter of each.
    pub fn shorter(self, other: Self) -> Self {
        Self { clock: self.clock.min(other.clock), path: self.path.min(other.path) }
    }
}

/// The times of one contestant's turns.
pub struct Lap {
    /// Its name.
    pub name: String,
    /// Pairings that one run computes.
    pub pairings: usize,
    /// The shortest run of each turn.
    pub shortest: Vec<Time>,
}

type Turn<'a> = Box<dyn Fn() -> Time + 'a>;

/// Contestants.
#[derive(Default)]
pub struct Race<'a> {
    contestants: Vec<(String, usize, Turn<'a>)>,
}

impl<'a> Race<'a> {
    /// Adds a contestant; `turn` returns the time of its shortest run.
    pub fn add(&mut self, name: impl Into<String>, pairings: usize, turn: impl Fn() -> Time + 'a) {
        self.contestants.push((name.into(), pairings, Box::new(turn)));
    }

    /// Lets all contestants take turns, `turns` each.
    pub fn run(self, turns: usize) -> Vec<Lap> {
        let lap = |(name, pairings, _): &(String, usize, Turn)| {
            let (name, pairings) = (name.clone(), *pairings);
            Lap { name, pairings, shortest: Vec::new() }
        };
        let mut laps: Vec<Lap> = self.contestants.iter().map(lap).collect();
        for _ in 0..turns {
            for (lap, (_, _, turn)) in laps.iter_mut().zip(&self.contestants) {
                lap.shortest.push(turn());
            }
        }
        laps
    }
}

/// What `work` gives, and the processor time that it took.
fn processor<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
    };
    let since = now();
    let result = std::hint::black_box(work());
    (result, now() - since)
}

/// The shortest of `runs` runs of `work`, which gives the processor time of its path.
fn shortest(runs: usize, mut work: impl FnMut() -> f64) -> Time {
    let mut run = || {
        let since = Instant::now();
        let path = work();
        Time { clock: since.elapsed().as_secs_f64() * 1e6, path }
    };
    let first = run();
    (1..runs).fold(first, |shortest, _| shortest.shorter(run()))
}

/// The shortest of `runs` runs on this thread.
pub fn alone<R>(runs: usize, work: impl Fn() -> R) -> Time {
    shortest(runs, || processor(&work).1)
}

/// The shortest of `runs` runs on this thread and another, which spins while it waits: `before`
/// here, then `mine` here beside `theirs` there, then `after` here.
pub fn beside<A, B: Send, R>(
    runs: usize,
    before: impl Fn(),
    mine: impl Fn() -> A,
    theirs: impl Fn() -> B + Sync,
    after: impl Fn(A, B) -> R,
) -> Time {
    let (go, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let result = Mutex::new(None);
    let wait = |counter: &AtomicUsize, value| {
        while counter.load(Ordering::Acquire) < value {
            spin_loop();
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            for run in 1..=runs {
                wait(&go, run);
                *result.lock().expect("not poisoned") = Some(processor(&theirs));
                done.store(run, Ordering::Release);
            }
        });
        let mut run = 0;
        shortest(runs, || {
            run += 1;
            let ((), first) = processor(&before);
            go.store(run, Ordering::Release);
            let (mine, here) = processor(&mine);
            wait(&done, run);
            let theirs = result.lock().expect("not poisoned").take();
            let (theirs, there) = theirs.expect("a result");
            let (_, last) = processor(|| after(mine, theirs));
            first + here.max(there) + last
        })
    })
}
