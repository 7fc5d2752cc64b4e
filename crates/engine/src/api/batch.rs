//! Many messages at once.

use super::messages::Messages;
use super::part::run_part;
use crate::cpu::Engine;
use crate::drive::single::Single;
use crate::drive::threads::{Chunk, Threads};
use crate::error::Error;
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;
use crate::select::plan::FEWEST;
use crate::select::visit::{Visit, try_visit};
use manylane_primitives::catalog::Algorithm;
use std::fmt;
use std::ops::Range;

/// The most threads that a batch starts: more than CPUs have cores, fewer than systems give a
/// process.
pub(crate) const MOST_THREADS: usize = 1024;

/// A hash over many messages of any lengths, side by side in SIMD lanes and, if asked, on several
/// threads.
///
/// ```
/// use manylane::{Algorithm, Batch};
///
/// let sha256: Algorithm = "sha256".parse().unwrap();
/// let messages = ["", "abc", "a longer message"];
/// let mut digests = vec![0; messages.len() * sha256.digest_bytes()];
/// Batch::new(sha256).run(&messages, &mut digests)?;
/// assert_eq!(digests[..4], [0xe3, 0xb0, 0xc4, 0x42]);
/// # Ok::<(), manylane::Error>(())
/// ```
///
/// Memory beyond the digests: at most 768 KiB per thread, whatever the number of messages.
#[derive(Clone, Debug)]
pub struct Batch<'p> {
    algorithm: Algorithm,
    options: Options<'p>,
}

/// How a batch is computed.
#[derive(Clone)]
pub(crate) struct Options<'p> {
    engine: Option<Engine>,
    threads: Threads<'p>,
    pub(super) prefix: Vec<u8>,
}

impl Options<'_> {
    /// The engine that was asked for, `None` for the best ones of this CPU.
    pub fn engine(&self) -> Option<Engine> {
        self.engine
    }
}

impl<'p> Options<'p> {
    /// The threads that messages are spread over.
    pub fn threads(&self) -> Threads<'p> {
        self.threads
    }
}

impl fmt::Debug for Options<'_> {
    /// Shows the prefix's length, not the prefix, which may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("engine", &self.engine)
            .field("threads", &self.threads)
            .field("prefix", &format_args!("{} bytes", self.prefix.len()))
            .finish()
    }
}

impl Options<'_> {
    /// The best engines of this CPU, the caller's thread alone, no prefix.
    pub const DEFAULT: Self = Self { engine: None, threads: Threads::Count(1), prefix: Vec::new() };
}

impl<'p> Batch<'p> {
    /// A batch on this thread and the best engines of this CPU.
    pub fn new(algorithm: impl Into<Algorithm>) -> Self {
        Self { algorithm: algorithm.into(), options: Options::DEFAULT }
    }

