//! Loops written out.

use super::{Origin, Rolled, Source, Unroll, Value, roll};
use crate::builder::Builder;
use crate::ir::{Function, NodeId, Op, StepId};

/// The function as one straight region, each iteration of each loop written out.
///
/// ```text
/// repeated 3 times: body     ──►    straight: body, body, body
/// ```
pub fn written_out(rolled: &Rolled) -> Rolled {
    let mut builder = Builder::literal(&rolled.name);
    let inputs: Vec<NodeId> = rolled
        .inputs
        .iter()
        .map(|input| builder.input(&input.name, input.role, rolled.definition(input.value).width))
        .collect();
    // For each region and iteration, the outputs of the body.
    let mut results: Vec<Vec<Vec<NodeId>>> = Vec::with_capacity(rolled.regions.len());
    let known = |builder: &mut Builder, results: &[Vec<Vec<NodeId>>], value: Value| {
        let definition = rolled.definition(value);
        match definition.origin {
            Origin::Input(i) => inputs[i as usize],
            Origin::Constant(constant) => builder.constant(constant, definition.width),
            Origin::Result { region, output, iteration } => {
                results[region as usize][iteration as usize][output as usize]
            }
        }
    };
    for region in &rolled.regions {
        let body = &region.body;
        let mut done: Vec<Vec<NodeId>> = Vec::with_capacity(region.times);
        for iteration in 0..region.times {
            let flows_in: Vec<NodeId> = region
                .sources
                .iter()
                .map(|source| match source {
                    Source::Same(same) => known(&mut builder, &results, *same),
                    Source::Each(each) => known(&mut builder, &results, each[iteration]),
                    Source::Earlier { output, distance, first } => match first.get(iteration) {
                        Some(&first) => known(&mut builder, &results, first),
                        None => done[iteration - distance][*output],
                    },
                })
                .collect();
            let mut steps: Vec<StepId> = vec![StepId::ROOT];
            for step in &body.steps()[1..] {
                // The rounds of an iteration follow on those of the one before.
                let before = match step.parent {
                    StepId::ROOT => iteration as u32 * span(body, &step.name),
                    _ => 0,
                };
                let name = (step.kind, step.name.as_str(), step.index + before);
                steps.push(builder.substep(steps[step.parent.index()], name, &[]));
            }
            let mut new: Vec<NodeId> = Vec::with_capacity(body.len());
            for node in body.nodes() {
                let made = match body.op(node) {
                    Op::Input(input) => flows_in[input as usize],
                    Op::Const(value) => builder.constant(value, body.width(node)),
                    op => {
                        let args: Vec<NodeId> =
                            body.args(node).iter().map(|arg| new[arg.index()]).collect();
                        builder.reenter(steps[body.step(node).index()]);
                        let made = builder.node(op, body.width(node), &args);
                        builder.leave();
                        made
                    }
                };
                new.push(made);
            }
            done.push(body.outputs().iter().map(|output| new[output.value.index()]).collect());
        }
        results.push(done);
    }
    for (name, value) in &rolled.outputs {
        let node = known(&mut builder, &results, *value);
        builder.output(name, node);
    }
    roll(&builder.finish(), Unroll::All)
}

/// How many indices the outermost steps named `name` cover, from the smallest to the largest.
fn span(function: &Function, name: &str) -> u32 {
    let steps = function.steps()[1..].iter();
    let all = steps.filter(|step| step.parent == StepId::ROOT && step.name == name);
    let (first, last) = all
        .map(|step| step.index)
        .fold((u32::MAX, 0), |(first, last), index| (first.min(index), last.max(index)));
    (last + 1).saturating_sub(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roll::{run, verify};

    /// A sum of 4·3 words in a loop of which each iteration takes two results of earlier ones.
    fn function() -> Function {
        let mut builder = Builder::literal("sums");
        let words: Vec<NodeId> =
            (0..12).map(|i| builder.input(&format!("m{i}"), crate::Role::Message, 32)).collect();
        let mut sums = vec![words[0], words[1]];
        for (i, &word) in words.iter().enumerate().skip(2) {
            builder.enter(crate::Kind::Round, "round", i as u32, &[]);
            let [before, last] = [sums[i - 2], sums[i - 1]];
            let sum = builder.op(Op::Add, &[before, word]);
            let turned = builder.op(Op::Rotl(3), &[last]);
            sums.push(builder.op(Op::Xor, &[sum, turned]));
            builder.leave();
        }
        builder.output("h0", sums[10]);
        builder.output("h1", sums[11]);
        builder.finish()
    }

    #[test]
    fn the_function_is_the_same() {
        let function = function();
        let rolled = roll(&function, Unroll::Rounds(2));
        assert!(rolled.regions.iter().any(|region| region.times > 1), "{rolled:?}");
        let out = written_out(&rolled);
        verify::verify(&out).unwrap();
        let [region] = &out.regions[..] else { panic!("{} regions", out.regions.len()) };
        assert_eq!((region.times, out.size()), (1, 30));
        let steps: Vec<u32> = region.body.steps()[1..].iter().map(|step| step.index).collect();
        assert_eq!(steps, (2..12).collect::<Vec<u32>>());
        let inputs: Vec<u64> = (1..13).map(|i| (0x9e37_79b9 * i) & 0xffff_ffff).collect();
        assert_eq!(run(&out, &inputs), run(&rolled, &inputs));
        let again = written_out(&out);
        assert_eq!(again, out);
    }
}
