//! The ends of messages: padded blocks side by side in lanes, then the output.
//!
//! ```text
//! body of a message ─ ragged.rs ─► chaining value ─┐ wait for ends with as many blocks, then go
//! padded end, one or two blocks ───────────────────┘ through one call: every lane ends at once
//!
//! messages of one shape ─► from the common start to the output, no lane apart from the others
//! ```
//!
//! The alternative is that each lane goes on from its body to its own end. This needs two calls for
//! each message, because neither bodies nor ends finish at the same time.

use super::inputs::Inputs;
use super::layout::{Beginning, InLine, MAX_BLOCK, State};
use super::paddings::Paddings;
use super::shapes::Shapes;
use super::single::Single;
use super::waiting::Waiting;
use super::wide::{Call, Wide, WideWords};
use crate::kernels::kernel::{Kernel, MAX_LANES, N, write_each_end};
use crate::kernels::runs::Runs;
use crate::lanes::{Unit, put_row};
use crate::select::choice::Choice;
use manylane_primitives::hash::{Counter, LONGEST_END, Padded, Tail, read_words};
use smallvec::{SmallVec, smallvec};

/// The blocks of a call, without an allocation for 64 lanes of one short block or 16 lanes of two
/// long ones. Blocks lie in whole units, which are copied faster than bytes.
type Units = SmallVec<[Unit; 64]>;
const UNIT: usize = size_of::<Unit>();

/// The most calls of one function of a kernel in a row. The functions for bodies, expanded blocks
/// and output are long code, some 30 KiB together, which the CPU would fetch and decode again and
/// again if they alternated at each call.
const CALLS: usize = 4;

/// The most whole blocks of messages for which calls are put in such a row. In longer messages the
/// blocks take much longer than fetching and decoding the code.
const SHORT: usize = 16;

/// Ends messages and writes their digests.
pub struct Ends<'a, H: Runs> {
    pub(super) hash: &'a H,
    choice: &'a Choice<H>,
    /// Where messages of one shape start.
    pub(super) beginning: &'a Beginning<'a, H>,
    digest: usize,
    /// Digests, one after the other.
    out: &'a mut [u8],
    /// Ends of one block and of two.
    waiting: [Waiting<H>; 2],
    /// The most ends that wait: as many as the kernel has lanes.
    full: usize,
    /// The end padded last.
    padded: PaddedEnd<N<H>>,
    /// The least number of bytes that is padded to two blocks; computed when it is first needed.
    long_end: Option<usize>,
    /// First blocks of messages of one shape, where a lead begins them.
    heads: Units,
    /// Padded ends of messages of one shape, one after the other, or a single one for all messages
    /// if it contains none of their bytes.
    alike: Units,
    paddings: Paddings<N<H>>,
    /// The counters of the ends in `alike`, or one pair for all if the messages have one length.
    counters: SmallVec<[[Counter<N<H>>; 2]; 16]>,
    /// The expansion of the last padded block of messages of one length, if it is padding alone and
    /// more than one call has it.
    expansion: WideWords<H>,
    /// The greatest number of messages, and their length, for which the padding in `alike`,
    /// `padded` and `expansion` serves, if they have one length.
    alike_for: Option<(usize, usize)>,
    pub(super) wide: Wide<H>,
}

/// The bytes, the number of blocks and the counters of a [`Padded`].
struct PaddedEnd<N> {
    units: InLine<[Unit; LONGEST_END.div_ceil(UNIT)]>,
    blocks: usize,
    counters: [Counter<N>; 2],
}

impl<N> PaddedEnd<N> {
    fn bytes(&self) -> &[u8] {
        self.units.0.as_flattened()
    }
}

