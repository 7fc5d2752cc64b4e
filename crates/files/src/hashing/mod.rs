//! Hashes files, many at a time, and gives the digests in the order of the files.
//!
//! ```text
//!  Source ─▶ Queue ─┬─▶ worker: round after round ─┬─▶ Hashing ─▶ caller
//!   jobs    claims  ├─▶ worker                     │   reorders
//!                   └─▶ ...                        │
//!            a window of jobs that are claimed ◀───┘
//!            and not yet taken by the caller
//! ```
//!
//! In a round a worker reads the next piece of every long file it has open, and small files whole,
//! into its arena. The pieces are one step of a group, in the lanes of the engine; as soon as
//! there are many small files they become one batch. Where several functions are computed, each
//! has its own batches and groups over the same bytes. A long file that is alone while a core idles
//! is read by a second thread as it is hashed, and each function may have a thread of its own.
//! Files are read, never mapped: one that changes meanwhile gives the digest of what was read.
//! Memory does not depend on the number of files or on their sizes.
//!
//! Descriptors are divided evenly among the workers. Each has one at least, so that none ever
//! waits for another's; a worker that has all of its share in use reads on in those files.
//!
//! Pipes, terminals and devices are read alone and in the order of the arguments, as their other
//! ends may depend on it, and never keep files before them waiting.

mod arena;
mod call;
mod counts;
mod function;
mod groups;
mod job;
mod mapped;
mod permits;
mod queue;
mod reader;
mod resumed;
mod stream;
mod to_end;
mod worker;

pub use counts::SoFar;
pub use function::{Function, Functions, Key};
pub use job::{Done, Input, Job, Source};
pub use mapped::Mapped;
pub use reader::{Reading, Seen};
pub use resumed::{Half, Halves, Saving};

use crate::system::limits;
use crate::system::media::Watch;
use arena::{Arena, Order};
use groups::LONGS;
use job::Results;
use manylane_engine::{Engine, Error};
use permits::Permits;
use queue::Queue;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use worker::{Means, Worker};

/// The most threads: more gain nothing, and each takes some of the system's memory maps.
const MOST_THREADS: usize = 1024;

/// How to hash.
#[derive(Clone, Debug)]
pub struct Options {
    /// The only engine to be used.
    pub engine: Option<Engine>,
    /// The most threads that hash or read; the caller's own comes on top and is to do little.
    /// Limits on memory, on threads and on open files may make them fewer.
    pub threads: usize,
    /// Whether to read one file after the other, each from its beginning to its end, in the order
    /// of the source: for disks that turn. Of two threads or more, a second one hashes long files
    /// meanwhile.
    pub sequential: bool,
    /// The most threads that read at once. One reads files in the order of the source, each from
    /// its beginning to its end, while the others hash. More than `threads` are for storage that
    /// answers late; no more than `threads` hash at once. Without a number there is no limit until
    /// a file comes whose storage wants one reader.
    pub io_threads: Option<usize>,
    /// How files are read.
    pub reading: Reading,
    /// How often a file is read again that changed while it was read.
    pub retries: u32,
    /// How the hashers of very long files are saved, so that a later run can continue from there.
    /// Each of these files is hashed by itself.
    pub saving: Option<Saving>,
    /// Whether to ask for the sizes of files before they are read, for [`Hashing::so_far`].
    pub sizes: bool,
}

impl Default for Options {
    /// The best engines, and a thread for each core that this process may use.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            engine: None,
            threads,
            sequential: false,
            io_threads: None,
            reading: Reading::default(),
            retries: 0,
            saving: None,
            sizes: false,
        }
    }
}

impl Options {
    /// Checks that `functions` can be computed with these options.
    ///
    /// # Errors
    /// If the engine cannot run here or does not compute one of them.
    pub fn check(&self, functions: &Functions) -> Result<(), Error> {
        functions.iter().try_for_each(|function| function.message(self.engine).map(drop))
    }
}

/// The answers of [`Hashing::next`].
#[derive(Debug)]
pub enum Next<N> {
    /// The next job, in the order of the source.
    Done(Done<N>),
    /// The next job is not yet done.
    Waiting,
    /// All jobs were done.
    End,
}

