//! Two graphs are compared by what they compute on words at the edges.

use manylane_graph::interpret::run_main;
use manylane_graph::random::split_mix;
use manylane_graph::verify::verify;
use manylane_graph::{Function, Module};

/// Words at which carries, signs and masks show, then random words.
fn word(i: usize) -> u64 {
    const EDGES: [u64; 7] = [
        0,
        1,
        u64::MAX,
        0xaaaa_aaaa_aaaa_aaaa,
        0x8000_8000_8000_8000,
        0x7fff_ffff_7fff_ffff,
        0x0001_0203_0405_0607,
    ];
    EDGES.get(i).copied().unwrap_or_else(|| split_mix(i as u64))
}

/// A handful of inputs: all zeros, all ones, edges mixed in two ways, random words.
fn samples(function: &Function) -> Vec<Vec<u64>> {
    let count = function.inputs().len();
    let all = |f: &dyn Fn(usize) -> u64| (0..count).map(f).collect::<Vec<_>>();
    vec![
        all(&|_| 0),
        all(&|_| u64::MAX),
        all(&|i| word(i % 7)),
        all(&|i| word(3 * i % 11)),
        all(&|i| word(100 + i)),
    ]
}

/// The words of `values`, which have the widths `wide`, as limbs of the widths `narrow`.
fn split(values: &[u64], wide: &[u8], narrow: &[u8]) -> Vec<u64> {
    let mut narrow = narrow.iter();
    let mut limbs = Vec::new();
    for (&value, &width) in values.iter().zip(wide) {
        let mut at = 0;
        while at < width {
            let limb = *narrow.next().expect("there are limbs for every word");
            limbs.push(value >> at & u64::MAX >> (64 - limb));
            at += limb;
        }
        assert_eq!(at, width);
    }
    assert_eq!(narrow.next(), None);
    limbs
}

fn input_widths(function: &Function) -> Vec<u8> {
    function.inputs().iter().map(|input| function.width(input.node)).collect()
}

fn output_widths(function: &Function) -> Vec<u8> {
    function.outputs().iter().map(|output| function.width(output.value)).collect()
}

/// Asserts that both modules are valid and compute the same, `after` perhaps on limbs.
pub fn assert_same_meaning(before: &Module, after: &Module, what: &str) {
    let name = &before.main().name;
    assert_eq!(verify(before), Ok(()), "{name} before {what}");
    assert_eq!(verify(after), Ok(()), "{name} after {what}");
    let (from, to) = (before.main(), after.main());
    for inputs in samples(from) {
        let outputs = run_main(before, &inputs);
        let expected = split(&outputs, &output_widths(from), &output_widths(to));
        let inputs = split(&inputs, &input_widths(from), &input_widths(to));
        assert!(run_main(after, &inputs) == expected, "{name} {what} on {inputs:x?}");
    }
}
