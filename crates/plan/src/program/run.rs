//! The interpreter, which defines what a program computes, on processors that take turns in any
//! order.

use super::{Action, MAIN, Program, Transfer, TransferId, When};
use manylane_graph::interpret::evaluate;
use manylane_graph::roll::{Origin, Source, Value};
use manylane_graph::{NodeId, Op};
use std::collections::HashMap;

/// An error: a program cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stuck {
    /// Each processor waits for another one.
    #[error("the processors wait for each other: {0}")]
    Circle(String),
    /// A processor uses what it does not have.
    #[error(
        "processor {processor} uses {node} of region {region} in iteration {iteration} and does \
         not have it"
    )]
    Missing {
        /// The processor.
        processor: usize,
        /// The region.
        region: usize,
        /// The iteration.
        iteration: usize,
        /// The node of the region's body.
        node: NodeId,
    },
    /// The main processor lacks an output at the end.
    #[error("the main processor does not have output {output} in the end")]
    Output {
        /// The output's name.
        output: String,
    },
}

/// A node of an iteration of a region.
type IterationNode = (usize, usize, NodeId);

/// The place of a processor in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// The number of the region.
    pub region: usize,
    /// The list that its actions are taken from.
    pub stage: Stage,
    /// The iteration, while in the loop.
    pub iteration: usize,
    /// The number of the action in its list.
    pub action: usize,
}

/// The lists of a region's actions: before the loop, in each iteration, after the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Before,
    Each,
    After,
}

impl Position {
    /// Before the first action of the first region.
    pub(super) const START: Self =
        Self { region: 0, stage: Stage::Before, iteration: 0, action: 0 };

    /// Moves to the next action of a processor, if the position is at the end of a list, and
    /// returns it.
    pub(super) fn action(&mut self, program: &Program, processor: usize) -> Option<Action> {
        while let Some(parts) = program.parts.get(self.region) {
            let part = &parts[processor];
            let list = match self.stage {
                Stage::Before => &part.before,
                Stage::Each => &part.each,
                Stage::After => &part.after,
            };
            if let Some(&action) = list.get(self.action) {
                return Some(action);
            }
            self.action = 0;
            match self.stage {
                Stage::Before => (self.stage, self.iteration) = (Stage::Each, 0),
                Stage::Each if self.iteration + 1 < program.rolled.regions[self.region].times => {
                    self.iteration += 1;
                }
                Stage::Each => self.stage = Stage::After,
                Stage::After => (self.stage, self.region) = (Stage::Before, self.region + 1),
            }
        }
        None
    }
}

/// The iteration whose values a transfer carries when it is sent or received at `position`.
pub(super) fn iteration_of(program: &Program, transfer: &Transfer, position: Position) -> usize {
    match transfer.when {
        When::Each => position.iteration,
        When::After => program.rolled.regions[transfer.region].times - 1,
    }
}

/// The outputs of a program for `inputs`. `choose` is called with the number of processors that can
/// go on, and returns the index of the one that does the next action.
///
/// # Errors
/// If the processors wait for each other, or one uses what it does not have.
pub fn run(
    program: &Program,
    inputs: &[u64],
    mut choose: impl FnMut(usize) -> usize,
) -> Result<Vec<u64>, Stuck> {
    let mut state = Interleaving {
        program,
        inputs,
        known: vec![HashMap::new(); program.processors],
        sent: HashMap::new(),
    };
    let mut positions = vec![Position::START; program.processors];
    loop {
        let mut ready: Vec<(usize, Action)> = Vec::new();
        let mut waiting: Vec<String> = Vec::new();
        for (processor, position) in positions.iter_mut().enumerate() {
            let Some(action) = position.action(program, processor) else { continue };
            match action {
                Action::Receive(id) if !state.is_there(id, *position) => {
                    waiting.push(format!("processor {processor} for transfer {}", id.0));
                }
                Action::Compute(_) | Action::Send(_) | Action::Receive(_) => {
                    ready.push((processor, action));
                }
            }
        }
        if ready.is_empty() {
            if !waiting.is_empty() {
                return Err(Stuck::Circle(waiting.join(", ")));
            }
            let outputs = program.rolled.outputs.iter();
            return outputs
                .map(|(name, value)| {
                    let absent = |_| Stuck::Output { output: name.clone() };
                    state.value(MAIN, *value).map_err(absent)
                })
                .collect();
        }
        let (processor, action) = ready[choose(ready.len())];
        state.act(processor, action, positions[processor])?;
        positions[processor].action += 1;
    }
}

