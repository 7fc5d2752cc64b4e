//! Planned programs: they compute the definition in any interleaving, and keep the rules.

mod programs;

use manylane_graph::Role;
use manylane_graph::calls::calls;
use manylane_graph::framing::ByteOrder;
use manylane_graph::roll::{Unroll, limbs, roll};
use manylane_graph::trace::literal_compression;
use manylane_plan::Platform;
use manylane_plan::program::ahead::Ahead;
use manylane_plan::program::assign::assign;
use manylane_plan::program::place::place;
use manylane_plan::program::run::run;
use manylane_plan::program::shape::{Shape, Worth, candidates, two};
use manylane_plan::program::time::{Prices, time};
use manylane_plan::program::verify::{check_function, verify};
use manylane_plan::program::{Action, MAIN, Program, fingerprint};
use manylane_primitives::catalog::{Algorithm, HashId};
use programs::Random;

fn check(program: &Program, algorithm: Algorithm, inputs: &[u64], expected: &[u64], seed: u64) {
    verify(program).unwrap_or_else(|e| panic!("{algorithm}: {e}\n{program}"));
    let mut random = Random(seed);
    let outputs = run(program, inputs, |count| random.below(count));
    assert_eq!(outputs.as_deref(), Ok(expected), "{algorithm}");
}

/// Random assignments, also such as no planner would make, compute the definition.
#[test]
fn random_assignments_compute_the_definition() {
    let message: Vec<u8> = (0..300).map(|i| (i * 7 + i / 256) as u8).collect();
    for (seed, id) in (1..).zip(HashId::ALL) {
        let algorithm = Algorithm::from(*id);
        let call = &calls(algorithm, &message)[0];
        let function = literal_compression(algorithm);
        let rolled = roll(&function, Unroll::Rounds(1));
        let mut random = Random(seed * 0x9e37_79b9);
        for coarse in [false, true] {
            let assignment: Vec<Vec<u8>> = rolled
                .regions
                .iter()
                .map(|region| {
                    let steps: Vec<u8> =
                        region.body.steps().iter().map(|_| random.below(2) as u8).collect();
                    let of = |node| match coarse {
                        true => steps[region.body.step(node).index()],
                        false => random.below(2) as u8,
                    };
                    region.body.nodes().map(of).collect()
                })
                .collect();
            let program = place(rolled.clone(), fingerprint(&function), 2, &assignment, usize::MAX);
            // Steps that are cut at random may wait for each other; the verifier finds that.
            if verify(&program).is_err_and(|e| e.rule == 8) {
                continue;
            }
            check(&program, algorithm, &call.inputs(), &call.out, seed);
        }
    }
}

/// The best split that the search finds, of words as wide as the definition's and of 32 bits, in
/// loops and written out.
#[test]
fn planned_programs_compute_the_definition() {
    let message: Vec<u8> = (0..300).map(|i| (i * 7 + i / 256) as u8).collect();
    let platform = Platform::load("ibex-duo").unwrap();
    for name in ["md5", "sha256", "ripemd160", "blake256", "groestl256", "jh256", "sha3-256"] {
        let algorithm: Algorithm = name.parse().unwrap();
        let call = &calls(algorithm, &message)[0];
        let function = literal_compression(algorithm);
        for (unroll, word) in [(1, None), (8, Some(32))] {
            let rolled = roll(&function, Unroll::Rounds(unroll));
            let is_wide = word.is_some() && function.width(function.inputs()[0].node) == 64;
            let rolled = word.map_or(rolled.clone(), |bits| limbs(&rolled, bits));
            let cut = |words: &[u64]| -> Vec<u64> {
                let limbs = |&word: &u64| match is_wide {
                    true => vec![word & 0xffff_ffff, word >> 32],
                    false => vec![word],
                };
                words.iter().flat_map(limbs).collect()
            };
            let order = ByteOrder::Little;
            let print = fingerprint(&function);
            let found = assign(&rolled, print, order, &platform, 300).unwrap();
            check(&found.program, algorithm, &cut(&call.inputs()), &cut(&call.out), 7);
        }
    }
}

