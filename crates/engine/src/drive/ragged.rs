//! The driver: whole blocks of messages of any lengths over the lanes of a kernel.
//!
//! ```text
//! lane 0  ████████████████████│███████│████        █ whole blocks of a message
//! lane 1  ██████████████████│██████│█████          │ the lane takes the next message
//! lane 2  ████████████████│███████│█████
//! lane 3  ██████████████│█████████│█████
//!         ├────────────┤ one kernel call: as many blocks as every lane has left
//! ```
//!
//! When no message is left to take and lanes fall idle, those still busy move on to the kernel
//! that suits their number.

use super::layout::{MAX_BLOCK, State, get, get_counter, put, put_counter};
use crate::kernels::kernel::{Kernel, MAX_LANES, N};
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;
use manylane_primitives::hash::{Counter, Hash};

/// Whole blocks to be folded into a chaining value, at least one.
pub struct Job<'m, 'l, H: Hash> {
    /// The number of the job, returned with its result.
    pub index: usize,
    /// The chaining value to start from.
    pub state: &'l State<H>,
    /// Whole blocks already in `state`.
    pub blocks_before: u64,
    /// The bytes that follow these blocks and lie apart from `bytes`, at most a block. A whole
    /// block is one that the hash held back because it may be the last. They are copied when the
    /// job starts.
    pub lead: &'l [u8],
    /// The bytes that follow the lead and complete blocks with it.
    pub bytes: &'m [u8],
}

/// The source of jobs, which also takes their results.
pub trait Jobs<'m, H: Hash> {
    /// The next job, if there is one. After any job's end there may be one again.
    fn next(&mut self) -> Option<Job<'m, '_, H>>;
    /// Takes the chaining value after the last block of job `index`.
    fn done(&mut self, index: usize, state: &State<H>);
}

/// A job taken off a wider kernel.
struct Parked<'m, H: Hash> {
    index: usize,
    state: State<H>,
    counter: Counter<N<H>>,
    blocks: &'m [u8],
}

/// The contents of one kernel's lanes; the parts are arrays by lane.
struct Slots<'m, 'h, H: Runs> {
    hash: &'h H,
    block_bytes: usize,
    kernel: &'h Kernel<H>,
    indices: [usize; MAX_LANES],
    /// Blocks that can be compressed before the lane is looked at again, at most `u16::MAX`; none
    /// on an idle lane. The least of 16-bit numbers is found in a few instructions.
    left: [u16; MAX_LANES],
    /// The place of these blocks, without a head. An idle lane has the blocks of any other lane.
    blocks: [&'m [u8]; MAX_LANES],
    /// The blocks that a lead begins.
    heads: Vec<[u8; MAX_BLOCK]>,
    /// The lanes whose head is still to be compressed, as bits.
    with_head: u64,
    /// Word i of lane l at `i * kernel.lanes + l`.
    state: Vec<N<H>>,
    counters: Vec<N<H>>,
    busy: usize,
}

impl<'m, 'h, H: Runs> Slots<'m, 'h, H> {
    fn set_kernel(&mut self, kernel: &'h Kernel<H>) {
        self.kernel = kernel;
        self.state.clear();
        self.state.resize(Kernel::<H>::STATE * kernel.lanes, N::<H>::default());
        self.counters.clear();
        self.counters.resize(H::COUNTER_WORDS * kernel.lanes, N::<H>::default());
    }

    /// Whole blocks of a lane, or `u16::MAX` if there are more.
    fn blocks_of(&self, lane: usize) -> u16 {
        u16::try_from(self.blocks[lane].len() / self.block_bytes).unwrap_or(u16::MAX)
    }

    fn state(&self, lane: usize) -> State<H> {
        get::<H>(&self.state, self.kernel.lanes, lane, Kernel::<H>::STATE)
    }

    /// Fills an idle lane with a job's number, chaining value, counter and blocks.
    fn put(
        &mut self,
        lane: usize,
        index: usize,
        state: &State<H>,
        counter: Counter<N<H>>,
        blocks: &'m [u8],
    ) {
        put(state, &mut self.state, self.kernel.lanes, lane);
        put_counter::<H>(counter, &mut self.counters, self.kernel.lanes, lane);
        self.indices[lane] = index;
        self.blocks[lane] = blocks;
        self.left[lane] = self.blocks_of(lane);
        self.busy += 1;
    }

    /// Starts `job` on an idle lane.
    fn start(&mut self, lane: usize, job: Job<'m, '_, H>) {
        let Job { index, state, blocks_before, lead, bytes } = job;
        let mut counter = Counter::default();
        if H::COUNTER_WORDS > 0 {
            counter = self.hash.counter(blocks_before);
        }
        let completion = match lead.len() {
            0 => 0,
            begun => self.block_bytes - begun,
        };
        let (completion, blocks) = bytes.split_at(completion);
        self.put(lane, index, state, counter, blocks);
        if !lead.is_empty() {
            self.heads.resize(MAX_LANES, [0; MAX_BLOCK]);
            let (begun, others) = self.heads[lane].split_at_mut(lead.len());
            begun.copy_from_slice(lead);
            others[..completion.len()].copy_from_slice(completion);
            self.with_head |= 1 << lane;
            self.left[lane] = 1;
        }
    }

