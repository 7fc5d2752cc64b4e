use crate::costs::UnitCosts;
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
        Self { span: span(units, costs), work: divided(costs) }
    }

    /// The larger of the two, in cycles.
    pub fn cycles(&self) -> f64 {
        self.span.max(self.work)
    }
}

fn span(units: &Units, costs: &UnitCosts) -> f64 {
    let mut end: Vec<f64> = Vec::with_capacity(units.len());
    for unit in 0..units.len() {
        let start = units.before.of(unit).iter().map(|&operand| end[operand as usize]);
        let start = start.fold(0.0, f64::max);
        end.push(start + costs.cycles[0][unit].min(costs.cycles[1][unit]));
    }
    end.into_iter().fold(0.0, f64::max)
}

/// The units that the coprocessor is best at go there first, the last one in part, until both
/// cores have the same to do.
fn divided(costs: &UnitCosts) -> f64 {
    let [main, coprocessor] = &costs.cycles;
    let mut order: Vec<usize> = (0..main.len()).collect();
    order.sort_by(|&a, &b| {
        (main[b] * coprocessor[a]).total_cmp(&(main[a] * coprocessor[b])).then(a.cmp(&b))
    });
    let (mut left, mut given): (f64, f64) = (main.iter().sum(), 0.0);
    for unit in order {
        let (here, there) = (main[unit], coprocessor[unit]);
        if given + there >= left - here {
            // given + x·there = left − x·here
            let part = if there.is_finite() && here + there > 0.0 {
                (left - given) / (here + there)
            } else {
                0.0
            };
            return left - part * here;
        }
        left -= here;
        given += there;
    }
    left.max(given)
}
