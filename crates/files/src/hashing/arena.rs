//! The memory that a worker reads files into.

use super::groups::LONGS;
use memmap2::{MmapMut, MmapOptions};
use std::ops::Range;

/// Files up to this size, in bytes, are read whole where each file is read to its end at once.
const WHOLE: usize = 512 * 1024;
/// Bytes of an arena for files that advance side by side, and for short ones between them. So few
/// bytes stay in the second-level cache from reading to hashing, and the first access to a page of
/// memory takes longer than filling the page.
const PIECES: usize = 1 << 20;
/// Bytes of such an arena in a long run, in large pages. Twice as many files side by side and reads
/// of twice as many bytes then gain more than the second-level cache does; in a short run the gain
/// is less than the time that the system takes to provide large pages.
const LARGE: usize = 4 << 20;
/// Bytes that a worker reads before it hashes them, where each file is read to its end at once.
/// More bytes hold more files, which fill more lanes.
const ARENA: usize = 4 << 20;
/// The most bytes of all arenas together, as long as each has [`USUAL`].
const ARENAS: usize = 32 << 20;
/// Bytes of an arena that has room for two of the longest files that are read whole.
const USUAL: usize = 2 * WHOLE;
/// The fewest bytes that the only worker accepts where memory is limited.
const LEAST: usize = 64 * 1024;
/// Memory that must be left beside the arena of a worker for what it allocates later.
const HEADROOM: usize = 8 << 20;

/// The most bytes of a piece. Longer ones hardly reduce the number of reads, and leave the fast
/// cache.
const PIECE: usize = 64 * 1024;
/// Bytes between the end of a piece and the next piece. If the distance of pieces were a power of
/// two, the lanes would compete for the same few sets of a cache.
const SKEW: usize = 192;
/// Bytes of a page of the system, or of a fraction of one.
const PAGE: usize = 4096;
/// Bytes of a cache line: a vector that crosses its end takes twice as long to load.
const LINE: usize = 64;

/// A buffer that is allocated at once or not at all, and touched only as far as it is used. Its
/// first part is for files that are read whole, the other for pieces of longer ones.
pub struct Arena {
    /// Page-aligned memory: a [`Vec`] of this size would begin 16 bytes after a page boundary.
    memory: MmapMut,
    size: usize,
    split: usize,
    longest: usize,
    longs: usize,
}

/// How a worker's files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Many files advance side by side, a piece of each in turn.
    Pieces,
    /// Only very long files advance side by side, because there are few descriptors or little
    /// memory.
    Wholes,
    /// Each file is read from its beginning to its end before the next.
    Sequence,
}

impl Arena {
    /// The arena of one of `workers` workers, if there is memory for it. The `first` worker accepts
    /// less.
    pub fn of_worker(workers: usize, first: bool, order: Order) -> Option<Self> {
        let size = match order {
            Order::Pieces => PIECES,
            Order::Wholes | Order::Sequence => (ARENAS / workers).clamp(USUAL, ARENA),
        };
        let arena = match first {
            false => Self::with_spare(size, HEADROOM),
            true => Self::largest(size, LEAST, HEADROOM).or_else(|| Self::new(LEAST)),
        };
        arena.map(|arena| arena.divided(order))
    }

    /// The arena of one of `workers` workers in a long run, if there is memory for it.
    pub fn of_long_run(workers: usize) -> Option<Self> {
        let size = (ARENAS / workers).min(LARGE);
        let arena = if size > PIECES { Self::with_spare(size, HEADROOM)? } else { return None };
        // Where the system has no large pages it uses small ones.
        #[cfg(target_os = "linux")]
        let _ = arena.memory.advise(memmap2::Advice::HugePage);
        Some(arena.divided(Order::Pieces))
    }