    /// Takes the job off a lane that has no head.
    fn park(&mut self, lane: usize) -> Parked<'m, H> {
        let counter = get_counter::<H>(&self.counters, self.kernel.lanes, lane);
        let state = self.state(lane);
        self.left[lane] = 0;
        self.busy -= 1;
        Parked { index: self.indices[lane], state, counter, blocks: self.blocks[lane] }
    }

    /// Compresses as many blocks as every busy lane has left.
    fn step(&mut self) {
        let lanes = self.kernel.lanes;
        let mut fewest = u16::MAX - 1;
        for &left in &self.left[..lanes] {
            // For an idle lane, which has no block left, the difference wraps to the greatest
            // number.
            fewest = fewest.min(left.wrapping_sub(1));
        }
        let blocks = usize::from(fewest) + 1;
        if self.busy < lanes {
            let of_all = |lane: &usize| self.left[*lane] > 0 && self.with_head >> lane & 1 == 0;
            let any = (0..lanes).find(of_all).map_or(&[][..], |lane| self.blocks[lane]);
            for lane in 0..lanes {
                if self.left[lane] == 0 {
                    self.blocks[lane] = any;
                }
            }
        }
        if self.with_head == 0 {
            let Self { hash, state, counters, .. } = self;
            self.kernel.compress(hash, state, counters, &self.blocks[..lanes], blocks);
            for (bytes, left) in self.blocks.iter_mut().zip(&mut self.left).take(lanes) {
                *bytes = &bytes[blocks * self.block_bytes..];
                *left = left.saturating_sub(fewest + 1);
            }
        } else {
            self.step_heads();
        }
    }

    /// Compresses one block of every lane, of which some are heads.
    fn step_heads(&mut self) {
        let lanes = self.kernel.lanes;
        let mut inputs = [&self.heads[self.with_head.trailing_zeros() as usize][..]; MAX_LANES];
        for (lane, input) in inputs.iter_mut().enumerate().take(lanes) {
            if self.with_head >> lane & 1 == 1 {
                *input = &self.heads[lane];
            } else if self.left[lane] > 0 {
                *input = self.blocks[lane];
            }
        }
        let (state, counters) = (&mut self.state, &mut self.counters);
        self.kernel.compress(self.hash, state, counters, &inputs[..lanes], 1);
        for lane in 0..lanes {
            if self.with_head >> lane & 1 == 1 {
                self.left[lane] = self.blocks_of(lane);
            } else if self.left[lane] > 0 {
                self.blocks[lane] = &self.blocks[lane][self.block_bytes..];
                self.left[lane] -= 1;
            }
        }
        self.with_head = 0;
    }
}

/// Runs every job to its end, in no certain order.
///
/// `expected` is about how many jobs will come. Memory: what the widest kernel works on, and the
/// heads of its lanes, at most 11 KiB.
pub fn run<'m, H: Runs>(hash: &H, choice: &Choice<H>, expected: usize, jobs: &mut dyn Jobs<'m, H>) {
    let mut slots = Slots {
        hash,
        block_bytes: hash.block_bytes(),
        kernel: choice.for_count(expected),
        indices: [0; MAX_LANES],
        left: [0; MAX_LANES],
        blocks: [&[]; MAX_LANES],
        heads: Vec::new(),
        with_head: 0,
        state: Vec::new(),
        counters: Vec::new(),
        busy: 0,
    };
    slots.set_kernel(slots.kernel);
    // Jobs taken off a wider kernel; the last one goes on first.
    let mut parked: Vec<Parked<H>> = Vec::new();
    let mut exhausted = false;
    // Lanes that were busy before the step.
    let mut were_busy = 0u64;
    loop {
        for lane in 0..slots.kernel.lanes {
            if slots.left[lane] > 0 {
                continue;
            }
            if were_busy >> lane & 1 == 1 {
                if !slots.blocks[lane].is_empty() {
                    // The message had more blocks than `left` can count.
                    slots.left[lane] = slots.blocks_of(lane);
                    continue;
                }
                slots.busy -= 1;
                jobs.done(slots.indices[lane], &slots.state(lane));
                exhausted = false;
                were_busy &= !(1 << lane);
            }
            if let Some(Parked { index, state, counter, blocks }) = parked.pop() {
                slots.put(lane, index, &state, counter, blocks);
            } else if exhausted {
                continue;
            } else if let Some(job) = jobs.next() {
                slots.start(lane, job);
            } else {
                exhausted = true;
                continue;
            }
            were_busy |= 1 << lane;
        }
        if slots.busy == 0 {
            return;
        }
        if exhausted && parked.is_empty() && slots.busy < slots.kernel.lanes && slots.with_head == 0
        {
            let better = choice.for_count(slots.busy);
            if !std::ptr::eq(better, slots.kernel) {
                for lane in 0..slots.kernel.lanes {
                    if slots.left[lane] > 0 {
                        // The longest comes last, so that it is taken first.
                        let job = slots.park(lane);
                        let shorter = |other: &Parked<H>| other.blocks.len() <= job.blocks.len();
                        parked.insert(parked.partition_point(shorter), job);
                    }
                }
                were_busy = 0;
                slots.set_kernel(better);
                continue;
            }
        }
        slots.step();
    }
}
