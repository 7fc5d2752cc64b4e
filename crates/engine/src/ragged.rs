//! The driver: messages of any lengths over the lanes of a kernel.
//!
//! ```text
//! lane 0  ████████████████████▒│███████▒│████▒        █ whole blocks of a message
//! lane 1  ██████████████████▒│██████▒│█████▒          ▒ its padded end
//! lane 2  ████████████████▒│███████▒│█████▒           │ the lane takes the next message
//! lane 3  ██████████████▒│█████████▒│█████▒
//!         ├──┤ one kernel call: as many blocks as every lane has ready
//! ```
//!
//! When no message is left to take and lanes fall idle, those still busy move on to the kernel
//! that suits their number.

use crate::choice::Choice;
use crate::kernel::{Kernel, MAX_LANES, N, Runs};
use crate::stream::MAX_BLOCK;
use manylane_primitives::hash::{Hash, Padded, Tail};
use manylane_primitives::word::Words;

/// A chaining value.
pub type State<H> = <H as Hash>::State<N<H>>;

/// One message, or the next part of one, to be folded into a chaining value.
pub struct Job<'m, H: Hash> {
    /// Comes back with the result.
    pub index: usize,
    /// The chaining value to start from.
    pub state: State<H>,
    /// Whole blocks already in `state`.
    pub blocks_before: u64,
    /// What follows them, at most a block: the common beginning of several messages that fills no
    /// whole block.
    pub lead: &'m [u8],
    /// What follows the lead.
    pub bytes: &'m [u8],
    /// Whether the message ends here: its last blocks are padded. Otherwise `bytes` is a whole
    /// number of blocks, of which none is the last.
    pub ends: bool,
}

/// What a lane works on.
struct Lane<'m, H: Hash> {
    index: usize,
    busy: bool,
    blocks_before: u64,
    /// The block that the lead begins, and whether it is still to be compressed.
    head: [u8; MAX_BLOCK],
    head_ready: bool,
    /// Whole blocks not yet compressed.
    body: &'m [u8],
    /// What comes after the body, to be padded; `None` once it is, or if the message goes on.
    rest: Option<&'m [u8]>,
    padded: Padded<N<H>>,
    /// Blocks of `padded` that are done.
    padded_done: usize,
}

impl<H: Hash> Lane<'_, H> {
    fn idle() -> Self {
        Self {
            index: 0,
            busy: false,
            blocks_before: 0,
            head: [0; MAX_BLOCK],
            head_ready: false,
            body: &[],
            rest: None,
            padded: Padded::new(),
            padded_done: 0,
        }
    }

    /// The blocks that can be compressed in one go, and how many they are.
    fn ready(&self, block_bytes: usize) -> (&[u8], usize) {
        if self.head_ready {
            return (&self.head, 1);
        }
        if !self.body.is_empty() {
            return (self.body, self.body.len() / block_bytes);
        }
        let blocks = self.padded.blocks - self.padded_done;
        // Counters of padded blocks do not go up in step: one block at a time.
        let blocks = if H::COUNTED { blocks.min(1) } else { blocks };
        (&self.padded.bytes[self.padded_done * block_bytes..], blocks)
    }

    /// Whether the padded end is all that is left.
    fn is_at_end(&self) -> bool {
        !self.head_ready && self.body.is_empty()
    }

    /// Pads the end once the rest is done.
    fn pad_if_due(&mut self, hash: &H, block_bytes: usize) {
        if let (true, Some(rest)) = (self.is_at_end(), self.rest) {
            let bytes = u128::from(self.blocks_before) * block_bytes as u128 + rest.len() as u128;
            hash.pad(&Tail { bytes: rest, total_bits: 8 * bytes }, &mut self.padded);
            self.padded_done = 0;
            self.rest = None;
        }
    }

    fn is_done(&self) -> bool {
        self.is_at_end() && self.rest.is_none() && self.padded_done == self.padded.blocks
    }
}

/// The lanes of one kernel.
struct Lanes<'m, 'h, H: Runs> {
    hash: &'h H,
    block_bytes: usize,
    kernel: &'static Kernel<H>,
    lanes: [Lane<'m, H>; MAX_LANES],
    /// Word i of lane l at `i * kernel.lanes + l`.
    state: Vec<N<H>>,
    counters: Vec<N<H>>,
    busy: usize,
}

impl<'m, H: Runs> Lanes<'m, '_, H> {
    fn set_kernel(&mut self, kernel: &'static Kernel<H>) {
        self.kernel = kernel;
        self.state.clear();
        self.state.resize(Kernel::<H>::STATE * kernel.lanes, N::<H>::default());
        self.counters.clear();
        self.counters.resize(if H::COUNTED { 2 * kernel.lanes } else { 0 }, N::<H>::default());
    }

    fn put_state(&mut self, lane: usize, state: &State<H>) {
        for (i, &word) in state.as_ref().iter().enumerate() {
            self.state[i * self.kernel.lanes + lane] = word;
        }
    }

    fn state(&self, lane: usize) -> State<H> {
        let mut state = State::<H>::splat(N::<H>::default());
        for (i, word) in state.as_mut().iter_mut().enumerate() {
            *word = self.state[i * self.kernel.lanes + lane];
        }
        state
    }

