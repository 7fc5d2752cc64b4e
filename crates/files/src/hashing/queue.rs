//! Assigns jobs to workers.

use super::counts::Counts;
use super::job::{Input, Job, Source};
use super::permits::Permits;
use crate::system::media::Watch;
use std::collections::VecDeque;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Condvar, Mutex, MutexGuard, TryLockError};

/// The most jobs that are claimed and not yet taken by the caller. It bounds the memory of results.
const WINDOW: u64 = 16 * 1024;
/// The number of results after which the caller announces how many it has taken.
const STRIDE: u64 = 1024;
/// Jobs that are found ahead of their claims, per thread, which shows when the end is near.
const AHEAD: usize = 256;
/// The most jobs that are found ahead for all threads together.
const MOST_AHEAD: usize = 4096;
/// Most jobs of one claim.
const CLAIM: usize = 16;
/// Jobs that are found further ahead at each claim if sizes are asked for, so that the total is
/// soon known.
const FURTHER: usize = 256;
/// The most jobs that are found ahead in this way, which bounds the memory of their names.
const MOST_FURTHER: usize = 64 * 1024;

/// A job in the hands of a worker.
pub struct Claimed<N> {
    /// The index of the job in the order of the source.
    pub number: u64,
    /// The file to read, and the hashes to compute of it.
    pub job: Job<N>,
    /// Bytes of the file that were added to the known total.
    pub size: u64,
    /// The number of earlier jobs that read standard input.
    pub stdin_turn: u64,
    /// How often the job was begun again.
    pub tries: u32,
}

/// The result of asking for jobs.
pub enum Claim {
    /// Some jobs were claimed; of the jobs left, the worker's share is about this number.
    Share(usize),
    /// There are none now, but there may be some later.
    Later,
    /// There will be no more jobs.
    End,
}

/// The jobs that no worker has claimed yet, and the state that workers share.
pub struct Queue<S: Source> {
    waiting: Mutex<Waiting<S>>,
    /// Jobs that the caller took.
    taken: Mutex<u64>,
    room: Condvar,
    /// Jobs that have read standard input to its end.
    stdin_done: Mutex<u64>,
    next_stdin: Condvar,
    cancelled: AtomicBool,
    /// Threads that may work.
    threads: AtomicUsize,
    /// Workers that have not ended.
    pub working: AtomicUsize,
    /// Long files that are open.
    pub longs: AtomicUsize,
    /// The permits of the threads that read.
    pub readers: Permits,
    /// The permits of the threads that hash.
    pub hashers: Permits,
    /// Whether each file is read from its beginning to its end before the next.
    in_turn: AtomicBool,
    /// Numbers of files and bytes that are found and done.
    pub counts: Counts,
}

struct Waiting<S: Source> {
    source: S,
    /// Jobs that were found and are not claimed yet, with their sizes.
    found: VecDeque<(Job<S::Note>, u64)>,
    /// Whether the source has no more jobs.
    ended: bool,
    /// Looks for storage that wants one reader, until it has found some.
    watch: Option<Watch>,
    /// Number of the next job to be claimed.
    number: u64,
    stdins: u64,
}

impl<S: Source> Queue<S> {
    /// With `sizes`, files are asked for their sizes ahead, for [`SoFar`](super::SoFar). With a
    /// `watch`, only one thread at a time reads as soon as a file is found on storage that is
    /// fastest for one reader.
    pub fn new(
        source: S,
        threads: usize,
        (readers, hashers): (Permits, Permits),
        watch: Option<Watch>,
        sizes: bool,
    ) -> Self {
        let found = VecDeque::new();
        let waiting = Waiting { source, found, ended: false, watch, number: 0, stdins: 0 };
        Self {
            waiting: Mutex::new(waiting),
            taken: Mutex::new(0),
            room: Condvar::new(),
            stdin_done: Mutex::new(0),
            next_stdin: Condvar::new(),
            cancelled: AtomicBool::new(false),
            threads: AtomicUsize::new(threads),
            working: AtomicUsize::new(0),
            longs: AtomicUsize::new(0),
            readers,
            hashers,
            in_turn: AtomicBool::new(false),
            counts: Counts::new(sizes),
        }
    }

    /// Looks for jobs until `count` are found. Only if `patient` and none is found yet, waits for
    /// one.
    fn find(&self, waiting: &mut Waiting<S>, count: usize, patient: bool) {
        while waiting.found.len() < count && !waiting.ended {
            if waiting.source.may_wait() && !(patient && waiting.found.is_empty()) {
                return;
            }
            match waiting.source.next() {
                Some(job) => {
                    self.look_at_storage(&mut waiting.watch, &job.input);
                    let size = self.counts.found(&job.input);
                    waiting.found.push_back((job, size));
                }
                None => {
                    waiting.ended = true;
                    self.counts.found_all();
                }
            }
        }
    }

