//! Threads that wait for the parts of one pairing. A pairing takes a tenth of a millisecond, less
//! than it takes to start a thread: workers spin for a while before they sleep.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).
//!
//! Nobody waits for a thread that does not run: a part that no worker has taken is computed by the
//! caller, and so is one whose worker is not done by twice the time of the caller's own share.

use super::Value;
use super::executor::Executor;
use super::lanes::Track;
use super::miller::FACTORS;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a worker spins for the next pairing.
const SPIN: Duration = Duration::from_micros(200);
/// What the caller waits for the others beyond twice its own time.
const GRACE: Duration = Duration::from_micros(20);

/// The parts of one Miller value.
struct Job {
    executor: &'static Executor,
    steps: Vec<Track>,
    parts: Vec<Part>,
}

struct Part {
    start: usize,
    end: usize,
    taken: AtomicBool,
    value: OnceLock<Value>,
}

impl Job {
    /// Computes the parts that nobody has taken.
    fn work(&self) {
        for part in &self.parts {
            if !part.taken.swap(true, Ordering::Relaxed) {
                self.compute(part);
            }
        }
    }

    /// Computes one part, though somebody else may be at it.
    fn compute(&self, part: &Part) -> Value {
        // SAFETY: executors are given out only where their engine runs.
        let value = unsafe { (self.executor.part)(&self.steps, part.start..part.end) };
        *part.value.get_or_init(|| value)
    }
}

struct Shared {
    job: Mutex<Option<Arc<Job>>>,
    /// Counts the jobs; changes under the lock of `job`.
    count: AtomicUsize,
    more: Condvar,
    stop: AtomicBool,
}

impl Shared {
    /// The lock; nothing that is done under it panics.
    fn job(&self) -> MutexGuard<'_, Option<Arc<Job>>> {
        self.job.lock().expect("not poisoned")
    }

    /// The life of a worker.
    fn serve(&self) {
        let mut seen = 0;
        while !self.stop.load(Ordering::Relaxed) {
            let since = Instant::now();
            while self.count.load(Ordering::Acquire) == seen {
                spin_loop();
                if since.elapsed() > SPIN {
                    let idle = |_: &mut Option<_>| {
                        self.count.load(Ordering::Acquire) == seen
                            && !self.stop.load(Ordering::Relaxed)
                    };
                    drop(self.more.wait_while(self.job(), idle).expect("not poisoned"));
                    break;
                }
            }
            seen = self.count.load(Ordering::Acquire);
            let job = self.job().clone();
            if let Some(job) = job {
                job.work();
            }
        }
    }
}

/// Workers, and the caller's side of them.
pub(super) struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts `workers` threads, or as many as the system gives.
    pub fn new(workers: usize) -> Self {
        let shared = Arc::new(Shared {
            job: Mutex::new(None),
            count: AtomicUsize::new(0),
            more: Condvar::new(),
            stop: AtomicBool::new(false),
        });
        let start = |i| {
            let shared = Arc::clone(&shared);
            let name = format!("pairing {i}");
            thread::Builder::new().name(name).spawn(move || shared.serve()).ok()
        };
        let workers = (1..=workers).map_while(start).collect();
        Self { shared, workers }
    }

    /// The parts that the cuts make, and the steps again where no worker still holds them.
    pub fn parts(
        &self,
        executor: &'static Executor,
        steps: Vec<Track>,
        cuts: &[usize],
    ) -> (Vec<Value>, Vec<Track>) {
        debug_assert!(cuts.last() == Some(&FACTORS));
        let part = |cut: &[usize]| Part {
            start: cut[0],
            end: cut[1],
            taken: AtomicBool::new(false),
            value: OnceLock::new(),
        };
        let parts = cuts.windows(2).filter(|cut| cut[0] < cut[1]).map(part).collect();
        let job = Arc::new(Job { executor, steps, parts });
        {
            let mut current = self.shared.job();
            *current = Some(Arc::clone(&job));
            self.shared.count.fetch_add(1, Ordering::Release);
        }
        self.shared.more.notify_all();
        let since = Instant::now();
        job.work();
        let patience = 2 * since.elapsed() + GRACE;
        let wait = |part: &Part| loop {
            if let Some(&value) = part.value.get() {
                return value;
            }
            if since.elapsed() > patience {
                return job.compute(part);
            }
            spin_loop();
        };
        let values = job.parts.iter().map(wait).collect();
        *self.shared.job() = None;
        // A worker drops the job just after its value is there.
        let mut job = job;
        loop {
            match Arc::try_unwrap(job) {
                Ok(job) => return (values, job.steps),
                Err(_) if since.elapsed() > patience + GRACE => return (values, Vec::new()),
                Err(shared) => job = shared,
            }
            spin_loop();
        }
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
        for worker in self.workers.drain(..) {
            // A worker's panic has been reported where it was.
            let _ = worker.join();
        }
    }
}
