//! What single kernels ask of lanes besides [`Lanes`](super::Lanes): groups whose operations
//! alternate, prefetches that the compiler does not move, operations under a mask, and words with
//! their bytes reversed.

use super::pair::{Order, Pair};

/// Ties the rotations of both groups together, so that the compiler cannot compute whole rounds of
/// one group before those of the other.
#[derive(Clone, Copy)]
pub struct InStep;

/// Lanes that can be tied to one another and to prefetches. Nothing here changes a value.
pub trait Tied: Sized {
    /// Returns both words unchanged. To the compiler each result depends on both words.
    fn at_once(x: Self, y: Self) -> (Self, Self);
    /// Returns the word unchanged and prefetches the cache line at `address`. Tying the prefetch to
    /// a word keeps the compiler from moving all prefetches to one point of the loop. The address
    /// is never dereferenced, so any value is allowed.
    fn with_prefetch(self, address: *const u8) -> Self;
    /// Prefetches the cache line at `address`, which may have any value.
    fn prefetch(address: *const u8);
    /// Returns the word unchanged. Words that are held are computed in the order in which they are
    /// held.
    fn held(self) -> Self;
}

impl<A: Tied> Order<A> for InStep {
    #[inline(always)]
    fn keep(x: A, y: A) -> (A, A) {
        A::at_once(x, y)
    }
}

/// Lanes of which a loop can leave out operations that only some of its iterations need.
pub trait Chosen: Sized {
    /// The function of three bits whose truth table is `TABLE`, index xyz, if `yes`, else x. An
    /// instruction takes the choice, which is no secret, as a mask.
    fn ternary_if<const TABLE: i32>(yes: bool, x: Self, y: Self, z: Self) -> Self;
}

/// Lanes that reverse the bytes of a word by one instruction.
pub trait SwapBytes: Sized {
    /// The word with its bytes in the opposite order.
    fn swap_bytes(self) -> Self;
}

impl<A: Tied, O> Tied for Pair<A, O> {
    #[inline(always)]
    fn at_once(x: Self, y: Self) -> (Self, Self) {
        let ((a, b), (c, d)) = (A::at_once(x.0, y.0), A::at_once(x.1, y.1));
        (Self::of(a, c), Self::of(b, d))
    }
    #[inline(always)]
    fn with_prefetch(self, address: *const u8) -> Self {
        Self::of(self.0.with_prefetch(address), self.1)
    }
    #[inline(always)]
    fn prefetch(address: *const u8) {
        A::prefetch(address);
    }
    #[inline(always)]
    fn held(self) -> Self {
        let (first, second) = self.halves();
        Self::of(first.held(), second.held())
    }
}
