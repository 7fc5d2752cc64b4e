//! Chains: messages whose input is the digest of the one before, over the lanes of a kernel.
//!
//! ```text
//! lane 0  ─►█─►█─►█─►█─►█─►█─►│█─►█─►█        █ a step: the digest goes back into the lane's block
//! lane 1  ─►█─►█─►█─►│█─►█─►█─►█─►█           │ the lane takes the next chain
//! lane 2  ─►█─►█─►│█─►█─►█─►█─►█
//! ```
//!
//! Between steps the state of a lane is in its blocks alone. An idle lane therefore takes the
//! blocks of the last lane, and the busy lanes continue with a narrower kernel without a
//! conversion.

use super::longest::LongestFirst;
use super::rows::{RowHash, Scratch};
use super::template::Area;
use crate::kernels::runs::Runs;
use std::ops::Range;

/// What the chains of a batch start from; the states lie in the output.
#[derive(Clone, Copy)]
pub struct Chains<'c> {
    /// Addresses, one after the other.
    pub addresses: &'c [u8],
    /// The numbers of each chain's steps.
    pub steps: &'c [Range<u64>],
    /// Where in the address the number of a step is written, most significant byte first; at most
    /// eight bytes.
    pub counter: Option<(usize, usize)>,
}

/// A chain in a lane.
#[derive(Clone)]
struct Lane {
    index: usize,
    /// The steps to come.
    steps: Range<u64>,
}

/// The next of the chains that have steps.
fn next(order: &mut LongestFirst, steps: &[Range<u64>]) -> Option<Lane> {
    let length = |i: usize| (!steps[i].is_empty()).then(|| steps[i].end - steps[i].start);
    let index = order.next(&length)?;
    Some(Lane { index, steps: steps[index].clone() })
}

/// Puts the chain with the most steps to come last.
fn sort(lanes: &mut [Lane]) {
    lanes.sort_by_key(|lane| lane.steps.end - lane.steps.start);
}

/// Takes each chain's state through its steps.
pub fn run<H: Runs>(
    rows: &RowHash<H>,
    scratch: &mut Option<Scratch<H>>,
    chains: Chains,
    states: &mut [u8],
) {
    let mut order = LongestFirst::of(chains.steps.len());
    let mut lanes: Vec<Lane> = Vec::new();
    // Chains taken off a wider kernel.
    let mut parked: Vec<Lane> = Vec::new();
    let scratch = rows.at_hand(scratch, chains.steps.len());
    loop {
        let mut at = 0;
        while at < lanes.len() {
            if !lanes[at].steps.is_empty() {
                at += 1;
                continue;
            }
            save(rows, scratch, at, &lanes[at], states);
            if let Some(lane) = parked.pop().or_else(|| next(&mut order, chains.steps)) {
                load(rows, chains, scratch, at, &lane, states);
                lanes[at] = lane;
                at += 1;
            } else {
                lanes.swap_remove(at);
                scratch.area.move_lane(lanes.len(), at);
            }
        }
        while lanes.len() < scratch.area.kernel.lanes {
            let Some(lane) = parked.pop().or_else(|| next(&mut order, chains.steps)) else { break };
            load(rows, chains, scratch, lanes.len(), &lane, states);
            lanes.push(lane);
        }
        if lanes.is_empty() {
            return;
        }
        if lanes.len() < scratch.area.kernel.lanes {
            let better = rows.choice.for_count(lanes.len());
            while lanes.len() > better.lanes {
                let lane = lanes.pop().expect("more than none");
                save(rows, scratch, lanes.len(), &lane, states);
                parked.push(lane);
            }
            sort(&mut parked);
            scratch.set_kernel(better, rows);
        }
        let steps = lanes.iter().map(|lane| lane.steps.end - lane.steps.start).min();
        for _ in 0..steps.unwrap_or(0) {
            scratch.step(rows, lanes.len());
            for (at, lane) in lanes.iter_mut().enumerate() {
                lane.steps.start += 1;
                if let Some((place, bytes)) = chains.counter {
                    let from = rows.address.start + place;
                    count_on(&mut scratch.area, at, from..from + bytes, lane.steps.start);
                }
            }
        }
    }
}

/// Puts a chain on an idle lane.
fn load<H: Runs>(
    rows: &RowHash<H>,
    chains: Chains,
    scratch: &mut Scratch<H>,
    at: usize,
    lane: &Lane,
    states: &[u8],
) {
    let blocks = scratch.area.lane(at);
    let length = rows.address.len();
    let address = &mut blocks[rows.address.clone()];
    address.copy_from_slice(&chains.addresses[lane.index * length..][..length]);
    if let Some((place, bytes)) = chains.counter {
        address[place..place + bytes].copy_from_slice(&lane.steps.start.to_be_bytes()[8 - bytes..]);
    }
    let state = &states[lane.index * rows.output..][..rows.output];
    blocks[rows.input.clone()].copy_from_slice(state);
}

/// Takes the state of a chain off its lane.
fn save<H: Runs>(
    rows: &RowHash<H>,
    scratch: &mut Scratch<H>,
    at: usize,
    lane: &Lane,
    states: &mut [u8],
) {
    let state = &mut states[lane.index * rows.output..][..rows.output];
    state.copy_from_slice(&scratch.area.lane(at)[rows.input.clone()]);
}

/// Replaces `number - 1` in the blocks of a lane by `number`, most significant byte first. Without
/// a carry only the last byte changes.
#[inline(always)]
fn count_on<H: Runs>(area: &mut Area<H>, lane: usize, field: Range<usize>, number: u64) {
    *area.byte(lane, field.end - 1) = number as u8;
    if number as u8 == 0 {
        let bytes = field.len();
        area.lane(lane)[field].copy_from_slice(&number.to_be_bytes()[8 - bytes..]);
    }
}
