//! Which calls of which kernels a batch takes.
//!
//! The messages of a batch may take several calls, of several kernels: 19 messages of SHA-1 take a
//! call of 16 lanes and a call of three. The time of n messages of b blocks is the minimum, over
//! all kernels, of the time of one call and the time of the messages that it leaves:
//!
//! ```text
//! time(0) = 0,    time(n) = min over kernels of  setup + b * block_time + time(n - lanes)
//! ```
//!
//! `setup` is the driver's time to fill and to empty lanes: half of the time of a message of one
//! block, and negligible for long messages.
//!
//! A core that was not measured goes by the tables of several others. No calls take the least time
//! on all of these cores. For each core, the time of some calls is a multiple of the least time
//! there; the calls are chosen whose greatest multiple is least.

use super::driver::{DriverTimes, has_streams};
use super::times::{KernelName, Times};
use crate::cpu::Engine;
use crate::kernels::kernel::{Kernel, MAX_LANES};
use crate::kernels::runs::Runs;
use crate::kernels::shell::scalar_time;

/// Up to this number of messages, all calls are chosen together. A batch of more messages begins
/// with calls of the kernel that takes least time per message, whatever follows.
const PLANNED: usize = 2 * MAX_LANES;

/// The most messages of a batch for which a shorter path calls the same kernels with less
/// preparation.
pub(crate) const FEWEST: usize = 8;

/// Messages of 1, of 2 and 3, of 4 to 7, and so on, and of 64 and more blocks each have a plan of
/// their own.
pub(super) const SIZES: usize = 7;

/// The calls for messages of about one size.
#[derive(Clone, Copy)]
pub(super) struct CallPlan {
    /// `first[n]` is the index of the kernel of the first call for n messages. The messages that
    /// this call leaves begin with `first[n - lanes]`.
    pub first: [u8; PLANNED + 1],
    /// The index of the kernel that takes least time per message.
    pub fastest: u8,
    /// Bit n is set if a batch of n messages, fewer than 64, takes the least time one by one.
    pub one_by_one: u64,
}

/// The index of the plan for messages of `blocks` blocks, padding among them.
#[inline(always)]
pub(super) fn size_of(blocks: usize) -> usize {
    (blocks.max(1).ilog2() as usize).min(SIZES - 1)
}

/// The properties of a kernel that a plan needs.
pub(super) struct PricedCall {
    kernel: KernelName,
    /// Nanoseconds of a call per block, on each of the cores by whose times the plan is made.
    block_times: Vec<f32>,
}

impl PricedCall {
    /// The call of a kernel whose own time is in units of so many nanoseconds, on cores with these
    /// times, or on one core where there are none.
    pub fn of<H: Runs>(kernel: &Kernel<H>, unit: f32, cores: &[&Times]) -> Self {
        // Without optimisation each of a kernel's thousands of words has a place of its own on the
        // stack. Kernels of several lanes then take up to 9 MB, those of one message less than
        // 1 MB; the stack of a thread has 2 MiB.
        let too_deep = if cfg!(unoptimised) && kernel.lanes > 1 { 1e6 } else { 1.0 };
        let name = kernel.name();
        let measured = |times: &&Times| Some(weight(kernel) * times.get(name)? as f32);
        let measured: Option<Vec<f32>> = cores.iter().map(measured).collect();
        // Unless all cores have a time of this kernel, its own time serves: a multiple of the
        // scalar kernel's time.
        let scalar = KernelName { engine: Engine::Scalar, lanes: 1 };
        let unit_of = |times: &&Times| times.get(scalar).map_or(unit, |time| time as f32);
        let mut block_times = match (measured, cores) {
            (_, []) => vec![kernel.block_time * unit],
            (Some(times), _) => times,
            (None, _) => cores.iter().map(|core| kernel.block_time * unit_of(core)).collect(),
        };
        block_times.iter_mut().for_each(|time| *time *= too_deep);
        Self { kernel: name, block_times }
    }

    /// Nanoseconds of a call for messages of `blocks` blocks on core number `core`, with the
    /// nanoseconds of its setup.
    fn time(&self, core: usize, blocks: usize, setup: f32) -> f32 {
        blocks as f32 * self.block_times[core] + setup
    }
}

/// The plans for messages of each [size](size_of). Not generic, to be compiled once for all hashes.
pub(super) fn plans(calls: &[PricedCall], driver: &DriverTimes) -> [CallPlan; SIZES] {
    std::array::from_fn(|size| {
        // The blocks of the shortest messages of this size, for which the setup counts most. For
        // long messages the setup does not count.
        let blocks = 1 << size;
        let counts = size + 1 < SIZES;
        let setup = |kernel, count| if counts { driver.setup(kernel, count, blocks) } else { 0.0 };
        let of_few = |kernel, count| match counts {
            true => driver.setup_of_few(kernel, count, blocks),
            false => 0.0,
        };
        let mut plan = CallPlan::of(calls, blocks, PLANNED, &setup);
        let of_many = |kernel, _| if counts { driver.setup_of_many(kernel, blocks) } else { 0.0 };
        plan.fastest = FullCalls::of(calls, blocks, &of_many).fastest();
        let few = CallPlan::of(calls, blocks, FEWEST, &of_few);
        for count in 1..64 {
            let is_alone = match count {
                ..=FEWEST => calls[usize::from(few.first[count])].kernel.lanes == 1,
                _ => plan.loses_to_one_by_one(calls, blocks, count, &setup, driver.batch),
            };
            plan.one_by_one |= u64::from(is_alone) << count;
        }
        plan
    })
}

