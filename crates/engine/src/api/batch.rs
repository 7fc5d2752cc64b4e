//! Many messages at once.

use crate::cpu::Engine;
use crate::drive::ends::Ends;
use crate::drive::layout::{Beginning, MAX_BLOCK, Start, State};
use crate::drive::ragged::{self, Job, Jobs};
use crate::drive::single::Single;
use crate::drive::threads::share_out;
use crate::error::Error;
use crate::kernels::kernel::{Kernel, MAX_LANES};
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;
use crate::select::visit::{Visit, try_visit};
use manylane_primitives::catalog::Algorithm;
use smallvec::SmallVec;
use std::fmt;
use std::ops::Range;

/// Messages that are put in order of length at a time. Bounds the memory of a batch.
const WINDOW: usize = 1024;
/// Messages that take a shorter way to the same kernels.
const FEWEST: usize = 4;
/// Messages that are listed, and put in order, without an allocation.
const FEW: usize = MAX_LANES;
/// The most threads that a batch starts: more than CPUs have cores, fewer than systems give a
/// process.
pub(crate) const MOST_THREADS: usize = 1024;

/// Who computes a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Threads<'p> {
    Count(usize),
    Pool(&'p rayon::ThreadPool),
}

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
/// Memory beyond the digests: at most 64 KiB per thread, whatever the number of messages.
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
    prefix: Vec<u8>,
}

impl Options<'_> {
    pub fn engine(&self) -> Option<Engine> {
        self.engine
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

    /// Uses the engine given only, or with `None` the best ones. In a build without optimisation,
    /// where no batch goes to vectors by itself, their kernels need up to 9 MB of the calling
    /// thread's stack.
    #[must_use]
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.options.engine = engine.into();
        self
    }

    /// Uses up to `count` threads, this one among them, started for the call and ended with it:
    /// fewer where there is little work or the system gives no more, never more than 1,024.
    #[must_use]
    pub fn threads(mut self, count: usize) -> Self {
        self.options.threads = Threads::Count(count.clamp(1, MOST_THREADS));
        self
    }

    /// Uses the caller's threads.
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
        let Options { engine, threads, prefix } = &self.options;
        if let (None, Threads::Count(1), true) = (engine, threads, prefix.is_empty()) {
            return hash_many(self.algorithm, messages, out);
        }
        Messages::with(messages, |messages| self.run_messages(&messages, out))
    }

    /// What it computes.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    pub(crate) fn options(&self) -> &Options<'_> {
        &self.options
    }

    pub(crate) fn prefix_bytes(&self) -> &[u8] {
        &self.options.prefix
    }

    /// Whether `out` is as long as the digests of `messages` messages.
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
    let digest = algorithm.digest_bytes();
    let needed = messages.saturating_mul(digest);
    match out.len() == needed {
        true => Ok(()),
        false => Err(Error::OutputLength { given: out.len(), messages, digest, needed }),
    }
}

/// A batch of at most [`FEWEST`] messages and no options, without what a batch takes to set up: as
/// long as a block of SHA-1.
fn run_few(algorithm: Algorithm, messages: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
    struct Few<'m, 'o>(&'m [&'m [u8]], &'o mut [u8]);
    impl Visit for Few<'_, '_> {
        type Output = Result<(), Error>;
        fn visit<H: Runs>(self, hash: H) -> Self::Output {
            let Self(messages, out) = self;
            let choice = Choice::best()?;
            let [first, others @ ..] = messages else { return Ok(()) };
            let blocks = hash.whole_blocks(first.len() as u64) as usize + 1;
            let kernel = choice.for_messages(messages.len(), blocks);
            if kernel.lanes > 1 || others.iter().any(|other| other.len() != first.len()) {
                let options = Options::default();
                let run = |messages: Messages| run_on(&hash, choice, &options, &messages, out);
                return Messages::with(messages, run);
            }
            let single = Single { hash: &hash, kernel };
            for (message, out) in messages.iter().zip(out.chunks_exact_mut(hash.digest_bytes())) {
                single.digest_whole(message, out);
            }
            Ok(())
        }
    }
    check_output(algorithm, messages.len(), out)?;
    try_visit(algorithm, Few(messages, out))
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
    if let [message] = messages {
        return run_few(algorithm.into(), &[message.as_ref()], out);
    }
    if messages.len() <= FEWEST {
        let mut few: [&[u8]; FEWEST] = [&[]; FEWEST];
        for (few, message) in few.iter_mut().zip(messages) {
            *few = message.as_ref();
        }
        return run_few(algorithm.into(), &few[..messages.len()], out);
    }
    Messages::with(messages, |messages| Batch::new(algorithm).run_messages(&messages, out))
}

