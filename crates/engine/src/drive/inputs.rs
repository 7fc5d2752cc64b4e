//! The inputs of a call, one for each lane.
//!
//! Their functions are not generic over the hash: a program has them once, not once for each hash.

use crate::kernels::kernel::MAX_LANES;
use crate::lanes::Unit;
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};

/// The bytes that each lane reads.
pub struct Inputs<'m>(SmallVec<[&'m [u8]; MAX_LANES]>);

impl<'m> Inputs<'m> {
    /// No inputs.
    pub fn new() -> Self {
        Self(SmallVec::new())
    }

    /// Replaces the inputs by these messages from byte `from` on.
    pub fn put(&mut self, messages: &[&'m [u8]], from: usize) {
        self.0.clear();
        self.0.extend(messages.iter().map(|message| &message[from..]));
    }

    /// Replaces the inputs by the first `bytes` bytes of each `stride` bytes, at most `most` times.
    pub fn put_blocks(&mut self, all: &'m [u8], stride: usize, bytes: usize, most: usize) {
        self.0.clear();
        self.0.extend(all.chunks_exact(stride).take(most).map(|block| &block[..bytes]));
    }

    /// [`Self::put_blocks`] of blocks that begin in units of their own.
    pub fn put_units(&mut self, units: &'m [Unit], bytes: usize, most: usize) {
        let stride = bytes.next_multiple_of(size_of::<Unit>());
        self.put_blocks(units.as_flattened(), stride, bytes, most);
    }

    /// Gives the last input to the idle ones of `lanes` lanes.
    pub fn fill_idle(&mut self, lanes: usize) {
        if let Some(&idle) = self.0.last() {
            self.0.resize(lanes, idle);
        }
    }

    /// Removes all inputs.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<'m> Deref for Inputs<'m> {
    type Target = [&'m [u8]];

    fn deref(&self) -> &[&'m [u8]] {
        &self.0
    }
}

impl DerefMut for Inputs<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
