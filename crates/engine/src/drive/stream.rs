//! Ordinary hashers: one message that arrives in pieces.

use super::layout::{InLine, MAX_BLOCK, Start, State};
use super::ragged::{self, Job, Jobs};
use super::single::Single;
use crate::cpu::Engine;
use crate::error::Error;
use crate::kernels::kernel::Kernel;
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;
use crate::select::visit::title;
use std::fmt;

/// A hash of type `H` over one message: `update` any number of times, then `finalize`.
#[derive(Clone)]
pub struct Stream<H: Runs> {
    hash: H,
    kernel: Kernel<H>,
    start: Start<H>,
    state: InLine<State<H>>,
    /// Whole blocks in `state`.
    blocks: u64,
    /// Bytes of the message after these blocks.
    buffer: [u8; MAX_BLOCK],
    buffered: usize,
}

impl<H: Runs> Stream<H> {
    /// A hasher on the best engine of this CPU.
    ///
    /// # Panics
    /// If the environment variable `MANYLANE_MAX_ISA` names no engine.
    pub fn new(hash: H) -> Self {
        Self::on(hash, None).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A hasher on the engine given, or on the best one.
    ///
    /// # Errors
    /// If the engine cannot run here or does not compute this hash.
    pub fn on(hash: H, engine: impl Into<Option<Engine>>) -> Result<Self, Error> {
        let choice = Choice::new(engine.into()).map_err(|error| match title(&hash) {
            Some(title) => error.naming(title),
            None => error,
        })?;
        Ok(Self::with(hash, choice))
    }

    /// A hasher on the kernel that a choice has for one message.
    pub(crate) fn with(hash: H, choice: &Choice<H>) -> Self {
        let kernel = *choice.for_one();
        let start = Start::of(&hash);
        Self {
            hash,
            kernel,
            start,
            state: InLine(start.state),
            blocks: 0,
            buffer: [0; MAX_BLOCK],
            buffered: 0,
        }
    }

    /// The hash with its parameters.
    pub fn hash(&self) -> &H {
        &self.hash
    }

    /// The engine it runs on.
    pub fn engine(&self) -> Engine {
        self.kernel.engine
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, bytes: &[u8]) {
        let body = self.enter(bytes);
        self.absorb(body);
    }

    /// Takes the bytes that complete the buffer and, from the end, those that fill no block.
    /// Returns the whole blocks between them, which the caller passes to the kernel without a copy.
    fn enter<'b>(&mut self, mut bytes: &'b [u8]) -> &'b [u8] {
        let block = self.hash.block_bytes();
        if self.buffered > 0 {
            let taken = bytes.len().min(block - self.buffered);
            self.buffer[self.buffered..self.buffered + taken].copy_from_slice(&bytes[..taken]);
            self.buffered += taken;
            bytes = &bytes[taken..];
            if self.buffered < block || (H::HOLDS_LAST && bytes.is_empty()) {
                return &[];
            }
            let buffer = self.buffer;
            self.absorb(&buffer[..block]);
        }
        let (body, rest) =
            bytes.split_at(self.hash.whole_blocks(bytes.len() as u64) as usize * block);
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.buffered = rest.len();
        body
    }

    /// Whole blocks of the bytes that are held and those that follow.
    fn whole_blocks(&self, bytes: &[u8]) -> usize {
        self.hash.whole_blocks((self.buffered + bytes.len()) as u64) as usize
    }

    /// Holds bytes that fill no block.
    fn hold(&mut self, bytes: &[u8]) {
        self.buffer[self.buffered..][..bytes.len()].copy_from_slice(bytes);
        self.buffered += bytes.len();
    }

    /// The chaining value after the whole blocks so far, and the bytes after them.
    pub(crate) fn checkpoint(&self) -> (Start<H>, &[u8]) {
        (Start { state: self.state.0, blocks: self.blocks }, &self.buffer[..self.buffered])
    }

    fn single(&self) -> Single<'_, H> {
        Single { hash: &self.hash, kernel: &self.kernel }
    }

    /// Folds whole blocks into the chaining value.
    fn absorb(&mut self, bytes: &[u8]) {
        let Self { hash, kernel, state, blocks, .. } = self;
        Single { hash, kernel }.absorb(&mut state.0, blocks, bytes);
    }

    /// The chaining value after the padded end.
    fn last_state(&self) -> State<H> {
        let mut state = self.state;
        self.single().end(&mut state.0, self.blocks, &self.buffer[..self.buffered]);
        state.0
    }

    /// The digest of what was appended so far. The hasher can go on.
    ///
    /// # Panics
    /// If `out` is longer than the digest of a hash that is no [extendable](Reader) one.
    pub fn finalize_into(&self, out: &mut [u8]) {
        assert!(self.hash.is_xof() || out.len() <= self.hash.digest_bytes(), "no such digest");
        let rest = &self.buffer[..self.buffered];
        self.single().digest_rest(&self.state, self.blocks, rest, out);
    }

    /// Replaces `bytes` by the digest of what was appended so far and of `bytes`.
    ///
    /// # Panics
    /// If `bytes` are more than an output block.
    pub(crate) fn finalize_over(&self, bytes: &mut [u8]) {
        if self.buffered == 0 {
            let mut rest = [0; MAX_BLOCK];
            let rest = &mut rest[..bytes.len()];
            rest.copy_from_slice(bytes);
            self.single().digest_rest(&self.state, self.blocks, rest, bytes);
        } else {
            let mut whole = self.clone();
            whole.update(bytes);
            whole.finalize_into(bytes);
        }
    }

    /// Ends the message and gives its output, which for an extendable hash has no end.
    pub fn into_reader(mut self) -> Reader<H> {
        self.state.0 = self.last_state();
        Reader { stream: self, next: 0, block: [0; MAX_BLOCK], unread: 0 }
    }

    /// Continues the message of `other`, a hasher of the same hash on the same engine.
    pub(crate) fn resume(&mut self, other: &Self) {
        let (start, rest) = other.checkpoint();
        self.take_up(start.state, start.blocks, rest);
    }

    /// Continues a message whose chaining value after `blocks` blocks is `state` and whose next
    /// bytes are `rest`, no more than a hasher keeps until their block is full.
    pub(crate) fn take_up(&mut self, state: State<H>, blocks: u64, rest: &[u8]) {
        self.state.0 = state;
        self.blocks = blocks;
        self.buffered = rest.len();
        self.buffer[..rest.len()].copy_from_slice(rest);
    }

    /// Takes the bytes after the whole blocks back out of the message: fewer than a block, except
    /// for a hash that holds its last block although it is full.
    pub fn take_rest(&mut self, out: &mut [u8]) -> usize {
        let rest = std::mem::take(&mut self.buffered);
        out[..rest].copy_from_slice(&self.buffer[..rest]);
        rest
    }

    /// Forgets the message.
    pub fn reset(&mut self) {
        self.state.0 = self.start.state;
        self.blocks = self.start.blocks;
        self.buffered = 0;
    }
}

