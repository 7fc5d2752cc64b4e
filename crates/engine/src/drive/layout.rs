//! How chaining values and inputs lie in memory: word by word over the lanes of a kernel, word i of
//! lane l at `i * lanes + l`, and one message's by itself.

use crate::kernels::kernel::{Kernel, N};
use crate::kernels::runs::Runs;
pub use manylane_primitives::hash::MAX_BLOCK_BYTES as MAX_BLOCK;
use manylane_primitives::hash::{Counter, Hash};
use manylane_primitives::word::Words;

/// A chaining value.
pub type State<H> = <H as Hash>::State<N<H>>;

/// A value that begins at a cache line. Chaining values and padded ends are read as vectors soon
/// after they are written; a vector across two lines would have to wait for both.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct InLine<T>(pub T);

/// A chaining value after some whole blocks: where messages with a common beginning start.
pub struct Start<H: Runs> {
    /// The chaining value after the blocks.
    pub state: State<H>,
    /// How many blocks these are.
    pub blocks: u64,
}

// A derived `Copy` would require `H: Copy`.
impl<H: Runs> Copy for Start<H> {}
impl<H: Runs> Clone for Start<H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H: Runs> Start<H> {
    /// The beginning of an empty message.
    pub fn of(hash: &H) -> Self {
        Self { state: hash.initial_value(), blocks: 0 }
    }
}

/// The point from which messages that begin with the same bytes go on.
pub struct Beginning<'a, H: Runs> {
    /// The state after the whole blocks of these bytes.
    pub start: Start<H>,
    /// The bytes that follow them, at most a block. They are a whole block where the hash holds a
    /// block back that may be the last.
    pub lead: &'a [u8],
    /// The start after such a block, for all messages but the empty one.
    pub past_lead: Option<Start<H>>,
}

impl<'a, H: Runs> Beginning<'a, H> {
    /// Returns where a message starts that has `bytes` bytes after the common ones, and which of
    /// the common bytes come between the start and the message.
    #[inline(always)]
    pub fn of(&self, bytes: usize) -> (&Start<H>, &'a [u8]) {
        match &self.past_lead {
            Some(start) if bytes > 0 => (start, &[]),
            _ => (&self.start, self.lead),
        }
    }

    /// Whole blocks after the start of a message that has `bytes` bytes after the common ones.
    #[inline(always)]
    pub fn whole_blocks(&self, hash: &H, bytes: usize) -> usize {
        let (start, lead) = self.of(bytes);
        let before = start.blocks * hash.block_bytes() as u64;
        (hash.whole_blocks(before + (lead.len() + bytes) as u64) - start.blocks) as usize
    }
}

/// Gives the first lanes their inputs.
#[inline(always)]
pub fn set<'m>(lanes: &mut [&'m [u8]], inputs: impl Iterator<Item = &'m [u8]>) {
    for (lane, input) in lanes.iter_mut().zip(inputs) {
        *lane = input;
    }
}

/// Puts a chaining value in one of `lanes` lanes.
#[inline(always)]
pub fn put<T: Copy>(state: &impl Words<T>, wide: &mut [T], lanes: usize, lane: usize) {
    for (row, &word) in wide.chunks_exact_mut(lanes).zip(state.as_ref()) {
        row[lane] = word;
    }
}

/// The first `words` words of the chaining value in one of `lanes` lanes.
#[inline(always)]
pub fn get<H: Runs>(wide: &[N<H>], lanes: usize, lane: usize, words: usize) -> State<H> {
    let wide = &wide[..Kernel::<H>::STATE * lanes];
    assert!(lane < lanes);
    let mut state = State::<H>::splat(N::<H>::default());
    for (i, word) in state.as_mut()[..words].iter_mut().enumerate() {
        *word = wide[i * lanes + lane];
    }
    state
}

/// Puts those words of a counter that the hash uses in one of `lanes` lanes.
#[inline(always)]
pub fn put_counter<H: Hash>(counter: Counter<N<H>>, wide: &mut [N<H>], lanes: usize, lane: usize) {
    for (row, word) in wide.chunks_exact_mut(lanes).zip(counter.words()).take(H::COUNTER_WORDS) {
        row[lane] = word;
    }
}

/// The counter in one of `lanes` lanes.
#[inline(always)]
pub fn get_counter<H: Hash>(wide: &[N<H>], lanes: usize, lane: usize) -> Counter<N<H>> {
    let mut words = [N::<H>::default(); 4];
    for (i, word) in words[..H::COUNTER_WORDS].iter_mut().enumerate() {
        *word = wide[i * lanes + lane];
    }
    Counter::from_words(words)
}

/// Returns these words, each repeated in all of `lanes` lanes.
pub fn spread<T: Copy>(words: &[T], lanes: usize) -> Vec<T> {
    let mut wide = Vec::with_capacity(words.len() * lanes);
    for &word in words {
        wide.resize(wide.len() + lanes, word);
    }
    wide
}

/// The words of the first of `lanes` lanes.
pub fn gather<T: Copy>(wide: &[T], lanes: usize, words: &mut [T]) {
    for (word, lane) in words.iter_mut().zip(wide.chunks_exact(lanes)) {
        *word = lane[0];
    }
}
