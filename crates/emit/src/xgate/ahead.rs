//! Words that the CPU computes ahead: what a thread has to do with them, and their words of a job.

use manylane_graph::framing::Framing;

/// The relation of a thread to words that the CPU computes ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ahead<'t> {
    /// Nothing.
    #[default]
    None,
    /// Its blocks are whole blocks of a message. Afterwards it goes on with the thread that has
    /// labels of this prefix, if there are words for it.
    Before(&'t str),
    /// Its blocks are such words, see [`Ring`].
    Words(Turns<'t>),
}

/// Whose blocks follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns<'t> {
    /// All are words that the CPU computes.
    All,
    /// Every so manyth block, 2 or more: before each XGATE computes whole blocks, by the thread
    /// that has labels of this prefix.
    Every(usize, &'t str),
}

/// Words of a job behind its counter, of blocks that come through two places in turn. The CPU fills
/// a place and says so; the thread ends when it has computed all that is filled, and goes on where
/// it was when it is started again.
///
/// ```text
///  filled  how many blocks the CPU has filled
///  done    how many of them XGATE has computed
///  sum     of the addresses of both places: less the one, it is the other
///  next    the address of the place that XGATE computes next
///  again   how often whole blocks and one of words follow, with [`Turns::Every`]
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Byte offset of the first of the words in the job.
    pub at: usize,
}

impl Ring {
    /// Bytes.
    pub const BYTES: usize = 10;

    /// The last offset that a load of XGATE's reaches.
    const LAST: usize = 30;

    /// Behind the counter of a job.
    pub fn of(framing: &Framing) -> Self {
        let counter = framing.counter_words() * framing.word_bits as usize / 8;
        Self { at: 8 + counter }
    }

    /// The offset in the job of how many blocks are filled.
    pub fn filled(self) -> usize {
        self.at
    }

    /// The field that counts the words that are computed.
    pub fn done(self) -> usize {
        self.at + 2
    }

    /// The field for the sum of the addresses.
    pub fn sum(self) -> usize {
        self.at + 4
    }

    /// Of the next address.
    pub fn next(self) -> usize {
        self.at + 6
    }

    /// The field that says how often whole blocks and words follow.
    pub fn again(self) -> usize {
        self.at + 8
    }

    /// Whether XGATE reaches that word too.
    pub fn has_turns(self) -> bool {
        self.again() <= Self::LAST
    }
}
