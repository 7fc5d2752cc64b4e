//! The messages of a batch on one thread.
//!
//! ```text
//! one, or so few and short that lanes take longer ─► one after the other
//! of one length, where kernels have `digests` ─────► a kernel full at a time, one call each
//! others, in windows, most blocks first ──┬─ of one shape, a kernel full ─► from start to digest
//!                                         ├─ of close lengths, a kernel full ─► bodies, then ends
//!                                         └─ of any lengths ─► ragged lanes, then ends
//! ```

use super::messages::{INLINE, Messages, Window};
use crate::drive::alike::Alike;
use crate::drive::ends::Ends;
use crate::drive::layout::{Beginning, MAX_BLOCK, Start, State};
use crate::drive::ragged::{self, Job, Jobs};
use crate::drive::shapes;
use crate::drive::single::Single;
use crate::kernels::kernel::{Kernel, MAX_LANES};
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;
use crate::select::plan::FEWEST;
use smallvec::SmallVec;
use std::ops::Range;
use std::ptr;

/// The number of messages that are sorted by their blocks at a time, if they are short or have one
/// length. Their keys stay in the first-level cache.
const SMALLEST_WINDOW: usize = 1024;

/// The number of messages for each lane that are sorted at a time, if they are long and have unlike
/// lengths. In a larger window neighbours in the order have closer lengths.
const FOR_EACH_LANE: usize = 256;

/// The most messages of a window. Their slices, their keys and the buffers for sorting take
/// 640 KiB.
const LARGEST_WINDOW: usize = FOR_EACH_LANE * MAX_LANES;

/// The mean length, in blocks, from which messages are long.
const LONG_BLOCKS: u64 = 4;

/// The most messages of unlike lengths that may take the least time one by one.
const ONE_BY_ONE: usize = 200;

/// Writes the digests of the messages of `range` to `out`.
pub(super) fn run_part<H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    beginning: &Beginning<H>,
    messages: &Messages,
    range: Range<usize>,
    out: &mut [u8],
) {
    if let Some(kernel) = kernel_of_one(hash, choice, beginning, messages, range.clone()) {
        let single = Single { hash, kernel };
        let outs = range.zip(out.chunks_exact_mut(hash.digest_bytes()));
        if beginning.start.blocks == 0 && beginning.lead.is_empty() {
            outs.for_each(|(index, out)| single.digest_whole((messages.get)(index), out));
        } else {
            outs.for_each(|(index, out)| single.digest(beginning, (messages.get)(index), out));
        }
        return;
    }
    if run_by_digests(hash, choice, beginning, messages, range.clone(), out) {
        return;
    }
    let mut ends = Ends::new(hash, choice, beginning, hash.digest_bytes(), out);
    let (first, begin) = (range.start, range.start);
    let mut jobs = BatchJobs {
        hash,
        choice,
        beginning,
        messages,
        first,
        range,
        begin,
        window: SmallVec::new(),
        keys: SmallVec::new(),
        room: Room::default(),
        most: SMALLEST_WINDOW,
        at: 0,
        ends: &mut ends,
    };
    jobs.open_window();
    jobs.run_last();
    let expected = jobs.keys.len() + jobs.range.len();
    if expected > 0 {
        ragged::run(hash, choice, expected, &mut jobs);
    }
    ends.flush();
}

/// Returns the kernel of one message, if the messages of `range` take the least time one by one on
/// it.
#[inline(always)]
fn kernel_of_one<'k, H: Runs>(
    hash: &H,
    choice: &'k Choice<H>,
    beginning: &Beginning<H>,
    messages: &Messages,
    mut range: Range<usize>,
) -> Option<&'k Kernel<H>> {
    let single = |kernel: &Kernel<H>| kernel.lanes == 1;
    let count = range.len();
    let of_long = choice.for_count(count);
    if count > INLINE && single(of_long) {
        return Some(of_long);
    }
    let bytes = |index: usize| (messages.get)(index).len();
    let blocks = |index: usize| beginning.whole_blocks(hash, bytes(index)) + 1;
    let first = range.next()?;
    // Three lengths show in most cases that lengths differ. Reading the lengths of many short
    // messages takes a tenth of the time of their blocks.
    let others = [first + count / 2, first + count - 1];
    if count <= ONE_BY_ONE && others.iter().any(|&other| bytes(other) != bytes(first)) {
        let prefers = if count <= INLINE {
            choice.prefers_one_by_one(std::iter::once(first).chain(range).map(blocks), false)
        } else {
            prefers_by_sample(choice, count, |number| blocks(first + number))
        };
        return prefers.then(|| choice.for_one());
    }
    // Up to `FEWEST` messages, `run_few` has asked this before.
    let alone = count > FEWEST && choice.prefers_few_one_by_one(count, blocks(first));
    let kernel = if alone { choice.for_one() } else { choice.for_messages(count, blocks(first)) };
    let mut all = || single(of_long) || range.all(|index| bytes(index) == bytes(first));
    (single(kernel) && all()).then_some(kernel)
}

