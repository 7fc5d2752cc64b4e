//! Lower bounds on the time of every split over two cores, with which plans are compared.

use crate::costs::{CostError, UnitCosts};
use crate::platform::Platform;
use crate::time::{NEVER, Ticks, cycles};
use crate::units::{Level, Units};
use manylane_graph::{Function, NodeId, StepId};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A lower bound on the time of every split over two cores, with handshakes and all else free.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// Cycles of the critical path, each of its units on its faster core.
    pub span: f64,
    /// Cycles if the work could be divided at will: work/(1 + 1/s).
    pub work: f64,
}

impl Limit {
    /// The limit of all splits into these units. A split into smaller ones may go below it.
    pub fn of(units: &Units, costs: &UnitCosts) -> Self {
        Self { span: cycles(span(units, costs)), work: cycles(divided(costs)) }
    }

    /// The limit of all programs that do the function's operations: each as a whole on one core, at
    /// the platform's price, in any order that operands allow, with the terms of sums in any order.
    ///
    /// # Errors
    /// As [`UnitCosts::of`].
    pub fn of_operations(
        function: &Function,
        platform: &Platform,
        total: Option<f64>,
    ) -> Result<Self, CostError> {
        let units = Units::of(function, Level::Node);
        let costs = UnitCosts::of(function, &units, platform, total)?;
        let span = operation_span(function, &units, &costs);
        Ok(Self { span: cycles(span), work: cycles(divided(&costs)) })
    }

    /// The larger of the two, in cycles.
    pub fn cycles(&self) -> f64 {
        self.span.max(self.work)
    }
}

/// Whether each operation has the platform's price. Otherwise a measured time, of a step or of the
/// whole, was spread over operations in proportion to their prices, and a limit is an estimate.
pub(super) fn is_proved(function: &Function, platform: &Platform, total: Option<f64>) -> bool {
    let steps = || (1..function.steps().len() as u32).map(StepId);
    let measured = platform.steps.iter().filter(|time| time.concerns(function)).any(|time| {
        time.patterns.iter().any(|pattern| steps().any(|step| pattern.matches(function, step)))
    });
    total.is_none() && !measured
}

/// The time of a unit on its faster core.
fn fastest(costs: &UnitCosts, unit: usize) -> Ticks {
    costs.ticks[0][unit].min(costs.ticks[1][unit])
}

fn span(units: &Units, costs: &UnitCosts) -> Ticks {
    let mut end: Vec<Ticks> = Vec::with_capacity(units.len());
    for unit in 0..units.len() {
        let start = units.before.of(unit).iter().map(|&operand| end[operand as usize]);
        end.push(start.max().unwrap_or(0) + fastest(costs, unit));
    }
    end.into_iter().max().unwrap_or(0)
}

/// The critical path when a sum, or another operation of many terms in any order, may take its
/// terms as they come: always the two earliest of those that are there, which no other order beats
/// (Golumbic, Combinatorial Merging, 1976). A sum is a tree of operations of one kind and width, in
/// which each result but the last is used by one other operation of the tree alone.
fn operation_span(function: &Function, units: &Units, costs: &UnitCosts) -> Ticks {
    let users = function.users();
    let mut is_output = vec![false; function.len()];
    function.outputs().iter().for_each(|output| is_output[output.value.index()] = true);
    let kind = |node: NodeId| (function.op(node), function.width(node));
    let joins_user = |node: NodeId| match users[node.index()][..] {
        [user] => {
            let associative = function.op(node).is_associative();
            associative && kind(node) == kind(user) && !is_output[node.index()]
        }
        _ => false,
    };
    // For each unit that is part of a larger sum: the arrival times of the sum's terms so far, and
    // the least time of one of its operations.
    let mut terms: Vec<Option<(Vec<Ticks>, Ticks)>> = vec![None; units.len()];
    let mut end: Vec<Ticks> = vec![0; units.len()];
    for (i, unit) in units.units.iter().enumerate() {
        let node = unit.nodes[0];
        let before = units.before.of(i).iter().map(|&operand| operand as usize);
        let own = fastest(costs, i);
        if !function.op(node).is_associative() {
            end[i] = before.map(|operand| end[operand]).max().unwrap_or(0) + own;
            continue;
        }
        let args = function.args(node);
        let mut least = own / (args.len() as Ticks - 1);
        let mut arrivals = Vec::new();
        for &arg in args {
            // A node that is no work has no unit, and is available from the start.
            let operands = before.clone().filter(|&unit| units.units[unit].nodes[0] == arg);
            let mut arrival = Some(0);
            for operand in operands {
                match terms[operand].take() {
                    Some((inner, price)) => {
                        arrivals.extend(inner);
                        least = least.min(price);
                        arrival = None;
                    }
                    None => arrival = arrival.max(Some(end[operand])),
                }
            }
            arrivals.extend(arrival);
        }
        if joins_user(node) {
            terms[i] = Some((arrivals, least));
        } else {
            end[i] = merged(arrivals, least);
        }
    }
    end.into_iter().max().unwrap_or(0)
}

/// The time at which terms with these arrival times are joined into one, if joining two takes
/// `price`.
fn merged(arrivals: Vec<Ticks>, price: Ticks) -> Ticks {
    let mut waiting: BinaryHeap<Reverse<Ticks>> = arrivals.into_iter().map(Reverse).collect();
    loop {
        let Reverse(first) = waiting.pop().expect("a sum has terms");
        let Some(Reverse(second)) = waiting.pop() else { return first };
        waiting.push(Reverse(first.max(second) + price));
    }
}

/// The time if the work is divided at will: the units with the largest advantage on the coprocessor
/// go there first, the last of them in part, until both cores take the same time. Rounded down.
fn divided(costs: &UnitCosts) -> Ticks {
    let [main, coprocessor] = &costs.ticks;
    let (mut left, mut given): (Ticks, Ticks) = (main.iter().sum(), 0);
    for unit in costs.by_advantage() {
        let (here, there) = (main[unit], coprocessor[unit]);
        if there == NEVER {
            return left;
        }
        if given + there >= left - here {
            return left - part(here, left - given, here + there);
        }
        left -= here;
        given += there;
    }
    left.max(given)
}

/// `of` · `numerator` / `denominator`, rounded up; 0 if `denominator` is 0.
pub(super) fn part(of: Ticks, numerator: Ticks, denominator: Ticks) -> Ticks {
    let [of, numerator, denominator] = [of, numerator, denominator].map(u128::from);
    if denominator == 0 { 0 } else { (of * numerator).div_ceil(denominator) as Ticks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_joined_as_they_come() {
        assert_eq!(merged(vec![7], 2), 7);
        assert_eq!(merged(vec![0, 0, 0, 0], 2), 4, "a tree");
        assert_eq!(merged(vec![9, 0, 1, 0], 2), 11, "what is late is added last");
    }
}
