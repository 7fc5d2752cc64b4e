//! The words that kernels work on while they end messages, for one call of a kernel or for several
//! that follow each other.

use super::layout::{Start, State, get, put, put_counter};
use super::output::write_output;
use crate::kernels::kernel::{Kernel, MAX_LANES, N};
use crate::kernels::runs::Runs;
use manylane_primitives::hash::Counter;
use smallvec::SmallVec;

/// Words of calls; one call of 32 lanes of 8 words needs no allocation.
pub type WideWords<H> = SmallVec<[N<H>; 256]>;

/// The words of the calls. In each call word i of lane l is at `i * lanes + l`.
pub struct Wide<H: Runs> {
    /// The chaining values of the calls, one call's after the other's.
    state: WideWords<H>,
    /// The counters of the call that is next.
    counters: SmallVec<[N<H>; 2 * 16]>,
    output: Vec<N<H>>,
    /// Where in the output the digest of each message goes.
    pub places: SmallVec<[usize; MAX_LANES]>,
}

/// One of several calls of a kernel.
pub struct Call<'k, H: Runs> {
    /// The kernel that is called.
    pub kernel: &'k Kernel<H>,
    /// The number of this call, from 0.
    pub number: usize,
}

impl<H: Runs> Call<'_, H> {
    /// This call's share of `items`: `count` of them, fewer for the last call. A single item
    /// belongs to all calls.
    pub fn of<'i, T>(&self, items: &'i [T], count: usize) -> &'i [T] {
        match items {
            [] | [_] => items,
            _ => items.chunks(count).nth(self.number).unwrap_or_default(),
        }
    }
}

impl<H: Runs> Wide<H> {
    /// No words; memory is taken by the first call.
    pub fn new() -> Self {
        Self {
            state: SmallVec::new(),
            counters: SmallVec::new(),
            output: Vec::new(),
            places: SmallVec::new(),
        }
    }

    /// Makes room for `calls` calls of a kernel with `lanes` lanes.
    fn resize(&mut self, lanes: usize, calls: usize) {
        self.state.resize(Kernel::<H>::STATE * lanes * calls, N::<H>::default());
        if H::COUNTER_WORDS > 0 {
            self.counters.resize(H::COUNTER_WORDS * lanes, N::<H>::default());
        }
    }

    /// Puts the start in every lane of every call.
    pub fn begin(&mut self, start: &Start<H>, lanes: usize, calls: usize) {
        self.resize(lanes, calls);
        for (row, &word) in self.state.chunks_exact_mut(lanes).zip(start.state.as_ref()) {
            row.fill(word);
        }
        let words = Kernel::<H>::STATE * lanes;
        for call in 1..calls {
            self.state.copy_within(..words, call * words);
        }
    }

    /// Puts chaining values in the first lanes of one call.
    pub fn put(&mut self, states: &[State<H>], lanes: usize) {
        self.resize(lanes, 1);
        for (lane, state) in states.iter().enumerate() {
            put(state, &mut self.state, lanes, lane);
        }
    }

    /// Sets the places of `count` digests: digest number n, of `digest_bytes` bytes, goes to byte
    /// `n * digest_bytes`.
    #[inline(always)]
    pub fn put_places(
        &mut self,
        count: usize,
        numbers: impl Iterator<Item = usize>,
        digest_bytes: usize,
    ) {
        self.places.resize(count, 0);
        for (place, number) in self.places.iter_mut().zip(numbers) {
            *place = number * digest_bytes;
        }
    }

    /// The chaining value in one lane of the only call.
    pub fn state(&self, lanes: usize, lane: usize) -> State<H> {
        get::<H>(&self.state, lanes, lane, Kernel::<H>::STATE)
    }

    /// Sets the counters of the first lanes to those of their padded block number `block`. A single
    /// element of `counters` is for all lanes.
    pub fn put_counters(&mut self, lanes: usize, counters: &[[Counter<N<H>>; 2]], block: usize) {
        if H::COUNTER_WORDS == 0 {
            return;
        }
        if let [of_all] = counters {
            for (row, word) in self.counters.chunks_exact_mut(lanes).zip(of_all[block].words()) {
                row.fill(word);
            }
        } else {
            for (lane, of_lane) in counters.iter().enumerate() {
                put_counter::<H>(of_lane[block], &mut self.counters, lanes, lane);
            }
        }
    }

    /// The chaining values of a call, and the counters.
    fn of(&mut self, call: &Call<'_, H>) -> (&mut [N<H>], &mut [N<H>]) {
        let words = Kernel::<H>::STATE * call.kernel.lanes;
        (&mut self.state[call.number * words..][..words], &mut self.counters)
    }

    /// Compresses `blocks` blocks of each input.
    pub fn compress(&mut self, hash: &H, call: &Call<'_, H>, inputs: &[&[u8]], blocks: usize) {
        let (state, counters) = self.of(call);
        call.kernel.compress(hash, state, counters, inputs, blocks);
    }

    /// Compresses a block whose expansion is known.
    pub fn compress_expanded(&mut self, hash: &H, call: &Call<'_, H>, expansion: &[N<H>]) {
        let (state, counters) = self.of(call);
        call.kernel.compress_expanded(hash, state, counters, expansion);
    }

    /// Compresses the first `blocks` blocks of the ends, which have these counters.
    pub fn compress_ends(
        &mut self,
        hash: &H,
        call: &Call<'_, H>,
        ends: &mut [&[u8]],
        blocks: usize,
        counters: &[[Counter<N<H>>; 2]],
    ) {
        if H::COUNTER_WORDS == 0 {
            return self.compress(hash, call, ends, blocks);
        }
        // The counters of padded blocks need not be consecutive.
        for block in 0..blocks {
            if block > 0 {
                ends.iter_mut().for_each(|end| *end = &end[hash.block_bytes()..]);
            }
            self.put_counters(call.kernel.lanes, counters, block);
            self.compress(hash, call, ends, 1);
        }
    }

    /// Writes the digests of all calls to their places in `out`.
    pub fn write(&mut self, hash: &H, kernel: &Kernel<H>, digest: usize, out: &mut [u8]) {
        let Self { state, output, places, .. } = self;
        let states = state.chunks_mut(Kernel::<H>::STATE * kernel.lanes);
        for (state, places) in states.zip(places.chunks_mut(kernel.lanes)) {
            write_output(hash, kernel, state, output, places, digest, out);
        }
    }
}
