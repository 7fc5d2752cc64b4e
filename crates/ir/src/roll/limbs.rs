//! A rolled function on machines with narrower words.

use super::{Definition, Input, Origin, Region, Rolled, Source, Value};
use crate::ir::{Function, Module};
use crate::passes::{half_names, halves, interleave_words, legalize};

/// The rolled function with words wider than `bits` as limbs of `bits` bits, low limb first: each
/// body is [legalized](crate::passes::legalize), and each wide value is as many values as it has
/// limbs.
///
/// # Panics
/// If `bits` is not 8, 16 or 32.
pub fn limbs(rolled: &Rolled, bits: u8) -> Rolled {
    let body = |body: &Function| legalize(&Module::of(body.clone()), bits).main().clone();
    let bodies = rolled.regions.iter().map(|region| body(&region.body)).collect();
    cut(rolled, &Limbs(bits), bodies)
}

/// The rolled function with each word of 64 bits as its bits at even and at odd places: each body
/// is [interleaved](crate::passes::interleave()), and each value is two. `None` if a body has words
/// of another width, or operations that cannot be interleaved.
pub fn interleaved(rolled: &Rolled) -> Option<Rolled> {
    halved(rolled, 64)
}

/// [`interleaved`] twice: each word of 64 bits becomes four of 16, which hold the bits at every
/// fourth place from bit 0, 2, 1 and 3 on, under names like `h0.even.odd`. A rotation of the word
/// is one rotation of each of the four.
pub fn quartered(rolled: &Rolled) -> Option<Rolled> {
    halved(&interleaved(rolled)?, 32)
}

/// Splits each word of `width` bits into its halves.
fn halved(rolled: &Rolled, width: u8) -> Option<Rolled> {
    let bodies = rolled.regions.iter().map(|region| interleave_words(&region.body, width));
    let bodies: Option<Vec<Function>> = bodies.collect();
    let all_wide = rolled.values.iter().all(|value| value.width == width);
    bodies.filter(|_| all_wide).map(|bodies| cut(rolled, &Halves(width / 2), bodies))
}

/// A way to split words into parts.
trait Parts {
    /// The number of parts of a word of `width` bits, and the bits of each.
    fn of(&self, width: u8) -> (u32, u8);
    /// The name of a part of an input or output.
    fn name(&self, name: &str, part: u32) -> String;
    /// A part of a constant.
    fn constant(&self, value: u64, width: u8, part: u32) -> u64;
}

/// Limbs of this many bits, low limb first.
struct Limbs(u8);

impl Parts for Limbs {
    fn of(&self, width: u8) -> (u32, u8) {
        (u32::from(width.div_ceil(self.0)), width.min(self.0))
    }

    fn name(&self, name: &str, part: u32) -> String {
        format!("{name}.{part}")
    }

    fn constant(&self, value: u64, width: u8, part: u32) -> u64 {
        let mask = u64::MAX >> (64 - u32::from(width.min(self.0)));
        value >> (u32::from(self.0) * part) & mask
    }
}

/// The bits at even places, then those at odd places, this many each.
struct Halves(u8);

impl Parts for Halves {
    fn of(&self, _: u8) -> (u32, u8) {
        (2, self.0)
    }

    fn name(&self, name: &str, part: u32) -> String {
        half_names(name)[part as usize].clone()
    }

    fn constant(&self, value: u64, _: u8, part: u32) -> u64 {
        halves(value)[part as usize]
    }
}

/// The rolled function with each value split into its parts; `bodies` are the bodies, already
/// split.
fn cut(rolled: &Rolled, parts: &impl Parts, bodies: Vec<Function>) -> Rolled {
    // For each region and output of its body, the first part's output.
    let outputs: Vec<Vec<u32>> = rolled
        .regions
        .iter()
        .map(|Region { body, .. }| {
            let widths = body.outputs().iter().map(|output| body.width(output.value));
            widths
                .scan(0, |next, width| Some(std::mem::replace(next, *next + parts.of(width).0)))
                .collect()
        })
        .collect();
    let part_name = |name: &str, count: u32, part: u32| match count {
        1 => name.to_owned(),
        _ => parts.name(name, part),
    };
    let mut inputs: Vec<Input> = Vec::new();
    let mut values: Vec<Definition> = Vec::new();
    let mut new: Vec<Vec<Value>> = Vec::with_capacity(rolled.values.len());
    for &Definition { width, origin } in &rolled.values {
        let (count, narrow) = parts.of(width);
        let of_value = (0..count).map(|part| {
            let value = Value(values.len() as u32);
            let origin = match origin {
                Origin::Input(i) => {
                    let Input { name, role, .. } = &rolled.inputs[i as usize];
                    let name = part_name(name, count, part);
                    inputs.push(Input { name, role: *role, value });
                    Origin::Input(inputs.len() as u32 - 1)
                }
                Origin::Constant(constant) => {
                    Origin::Constant(parts.constant(constant, width, part))
                }
                Origin::Result { region, output, iteration } => {
                    let output = outputs[region as usize][output as usize] + part;
                    Origin::Result { region, output, iteration }
                }
            };
            values.push(Definition { width: narrow, origin });
            value
        });
        new.push(of_value.collect());
    }
    let part = |value: &Value, part: usize| new[value.index()][part];
    let source = |source: &Source, region: usize| -> Vec<Source> {
        let any = match source {
            Source::Same(value) => value,
            Source::Each(values) | Source::Earlier { first: values, .. } => &values[0],
        };
        let of_source = (0..new[any.index()].len()).map(|i| match source {
            Source::Same(value) => Source::Same(part(value, i)),
            Source::Each(values) => Source::Each(values.iter().map(|v| part(v, i)).collect()),
            Source::Earlier { output, distance, first } => Source::Earlier {
                output: outputs[region][*output] as usize + i,
                distance: *distance,
                first: first.iter().map(|v| part(v, i)).collect(),
            },
        });
        of_source.collect()
    };
    let regions = rolled.regions.iter().zip(bodies).enumerate().map(|(r, (region, body))| Region {
        times: region.times,
        body,
        sources: region.sources.iter().flat_map(|of| source(of, r)).collect(),
    });
    let regions = regions.collect();
    let named = |(name, value): &(String, Value)| -> Vec<(String, Value)> {
        let all = &new[value.index()];
        let named = all.iter().zip(0..);
        named.map(|(&value, i)| (part_name(name, all.len() as u32, i), value)).collect()
    };
    let outputs = rolled.outputs.iter().flat_map(named).collect();
    Rolled { name: rolled.name.clone(), inputs, values, regions, outputs }
}