/// Some messages.
type Window<'m> = SmallVec<[&'m [u8]; FEW]>;
/// Appends the messages of a range to a window.
type List<'m> = dyn Fn(Range<usize>, &mut Window<'m>) + Sync + 'm;

/// The messages of a batch, whatever they are stored in.
pub(crate) struct Messages<'m> {
    pub count: usize,
    pub get: &'m (dyn Fn(usize) -> &'m [u8] + Sync),
    /// One call through a pointer for many.
    pub list: &'m List<'m>,
    /// Bytes of the messages of a range together. Messages may share their memory, so that there
    /// can be more bytes than memory has: then the most that a number holds.
    pub bytes: &'m (dyn Fn(Range<usize>) -> u64 + Sync),
}

impl Messages<'_> {
    /// Calls `then` with messages stored as an array.
    pub fn with<M: AsRef<[u8]> + Sync, T>(messages: &[M], then: impl FnOnce(Messages) -> T) -> T {
        let get = |i: usize| messages[i].as_ref();
        let list = |range: Range<usize>, window: &mut SmallVec<[_; FEW]>| {
            window.extend(messages[range].iter().map(M::as_ref));
        };
        let bytes = |range: Range<usize>| {
            let lengths = messages[range].iter().map(|message| message.as_ref().len() as u64);
            lengths.fold(0, u64::saturating_add)
        };
        then(Messages { count: messages.len(), get: &get, list: &list, bytes: &bytes })
    }
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

/// The same on the kernels of a choice.
pub(crate) fn run_on<H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    options: &Options,
    messages: &Messages,
    out: &mut [u8],
) -> Result<(), Error> {
    let beginning = Single { hash, kernel: choice.for_count(1) }.begin(&options.prefix);
    let part = |range: Range<usize>, out: &mut [u8]| {
        run_part(hash, choice, &beginning, messages, range, out);
    };
    let threads = match options.threads {
        Threads::Count(1) => 1,
        Threads::Count(count) => count.min(worthwhile(hash, choice, messages, STARTING)),
        Threads::Pool(pool) => {
            pool.current_num_threads().min(worthwhile(hash, choice, messages, WAKING))
        }
    };
    if threads <= 1 {
        part(0..messages.count, out);
        return Ok(());
    }
    let parts = split(messages, hash.block_bytes(), threads, hash.digest_bytes(), out);
    match options.threads {
        Threads::Pool(pool) => pool.scope(|scope| {
            for (range, out) in parts {
                let part = &part;
                scope.spawn(move |_| part(range, out));
            }
        }),
        Threads::Count(_) => share_out(threads, parts, |(range, out)| part(range, out)),
    }
    Ok(())
}

/// Nanoseconds that each thread should compute at least where threads have to be started, and where
/// they wait for work. Two threads of half as much were measured to end later than one.
const STARTING: f64 = 60e3;
const WAKING: f64 = 15e3;

/// Threads that each compute for at least so many nanoseconds, about, if they share the messages.
fn worthwhile<H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    messages: &Messages,
    nanoseconds: f64,
) -> usize {
    /// Of the driver for a message.
    const PER_MESSAGE: f64 = 15.0;
    let count = messages.count as f64;
    // Padding adds half a block to a block.
    let blocks = (messages.bytes)(0..messages.count) as f64 / hash.block_bytes() as f64 + count;
    let time = PER_MESSAGE * count + f64::from(choice.least_time()) * blocks;
    // A number that is too great becomes the greatest.
    (time / nanoseconds) as usize
}

/// Cuts the messages into runs of about equal work, four per thread, each with its digests' place.
fn split<'o>(
    messages: &Messages,
    block_bytes: usize,
    threads: usize,
    digest: usize,
    mut out: &'o mut [u8],
) -> Vec<(Range<usize>, &'o mut [u8])> {
    let count = messages.count;
    let mut parts = Vec::new();
    let work = |range: Range<usize>| {
        let padding = range.len() as u64 * block_bytes as u64;
        (messages.bytes)(range).saturating_add(padding)
    };
    let share = work(0..count) / (threads as u64).saturating_mul(4);
    // So few at a time that no run comes out a tenth too long where lengths are alike. Where they
    // are not, and a step is much, its messages are taken one by one.
    let step = (count / threads.saturating_mul(40)).max(1);
    let (mut begin, mut end, mut sum, mut alone) = (0, 0, 0u64, 0);
    while end < count {
        let mut next = if end < alone { end + 1 } else { count.min(end + step) };
        let mut more = work(end..next);
        if next - end > 1 && more > share / 4 {
            (alone, next) = (next, end + 1);
            more = work(end..next);
        }
        (end, sum) = (next, sum.saturating_add(more));
        if sum >= share || end == count {
            let (now, later) = std::mem::take(&mut out).split_at_mut((end - begin) * digest);
            parts.push((begin..end, now));
            out = later;
            (begin, sum) = (end, 0);
        }
    }
    parts
}

