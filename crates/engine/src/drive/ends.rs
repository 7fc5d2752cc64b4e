//! The ends of messages: padded blocks side by side in lanes, then the output.
//!
//! ```text
//! body of a message ─ ragged.rs ─► chaining value ─┐ wait for ends with as many blocks, then go
//! padded end, one or two blocks ───────────────────┘ through one call: every lane ends at once
//!
//! messages of one shape ─► from the common start to the output, no lane apart from the others
//! ```
//!
//! The other way, to let each lane of the bodies' call run into its own end, needs two calls for
//! each message, because bodies end at different times and so do the ends.

use super::layout::{InLine, Start, State, put, set};
use super::output::write_output;
use crate::kernels::kernel::{Kernel, MAX_LANES, N};
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;
use manylane_primitives::hash::{LONGEST_END, Padded, Tail, read_words};

/// Ends of as many blocks each, one after the other.
struct Waiting<H: Runs> {
    indices: Vec<usize>,
    states: Vec<State<H>>,
    /// The padded blocks.
    bytes: Vec<u8>,
    /// Those of the padded blocks, where the hash counts.
    counters: Vec<[[N<H>; 2]; 2]>,
}

impl<H: Runs> Waiting<H> {
    fn new() -> Self {
        let (indices, states) = (Vec::new(), Vec::new());
        Self { indices, states, bytes: Vec::new(), counters: Vec::new() }
    }

    fn truncate(&mut self, count: usize, end_bytes: usize) {
        self.indices.truncate(count);
        self.states.truncate(count);
        self.bytes.truncate(count * end_bytes);
        self.counters.truncate(count);
    }
}

/// Ends messages and writes their digests.
pub struct Ends<'a, H: Runs> {
    hash: &'a H,
    choice: &'a Choice<H>,
    start: Start<H>,
    digest: usize,
    /// Digests, one after the other.
    out: &'a mut [u8],
    /// Ends of one block and of two.
    waiting: [Waiting<H>; 2],
    /// As many wait at most: a full kernel.
    full: usize,
    /// The end padded last.
    padded: End<N<H>>,
    /// Padded ends of messages of one shape.
    alike: Vec<u8>,
    /// Their counters, or those of all if the messages have one length.
    counters: Vec<[[N<H>; 2]; 2]>,
    /// The expansion of the last padded block of messages of one length, if padding is all of it.
    expansion: Vec<N<H>>,
    /// Lanes and length of the messages whose padding is in `alike`, `padded` and `expansion`, if
    /// one length.
    alike_for: Option<(usize, usize)>,
    wide: Wide<H>,
}

/// What [`Padded`] says, kept.
struct End<N> {
    bytes: InLine<[u8; LONGEST_END]>,
    blocks: usize,
    counters: [[N; 2]; 2],
}

/// What a kernel works on, word by word: word i of lane l at `i * lanes + l`.
struct Wide<H: Runs> {
    state: Vec<N<H>>,
    counters: Vec<N<H>>,
    output: Vec<N<H>>,
    /// Where in the output a block of each lane goes.
    places: Vec<usize>,
    /// The common start in each of `start_lanes` lanes.
    start: Vec<N<H>>,
    start_lanes: usize,
}

impl<'a, H: Runs> Ends<'a, H> {
    /// Messages begin at `start`; `out` holds the digests of all.
    pub fn new(
        hash: &'a H,
        choice: &'a Choice<H>,
        start: Start<H>,
        digest: usize,
        out: &'a mut [u8],
    ) -> Self {
        let empty = Vec::new;
        Self {
            hash,
            choice,
            start,
            digest,
            out,
            waiting: [Waiting::new(), Waiting::new()],
            full: choice.for_count(MAX_LANES).lanes,
            padded: End {
                bytes: InLine([0; LONGEST_END]),
                blocks: 0,
                counters: [[N::<H>::default(); 2]; 2],
            },
            alike: Vec::new(),
            counters: Vec::new(),
            expansion: Vec::new(),
            alike_for: None,
            wide: Wide {
                state: empty(),
                counters: empty(),
                output: empty(),
                places: Vec::new(),
                start: empty(),
                start_lanes: 0,
            },
        }
    }

    /// Pads what follows `blocks` whole blocks. Returns the number of padded blocks.
    fn pad(&mut self, blocks: u64, rest: &[u8]) -> usize {
        let bytes = u128::from(blocks) * self.hash.block_bytes() as u128 + rest.len() as u128;
        self.alike_for = None;
        let mut padded = Padded::new(&mut self.padded.bytes.0);
        self.hash.pad(&Tail { bytes: rest, total_bits: 8 * bytes }, &mut padded);
        let Padded { blocks, counters, .. } = padded;
        (self.padded.blocks, self.padded.counters) = (blocks, counters);
        blocks
    }