/// Two equal cores save what there is to save by a message schedule beside the rounds, by halves of
/// a state, or by one permutation beside another.
#[test]
fn splits_are_found() {
    let platform = Platform::load("ibex-duo").unwrap();
    // Half of JH's state fits into registers, all of it does not: it saves more than half.
    for (name, saves) in [
        ("sha256", 0.2..0.55),
        ("ripemd160", 0.3..0.55),
        ("groestl256", 0.4..0.55),
        ("jh256", 0.4..0.75),
        ("sha3-256", 0.2..0.55),
    ] {
        let algorithm: Algorithm = name.parse().unwrap();
        let one = Shape::default().one(&literal_compression(algorithm));
        let pair = two(&one, ByteOrder::Little, &platform).unwrap();
        let cycles = |program: &Program| {
            let (rolled, count) = (&program.rolled, program.processors);
            let prices = Prices::of(rolled, count, ByteOrder::Little, &platform).unwrap();
            time(program, &prices, 4).unwrap().cycles()
        };
        let saved = 1.0 - cycles(&pair) / cycles(&one);
        assert!(saves.contains(&saved), "{name}: {saved}");
    }
}

/// A program of two processors is one in which the second gives the main one something. On this
/// platform another order of the operations alone is faster for SHA3-256, and no split is.
#[test]
fn a_split_has_work_for_both() {
    let platform = Platform::load("stm32h7").unwrap();
    for (name, is_split) in [("sha3-256", false), ("sha256", true)] {
        let one = Shape::default().one(&literal_compression(name.parse().unwrap()));
        let both = two(&one, ByteOrder::Little, &platform).unwrap();
        assert_eq!(both.processors, 1 + usize::from(is_split), "{name}");
        assert_eq!(both.transfers.iter().any(|transfer| transfer.to == 0), is_split, "{name}");
    }
}

/// All that follows from the message alone is a split of its own: the second core is a block ahead,
/// the main one reads no word of the message, and hand-overs grow: it waits for a small one first.
#[test]
fn what_follows_from_the_message_is_tried_whole() {
    let platform = Platform::load("ibex-duo").unwrap();
    let one = Shape::default().one(&literal_compression("sha256".parse().unwrap()));
    let all = candidates(&one, ByteOrder::Big, &platform).unwrap();
    let is_message = |i: &u32| one.rolled.inputs[*i as usize].role == Role::Message;
    let is_whole = |of: &&Program| of.runs_ahead() && !of.reads(MAIN).iter().any(is_message);
    let whole: Vec<&Program> = all.iter().filter(is_whole).collect();
    let grows = |of: &Program| {
        let first = of.transfers.iter().filter(|t| t.region == 0);
        let sizes: Vec<usize> = first.map(|transfer| transfer.values.len()).collect();
        sizes.len() > 2 && sizes.is_sorted() && 3 * sizes[0] < sizes[sizes.len() - 1]
    };
    assert!(whole.iter().any(|of| grows(of)), "of {} programs none grows", whole.len());
    for program in whole {
        verify(program).unwrap();
    }
}

/// In the last rounds of SHA-256 the second core computes a, four rounds before the main one takes
/// it as d. It computes none where written-out rounds would be too many: in code that is to be
/// small, and on words of 64 bits.
#[test]
fn rounds_behind_are_shared() {
    let platform = Platform::load("ibex-duo").unwrap();
    // All rounds are written out, and values go both ways.
    let is_behind = |of: &Program| {
        let both = [MAIN, 1].iter().all(|&from| of.transfers.iter().any(|t| t.from == from));
        let [region] = &of.rolled.regions[..] else { return false };
        both && region.times == 1
    };
    let of = |name: &str, shape: Shape| {
        let one = shape.one(&literal_compression(name.parse().unwrap()));
        let all = candidates(&one, ByteOrder::Big, &platform).unwrap();
        all.into_iter().filter(is_behind).collect::<Vec<Program>>()
    };
    let sha256 = of("sha256", Shape::default());
    assert!(sha256.len() > 3, "{}", sha256.len());
    let algorithm: Algorithm = "sha256".parse().unwrap();
    let call = &calls(algorithm, &[7; 100])[0];
    for (seed, program) in (1..).zip(&sha256) {
        for way in 0..20 {
            check(program, algorithm, &call.inputs(), &call.out, 100 * seed + way);
        }
        check_function(program, &literal_compression(algorithm)).unwrap();
        // Before it waits for an answer the main core has sent the words of two more rounds; only
        // in the end it has none to send.
        let of_main = &program.parts[0][MAIN].each;
        let of_second = &program.parts[0][1].each;
        let sends = |action: &&Action| matches!(action, Action::Send(_));
        let receives = |action: &&Action| matches!(action, Action::Receive(_));
        let last = of_main.iter().rposition(|action| receives(&action)).unwrap();
        for (at, action) in of_main[..last].iter().enumerate() {
            let Action::Receive(id) = *action else { continue };
            let sent = of_second.iter().position(|action| *action == Action::Send(id)).unwrap();
            let answers = of_second[..sent].iter().filter(receives).count();
            let asked = of_main[..at].iter().filter(sends).count();
            assert!(answers == 0 || asked > answers, "{asked} sent, {answers} answered");
        }
    }
    let small = Shape { worth: Worth::Size, ..Shape::default() };
    assert!(of("sha256", small).is_empty());
    assert!(of("sha512", Shape::default()).is_empty());
}