    /// Uses only this engine; with `None` the best engines for each number of messages. In a build
    /// without optimisation no batch uses vectors unless their engine is given here, and then
    /// their kernels need up to 9 MB of the calling thread's stack.
    #[must_use]
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.options.engine = engine.into();
        self
    }

    /// Uses up to `count` threads, the calling thread included. The others are started for the call
    /// and ended with it; there are fewer where there is little work or the system gives no more,
    /// and never more than 1,024.
    #[must_use]
    pub fn threads(mut self, count: usize) -> Self {
        self.options.threads = Threads::Count(count.clamp(1, MOST_THREADS));
        self
    }

    /// Uses the threads of `pool` instead of starting threads. Of `threads` and `pool`, the later
    /// call counts. With the feature `rayon`, which is on by default.
    #[cfg(feature = "rayon")]
    #[must_use]
    pub fn pool(mut self, pool: &'p rayon::ThreadPool) -> Self {
        self.options.threads = Threads::Pool(pool);
        self
    }

    /// Puts `prefix` in front of every message. Its whole blocks are hashed once.
    #[must_use]
    pub fn prefix(mut self, prefix: &[u8]) -> Self {
        self.options.prefix = prefix.to_vec();
        self
    }

    /// Writes the digest of each message to `out`, one after the other in the messages' order.
    ///
    /// # Errors
    /// If `out` is not as long as all digests together, or the engine cannot serve.
    pub fn run<M: AsRef<[u8]> + Sync>(&self, messages: &[M], out: &mut [u8]) -> Result<(), Error> {
        let (count, message) = (messages.len(), |i: usize| messages[i].as_ref());
        match self.has_few(count) {
            true => run_few_of(self.algorithm, &self.options, count, message, out),
            false => Messages::with(messages, |messages| self.run_messages(&messages, out)),
        }
    }

    /// [`Batch::run`] of `count` messages, of which message i is `message(i)`. For messages that a
    /// program does not hold as a list of slices, such as the rows of a column, which it finds by
    /// their offsets.
    ///
    /// All threads call `message`, several times for each i below `count` and for no other. If it
    /// does not answer the same each time, digests are wrong or the call panics.
    ///
    /// ```
    /// use manylane::{Batch, HashId, hash};
    ///
    /// let (text, offsets) = (b"onetwothree", [0, 3, 6, 11]);
    /// let mut digests = [0; 3 * 32];
    /// let row = |i: usize| &text[offsets[i]..offsets[i + 1]];
    /// Batch::new(HashId::Sha256).run_indexed(3, row, &mut digests)?;
    /// assert_eq!(digests[32..64], hash(HashId::Sha256, b"two"));
    /// # Ok::<(), manylane::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Batch::run`].
    pub fn run_indexed<'m>(
        &self,
        count: usize,
        message: impl Fn(usize) -> &'m [u8] + Sync,
        out: &mut [u8],
    ) -> Result<(), Error> {
        self.run_listed(count, |range| range.map(&message), out)
    }

    /// Like [`Batch::run_indexed`], but `list` gives all messages of a range of numbers, in their
    /// order. For messages whose places lie in several arrays: the bounds are checked once for a
    /// range, whereas checking the number of each message takes a nanosecond. If `list` gives fewer
    /// or more messages, or others each time, digests are wrong or the call panics.
    ///
    /// ```
    /// use manylane::{Batch, HashId, hash};
    ///
    /// let (names, values) = ([b"one", b"two"], [true, false]);
    /// let mut digests = [0; 2 * 32];
    /// let list = |range: std::ops::Range<usize>| {
    ///     names[range.clone()].iter().zip(&values[range]).map(|(name, &value)| match value {
    ///         true => &name[..],
    ///         false => b"none",
    ///     })
    /// };
    /// Batch::new(HashId::Sha256).run_listed(2, list, &mut digests)?;
    /// assert_eq!(digests[32..], hash(HashId::Sha256, b"none"));
    /// # Ok::<(), manylane::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Batch::run`].
    ///
    /// # Panics
    /// If `list` gives no message for a range of one.
    pub fn run_listed<'m, I: Iterator<Item = &'m [u8]>>(
        &self,
        count: usize,
        list: impl Fn(Range<usize>) -> I + Sync,
        out: &mut [u8],
    ) -> Result<(), Error> {
        if self.has_few(count) {
            let message = |i: usize| list(i..i + 1).next().expect("a message for its number");
            return run_few_of(self.algorithm, &self.options, count, message, out);
        }
        Messages::listed(count, list, |messages| self.run_messages(&messages, out))
    }

    /// Whether `count` messages are so few that [`run_few`] takes them.
    fn has_few(&self, count: usize) -> bool {
        let Options { engine, threads, .. } = self.options;
        matches!((engine, threads, count), (None, Threads::Count(1), 1..=FEWEST))
    }

    /// The algorithm that it computes.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// How the batch is computed.
    pub(crate) fn options(&self) -> &Options<'_> {
        &self.options
    }

    /// The bytes that every message begins with.
    pub(crate) fn prefix_bytes(&self) -> &[u8] {
        &self.options.prefix
    }

    /// Checks that `out` is as long as the digests of `messages` messages.
    pub(crate) fn check_output(&self, messages: usize, out: &[u8]) -> Result<(), Error> {
        check_output(self.algorithm, messages, out)
    }

    /// Not generic over the messages' type, so that the kernels are compiled once, here.
    fn run_messages(&self, messages: &Messages, out: &mut [u8]) -> Result<(), Error> {
        self.check_output(messages.count, out)?;
        try_visit(self.algorithm, Run { messages, options: &self.options, out })
    }
}

fn check_output(algorithm: Algorithm, messages: usize, out: &[u8]) -> Result<(), Error> {
    check_bytes(algorithm.digest_bytes(), messages, out)
}

/// Checks that there is one of `what` for each of `of`.
pub(super) fn check_count(
    what: &'static str,
    given: usize,
    of: &'static str,
    count: usize,
) -> Result<(), Error> {
    match given == count {
        true => Ok(()),
        false => Err(Error::Count { what, given, of, count }),
    }
}