impl CallPlan {
    /// The plan that takes the least time for up to `most` messages of `blocks` blocks, if
    /// `setup(kernel, count)` nanoseconds are added to the time of each call. For several cores:
    /// the plan that loses least on the core where it loses most.
    fn of(
        calls: &[PricedCall],
        blocks: usize,
        most: usize,
        setup: &dyn Fn(KernelName, usize) -> f32,
    ) -> Self {
        let full = FullCalls::of(calls, blocks, setup);
        let (cores, fastest) = (full.cores, full.fastest());
        let FullCalls { times: full, order, .. } = full;
        // For each core and number of messages, the least time, and that of the calls that are
        // chosen.
        let mut least = vec![[0.0; PLANNED + 1]; cores];
        let mut chosen = least.clone();
        let mut first = [fastest; PLANNED + 1];
        for count in 1..=most {
            let total = |index: usize, core: usize, sums: &[[f32; PLANNED + 1]]| {
                let call = &calls[index];
                match count.checked_sub(call.kernel.lanes) {
                    Some(left) => full[index][core] + sums[core][left],
                    None => call.time(core, blocks, setup(call.kernel, count)),
                }
            };
            for core in 0..cores {
                let all = order.iter().map(|&index| total(index, core, &least));
                least[core][count] = all.fold(f32::INFINITY, f32::min);
            }
            let mut best = f32::INFINITY;
            for &index in &order {
                let loss = |core: usize| total(index, core, &chosen) / least[core][count];
                let worst = (0..cores).map(loss).fold(0.0, f32::max);
                // These calls in another order differ by rounding only: then the call that takes
                // least time per message comes first, and the last is the one with idle lanes.
                if worst < best * (1.0 - 1e-5) {
                    (best, first[count]) = (worst, index as u8);
                }
            }
            for core in 0..cores {
                chosen[core][count] = total(usize::from(first[count]), core, &chosen);
            }
        }
        first[0] = first[1];
        Self { first, fastest, one_by_one: 0 }
    }

    /// Whether this plan begins a batch of `count` messages with a call of several messages on
    /// SHA-NI, but on every core takes longer for it, with `batch` nanoseconds for the beginning of
    /// the batch, than the messages take one by one.
    fn loses_to_one_by_one(
        &self,
        calls: &[PricedCall],
        blocks: usize,
        count: usize,
        setup: &dyn Fn(KernelName, usize) -> f32,
        batch: f32,
    ) -> bool {
        let first = &calls[usize::from(self.first[count])];
        let cores = first.block_times.len();
        has_streams(first.kernel)
            && (0..cores).all(|core| {
                let alone = calls.iter().filter(|call| call.kernel.lanes == 1);
                let alone = alone.map(|call| call.time(core, blocks, setup(call.kernel, 1)));
                let (mut planned, mut left) = (batch, count);
                while left > 0 {
                    let call = &calls[usize::from(self.first[left])];
                    planned += call.time(core, blocks, setup(call.kernel, left));
                    left = left.saturating_sub(call.kernel.lanes);
                }
                count as f32 * alone.fold(f32::INFINITY, f32::min) < planned
            })
    }
}

/// Calls whose lanes all have a message.
struct FullCalls {
    cores: usize,
    /// The time of each call on each core. It is computed once, since most calls are such and a
    /// program's first digest waits for the plans.
    times: Vec<Vec<f32>>,
    /// The calls by time per message, least first; for several cores, by its ratio to the least
    /// time on the core where this ratio is greatest.
    order: Vec<usize>,
}

impl FullCalls {
    fn of(calls: &[PricedCall], blocks: usize, setup: &dyn Fn(KernelName, usize) -> f32) -> Self {
        let cores = calls.first().map_or(0, |call| call.block_times.len());
        let of_full = |call: &PricedCall| {
            let setup = setup(call.kernel, call.kernel.lanes);
            (0..cores).map(|core| call.time(core, blocks, setup)).collect()
        };
        let times: Vec<Vec<f32>> = calls.iter().map(of_full).collect();
        let per_lane =
            |index: usize, core: usize| times[index][core] / calls[index].kernel.lanes as f32;
        let least: Vec<f32> = (0..cores)
            .map(|core| (0..calls.len()).map(|of| per_lane(of, core)).fold(f32::INFINITY, f32::min))
            .collect();
        let per_message = |index: usize| {
            (0..cores).map(|core| per_lane(index, core) / least[core]).fold(0.0, f32::max)
        };
        // There are about a dozen kernels: inserting them in order needs none of the standard
        // library's code for sorting long slices.
        let mut order: Vec<usize> = Vec::new();
        for index in 0..calls.len() {
            let faster = |other: &usize| per_message(*other) <= per_message(index);
            order.insert(order.partition_point(faster), index);
        }
        Self { cores, times, order }
    }

    /// The number of the call that takes least time per message.
    fn fastest(&self) -> u8 {
        self.order.first().map_or(0, |&index| index as u8)
    }
}

/// The factor by which the time of a kernel is raised because it reads tables at secret addresses.
pub(super) fn weight<H: Runs>(kernel: &Kernel<H>) -> f32 {
    let looks_up = matches!(kernel.engine, Engine::Scalar | Engine::Bmi2 | Engine::Portable);
    if looks_up { scalar_time::<H>() } else { 1.0 }
}