/// [`Choice::prefers_one_by_one`] for `count` messages, more than [`INLINE`], by the blocks of
/// eight of them: reading the lengths of all takes a tenth of the time of the shortest messages.
fn prefers_by_sample<H: Runs>(
    choice: &Choice<H>,
    count: usize,
    blocks: impl Fn(usize) -> usize,
) -> bool {
    const SAMPLE: usize = 8;
    // Where lanes gain for messages of one block and of two, they gain for all.
    if !choice.are_faster_one_by_one(count, count + count / 2, 2, false) {
        return false;
    }
    let (mut all, mut longest) = (0, 1);
    for number in 0..SAMPLE {
        let blocks = blocks(number * count / SAMPLE);
        (all, longest) = (all + blocks, longest.max(blocks));
    }
    choice.are_faster_one_by_one(count, all * count / SAMPLE, longest, false)
}

/// Writes the digests of the messages of `range`, if these have one length, no bytes of the prefix
/// precede them in their first block, and the kernel of each call has [`Kernel::digests`]. Returns
/// whether it did.
fn run_by_digests<'m, H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    beginning: &Beginning<H>,
    messages: &Messages<'m>,
    range: Range<usize>,
    out: &mut [u8],
) -> bool {
    if range.is_empty() {
        return false;
    }
    let bytes = (messages.get)(range.start).len();
    let (start, lead) = beginning.of(bytes);
    let whole = beginning.whole_blocks(hash, bytes);
    let kernel_for = |left| choice.for_messages(left, whole + 1);
    let (mut widest, mut left) = (kernel_for(range.len()), range.len());
    while left > 0 {
        let kernel = kernel_for(left);
        if kernel.digests.is_none() {
            return false;
        }
        if kernel.lanes > widest.lanes {
            widest = kernel;
        }
        left = left.saturating_sub(kernel.lanes);
    }
    let mut window = Window::new();
    let list = |from: usize, window: &mut Window<'m>| {
        (messages.list)(from..range.end.min(from + INLINE), window);
    };
    let are_alike = range.clone().step_by(INLINE).all(|from| {
        list(from, &mut window);
        window.iter().all(|message| message.len() == bytes)
    });
    if !are_alike || !lead.is_empty() {
        return false;
    }
    let mut alike = Alike::new(hash, widest, start, bytes, whole);
    window.clear();
    let (mut first, mut out) = (0, out);
    let mut at = range.start;
    while at < range.end {
        let kernel = kernel_for(range.end - at);
        let now = kernel.lanes.min(range.end - at);
        if first + now > window.len() {
            list(at, &mut window);
            first = 0;
        }
        let (digests, later) = out.split_at_mut(now * hash.digest_bytes());
        match kernel.lanes {
            1 => Single { hash, kernel }.digest(beginning, window[first], digests),
            _ => alike.run(kernel, &window[first..first + now], digests),
        }
        (at, first, out) = (at + now, first + now, later);
    }
    true
}

/// The number of low bits of a key, which hold the place of a message in its window.
const PLACE_BITS: u32 = LARGEST_WINDOW.trailing_zeros();

fn place(key: u64) -> usize {
    key as usize & (LARGEST_WINDOW - 1)
}

/// Shapes of messages and their places, in one number each.
type Keys = SmallVec<[u64; INLINE]>;

/// Lists the keys of messages of these shapes, most blocks first. Messages of one shape keep their
/// order, in which memory is read fastest. This function and [`gather`] are not generic over the
/// hash, so that they are compiled once.
fn list_keys(window: &Window, shape: &dyn Fn(usize) -> u64, keys: &mut Keys, room: &mut Room) {
    keys.extend(window.iter().enumerate().map(|(place, message)| {
        let fewness = (u64::MAX >> PLACE_BITS).wrapping_sub(shape(message.len()));
        fewness << PLACE_BITS | place as u64
    }));
    sort(keys, room);
}

