//! Messages of one length. The bytes after their common start, padding included, are written once
//! into blocks that each lane has for itself:
//!
//! ```text
//! start ──► │ lead │ the message's bytes │ padding │   blocks of lane 0
//! (state)   │ lead │ the message's bytes │ padding │   blocks of lane 1
//!                    written for each message, or digests written back here
//! ```

use super::layout::{State, get, put, set};
use super::output::{first_output, write_output, write_words};
use crate::kernels::kernel::{Kernel, LaneInputs, MAX_LANES, N};
use crate::kernels::runs::Runs;
use manylane_primitives::hash::{Counter, LONGEST_END, Padded, Tail, read_words};
use manylane_primitives::word::Native;
use std::mem;

/// Alignment of a lane's blocks: a cache line, so that no block of 64 bytes lies across two.
const LINE: usize = 64;

/// How messages of one length go on after their start.
pub struct Template<H: Runs> {
    /// The lead, zeros in place of the message, the padding.
    bytes: Vec<u8>,
    /// The number of whole blocks, which come before the padded ones.
    pub whole: usize,
    /// The number of all blocks.
    pub blocks: usize,
    /// The counter of each block, where the hash counts.
    counters: Vec<Counter<N<H>>>,
    /// The expanded words of the last block, if it is padding alone; else empty.
    pub expansion: Vec<N<H>>,
}

impl<H: Runs> Template<H> {
    /// Messages of `bytes` bytes after `blocks_before` blocks and `lead`, at most a block.
    pub fn new(hash: &H, blocks_before: u64, lead: &[u8], bytes: usize) -> Self {
        let block_bytes = hash.block_bytes();
        let after = lead.len() + bytes;
        let total = blocks_before * block_bytes as u64 + after as u64;
        let whole = (hash.whole_blocks(total) - blocks_before) as usize;
        let rest = after - whole * block_bytes;
        let mut end = [0; LONGEST_END];
        let mut padded = Padded::new(&mut end);
        let tail = Tail { bytes: &vec![0; rest], total_bits: 8 * u128::from(total) };
        hash.pad(&tail, &mut padded);
        let Padded { blocks: ends, counters: of_ends, .. } = padded;
        let end = &end[..ends * block_bytes];
        let mut counters = Vec::new();
        if H::COUNTER_WORDS > 0 {
            counters.extend((0..whole as u64).map(|block| hash.counter(blocks_before + block)));
            counters.extend(&of_ends[..ends]);
        }
        let mut expansion = Vec::new();
        let last = (ends - 1) * block_bytes;
        if H::EXPANSION > 0 && rest <= last {
            expansion.resize(H::EXPANSION, N::<H>::default());
            hash.expand(&read_words(&end[last..], H::ORDER), &mut expansion);
        }
        let mut bytes = vec![0; whole * block_bytes];
        bytes.extend_from_slice(end);
        bytes[..lead.len()].copy_from_slice(lead);
        Self { bytes, whole, blocks: whole + ends, counters, expansion }
    }

    /// The expansion of the last block, if there is one and [`Kernel::digests`] takes it; otherwise
    /// nothing.
    fn expansion_for(&self, kernel: &Kernel<H>) -> &[N<H>] {
        if kernel.takes_expansion() { &self.expansion } else { &[] }
    }

    /// Bytes of all blocks.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// The blocks of each lane and what a kernel works on.
pub struct Area<H: Runs> {
    /// Bytes from one lane's blocks to those of the next.
    stride: usize,
    /// Where the first lane's blocks begin in `blocks`.
    offset: usize,
    blocks: Vec<u8>,
    /// How many lanes have blocks.
    pub most: usize,
    /// The kernel of the next call, of at most `most` lanes.
    pub kernel: Kernel<H>,
    /// Word i of lane l at `i * kernel.lanes + l`; unused where the kernel has `digests`.
    state: Vec<N<H>>,
    counters: Vec<N<H>>,
    output: Vec<N<H>>,
    places: Vec<usize>,
    /// The digests of all lanes, where the kernel has `digests`; otherwise empty.
    digests: Vec<u8>,
}

/// The chaining values from which the lanes of a kernel go on.
pub struct Starts<H: Runs> {
    /// Laid out as the state.
    words: Vec<N<H>>,
    /// Lane by lane.
    of_lanes: Vec<State<H>>,
}

impl<H: Runs> Starts<H> {
    /// One chaining value for each of `lanes` lanes; the last one again where there are fewer.
    pub fn of(starts: &[State<H>], lanes: usize) -> Self {
        let mut all = Self { words: Vec::new(), of_lanes: Vec::new() };
        all.set(lanes, |lane| starts[lane.min(starts.len() - 1)]);
        all
    }