/// Checks that `out` is as long as the digests, of `digest` bytes each, of `messages` messages.
pub(super) fn check_bytes(digest: usize, messages: usize, out: &[u8]) -> Result<(), Error> {
    let needed = messages.saturating_mul(digest);
    match out.len() == needed {
        true => Ok(()),
        false => Err(Error::OutputLength { given: out.len(), messages, digest, needed }),
    }
}

/// Hashes at most [`FEWEST`] messages on this thread and the best engines, without setting up a
/// [`Batch`], which takes as long as a block of SHA-1.
fn run_few(
    algorithm: Algorithm,
    options: &Options,
    messages: &[&[u8]],
    out: &mut [u8],
) -> Result<(), Error> {
    struct Few<'m, 'a, 'p>(&'a Options<'p>, &'m [&'m [u8]], &'a mut [u8]);
    impl Visit for Few<'_, '_, '_> {
        type Output = Result<(), Error>;
        fn visit<H: Runs>(self, hash: H) -> Self::Output {
            let Self(options, messages, out) = self;
            let choice = Choice::best()?;
            let single = Single { hash: &hash, kernel: choice.for_one() };
            run_several(&single, choice, options, messages, out)
        }
    }
    check_output(algorithm, messages.len(), out)?;
    try_visit(algorithm, Few(options, messages, out))
}

/// [`run_few`] for one message.
fn run_one(
    algorithm: Algorithm,
    options: &Options,
    message: &[u8],
    out: &mut [u8],
) -> Result<(), Error> {
    struct One<'m, 'a, 'p>(&'a Options<'p>, &'m [u8], &'a mut [u8]);
    impl Visit for One<'_, '_, '_> {
        type Output = Result<(), Error>;
        #[inline(always)]
        fn visit<H: Runs>(self, hash: H) -> Self::Output {
            let Self(options, message, out) = self;
            let choice = Choice::best()?;
            let single = Single { hash: &hash, kernel: choice.for_one() };
            if single.kernel.lanes > 1 || !options.prefix.is_empty() {
                return run_several(&single, choice, options, &[message], out);
            }
            single.digest_whole(message, out);
            Ok(())
        }
    }
    check_output(algorithm, 1, out)?;
    try_visit(algorithm, One(options, message, out))
}

/// [`run_few`] for a hash. Not inlined, so that [`run_one`] does not save the registers and reserve
/// the stack frame that this function needs.
#[inline(never)]
fn run_several<H: Runs>(
    single: &Single<H>,
    choice: &Choice<H>,
    options: &Options,
    messages: &[&[u8]],
    out: &mut [u8],
) -> Result<(), Error> {
    let hash = single.hash;
    let outs = out.chunks_exact_mut(hash.digest_bytes());
    if !options.prefix.is_empty() {
        let beginning = single.begin(&options.prefix);
        let blocks = |message: &[u8]| beginning.whole_blocks(hash, message.len()) + 1;
        if goes_one_by_one(choice, messages, blocks) {
            let messages = messages.iter().zip(outs);
            messages.for_each(|(message, out)| single.digest(&beginning, message, out));
            return Ok(());
        }
    } else {
        let blocks = |message: &[u8]| hash.whole_blocks(message.len() as u64) as usize + 1;
        if goes_one_by_one(choice, messages, blocks) {
            let messages = messages.iter().zip(outs);
            messages.for_each(|(message, out)| single.digest_whole(message, out));
            return Ok(());
        }
    }
    Messages::with(messages, |messages| run_on(hash, choice, options, &messages, out))
}

/// Whether there is one message at most, or the messages take less time one by one.
#[inline(always)]
fn goes_one_by_one<H: Runs>(
    choice: &Choice<H>,
    messages: &[&[u8]],
    blocks: impl Fn(&[u8]) -> usize,
) -> bool {
    let [first, others @ ..] = messages else { return true };
    if others.iter().all(|other| other.len() == first.len()) {
        return others.is_empty() || choice.prefers_few_one_by_one(messages.len(), blocks(first));
    }
    choice.prefers_one_by_one(messages.iter().map(|message| blocks(message)), false)
}

