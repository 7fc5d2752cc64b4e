//! Ends of messages that wait until there are enough of them for a call of a kernel.

use super::inputs::Inputs;
use super::layout::State;
use crate::kernels::kernel::N;
use crate::kernels::runs::Runs;
use manylane_primitives::hash::Counter;

/// Half the number of ends for which memory is allocated at first.
const FIRST_ENDS: usize = 8;

/// Ends with equal numbers of padded blocks, one after the other.
pub struct Waiting<H: Runs> {
    /// The numbers of the messages.
    pub indices: Vec<usize>,
    /// The chaining values before the ends.
    pub states: Vec<State<H>>,
    /// The counters of the padded blocks, if the hash has a counter.
    pub counters: Vec<[Counter<N<H>>; 2]>,
    /// The padded blocks, and room for more.
    bytes: Vec<u8>,
}

impl<H: Runs> Waiting<H> {
    /// No ends, and no memory for them.
    pub fn new() -> Self {
        let (indices, states) = (Vec::new(), Vec::new());
        Self { indices, states, counters: Vec::new(), bytes: Vec::new() }
    }

    /// Adds an end of `end_bytes` bytes, as many as every end here has, and the chaining value
    /// before it. Returns where the padded blocks are to be written.
    pub fn add(&mut self, index: usize, state: &State<H>, end_bytes: usize) -> &mut [u8] {
        let from = self.indices.len() * end_bytes;
        self.indices.push(index);
        self.states.push(*state);
        if self.bytes.len() < from + end_bytes {
            self.bytes.resize(2 * (from + end_bytes).max(FIRST_ENDS * end_bytes), 0);
        }
        &mut self.bytes[from..from + end_bytes]
    }

    /// Puts the padded blocks of each end from number `from` on, `end_bytes` bytes each, into
    /// `inputs`.
    pub fn put_ends<'w>(&'w self, from: usize, end_bytes: usize, inputs: &mut Inputs<'w>) {
        let bytes = &self.bytes[from * end_bytes..self.indices.len() * end_bytes];
        inputs.put_blocks(bytes, end_bytes, end_bytes, usize::MAX);
    }

    /// Removes the ends from number `count` on.
    pub fn truncate(&mut self, count: usize) {
        self.indices.truncate(count);
        self.states.truncate(count);
        self.counters.truncate(count);
    }
}