    /// Sets the chaining value of each of `lanes` lanes.
    pub fn set(&mut self, lanes: usize, start: impl Fn(usize) -> State<H>) {
        self.of_lanes.clear();
        self.of_lanes.extend((0..lanes).map(start));
        self.words.resize(Kernel::<H>::STATE * lanes, N::<H>::default());
        for (lane, start) in self.of_lanes.iter().enumerate() {
            put(start, &mut self.words, lanes, lane);
        }
    }
}

/// For each lane the exclusive or of its digests so far.
pub struct Sums<H: Runs> {
    /// Laid out as the state; unused where the kernel has `digests`.
    words: Vec<N<H>>,
    /// Laid out as `digests` of the area; empty where the kernel has none.
    bytes: Vec<u8>,
}

impl<H: Runs> Area<H> {
    /// An area in which each lane of `kernel` has blocks of the template.
    pub fn new(template: &Template<H>, kernel: &Kernel<H>) -> Self {
        let stride = template.len().next_multiple_of(LINE);
        let mut blocks = vec![0; kernel.lanes * stride + LINE];
        let offset = blocks.as_ptr().align_offset(LINE).min(LINE);
        for lane in blocks[offset..].chunks_exact_mut(stride) {
            lane[..template.len()].copy_from_slice(&template.bytes);
        }
        let (state, counters, output, places, digests) = Default::default();
        let (most, kernel) = (kernel.lanes, *kernel);
        let mut area =
            Self { stride, offset, blocks, most, kernel, state, counters, output, places, digests };
        area.set_kernel(&kernel);
        area
    }

    /// Continues with another kernel. The lanes keep their blocks.
    ///
    /// # Panics
    /// If it is wider than the first.
    pub fn set_kernel(&mut self, kernel: &Kernel<H>) {
        assert!(kernel.lanes <= self.most, "each lane has blocks");
        self.kernel = *kernel;
        self.state.resize(Kernel::<H>::STATE * kernel.lanes, N::<H>::default());
        self.counters.resize(H::COUNTER_WORDS * kernel.lanes, N::<H>::default());
        let digests = if kernel.digests.is_some() { kernel.lanes * Self::DIGEST } else { 0 };
        self.digests.resize(digests, 0);
    }

    /// Bytes of a digest as [`Kernel::digests`] writes it.
    const DIGEST: usize = size_of::<State<H>>();

    /// The blocks of a lane.
    #[inline(always)]
    pub fn lane(&mut self, lane: usize) -> &mut [u8] {
        &mut self.blocks[self.offset + lane * self.stride..][..self.stride]
    }

    /// A byte of the blocks of a lane.
    #[inline(always)]
    pub fn byte(&mut self, lane: usize, at: usize) -> &mut u8 {
        debug_assert!(at < self.stride);
        &mut self.blocks[self.offset + lane * self.stride + at]
    }

    /// Gives lane `to` the blocks of lane `from`.
    pub fn move_lane(&mut self, from: usize, to: usize) {
        let at = |lane| self.offset + lane * self.stride;
        self.blocks.copy_within(at(from)..at(from) + self.stride, at(to));
    }

    /// Computes the digests of the messages in all lanes, which go on from `starts`.
    #[inline(always)]
    pub fn compress(&mut self, hash: &H, template: &Template<H>, starts: &Starts<H>) {
        if self.digests.is_empty() {
            self.state.copy_from_slice(&starts.words);
            self.compress_from(hash, template, 0);
            return;
        }
        let mut digests = mem::take(&mut self.digests);
        self.digests_of(hash, template, starts, (&[], 0), &mut digests);
        self.digests = digests;
    }

