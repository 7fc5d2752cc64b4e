//! A rolled function on machines with narrower words.

use super::{Definition, Input, Origin, Region, Rolled, Source, Value};
use crate::ir::Module;
use crate::passes::legalize;

/// The rolled function with words wider than `bits` as limbs of `bits` bits, low limb first: each
/// body is [legalized](crate::passes::legalize), and each wide value is as many values as it has
/// limbs.
///
/// # Panics
/// If `bits` is not 8, 16 or 32.
pub fn limbs(rolled: &Rolled, bits: u8) -> Rolled {
    let count = |width: u8| u32::from(width.div_ceil(bits));
    // By region and output of its body, the first limb's output.
    let outputs: Vec<Vec<u32>> = rolled
        .regions
        .iter()
        .map(|Region { body, .. }| {
            let widths = body.outputs().iter().map(|output| body.width(output.value));
            widths
                .scan(0, |next, width| Some(std::mem::replace(next, *next + count(width))))
                .collect()
        })
        .collect();
    let mut inputs: Vec<Input> = Vec::new();
    let mut values: Vec<Definition> = Vec::new();
    let mut new: Vec<Vec<Value>> = Vec::with_capacity(rolled.values.len());
    for &Definition { width, origin } in &rolled.values {
        let limbs = (0..count(width)).map(|limb| {
            let value = Value(values.len() as u32);
            let origin = match origin {
                Origin::Input(i) => {
                    let Input { name, role, .. } = &rolled.inputs[i as usize];
                    let name =
                        if count(width) > 1 { format!("{name}.{limb}") } else { name.clone() };
                    inputs.push(Input { name, role: *role, value });
                    Origin::Input(inputs.len() as u32 - 1)
                }
                Origin::Constant(constant) => {
                    let mask = u64::MAX >> (64 - u32::from(bits.min(width)));
                    Origin::Constant(constant >> (u32::from(bits) * limb) & mask)
                }
                Origin::Result { region, output, iteration } => {
                    let output = outputs[region as usize][output as usize] + limb;
                    Origin::Result { region, output, iteration }
                }
            };
            values.push(Definition { width: width.min(bits), origin });
            value
        });
        new.push(limbs.collect());
    }
    let limb = |value: &Value, limb: usize| new[value.index()][limb];
    let source = |source: &Source, region: usize| -> Vec<Source> {
        let any = match source {
            Source::Same(value) => value,
            Source::Each(values) | Source::Earlier { first: values, .. } => &values[0],
        };
        let limbs = (0..new[any.index()].len()).map(|i| match source {
            Source::Same(value) => Source::Same(limb(value, i)),
            Source::Each(values) => Source::Each(values.iter().map(|v| limb(v, i)).collect()),
            Source::Earlier { output, distance, first } => Source::Earlier {
                output: outputs[region][*output] as usize + i,
                distance: *distance,
                first: first.iter().map(|v| limb(v, i)).collect(),
            },
        });
        limbs.collect()
    };
    let regions = rolled.regions.iter().enumerate().map(|(r, region)| Region {
        times: region.times,
        body: legalize(&Module::of(region.body.clone()), bits).main().clone(),
        sources: region.sources.iter().flat_map(|of| source(of, r)).collect(),
    });
    let regions = regions.collect();
    let named = |(name, value): &(String, Value)| -> Vec<(String, Value)> {
        let limbs = &new[value.index()];
        let name = |i| if limbs.len() > 1 { format!("{name}.{i}") } else { name.clone() };
        limbs.iter().enumerate().map(|(i, &limb)| (name(i), limb)).collect()
    };
    let outputs = rolled.outputs.iter().flat_map(named).collect();
    Rolled { name: rolled.name.clone(), inputs, values, regions, outputs }
}
