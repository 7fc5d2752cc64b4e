//! The texts that a shell can inline: the definition of a hash, or the same function with its
//! operations in another order.

use super::kernel::N;
use crate::lanes::Lanes;
use manylane_primitives::hash::{Compress, Counter};

/// The text that a shell inlines.
pub(crate) trait Text<H: Compress<L>, L: Lanes<Native = N<H>>> {
    /// Called before each block, for lanes that prefetch: with the state that the block will be
    /// folded into, the inputs, the byte at which the block begins in each, and the address of the
    /// kernel's instructions. Changes no value.
    #[inline(always)]
    fn before_block(_h: &mut H::State<L>, _inputs: &[&[u8]], _at: usize, _code: *const u8) {}

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
}

/// The definition's own.
pub(crate) struct Definition;

impl<H: Compress<L>, L: Lanes<Native = N<H>>> Text<H, L> for Definition {}