/// The messages of `range` on this thread.
fn run_part<H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    beginning: &Beginning<H>,
    messages: &Messages,
    range: Range<usize>,
    out: &mut [u8],
) {
    if let Some(kernel) = one_by_one(hash, choice, beginning, messages, range.clone()) {
        let single = Single { hash, kernel };
        let outs = range.zip(out.chunks_exact_mut(hash.digest_bytes()));
        if beginning.start.blocks == 0 && beginning.lead.is_empty() {
            outs.for_each(|(index, out)| single.digest_whole((messages.get)(index), out));
        } else {
            outs.for_each(|(index, out)| single.digest(beginning, (messages.get)(index), out));
        }
        return;
    }
    let mut ends = Ends::new(hash, choice, beginning, hash.digest_bytes(), out);
    let (first, begin) = (range.start, range.start);
    let mut part = Part {
        hash,
        choice,
        beginning,
        messages,
        first,
        range,
        begin,
        window: SmallVec::new(),
        keys: SmallVec::new(),
        at: 0,
        ends: &mut ends,
    };
    part.open_window();
    part.run_few();
    let expected = part.keys.len() + part.range.len();
    if expected > 0 {
        ragged::run(hash, choice, expected, &mut part);
    }
    ends.flush();
}

/// The kernel of one message that all of `range` go through best.
#[inline]
fn one_by_one<'k, H: Runs>(
    hash: &H,
    choice: &'k Choice<H>,
    beginning: &Beginning<H>,
    messages: &Messages,
    mut range: Range<usize>,
) -> Option<&'k Kernel<H>> {
    let single = |kernel: &Kernel<H>| kernel.lanes == 1;
    if range.len() > FEW {
        return Some(choice.for_count(range.len())).filter(|kernel| single(kernel));
    }
    let count = range.len();
    let bytes = (messages.get)(range.next()?).len();
    let blocks = beginning.whole_blocks(hash, bytes) + 1;
    let kernel = choice.for_messages(count, blocks);
    let mut all =
        || single(choice.for_count(count)) || range.all(|i| (messages.get)(i).len() == bytes);
    (single(kernel) && all()).then_some(kernel)
}

/// Bits of a key that are the place of a message in its window.
const PLACE_BITS: u32 = WINDOW.trailing_zeros();

fn place(key: u64) -> usize {
    key as usize & (WINDOW - 1)
}

/// Messages on their way: in groups of one shape where there are enough of them, else through the
/// lanes of [`ragged`].
struct Part<'m, 'a, 'e, H: Runs> {
    hash: &'a H,
    choice: &'a Choice<H>,
    beginning: &'a Beginning<'a, H>,
    messages: &'a Messages<'m>,
    /// The message whose digest is the first.
    first: usize,
    /// Those in no window yet.
    range: Range<usize>,
    /// Where the window begins.
    begin: usize,
    window: Window<'m>,
    /// The window's messages that are in no group, longest first: a key is the length's complement
    /// above the place in the window.
    keys: SmallVec<[u64; FEW]>,
    /// Keys taken.
    at: usize,
    ends: &'e mut Ends<'a, H>,
}

