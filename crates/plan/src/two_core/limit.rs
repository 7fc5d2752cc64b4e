use crate::costs::UnitCosts;
use crate::time::{NEVER, Ticks, cycles};
use crate::units::Units;
use serde::Serialize;

/// What no split of the units over two cores can be faster than, handshakes and all else free.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// Cycles of the dearest path, each unit on its faster core: s · span.
    pub span: f64,
    /// Cycles if the work could be divided at will: work/(1 + 1/s).
    pub work: f64,
}

impl Limit {
    /// The limit of a graph.
    pub fn of(units: &Units, costs: &UnitCosts) -> Self {
        Self { span: cycles(span(units, costs)), work: cycles(divided(costs)) }
    }

    /// The larger of the two, in cycles.
    pub fn cycles(&self) -> f64 {
        self.span.max(self.work)
    }
}

fn span(units: &Units, costs: &UnitCosts) -> Ticks {
    let mut end: Vec<Ticks> = Vec::with_capacity(units.len());
    for unit in 0..units.len() {
        let start = units.before.of(unit).iter().map(|&operand| end[operand as usize]);
        end.push(start.max().unwrap_or(0) + costs.ticks[0][unit].min(costs.ticks[1][unit]));
    }
    end.into_iter().max().unwrap_or(0)
}

/// The units that the coprocessor is best at go there first, the last one in part, until both
/// cores have the same to do. Rounded down.
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