    /// Starts `job` on an idle lane.
    fn start(&mut self, at: usize, job: Job<'m, H>) {
        self.put_state(at, &job.state);
        let block_bytes = self.block_bytes;
        let length = job.lead.len() + job.bytes.len();
        let total = job.blocks_before * block_bytes as u64 + length as u64;
        let whole = match job.ends {
            true => (self.hash.whole_blocks(total) - job.blocks_before) as usize,
            false => length / block_bytes,
        };
        let lane = &mut self.lanes[at];
        lane.index = job.index;
        lane.busy = true;
        lane.blocks_before = job.blocks_before;
        lane.head_ready = false;
        let (mut body_blocks, mut bytes) = (whole, job.bytes);
        if !job.lead.is_empty() {
            // The lead and what completes its block; or, if nothing does, the whole end.
            let completion = bytes.len().min(block_bytes - job.lead.len());
            let (first, others) = bytes.split_at(completion);
            lane.head[..job.lead.len()].copy_from_slice(job.lead);
            lane.head[job.lead.len()..][..completion].copy_from_slice(first);
            lane.head_ready = whole > 0;
            body_blocks = whole.saturating_sub(1);
            bytes = others;
        }
        let (body, rest) = bytes.split_at(body_blocks * block_bytes);
        lane.body = body;
        lane.rest = job.ends.then_some(rest);
        lane.padded.blocks = 0;
        lane.padded_done = 0;
        if whole == 0 && !job.lead.is_empty() && job.ends {
            let tail = Tail { bytes: &lane.head[..length], total_bits: 8 * u128::from(total) };
            self.hash.pad(&tail, &mut lane.padded);
            lane.rest = None;
        }
        lane.pad_if_due(self.hash, block_bytes);
        self.busy += 1;
    }

    /// Compresses as many blocks as every busy lane has ready.
    fn step(&mut self) {
        let lanes = self.kernel.lanes;
        if H::COUNTED {
            for (l, lane) in self.lanes[..lanes].iter().enumerate().filter(|(_, lane)| lane.busy) {
                let t = match lane.is_at_end() {
                    true => lane.padded.counters[lane.padded_done],
                    false => self.hash.counter(lane.blocks_before),
                };
                self.counters[l] = t[0];
                self.counters[lanes + l] = t[1];
            }
        }
        let mut inputs: [&[u8]; MAX_LANES] = [&[]; MAX_LANES];
        let mut blocks = usize::MAX;
        let mut any: &[u8] = &[];
        for (input, lane) in inputs.iter_mut().zip(&self.lanes[..lanes]) {
            if lane.busy {
                let (bytes, ready) = lane.ready(self.block_bytes);
                *input = bytes;
                if ready < blocks {
                    blocks = ready;
                    any = bytes;
                }
            }
        }
        if self.busy < lanes {
            for (input, _) in inputs.iter_mut().zip(&self.lanes[..lanes]).filter(|(_, l)| !l.busy) {
                *input = any;
            }
        }
        self.kernel.compress(
            self.hash,
            &mut self.state,
            &mut self.counters,
            &inputs[..lanes],
            blocks,
        );
        for lane in self.lanes[..lanes].iter_mut().filter(|lane| lane.busy) {
            if lane.is_at_end() {
                lane.padded_done += blocks;
                continue;
            }
            if lane.head_ready {
                lane.head_ready = false;
            } else {
                lane.body = &lane.body[blocks * self.block_bytes..];
            }
            lane.blocks_before += blocks as u64;
            lane.pad_if_due(self.hash, self.block_bytes);
        }
    }
}

/// Runs every job to its end and hands each final chaining value to `done`, in no certain order.
///
/// `expected` is about how many jobs will come. Memory: the chaining values and padded blocks of
/// the widest kernel, at most 20 KiB.
pub fn run<'m, H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    expected: usize,
    jobs: &mut dyn Iterator<Item = Job<'m, H>>,
    done: &mut dyn FnMut(usize, &State<H>),
) {
    let mut lanes = Lanes {
        hash,
        block_bytes: hash.block_bytes(),
        kernel: choice.for_count(expected),
        lanes: std::array::from_fn(|_| Lane::idle()),
        state: Vec::new(),
        counters: Vec::new(),
        busy: 0,
    };
    lanes.set_kernel(lanes.kernel);
    // Messages taken off a wider kernel, the next to go on last.
    let mut parked: Vec<(Lane<H>, State<H>)> = Vec::new();
    let mut exhausted = false;
    loop {
        for l in 0..lanes.kernel.lanes {
            while !lanes.lanes[l].busy && (!exhausted || !parked.is_empty()) {
                if let Some((lane, state)) = parked.pop() {
                    lanes.put_state(l, &state);
                    lanes.lanes[l] = lane;
                    lanes.busy += 1;
                } else if let Some(job) = jobs.next() {
                    lanes.start(l, job);
                    if lanes.lanes[l].is_done() {
                        lanes.finish(l, done);
                    }
                } else {
                    exhausted = true;
                }
            }
        }
        if lanes.busy == 0 {
            return;
        }
        if exhausted && parked.is_empty() && lanes.busy < lanes.kernel.lanes {
            let better = choice.for_count(lanes.busy);
            if !std::ptr::eq(better, lanes.kernel) {
                for l in 0..lanes.kernel.lanes {
                    if lanes.lanes[l].busy {
                        let state = lanes.state(l);
                        parked.push((std::mem::replace(&mut lanes.lanes[l], Lane::idle()), state));
                    }
                }
                lanes.busy = 0;
                // Longest last, to be taken first.
                parked.sort_by_key(|(lane, _)| lane.body.len());
                lanes.set_kernel(better);
                continue;
            }
        }
        lanes.step();
        for l in 0..lanes.kernel.lanes {
            if lanes.lanes[l].busy && lanes.lanes[l].is_done() {
                lanes.finish(l, done);
            }
        }
    }
}

impl<H: Runs> Lanes<'_, '_, H> {
    /// Gives the result of a lane and frees it.
    fn finish(&mut self, lane: usize, done: &mut dyn FnMut(usize, &State<H>)) {
        done(self.lanes[lane].index, &self.state(lane));
        self.lanes[lane].busy = false;
        self.busy -= 1;
    }
}
