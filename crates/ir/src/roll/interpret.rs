//! Interprets a rolled function.

use super::{Origin, Rolled, Source, Value};
use crate::interpret;
use crate::ir::Module;

/// The outputs of a rolled function for `inputs`, of which only the low bits count.
///
/// # Panics
/// If there are fewer `inputs` than the function has, or it takes a value before it is computed.
pub fn run(rolled: &Rolled, inputs: &[u64]) -> Vec<u64> {
    // For each region and iteration, what the body computed.
    let mut results: Vec<Vec<Vec<u64>>> = Vec::with_capacity(rolled.regions.len());
    let value = |results: &[Vec<Vec<u64>>], value: Value| match rolled.definition(value).origin {
        Origin::Input(i) => inputs[i as usize],
        Origin::Constant(constant) => constant,
        Origin::Result { region, output, iteration } => {
            results[region as usize][iteration as usize][output as usize]
        }
    };
    for region in &rolled.regions {
        let module = Module::of(region.body.clone());
        let mut done: Vec<Vec<u64>> = Vec::with_capacity(region.times);
        for iteration in 0..region.times {
            let flows_in = region.sources.iter().map(|source| match source {
                Source::Same(same) => value(&results, *same),
                Source::Each(each) => value(&results, each[iteration]),
                Source::Earlier { output, distance, first } => match first.get(iteration) {
                    Some(&first) => value(&results, first),
                    None => done[iteration - distance][*output],
                },
            });
            let flows_in: Vec<u64> = flows_in.collect();
            done.push(interpret::run_main(&module, &flows_in));
        }
        results.push(done);
    }
    rolled.outputs.iter().map(|&(_, output)| value(&results, output)).collect()
}
