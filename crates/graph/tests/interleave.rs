//! Words of 64 bits as their bits at even and at odd places.

use manylane_graph::builder::Builder;
use manylane_graph::interpret::run_main;
use manylane_graph::passes::{halves, interleave, joined};
use manylane_graph::random::split_mix;
use manylane_graph::roll::{self, Unroll, interleaved, quartered, roll};
use manylane_graph::trace::literal_compression;
use manylane_graph::verify::verify;
use manylane_graph::{Function, Module, Op, Role};
use manylane_primitives::catalog::{Algorithm, HashId};

/// Random numbers.
fn words(seed: u64, count: usize) -> Vec<u64> {
    (0..count as u64).map(|i| split_mix(seed << 32 | i)).collect()
}

fn parted(words: &[u64]) -> Vec<u64> {
    words.iter().flat_map(|&word| halves(word)).collect()
}

/// A function of two inputs of `width` bits.
fn of_two(width: u8, op: Op) -> Function {
    let mut b = Builder::new("two");
    let [x, y] = ["x", "y"].map(|name| b.input(name, Role::Message, width));
    let args = [x, y];
    let count = if matches!(op, Op::Rotl(_) | Op::Rotr(_) | Op::Shl(_) | Op::Not) { 1 } else { 2 };
    let z = b.op(op, &args[..count]);
    let z = b.op(Op::Xor, &[z, y]);
    b.output("z", z);
    b.finish()
}

/// Bit 2i is bit i of the even half, and bit 2i + 1 of the odd one.
#[test]
fn halves_are_the_bits_at_even_and_odd_places() {
    assert_eq!(halves(0x5555_5555_5555_5555), [0xffff_ffff, 0]);
    assert_eq!(halves(0x8000_0000_0000_0001), [1, 0x8000_0000]);
    assert_eq!(halves(0b1001), [0b01, 0b10]);
    for word in words(1, 100) {
        assert_eq!(joined(halves(word)), word);
    }
}

/// Every rotation by every amount, and every bitwise operation.
#[test]
fn each_operation_is_the_same_on_halves() {
    let rotations = (1..64).flat_map(|n| [Op::Rotl(n), Op::Rotr(n)]);
    let bitwise = [Op::And, Op::Or, Op::Xor, Op::Xnor, Op::Not];
    for op in rotations.chain(bitwise) {
        let function = of_two(64, op);
        let narrow = interleave(&function).unwrap_or_else(|| panic!("{op:?}"));
        let (before, after) = (Module::of(function), Module::of(narrow));
        assert_eq!(verify(&after), Ok(()), "{op:?}");
        for seed in 0..3 {
            let inputs = words(seed, 2);
            let expected = parted(&run_main(&before, &inputs));
            assert_eq!(run_main(&after, &parted(&inputs)), expected, "{op:?}");
        }
        // No half takes more than one operation for one of the word.
        let work = |module: &Module| {
            module.main().nodes().filter(|&node| module.main().op(node).is_work()).count()
        };
        assert!(work(&after) <= 2 * work(&before), "{op:?}");
    }
}

/// Carries and shifts go from one half to the other; words of 32 bits are not split.
#[test]
fn other_operations_are_refused() {
    for op in [Op::Add, Op::Sub, Op::Shl(3)] {
        assert_eq!(interleave(&of_two(64, op)), None, "{op:?}");
    }
    assert_eq!(interleave(&of_two(32, Op::Xor)), None);
}

/// In the catalogue, only the permutation of Keccak is bitwise with rotations; rolled, it computes
/// on halves what it computes on words.
#[test]
fn rolled_functions_are_the_same_on_halves() {
    let mut found = 0;
    for &id in HashId::ALL {
        let function = literal_compression(Algorithm::new(id));
        for unroll in [Unroll::Rounds(1), Unroll::Rounds(4)] {
            let rolled = roll(&function, unroll);
            let Some(narrow) = interleaved(&rolled) else { continue };
            found += 1;
            assert_eq!(roll::verify::verify(&narrow), Ok(()), "{id:?}");
            assert!(narrow.is_interleaved() && !rolled.is_interleaved());
            let inputs = words(7, rolled.inputs.len());
            let expected = parted(&roll::run(&rolled, &inputs));
            assert_eq!(roll::run(&narrow, &parted(&inputs)), expected, "{id:?}");
            let quarters = quartered(&rolled).expect("halves of 32 bits have halves as well");
            assert_eq!(roll::verify::verify(&quarters), Ok(()), "{id:?}");
            assert!(quarters.is_quartered() && !narrow.is_quartered());
            let got = roll::run(&quarters, &parted(&parted(&inputs)));
            assert_eq!(got, parted(&expected), "{id:?}, quarters");
        }
    }
    assert!(found >= 2, "SHA-3 at least is interleaved");
}
