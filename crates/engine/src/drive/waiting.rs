//! Ends of messages that wait until there are enough of them for a call of a kernel.

use super::layout::State;
use crate::kernels::kernel::N;
use crate::kernels::runs::Runs;
use manylane_primitives::hash::Counter;

/// Half the number of ends that there is room for at first.
const FEW: usize = 8;

/// Ends of as many blocks each, one after the other.
pub struct Waiting<H: Runs> {
    /// The numbers of the messages.
    pub indices: Vec<usize>,
    /// The chaining values before the ends.
    pub states: Vec<State<H>>,
    /// The counters of the padded blocks, if the hash counts.
    pub counters: Vec<[Counter<N<H>>; 2]>,
    /// The padded blocks, and room for more.
    bytes: Vec<u8>,
}

impl<H: Runs> Waiting<H> {
    pub fn new() -> Self {
        let (indices, states) = (Vec::new(), Vec::new());
        Self { indices, states, counters: Vec::new(), bytes: Vec::new() }
    }

    /// Adds an end of `end_bytes` bytes, like all the others, after a chaining value. Returns the
    /// place of its padded blocks.
    pub fn add(&mut self, index: usize, state: &State<H>, end_bytes: usize) -> &mut [u8] {
        let from = self.indices.len() * end_bytes;
        self.indices.push(index);
        self.states.push(*state);
        if self.bytes.len() < from + end_bytes {
            self.bytes.resize(2 * (from + end_bytes).max(FEW * end_bytes), 0);
        }
        &mut self.bytes[from..from + end_bytes]
    }

    /// The padded blocks of the ends from number `from` on, of which each has `end_bytes` bytes.
    pub fn ends(&self, from: usize, end_bytes: usize) -> impl Iterator<Item = &[u8]> {
        self.bytes[from * end_bytes..self.indices.len() * end_bytes].chunks_exact(end_bytes)
    }

    /// Removes the ends from number `count` on.
    pub fn truncate(&mut self, count: usize) {
        self.indices.truncate(count);
        self.states.truncate(count);
        self.counters.truncate(count);
    }
}