/// Buffers for sorting keys, kept from window to window.
#[derive(Default)]
struct Room {
    keys: Keys,
    /// Where the keys of each shape begin.
    begins: Vec<u32>,
}

/// Sorts keys that are listed by ascending places. Counting sort serves if the range of shapes is
/// less than twice the number of keys; it is stable, so places stay ascending within a shape.
fn sort(keys: &mut Keys, room: &mut Room) {
    let shape = |key: u64| key >> PLACE_BITS;
    let (Some(least), Some(most)) = (keys.iter().min(), keys.iter().max()) else { return };
    let (least, others) = (shape(*least), shape(*most) - shape(*least));
    if keys.len() <= INLINE || others >= 2 * keys.len() as u64 {
        return keys.sort_unstable();
    }
    let number = |key: u64| (shape(key) - least) as usize;
    room.begins.clear();
    room.begins.resize(others as usize + 2, 0);
    for &key in &*keys {
        room.begins[number(key) + 1] += 1;
    }
    let mut before = 0;
    for begin in &mut room.begins {
        before += *begin;
        *begin = before;
    }
    room.keys.resize(keys.len(), 0);
    for &key in &*keys {
        let begin = &mut room.begins[number(key)];
        room.keys[*begin as usize] = key;
        *begin += 1;
    }
    std::mem::swap(keys, &mut room.keys);
}

/// Whether messages of `least` to `most` whole blocks, one in each of `lanes` lanes, take less time
/// if a lane that has ended idles until all have ended than if it takes another message at once.
/// Whenever a lane takes a message, a new call of the kernel begins, which costs a sixth of a block
/// or more.
fn are_close(most: usize, least: usize, lanes: usize) -> bool {
    6 * (most - least) <= most.min(lanes)
}

/// The least and the greatest length of messages, in bytes. Equal lengths, the most frequent case,
/// are recognised in less time than both are found.
fn lengths(window: &Window) -> Option<(usize, usize)> {
    let first = window.first()?.len();
    let lengths = window.iter().map(|message| message.len());
    if lengths.clone().all(|length| length == first) {
        return Some((first, first));
    }
    Some((lengths.clone().min()?, lengths.max()?))
}

/// The prefetch distance: the number of messages between the one that a lane takes and the one
/// whose beginning is prefetched.
const SOON: usize = 8;

/// Prefetches the beginning of a message. Sorted messages lie anywhere in memory, where no hardware
/// prefetcher expects them. Kernels that prefetch begin with the fourth line.
fn fetch_start(message: &[u8]) {
    const LINE: usize = 64;
    #[cfg(target_arch = "x86_64")]
    for line in message[..message.len().min(3 * LINE)].chunks(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every CPU of this architecture has the instruction, which changes no memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (message, LINE);
}

/// Whether messages of these keys have one shape.
fn are_alike(one: u64, other: u64) -> bool {
    one >> PLACE_BITS == other >> PLACE_BITS
}

/// The number of whole blocks of a message, from its key.
fn whole_blocks(key: u64) -> usize {
    shapes::whole_blocks(!key >> PLACE_BITS)
}

/// The messages of these keys.
fn gather<'m>(window: &Window<'m>, keys: &[u64], group: &mut Window<'m>) {
    group.clear();
    group.extend(keys.iter().map(|&key| window[place(key)]));
}

/// The messages of one thread while they are hashed: in groups of one shape where there are enough
/// of them, else through the lanes of [`ragged`].
struct BatchJobs<'m, 'a, 'e, H: Runs> {
    hash: &'a H,
    choice: &'a Choice<H>,
    beginning: &'a Beginning<'a, H>,
    messages: &'a Messages<'m>,
    /// The message whose digest is the first.
    first: usize,
    /// The messages that are in no window yet.
    range: Range<usize>,
    /// Where the window begins.
    begin: usize,
    window: Window<'m>,
    /// The window's messages that are in no group, most blocks first: a key is the shape's
    /// complement above the place in the window.
    keys: Keys,
    /// Buffers for sorting the keys.
    room: Room,
    /// The most messages of a window.
    most: usize,
    /// Number of keys that lanes have taken.
    at: usize,
    ends: &'e mut Ends<'a, H>,
}