    /// Lets one thread at a time read from now on if the file's storage asks for it.
    fn look_at_storage(&self, watch: &mut Option<Watch>, input: &Input) {
        let (Some(watching), Some(path)) = (&mut *watch, input.opened()) else { return };
        if watching.wants_one_reader(path) {
            self.readers.limit(1);
            self.in_turn.store(true, Relaxed);
            *watch = None;
        }
    }

    /// Whether the storage of a file that was found asks for one reader.
    pub fn reads_in_turn(&self) -> bool {
        self.in_turn.load(Relaxed)
    }

    /// The number of jobs, if that is less than the number of threads, but at least one; else a
    /// large number.
    pub fn look_ahead(&self) -> usize {
        let mut waiting = self.waiting.lock().expect(UNPOISONED);
        self.find(&mut waiting, self.threads(), false);
        if waiting.ended { waiting.found.len().max(1) } else { usize::MAX }
    }

    /// Claims some jobs: about a quarter of one thread's share of the jobs that were found, from 1
    /// to [`CLAIM`]. Only a `patient` worker is kept waiting: for the source, for another worker or
    /// for the caller.
    pub fn claim(&self, patient: bool, claimed: &mut VecDeque<Claimed<S::Note>>) -> Claim {
        let mut waiting = match self.waiting.try_lock() {
            Ok(waiting) => waiting,
            Err(TryLockError::WouldBlock) if patient => self.waiting.lock().expect(UNPOISONED),
            Err(TryLockError::WouldBlock) => return Claim::Later,
            Err(TryLockError::Poisoned(_)) => panic!("{UNPOISONED}"),
        };
        if self.is_cancelled() {
            return Claim::End;
        }
        let threads = self.threads();
        let mut ahead = (AHEAD * threads).min(MOST_AHEAD);
        if self.counts.sizes {
            ahead = ahead.max((waiting.found.len() + FURTHER).min(MOST_FURTHER));
        }
        self.find(&mut waiting, ahead, patient);
        let found = waiting.found.len();
        if found == 0 {
            return if waiting.ended { Claim::End } else { Claim::Later };
        }
        let room = self.room(waiting.number, patient);
        if room == 0 {
            return if self.is_cancelled() { Claim::End } else { Claim::Later };
        }
        let count = (found / (4 * threads)).clamp(1, CLAIM).min(room);
        for _ in 0..count {
            let Some((job, size)) = waiting.found.pop_front() else { break };
            let is_stdin = job.input == Input::Stdin;
            let (number, stdin_turn) = (waiting.number, waiting.stdins);
            claimed.push_back(Claimed { number, job, size, stdin_turn, tries: 0 });
            waiting.number += 1;
            waiting.stdins += u64::from(is_stdin);
        }
        Claim::Share(found.div_ceil(threads))
    }

    /// The number of jobs, counted from job `number`, that the window has room for. Waits for room
    /// if `patient`.
    fn room(&self, number: u64, patient: bool) -> usize {
        let mut taken = self.taken.lock().expect(UNPOISONED);
        while patient && number >= *taken + WINDOW && !self.is_cancelled() {
            taken = self.room.wait(taken).expect(UNPOISONED);
        }
        (*taken + WINDOW).saturating_sub(number) as usize
    }

    /// Announces that the caller took `taken` jobs: at once if `now`, else every [`STRIDE`] jobs.
    pub fn took(&self, taken: u64, now: bool) {
        if now || taken.is_multiple_of(STRIDE) {
            *self.taken.lock().expect(UNPOISONED) = taken;
            self.room.notify_all();
        }
    }

    /// Waits until `turn` jobs have read standard input, and returns a guard that ends this job's
    /// turn when it is dropped.
    pub fn await_stdin(&self, turn: u64) -> StdinTurn<'_> {
        let mut done = self.stdin_done.lock().expect(UNPOISONED);
        while *done < turn {
            done = self.next_stdin.wait(done).expect(UNPOISONED);
        }
        StdinTurn { done, next: &self.next_stdin }
    }

    /// Threads that may work.
    pub fn threads(&self) -> usize {
        self.threads.load(Relaxed)
    }

    /// Records that no more than so many threads can be had.
    pub fn set_threads(&self, threads: usize) {
        self.threads.store(threads, Relaxed);
    }

    /// Whether a thread that may work has no work.
    pub fn has_idle_thread(&self) -> bool {
        self.working.load(Relaxed) < self.threads()
    }

    /// Ends the work: wakes workers that wait for room, so that they see it.
    pub fn cancel(&self) {
        self.cancelled.store(true, Release);
        // The lock is held so that no worker is between its check and its wait.
        let _taken = self.taken.lock();
        self.room.notify_all();
    }

    /// Whether the work was ended before all jobs were done.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Acquire)
    }
}

const UNPOISONED: &str = "no holder of the lock panics";

/// The right to read standard input.
pub struct StdinTurn<'q> {
    done: MutexGuard<'q, u64>,
    next: &'q Condvar,
}

impl Drop for StdinTurn<'_> {
    fn drop(&mut self) {
        *self.done += 1;
        self.next.notify_all();
    }
}
