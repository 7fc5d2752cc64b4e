//! Threads of XGATE that are to be small.

use crate::case::{Case, agrees, seed};
use manylane_emit::asm::{Ahead, Cores, ThreadSize, thread};
use manylane_graph::passes::amounts;
use manylane_graph::trace;
use manylane_plan::program::shape::{Loops, Shape, Worth};

/// Small threads whose loops differ, without the CPU's code for a block: all lengths up to three
/// blocks and one byte.
#[test]
fn small_threads_are_right_at_all_lengths() {
    for (name, is_ahead, rounds) in [
        ("md5", false, &[16, 4, 8, 16][..]),
        ("sha1", false, &[4, 1, 4, 4, 4]),
        ("sha1", true, &[8, 5, 4, 20, 5]),
        ("sha256", true, &[4, 8]),
    ] {
        let mut case = Case::new(name, 1).without_fallback();
        let loops = Loops { is_ahead, rounds: rounds.to_vec() };
        let shape = Shape { unroll: None, worth: Worth::Speed, word: Some(64) };
        let program = shape.one_with(&trace::literal_compression(case.algorithm), &loops);
        let framing = &case.stream.framing;
        case.thread = thread("hash", framing, &program, 20, Ahead::None, ThreadSize::Lean).unwrap();
        let lengths: Vec<usize> = (0..=3 * case.stream.framing.block_bytes + 1).collect();
        for cores in [Cores::Xgate, Cores::Both] {
            agrees(&case, cores, &lengths, &[None, Some(seed(name)), Some(1)]);
        }
    }
}

/// Small threads of one round in an iteration, whose table has the amounts of the rotations.
#[test]
fn amounts_in_a_table_are_right_at_all_lengths() {
    for name in ["md5", "ripemd128", "ripemd160", "ripemd256"] {
        let mut case = Case::new(name, 1).without_fallback().by_block();
        let function = amounts(&trace::literal_compression(case.algorithm)).unwrap();
        let shape = Shape { unroll: Some(1), worth: Worth::Size, word: Some(64) };
        let framing = &case.stream.framing;
        let program = shape.one(&function);
        case.thread = thread("hash", framing, &program, 20, Ahead::None, ThreadSize::Lean).unwrap();
        let lengths: Vec<usize> = (0..=3 * framing.block_bytes + 1).chain([1024]).collect();
        agrees(&case, Cores::Xgate, &lengths, &[None, Some(seed(name)), Some(1)]);
    }
}