    /// Computes the digests of the messages in all lanes, but reads the first `blocks` blocks of
    /// each message from `messages`, not from the lane's blocks. Writes the first `bytes` bytes of
    /// the digests of the first lanes to `out`, one after the other.
    pub fn hash<'m>(
        &mut self,
        (hash, template, starts): (&H, &Template<H>, &Starts<H>),
        (messages, blocks): (impl Iterator<Item = &'m [u8]>, usize),
        bytes: usize,
        out: &mut [u8],
    ) {
        let lanes = self.kernel.lanes;
        if self.kernel.digests.is_some() {
            let mut digests = mem::take(&mut self.digests);
            // The digests of all lanes, whole, need no copy.
            let whole = bytes == Self::DIGEST && out.len() == digests.len();
            let to = if whole { &mut *out } else { &mut digests };
            match blocks {
                0 => self.digests_of(hash, template, starts, (&[], 0), to),
                _ => with_inputs(messages, lanes, |bodies| {
                    self.digests_of(hash, template, starts, (&*bodies, blocks), to);
                }),
            }
            if !whole {
                let digests = digests.chunks_exact(Self::DIGEST);
                for (out, digest) in out.chunks_exact_mut(bytes).zip(digests) {
                    out.copy_from_slice(&digest[..bytes]);
                }
            }
            self.digests = digests;
            return;
        }
        self.state.copy_from_slice(&starts.words);
        if blocks > 0 {
            let Self { kernel, state, counters, .. } = self;
            if H::COUNTER_WORDS > 0 {
                set_counter(counters, lanes, template.counters[0]);
            }
            with_inputs(messages, lanes, |inputs| {
                kernel.compress(hash, state, counters, inputs, blocks);
            });
        }
        self.compress_from(hash, template, blocks);
        self.places.clear();
        self.places.extend((0..out.len() / bytes).map(|lane| lane * bytes));
        let Self { kernel, state, output, places, .. } = self;
        write_output(hash, kernel, state, output, places, bytes, out);
    }

    /// Computes the digests of all lanes on a kernel that does so. The first blocks of the messages
    /// are `bodies`, the others those of the lanes.
    #[inline(always)]
    fn digests_of(
        &self,
        hash: &H,
        template: &Template<H>,
        starts: &Starts<H>,
        bodies: LaneInputs,
        out: &mut [u8],
    ) {
        let expansion = template.expansion_for(&self.kernel);
        let (to, from) = (template.blocks - usize::from(!expansion.is_empty()), bodies.1);
        let block_bytes = hash.block_bytes();
        if from == to {
            let parts = [bodies, (&[][..], 0)];
            return self.kernel.digests(hash, &starts.of_lanes, &parts, expansion, out);
        }
        let lanes = self.blocks[self.offset..].chunks_exact(self.stride);
        with_inputs(lanes.map(|lane| &lane[from * block_bytes..]), self.kernel.lanes, |ends| {
            let parts = [bodies, (&*ends, to - from)];
            self.kernel.digests(hash, &starts.of_lanes, &parts, expansion, out);
        });
    }

    /// Folds the blocks of the lanes from number `from` on into the present chaining values.
    fn compress_from(&mut self, hash: &H, template: &Template<H>, from: usize) {
        let Self { kernel, state, counters, .. } = self;
        let expanded = !template.expansion.is_empty() && kernel.compress_expanded.is_some();
        let (to, block_bytes) = (template.blocks - usize::from(expanded), hash.block_bytes());
        let lanes = self.blocks[self.offset..].chunks_exact(self.stride);
        if from < to {
            with_inputs(lanes.map(|lane| &lane[from * block_bytes..]), kernel.lanes, |inputs| {
                if H::COUNTER_WORDS == 0 {
                    kernel.compress(hash, state, counters, inputs, to - from);
                    return;
                }
                // The counters of padded blocks need not be consecutive.
                for block in from..to {
                    set_counter(counters, kernel.lanes, template.counters[block]);
                    kernel.compress(hash, state, counters, inputs, 1);
                    inputs.iter_mut().for_each(|input| *input = &input[block_bytes..]);
                }
            });
        }
        if expanded {
            if H::COUNTER_WORDS > 0 {
                set_counter(counters, kernel.lanes, template.counters[to]);
            }
            kernel.compress_expanded(hash, state, counters, &template.expansion);
        }
    }