impl<'a, H: Runs> Ends<'a, H> {
    /// Prepares for messages whose digests go to `out`, one after the other.
    pub fn new(
        hash: &'a H,
        choice: &'a Choice<H>,
        beginning: &'a Beginning<'a, H>,
        digest: usize,
        out: &'a mut [u8],
    ) -> Self {
        Self {
            hash,
            choice,
            beginning,
            digest,
            out,
            waiting: [Waiting::new(), Waiting::new()],
            full: choice.for_count(MAX_LANES).lanes,
            padded: PaddedEnd {
                units: InLine([[0; _]; _]),
                blocks: 0,
                counters: [Counter::default(); 2],
            },
            long_end: None,
            heads: Units::new(),
            alike: Units::new(),
            paddings: Paddings::new(),
            counters: SmallVec::new(),
            expansion: SmallVec::new(),
            alike_for: None,
            wide: Wide::new(),
        }
    }

    /// Pads what follows `blocks` whole blocks: `lead` and `rest`, at most a block. Returns the
    /// number of padded blocks.
    fn pad(&mut self, blocks: u64, lead: &[u8], rest: &[u8]) -> usize {
        self.alike_for = None;
        let units = self.padded.units.0.as_flattened_mut();
        let Padded { blocks, counters, .. } = padded(self.hash, blocks, lead, rest, units);
        (self.padded.blocks, self.padded.counters) = (blocks, counters);
        blocks
    }

    /// Takes the chaining value after `blocks` whole blocks of message `index` and what follows
    /// them, at most a block.
    pub fn push(&mut self, index: usize, state: &State<H>, blocks: u64, rest: &[u8]) {
        self.wait(index, state, blocks, rest);
        self.end_full();
    }

    /// [`Self::push`] without ending any message.
    pub(super) fn wait(&mut self, index: usize, state: &State<H>, blocks: u64, rest: &[u8]) {
        let padded_blocks = 1 + usize::from(rest.len() >= self.long_end());
        let waiting = &mut self.waiting[padded_blocks - 1];
        let end = waiting.add(index, state, padded_blocks * self.hash.block_bytes());
        let Padded { counters, .. } = padded(self.hash, blocks, &[], rest, end);
        if H::COUNTER_WORDS > 0 {
            waiting.counters.push(counters);
        }
    }

    /// Ends messages while as many wait as the kernel has lanes.
    pub(super) fn end_full(&mut self) {
        for padded_blocks in [1, 2] {
            while self.waiting[padded_blocks - 1].indices.len() >= self.full {
                self.end(padded_blocks);
            }
        }
    }

    /// Hashes message `index` by itself, on the kernel of one message.
    pub fn run_single(&mut self, index: usize, message: &[u8]) {
        let single = Single { hash: self.hash, kernel: self.choice.for_one() };
        let out = &mut self.out[index * self.digest..][..self.digest];
        single.digest(self.beginning, message, out);
    }

    /// Ends all messages that wait.
    pub fn flush(&mut self) {
        for padded_blocks in [1, 2] {
            while !self.waiting[padded_blocks - 1].indices.is_empty() {
                self.end(padded_blocks);
            }
        }
    }

    /// Takes messages that wait with ends of `padded_blocks` blocks, as many as suit a kernel, and
    /// compresses their ends.
    fn end(&mut self, padded_blocks: usize) {
        let end_bytes = padded_blocks * self.hash.block_bytes();
        let waiting = &mut self.waiting[padded_blocks - 1];
        let count = waiting.indices.len();
        let kernel = self.choice.for_count(count);
        let from = count.saturating_sub(kernel.lanes);
        if kernel.digests.is_some() {
            self.end_digests(kernel, padded_blocks, from);
            self.waiting[padded_blocks - 1].truncate(from);
            return;
        }
        self.wide.put(&waiting.states[from..], kernel.lanes);
        let counters = if H::COUNTER_WORDS > 0 { &waiting.counters[from..] } else { &[] };
        let mut ends = Inputs::new();
        waiting.put_ends(from, end_bytes, &mut ends);
        ends.fill_idle(kernel.lanes);
        let call = Call { kernel, number: 0 };
        self.wide.compress_ends(self.hash, &call, &mut ends, padded_blocks, counters);
        let numbers = &waiting.indices[from..];
        self.wide.put_places(numbers.len(), numbers.iter().copied(), self.digest);
        self.wide.write(self.hash, kernel, self.digest, self.out);
        drop(ends);
        waiting.truncate(from);
    }

