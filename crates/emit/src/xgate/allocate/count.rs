//! The clocks of code that is not written.

use crate::xgate::code::Code;
use crate::xgate::frame::Slot;

/// Accesses of the frame within which a word is likely to be in reach still.
const RECENT: usize = 20;

/// Tenths of a clock for an access of a word of the frame that was accessed recently, and by how
/// much others take longer: words that are used near each other will lie near each other, and for
/// others the base moves now and then, in one clock or in two where the carry must stay.
const NEAR: u32 = 20;
const MOVE: [u32; 2] = [8, 16];

/// Clocks so far.
#[derive(Clone, Default)]
pub struct Count {
    /// In tenths.
    pub clocks: u32,
    /// The numbers of the words that were accessed last, each greater by 1.
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
        self.clocks += NEAR + if is_recent { 0 } else { MOVE[usize::from(carry)] };
        self.recent[self.next] = slot + 1;
        self.next = (self.next + 1) % RECENT;
    }
}