impl<'m, 'a, H: Runs> BatchJobs<'m, 'a, '_, H> {
    /// The message of a key.
    fn message(&self, key: u64) -> (usize, &'m [u8]) {
        (self.begin + place(key) - self.first, self.window[place(key)])
    }

    /// Returns the chaining value from which a message of `bytes` bytes starts, the bytes between
    /// the start and the message, and the number of whole blocks after the start.
    fn whole_blocks(&self, bytes: usize) -> (&'a Start<H>, &'a [u8], usize) {
        let (start, lead) = self.beginning.of(bytes);
        (start, lead, self.beginning.whole_blocks(self.hash, bytes))
    }

    /// Takes the next messages, hashes those of one shape or of close lengths, and puts the others
    /// in order.
    fn open_window(&mut self) {
        self.begin = self.range.start;
        self.at = 0;
        self.keys.clear();
        self.list();
        let Some((shortest, longest)) = lengths(&self.window) else { return };
        let is_alike = shortest == longest || {
            let shapes = self.ends.shapes();
            shapes.of(shortest) == shapes.of(longest)
        };
        if is_alike {
            self.most = SMALLEST_WINDOW;
            return self.run_alike();
        }
        self.choose_most();
        let shapes = self.ends.shapes();
        list_keys(&self.window, &|bytes| shapes.of(bytes), &mut self.keys, &mut self.room);
        self.run_groups();
    }

    /// Lists the messages of the window, from number `begin` on.
    fn list(&mut self) {
        // Windows are of about equal size: a last window of few messages would leave lanes idle.
        let left = self.range.end - self.begin;
        let size = left.div_ceil(left.div_ceil(self.most).max(1)).next_multiple_of(MAX_LANES);
        self.range.start = self.begin + size.min(left);
        (self.messages.list)(self.begin..self.range.start, &mut self.window);
    }

    /// Sets the size of windows by the mean length of the messages in this one, whose lengths
    /// differ. If windows become larger, this one is listed anew.
    fn choose_most(&mut self) {
        let bytes = self.window.iter().map(|message| message.len() as u64);
        let bytes = bytes.fold(0, u64::saturating_add);
        let blocks = bytes / self.hash.block_bytes() as u64;
        let before = self.most;
        self.most = match blocks / self.window.len() as u64 {
            LONG_BLOCKS.. => {
                SMALLEST_WINDOW.max(FOR_EACH_LANE * self.choice.for_count(MAX_LANES).lanes)
            }
            _ => SMALLEST_WINDOW,
        };
        if self.most > before && !self.range.is_empty() {
            self.list();
        }
    }

    /// Returns the kernel for the next of `left` messages of one shape, with `whole` whole blocks
    /// each, and how many of them one [`Ends::run_alike`] takes.
    fn kernel_for(&self, left: usize, whole: usize) -> (&'a Kernel<H>, usize) {
        let kernel_for = |left| self.choice.for_messages(left, whole + 1);
        let kernel = kernel_for(left);
        let mut taken = kernel.lanes.min(left);
        // The words of several calls need an allocation, which costs more than few messages gain.
        let most = if left > INLINE { left.min(Ends::most_alike(kernel, whole)) } else { taken };
        while taken + kernel.lanes <= most && ptr::eq(kernel_for(left - taken), kernel) {
            taken += kernel.lanes;
        }
        (kernel, taken)
    }

    /// Hashes the messages of a window that have one shape, in their order.
    fn run_alike(&mut self) {
        let whole = self.beginning.whole_blocks(self.hash, self.window[0].len());
        let count = self.window.len();
        let mut at = 0;
        while at < count {
            let (kernel, taken) = self.kernel_for(count - at, whole);
            let next = at + taken;
            let first = self.begin - self.first;
            let (indices, messages) = (first + at..first + next, &self.window[at..next]);
            self.ends.run_alike(kernel, indices, messages, whole, next < count);
            at = next;
        }
    }

    /// Hashes messages of one shape or of close lengths, a kernel full at a time. Keeps the keys of
    /// the others.
    fn run_groups(&mut self) {
        let mut group = Window::new();
        let (mut at, mut kept) = (0, 0);
        while at < self.keys.len() {
            let left = self.keys.len() - at;
            let whole = whole_blocks(self.keys[at]);
            let are_alike = |taken: usize| are_alike(self.keys[at], self.keys[at + taken - 1]);
            let kernel = self.choice.for_messages(left, whole + 1);
            if !are_alike(kernel.lanes.min(left)) {
                if kernel.lanes <= left && self.run_close(kernel, at, &mut group) {
                    at += kernel.lanes;
                    continue;
                }
                self.keys[kept] = self.keys[at];
                (at, kept) = (at + 1, kept + 1);
                continue;
            }
            let (kernel, mut taken) = self.kernel_for(left, whole);
            while !are_alike(taken) {
                taken -= kernel.lanes;
            }
            let keys = &self.keys[at..at + taken];
            gather(&self.window, keys, &mut group);
            self.fetch_starts(at + taken, taken);
            at += keys.len();
            let first = self.begin - self.first;
            let indices = keys.iter().map(|key| first + place(*key));
            self.ends.run_alike(kernel, indices, &group, whole, at < self.keys.len());
        }
        self.keys.truncate(kept);
    }

    /// Prefetches the beginnings of at most `most` messages, from key `from` on.
    fn fetch_starts(&self, from: usize, most: usize) {
        for &key in self.keys[from..].iter().take(most) {
            fetch_start(self.window[place(key)]);
        }
    }

    /// Hashes as many messages as the kernel has lanes, from key `at` on, if they go on from the
    /// same chaining value and have close lengths. Returns whether it did.
    fn run_close(&mut self, kernel: &Kernel<H>, at: usize, group: &mut Window<'m>) -> bool {
        let lanes = kernel.lanes;
        let keys = &self.keys[at..at + lanes];
        let (most, least) = (whole_blocks(keys[0]), whole_blocks(keys[lanes - 1]));
        if least == 0 || !are_close(most, least, lanes) {
            return false;
        }
        gather(&self.window, keys, group);
        let (first, last) = (group[0].len(), group[lanes - 1].len());
        if !ptr::eq(self.beginning.of(first).0, self.beginning.of(last).0) {
            return false;
        }
        self.fetch_starts(at + lanes, lanes);
        let first = self.begin - self.first;
        let mut numbers = [(0, 0); MAX_LANES];
        for (number, &key) in numbers.iter_mut().zip(keys) {
            *number = (first + place(key), whole_blocks(key));
        }
        self.ends.run_close(kernel, &numbers[..lanes], group);
        true
    }

    /// Hashes the messages of the last window that are in no group one by one, if they are so few
    /// and short that lanes would take longer.
    fn run_last(&mut self) {
        if !self.range.is_empty() || self.keys.is_empty() || self.keys.len() > INLINE {
            return;
        }
        // The padded end is a block or two.
        let blocks = self.keys.iter().map(|&key| whole_blocks(key) + 1);
        let begun = self.keys.len() < self.window.len() || self.begin > self.first;
        if self.choice.prefers_one_by_one(blocks, begun) {
            for &key in &self.keys {
                let (index, message) = self.message(key);
                self.ends.run_single(index, message);
            }
            self.keys.clear();
        }
    }
}

