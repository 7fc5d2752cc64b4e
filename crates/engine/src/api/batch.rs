//! Many messages at once.

use crate::cpu::Engine;
use crate::drive::ends::Ends;
use crate::drive::layout::State;
use crate::drive::layout::{MAX_BLOCK, Start};
use crate::drive::ragged::{self, Job, Jobs};
use crate::drive::stream::Stream;
use crate::drive::threads::share_out;
use crate::error::Error;
use crate::kernels::kernel::MAX_LANES;
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;
use crate::select::visit::{Visit, try_visit};
use manylane_primitives::catalog::Algorithm;
use std::fmt;
use std::ops::Range;

/// Messages that are put in order of length at a time. Bounds the memory of a batch.
const WINDOW: usize = 1024;
/// Bytes of work below which another thread is not worth waking.
pub(crate) const LEAST_SHARE: u64 = 64 * 1024;
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
        Messages::with(messages, |messages| self.run_messages(messages, out))
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
        try_visit(self.algorithm, Run { messages, options: &self.options, out })
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

/// Appends the messages of a range to a list.
type List<'m> = dyn Fn(Range<usize>, &mut Vec<&'m [u8]>) + Sync + 'm;

/// The messages of a batch, whatever they are stored in.
#[derive(Clone, Copy)]
pub(crate) struct Messages<'m> {
    pub count: usize,
    pub get: &'m (dyn Fn(usize) -> &'m [u8] + Sync),
    /// One call through a pointer for many.
    pub list: &'m List<'m>,
}

impl Messages<'_> {
    /// Calls `then` with messages stored as an array.
    pub fn with<M: AsRef<[u8]> + Sync, T>(messages: &[M], then: impl FnOnce(Messages) -> T) -> T {
        let get = |i: usize| messages[i].as_ref();
        let list = |range: Range<usize>, window: &mut Vec<_>| {
            window.extend(messages[range].iter().map(M::as_ref));
        };
        then(Messages { count: messages.len(), get: &get, list: &list })
    }
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
    run_on(hash, &*Choice::new(options.engine)?, options, messages, out)
}

