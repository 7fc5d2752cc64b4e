//! How programs are written: on which words, in which order, with how much written out.

use manylane_graph::framing::ByteOrder;
use manylane_graph::part::cipher_beside;
use manylane_graph::trace::literal_compression;
use manylane_plan::Platform;
use manylane_plan::platform::WordSize;
use manylane_plan::program::shape::{Shape, Worth, two};
use manylane_plan::program::verify::check_function;
use manylane_plan::program::{Action, Program};

fn one(name: &str, shape: Shape) -> Program {
    let function = literal_compression(name.parse().unwrap());
    let program = shape.one(&function);
    check_function(&program, &function).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
    program
}

/// How many regions are loops.
fn loops(program: &Program) -> usize {
    program.rolled.regions.iter().filter(|region| region.times > 1).count()
}

/// Bitwise functions with rotations of 64 bits are split into even and odd halves, on one core and
/// on two. Functions that add words are not, nor is a function for which whole words or limbs are
/// asked for.
#[test]
fn rotations_of_64_bits_are_interleaved_where_they_can_be() {
    for name in ["sha3-256", "keccak512", "shake128"] {
        let program = one(name, Shape::default());
        assert!(program.rolled.is_interleaved(), "{name}");
        for word in [32, 64] {
            let as_asked = Shape { word: Some(word), ..Shape::default() };
            assert!(!one(name, as_asked).rolled.is_interleaved(), "{name}, {word} bits");
        }
    }
    for name in ["sha512", "blake512", "skein512", "jh256", "sha256"] {
        assert!(!one(name, Shape::default()).rolled.is_interleaved(), "{name}");
    }
    let platform = Platform::load("ibex-duo").unwrap();
    let alone = one("sha3-256", Shape { unroll: Some(1), ..Shape::default() });
    let both = two(&alone, ByteOrder::Little, &platform).unwrap();
    assert!(both.rolled.is_interleaved());
    check_function(&both, &literal_compression("sha3-256".parse().unwrap())).unwrap();
}

/// The word size is the one that the platform's file measured for the program on as many cores,
/// unless one is asked for.
#[test]
fn words_are_the_platforms_where_none_are_asked_for() {
    let mut platform = Platform::load("rp2040").unwrap().without_words();
    let of = |platform: &Platform, word, processors| {
        Shape { word, ..Shape::default() }.on(platform, "blake512", processors).word
    };
    assert_eq!([1, 2].map(|processors| of(&platform, None, processors)), [None, None]);
    platform.programs.get_mut("blake512").unwrap().word_size =
        Some(WordSize { word: 32, saves: 0.05 });
    assert_eq!([1, 2].map(|processors| of(&platform, None, processors)), [Some(32), None]);
    assert_eq!(of(&platform, Some(64), 1), Some(64));
    platform.shares.get_mut("blake512").unwrap().word_size =
        Some(WordSize { word: 16, saves: 0.05 });
    assert_eq!(of(&platform, None, 2), Some(16));
    platform.shares.remove("blake512");
    assert_eq!(of(&platform, None, 2), Some(32), "without a split it is the program of one core");
    assert_eq!(of(&platform, None, 1), Some(32));
}

/// The lanes of a plane are rotated when the plane comes, not all lanes before all planes: the
/// program's order is another one than its body's. Other hashes keep the order of the definition.
#[test]
fn planes_come_one_after_the_other() {
    let is_usual = |program: &Program| {
        program.parts.iter().flatten().all(|part| {
            let nodes = part.each.iter().map(|action| match action {
                Action::Compute(node) => node.index(),
                Action::Send(_) | Action::Receive(_) => unreachable!("one core hands nothing over"),
            });
            nodes.is_sorted()
        })
    };
    assert!(!is_usual(&one("sha3-256", Shape::default())));
    for name in ["sha256", "md5", "jh256", "groestl256", "skein512"] {
        assert!(is_usual(&one(name, Shape::default())), "{name}");
    }
}

/// BLAKE takes the words of a block in another order in each round. A loop looks their numbers up;
/// written out, the numbers are in the code. A small program stays a loop, and so does a hash whose
/// words come in step.
#[test]
fn rounds_that_look_words_up_are_written_out() {
    for name in ["blake256", "blake512"] {
        assert_eq!(loops(&one(name, Shape::default())), 0, "{name}");
        let small = Shape { worth: Worth::Size, ..Shape::default() };
        assert!(loops(&one(name, small)) > 0, "{name}");
    }
    for name in ["sha256", "sha512", "sha3-256", "groestl256"] {
        assert!(loops(&one(name, Shape::default())) > 0, "{name}");
    }
}

/// A second core that would compute nothing but values that nobody takes, such as the last sum of a
/// key's expansion, has no share: it would be given a job for nothing.
#[test]
fn a_second_core_from_which_nothing_is_taken_has_no_share() {
    for (name, blocks, platform, is_shared) in [
        // Hand-overs take no time of a processor on this platform.
        ("rc5-8/0/5", 3, "unit", true),
        ("rc5-8/1/0", 4, "rp2040", false),
        ("rc5-16/1/5", 4, "rp2040", false),
        ("rc5-32/1/16", 4, "rp2040", false),
        ("rc5-64/0/16", 4, "rp2040", false),
        ("rc5-32/12/16", 4, "ibex-duo", true),
    ] {
        let one = Shape::default().one(&cipher_beside(&name.parse().unwrap(), blocks));
        let platform = Platform::load(platform).unwrap();
        let both = two(&one, ByteOrder::Little, &platform).unwrap();
        let is_taken = both.transfers.iter().any(|transfer| transfer.from == 1);
        assert_eq!(is_taken, both.processors == 2, "{name}");
        assert_eq!(is_taken, is_shared, "{name}");
    }
}
