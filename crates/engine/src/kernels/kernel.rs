//! A kernel as a value: a compression over whole blocks of several messages, called by pointers.

use crate::cpu::Engine;
use crate::lanes::{Unit, put_row};
use manylane_primitives::hash::Hash;
use manylane_primitives::word::{Native, Words};
use std::{fmt, slice};

/// The number of messages that the widest kernel computes side by side.
pub const MAX_LANES: usize = 64;
/// In calls of this many blocks and more, a kernel with two texts runs the unrolled one; in shorter
/// calls, the rolled one.
pub const LONG_CALL: usize = 8;

/// `(hash, state, counters, inputs, blocks)`: see [`Kernel::compress`].
type CompressFn<H> = unsafe fn(&H, &mut [N<H>], &mut [N<H>], &[&[u8]], usize);
/// `(hash, state, blocks, rest, out)`: see [`Kernel::digest`].
type DigestFn<H> = unsafe fn(&H, &<H as Hash>::State<N<H>>, u64, &[u8], &mut [u8]);
/// `(hash, starts, parts, expansion, out)`: see [`Kernel::digests`].
pub(crate) type DigestsFn<H> =
    unsafe fn(&H, &[<H as Hash>::State<N<H>>], &[LaneInputs; 2], &[N<H>], &mut [u8]);
/// An input for each lane, and the number of blocks to read from each input.
pub type LaneInputs<'i, 'm> = (&'i [&'m [u8]], usize);
/// `(hash, state, index, out)`: see [`Kernel::squeeze`].
type SqueezeFn<H> = unsafe fn(&H, &mut [N<H>], u64, &mut [N<H>]);
/// `(hash, state, counters, expansion)`: see [`Kernel::compress_expanded`].
type CompressExpandedFn<H> = unsafe fn(&H, &mut [N<H>], &[N<H>], &[N<H>]);
/// `(words, places, bytes, out)`: see [`Kernel::write`].
type WriteFn<H> = unsafe fn(&[N<H>], &[usize], usize, &mut [u8]);
/// `(rows, from, numbers, paddings, ends)`: see [`Kernel::write_ends`].
type WriteEndsFn = unsafe fn(&[&[u8]], usize, &[u8], &[Unit], &mut [Unit]);
/// The integer of a hash's words.
pub type N<H> = <H as Hash>::Native;

/// One way to compute `H` for [`Kernel::lanes`] messages at a time.
pub struct Kernel<H: Hash> {
    /// The instruction set that the CPU must have.
    pub engine: Engine,
    /// Messages side by side.
    pub lanes: usize,
    /// Time of one call per block, in units of the scalar kernel's time for one block of one
    /// message: what [`Choice`](crate::select::choice::Choice) goes by.
    pub(crate) block_time: f32,
    pub(crate) compress: CompressFn<H>,
    /// The function for a whole message, where calls for its parts would take long beside the
    /// blocks of a short message.
    pub(crate) digest: Option<DigestFn<H>>,
    /// The function for messages from start to digest, with all their blocks at hand. It pays where
    /// chaining values that pass from call to call, read and written word by word, would take long
    /// beside the blocks of short messages.
    pub(crate) digests: Option<Digests<H>>,
    pub(crate) squeeze: SqueezeFn<H>,
    /// The function for a block that all messages share, where such a function pays.
    pub(crate) compress_expanded: Option<CompressExpandedFn<H>>,
    /// The function that transposes lanes to digests; without it digests are read word by word.
    pub(crate) write: Option<WriteFn<H>>,
    /// The function for [`Kernel::write_ends`] that copies rows without a branch on their lengths,
    /// where the engine has one.
    pub(crate) write_ends: Option<WriteEndsFn>,
}

/// The function of [`Kernel::digests`].
pub(crate) struct Digests<H: Hash> {
    /// The pointer to the function.
    pub function: DigestsFn<H>,
    /// Whether it takes the expansion of a last block.
    pub takes_expansion: bool,
}

