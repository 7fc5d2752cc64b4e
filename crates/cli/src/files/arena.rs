//! The memory that a worker reads files into.

use std::ops::Range;

/// Files up to this size, in bytes, are read whole where each file is read to its end at once.
const WHOLE: usize = 512 * 1024;
/// The same where many files advance side by side: of files this short a piece would be all.
const SMALL: usize = 16 * 1024;
/// Bytes of an arena for files that advance side by side, and for short ones between them: both
/// stay in the second-level cache from reading to hashing, and memory that a program has just
/// begun to use takes longer to get than to fill.
const PIECES: usize = 512 * 1024;
/// Bytes that a worker reads before it hashes them where each file is read to its end at once: more
/// bytes fill lanes better.
const ARENA: usize = 4 << 20;
/// The most bytes of all arenas together, as long as each has [`USUAL`].
const ARENAS: usize = 32 << 20;
/// Room for two whole files of the greatest length.
const USUAL: usize = 2 * WHOLE;
/// The least that the only worker accepts where memory is limited.
const LEAST: usize = 64 * 1024;
/// Memory that must be left beside the arena of a worker for what it allocates later.
const HEADROOM: usize = 8 << 20;

/// A buffer that is allocated at once or not at all, and touched only as far as it is used. Its
/// first part is for files that are read whole, the other for pieces of longer ones.
pub struct Arena {
    /// What was used so far; its capacity is `size`.
    bytes: Vec<u8>,
    size: usize,
    split: usize,
    longest: usize,
}

/// How a worker's files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Many advance side by side, a piece of each in turn.
    Pieces,
    /// Only very long files do, because there are few descriptors or little memory.
    Wholes,
    /// Each from its beginning to its end before the next.
    Sequence,
}

impl Arena {
    /// The arena of one of so many workers, if there is memory for it. The `first` worker accepts
    /// less.
    pub fn of_worker(workers: usize, first: bool, order: Order) -> Option<Self> {
        let size = match order {
            Order::Pieces => 2 * PIECES,
            Order::Wholes | Order::Sequence => (ARENAS / workers).clamp(USUAL, ARENA),
        };
        let arena = match first {
            false => Self::with_spare(size, HEADROOM),
            true => Self::largest(size, LEAST, HEADROOM).or_else(|| Self::new(LEAST)),
        };
        arena.map(|arena| arena.divided(order))
    }

    fn divided(self, order: Order) -> Self {
        let split = if order == Order::Sequence { self.size } else { self.size / 2 };
        let longest = if order == Order::Pieces { SMALL } else { WHOLE };
        Self { split, longest: longest.min(self.size / 2), ..self }
    }

    /// An arena of `size` bytes, if there is so much memory.
    fn new(size: usize) -> Option<Self> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).ok()?;
        Some(Self { bytes, size, split: size, longest: size })
    }

    /// An arena of `size` bytes, if there is memory for it and `spare` bytes more.
    fn with_spare(size: usize, spare: usize) -> Option<Self> {
        drop(Self::new(size.checked_add(spare)?)?);
        Self::new(size)
    }

    /// The largest arena of `most` bytes or a half, a quarter, and so on of it, down to `least`,
    /// that leaves `spare` bytes.
    fn largest(most: usize, least: usize, spare: usize) -> Option<Self> {
        let sizes = std::iter::successors(Some(most), |size| Some(size / 2));
        sizes.take_while(|size| *size >= least).find_map(|size| Self::with_spare(size, spare))
    }

    /// Bytes in all.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Where the part for pieces begins.
    pub fn split(&self) -> usize {
        self.split
    }

    /// Files of at least so many bytes are not read whole.
    pub fn longest(&self) -> usize {
        self.longest
    }

    pub fn get(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[range]
    }

    /// A place to write to; `range` ends within [`size`](Self::size).
    pub fn place(&mut self, range: Range<usize>) -> &mut [u8] {
        if self.bytes.len() < range.end {
            assert!(range.end <= self.size, "within the memory that was reserved");
            self.bytes.resize(range.end, 0);
        }
        &mut self.bytes[range]
    }
}

#[cfg(test)]
mod tests {
    use super::Arena;

    #[test]
    fn memory_is_reserved_at_once_and_touched_as_it_is_used() {
        let mut arena = Arena::largest(1 << 62, 1 << 20, 1 << 20).unwrap();
        assert!(arena.size().is_power_of_two() && arena.size() >= 1 << 20);
        assert!(Arena::with_spare(1 << 20, 1 << 62).is_none());
        arena.place(0..3).copy_from_slice(b"abc");
        let before = arena.get(0..3).as_ptr();
        arena.place(9000..9001)[0] = 7;
        assert_eq!((arena.get(0..4), arena.get(9000..9001)), (&b"abc\0"[..], &[7][..]));
        assert_eq!(arena.get(0..3).as_ptr(), before);
        assert_eq!(arena.bytes.len(), 9001);
    }
}