    /// The least number of bytes that is padded to two blocks.
    fn long_end(&mut self) -> usize {
        if let Some(known) = self.long_end {
            return known;
        }
        // A binary search: more bytes never need fewer padded blocks.
        let (mut short, mut long) = (0, self.hash.block_bytes() + 1);
        while short < long {
            let rest = (short + long) / 2;
            match self.pad(0, &[], &[0; MAX_BLOCK][..rest]) {
                1 => short = rest + 1,
                _ => long = rest,
            }
        }
        *self.long_end.insert(long)
    }

    /// The shapes of messages, by their lengths.
    pub fn shapes(&mut self) -> Shapes<'a, H> {
        Shapes { hash: self.hash, beginning: self.beginning, long_end: self.long_end() }
    }

    /// Returns what the end of a message with `whole` whole blocks after its start contains: the
    /// part of the lead, and the first byte of the message.
    fn last_bytes<'l>(&self, lead: &'l [u8], whole: usize) -> (&'l [u8], usize) {
        match whole {
            0 => (lead, 0),
            _ => (&[], whole * self.hash.block_bytes() - lead.len()),
        }
    }

    /// The most messages of `whole` whole blocks that [`run_alike`](Self::run_alike) takes at a
    /// time.
    pub fn most_alike(kernel: &Kernel<H>, whole: usize) -> usize {
        let calls = if whole > SHORT || kernel.lanes == 1 { 1 } else { CALLS };
        calls * kernel.lanes
    }

    /// Hashes messages of one [shape](Shapes::of), with `whole` whole blocks after the start: at
    /// most [`most_alike`](Self::most_alike), each with its index. `more` says that others may
    /// follow.
    pub fn run_alike(
        &mut self,
        kernel: &Kernel<H>,
        indices: impl Iterator<Item = usize>,
        messages: &[&[u8]],
        whole: usize,
        more: bool,
    ) {
        self.wide.put_places(messages.len(), indices, self.digest);
        self.run_placed(kernel, messages, whole, more);
    }

    fn run_placed(&mut self, kernel: &Kernel<H>, messages: &[&[u8]], whole: usize, more: bool) {
        if kernel.lanes == 1 {
            let out = &mut self.out[self.wide.places[0]..][..self.digest];
            return Single { hash: self.hash, kernel }.digest(self.beginning, messages[0], out);
        }
        let (hash, lanes) = (self.hash, kernel.lanes);
        let (start, lead) = self.beginning.of(messages[0].len());
        if kernel.digests.is_some() && (lead.is_empty() || whole == 0) {
            return self.run_digests(kernel, messages, whole, more);
        }
        let (last_lead, last_from) = self.last_bytes(lead, whole);
        let calls = messages.len().div_ceil(lanes);
        self.wide.begin(start, lanes, calls);
        let in_calls = || (0..calls).map(|number| Call { kernel, number });
        if whole > 0 {
            for call in in_calls() {
                self.wide.put_counters(lanes, &[[hash.counter(start.blocks); 2]], 0);
                self.compress_bodies(&call, lead, call.of(messages, lanes), whole);
            }
        }
        let expands = (more || calls > 1) && kernel.compress_expanded.is_some();
        let blocks_before = start.blocks + whole as u64;
        self.pad_alike(kernel, blocks_before, last_lead, messages, last_from, expands);
        let blocks = self.padded.blocks;
        let expanded = !self.expansion.is_empty() && kernel.compress_expanded.is_some();
        let unlike = blocks - usize::from(expanded);
        if unlike > 0 {
            let end_bytes = blocks * hash.block_bytes();
            let units = lanes * end_bytes.div_ceil(UNIT);
            for call in in_calls() {
                let mut ends = Inputs::new();
                let messages = call.of(messages, lanes);
                if self.alike.is_empty() {
                    ends.put(messages, last_from);
                } else if self.has_common_end() {
                    ends.put_units(&self.alike, end_bytes, 1);
                } else {
                    ends.put_units(call.of(&self.alike, units), end_bytes, messages.len());
                }
                ends.fill_idle(lanes);
                let counters = call.of(&self.counters, lanes);
                self.wide.compress_ends(hash, &call, &mut ends, unlike, counters);
            }
        }
        if expanded {
            for call in in_calls() {
                self.wide.put_counters(lanes, call.of(&self.counters, lanes), unlike);
                self.wide.compress_expanded(hash, &call, &self.expansion);
            }
        }
        self.wide.write(hash, kernel, self.digest, self.out);
    }

    /// [`Self::run_placed`] on a kernel with [`Kernel::digests`], for messages without a lead
    /// before their whole blocks.
    fn run_digests(&mut self, kernel: &Kernel<H>, messages: &[&[u8]], whole: usize, more: bool) {
        let lanes = kernel.lanes;
        let (start, lead) = self.beginning.of(messages[0].len());
        let (last_lead, last_from) = self.last_bytes(lead, whole);
        let blocks_before = start.blocks + whole as u64;
        let expands = (more || messages.len() > lanes) && kernel.takes_expansion();
        self.pad_alike(kernel, blocks_before, last_lead, messages, last_from, expands);
        let expansion = if kernel.takes_expansion() { &self.expansion[..] } else { &[] };
        let unlike = self.padded.blocks - usize::from(!expansion.is_empty());
        let end_bytes = self.padded.blocks * self.hash.block_bytes();
        let (common, mut padded) = (self.has_common_end(), &self.alike[..]);
        let starts: SmallVec<[State<H>; 8]> = smallvec![start.state; lanes];
        let whole_digest = size_of::<State<H>>();
        let mut digests: SmallVec<[u8; 256]> = smallvec![0; lanes * whole_digest];
        let (mut bodies, mut ends) = (Inputs::new(), Inputs::new());
        for (messages, places) in messages.chunks(lanes).zip(self.wide.places.chunks(lanes)) {
            bodies.clear();
            if whole > 0 {
                bodies.put(messages, 0);
                bodies.fill_idle(lanes);
            }
            ends.clear();
            if unlike > 0 {
                match self.alike.is_empty() {
                    true => ends.put(messages, last_from),
                    false if common => ends.put_units(&self.alike, end_bytes, 1),
                    false => {
                        let units = messages.len() * end_bytes.div_ceil(UNIT);
                        let (now, later) = padded.split_at(units);
                        ends.put_units(now, end_bytes, messages.len());
                        padded = later;
                    }
                }
                ends.fill_idle(lanes);
            }
            let parts = [(&bodies[..], whole), (&ends[..], unlike)];
            kernel.digests(self.hash, &starts, &parts, expansion, &mut digests);
            for (&place, digest) in places.iter().zip(digests.chunks_exact(whole_digest)) {
                self.out[place..][..self.digest].copy_from_slice(&digest[..self.digest]);
            }
        }
    }

    /// [`Self::end`] on a kernel with [`Kernel::digests`].
    fn end_digests(&mut self, kernel: &Kernel<H>, padded_blocks: usize, from: usize) {
        let (lanes, whole_digest) = (kernel.lanes, size_of::<State<H>>());
        let waiting = &self.waiting[padded_blocks - 1];
        let mut starts: SmallVec<[State<H>; 8]> = waiting.states[from..].into();
        starts.resize(lanes, starts[0]);
        let end_bytes = padded_blocks * self.hash.block_bytes();
        let mut ends = Inputs::new();
        waiting.put_ends(from, end_bytes, &mut ends);
        ends.fill_idle(lanes);
        let mut digests: SmallVec<[u8; 256]> = smallvec![0; lanes * whole_digest];
        let parts = [(&[][..], 0), (&ends[..], padded_blocks)];
        kernel.digests(self.hash, &starts, &parts, &[], &mut digests);
        for (&index, digest) in
            waiting.indices[from..].iter().zip(digests.chunks_exact(whole_digest))
        {
            let out = &mut self.out[index * self.digest..][..self.digest];
            out.copy_from_slice(&digest[..self.digest]);
        }
    }

    /// Compresses the whole blocks of messages after `lead`, which begins the first.
    pub(super) fn compress_bodies(
        &mut self,
        call: &Call<'_, H>,
        lead: &[u8],
        messages: &[&[u8]],
        whole: usize,
    ) {
        let (hash, lanes) = (self.hash, call.kernel.lanes);
        let block_bytes = hash.block_bytes();
        let mut inputs = Inputs::new();
        let mut completion = 0;
        if !lead.is_empty() {
            completion = block_bytes - lead.len();
            let stride = block_bytes.next_multiple_of(UNIT);
            let units = messages.len() * stride / UNIT;
            if self.heads.len() != units {
                // All messages have the same lead, so it stays in place from call to call.
                self.heads.resize(units, [0; _]);
                for head in self.heads.as_flattened_mut().chunks_exact_mut(stride) {
                    head[..lead.len()].copy_from_slice(lead);
                }
            }
            let heads = self.heads.as_flattened_mut().chunks_exact_mut(stride);
            for (head, message) in heads.zip(messages) {
                head[lead.len()..block_bytes].copy_from_slice(&message[..completion]);
            }
            inputs.put_units(&self.heads, block_bytes, lanes);
            inputs.fill_idle(lanes);
            self.wide.compress(hash, call, &inputs, 1);
            inputs.clear();
        }
        let blocks = whole - usize::from(!lead.is_empty());
        if blocks > 0 {
            let is_full = completion == 0 && messages.len() == lanes;
            if !is_full {
                inputs.put(messages, completion);
                inputs.fill_idle(lanes);
            }
            let inputs = if is_full { messages } else { &inputs };
            self.wide.compress(hash, call, inputs, blocks);
        }
    }

    /// Pads what follows `blocks` whole blocks, `lead` and each message from byte `from` on, into
    /// `alike`. `alike` stays empty where padding adds nothing, because what follows is one block
    /// that was held back.
    fn pad_alike(
        &mut self,
        kernel: &Kernel<H>,
        blocks: u64,
        lead: &[u8],
        messages: &[&[u8]],
        from: usize,
        expands: bool,
    ) {
        let first = messages[0];
        let rest = lead.len() + first.len() - from;
        self.counters.clear();
        if messages.iter().any(|message| message.len() != first.len()) {
            self.alike_for = None;
            self.expansion.clear();
            self.padded.blocks = 1 + usize::from(rest >= self.shapes().long_end);
            return self.write_ends(kernel, blocks, lead, messages, from);
        }
        // Padding depends on nothing but the length.
        let is_kept = self
            .alike_for
            .is_some_and(|(most, bytes)| messages.len() <= most && bytes == first.len());
        if !is_kept {
            self.pad(blocks, lead, &first[from..]);
            self.alike.clear();
            self.expansion.clear();
            self.alike_for = Some((messages.len(), first.len()));
        }
        if expands && self.expansion.is_empty() {
            self.expand_last(rest);
        }
        let end_bytes = self.padded.blocks * self.hash.block_bytes();
        let adds = rest < end_bytes || !lead.is_empty();
        if adds && !is_kept && rest == lead.len() {
            self.alike.extend_from_slice(&self.padded.units.0[..end_bytes.div_ceil(UNIT)]);
        } else if adds && !is_kept {
            self.write_ends(kernel, blocks, lead, messages, from);
            self.counters.truncate(1);
            return;
        }
        if H::COUNTER_WORDS > 0 {
            self.counters.push(self.padded.counters);
        }
        if adds && rest > lead.len() {
            // The padding that earlier messages left stays. A copy of one length needs no mask: it
            // is a call of `memcpy`, whose stores of whole vectors can be forwarded to the kernel's
            // loads.
            let stride = end_bytes.next_multiple_of(UNIT);
            let ends = self.alike.as_flattened_mut().chunks_exact_mut(stride);
            for (end, message) in ends.zip(messages) {
                end[lead.len()..rest].copy_from_slice(&message[from..]);
            }
        }
    }

    /// Writes the ends of messages to `alike`, which are padded to `padded.blocks` blocks each, and
    /// their counters. Not inlined: messages of one length need it once, but their caller would
    /// then save and restore the registers that it uses at every call.
    #[inline(never)]
    fn write_ends(
        &mut self,
        kernel: &Kernel<H>,
        blocks: u64,
        lead: &[u8],
        messages: &[&[u8]],
        from: usize,
    ) {
        let kept_for = self.alike_for;
        let padded_blocks = self.padded.blocks;
        let units = (padded_blocks * self.hash.block_bytes()).div_ceil(UNIT);
        // Each number of bytes after the whole blocks has one padding.
        let most = messages.len().min(self.hash.block_bytes() + 1);
        self.paddings.start((blocks, lead.len(), padded_blocks), most * units);
        for message in messages {
            let bytes = message.len() - from;
            if self.paddings.numbers[bytes] == 0 {
                self.pad(blocks, lead, &[0; MAX_BLOCK][..bytes]);
                let counters = (H::COUNTER_WORDS > 0).then_some(self.padded.counters);
                self.paddings.add(bytes, &self.padded.units.0[..units], counters);
            }
            if H::COUNTER_WORDS > 0 {
                let number = usize::from(self.paddings.numbers[bytes]);
                self.counters.push(self.paddings.counters[number - 1]);
            }
        }
        self.alike_for = kept_for;
        self.alike.resize(messages.len() * units, [0; _]);
        let Paddings { numbers, units, .. } = &self.paddings;
        if lead.is_empty() {
            return kernel.write_ends(messages, from, numbers, units, &mut self.alike);
        }
        write_each_end(messages, from, numbers, units, &mut self.alike, |rest, padding, end| {
            put_row(rest, lead.len(), padding, end);
        });
    }

    /// Whether `alike` has a single end, which all messages share.
    fn has_common_end(&self) -> bool {
        self.alike.len() == (self.padded.blocks * self.hash.block_bytes()).div_ceil(UNIT)
    }

    /// Expands the last padded block if nothing of the `rest` bytes of message is in it.
    fn expand_last(&mut self, rest: usize) {
        let block_bytes = self.hash.block_bytes();
        let last = (self.padded.blocks - 1) * block_bytes;
        if H::EXPANSION > 0 && rest <= last {
            let block = read_words(&self.padded.bytes()[last..][..block_bytes], H::ORDER);
            self.expansion.resize(H::EXPANSION, N::<H>::default());
            self.hash.expand(&block, &mut self.expansion);
        }
    }
}

/// Pads what follows `blocks` whole blocks, `lead` and `rest`, at most a block, into `bytes`.
#[inline(always)]
fn padded<'b, H: Runs>(
    hash: &H,
    blocks: u64,
    lead: &[u8],
    rest: &[u8],
    bytes: &'b mut [u8],
) -> Padded<'b, N<H>> {
    let mut joined;
    let rest = if lead.is_empty() {
        rest
    } else {
        joined = [0; MAX_BLOCK];
        let (begun, others) = joined.split_at_mut(lead.len());
        begun.copy_from_slice(lead);
        others[..rest.len()].copy_from_slice(rest);
        &joined[..lead.len() + rest.len()]
    };
    let total = u128::from(blocks) * hash.block_bytes() as u128 + rest.len() as u128;
    let mut padded = Padded::new(bytes);
    hash.pad(&Tail { bytes: rest, total_bits: 8 * total }, &mut padded);
    padded
}