    /// Takes the chaining value after `blocks` whole blocks of message `index` and what follows
    /// them, at most a block.
    pub fn push(&mut self, index: usize, state: &State<H>, blocks: u64, rest: &[u8]) {
        let padded_blocks = self.pad(blocks, rest);
        let end_bytes = padded_blocks * self.hash.block_bytes();
        let waiting = &mut self.waiting[padded_blocks - 1];
        waiting.indices.push(index);
        waiting.states.push(*state);
        waiting.bytes.extend_from_slice(&self.padded.bytes.0[..end_bytes]);
        if H::COUNTED {
            waiting.counters.push(self.padded.counters);
        }
        if waiting.indices.len() == self.full {
            self.end(padded_blocks);
        }
    }

    /// Ends what waits.
    pub fn flush(&mut self) {
        for padded_blocks in [1, 2] {
            while !self.waiting[padded_blocks - 1].indices.is_empty() {
                self.end(padded_blocks);
            }
        }
    }

    /// Ends as many as suit a kernel of those that wait with ends of so many blocks.
    fn end(&mut self, padded_blocks: usize) {
        let end_bytes = padded_blocks * self.hash.block_bytes();
        let waiting = &mut self.waiting[padded_blocks - 1];
        let count = waiting.indices.len();
        let kernel = self.choice.for_count(count);
        let from = count.saturating_sub(kernel.lanes);
        self.wide.resize(kernel.lanes);
        for (lane, state) in waiting.states[from..].iter().enumerate() {
            put(state, &mut self.wide.state, kernel.lanes, lane);
        }
        let counters = if H::COUNTED { &waiting.counters[from..] } else { &[] };
        let bytes = &waiting.bytes[from * end_bytes..];
        let mut ends = [bytes; MAX_LANES];
        set(&mut ends, bytes.chunks_exact(end_bytes));
        let ends = &mut ends[..kernel.lanes];
        self.wide.compress_ends(self.hash, kernel, ends, padded_blocks, counters);
        let (wide, out) = (&mut self.wide, &mut *self.out);
        wide.write(self.hash, kernel, &waiting.indices[from..], self.digest, out);
        waiting.truncate(from, end_bytes);
    }

    /// Whether two messages that have as many whole blocks have padded ends of as many blocks.
    pub fn end_alike(&mut self, blocks: u64, one: &[u8], other: &[u8]) -> bool {
        one.len() == other.len() || self.pad(blocks, one) == self.pad(blocks, other)
    }

    /// Hashes messages that all have `whole` whole blocks after the start and ends of as many
    /// blocks: one for every lane of `kernel`, the longest first, of which those with an index
    /// count.
    pub fn run_alike(
        &mut self,
        kernel: &Kernel<H>,
        indices: &[usize],
        messages: &[&[u8]],
        whole: usize,
    ) {
        let (hash, lanes) = (self.hash, kernel.lanes);
        let body_bytes = whole * hash.block_bytes();
        self.wide.begin(&self.start, lanes);
        if whole > 0 {
            if H::COUNTED {
                self.wide.put_counters(lanes, &[[hash.counter(self.start.blocks); 2]], 0);
            }
            let Wide { state, counters, .. } = &mut self.wide;
            kernel.compress(hash, state, counters, messages, whole);
        }
        self.pad_alike(lanes, messages, whole);
        let (blocks, counters) = (self.padded.blocks, &self.counters);
        let expanded = !self.expansion.is_empty() && kernel.compress_expanded.is_some();
        let unlike = blocks - usize::from(expanded);
        if unlike > 0 {
            // To fill all of `many` takes as long as a message of 64 bytes in its lane.
            let (mut few, mut many): ([&[u8]; 16], [&[u8]; MAX_LANES]);
            let ends = if lanes <= 16 {
                few = [&[]; 16];
                &mut few[..lanes]
            } else {
                many = [&[]; MAX_LANES];
                &mut many[..lanes]
            };
            if self.alike.is_empty() {
                set(ends, messages.iter().map(|message| &message[body_bytes..]));
            } else {
                set(ends, self.alike.chunks_exact(blocks * hash.block_bytes()));
            }
            self.wide.compress_ends(hash, kernel, ends, unlike, counters);
        }
        if expanded {
            if H::COUNTED {
                self.wide.put_counters(lanes, counters, unlike);
            }
            let Wide { state, counters, .. } = &mut self.wide;
            kernel.compress_expanded(hash, state, counters, &self.expansion);
        }
        self.wide.write(hash, kernel, indices, self.digest, self.out);
    }

