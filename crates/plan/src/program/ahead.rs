//! A second processor that is ahead of the main one: it computes only values that depend on the
//! message alone, and sends them to the main processor.

use super::is_work;
use super::prices::Prices;
use crate::costs::CostError;
use crate::platform::Platform;
use crate::time::{Ticks, cycles};
use manylane_graph::Role;
use manylane_graph::framing::ByteOrder;
use manylane_graph::roll::{Origin, Rolled, Source, Value};
use manylane_graph::{NodeId, Op};
use serde::Serialize;
use std::collections::BTreeSet;

/// For each region and node, whether the node depends on the message and on constants alone. A
/// processor that computes only such nodes needs no chaining value and may be a block ahead.
pub(super) fn of_message_alone(rolled: &Rolled) -> Vec<Vec<bool>> {
    let bodies = rolled.regions.iter().map(|region| &region.body);
    let mut all: Vec<Vec<bool>> = bodies.map(|body| vec![true; body.len()]).collect();
    // Repeats until nothing changes, because iterations take values from earlier ones.
    loop {
        let before = all.clone();
        for (r, region) in rolled.regions.iter().enumerate() {
            let result = |output: usize, region: usize| {
                let of = rolled.regions[region].body.outputs()[output].value;
                before[region][of.index()]
            };
            let value = |value: &Value| match rolled.definition(*value).origin {
                Origin::Input(i) => rolled.inputs[i as usize].role == Role::Message,
                Origin::Constant(_) => true,
                Origin::Result { region, output, .. } => result(output as usize, region as usize),
            };
            for node in region.body.nodes() {
                all[r][node.index()] = match region.body.op(node) {
                    Op::Input(input) => match &region.sources[input as usize] {
                        Source::Same(of) => value(of),
                        Source::Each(values) => values.iter().all(value),
                        Source::Earlier { output, first, .. } => {
                            first.iter().all(value) && result(*output, r)
                        }
                    },
                    _ => region.body.args(node).iter().all(|arg| all[r][arg.index()]),
                };
            }
        }
        if all == before {
            return all;
        }
    }
}

/// The work that a second processor which is ahead cannot take from the main one, in cycles of a
/// call.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ahead {
    /// Operations that depend on the chaining value.
    pub chained: f64,
    /// The cost of the values that these operations take from all other operations: the main
    /// processor either computes each of them too, or loads it from the memory to which the other
    /// processor stored it.
    pub taken: f64,
    /// All operations.
    pub all: f64,
}

impl Ahead {
    /// The least cycles of the main processor in any split that hands values over to it only.
    pub fn cycles(&self) -> f64 {
        self.chained + self.taken
    }

    /// The limit for a rolled function at a platform's prices of operations; `None` where all
    /// operations depend on the chaining value. An access to memory is counted as the cheaper of a
    /// load and a store, because the price of a load includes the wait for the loaded word.
    ///
    /// # Errors
    /// As [`Prices::of`].
    pub fn of(
        rolled: &Rolled,
        order: ByteOrder,
        platform: &Platform,
    ) -> Result<Option<Self>, CostError> {
        let prices = Prices::of_operations(rolled, 1, order, platform)?;
        let main = &prices.processors[0];
        let access = main.load.min(main.store);
        let [mut chained, mut taken, mut alone]: [Ticks; 3] = [0; 3];
        for (r, (region, is_alone)) in
            rolled.regions.iter().zip(of_message_alone(rolled)).enumerate()
        {
            let (body, times) = (&region.body, region.times as Ticks);
            let price = |node: NodeId| main.nodes[r][node.index()];
            let mut values: BTreeSet<NodeId> = BTreeSet::new();
            for node in body.nodes().filter(|&node| is_work(body, node)) {
                if is_alone[node.index()] {
                    alone += times * price(node);
                    continue;
                }
                chained += times * price(node);
                let args = body.args(node).iter().copied();
                values.extend(args.filter(|&arg| is_work(body, arg) && is_alone[arg.index()]));
            }
            taken += times * values.into_iter().map(|node| price(node).min(access)).sum::<Ticks>();
        }
        let [chained, taken, alone] = [chained, taken, alone].map(cycles);
        Ok((alone > 0.0).then_some(Self { chained, taken, all: chained + alone }))
    }
}