struct Interleaving<'p> {
    program: &'p Program,
    inputs: &'p [u64],
    /// The values that each processor has.
    known: Vec<HashMap<IterationNode, u64>>,
    /// The values of transfers that were sent, by number and iteration.
    sent: HashMap<(TransferId, usize), Vec<u64>>,
}

impl Interleaving<'_> {
    fn is_there(&self, id: TransferId, position: Position) -> bool {
        let transfer = &self.program.transfers[id.index()];
        self.sent.contains_key(&(id, iteration_of(self.program, transfer, position)))
    }

    fn act(&mut self, processor: usize, action: Action, at: Position) -> Result<(), Stuck> {
        match action {
            Action::Compute(node) => {
                let body = &self.program.rolled.regions[at.region].body;
                let args = body.args(node).iter();
                let args = args.map(|&arg| self.node(processor, at.region, at.iteration, arg));
                let args: Vec<u64> = args.collect::<Result<_, _>>()?;
                let value = evaluate(body.op(node), body.width(node), &args);
                self.known[processor].insert((at.region, at.iteration, node), value);
            }
            Action::Send(id) => {
                let transfer = &self.program.transfers[id.index()];
                let iteration = iteration_of(self.program, transfer, at);
                let nodes = transfer.values.iter();
                let values =
                    nodes.map(|&node| self.node(processor, transfer.region, iteration, node));
                let values = values.collect::<Result<Vec<u64>, _>>()?;
                self.sent.insert((id, iteration), values);
            }
            Action::Receive(id) => {
                let transfer = &self.program.transfers[id.index()];
                let iteration = iteration_of(self.program, transfer, at);
                let values = self.sent[&(id, iteration)].iter();
                for (&node, &value) in transfer.values.iter().zip(values) {
                    self.known[processor].insert((transfer.region, iteration, node), value);
                }
            }
        }
        Ok(())
    }

    /// The value of a node that a processor has.
    fn node(
        &self,
        processor: usize,
        region: usize,
        iteration: usize,
        node: NodeId,
    ) -> Result<u64, Stuck> {
        let of = &self.program.rolled.regions[region];
        match of.body.op(node) {
            Op::Const(value) => Ok(value),
            Op::Input(input) => match &of.sources[input as usize] {
                Source::Same(value) => self.value(processor, *value),
                Source::Each(values) => self.value(processor, values[iteration]),
                Source::Earlier { output, distance, first } => match first.get(iteration) {
                    Some(&value) => self.value(processor, value),
                    None => {
                        let node = of.body.outputs()[*output].value;
                        self.node(processor, region, iteration - distance, node)
                    }
                },
            },
            _ => {
                let known = self.known[processor].get(&(region, iteration, node)).copied();
                known.ok_or(Stuck::Missing { processor, region, iteration, node })
            }
        }
    }

    fn value(&self, processor: usize, value: Value) -> Result<u64, Stuck> {
        match self.program.rolled.definition(value).origin {
            Origin::Input(i) => Ok(self.inputs[i as usize]),
            Origin::Constant(value) => Ok(value),
            Origin::Result { region, output, iteration } => {
                let body = &self.program.rolled.regions[region as usize].body;
                let node = body.outputs()[output as usize].value;
                self.node(processor, region as usize, iteration as usize, node)
            }
        }
    }
}