    /// Pads what follows `whole` whole blocks of each message, into `alike`, which stays empty
    /// where padding adds nothing, because what follows is one block that was held back.
    fn pad_alike(&mut self, lanes: usize, messages: &[&[u8]], whole: usize) {
        let block_bytes = self.hash.block_bytes();
        let body_bytes = whole * block_bytes;
        let blocks = self.start.blocks + whole as u64;
        let [first, .., last] = [messages[0], messages[messages.len() - 1]];
        self.counters.clear();
        if first.len() != last.len() {
            self.alike.clear();
            self.expansion.clear();
            for message in messages {
                let end_bytes = self.pad(blocks, &message[body_bytes..]) * block_bytes;
                self.alike.extend_from_slice(&self.padded.bytes.0[..end_bytes]);
                self.counters.push(self.padded.counters);
            }
            return;
        }
        // Padding depends on nothing but the length.
        let rest = first.len() - body_bytes;
        if self.alike_for != Some((lanes, first.len())) {
            self.pad(blocks, &first[body_bytes..]);
            self.alike.clear();
            let end_bytes = self.padded.blocks * block_bytes;
            if rest < end_bytes {
                for _ in 0..lanes {
                    self.alike.extend_from_slice(&self.padded.bytes.0[..end_bytes]);
                }
            }
            self.expand_last(rest);
            self.alike_for = Some((lanes, first.len()));
        }
        if H::COUNTED {
            self.counters.push(self.padded.counters);
        }
        if rest > 0 {
            let end_bytes = self.padded.blocks * block_bytes;
            for (end, message) in self.alike.chunks_exact_mut(end_bytes).zip(messages) {
                end[..rest].copy_from_slice(&message[body_bytes..]);
            }
        }
    }

    /// Expands the last padded block if nothing of the `rest` bytes of message is in it.
    fn expand_last(&mut self, rest: usize) {
        self.expansion.clear();
        let block_bytes = self.hash.block_bytes();
        let last = (self.padded.blocks - 1) * block_bytes;
        if H::EXPANSION > 0 && rest <= last {
            let block = read_words(&self.padded.bytes.0[last..][..block_bytes], H::ORDER);
            self.expansion.resize(H::EXPANSION, N::<H>::default());
            self.hash.expand(&block, &mut self.expansion);
        }
    }
}

impl<H: Runs> Wide<H> {
    fn resize(&mut self, lanes: usize) {
        self.state.resize(Kernel::<H>::STATE * lanes, N::<H>::default());
        self.counters.resize(if H::COUNTED { 2 * lanes } else { 0 }, N::<H>::default());
    }

    /// Puts the start in every lane.
    fn begin(&mut self, start: &Start<H>, lanes: usize) {
        self.resize(lanes);
        if self.start_lanes != lanes {
            let words = start.state.as_ref().iter();
            self.start = words.flat_map(|&word| std::iter::repeat_n(word, lanes)).collect();
            self.start_lanes = lanes;
        }
        self.state.copy_from_slice(&self.start);
    }

    /// Sets the counters of number `block` of the first lanes, or one for all.
    fn put_counters(&mut self, lanes: usize, counters: &[[[N<H>; 2]; 2]], block: usize) {
        let (lows, highs) = self.counters.split_at_mut(lanes);
        if let [of_all] = counters {
            let [low, high] = of_all[block];
            lows.fill(low);
            highs.fill(high);
        } else {
            for ((low, high), of_lane) in lows.iter_mut().zip(highs).zip(counters) {
                [*low, *high] = of_lane[block];
            }
        }
    }

    /// Compresses the first `blocks` blocks of the ends.
    fn compress_ends(
        &mut self,
        hash: &H,
        kernel: &Kernel<H>,
        ends: &mut [&[u8]],
        blocks: usize,
        counters: &[[[N<H>; 2]; 2]],
    ) {
        if !H::COUNTED {
            kernel.compress(hash, &mut self.state, &mut self.counters, ends, blocks);
            return;
        }
        // Counters of padded blocks do not go up in step.
        for block in 0..blocks {
            if block > 0 {
                ends.iter_mut().for_each(|end| *end = &end[hash.block_bytes()..]);
            }
            self.put_counters(kernel.lanes, counters, block);
            kernel.compress(hash, &mut self.state, &mut self.counters, ends, 1);
        }
    }

    /// Writes the digests of the first lanes to their places in `out`.
    fn write(
        &mut self,
        hash: &H,
        kernel: &Kernel<H>,
        indices: &[usize],
        digest: usize,
        out: &mut [u8],
    ) {
        self.places.clear();
        self.places.extend(indices.iter().map(|index| index * digest));
        let Self { state, output, places, .. } = self;
        write_output(hash, kernel, state, output, places, digest, out);
    }
}
