//! Words that the CPU computes ahead: what a thread has to do with them, and their words of a job.

use manylane_graph::framing::Framing;

/// The relation of a thread to words that the CPU computes ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ahead<'t> {
    /// The thread takes no words that the CPU computes ahead.
    #[default]
    None,
    /// The blocks are whole blocks of a message. When they are compressed, control passes to the
    /// thread whose labels have this prefix, if the CPU has words ready for it.
    Before(&'t str),
    /// The blocks are words that the CPU computes ahead, see [`Ring`].
    Words(SharedBlocks<'t>),
}

/// The blocks of which the CPU computes words: all, or some between whole blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedBlocks<'t> {
    /// Every block consists of words that the CPU computes.
    All,
    /// The CPU computes the words of every n-th block, n being 2 or more. Before each of these
    /// blocks XGATE compresses n - 1 whole blocks by the thread whose labels have this prefix.
    Every(usize, &'t str),
}

/// The words of a job, behind its counter, that control the handover of blocks through two buffers
/// in turn. The CPU fills a buffer and increases `filled`; the thread ends when it has compressed
/// all filled blocks, and continues there when it is started again.
///
/// ```text
///  filled  how many blocks the CPU has filled
///  done    how many of them XGATE has compressed
///  sum     the sum of both buffers' addresses: less one address, it is the other
///  next    the address of the buffer that XGATE compresses next
///  again   how often whole blocks and one of words follow, with [`SharedBlocks::Every`]
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Byte offset of the first of the words in the job.
    pub at: usize,
}

impl Ring {
    /// The size of these words in bytes.
    pub const BYTES: usize = 10;

    /// The largest offset in bytes that a load of XGATE reaches.
    const LAST: usize = 30;

    /// Places the words behind the counter of a job.
    pub fn of(framing: &Framing) -> Self {
        let counter = framing.counter_words() * framing.word_bits as usize / 8;
        Self { at: 8 + counter }
    }

    /// The byte offset in the job of the number of blocks that the CPU has filled.
    pub fn filled(self) -> usize {
        self.at
    }

    /// The byte offset in the job of the number of blocks that XGATE has compressed.
    pub fn done(self) -> usize {
        self.at + 2
    }

    /// The byte offset in the job of the sum of both buffers' addresses.
    pub fn sum(self) -> usize {
        self.at + 4
    }

    /// The byte offset in the job of the address of the next buffer.
    pub fn next(self) -> usize {
        self.at + 6
    }

    /// The byte offset in the job of how many more runs of whole blocks with a block of words
    /// follow.
    pub fn again(self) -> usize {
        self.at + 8
    }

    /// Whether a load of XGATE reaches the word [`again`](Self::again).
    pub fn reaches_again(self) -> bool {
        self.again() <= Self::LAST
    }
}
