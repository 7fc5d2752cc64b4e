//! Lines: the steps of one name, such as all rounds, with the state between them.

use crate::ir::{Function, Kind, NodeId, StepId};
use std::collections::HashMap;

/// The steps of one name, one after the other, and the state between them.
#[derive(Clone, Debug)]
pub struct Line {
    /// The kind of its steps.
    pub kind: Kind,
    /// The name of its steps, such as `round`.
    pub name: String,
    /// The indices of its steps, in order of computation.
    pub indices: Vec<u32>,
    /// The state before each step, and after the last: one more than there are steps.
    pub states: Vec<Vec<NodeId>>,
}

impl Line {
    /// Number of steps.
    pub fn len(&self) -> usize {
        self.states.len() - 1
    }

    /// Whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The lines of a function's outermost steps: each has two or more steps of one kind and name, and
/// equally many words pass through all of its steps.
pub fn lines(function: &Function) -> Vec<Line> {
    let mut names: Vec<(Kind, &str)> = Vec::new();
    let mut by_name: HashMap<(Kind, &str), Vec<StepId>> = HashMap::new();
    for (id, step) in function.steps().iter().enumerate().skip(1) {
        if step.parent == StepId::ROOT {
            let key = (step.kind, &step.name[..]);
            let steps = by_name.entry(key).or_default();
            if steps.is_empty() {
                names.push(key);
            }
            steps.push(StepId(id as u32));
        }
    }
    let written = written_in(function);
    let line = |&(kind, name): &(Kind, &str)| {
        let steps = &by_name[&(kind, name)];
        let states = steps.iter().map(|step| function.steps()[step.index()].over.clone());
        let mut states: Vec<Vec<NodeId>> = states.collect();
        let words = states[0].len();
        if steps.len() < 2 || words == 0 || states.iter().any(|state| state.len() != words) {
            return None;
        }
        states.push(after_last(function, &written, steps, &states)?);
        let indices = steps.iter().map(|step| function.steps()[step.index()].index).collect();
        Some(Line { kind, name: name.to_owned(), indices, states })
    };
    names.iter().filter_map(line).collect()
}

/// The lines of rounds. Several of them run side by side, as both lines of RIPEMD do. Where lines
/// differ in length, only the longest are returned.
pub fn rounds(function: &Function) -> Vec<Line> {
    let mut lines = lines(function);
    lines.retain(|line| line.kind == Kind::Round);
    let longest = lines.iter().map(Line::len).max();
    lines.retain(|line| Some(line.len()) == longest);
    lines
}

/// The nodes in each outermost step, its substeps included, in order.
fn written_in(function: &Function) -> HashMap<StepId, Vec<NodeId>> {
    let mut written: HashMap<StepId, Vec<NodeId>> = HashMap::new();
    for node in function.nodes() {
        written.entry(function.ancestor(function.step(node), 1)).or_default().push(node);
    }
    written
}

/// The state after the last step, which no step notes. It is found by comparison with an earlier
/// step in which the same operations were written in the same order.
fn after_last(
    function: &Function,
    written: &HashMap<StepId, Vec<NodeId>>,
    steps: &[StepId],
    states: &[Vec<NodeId>],
) -> Option<Vec<NodeId>> {
    let last = steps.len() - 1;
    let of = |t: usize| written.get(&steps[t]).map_or(&[][..], Vec::as_slice);
    // A step that rotates by the same amounts as the last one is preferred.
    for exact in [true, false] {
        for t in (0..last).rev() {
            // The places of the state's words must agree too: in a window whose words are replaced
            // in turn, only every sixteenth step is like the last.
            let place = |s: usize, node: NodeId| states[s].iter().position(|&word| word == node);
            let same = |(&x, &y): (&NodeId, &NodeId)| {
                let operation = match exact {
                    true => function.op(x) == function.op(y),
                    false => function.op(x).name() == function.op(y).name(),
                };
                let mut args = function.args(x).iter().zip(function.args(y));
                operation && args.all(|(&x, &y)| place(t, x) == place(last, y))
            };
            if of(t).len() != of(last).len() || !of(t).iter().zip(of(last)).all(same) {
                continue;
            }
            let partner: HashMap<NodeId, NodeId> = states[t]
                .iter()
                .copied()
                .zip(states[last].iter().copied())
                .chain(of(t).iter().copied().zip(of(last).iter().copied()))
                .collect();
            let after = states[t + 1].iter().map(|word| partner.get(word).copied());
            if let Some(after) = after.collect() {
                return Some(after);
            }
        }
    }
    None
}
