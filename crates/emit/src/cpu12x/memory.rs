//! Places in the work area.

use super::operand::{Address, Area};
use std::collections::BTreeMap;

/// Bytes of a processor's RAM that a compression uses.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Bytes of values that live to the end.
    pub kept: usize,
    /// The largest number of bytes of passing values at one time.
    pub passing: usize,
    /// The end of the passing places that are in use.
    end: usize,
    /// For each size in bytes the offsets of free places.
    free: BTreeMap<usize, Vec<usize>>,
}

impl Memory {
    /// A place for the rest of the program.
    pub fn keep(&mut self, bytes: usize) -> Address {
        self.kept += bytes;
        Address { area: Area::Kept, offset: self.kept - bytes }
    }

    /// A place until it is freed.
    pub fn pass(&mut self, bytes: usize) -> Address {
        let offset = match self.free.get_mut(&bytes).and_then(Vec::pop) {
            Some(offset) => offset,
            None => {
                self.end += bytes;
                self.passing = self.passing.max(self.end);
                self.end - bytes
            }
        };
        Address { area: Area::Passing, offset }
    }

    /// Frees a passing place; a kept one stays.
    pub fn free(&mut self, address: Address, bytes: usize) {
        if address.area == Area::Passing {
            self.free.entry(bytes).or_default().push(address.offset);
        }
    }

    /// Frees all passing places.
    pub fn clear(&mut self) {
        (self.end, self.free) = (0, BTreeMap::new());
    }
}