/// The same on the kernels of a choice.
pub(crate) fn run_on<H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    options: &Options,
    messages: Messages,
    out: &mut [u8],
) -> Result<(), Error> {
    let digest = hash.digest_bytes();
    let mut stream = Stream::on(hash.clone(), options.engine)?;
    stream.update(&options.prefix);
    let (start, lead) = stream.checkpoint();
    let part = |range: Range<usize>, out: &mut [u8]| {
        run_part(hash, choice, &start, lead, messages, range, out);
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
        Threads::Count(_) => share_out(threads, parts, |(range, out)| part(range, out)),
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
        _ => {
            // Messages may share their memory, so that there can be more bytes than memory has.
            let all = (0..messages.count).map(work).fold(0, u64::saturating_add);
            (all / (threads as u64).saturating_mul(4)).max(LEAST_SHARE)
        }
    };
    let (mut begin, mut sum) = (0, 0);
    for i in 0..messages.count {
        if share != u64::MAX {
            sum = work(i).saturating_add(sum);
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
    let ends = Ends::new(hash, choice, *start, hash.digest_bytes(), out);
    let (first, begin) = (range.start, range.start);
    let (start, window, keys) = (*start, Vec::new(), Vec::new());
    let mut part = Part {
        hash,
        choice,
        start,
        lead,
        messages,
        first,
        range,
        begin,
        window,
        keys,
        at: 0,
        ends,
    };
    part.open_window();
    let expected = part.keys.len() + part.range.len();
    if expected > 0 {
        ragged::run(hash, choice, expected, &mut part);
    }
    part.ends.flush();
}

/// Bits of a key that are the place of a message in its window.
const PLACE_BITS: u32 = WINDOW.trailing_zeros();

/// Messages on their way: in groups of one shape where there are enough of them, else through the
/// lanes of [`ragged`].
struct Part<'m, 'a, H: Runs> {
    hash: &'a H,
    choice: &'a Choice<H>,
    start: Start<H>,
    /// Bytes after the start's blocks that every message begins with.
    lead: &'a [u8],
    messages: Messages<'m>,
    /// The message whose digest is the first.
    first: usize,
    /// Those in no window yet.
    range: Range<usize>,
    /// Where the window begins.
    begin: usize,
    window: Vec<&'m [u8]>,
    /// The window's messages that are in no group, longest first: a key is the length's complement
    /// above the place in the window.
    keys: Vec<u64>,
    /// Keys taken.
    at: usize,
    ends: Ends<'a, H>,
}

impl<'m, H: Runs> Part<'m, '_, H> {
    /// The message of a key.
    fn message(&self, key: u64) -> (usize, &'m [u8]) {
        let place = key as usize & (WINDOW - 1);
        (self.begin + place - self.first, self.window[place])
    }

    /// Whole blocks after the start of a message of so many bytes after the lead.
    fn whole_blocks(&self, bytes: usize) -> usize {
        let before = self.start.blocks * self.hash.block_bytes() as u64;
        let total = before + (self.lead.len() + bytes) as u64;
        (self.hash.whole_blocks(total) - self.start.blocks) as usize
    }

    /// Puts the next messages in order and hashes those of one shape.
    fn open_window(&mut self) {
        let end = self.range.end.min(self.range.start.saturating_add(WINDOW));
        self.begin = self.range.start;
        self.at = 0;
        self.window.clear();
        (self.messages.list)(self.range.start..end, &mut self.window);
        self.keys.clear();
        self.keys.extend(self.window.iter().enumerate().map(|(place, message)| {
            let shortness = (u64::MAX >> PLACE_BITS).wrapping_sub(message.len() as u64);
            shortness << PLACE_BITS | place as u64
        }));
        self.range.start = end;
        if !self.keys.is_sorted() {
            self.keys.sort_unstable();
        }
        if self.lead.is_empty() {
            self.run_groups();
        }
    }

    /// Hashes messages of one shape, a kernel full at a time, and keeps the keys of the others.
    fn run_groups(&mut self) {
        let mut indices = [0; MAX_LANES];
        let mut group: [&[u8]; MAX_LANES] = [&[]; MAX_LANES];
        let (mut at, mut kept) = (0, 0);
        while at < self.keys.len() {
            let kernel = self.choice.for_count(self.keys.len() - at);
            let count = kernel.lanes.min(self.keys.len() - at);
            let (_, longest) = self.message(self.keys[at]);
            let (_, shortest) = self.message(self.keys[at + count - 1]);
            let whole = self.whole_blocks(longest.len());
            let body = whole * self.hash.block_bytes();
            let blocks = self.start.blocks + whole as u64;
            let alike = longest.len() == shortest.len()
                || whole == self.whole_blocks(shortest.len())
                    && self.ends.end_alike(blocks, &longest[body..], &shortest[body..]);
            if !alike {
                self.keys[kept] = self.keys[at];
                (at, kept) = (at + 1, kept + 1);
                continue;
            }
            for (i, &key) in self.keys[at..at + count].iter().enumerate() {
                (indices[i], group[i]) = self.message(key);
            }
            let idle = group[count - 1];
            group[count..kernel.lanes].fill(idle);
            self.ends.run_alike(kernel, &indices[..count], &group[..kernel.lanes], whole);
            at += count;
        }
        self.keys.truncate(kept);
    }
}

impl<'m: 'a, 'a, H: Runs> Jobs<'a, H> for Part<'m, 'a, H> {
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
            let whole = self.whole_blocks(bytes.len());
            let Start { state, blocks } = self.start;
            if whole > 0 {
                return Some(Job {
                    index,
                    state,
                    blocks_before: blocks,
                    lead: self.lead,
                    bytes: &bytes[..whole * self.hash.block_bytes() - self.lead.len()],
                });
            }
            let mut rest = [0; MAX_BLOCK];
            let (lead, others) = rest.split_at_mut(self.lead.len());
            lead.copy_from_slice(self.lead);
            others[..bytes.len()].copy_from_slice(bytes);
            let length = self.lead.len() + bytes.len();
            self.ends.push(index, &state, blocks, &rest[..length]);
        }
    }

    fn done(&mut self, index: usize, state: &State<H>) {
        let bytes = (self.messages.get)(self.first + index);
        let whole = self.whole_blocks(bytes.len());
        let rest = &bytes[whole * self.hash.block_bytes() - self.lead.len()..];
        self.ends.push(index, state, self.start.blocks + whole as u64, rest);
    }
}
