//! Functions as regions: the same meaning, whatever the number of rounds in an iteration.

use manylane_graph::calls::calls;
use manylane_graph::interpret::run_main;
use manylane_graph::part;
use manylane_graph::passes::{ahead, amounts};
use manylane_graph::roll::{Rolled, Unroll, loops, roll, roll_apart, roll_each, run};
use manylane_graph::trace::{Rc5, literal_compression};
use manylane_graph::{Function, Module};
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_primitives::cipher::Rc5Params;

/// How often each region runs.
fn times(rolled: &Rolled) -> Vec<usize> {
    rolled.regions.iter().map(|region| region.times).collect()
}

#[test]
fn every_compression_rolled_computes_the_definition() {
    let message: Vec<u8> = (0..300).map(|i| (i * 7 + i / 256) as u8).collect();
    for id in HashId::ALL {
        let algorithm = Algorithm::from(*id);
        let calls = calls(algorithm, &message);
        let function = literal_compression(algorithm);
        for unroll in [
            Unroll::Rounds(1),
            Unroll::Rounds(2),
            Unroll::Rounds(8),
            Unroll::Rounds(16),
            Unroll::All,
        ] {
            let rolled = roll(&function, unroll);
            eprintln!("{algorithm} {unroll:?} {:?} {}", times(&rolled), rolled.size());
            for call in &calls[..2] {
                assert_eq!(run(&rolled, &call.inputs()), call.out, "{algorithm} {unroll:?}");
            }
        }
    }
}

/// Each loop has its own number of rounds in an iteration; a loop that has no more rounds than that
/// is written out.
#[test]
fn loops_may_differ() {
    let message: Vec<u8> = (0..300).map(|i| (i * 7 + i / 256) as u8).collect();
    for id in HashId::ALL {
        let algorithm = Algorithm::from(*id);
        let calls = calls(algorithm, &message);
        let function = literal_compression(algorithm);
        for function in [Some(function.clone()), ahead(&function)].into_iter().flatten() {
            let found = loops(&function);
            for first in [1, 2, 4, 99] {
                let rounds: Vec<usize> = (0..found.len()).map(|i| first * (i + 1)).collect();
                let rolled = roll_each(&function, &rounds);
                for call in &calls[..2] {
                    let (inputs, of) = (call.inputs(), format!("{algorithm} {rounds:?}"));
                    assert_eq!(run(&rolled, &inputs), call.out, "{of}");
                }
            }
            // One number for all is what `roll` takes.
            let all_1 = roll_each(&function, &vec![1; found.len()]);
            assert_eq!(all_1, roll(&function, Unroll::Rounds(1)), "{algorithm}");
        }
    }
}

/// The schedule comes before the rounds, which are loops of words then; where there is none, or
/// where it needs the chaining value, nothing is moved.
#[test]
fn the_schedule_may_come_before_the_rounds() {
    let of = |name: &str| literal_compression(name.parse().unwrap());
    let found = |function: &Function| loops(function);
    assert_eq!(found(&of("sha1")), [16, 4, 20, 20, 20]);
    assert_eq!(found(&ahead(&of("sha1")).unwrap()), [64, 20, 20, 20, 20]);
    assert_eq!(found(&ahead(&of("sha256")).unwrap()), [48, 64]);
    assert!(ahead(&ahead(&of("sha256")).unwrap()).is_none(), "it is there already");
    for name in ["md5", "skein512", "blake256", "sha3-256"] {
        assert!(ahead(&of(name)).is_none(), "{name}");
    }
    let function = of("sha512");
    let moved = ahead(&function).unwrap();
    let inputs: Vec<u64> = (0..24).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let result = |function: Function| run_main(&Module::of(function), &inputs);
    assert_eq!(result(function), result(moved));
}