/// Overwrites the chaining values and the bytes that wait. Copies in registers and on the stack of
/// what was called stay.
#[cfg(feature = "zeroize")]
impl<H: Runs> Drop for Stream<H> {
    fn drop(&mut self) {
        clear(self.state.0.as_mut());
        clear(self.start.state.as_mut());
        clear(&mut self.buffer);
    }
}

#[cfg(feature = "zeroize")]
impl<H: Runs> Drop for Reader<H> {
    fn drop(&mut self) {
        clear(&mut self.block);
    }
}

/// Sets words to zero by writes that the compiler may not remove although nobody reads the words.
#[cfg(feature = "zeroize")]
pub(crate) fn clear<T: Copy + Default>(words: &mut [T]) {
    for word in words {
        // SAFETY: a reference is valid for writes and aligned, and a `Copy` type has no destructor.
        unsafe { std::ptr::write_volatile(word, T::default()) };
    }
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
}

/// Appends `pieces[i]` to the message of `streams[i]`, side by side in lanes.
pub(crate) fn update_many<H: Runs>(
    choice: &Choice<H>,
    streams: &mut [Stream<H>],
    pieces: &[&[u8]],
) {
    let Some(first) = streams.first() else { return };
    let hash = first.hash.clone();
    let mut order = Vec::with_capacity(streams.len());
    for (index, (stream, piece)) in streams.iter_mut().zip(pieces).enumerate() {
        if stream.whole_blocks(piece) > 0 {
            order.push(index);
        } else {
            stream.hold(piece);
        }
    }
    order.sort_unstable_by_key(|&index| std::cmp::Reverse(pieces[index].len()));
    let (expected, order) = (order.len(), order.into_iter());
    ragged::run(&hash, choice, expected, &mut Pieces { streams, pieces, order });
}