/// The limit of one-way splits is what follows from the chaining value, counted here by hand, and
/// no measured program of the main core is below it.
#[test]
fn what_a_second_core_that_is_ahead_leaves() {
    let platform = Platform::load("ibex-duo").unwrap();
    let of = |name: &str| {
        let one = Shape::default().one(&literal_compression(name.parse().unwrap()));
        Ahead::of(&one.rolled, ByteOrder::Big, &platform).unwrap()
    };
    // A round has six rotations of two cycles and 16 operations of one, and takes K + W. The first
    // one of each 16 computes a ⊕ b of the round before anew; eight sums end a block.
    let sha256 = of("sha256").unwrap();
    assert_eq!((sha256.chained, sha256.taken), (64.0 * 28.0 + 4.0 + 8.0, 64.0));
    // Rounds of ch, parity and maj: two rotations and 6, 5, 7 operations.
    let sha1 = of("sha1").unwrap();
    assert_eq!((sha1.chained, sha1.taken), (200.0 + 360.0 + 220.0 + 5.0, 80.0));
    assert_eq!(of("sha3-256"), None);
    // These shares are such splits.
    for name in ["md5", "sha1"] {
        let (main, ahead) = (platform.shares[name].main, of(name).unwrap());
        assert!(main >= ahead.cycles(), "{name}: {main}, {ahead:?}");
    }
}

/// Every rule, broken by a change of a program that keeps it.
#[test]
fn broken_programs_are_refused() {
    let function = literal_compression("blake256".parse().unwrap());
    let one = Shape { unroll: Some(1), ..Shape::default() }.one(&function);
    let platform = Platform::load("ibex-duo").unwrap();
    let good = two(&one, ByteOrder::Big, &platform).unwrap();
    verify(&good).unwrap();
    assert_eq!(good.processors, 2, "{good}");
    let rule = |change: &dyn Fn(&mut Program)| {
        let mut program = good.clone();
        change(&mut program);
        verify(&program).map_err(|violation| violation.rule)
    };
    let in_loop = good.rolled.regions.iter().position(|region| region.times > 1).unwrap();
    let of_kind = |program: &Program, processor: usize, is: fn(&Action) -> bool| {
        program.parts[in_loop][processor].each.iter().position(is).unwrap()
    };
    let computes = |action: &Action| matches!(action, Action::Compute(_));
    let receives = |action: &Action| matches!(action, Action::Receive(_));
    assert_eq!(rule(&|p| drop(p.parts.pop())), Err(1));
    assert_eq!(
        rule(&|p| {
            let at = of_kind(p, 1, computes);
            p.parts[in_loop][1].each.remove(at);
        }),
        Err(2)
    );
    assert_eq!(
        rule(&|p| {
            let at = of_kind(p, 1, computes);
            let action = p.parts[in_loop][1].each[at];
            p.parts[in_loop][1].after.push(action);
        }),
        Err(3)
    );
    assert_eq!(
        rule(&|p| {
            let at = of_kind(p, 0, receives);
            p.parts[in_loop][0].each.remove(at);
        }),
        Err(4)
    );
    let input = good.rolled.regions[0].body.inputs()[0].node;
    assert_eq!(rule(&|p| p.transfers[0].values.push(input)), Err(5));
    assert_eq!(rule(&|p| p.transfers[0].values.truncate(1)), Err(6));
    assert_eq!(
        rule(&|p| {
            // Each processor waits at the beginning of the loop for what the other one sends at its
            // end.
            for processor in 0..2 {
                let each = &mut p.parts[in_loop][processor].each;
                let at = each.iter().position(receives).unwrap();
                let action = each.remove(at);
                each.insert(0, action);
            }
        }),
        Err(8)
    );
}