/// Rotations whose amounts differ from round to round rotate by words: loops then have one round in
/// an iteration, also where the amounts follow no pattern. Other functions stay as they are.
#[test]
fn amounts_of_rotations_may_be_words() {
    let of = |name: &str| literal_compression(name.parse().unwrap());
    let iterations = |function: &Function| times(&roll(function, Unroll::Rounds(1)));
    assert_eq!(iterations(&of("md5")), [4, 4, 4, 4, 1]);
    assert_eq!(iterations(&amounts(&of("md5")).unwrap()), [16, 16, 16, 16, 1]);
    assert!(!iterations(&of("ripemd160")).contains(&16));
    assert_eq!(iterations(&amounts(&of("ripemd160")).unwrap()), [16, 16, 16, 16, 16, 1]);
    for name in ["sha1", "sha256", "blake256", "sha3-256", "groestl256", "jh256"] {
        assert!(amounts(&of(name)).is_none(), "{name}");
    }
    let message: Vec<u8> = (0..300).map(|i| (i * 7 + i / 256) as u8).collect();
    for name in ["md5", "ripemd160", "ripemd256", "skein512"] {
        let function = amounts(&of(name)).unwrap();
        let rolled = roll(&function, Unroll::Rounds(1));
        for call in &calls(name.parse().unwrap(), &message)[..2] {
            assert_eq!(run(&rolled, &call.inputs()), call.out, "{name}");
        }
        assert!(amounts(&function).is_none(), "{name}: they are words already");
    }
}

/// The whitening of RC5 stands in front of the loop. With one round asked for, an iteration is half
/// of one; with two, it has two whole rounds. The cipher is the same. Functions whose first round
/// has nothing in front are rolled as ever.
#[test]
fn what_stands_before_the_first_round_stays_apart() {
    let params = Rc5Params::new(32, 12, 16).unwrap();
    for (part, halves, pairs) in
        [(Rc5::Block, vec![1, 24], vec![1, 6]), (Rc5::Inverse, vec![24, 1], vec![6, 1])]
    {
        let function = part::cipher(&params, part);
        assert_eq!(times(&roll_apart(&function, 1)), halves);
        assert_eq!(times(&roll_apart(&function, 2)), pairs);
        let inputs: Vec<u64> = (0..function.inputs().len() as u64)
            .map(|i| i.wrapping_mul(0x9e37_79b9) & 0xffff_ffff)
            .collect();
        let expected = run_main(&Module::of(function.clone()), &inputs);
        for least in [1, 2, 3] {
            assert_eq!(run(&roll_apart(&function, least), &inputs), expected, "{least}");
        }
    }
    for name in ["md5", "sha256", "jh256"] {
        let function = literal_compression(name.parse().unwrap());
        assert_eq!(roll_apart(&function, 4), roll(&function, Unroll::Rounds(4)), "{name}");
    }
}

/// All iterations of RC5's key expansion are one loop if the function is literal: else the first
/// one, in which A and B are zero, stands in front of it.
#[test]
fn literal_key_expansions_are_one_loop() {
    for (word, rounds, key) in [(16, 3, 5), (32, 12, 16), (64, 2, 9), (32, 1, 40)] {
        let params = Rc5Params::new(word, rounds, key).unwrap();
        let literal = part::literal_cipher(&params, Rc5::KeyExpansion);
        let simplified = part::cipher(&params, Rc5::KeyExpansion);
        assert_eq!(times(&roll(&literal, Unroll::Rounds(1))), [params.iterations()], "{params}");
        assert_eq!(times(&roll(&simplified, Unroll::Rounds(1)))[0], 1, "{params}");
        let mask = u64::MAX >> (64 - word);
        let inputs: Vec<u64> = (1..=literal.inputs().len() as u64)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask)
            .collect();
        let expected = run_main(&Module::of(simplified), &inputs);
        assert_eq!(run(&roll(&literal, Unroll::Rounds(1)), &inputs), expected, "{params}");
        assert_eq!(run_main(&Module::of(literal), &inputs), expected, "{params}");
    }
}
