//! Many messages at once.

use crate::Error;
use crate::algorithm::{Visit, visit};
use crate::choice::Choice;
use crate::isa::Engine;
use crate::kernel::{Kernel, N, Runs};
use crate::ragged::{self, Job, State};
use crate::stream::{Start, Stream};
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::word::Words;
use std::ops::Range;
use std::sync::Mutex;

/// Messages that are put in order of length at a time. Bounds the memory of a batch.
const WINDOW: usize = 4096;
/// Bytes of work below which another thread is not worth waking.
const LEAST_SHARE: u64 = 64 * 1024;

/// Who computes a batch.
#[derive(Clone, Copy, Debug)]
enum Threads<'p> {
    Count(usize),
    Pool(&'p rayon::ThreadPool),
}

/// A hash over many messages of any lengths, side by side in SIMD lanes and, if asked, on several
/// threads.
///
/// ```
/// use manylane_engine::{Algorithm, Batch};
///
/// let sha256: Algorithm = "sha256".parse().unwrap();
/// let messages = ["", "abc", "a longer message"];
/// let mut digests = vec![0; messages.len() * sha256.digest_bytes()];
/// Batch::new(sha256).run(&messages, &mut digests)?;
/// assert_eq!(digests[..4], [0xe3, 0xb0, 0xc4, 0x42]);
/// # Ok::<(), manylane_engine::Error>(())
/// ```
///
/// Memory beyond the digests: at most 64 KiB per thread, whatever the number of messages.
#[derive(Clone, Debug)]
pub struct Batch<'p> {
    algorithm: Algorithm,
    options: Options<'p>,
}

/// How a batch is computed.
#[derive(Clone, Debug)]
pub(crate) struct Options<'p> {
    engine: Option<Engine>,
    threads: Threads<'p>,
    prefix: Vec<u8>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { engine: None, threads: Threads::Count(1), prefix: Vec::new() }
    }
}

impl<'p> Batch<'p> {
    /// A batch on this thread and the best engines of this CPU.
    pub fn new(algorithm: impl Into<Algorithm>) -> Self {
        Self { algorithm: algorithm.into(), options: Options::default() }
    }

    /// Uses this engine only.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.options.engine = Some(engine);
        self
    }

    /// Uses up to `count` threads, this one among them, started for the call and ended with it.
    pub fn threads(mut self, count: usize) -> Self {
        self.options.threads = Threads::Count(count.max(1));
        self
    }

    /// Uses the caller's threads.
    pub fn pool(mut self, pool: &'p rayon::ThreadPool) -> Self {
        self.options.threads = Threads::Pool(pool);
        self
    }

    /// Puts `prefix` in front of every message. Its whole blocks are hashed once.
    pub fn prefix(mut self, prefix: &[u8]) -> Self {
        self.options.prefix = prefix.to_vec();
        self
    }

    /// Writes the digest of each message to `out`, one after the other in the messages' order.
    ///
    /// # Errors
    /// If `out` is not as long as all digests together, or the engine cannot serve.
    pub fn run<M: AsRef<[u8]> + Sync>(&self, messages: &[M], out: &mut [u8]) -> Result<(), Error> {
        let get = |i: usize| messages[i].as_ref();
        self.run_messages(Messages { count: messages.len(), get: &get }, out)
    }

    /// What it computes.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The engine that serves while `count` messages are in hand.
    ///
    /// # Errors
    /// If the engine asked for cannot serve.
    pub fn serving_engine(&self, count: usize) -> Result<Engine, Error> {
        struct Serving(Option<Engine>, usize);
        impl Visit for Serving {
            type Output = Result<Engine, Error>;
            fn visit<H: Runs>(self, _: H) -> Self::Output {
                Ok(Choice::<H>::new(self.0)?.for_count(self.1).engine)
            }
        }
        visit(self.algorithm, Serving(self.options.engine, count))
    }

    pub(crate) fn prefix_bytes(&self) -> &[u8] {
        &self.options.prefix
    }

    /// Whether `out` is as long as the digests of `messages` messages.
    pub(crate) fn check_output(&self, messages: usize, out: &[u8]) -> Result<(), Error> {
        let digest = self.algorithm.digest_bytes();
        let needed = messages.saturating_mul(digest);
        match out.len() == needed {
            true => Ok(()),
            false => Err(Error::OutputLength { given: out.len(), messages, digest, needed }),
        }
    }

    /// Not generic over the messages' type, so that the kernels are compiled once, here.
    fn run_messages(&self, messages: Messages, out: &mut [u8]) -> Result<(), Error> {
        self.check_output(messages.count, out)?;
        visit(self.algorithm, Run { messages, options: &self.options, out })
    }
}