impl<'m, 'a, H: Runs> Part<'m, 'a, '_, H> {
    /// The message of a key.
    fn message(&self, key: u64) -> (usize, &'m [u8]) {
        (self.begin + place(key) - self.first, self.window[place(key)])
    }

    /// Where a message of so many bytes starts, what comes before it, and its whole blocks after
    /// the start.
    fn whole_blocks(&self, bytes: usize) -> (&'a Start<H>, &'a [u8], usize) {
        let (start, lead) = self.beginning.of(bytes);
        (start, lead, self.beginning.whole_blocks(self.hash, bytes))
    }

    /// Takes the next messages, hashes those of one shape, and puts the others in order.
    fn open_window(&mut self) {
        let end = self.range.end.min(self.range.start.saturating_add(WINDOW));
        self.begin = self.range.start;
        self.at = 0;
        self.window.clear();
        (self.messages.list)(self.range.start..end, &mut self.window);
        self.range.start = end;
        self.keys.clear();
        let [first, others @ ..] = &self.window[..] else { return };
        if others.iter().all(|message| message.len() == first.len()) {
            return self.run_alike();
        }
        self.keys.extend(self.window.iter().enumerate().map(|(place, message)| {
            let shortness = (u64::MAX >> PLACE_BITS).wrapping_sub(message.len() as u64);
            shortness << PLACE_BITS | place as u64
        }));
        if !self.keys.is_sorted() {
            self.keys.sort_unstable();
        }
        self.run_groups();
    }

    /// Hashes the messages of a window that have one length, in their order.
    fn run_alike(&mut self) {
        let whole = self.beginning.whole_blocks(self.hash, self.window[0].len());
        let count = self.window.len();
        let mut at = 0;
        while at < count {
            let kernel = self.choice.for_messages(count - at, whole + 1);
            let next = count.min(at + kernel.lanes);
            let first = self.begin - self.first;
            let (indices, messages) = (first + at..first + next, &self.window[at..next]);
            self.ends.run_alike(kernel, indices, messages, whole, next < count);
            at = next;
        }
    }

    /// Hashes messages of one shape, a kernel full at a time, and keeps the keys of the others.
    fn run_groups(&mut self) {
        let mut group = Window::new();
        let (mut at, mut kept) = (0, 0);
        while at < self.keys.len() {
            let left = self.keys.len() - at;
            let (_, longest) = self.message(self.keys[at]);
            let (start, _, whole) = self.whole_blocks(longest.len());
            let kernel = self.choice.for_messages(left, whole + 1);
            let keys = &self.keys[at..at + kernel.lanes.min(left)];
            let (_, shortest) = self.message(keys[keys.len() - 1]);
            let alike = longest.len() == shortest.len() || {
                let (start_of_shortest, _, whole_of_shortest) = self.whole_blocks(shortest.len());
                std::ptr::eq(start, start_of_shortest)
                    && whole == whole_of_shortest
                    && self.ends.end_alike(longest, shortest, whole)
            };
            if !alike {
                self.keys[kept] = self.keys[at];
                (at, kept) = (at + 1, kept + 1);
                continue;
            }
            group.clear();
            group.extend(keys.iter().map(|&key| self.message(key).1));
            at += keys.len();
            let first = self.begin - self.first;
            let indices = keys.iter().map(|key| first + place(*key));
            self.ends.run_alike(kernel, indices, &group, whole, at < self.keys.len());
        }
        self.keys.truncate(kept);
    }

    /// Hashes the messages of the last window that are in no group one by one, if they are so few
    /// and short that lanes would take longer.
    fn run_few(&mut self) {
        if !self.range.is_empty() || self.keys.is_empty() || self.keys.len() > FEW {
            return;
        }
        // The padded end is a block or two.
        let blocks = |&key: &u64| self.whole_blocks(self.message(key).1.len()).2 + 1;
        let longest = blocks(&self.keys[0]);
        let all = self.keys.iter().map(blocks).sum();
        if self.choice.prefers_one_by_one(self.keys.len(), all, longest) {
            for &key in &self.keys {
                let (index, message) = self.message(key);
                self.ends.run_single(index, message);
            }
            self.keys.clear();
        }
    }
}

impl<'m: 'a, 'a, H: Runs> Jobs<'a, H> for Part<'m, 'a, '_, H> {
    fn next(&mut self) -> Option<Job<'a, H>> {
        loop {
            let Some(&key) = self.keys.get(self.at) else {
                if self.range.is_empty() {
                    return None;
                }
                self.open_window();
                continue;
            };
            self.at += 1;
            let (index, bytes) = self.message(key);
            let (&Start { state, blocks }, lead, whole) = self.whole_blocks(bytes.len());
            if whole > 0 {
                return Some(Job {
                    index,
                    state,
                    blocks_before: blocks,
                    lead,
                    bytes: &bytes[..whole * self.hash.block_bytes() - lead.len()],
                });
            }
            let mut rest = [0; MAX_BLOCK];
            let (begun, others) = rest.split_at_mut(lead.len());
            begun.copy_from_slice(lead);
            others[..bytes.len()].copy_from_slice(bytes);
            let length = lead.len() + bytes.len();
            self.ends.push(index, &state, blocks, &rest[..length]);
        }
    }

    fn done(&mut self, index: usize, state: &State<H>) {
        let bytes = (self.messages.get)(self.first + index);
        let (start, lead, whole) = self.whole_blocks(bytes.len());
        let rest = &bytes[whole * self.hash.block_bytes() - lead.len()..];
        self.ends.push(index, state, start.blocks + whole as u64, rest);
    }
}
