//! Counts the clocks of code that is not written.

use crate::xgate::code::Code;
use crate::xgate::frame::Slot;

/// Number of last accesses of the frame among which a word counts as accessed recently.
pub const RECENT: usize = 20;

/// Tenths of a clock for an access of a word of the frame that was accessed recently. The estimate
/// assumes that words which are accessed at about the same time will lie near each other.
pub const RECENT_ACCESS: u32 = 20;
/// How many tenths of a clock any other access takes longer, without a live carry and with one: for
/// some of these accesses the base register moves, in one clock, or in two where the carry is live.
pub const BASE_MOVE: [u32; 2] = [8, 16];

/// The clocks counted so far.
#[derive(Clone, Default)]
pub struct Count {
    /// In tenths of a clock.
    pub clocks: u32,
    /// The numbers of the words that were accessed last, each plus 1 so that 0 is no word.
    recent: [Slot; RECENT],
    next: usize,
}

impl Count {
    /// Counts a line.
    pub fn add(&mut self, line: &Code) {
        let Code::Frame { slot, carry, .. } = *line else {
            self.clocks += 10 * line.clocks() as u32;
            return;
        };
        let is_recent = self.recent.contains(&(slot + 1));
        self.clocks += RECENT_ACCESS + if is_recent { 0 } else { BASE_MOVE[usize::from(carry)] };
        self.recent[self.next] = slot + 1;
        self.next = (self.next + 1) % RECENT;
    }
}