/// Files that are being hashed. When it is dropped, the work ends soon.
pub struct Hashing<S: Source> {
    queue: Arc<Queue<S>>,
    results: Receiver<Results<S::Note>>,
    /// Results from number `taken` on; `None` for those that have not come yet.
    ordered: VecDeque<Option<Done<S::Note>>>,
    taken: u64,
    /// The worker that [`next`](Self::next) runs itself where no thread could be started.
    own: Option<Worker<S>>,
}

impl<S: Source> Hashing<S> {
    /// Starts to hash.
    pub fn start(source: S, options: &Options) -> Self {
        let threads = options.threads.clamp(1, MOST_THREADS);
        let readers = options.io_threads.map(|readers| readers.clamp(1, MOST_THREADS));
        let hashers = readers.is_some_and(|readers| readers > threads).then_some(threads);
        let threads = limits::threads(threads.max(readers.unwrap_or(1)));
        let permits = (Permits::new(readers), Permits::new(hashers));
        let watch = readers.is_none().then(Watch::default);
        let queue = Arc::new(Queue::new(source, threads, permits, watch, options.sizes));
        // No more workers than jobs; the number of jobs is known if it is small.
        let most = if options.sequential { 1 } else { threads.min(queue.look_ahead()) };
        // One descriptor is for the directory that is being walked.
        let descriptors = limits::descriptors(most * LONGS + 1).saturating_sub(1);
        let workers = most.min(descriptors).max(1);
        let (sender, results) = channel();
        let descriptors = (descriptors / workers).max(1);
        let in_turn = options.sequential || readers == Some(1) || queue.reads_in_turn();
        let order = match in_turn {
            true => Order::Sequence,
            // Files that are saved are to be finished in their order, not many of them at the end.
            false if descriptors < LONGS / 2 || options.saving.is_some() => Order::Wholes,
            false => Order::Pieces,
        };
        let worker = |first| {
            let means = Means {
                engine: options.engine,
                arena: Arena::of_worker(workers, first, order)?,
                workers,
                descriptors,
                order,
                reading: options.reading,
                retries: options.retries,
                saving: options.saving.clone(),
            };
            Some(Worker::new(queue.clone(), sender.clone(), means))
        };
        let mut started = 0;
        while started < workers
            && let Some(mut worker) = worker(started == 0)
        {
            let work = move || while worker.round() {};
            if std::thread::Builder::new().spawn(work).is_err() {
                break;
            }
            started += 1;
        }
        if started < workers {
            queue.set_threads(started.max(1));
        }
        let own = (started == 0).then(|| worker(true).expect("memory for the least arena"));
        Self { queue, results, ordered: VecDeque::new(), taken: 0, own }
    }

    /// The next job if it is done within `patience`.
    ///
    /// # Panics
    /// If a worker panicked, or the source did.
    pub fn next(&mut self, patience: Duration) -> Next<S::Note> {
        loop {
            if let Some(done) = self.ordered.front_mut().and_then(Option::take) {
                self.ordered.pop_front();
                self.taken += 1;
                self.queue.took(self.taken, self.ordered.is_empty());
                return Next::Done(done);
            }
            match self.receive(patience) {
                Ok(results) => {
                    for (number, done) in results {
                        let at = (number - self.taken) as usize;
                        if at >= self.ordered.len() {
                            self.ordered.resize_with(at + 1, || None);
                        }
                        self.ordered[at] = Some(done);
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Next::Waiting,
                Err(RecvTimeoutError::Disconnected) => {
                    // Only a worker that panics cancels while this value is in use.
                    let panicked = self.queue.is_cancelled() || !self.ordered.is_empty();
                    assert!(!panicked, "a worker panicked");
                    return Next::End;
                }
            }
        }
    }

    /// Receives the results that workers hand over within `patience`. Without a thread the work is
    /// done here, a round at a time, when the caller says that it is idle.
    fn receive(&mut self, patience: Duration) -> Result<Results<S::Note>, RecvTimeoutError> {
        let Some(worker) = &mut self.own else { return self.results.recv_timeout(patience) };
        if let Ok(results) = self.results.try_recv() {
            return Ok(results);
        }
        if !patience.is_zero() && !worker.round() {
            self.own = None;
        }
        Err(RecvTimeoutError::Timeout)
    }

    /// The progress of the work.
    pub fn so_far(&self) -> SoFar {
        self.queue.counts.so_far()
    }
}

impl<S: Source> Drop for Hashing<S> {
    fn drop(&mut self) {
        // Workers are not waited for: one may be reading a pipe that never ends.
        self.queue.cancel();
    }
}
