//! What must hold of a rolled function, and the check that it does.
//!
//! 1. A region runs once at least and [`MOST_TIMES`] at most, and its body is a
//!    [valid](crate::verify) function that calls none.
//! 2. The i-th input's value is `input i`. A value has 8, 16, 32 or 64 bits. A constant is below
//!    2^width. A result names an output of a region's body, whose width it has, and an iteration of
//!    that region.
//! 3. Every input of a body has one source, as wide as the input.
//! 4. What flows in from outside is from before the region, and `Each` has a value for every
//!    iteration.
//! 5. `Earlier` goes back one iteration at least and fewer than there are, to an output of the
//!    body, and says what flows into as many first iterations.
//! 6. Every output of the function is one of its values.

use super::{Origin, Region, Rolled, Source, Value};
use crate::ir::{Module, Op};
use crate::verify;

/// How often a region may run at most.
pub const MOST_TIMES: usize = 1 << 16;

/// A rule that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem} (rule {rule} of manylane_graph::roll::verify)")]
pub struct Violation {
    /// Its number in the list.
    pub rule: u8,
    /// What was found, and what the rule asks for.
    pub problem: String,
}

fn holds(rule: u8, is: bool, problem: impl FnOnce() -> String) -> Result<(), Violation> {
    if is { Ok(()) } else { Err(Violation { rule, problem: problem() }) }
}

/// Checks every rule.
///
/// # Errors
/// The first one that does not hold.
pub fn verify(rolled: &Rolled) -> Result<(), Violation> {
    for (r, region) in rolled.regions.iter().enumerate() {
        let Region { times, body, .. } = region;
        holds(1, (1..=MOST_TIMES).contains(times), || format!("region {r} runs {times} times"))?;
        verify::verify(&Module::of(body.clone()))
            .map_err(|wrong| Violation { rule: 1, problem: format!("region {r}: {wrong}") })?;
        let is_call = |op| matches!(op, Op::Call(_) | Op::Result(_) | Op::External);
        let call = body.nodes().find(|&node| is_call(body.op(node)));
        holds(1, call.is_none(), || format!("region {r} calls functions, which no body does"))?;
    }
    for (i, input) in rolled.inputs.iter().enumerate() {
        let definition = rolled.values.get(input.value.index());
        let is_input = definition.is_some_and(|of| of.origin == Origin::Input(i as u32));
        holds(2, is_input, || format!("input {} is no value of that origin", input.name))?;
    }
    for (x, definition) in rolled.values.iter().enumerate() {
        let width = definition.width;
        let is_known = matches!(width, 8 | 16 | 32 | 64)
            && match definition.origin {
                Origin::Input(i) => (i as usize) < rolled.inputs.len(),
                Origin::Constant(value) => value <= u64::MAX >> (64 - u32::from(width)),
                Origin::Result { region, output, iteration } => {
                    rolled.regions.get(region as usize).is_some_and(|of| {
                        (iteration as usize) < of.times
                            && output_width(of, output as usize) == Some(width)
                    })
                }
            };
        holds(2, is_known, || format!("{} is nothing that is known", Value(x as u32)))?;
    }
    for (r, region) in rolled.regions.iter().enumerate() {
        let inputs = region.body.inputs();
        holds(3, region.sources.len() == inputs.len(), || {
            let sources = region.sources.len();
            format!("region {r} has {sources} sources for {} inputs", inputs.len())
        })?;
        for (input, source) in inputs.iter().zip(&region.sources) {
            source_holds(rolled, r, source, region.body.width(input.node)).map_err(|wrong| {
                Violation { problem: wrong.problem + " flows into " + &input.name, ..wrong }
            })?;
        }
    }
    for (name, value) in &rolled.outputs {
        let is_there = value.index() < rolled.values.len();
        holds(6, is_there, || format!("output {name} is {value}, which is not there"))?;
    }
    Ok(())
}

fn output_width(region: &Region, output: usize) -> Option<u8> {
    Some(region.body.width(region.body.outputs().get(output)?.value))
}

/// Rules 3 to 5 for what flows into an input of `width` bits of region `r`.
fn source_holds(rolled: &Rolled, r: usize, source: &Source, width: u8) -> Result<(), Violation> {
    let region = &rolled.regions[r];
    let times = region.times;
    let values = match source {
        Source::Same(value) => std::slice::from_ref(value),
        Source::Each(values) => {
            let count = values.len();
            holds(4, count == times, || format!("{count} values for {times} iterations"))?;
            values
        }
        Source::Earlier { output, distance, first } => {
            let known = output_width(region, *output);
            let is_earlier = (1..times).contains(distance) && first.len() == *distance;
            holds(5, is_earlier && known.is_some(), || {
                let count = first.len();
                format!("output {output} of {distance} of {times} iterations before, {count} first")
            })?;
            holds(3, known == Some(width), || format!("output {output}, not of {width} bits,"))?;
            first
        }
    };
    for &value in values {
        let of = rolled.values.get(value.index());
        let is_before = of.is_some_and(|of| match of.origin {
            Origin::Input(_) | Origin::Constant(_) => true,
            Origin::Result { region, .. } => (region as usize) < r,
        });
        holds(4, is_before, || format!("{value}, which is not there before region {r},"))?;
        let is_wide = of.is_some_and(|of| of.width == width);
        holds(3, is_wide, || format!("{value}, not of {width} bits,"))?;
    }
    Ok(())
}
