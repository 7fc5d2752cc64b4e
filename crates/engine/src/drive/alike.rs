//! Messages of one length from one start, on kernels with [`Kernel::digests`]. The padded end of
//! each lane is written once; of each message only the bytes after its whole blocks are copied into
//! it.

use super::layout::{Start, State};
use crate::kernels::kernel::{Kernel, N};
use crate::kernels::runs::Runs;
use manylane_primitives::hash::{LONGEST_END, Padded, Tail, read_words};
use smallvec::{SmallVec, smallvec};

/// The most lanes of a kernel that has [`Kernel::digests`].
const MOST: usize = 8;

/// A padded end at the beginning of a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct AlignedEnd([u8; LONGEST_END]);

/// What messages of one length have in common.
pub struct Alike<'h, H: Runs> {
    hash: &'h H,
    starts: [State<H>; MOST],
    /// Whole blocks of a message.
    whole: usize,
    /// Bytes of a message after them.
    rest: usize,
    /// A padded end for each lane.
    ends: SmallVec<[AlignedEnd; MOST]>,
    /// Blocks of an end.
    padded: usize,
    /// The expanded words of the last block, if it is padding alone; else empty.
    expansion: SmallVec<[N<H>; 64]>,
}

impl<'h, H: Runs> Alike<'h, H> {
    /// Prepares for messages of `bytes` bytes after `start`, with `whole` whole blocks, on kernels
    /// no wider than `kernel`.
    ///
    /// # Panics
    /// If the kernel has no `digests` or too many lanes, or the hash has a counter.
    pub fn new(
        hash: &'h H,
        kernel: &Kernel<H>,
        start: &Start<H>,
        bytes: usize,
        whole: usize,
    ) -> Self {
        assert!(kernel.digests.is_some() && kernel.lanes <= MOST && H::COUNTER_WORDS == 0);
        let block_bytes = hash.block_bytes();
        let rest = bytes - whole * block_bytes;
        let total = u128::from(start.blocks) * block_bytes as u128 + bytes as u128;
        let mut end = AlignedEnd([0; LONGEST_END]);
        let tail = Tail { bytes: &[0; LONGEST_END][..rest], total_bits: 8 * total };
        let mut padded = Padded::new(&mut end.0);
        hash.pad(&tail, &mut padded);
        let padded = padded.blocks;
        let mut expansion = SmallVec::new();
        let last = (padded - 1) * block_bytes;
        if kernel.takes_expansion() && rest <= last {
            expansion = smallvec![N::<H>::default(); H::EXPANSION];
            hash.expand(&read_words(&end.0[last..][..block_bytes], H::ORDER), &mut expansion);
        }
        let ends = smallvec![end; kernel.lanes];
        Self { hash, starts: [start.state; MOST], whole, rest, ends, padded, expansion }
    }

    /// Writes the digests of `messages`, at most one for each lane of the kernel, to `out`, one
    /// after the other. Each digest has an equal share of the bytes of `out`.
    ///
    /// # Panics
    /// If there is no message, one has another length, or the kernel is too wide.
    #[inline(always)]
    pub fn run(&mut self, kernel: &Kernel<H>, messages: &[&[u8]], out: &mut [u8]) {
        let Self { hash, starts, whole, rest, ends, padded, expansion } = self;
        let (lanes, from) = (kernel.lanes, *whole * hash.block_bytes());
        let mut bodies: [&[u8]; MOST] = [messages[0]; MOST];
        bodies[..messages.len()].copy_from_slice(messages);
        if *rest > 0 {
            for (end, message) in ends.iter_mut().zip(messages) {
                copy(&message[from..], &mut end.0[..*rest]);
            }
        }
        let mut inputs: [&[u8]; MOST] = [&[]; MOST];
        for (input, end) in inputs.iter_mut().zip(&*ends) {
            *input = &end.0;
        }
        let padded = *padded - usize::from(!expansion.is_empty());
        let parts = [(&bodies[..lanes], *whole), (&inputs[..lanes], padded)];
        let whole_digest = size_of::<State<H>>();
        if out.len() == lanes * whole_digest {
            return kernel.digests(hash, &starts[..lanes], &parts, expansion, out);
        }
        let mut digests: SmallVec<[u8; 256]> = smallvec![0; lanes * whole_digest];
        kernel.digests(hash, &starts[..lanes], &parts, expansion, &mut digests);
        let bytes = out.len() / messages.len();
        for (out, digest) in out.chunks_exact_mut(bytes).zip(digests.chunks_exact(whole_digest)) {
            out.copy_from_slice(&digest[..bytes]);
        }
    }
}

/// Copies a slice to another of the same length, without a call of `memcpy`, which would take as
/// long as a tenth of a block.
///
/// # Panics
/// If the lengths differ.
#[inline(always)]
fn copy(from: &[u8], to: &mut [u8]) {
    assert!(from.len() == to.len());
    let bytes = to.len();
    match bytes {
        16.. => by_parts::<16>(from, to),
        8.. => by_parts::<8>(from, to),
        4.. => by_parts::<4>(from, to),
        _ => to.iter_mut().zip(from).for_each(|(to, byte)| *to = *byte),
    }
}

/// Copies whole parts of `PART` bytes, then the last `PART` bytes of the slice, which may overlap
/// the last whole part.
#[inline(always)]
fn by_parts<const PART: usize>(from: &[u8], to: &mut [u8]) {
    for (to, part) in to.as_chunks_mut::<PART>().0.iter_mut().zip(from.as_chunks().0) {
        *to = *part;
    }
    if let (Some(to), Some(part)) = (to.last_chunk_mut::<PART>(), from.last_chunk()) {
        *to = *part;
    }
}