// A derived `Copy` would require `H: Copy`.
impl<H: Hash> Copy for Digests<H> {}
impl<H: Hash> Clone for Digests<H> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<H: Hash> Copy for Kernel<H> {}
impl<H: Hash> Clone for Kernel<H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H: Hash> Kernel<H> {
    /// Words of a chaining value.
    pub const STATE: usize = <H::State<N<H>> as Words<N<H>>>::LEN;

    /// A kernel written by hand for a hash whose definition computes nothing after the last block.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) const fn compressing(
        engine: Engine,
        lanes: usize,
        block_time: f32,
        compress: CompressFn<H>,
    ) -> Self {
        Self {
            engine,
            lanes,
            block_time,
            compress,
            digest: None,
            digests: None,
            squeeze: squeeze_nothing::<H>,
            compress_expanded: None,
            write: None,
            write_ends: None,
        }
    }

    /// Folds `blocks` blocks of each lane's input into its chaining value.
    ///
    /// `state` holds the chaining values word by word: word i of lane l at `i * lanes + l`.
    /// `counters` holds the [words of a counter](Hash::COUNTER_WORDS) in the same way; they are
    /// moved on past the blocks.
    ///
    /// # Panics
    /// If an array has another length, or an input is too short.
    #[inline(always)]
    pub fn compress(
        &self,
        hash: &H,
        state: &mut [N<H>],
        counters: &mut [N<H>],
        inputs: &[&[u8]],
        blocks: usize,
    ) {
        assert!(inputs.len() == self.lanes);
        assert!(state.len() == Self::STATE * self.lanes);
        assert!(counters.len() == H::COUNTER_WORDS * self.lanes);
        // SAFETY: a `Choice` has only kernels whose engine runs here.
        unsafe { (self.compress)(hash, state, counters, inputs, blocks) }
    }

    /// Writes the digest of a message in which `rest` follows `blocks` whole blocks, whose chaining
    /// value is `state`. Returns whether it did: it does not where the kernel has no such function.
    #[inline(always)]
    pub fn digest(
        &self,
        hash: &H,
        state: &H::State<N<H>>,
        blocks: u64,
        rest: &[u8],
        out: &mut [u8],
    ) -> bool {
        let Some(digest) = self.digest else { return false };
        // SAFETY: as in `compress`.
        unsafe { digest(hash, state, blocks, rest, out) }
        true
    }

    /// Whether [`Kernel::digests`] takes the expansion of a last block.
    #[inline(always)]
    pub fn takes_expansion(&self) -> bool {
        self.digests.is_some_and(|digests| digests.takes_expansion)
    }

    /// Writes the digest of each lane's message to `out`, one after the other, with all words of
    /// the chaining value. A message goes on from its lane's chaining value in `starts` with the
    /// blocks of both parts, the padded ones among them. Unless `expansion` is empty, the block
    /// with this [expansion](Hash::expand) follows; the kernel must
    /// [take](Kernel::takes_expansion) it. A part without blocks needs no inputs.
    ///
    /// # Panics
    /// If the kernel has no such function, an array has another length, or an input is too short.
    #[inline(always)]
    pub fn digests(
        &self,
        hash: &H,
        starts: &[H::State<N<H>>],
        parts: &[LaneInputs; 2],
        expansion: &[N<H>],
        out: &mut [u8],
    ) {
        assert!(starts.len() == self.lanes);
        assert!(parts.iter().all(|part| part.1 == 0 || part.0.len() == self.lanes));
        let takes = self.takes_expansion() && expansion.len() == H::EXPANSION;
        assert!(expansion.is_empty() || takes);
        assert!(out.len() == self.lanes * size_of::<H::State<N<H>>>());
        let digests = self.digests.expect("asked for where there is one");
        // SAFETY: as in `compress`.
        unsafe { (digests.function)(hash, starts, parts, expansion, out) }
    }

    /// Folds the block whose [expansion](Hash::expand) is given into each lane's chaining value,
    /// laid out as for [`Kernel::compress`].
    ///
    /// # Panics
    /// If the kernel has no such function, or an array has another length.
    #[inline(always)]
    pub fn compress_expanded(
        &self,
        hash: &H,
        state: &mut [N<H>],
        counters: &[N<H>],
        expansion: &[N<H>],
    ) {
        assert!(state.len() == Self::STATE * self.lanes && expansion.len() == H::EXPANSION);
        assert!(counters.len() == H::COUNTER_WORDS * self.lanes);
        let compress = self.compress_expanded.expect("asked for where there is one");
        // SAFETY: as in `compress`.
        unsafe { compress(hash, state, counters, expansion) }
    }

    /// Writes the first `bytes` bytes of the first lanes' words to their places in `out`. Returns
    /// whether it did: it does not where the kernel has no such function.
    ///
    /// # Panics
    /// If there are more places than lanes, or one does not lie in `out`.
    #[inline(always)]
    pub fn write(&self, words: &[N<H>], places: &[usize], bytes: usize, out: &mut [u8]) -> bool {
        let Some(write) = self.write else { return false };
        assert!(words.len() == Self::STATE * self.lanes && places.len() <= self.lanes);
        assert!(bytes <= Self::STATE * N::<H>::BYTES);
        // SAFETY: as in `compress`.
        unsafe { write(words, places, bytes, out) }
        true
    }

    /// Writes the padded end of each row from byte `from` on to its place in `ends`, which are of
    /// one size and as many as rows. The padding of n bytes has the number `numbers[n]` in
    /// `paddings`, counted from 1, and zeros in place of the bytes.
    ///
    /// # Panics
    /// If a padding is missing, or does not have the size of an end.
    #[inline(always)]
    pub fn write_ends(
        &self,
        rows: &[&[u8]],
        from: usize,
        numbers: &[u8],
        paddings: &[Unit],
        ends: &mut [Unit],
    ) {
        match self.write_ends {
            // SAFETY: as in `compress`.
            Some(write_ends) => unsafe { write_ends(rows, from, numbers, paddings, ends) },
            None => write_each_end(rows, from, numbers, paddings, ends, |row, padding, end| {
                put_row(row, 0, padding, end);
            }),
        }
    }

    /// Computes output block `index` of each lane into `out`, laid out as the state.
    ///
    /// # Panics
    /// If an array has another length.
    #[inline(always)]
    pub fn squeeze(&self, hash: &H, state: &mut [N<H>], index: u64, out: &mut [N<H>]) {
        assert!(state.len() == Self::STATE * self.lanes && out.len() == state.len());
        // SAFETY: as in `compress`.
        unsafe { (self.squeeze)(hash, state, index, out) }
    }
}