/// Writes the digest of each message to `out`, on this thread and the best engines of this CPU.
/// See [`Batch`].
///
/// # Errors
/// If `out` is not as long as all digests together.
pub fn hash_many<M: AsRef<[u8]> + Sync>(
    algorithm: impl Into<Algorithm>,
    messages: &[M],
    out: &mut [u8],
) -> Result<(), Error> {
    Batch::new(algorithm).run(messages, out)
}

/// The messages of a batch, whatever they are stored in.
#[derive(Clone, Copy)]
pub(crate) struct Messages<'m> {
    pub count: usize,
    pub get: &'m (dyn Fn(usize) -> &'m [u8] + Sync),
}

struct Run<'m, 'a, 'p> {
    messages: Messages<'m>,
    options: &'a Options<'p>,
    out: &'a mut [u8],
}

impl Visit for Run<'_, '_, '_> {
    type Output = Result<(), Error>;
    fn visit<H: Runs>(self, hash: H) -> Self::Output {
        run(&hash, self.options, self.messages, self.out)
    }
}

/// [`Batch::run`] for a hash known by its type.
pub(crate) fn run<H: Runs>(
    hash: &H,
    options: &Options,
    messages: Messages,
    out: &mut [u8],
) -> Result<(), Error> {
    let digest = hash.digest_bytes();
    let choice = Choice::new(options.engine)?;
    let mut stream = Stream::on(hash.clone(), options.engine)?;
    stream.update(&options.prefix);
    let (start, lead) = stream.checkpoint();
    let part = |range: Range<usize>, out: &mut [u8]| {
        run_part(hash, &choice, &start, lead, messages, range, out);
    };
    let threads = match options.threads {
        Threads::Count(count) => count,
        Threads::Pool(pool) => pool.current_num_threads(),
    };
    let mut parts = split(messages, hash.block_bytes(), threads, digest, out);
    if parts.len() <= 1 {
        if let Some((range, out)) = parts.pop() {
            part(range, out);
        }
        return Ok(());
    }
    match options.threads {
        Threads::Pool(pool) => pool.scope(|scope| {
            for (range, out) in parts {
                let part = &part;
                scope.spawn(move |_| part(range, out));
            }
        }),
        Threads::Count(_) => {
            let workers = threads.min(parts.len());
            let queue = Mutex::new(parts);
            let work = || {
                loop {
                    let next = queue.lock().expect("no holder of the lock panics").pop();
                    let Some((range, out)) = next else { break };
                    part(range, out);
                }
            };
            std::thread::scope(|scope| {
                for _ in 1..workers {
                    scope.spawn(work);
                }
                work();
            });
        }
    }
    Ok(())
}

/// Cuts the messages into runs of about equal work, four per thread, each with its digests' place.
fn split<'o>(
    messages: Messages,
    block_bytes: usize,
    threads: usize,
    digest: usize,
    mut out: &'o mut [u8],
) -> Vec<(Range<usize>, &'o mut [u8])> {
    let mut parts = Vec::new();
    let work = |i| ((messages.get)(i).len() + block_bytes) as u64;
    let share = match threads {
        0 | 1 => u64::MAX,
        _ => ((0..messages.count).map(work).sum::<u64>() / (4 * threads as u64)).max(LEAST_SHARE),
    };
    let (mut begin, mut sum) = (0, 0);
    for i in 0..messages.count {
        if share != u64::MAX {
            sum += work(i);
        }
        if sum >= share || i + 1 == messages.count {
            let (now, later) = std::mem::take(&mut out).split_at_mut((i + 1 - begin) * digest);
            parts.push((begin..i + 1, now));
            out = later;
            (begin, sum) = (i + 1, 0);
        }
    }
    parts
}

