//! Threads that wait for the parts of one pairing. A pairing takes a tenth of a millisecond, less
//! than it takes to start a thread: workers spin for a while before they sleep.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).
//!
//! Nobody waits for a thread that does not run: a part that no worker has taken is computed by the
//! caller, and so is one whose worker is not done by twice the time of the caller's own share.
//! Where there is no CPU but the caller's, workers are left asleep.

use super::executor::PartOfFactors;
use super::lanes::FourElements;
use super::miller::FACTORS;
use super::places::{Places, Worker};
use super::types::{Point, Prepared, Shares, Value};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a worker spins for the next pairing.
const SPIN: Duration = Duration::from_micros(200);
/// How long the caller waits for the others beyond twice its own time.
const GRACE: Duration = Duration::from_micros(20);

/// One Miller value in parts.
struct PairingJob {
    part: PartOfFactors,
    p: Prepared,
    q: Point,
    parts: Vec<FactorRange>,
}

/// The factors `start..end`, which one thread multiplies, and their product once it is known.
struct FactorRange {
    start: usize,
    end: usize,
    taken: AtomicBool,
    value: OnceLock<Value>,
}

impl PairingJob {
    /// Computes the parts that nobody has taken; `done` counts those that nobody else had done.
    fn work(&self, memory: &mut Vec<FourElements>, done: &AtomicU64) {
        for part in &self.parts {
            if !part.taken.swap(true, Ordering::Relaxed) {
                self.compute(part, memory, done);
            }
        }
    }

    /// Computes one part, even if another thread is computing it.
    fn compute(
        &self,
        part: &FactorRange,
        memory: &mut Vec<FourElements>,
        done: &AtomicU64,
    ) -> Value {
        let factors = part.start..part.end;
        // SAFETY: its executor is given out only where its engine runs.
        let value = unsafe { (self.part)(&self.p, self.q, factors, memory) };
        *part.value.get_or_init(|| {
            done.fetch_add(1, Ordering::Relaxed);
            value
        })
    }
}

struct Shared {
    job: Mutex<Option<Arc<PairingJob>>>,
    workers: Box<[Worker]>,
    /// Parts whose values came from callers.
    by_callers: AtomicU64,
    /// Parts whose values came from workers.
    by_workers: AtomicU64,
    /// Counts the jobs; changes under the lock of `job`.
    count: AtomicUsize,
    /// Workers that wait for `more`; changes under the lock of `job`. Waking makes a system call
    /// even if none of them sleeps.
    asleep: AtomicUsize,
    more: Condvar,
    stop: AtomicBool,
}

impl Shared {
    /// The lock; nothing that is done under it panics.
    fn job(&self) -> MutexGuard<'_, Option<Arc<PairingJob>>> {
        self.job.lock().expect("not poisoned")
    }

    /// The loop of a worker: waits for jobs and takes their parts until the pool ends.
    fn serve(&self, worker: &Worker) {
        worker.is_here();
        let (mut seen, mut memory) = (0, Vec::new());
        while !self.stop.load(Ordering::Relaxed) {
            let since = Instant::now();
            while self.count.load(Ordering::Acquire) == seen {
                spin_loop();
                if since.elapsed() > SPIN {
                    let idle = |_: &mut Option<_>| {
                        self.count.load(Ordering::Acquire) == seen
                            && !self.stop.load(Ordering::Relaxed)
                    };
                    let job = self.job();
                    self.asleep.fetch_add(1, Ordering::Relaxed);
                    let job = self.more.wait_while(job, idle).expect("not poisoned");
                    self.asleep.fetch_sub(1, Ordering::Relaxed);
                    drop(job);
                    break;
                }
            }
            seen = self.count.load(Ordering::Acquire);
            let job = self.job().clone();
            if let Some(job) = job {
                job.work(&mut memory, &self.by_workers);
            }
        }
    }
}

/// Workers, and the caller's side of them.
pub(super) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    places: Mutex<Places>,
}

impl Pool {
    /// Starts `workers` threads, or as many as the system gives.
    pub fn new(workers: usize) -> Self {
        let shared = Arc::new(Shared {
            job: Mutex::new(None),
            workers: (0..workers).map(|_| Worker::default()).collect(),
            by_callers: AtomicU64::new(0),
            by_workers: AtomicU64::new(0),
            count: AtomicUsize::new(0),
            asleep: AtomicUsize::new(0),
            more: Condvar::new(),
            stop: AtomicBool::new(false),
        });
        let start = |i| {
            let shared = Arc::clone(&shared);
            let name = format!("pairing {}", i + 1);
            thread::Builder::new().name(name).spawn(move || shared.serve(&shared.workers[i])).ok()
        };
        let threads = (0..workers).map_while(start).collect();
        Self { shared, threads, places: Mutex::new(Places::new()) }
    }

    /// Who computed the parts so far.
    pub fn shares(&self) -> Shares {
        Shares {
            caller: self.shared.by_callers.load(Ordering::Relaxed),
            others: self.shared.by_workers.load(Ordering::Relaxed),
        }
    }

    /// Moves the workers to other CPUs than this thread's, gives them the job, and wakes those that
    /// sleep.
    fn announce(&self, job: &Arc<PairingJob>) {
        let workers = &self.shared.workers[..self.threads.len()];
        if !self.places.lock().expect("not poisoned").make_way(workers) {
            return;
        }
        let asleep = {
            let mut current = self.shared.job();
            *current = Some(Arc::clone(job));
            self.shared.count.fetch_add(1, Ordering::Release);
            self.shared.asleep.load(Ordering::Relaxed)
        };
        if asleep > 0 {
            self.shared.more.notify_all();
        }
    }

    /// The values of the parts that the cuts make, by `part` of an executor; `memory` is for the
    /// caller's own.
    pub fn parts(
        &self,
        part: PartOfFactors,
        p: &Prepared,
        q: Point,
        cuts: &[usize],
        memory: &mut Vec<FourElements>,
    ) -> Vec<Value> {
        debug_assert!(cuts.last() == Some(&FACTORS));
        let of_cut = |cut: &[usize]| FactorRange {
            start: cut[0],
            end: cut[1],
            taken: AtomicBool::new(false),
            value: OnceLock::new(),
        };
        let parts = cuts.windows(2).filter(|cut| cut[0] < cut[1]).map(of_cut).collect();
        let job = Arc::new(PairingJob { part, p: *p, q, parts });
        self.announce(&job);
        let done = &self.shared.by_callers;
        let since = Instant::now();
        job.work(memory, done);
        let patience = 2 * since.elapsed() + GRACE;
        let mut wait = |part: &FactorRange| loop {
            if let Some(&value) = part.value.get() {
                return value;
            }
            if since.elapsed() > patience {
                return job.compute(part, memory, done);
            }
            spin_loop();
        };
        let values = job.parts.iter().map(&mut wait).collect();
        *self.shared.job() = None;
        values
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        {
            let _job = self.shared.job();
            self.shared.stop.store(true, Ordering::Relaxed);
            self.shared.count.fetch_add(1, Ordering::Release);
        }
        self.shared.more.notify_all();
        for thread in self.threads.drain(..) {
            // A worker's panic has been reported where it was.
            let _ = thread.join();
        }
    }
}
