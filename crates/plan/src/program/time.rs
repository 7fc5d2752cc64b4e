//! When a program is done: its actions charged at a platform's prices.

use super::run::{Position, iteration_of};
use super::{Action, MAIN, Program, TransferId};
use crate::costs::{CostError, node_costs};
use crate::platform::Platform;
use crate::time::{Ticks, cycles, ticks};
use std::collections::HashMap;

/// What everything takes on each processor.
#[derive(Clone, Debug)]
pub struct Prices {
    /// By processor, region and node of its body.
    nodes: Vec<Vec<Vec<Ticks>>>,
    /// By processor: to send a transfer, and each word of it.
    send: Vec<[Ticks; 2]>,
    /// By processor: to receive a transfer that is there, and each word of it.
    receive: Vec<[Ticks; 2]>,
    /// From the end of a send until the receiver can see it.
    latency: Ticks,
}

impl Prices {
    /// The prices of a platform for a program. A program of one processor runs on the platform's main
    /// core.
    ///
    /// # Errors
    /// If the platform lacks a cost or contradicts itself for a region's body.
    pub fn of(program: &Program, platform: &Platform) -> Result<Self, CostError> {
        let mut nodes = vec![Vec::new(); program.processors];
        for region in &program.rolled.regions {
            let costs = node_costs(&region.body, platform, None)?;
            for (of, costs) in nodes.iter_mut().zip(costs) {
                of.push(costs.into_iter().map(ticks).collect());
            }
        }
        let sides = &platform.handshake.stream;
        let words = &platform.handshake.word;
        let of = |side: [f64; 2], word: [f64; 2]| {
            (0..program.processors).map(|p| [ticks(side[p]), ticks(word[p])]).collect()
        };
        Ok(Self {
            nodes,
            send: of(sides.send, words.send),
            receive: of(sides.receive, words.receive),
            latency: ticks(platform.handshake.latency),
        })
    }
}

/// When a number of calls is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// Cycles from the beginning to the end of each call, one after the other, on the main processor.
    pub ends: Vec<f64>,
    /// By processor, the cycles in which it worked.
    pub busy: Vec<f64>,
    /// By processor, the cycles in which it waited for a transfer.
    pub waits: Vec<f64>,
}

impl Timing {
    /// Cycles of all calls.
    pub fn cycles(&self) -> f64 {
        self.ends.last().copied().unwrap_or(0.0)
    }
}

/// Runs `calls` calls, each of which takes the chaining value of the one before, and tells when each is
/// done; `None` if the processors wait for each other.
///
/// A processor that needs no chaining value works ahead, by one call at most: what it sends lies in
/// one of two mailboxes.
pub fn time(program: &Program, prices: &Prices, calls: usize) -> Option<Timing> {
    let count = program.processors;
    let chained: Vec<bool> = (0..count).map(|p| p == MAIN || program.needs_chaining(p)).collect();
    let mut clocks: Vec<Ticks> = vec![0; count];
    let mut busy: Vec<Ticks> = vec![0; count];
    let mut waits: Vec<Ticks> = vec![0; count];
    let mut at = vec![(0usize, Position::START); count];
    let mut sent: HashMap<(usize, TransferId, usize), Ticks> = HashMap::new();
    let mut ends: Vec<Ticks> = Vec::new();
    loop {
        let mut moved = false;
        for processor in 0..count {
            // As far as it can go without waiting for what is not sent yet.
            while at[processor].0 < calls {
                let (call, ref mut position) = at[processor];
                if *position == Position::START && processor != MAIN {
                    let needed = if chained[processor] { call } else { call.saturating_sub(1) };
                    if needed > ends.len() {
                        break;
                    }
                    if needed > 0 {
                        let there = ends[needed - 1] + prices.latency;
                        let start = clocks[processor].max(there);
                        waits[processor] += start - clocks[processor];
                        clocks[processor] = start + prices.receive[processor][0];
                        busy[processor] += prices.receive[processor][0];
                    }
                }
                let Some(action) = position.action(program, processor) else {
                    at[processor] = (call + 1, Position::START);
                    if processor == MAIN {
                        ends.push(clocks[MAIN]);
                    }
                    moved = true;
                    continue;
                };
                let position = *position;
                let cost = match action {
                    Action::Compute(node) => prices.nodes[processor][position.region][node.index()],
                    Action::Send(id) => words(program, id, prices.send[processor]),
                    Action::Receive(id) => {
                        let transfer = &program.transfers[id.index()];
                        let key = (call, id, iteration_of(program, transfer, position));
                        let Some(&there) = sent.get(&key) else { break };
                        let there = there + prices.latency;
                        waits[processor] += there.saturating_sub(clocks[processor]);
                        clocks[processor] = clocks[processor].max(there);
                        words(program, id, prices.receive[processor])
                    }
                };
                clocks[processor] += cost;
                busy[processor] += cost;
                if let Action::Send(id) = action {
                    let transfer = &program.transfers[id.index()];
                    let key = (call, id, iteration_of(program, transfer, position));
                    sent.insert(key, clocks[processor]);
                }
                at[processor].1.action += 1;
                moved = true;
            }
        }
        if at.iter().all(|&(call, _)| call == calls) {
            let all = |of: Vec<Ticks>| of.into_iter().map(cycles).collect();
            return Some(Timing { ends: all(ends), busy: all(busy), waits: all(waits) });
        }
        if !moved {
            return None;
        }
    }
}

fn words(program: &Program, id: TransferId, [once, word]: [Ticks; 2]) -> Ticks {
    once + word * program.transfers[id.index()].values.len() as Ticks
}
