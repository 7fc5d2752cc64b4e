//! Groups of lanes held in step with one another, and with what is asked for from memory.

use super::pair::{Order, Pair};

/// Rotations of both groups in step, so that neither group runs ahead of the other.
#[derive(Clone, Copy)]
pub struct InStep;

/// Lanes of which two groups can be held in step, and other things with them.
pub trait Step: Sized {
    /// The same words, neither of which is there before the other for all that the compiler knows.
    fn at_once(x: Self, y: Self) -> (Self, Self);
    /// The same word, and asks for the cache line of an address where the word is: left to itself
    /// the compiler puts what has no result in heaps. No access: the address may be any.
    fn ask(self, address: *const u8) -> Self;
    /// Asks for the cache line of an address, which may be any.
    fn fetch(address: *const u8);
}

impl<A: Step> Order<A> for InStep {
    #[inline(always)]
    fn keep(x: A, y: A) -> (A, A) {
        A::at_once(x, y)
    }
}

impl<A: Step, O> Step for Pair<A, O> {
    #[inline(always)]
    fn at_once(x: Self, y: Self) -> (Self, Self) {
        let ((a, b), (c, d)) = (A::at_once(x.0, y.0), A::at_once(x.1, y.1));
        (Self::of(a, c), Self::of(b, d))
    }
    #[inline(always)]
    fn ask(self, address: *const u8) -> Self {
        Self::of(self.0.ask(address), self.1)
    }
    #[inline(always)]
    fn fetch(address: *const u8) {
        A::fetch(address);
    }
}
