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
//! In a round a worker reads small files whole into its arena, and the next piece of every long
//! file it has open; the small ones become one batch, the pieces one step of a group, each in the
//! lanes of the engine. A long file that is alone while a core idles is read by a second thread
//! as it is hashed. Files are read, never mapped: one that changes meanwhile gives the digest of
//! what was read. Memory does not depend on the number of files or on their sizes.
//!
//! Pipes, terminals and devices are read alone and in the order of the arguments, as their other
//! ends may depend on it, and never keep files before them waiting.

mod function;
mod queue;
mod stream;
mod worker;

pub use function::{Function, Key};

use manylane_engine::{Engine, Error};
use queue::Queue;
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Where the bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file.
    Path(PathBuf),
    /// Standard input, to its end.
    Stdin,
    /// Nowhere. The job comes back in its turn with an empty digest: a note among the files.
    Nothing,
}

/// Something to hash.
#[derive(Clone, Debug)]
pub struct Job<N> {
    /// Where the bytes come from.
    pub input: Input,
    /// What to compute.
    pub function: Function,
    /// What the caller wants back beside the digest.
    pub note: N,
}

/// A job that is done.
#[derive(Debug)]
pub struct Done<N> {
    /// What it was.
    pub job: Job<N>,
    /// The digest, or why there is none.
    pub digest: io::Result<Vec<u8>>,
}

/// Jobs that are done, with their numbers in the order of the source.
type Results<N> = Vec<(u64, Done<N>)>;

/// Where jobs come from, one after the other; they may be found while others are done.
pub trait Source: Send + 'static {
    /// [`Job::note`].
    type Note: Send + 'static;

    /// The next job.
    fn next(&mut self) -> Option<Job<Self::Note>>;

    /// Whether [`next`](Self::next) may wait for somebody else. Jobs before it are then done first.
    fn may_wait(&self) -> bool {
        false
    }
}

/// How to hash.
#[derive(Clone, Debug)]
pub struct Options {
    /// The only engine to be used.
    pub engine: Option<Engine>,
    /// Threads that hash or read; the caller's own comes on top and is to do little.
    pub threads: usize,
}

impl Default for Options {
    /// The best engines, and a thread for each core that this process may use.
    fn default() -> Self {
        Self { engine: None, threads: std::thread::available_parallelism().map_or(1, usize::from) }
    }
}

impl Options {
    /// Whether `function` can be computed so.
    ///
    /// # Errors
    /// If the engine cannot run here or does not compute it.
    pub fn check(&self, function: &Function) -> Result<(), Error> {
        function.message(self.engine).map(drop)
    }
}

/// What [`Hashing::next`] has to say.
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
    /// Results from number `taken` on, those that are there.
    ordered: VecDeque<Option<Done<S::Note>>>,
    taken: u64,
}

impl<S: Source> Hashing<S> {
    /// Starts to hash.
    pub fn start(source: S, options: &Options) -> Self {
        let threads = options.threads.max(1);
        let queue = Arc::new(Queue::new(source, threads));
        let (sender, results) = channel();
        // No more workers than jobs; the number of jobs is known if it is small.
        for i in 0..threads.min(queue.look_ahead()) {
            let (queue, sender, engine) = (queue.clone(), sender.clone(), options.engine);
            queue.working.fetch_add(1, Relaxed);
            let work = {
                let queue = queue.clone();
                move || worker::run(&queue, &sender, engine)
            };
            if let Err(error) = std::thread::Builder::new().spawn(work) {
                queue.working.fetch_sub(1, Relaxed);
                // Fewer do as well, but one is needed.
                assert!(i > 0, "no thread could be started: {error}");
                break;
            }
        }
        Self { queue, results, ordered: VecDeque::new(), taken: 0 }
    }

    /// The next job if it is done within `patience`.
    ///
    /// # Panics
    /// If a worker did.
    pub fn next(&mut self, patience: Duration) -> Next<S::Note> {
        loop {
            if let Some(done) = self.ordered.front_mut().and_then(Option::take) {
                self.ordered.pop_front();
                self.taken += 1;
                self.queue.took(self.taken, self.ordered.is_empty());
                return Next::Done(done);
            }
            match self.results.recv_timeout(patience) {
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
                    assert!(self.ordered.is_empty(), "a worker panicked");
                    return Next::End;
                }
            }
        }
    }

    /// Jobs taken, and bytes hashed so far.
    pub fn progress(&self) -> (u64, u64) {
        (self.taken, self.queue.bytes.load(Relaxed))
    }
}

impl<S: Source> Drop for Hashing<S> {
    fn drop(&mut self) {
        // Workers are not waited for: one may be reading a pipe that never ends.
        self.queue.cancel();
    }
}
