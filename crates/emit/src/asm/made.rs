//! The texts of a program, and the facts about it.

use super::usage::Usage;
use crate::cpu12x::{IMAGE, TO_XGATE};
use std::ops::Range;

/// The first address of the CPU's RAM, with RPAGE as after a reset.
const RAM: usize = 0x1000;

/// Bytes that stay free for the stack.
const STACK_BYTES: usize = 256;

/// The CPU's address of the end of XGATE's part, which has this many bytes.
fn image_end(bytes: usize) -> usize {
    (usize::from(IMAGE) + bytes).saturating_sub(TO_XGATE.into())
}

/// The addresses of a program's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The first address of code and constants.
    pub code: u16,
    /// The first address of the work area, in RAM that needs no page. The area moves behind XGATE's
    /// code if that code reaches further.
    pub work: u16,
    /// The initial stack pointer: the address behind the highest byte of the stack.
    pub stack: u16,
}

/// The memory map of an MC9S12XDT512 after a reset: code in flash from 0x4000 on, the work area in
/// RAM that both cores see at one address.
impl Default for Layout {
    fn default() -> Self {
        Self { code: 0x4000, work: 0x2000, stack: 0x4000 }
    }
}

impl Layout {
    /// The layout with the work area behind XGATE's part, which has `image_bytes`; `None` if that
    /// is beyond the last address.
    pub(super) fn behind(self, image_bytes: usize) -> Option<Self> {
        let end = u16::try_from(image_end(image_bytes).next_multiple_of(2)).ok()?;
        Some(Self { work: self.work.max(end), ..self })
    }

    /// The RAM that an application has in front of the work area or behind it, whichever is larger.
    /// XGATE's part has `image_bytes`, and the work area ends before `work_end`, where the
    /// self-test has `test_bytes`; `None` if the self-test does not fit in front of the stack.
    pub(super) fn free_ram(
        self,
        image_bytes: usize,
        work_end: usize,
        test_bytes: usize,
    ) -> Option<Range<u16>> {
        let stack = usize::from(self.stack) - STACK_BYTES;
        if work_end + test_bytes > stack {
            return None;
        }
        let front = RAM.max(image_end(image_bytes))..self.work.into();
        let ram = if front.len() >= stack - work_end { front } else { work_end..stack };
        Some(ram.start as u16..ram.end as u16)
    }
}

/// What the CPU computes of XGATE's blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// Number of words that the CPU computes for a block, 0 if it has no share.
    pub words: usize,
    /// One block in this many has such words.
    pub every: usize,
    /// Whether the first block has them too.
    pub is_each: bool,
}

/// The texts of a program, and the facts about it.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// The CPU's part: what an application needs.
    pub cpu: String,
    /// XGATE's part, if it computes.
    pub xgate: Option<String>,
    /// Whether the CPU computes what XGATE does not finish in time.
    pub falls_back: bool,
    /// The self-test, and a start that runs it.
    pub selftest: String,
    /// The declarations for C.
    pub header: String,
    /// Whether XGATE gets one block at a time.
    pub is_by_block: bool,
    /// The CPU's share of XGATE's blocks.
    pub shared: Shared,
    /// Bytes of XGATE's part in RAM, 0 if it does not compute.
    pub image_bytes: usize,
    /// XGATE's clocks of a block without waits, 0 if it does not compute.
    pub clocks: usize,
    /// The addresses of the program's parts.
    pub layout: Layout,
    /// The RAM that is left to an application, as addresses of the CPU.
    pub ram: Range<u16>,
    /// The kind of the program.
    pub usage: Usage,
    /// Bytes of a context.
    pub context_bytes: usize,
    /// Bytes of the work area, without the self-test's.
    pub work_bytes: usize,
    /// Bytes of RAM that the self-test needs behind the work area.
    pub test_bytes: usize,
    /// Number of known answers that the self-test computes.
    pub answers: usize,
}

impl Made {
    /// The whole text of the CPU, as one file to assemble.
    pub fn whole(&self) -> String {
        format!("{}\n{}", self.cpu, self.selftest)
    }
}
