//! The places of the block and the job.

use super::frame::Slot;
use manylane_graph::framing::ByteOrder;

/// The facts about memory that the code needs.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Bytes of a word of the function.
    pub word_bytes: usize,
    /// Order of the bytes in a word of the block.
    pub order: ByteOrder,
    /// The word of the frame with the address of the block.
    pub block: Slot,
    /// The word of the frame with the address of the job.
    pub job: Slot,
    /// The label of the table of the S-box.
    pub substitution: String,
    /// How many moves of instructions are tried in each region.
    pub effort: usize,
    /// Whether the thread is to be small rather than fast: the frame holds no complements, which
    /// would take code around loops; pointers may move back; needless tests and loads are removed.
    pub is_small: bool,
    /// The pointers of a thread that is to be small.
    pub lean: Option<Lean>,
}

/// Words of the frame with pointers that stay from loop to loop.
#[derive(Clone, Copy, Debug)]
pub struct Lean {
    /// The address of the next row of the tables, which follow each other in the order of the
    /// loops.
    pub table: Slot,
    /// The addresses of the halves of the block. They change places with each iteration.
    pub halves: [Slot; 2],
    /// Bytes of half a block.
    pub half_bytes: usize,
    /// Whether a loop's pointer into the block begins at the first word that the loop takes. Blocks
    /// of words that the CPU computes are so long that offsets from their beginning cost more.
    pub has_starts: bool,
}

impl Memory {
    /// Byte offset of a limb of a message word, and whether its bytes are in opposite order.
    pub fn in_block(&self, word: usize, limb: usize) -> (usize, bool) {
        let in_word = match self.order {
            ByteOrder::Big => self.word_bytes - 2 - 2 * limb,
            ByteOrder::Little => 2 * limb,
        };
        (word * self.word_bytes + in_word, self.order == ByteOrder::Little)
    }

    /// Byte offset of a limb of a counter's word in the job.
    pub fn in_job(&self, word: usize, limb: usize) -> usize {
        8 + word * self.word_bytes + self.word_bytes - 2 - 2 * limb
    }
}
