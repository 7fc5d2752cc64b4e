//! Places the workers of a pool on CPUs: never on the caller's CPU.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).
//!
//! A scheduler may wake a thread where the thread runs that wakes it, or gather threads that run
//! briefly on few CPUs to let others sleep. The scheduler corrects this after some milliseconds,
//! dozens of pairings too late. So the CPUs that this process may use, but the caller's, are dealt
//! out to the workers:
//!
//! ```text
//! CPUs 0–7, the caller on 2, three workers:   0 4 7 │ 1 5 │ 3 6
//! ```
//!
//! On Linux alone; elsewhere, and under Miri, which makes no system calls, workers run where they
//! are put.

#[cfg(any(miri, not(target_os = "linux")))]
pub(super) use anywhere::{Places, Worker};
#[cfg(all(target_os = "linux", not(miri)))]
pub(super) use dealt::{Places, Worker};

#[cfg(all(target_os = "linux", not(miri)))]
mod dealt {
    use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};
    use std::sync::OnceLock;

    /// A thread of a pool.
    #[derive(Default)]
    pub struct Worker(OnceLock<Pid>);

    impl Worker {
        /// Called by the thread itself.
        pub fn is_here(&self) {
            self.0.get_or_init(gettid);
        }
    }

    /// The CPUs of a pool.
    pub struct Places {
        /// The CPUs that the pool's maker may use; none if the system does not tell.
        all: Vec<usize>,
        /// The caller's CPU at the time when the others were dealt out to all workers.
        caller: Option<usize>,
    }

    impl Places {
        /// The CPUs that this thread may use.
        pub fn new() -> Self {
            let allowed = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
            let all = (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu)).collect();
            Self { all, caller: None }
        }

        /// Moves the workers away from the CPU of this thread. Returns false if there is no other
        /// CPU for them.
        pub fn make_way(&mut self, workers: &[Worker]) -> bool {
            let here = sched_getcpu();
            let others: Vec<_> = self.all.iter().copied().filter(|&cpu| cpu != here).collect();
            if self.caller == Some(here) || self.all.is_empty() || others.is_empty() {
                return self.all != [here];
            }
            self.caller = Some(here);
            for (i, worker) in workers.iter().enumerate() {
                let Some(&id) = worker.0.get() else {
                    self.caller = None;
                    continue;
                };
                let mut set = CpuSet::new();
                let first = i % others.len();
                others[first..].iter().step_by(workers.len()).for_each(|&cpu| set.set(cpu));
                // A CPU may have gone since; the worker stays where it is then.
                let _ = sched_setaffinity(Some(id), &set);
            }
            true
        }
    }
}

#[cfg(any(miri, not(target_os = "linux")))]
mod anywhere {
    /// A thread of a pool.
    #[derive(Default)]
    pub struct Worker;

    impl Worker {
        /// Called by the thread itself.
        pub fn is_here(&self) {}
    }

    /// The CPUs of a pool, which are unknown on this system.
    pub struct Places;

    impl Places {
        /// Places without a CPU.
        pub fn new() -> Self {
            Self
        }

        /// Leaves the workers where they are.
        pub fn make_way(&mut self, _workers: &[Worker]) -> bool {
            true
        }
    }
}