/// The messages of `range` on this thread.
fn run_part<H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    start: &Start<H>,
    lead: &[u8],
    messages: Messages,
    range: Range<usize>,
    out: &mut [u8],
) {
    let digest = hash.digest_bytes();
    let first = range.start;
    let mut jobs = LongestFirst::new(messages, range.clone()).map(|index| Job {
        index: index - first,
        state: start.state,
        blocks_before: start.blocks,
        lead,
        bytes: (messages.get)(index),
        ends: true,
    });
    let mut outputs = Outputs { hash, choice, digest, out, waiting: Vec::new() };
    ragged::run(hash, choice, range.len(), &mut jobs, &mut |index, state| {
        outputs.take(index, state);
    });
    outputs.flush();
}

/// Indices of messages, longest first within each window.
struct LongestFirst<'m> {
    messages: Messages<'m>,
    range: Range<usize>,
    /// Reversed: the next is the last.
    window: Vec<usize>,
}

impl<'m> LongestFirst<'m> {
    fn new(messages: Messages<'m>, range: Range<usize>) -> Self {
        Self { messages, range, window: Vec::new() }
    }
}

impl Iterator for LongestFirst<'_> {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        if self.window.is_empty() {
            let end = self.range.end.min(self.range.start.saturating_add(WINDOW));
            let length = |i: &usize| (self.messages.get)(*i).len();
            self.window.extend((self.range.start..end).rev());
            if !self.window.is_sorted_by_key(length) {
                self.window.sort_unstable_by_key(length);
            }
            self.range.start = end;
        }
        self.window.pop()
    }
}

/// Turns final chaining values into digests, in lanes where that takes a computation.
struct Outputs<'a, H: Runs> {
    hash: &'a H,
    choice: &'a Choice<H>,
    digest: usize,
    out: &'a mut [u8],
    waiting: Vec<(usize, State<H>)>,
}

impl<H: Runs> Outputs<'_, H> {
    fn take(&mut self, index: usize, state: &State<H>) {
        if H::SQUEEZES || self.digest > self.hash.output_block_bytes() {
            self.waiting.push((index, *state));
            if self.waiting.len() == crate::kernel::MAX_LANES {
                self.flush();
            }
        } else {
            self.hash.write_output(state, &mut self.out[index * self.digest..][..self.digest]);
        }
    }

    fn flush(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        while !waiting.is_empty() {
            let kernel = self.choice.for_count(waiting.len());
            let group = waiting.split_off(waiting.len().saturating_sub(kernel.lanes));
            self.squeeze(kernel, &group);
        }
        self.waiting = waiting;
    }

    /// All output blocks of up to `kernel.lanes` messages.
    fn squeeze(&mut self, kernel: &Kernel<H>, group: &[(usize, State<H>)]) {
        let lanes = kernel.lanes;
        let mut states = vec![N::<H>::default(); Kernel::<H>::STATE * lanes];
        for (lane, (_, state)) in group.iter().enumerate() {
            for (i, &word) in state.as_ref().iter().enumerate() {
                states[i * lanes + lane] = word;
            }
        }
        let mut output = states.clone();
        let block_bytes = self.hash.output_block_bytes();
        for (block, at) in (0..self.digest).step_by(block_bytes).enumerate() {
            if H::SQUEEZES || block > 0 {
                kernel.squeeze(self.hash, &mut states, block as u64, &mut output);
            }
            for (lane, (index, _)) in group.iter().enumerate() {
                let mut words = State::<H>::splat(N::<H>::default());
                for (i, word) in words.as_mut().iter_mut().enumerate() {
                    *word = output[i * lanes + lane];
                }
                let end = self.digest.min(at + block_bytes);
                let digest = &mut self.out[index * self.digest..][..self.digest];
                self.hash.write_output(&words, &mut digest[at..end]);
            }
        }
    }
}