impl<H: Hash> fmt::Debug for Kernel<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} × {}", self.engine, self.lanes)
    }
}

/// [`Kernel::write_ends`] by a function of a row, its padding and its end.
#[inline(always)]
pub(crate) fn write_each_end(
    rows: &[&[u8]],
    from: usize,
    numbers: &[u8],
    paddings: &[Unit],
    ends: &mut [Unit],
    write: impl Fn(&[u8], &[Unit], &mut [Unit]),
) {
    let units = ends.len() / rows.len();
    let padding = |row: &[u8]| usize::from(numbers[row.len()]) - 1;
    if units == 1 {
        // With a slice of one unit the compiler makes no loop over the units of an end.
        for (row, end) in rows.iter().zip(ends) {
            let row = &row[from..];
            write(row, slice::from_ref(&paddings[padding(row)]), slice::from_mut(end));
        }
        return;
    }
    for (row, end) in rows.iter().zip(ends.chunks_exact_mut(units)) {
        let row = &row[from..];
        write(row, &paddings[padding(row) * units..][..units], end);
    }
}

/// The [`Kernel::squeeze`] of hashes whose definition computes nothing after the last block.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn squeeze_nothing<H: Hash>(_: &H, state: &mut [H::Native], _: u64, out: &mut [H::Native]) {
    out.copy_from_slice(state);
}
