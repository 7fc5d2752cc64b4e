//! The texts that a shell can inline: the definition of a hash, or the same function with its
//! operations in another order.

use super::kernel::N;
use crate::lanes::Lanes;
use core::marker::PhantomData;
use manylane_primitives::hash::{Compress, Counter};

/// The text that a shell inlines.
pub(crate) trait Text<H: Compress<L>, L: Lanes<Native = N<H>>> {
    /// What is done before each block.
    type Before: Before<L>;

    /// [`Compress::compress`], in place.
    #[inline(always)]
    fn compress(hash: &H, h: &mut H::State<L>, m: &H::Block<L>, t: Counter<L>) {
        *h = hash.compress(*h, m, t);
    }

    /// [`Compress::squeeze`].
    #[inline(always)]
    fn squeeze(hash: &H, h: &mut H::State<L>, index: u64) -> H::State<L> {
        hash.squeeze(h, index)
    }

    /// [`Compress::compress_expanded`].
    #[inline(always)]
    fn compress_expanded(
        hash: &H,
        h: H::State<L>,
        expansion: &[N<H>],
        t: Counter<L>,
    ) -> H::State<L> {
        hash.compress_expanded(h, expansion, t)
    }
}

/// What is done before each block besides computing.
pub(crate) trait Before<L> {
    /// Called before each block, for lanes that prefetch: with the `state` that the block will be
    /// folded into, the inputs, the byte at which the block begins in each, and the address of the
    /// kernel's instructions. Changes no value.
    #[inline(always)]
    fn before_block(_state: &mut [L], _inputs: &[&[u8]], _at: usize, _code: *const u8) {}

    /// Gives the first of `words` what `before_block` put into the state, taken from `from`, and
    /// removes it from the others. Called before each iteration of a loop whose words begin without
    /// it and end with it: otherwise each word would carry a flag and an address from iteration to
    /// iteration, in memory.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // only x86-64 has such loops
    #[inline(always)]
    fn keep_position_in_first(_words: &mut [L], _from: L) {}
}

/// Nothing is done.
pub(crate) struct Nothing;

impl<L> Before<L> for Nothing {}

/// The definition's own text, with `B` before each block.
pub(crate) struct Definition<B = Nothing>(PhantomData<B>);

impl<H: Compress<L>, L: Lanes<Native = N<H>>, B: Before<L>> Text<H, L> for Definition<B> {
    type Before = B;
}
