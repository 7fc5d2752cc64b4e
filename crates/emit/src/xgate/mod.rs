//! XGATE: a compression function as a thread of the S12X's coprocessor.
//!
//! ```text
//!  Program ──► places    where values lie that cross the edges of regions
//!          ──► lower     words to limbs of 16 bits, choices and rotations recognised
//!          ──► polarity  which registers hold complements: there is XNOR and no XOR
//!          ──► select    instructions, schedule their order, allocate registers R1 to R6
//!          ──► frame     the words of the frame and the base register R7
//!          ──► text      one section in the syntax of GNU as (m68hc11-as -mm9s12xg)
//! ```
//!
//! The thread `PREFIX_xgate_compress` starts with R1 at a job. It reads the chaining value, compresses
//! as many blocks as the job says, writes the chaining value back, sets the flag to 2 and ends.
//!
//! | offset in the job, bytes | word of 16 bits |
//! |---|---|
//! | 0 | flag: 2 is done |
//! | 2 | address of the chaining value: its words in order, each big-endian |
//! | 4 | address of the first block, even |
//! | 6 | number of blocks |
//! | 8 | the counter of the first block, if the function takes one: its words, each big-endian |
//!
//! Between blocks the counter is advanced in the job. All addresses are XGATE's.

mod allocate;
mod code;
mod frame;
mod limb;
mod lower;
mod places;
mod polarity;
mod region;
mod schedule;
mod select;
mod thread;

pub use thread::{Thread, Written};

use crate::backend;
use frame::Slot;
use manylane_graph::framing::ByteOrder;

/// The name that errors give.
const NAME: &str = "xgate";

/// Why there is no thread.
#[derive(Debug)]
struct Error {
    place: String,
    problem: String,
    remedy: String,
}

impl Error {
    fn new(place: impl Into<String>, problem: impl Into<String>, remedy: &str) -> Self {
        Self { place: place.into(), problem: problem.into(), remedy: remedy.to_owned() }
    }
}

impl From<Error> for backend::Error {
    fn from(error: Error) -> Self {
        let Error { place, problem, remedy } = error;
        Self::Program { backend: NAME, place, problem, remedy }
    }
}

/// What the code knows of memory.
#[derive(Clone, Debug)]
struct Memory {
    /// Bytes of a word of the function.
    word_bytes: usize,
    /// Order of the bytes in a word of the block.
    order: ByteOrder,
    /// The word of the frame with the address of the block.
    block: Slot,
    /// The word of the frame with the address of the job.
    job: Slot,
    /// The label of the table of the S-box.
    substitution: String,
    /// Moves of instructions that are tried in each region.
    effort: usize,
}

impl Memory {
    /// Byte offset of a limb of a message word, and whether its bytes are in opposite order.
    fn in_block(&self, word: usize, limb: usize) -> (usize, bool) {
        let in_word = match self.order {
            ByteOrder::Big => self.word_bytes - 2 - 2 * limb,
            ByteOrder::Little => 2 * limb,
        };
        (word * self.word_bytes + in_word, self.order == ByteOrder::Little)
    }

    /// Byte offset of a limb of a counter's word in the job.
    fn in_job(&self, word: usize, limb: usize) -> usize {
        8 + word * self.word_bytes + self.word_bytes - 2 - 2 * limb
    }
}
