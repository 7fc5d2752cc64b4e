//! One message at a time: the end of a message and its output, and whole messages that are in
//! memory, without a hasher and without an allocation.

use super::layout::{Beginning, InLine, MAX_BLOCK, Start, State, gather, spread};
use crate::kernels::kernel::{Kernel, MAX_LANES, N};
use crate::kernels::runs::Runs;
use manylane_primitives::hash::{Counter, LONGEST_END, Padded, Tail};

/// A hash and the kernel that computes it for one message, in its only lane or the same in all
/// lanes.
pub struct Single<'k, H: Runs> {
    /// The hash, with its digest's length.
    pub hash: &'k H,
    /// A kernel of one lane, or one whose lanes all get the same message.
    pub kernel: &'k Kernel<H>,
}

impl<H: Runs> Single<'_, H> {
    /// Returns the point from which messages that begin with `prefix` go on.
    #[inline(always)]
    pub fn begin<'p>(&self, prefix: &'p [u8]) -> Beginning<'p, H> {
        if prefix.is_empty() {
            return Beginning { start: Start::of(self.hash), lead: &[], past_lead: None };
        }
        let mut start = Start::of(self.hash);
        let block_bytes = self.hash.block_bytes();
        let whole = self.hash.whole_blocks(prefix.len() as u64) as usize * block_bytes;
        let (whole, lead) = prefix.split_at(whole);
        self.absorb(&mut start.state, &mut start.blocks, whole);
        let past_lead = (lead.len() == block_bytes).then(|| {
            let Start { mut state, mut blocks } = start;
            self.absorb(&mut state, &mut blocks, lead);
            Start { state, blocks }
        });
        Beginning { start, lead, past_lead }
    }

    /// Writes the first `out.len()` bytes of the output of a message.
    #[inline(always)]
    pub fn digest_whole(&self, message: &[u8], out: &mut [u8]) {
        self.digest_rest(&InLine(self.hash.initial_value()), 0, message, out);
    }

    /// [`Self::digest_whole`] for a message with this beginning.
    pub fn digest(&self, beginning: &Beginning<H>, message: &[u8], out: &mut [u8]) {
        let hash = self.hash;
        let block_bytes = hash.block_bytes();
        let (&Start { state, blocks: before }, lead) = beginning.of(message.len());
        let mut state = InLine(state);
        let (mut blocks, mut rest) = (before, message);
        let mut joined;
        if !lead.is_empty() {
            let (begun, bytes) = (lead.len(), message.len().min(block_bytes - lead.len()));
            joined = InLine([0; MAX_BLOCK]);
            joined.0[..begun].copy_from_slice(lead);
            joined.0[begun..begun + bytes].copy_from_slice(&message[..bytes]);
            let all = before * block_bytes as u64 + (begun + message.len()) as u64;
            if hash.whole_blocks(all) > before {
                self.absorb(&mut state.0, &mut blocks, &joined.0[..block_bytes]);
                rest = &message[bytes..];
            } else {
                rest = &joined.0[..begun + bytes];
            }
        }
        self.digest_rest(&state, blocks, rest, out);
    }

    /// [`Self::digest_whole`] for a message in which `rest` follows `blocks` whole blocks, whose
    /// chaining value is `state`.
    #[inline(always)]
    pub fn digest_rest(&self, state: &InLine<State<H>>, blocks: u64, rest: &[u8], out: &mut [u8]) {
        if !self.kernel.digest(self.hash, &state.0, blocks, rest, out) {
            self.digest_by_parts(state, blocks, rest, out);
        }
    }

    /// [`Self::digest_rest`] on a kernel without [`Kernel::digest`]. All that a short message needs
    /// is inlined here, because calls would take a tenth of the time of a block.
    #[inline(never)]
    fn digest_by_parts(
        &self,
        state: &InLine<State<H>>,
        mut blocks: u64,
        rest: &[u8],
        out: &mut [u8],
    ) {
        let mut state = *state;
        let state = &mut state.0;
        let whole = self.hash.whole_blocks(rest.len() as u64) as usize * self.hash.block_bytes();
        self.absorb(state, &mut blocks, &rest[..whole]);
        self.end(state, blocks, &rest[whole..]);
        self.write(state, out);
    }

    /// Folds whole blocks into the chaining value after `before` others, and counts them.
    #[inline(always)]
    pub fn absorb(&self, state: &mut State<H>, before: &mut u64, bytes: &[u8]) {
        let blocks = bytes.len() / self.hash.block_bytes();
        if blocks > 0 {
            let mut counter = Counter::default();
            if H::COUNTER_WORDS > 0 {
                counter = self.hash.counter(*before);
            }
            self.compress(state, bytes, blocks, counter);
            *before += blocks as u64;
        }
    }

    /// One call of the kernel, with the message in every lane.
    #[inline(always)]
    fn compress(&self, state: &mut State<H>, bytes: &[u8], blocks: usize, counter: Counter<N<H>>) {
        let Self { hash, kernel } = self;
        let counter = &mut counter.words()[..H::COUNTER_WORDS];
        if kernel.lanes == 1 {
            kernel.compress(hash, state.as_mut(), counter, &[bytes], blocks);
        } else {
            self.compress_in_every_lane(state, bytes, blocks, counter);
        }
    }

    /// [`Self::compress`] on a kernel of several lanes. One message gets such a kernel only if the
    /// caller asks for an engine that has no kernel of one lane.
    #[cold]
    #[inline(never)]
    fn compress_in_every_lane(
        &self,
        state: &mut State<H>,
        bytes: &[u8],
        blocks: usize,
        counter: &[N<H>],
    ) {
        let Self { hash, kernel } = self;
        let mut wide = spread(state.as_ref(), kernel.lanes);
        let mut counters = spread(counter, kernel.lanes);
        let inputs = [bytes; MAX_LANES];
        let inputs = &inputs[..kernel.lanes];
        kernel.compress(hash, &mut wide, &mut counters, inputs, blocks);
        gather(&wide, kernel.lanes, state.as_mut());
    }

    /// Folds the padded end of a message of `blocks` whole blocks, which `state` holds, and `rest`
    /// after them.
    #[inline(always)]
    pub fn end(&self, state: &mut State<H>, blocks: u64, rest: &[u8]) {
        // Clearing the memory that the longest blocks need would take a tenth of the time of a
        // block of SHA-256.
        let (mut short, mut long);
        let mut padded = Padded::new(if self.hash.block_bytes() <= 64 {
            short = InLine([0; 128]);
            &mut short.0
        } else {
            long = InLine([0; LONGEST_END]);
            &mut long.0
        });
        let block_bytes = self.hash.block_bytes();
        let bytes = u128::from(blocks) * block_bytes as u128 + rest.len() as u128;
        let tail = Tail { bytes: rest, total_bits: 8 * bytes };
        self.hash.pad(&tail, &mut padded);
        let Padded { blocks, counters, bytes } = padded;
        if H::COUNTER_WORDS > 0 {
            // The counters of padded blocks need not be consecutive.
            for (block, counter) in bytes.chunks_exact(block_bytes).zip(counters).take(blocks) {
                self.compress(state, block, 1, counter);
            }
        } else {
            self.compress(state, bytes, blocks, counters[0]);
        }
    }

    /// Output block `index` of a message. `state` is its last chaining value or, after the first
    /// block, what output block `index - 1` left there.
    pub fn squeeze(&self, state: &mut State<H>, index: u64) -> State<H> {
        let Self { hash, kernel } = self;
        let mut block = *state;
        if !H::SQUEEZES && index == 0 {
            // The state as it is.
        } else if kernel.lanes == 1 {
            kernel.squeeze(hash, state.as_mut(), index, block.as_mut());
        } else {
            let mut wide = spread(state.as_ref(), kernel.lanes);
            let mut out = wide.clone();
            kernel.squeeze(hash, &mut wide, index, &mut out);
            gather(&wide, kernel.lanes, state.as_mut());
            gather(&out, kernel.lanes, block.as_mut());
        }
        block
    }

    /// Writes the output of a message that ended in `state`.
    #[inline(always)]
    pub fn write(&self, state: &mut State<H>, out: &mut [u8]) {
        if !H::SQUEEZES && out.len() <= self.hash.output_block_bytes() {
            if out.len() == size_of::<State<H>>() {
                // With a length that the compiler knows this takes half the instructions.
                return self.hash.write_output(state, &mut out[..size_of::<State<H>>()]);
            }
            return self.hash.write_output(state, out);
        }
        for (index, out) in out.chunks_mut(self.hash.output_block_bytes()).enumerate() {
            let block = self.squeeze(state, index as u64);
            self.hash.write_output(&block, out);
        }
    }
}
