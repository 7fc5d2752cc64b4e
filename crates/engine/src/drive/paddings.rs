//! Paddings of short ends, kept by the number of bytes that are padded.

use super::layout::MAX_BLOCK;
use crate::lanes::Unit;
use manylane_primitives::hash::Counter;
use smallvec::SmallVec;

/// What padding adds to the ends of messages that start alike and have one shape, by the number of
/// bytes that are padded.
pub struct Paddings<N> {
    /// Which ends these are: the blocks before, the bytes of the lead, the padded blocks.
    of: Option<(u64, usize, usize)>,
    /// For each number of bytes that are padded, which of the kept paddings is theirs, counted from
    /// 1; 0 if none is kept.
    pub numbers: [u8; MAX_BLOCK + 1],
    /// Padded blocks, with the lead and with zeros in place of the message.
    pub units: SmallVec<[Unit; 8]>,
    /// Their counters, where the hash counts.
    pub counters: SmallVec<[[Counter<N>; 2]; 1]>,
}

impl<N: Copy> Paddings<N> {
    /// Units that are kept at most, 16 KiB.
    const MOST: usize = 256;

    /// No paddings, and no memory for them.
    pub fn new() -> Self {
        let (units, counters) = (SmallVec::new(), SmallVec::new());
        Self { of: None, numbers: [0; _], units, counters }
    }

    /// Forgets all paddings if they are of other ends than `of`, or if there is no room for `room`
    /// more units.
    pub fn start(&mut self, of: (u64, usize, usize), room: usize) {
        if self.of != Some(of) || self.units.len() + room > Self::MOST {
            self.of = Some(of);
            self.numbers.fill(0);
            self.units.clear();
            self.counters.clear();
        }
    }

    /// Keeps the padding of `bytes` bytes: its units, of which all paddings here have the same
    /// number, and its counters.
    pub fn add(&mut self, bytes: usize, units: &[Unit], counters: Option<[Counter<N>; 2]>) {
        self.units.extend_from_slice(units);
        self.numbers[bytes] = (self.units.len() / units.len()) as u8;
        if let Some(counters) = counters {
            self.counters.push(counters);
        }
    }
}