/// Pieces of the messages of `streams`.
struct Pieces<'s, 'p, H: Runs> {
    streams: &'s mut [Stream<H>],
    pieces: &'s [&'p [u8]],
    order: std::vec::IntoIter<usize>,
}

impl<'p, H: Runs> Pieces<'_, 'p, H> {
    /// The bytes of a piece that complete blocks with those before it, and the rest.
    fn parts(&self, index: usize) -> (&'p [u8], &'p [u8]) {
        let (stream, piece) = (&self.streams[index], self.pieces[index]);
        let block = stream.hash.block_bytes();
        piece.split_at(stream.whole_blocks(piece) * block - stream.buffered)
    }
}

impl<'p, H: Runs> Jobs<'p, H> for Pieces<'_, 'p, H> {
    fn next(&mut self) -> Option<Job<'p, '_, H>> {
        let index = self.order.next()?;
        let (bytes, _) = self.parts(index);
        let stream = &self.streams[index];
        let lead = &stream.buffer[..stream.buffered];
        Some(Job { index, state: &stream.state.0, blocks_before: stream.blocks, lead, bytes })
    }

    fn done(&mut self, index: usize, state: &State<H>) {
        let (bytes, rest) = self.parts(index);
        let stream = &mut self.streams[index];
        stream.state.0 = *state;
        let whole = (stream.buffered + bytes.len()) / stream.hash.block_bytes();
        stream.blocks += whole as u64;
        stream.buffered = 0;
        stream.hold(rest);
    }
}

impl<H: Runs> fmt::Debug for Stream<H> {
    /// Names the engine and says nothing of the message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("engine", &self.kernel.engine).finish_non_exhaustive()
    }
}

/// The output of a finished message, read in pieces of any length.
///
/// A hash of fixed length ends after its digest; SHAKE has no end; Skein's output ends at the
/// length it was made for.
#[derive(Clone)]
pub struct Reader<H: Runs> {
    stream: Stream<H>,
    /// Index of the output block after `block`.
    next: u64,
    block: [u8; MAX_BLOCK],
    /// Bytes of `block`, at its end, not yet read.
    unread: usize,
}

impl<H: Runs> Reader<H> {
    /// Fills `out` with the next bytes. Past the end of a digest of fixed length the bytes have no
    /// meaning; callers check the length first.
    pub fn read(&mut self, mut out: &mut [u8]) {
        let length = self.stream.hash.output_block_bytes();
        while !out.is_empty() {
            if self.unread == 0 {
                let mut state = self.stream.state.0;
                let words = self.stream.single().squeeze(&mut state, self.next);
                self.stream.state.0 = state;
                self.stream.hash.write_output(&words, &mut self.block[..length]);
                self.next += 1;
                self.unread = length;
            }
            let count = out.len().min(self.unread);
            let at = length - self.unread;
            let (now, later) = out.split_at_mut(count);
            now.copy_from_slice(&self.block[at..at + count]);
            self.unread -= count;
            out = later;
        }
    }
}

impl<H: Runs> fmt::Debug for Reader<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}
