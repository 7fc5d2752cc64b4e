//! The report on a part: its size, its critical path, its operations and its steps.

use super::{Part, Subject};
use crate::analysis::{Chain, OperationCount, StepKind, Timing, kinds, thousandths};
use crate::ir::{Function, Role};
use serde::Serialize;

/// The report on a graph, each of whose operations takes one unit of time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The primitive's name in this program, such as `sha256`.
    pub primitive: String,
    /// The primitive's name in its standard.
    pub title: String,
    /// The part.
    pub part: Part,
    /// Bytes of message, for a whole message.
    pub length: Option<usize>,
    /// For a part that is a step, which step.
    pub step: Option<StepOf>,
    /// Its input words, by role.
    pub inputs: Vec<InputCount>,
    /// Number of its output words.
    pub outputs: usize,
    /// Number of operations.
    pub work: usize,
    /// Number of operations on the longest chain.
    pub span: usize,
    /// Mean number of operations at the same time: work/span.
    pub parallelism: f64,
    /// Operations by kind and width, the most frequent first.
    pub operations: Vec<OperationCount>,
    /// Steps by name.
    pub steps: Vec<StepKind>,
    /// How many operations begin at each time when every one begins as soon as it can.
    pub profile: Vec<usize>,
}

/// A step that stands for all steps of its name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepOf {
    /// Its path, such as `round[32]`, or the paths of several steps that make up the part.
    pub path: String,
    /// Number of such steps in the whole primitive.
    pub count: usize,
    /// Mean time from the end of one such step to the end of the next (see [`StepKind::growth`]).
    pub growth: Option<f64>,
}

/// Input words of one role and width.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InputCount {
    /// The role's name.
    pub role: &'static str,
    /// Width of a word in bits.
    pub width: u8,
    /// Number of words.
    pub count: usize,
}

impl Report {
    /// The report on a function that is `part` of `subject`.
    pub fn new(
        subject: &Subject,
        part: Part,
        length: Option<usize>,
        step: Option<StepOf>,
        function: &Function,
    ) -> Self {
        let timing = Timing::unit(function);
        let chain = Chain::of(function, &timing);
        Self {
            primitive: subject.to_string(),
            title: subject.title(),
            part,
            length,
            step,
            inputs: inputs(function),
            outputs: function.outputs().len(),
            work: timing.work as usize,
            span: timing.span as usize,
            parallelism: thousandths(timing.parallelism()),
            operations: OperationCount::all(function, &chain),
            steps: kinds(function, &timing, &chain),
            profile: timing.width_profile(function),
        }
    }
}

fn inputs(function: &Function) -> Vec<InputCount> {
    let mut counts: Vec<InputCount> = Vec::new();
    for role in Role::ALL {
        for input in function.inputs().iter().filter(|input| input.role == role) {
            let width = function.width(input.node);
            match counts.iter_mut().find(|c| c.role == role.name() && c.width == width) {
                Some(known) => known.count += 1,
                None => counts.push(InputCount { role: role.name(), width, count: 1 }),
            }
        }
    }
    counts
}