/// [`run_few`] of `count` messages, of which message i is `message(i)`.
#[inline(always)]
fn run_few_of<'m>(
    algorithm: Algorithm,
    options: &Options,
    count: usize,
    message: impl Fn(usize) -> &'m [u8],
    out: &mut [u8],
) -> Result<(), Error> {
    if count == 1 {
        return run_one(algorithm, options, message(0), out);
    }
    let mut few: [&[u8]; FEWEST] = [&[]; FEWEST];
    for (i, few) in few[..count].iter_mut().enumerate() {
        *few = message(i);
    }
    run_few(algorithm, options, &few[..count], out)
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
    if messages.len() <= FEWEST {
        static OPTIONS: Options = Options::DEFAULT;
        let message = |i: usize| messages[i].as_ref();
        return run_few_of(algorithm.into(), &OPTIONS, messages.len(), message, out);
    }
    Messages::with(messages, |messages| Batch::new(algorithm).run_messages(&messages, out))
}

struct Run<'m, 'a, 'p> {
    messages: &'a Messages<'m>,
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
    messages: &Messages,
    out: &mut [u8],
) -> Result<(), Error> {
    run_on(hash, Choice::new(options.engine)?, options, messages, out)
}

/// [`run`] on the kernels of a choice.
pub(crate) fn run_on<H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    options: &Options,
    messages: &Messages,
    out: &mut [u8],
) -> Result<(), Error> {
    let beginning = Single { hash, kernel: choice.for_one() }.begin(&options.prefix);
    let part = |range: Range<usize>, out: &mut [u8]| {
        run_part(hash, choice, &beginning, messages, range, out);
    };
    let least = match options.threads {
        Threads::Count(_) => STARTING,
        Threads::Pool(_) => WAKING,
    };
    let threads = match options.threads.count() {
        1 => 1,
        count => worthwhile(hash, choice, messages, least, count),
    };
    if threads <= 1 {
        part(0..messages.count, out);
        return Ok(());
    }
    let parts = split(messages, hash.block_bytes(), threads, hash.digest_bytes(), out);
    options.threads.share_out(threads, parts, &part);
    Ok(())
}

/// The least work for each thread, in nanoseconds, where threads have to be started, and where they
/// wait in a pool. Two threads with half as much work were measured to end later than one thread.
const STARTING: f64 = 60e3;
const WAKING: f64 = 15e3;

/// The number of threads, at most `most`, for which each one's share of the messages takes about
/// `nanoseconds` or more.
fn worthwhile<H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    messages: &Messages,
    nanoseconds: f64,
    most: usize,
) -> usize {
    /// Nanoseconds that the driver takes for a message.
    const PER_MESSAGE: f64 = 15.0;
    /// Messages that are looked at until it is known that there is work for all threads.
    const SOME: usize = 4096;
    let (mut time, enough) = (0.0, nanoseconds * most as f64);
    for from in (0..messages.count).step_by(SOME) {
        let some = from..messages.count.min(from + SOME);
        let count = some.len() as f64;
        // The padding of a message is counted as one block.
        let blocks = (messages.bytes)(some) as f64 / hash.block_bytes() as f64 + count;
        time += PER_MESSAGE * count + f64::from(choice.least_time()) * blocks;
        if time >= enough {
            return most;
        }
    }
    (time / nanoseconds) as usize
}

/// Cuts the messages into runs of about equal work, four per thread, each with its digests' place.
fn split<'o>(
    messages: &Messages,
    block_bytes: usize,
    threads: usize,
    digest: usize,
    mut out: &'o mut [u8],
) -> Vec<Chunk<'o>> {
    let count = messages.count;
    let work = |range: Range<usize>| {
        let padding = range.len() as u64 * block_bytes as u64;
        (messages.bytes)(range).saturating_add(padding)
    };
    // Messages are added in steps so small that no run is more than a tenth too long if the lengths
    // are alike. If they are not, and a step is much work, its messages are added one by one.
    let step = (count / threads.saturating_mul(40)).max(1);
    let steps = (0..count).step_by(step).map(|begin| begin..count.min(begin + step));
    let works: Vec<u64> = steps.clone().map(work).collect();
    let all = works.iter().fold(0, |sum: u64, &work| sum.saturating_add(work));
    let share = all / (threads as u64).saturating_mul(4);
    let (mut parts, mut begin, mut sum) = (Vec::new(), 0, 0u64);
    let mut take = |end: usize, more: u64| {
        sum = sum.saturating_add(more);
        if sum >= share || end == count {
            let (now, later) = std::mem::take(&mut out).split_at_mut((end - begin) * digest);
            parts.push((begin..end, now));
            out = later;
            (begin, sum) = (end, 0);
        }
    };
    for (step, much) in steps.zip(works) {
        if step.len() > 1 && much > share / 4 {
            step.for_each(|i| take(i + 1, work(i..i + 1)));
        } else {
            take(step.end, much);
        }
    }
    parts
}