impl<'m: 'a, 'a, H: Runs> Jobs<'a, H> for BatchJobs<'m, 'a, '_, H> {
    fn next(&mut self) -> Option<Job<'a, '_, H>> {
        loop {
            let Some(&key) = self.keys.get(self.at) else {
                if self.range.is_empty() {
                    return None;
                }
                self.open_window();
                continue;
            };
            self.at += 1;
            if let Some(&later) = self.keys.get(self.at + SOON) {
                fetch_start(self.window[place(later)]);
            }
            let (index, bytes) = self.message(key);
            let whole = whole_blocks(key);
            let (start, lead) = self.beginning.of(bytes.len());
            if whole > 0 {
                return Some(Job {
                    index,
                    state: &start.state,
                    blocks_before: start.blocks,
                    lead,
                    bytes: &bytes[..whole * self.hash.block_bytes() - lead.len()],
                });
            }
            let mut rest = [0; MAX_BLOCK];
            let (begun, others) = rest.split_at_mut(lead.len());
            begun.copy_from_slice(lead);
            others[..bytes.len()].copy_from_slice(bytes);
            let length = lead.len() + bytes.len();
            self.ends.push(index, &start.state, start.blocks, &rest[..length]);
        }
    }

    fn done(&mut self, index: usize, state: &State<H>) {
        let bytes = (self.messages.get)(self.first + index);
        let (start, lead, whole) = self.whole_blocks(bytes.len());
        let rest = &bytes[whole * self.hash.block_bytes() - lead.len()..];
        self.ends.push(index, state, start.blocks + whole as u64, rest);
    }
}