    /// Writes the first `bytes` bytes of the digests of the first `count` lanes into their own
    /// blocks, from byte `at` on.
    #[inline(always)]
    pub fn write_back(&mut self, hash: &H, count: usize, at: usize, bytes: usize) {
        if !self.digests.is_empty() {
            let lanes = self.blocks[self.offset..].chunks_exact_mut(self.stride).take(count);
            for (lane, digest) in lanes.zip(self.digests.chunks_exact(Self::DIGEST)) {
                lane[at..][..bytes].copy_from_slice(&digest[..bytes]);
            }
            return;
        }
        self.places.clear();
        self.places.extend((0..count).map(|lane| self.offset + lane * self.stride + at));
        let Self { kernel, state, output, places, blocks, .. } = self;
        write_output(hash, kernel, state, output, places, bytes, blocks);
    }

    /// The sums before the first digest: zeros.
    pub fn no_sums(&self) -> Sums<H> {
        Sums {
            words: vec![N::<H>::default(); self.state.len()],
            bytes: vec![0; self.digests.len()],
        }
    }

    /// Adds the digests of all lanes to the sums, and writes the first `bytes` bytes of them, at
    /// most an output block, to the beginning of their own blocks in the first `count` lanes.
    pub fn add_and_write_back(&mut self, hash: &H, sums: &mut Sums<H>, count: usize, bytes: usize) {
        if !self.digests.is_empty() {
            sums.bytes.iter_mut().zip(&self.digests).for_each(|(sum, byte)| *sum ^= byte);
            return self.write_back(hash, count, 0, bytes);
        }
        let Self { kernel, state, output, places, blocks, .. } = self;
        let words = first_output(hash, kernel, state, output);
        for (sum, &word) in sums.words.iter_mut().zip(words) {
            *sum = N::<H>::from_scalar(sum.scalar() ^ word.scalar());
        }
        places.clear();
        places.extend((0..count).map(|lane| self.offset + lane * self.stride));
        write_words(hash, kernel, words, places, bytes, blocks);
    }

    /// Adds the first bytes of the sum of a lane to `out` by exclusive or.
    pub fn add_sum(&self, hash: &H, sums: &Sums<H>, lane: usize, out: &mut [u8]) {
        let mut sum = vec![0; out.len()];
        if self.digests.is_empty() {
            let words = get::<H>(&sums.words, self.kernel.lanes, lane, Kernel::<H>::STATE);
            hash.write_output(&words, &mut sum);
        } else {
            sum.copy_from_slice(&sums.bytes[lane * Self::DIGEST..][..out.len()]);
        }
        out.iter_mut().zip(&sum).for_each(|(byte, sum)| *byte ^= sum);
    }
}

/// Puts one counter in every lane.
fn set_counter<T: Copy>(counters: &mut [T], lanes: usize, counter: Counter<T>) {
    for (row, word) in counters.chunks_exact_mut(lanes).zip(counter.words()) {
        row.fill(word);
    }
}

/// Calls `then` with an input for each of `lanes` lanes, the last one again where there are fewer.
#[inline(always)]
fn with_inputs<'m>(
    inputs: impl Iterator<Item = &'m [u8]>,
    lanes: usize,
    then: impl FnOnce(&mut [&'m [u8]]),
) {
    // Filling an array of 64 inputs takes as long as a message of 64 bytes in its lane.
    let (mut fewest, mut few): ([&[u8]; 4], [&[u8]; 16]);
    let (mut more, mut all): ([&[u8]; 32], [&[u8]; MAX_LANES]);
    let array: &mut [&[u8]] = match lanes {
        0..=4 => {
            fewest = [&[]; 4];
            &mut fewest
        }
        5..=16 => {
            few = [&[]; 16];
            &mut few
        }
        17..=32 => {
            more = [&[]; 32];
            &mut more
        }
        _ => {
            all = [&[]; MAX_LANES];
            &mut all
        }
    };
    let array = &mut array[..lanes];
    set(array, inputs);
    then(array);
}
