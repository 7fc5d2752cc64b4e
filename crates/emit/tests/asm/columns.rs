//! Small threads whose rounds have code for one column of limbs, which a loop runs on each column.

use crate::binutils;
use crate::case::{Case, agrees, seed};
use crate::stalls::survives;
use manylane_emit::asm::{Ahead, Cores, IMAGE, ThreadSize, thread};
use manylane_graph::trace;
use manylane_plan::program::shape::{Shape, Worth};
use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::xgate::XgateSet;

/// Hashes whose rounds have columns.
const COLUMNED: [&str; 4] = ["jh224", "jh256", "jh384", "jh512"];

/// The most bytes of code and constants, without the self-test.
const MOST_BYTES: usize = 8561;

/// The case of a hash whose thread has the fewest bytes, without the CPU's code for a block.
fn smallest(name: &str, effort: usize) -> Case {
    let case = Case::new(name, 1).without_fallback();
    let shape = Shape { unroll: Some(1), worth: Worth::Size, word: Some(64) };
    let program = shape.one(&trace::literal_compression(case.algorithm));
    let framing = &case.stream.framing;
    let thread =
        thread("hash", framing, &program, effort, Ahead::None, ThreadSize::Smallest).unwrap();
    Case { thread, ..case }
}

/// Lengths at the edges of blocks, on both choices of cores, with stalls and without.
#[test]
fn columns_change_no_digest() {
    for name in COLUMNED {
        let case = smallest(name, 0);
        for cores in [Cores::Xgate, Cores::Both] {
            let lengths = [&case.lengths()[..], &[1024]].concat();
            agrees(&case, cores, &lengths, &[None, Some(seed(name)), Some(1)]);
        }
    }
    survives(&smallest("jh256", 20), Cores::Both, 8);
}

/// All lengths up to three blocks and one byte, each without stalls and with them.
#[test]
#[ignore = "minutes: `make test-asm`"]
fn columns_are_right_at_all_lengths() {
    for name in COLUMNED {
        for effort in [0, 120] {
            let case = smallest(name, effort);
            let lengths: Vec<usize> = (0..=3 * case.stream.framing.block_bytes + 1).collect();
            for cores in [Cores::Xgate, Cores::Both] {
                for stalls in [None, Some(seed(name)), Some(1)] {
                    agrees(&case, cores, &lengths, &[stalls]);
                }
            }
        }
        survives(&smallest(name, 120), Cores::Both, 300);
    }
}

/// The whole program is small, and a block takes at most twice the clocks of straight code.
#[test]
fn columns_are_small_and_not_slow() {
    for name in COLUMNED {
        let case = smallest(name, 0);
        let (made, object) = case.program(Cores::Xgate);
        let end = object.find("hash_start").unwrap().address as usize;
        let bytes = end - usize::from(made.layout.code);
        assert!(bytes <= MOST_BYTES, "{name}: {bytes} bytes");
        let straight = Case::new(name, 1).thread;
        let [clocks, most] = [case.thread.clocks, 2 * straight.clocks];
        assert!(clocks <= most, "{name}: {clocks} clocks, {most}");
        assert!(3 * case.thread.code < straight.code, "{name}");
    }
}

/// A hash whose rounds have no columns has the same thread as without the search for them.
#[test]
fn other_threads_stay() {
    for name in ["sha256", "keccak256", "blake256", "skein512"] {
        let case = Case::new(name, 1);
        let framing = &case.stream.framing;
        let of =
            thread("hash", framing, &case.program, 0, Ahead::None, ThreadSize::Smallest).unwrap();
        let lean = thread("hash", framing, &case.program, 0, Ahead::None, ThreadSize::Lean);
        assert_eq!(of, lean.unwrap(), "{name}");
    }
}

/// GNU as makes the same bytes of calls and loops over columns.
#[test]
fn gnu_as_agrees_with_columns() {
    if !binutils::are_here() {
        return;
    }
    let (made, _) = smallest("jh256", 20).program(Cores::Both);
    let text = made.xgate.unwrap();
    let ours = assemble(&XgateSet, &text, IMAGE).unwrap();
    let theirs = binutils::gnu_bytes(binutils::XGATE, &text, IMAGE);
    assert!(theirs.starts_with(&ours.segments[0].bytes));
}
