//! Which messages can go through lanes side by side, from their first block to the digest.

use super::layout::Beginning;
use crate::kernels::runs::Runs;

/// The properties of a message's length that decide which calls it needs.
pub struct Shapes<'a, H: Runs> {
    pub(super) hash: &'a H,
    pub(super) beginning: &'a Beginning<'a, H>,
    /// The least number of bytes that is padded to two blocks.
    pub(super) long_end: usize,
}

impl<H: Runs> Shapes<'_, H> {
    /// The shape of a message of `bytes` bytes as a number. Messages have the same shape if they go
    /// on from the same start and have equal numbers of whole blocks and of padded blocks. The
    /// number grows with the number of blocks.
    pub fn of(&self, bytes: usize) -> u64 {
        let (start, lead) = self.beginning.of(bytes);
        let whole = self.beginning.whole_blocks(self.hash, bytes);
        let rest = lead.len() + bytes - whole * self.hash.block_bytes();
        let past_lead = !std::ptr::eq(start, &self.beginning.start);
        (whole as u64) << 2 | u64::from(rest >= self.long_end) << 1 | u64::from(past_lead)
    }
}

/// The number of whole blocks after the start of messages of this [shape](Shapes::of).
pub fn whole_blocks(shape: u64) -> usize {
    (shape >> 2) as usize
}