    fn divided(self, order: Order) -> Self {
        let longs = if self.size < LARGE { LONGS / 2 } else { LONGS };
        let (split, longest) = match order {
            // A little more than half is for the pieces, each with the distance to the next. A file
            // that is no longer than a piece is read whole.
            Order::Pieces => (self.size / 64 * 31, self.size / (2 * longs)),
            Order::Wholes => (self.size / 2, WHOLE.min(self.size / 2)),
            Order::Sequence => (self.size, WHOLE.min(self.size / 2)),
        };
        Self { split: split - split % PAGE, longest, longs, ..self }
    }

    /// An arena of `size` bytes, if there is so much memory.
    fn new(size: usize) -> Option<Self> {
        let memory = MmapOptions::new().len(size).map_anon().ok()?;
        Some(Self { memory, size, split: size, longest: size, longs: LONGS })
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

    /// Where the part for pieces begins.
    pub fn split(&self) -> usize {
        self.split
    }

    /// The division of the second part into `count` pieces: bytes of a piece, and bytes from the
    /// beginning of one to the beginning of the next.
    pub fn pieces(&self, count: usize) -> (usize, usize) {
        let length = ((self.size - self.split) / count).saturating_sub(SKEW).clamp(1, PIECE);
        // Whole pages are copied fastest, and hold whole blocks of most hashes.
        let length = if length < PAGE { length } else { length - length % PAGE };
        (length, length + SKEW)
    }

    /// How many long files may advance side by side.
    pub fn longs(&self) -> usize {
        self.longs
    }

    /// Files of at least this many bytes are read in pieces, not whole.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Where the next file can begin, after one that ends at `end`.
    pub fn next(&self, end: usize) -> usize {
        end.next_multiple_of(LINE).min(self.split)
    }

    /// The bytes of a file, or of a piece of one, that lie in this range.
    pub fn get(&self, range: Range<usize>) -> &[u8] {
        &self.memory[range]
    }

    /// A place to write to, within the arena.
    pub fn place(&mut self, range: Range<usize>) -> &mut [u8] {
        &mut self.memory[range]
    }
}

#[cfg(test)]
mod tests {
    use super::{Arena, LARGE, LEAST, LONGS, Order};

    #[test]
    fn pieces_lie_in_their_part() {
        for size in [4 << 20, 2 << 20, 1 << 20, LEAST] {
            let arena = Arena::new(size).unwrap().divided(Order::Pieces);
            let longs = arena.longs();
            assert_eq!(longs, if size == LARGE { LONGS } else { LONGS / 2 });
            for count in 1..=longs {
                let (length, distance) = arena.pieces(count);
                assert!(length > 0 && arena.split() + count * distance <= size, "{size} {count}");
            }
            let (length, _) = arena.pieces(longs);
            assert!(arena.longest() <= length || size < 1 << 20, "{size}: one piece is enough");
        }
        let of_long_run = |workers| Arena::of_long_run(workers).map(|arena| arena.size);
        assert_eq!(
            [1, 8, 16, 32].map(of_long_run),
            [Some(4 << 20), Some(4 << 20), Some(2 << 20), None]
        );
    }

    #[test]
    fn memory_is_reserved_at_once_and_touched_as_it_is_used() {
        let mut arena = Arena::largest(1 << 62, 1 << 20, 1 << 20).unwrap();
        assert!(arena.size.is_power_of_two() && arena.size >= 1 << 20);
        assert!(Arena::with_spare(1 << 20, 1 << 62).is_none());
        arena.place(0..3).copy_from_slice(b"abc");
        let before = arena.get(0..3).as_ptr();
        arena.place(9000..9001)[0] = 7;
        assert_eq!((arena.get(0..4), arena.get(9000..9001)), (&b"abc\0"[..], &[7][..]));
        assert_eq!(arena.get(0..3).as_ptr(), before);
        assert!(arena.get(4..9000).iter().all(|byte| *byte == 0));
        assert!(arena.next(0) == 0 && arena.next(1) == 64 && arena.next(64) == 64);
        assert_eq!(arena.next(arena.split() - 1), arena.split());
        assert_eq!(arena.get(0..1).as_ptr().align_offset(super::PAGE), 0);
    }
}
