//! The extracted rounds, one after the other, compute what the compression computes.

use manylane_graph::extract::{Extractor, Line, Side, lines, message_schedule, recurrence, rounds};
use manylane_graph::interpret::{evaluate, run_main};
use manylane_graph::trace::{self, Rc5};
use manylane_graph::{Function, Module, Op, Role};
use manylane_primitives::catalog::{Algorithm, HashId};

/// The value of every node.
fn values(function: &Function, inputs: &[u64]) -> Vec<u64> {
    let mut values: Vec<u64> = Vec::new();
    for node in function.nodes() {
        let args: Vec<u64> = function.args(node).iter().map(|arg| values[arg.index()]).collect();
        values.push(match function.op(node) {
            Op::Input(i) => inputs[i as usize] & u64::MAX >> (64 - function.width(node)),
            op => evaluate(op, function.width(node), &args),
        });
    }
    values
}

/// Inputs of all zeros, all ones, edges in turn, and by a generator.
fn edge_inputs(count: usize) -> Vec<Vec<u64>> {
    let edges = [0, 1, u64::MAX, 0xaaaa_aaaa_aaaa_aaaa, 0x8000_0000_8000_0000];
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    let random = (0..count).map(|_| {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        x ^ x >> 29
    });
    let random = random.collect();
    vec![vec![0; count], vec![u64::MAX; count], (0..count).map(|i| edges[i % 5]).collect(), random]
}

/// Runs groups of `k` steps from the values of the first state on; every state must agree.
fn check_chain(graph: &Function, lines: &[Line], k: usize, side: Side) {
    let extractor = Extractor::new(graph);
    let state_of = |t: usize| lines.iter().flat_map(move |line| line.states[t].clone());
    let groups: Vec<_> = (0..lines[0].len() / k)
        .map(|g| extractor.merged(lines, g * k..(g + 1) * k, side))
        .map(|part| (Module::of(part.function), part.arguments, part.results))
        .collect();
    for inputs in edge_inputs(graph.inputs().len()) {
        let values = values(graph, &inputs);
        let mut state: Vec<u64> = state_of(0).map(|word| values[word.index()]).collect();
        for (g, (function, arguments, results)) in groups.iter().enumerate() {
            let side = arguments[state.len()..].iter().map(|node| values[node.index()]);
            let inputs: Vec<u64> = state.iter().copied().chain(side).collect();
            state = run_main(function, &inputs);
            let expected: Vec<u64> = results.iter().map(|node| values[node.index()]).collect();
            assert_eq!(state, expected, "{} {} group {g}", graph.name, lines[0].name);
        }
    }
}

#[test]
fn chained_rounds_are_the_compression() {
    for &id in HashId::ALL {
        let graph = trace::compression(Algorithm::new(id));
        let rounds = rounds(&graph);
        let n = rounds[0].len();
        check_chain(&graph, &rounds, 1, Side::Inside);
        check_chain(&graph, &rounds, 2, Side::Ahead);
        // The rest of the compression is computed from the state after the last round: it takes all
        // of these words, and no other word of the rounds.
        let last: Vec<_> = rounds.iter().flat_map(|line| line.states[n].clone()).collect();
        let in_round = |node| {
            let step = graph.ancestor(graph.step(node), 1);
            rounds.iter().any(|line| line.name == graph.steps()[step.index()].name)
        };
        let users = graph.users();
        let is_output = |node| graph.outputs().iter().any(|output| output.value == node);
        for &word in &last {
            assert!(
                is_output(word) || users[word.index()].iter().any(|&user| !in_round(user)),
                "{}: {word} is of no use after the rounds",
                graph.name
            );
        }
        let distinct: std::collections::HashSet<_> = last.iter().collect();
        assert_eq!(distinct.len(), last.len(), "{}", graph.name);
    }
}

/// Decryption counts its rounds backwards.
#[test]
fn chained_rounds_are_rc5() {
    for part in [Rc5::Encryption, Rc5::Decryption] {
        let graph = trace::rc5::<u32>(part, 12, 4);
        let rounds = rounds(&graph);
        assert_eq!((rounds[0].name.as_str(), rounds[0].len()), ("round", 12));
        check_chain(&graph, &rounds, 1, Side::Inside);
        check_chain(&graph, &rounds, 3, Side::Ahead);
    }
}

#[test]
fn lines_of_every_hash() {
    let lines_of = |name: &str| {
        let graph = trace::compression(name.parse().unwrap());
        let lines = lines(&graph).into_iter();
        lines.map(|line| (line.name.clone(), line.len())).collect::<Vec<_>>()
    };
    let named = |lines: &[(&str, usize)]| -> Vec<(String, usize)> {
        lines.iter().map(|&(name, count)| (name.to_owned(), count)).collect()
    };
    assert_eq!(lines_of("md5"), named(&[("round", 64)]));
    assert_eq!(lines_of("sha1"), named(&[("round", 80), ("schedule", 64)]));
    assert_eq!(lines_of("sha256"), named(&[("round", 64), ("schedule", 48)]));
    assert_eq!(lines_of("ripemd160"), named(&[("left", 80), ("right", 80)]));
    assert_eq!(lines_of("groestl256"), named(&[("round of P", 10), ("round of Q", 10)]));
    assert_eq!(lines_of("blake512"), named(&[("round", 16)]));
    assert_eq!(lines_of("jh256"), named(&[("round", 42)]));
    assert_eq!(lines_of("keccak256"), named(&[("round", 24)]));
    assert_eq!(lines_of("skein512"), named(&[("round", 72)]));
}

/// Round 20 of SHA-256: eight state words, W_t and K_t, and what FIPS 180-4 makes of them.
#[test]
fn a_round_has_its_message_word_and_constant_as_inputs() {
    let graph = trace::compression("sha256".parse().unwrap());
    let round = Extractor::new(&graph).step(&rounds(&graph)[0], 20);
    let roles: Vec<Role> = round.function.inputs().iter().map(|input| input.role).collect();
    assert_eq!(roles[..8], [Role::Chaining; 8]);
    assert_eq!(roles[8..], [Role::Constant, Role::Message]);
    let [a, b, c, d, e, f, g, h, k, w] = [1u32, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    let t1 = h + (e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25));
    let t1 = t1.wrapping_add((e & f) ^ (!e & g)).wrapping_add(k + w);
    let t2 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
    let t2 = t2.wrapping_add((a & b) ^ (a & c) ^ (b & c));
    let expected = [t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g].map(u64::from);
    let inputs = [a, b, c, d, e, f, g, h, k, w].map(u64::from);
    assert_eq!(run_main(&Module::of(round.function), &inputs), expected);
}

/// The rotations of Σ are the same everywhere: they stay. JH's masks differ from round to round.
#[test]
fn constants_that_are_the_same_in_all_steps_stay_constants() {
    let constants = |name: &str, t| {
        let graph = trace::compression(name.parse().unwrap());
        let round = Extractor::new(&graph).step(&rounds(&graph)[0], t);
        round.function.inputs().iter().filter(|input| input.role == Role::Constant).count()
    };
    assert_eq!(constants("md5", 3), 1);
    assert_eq!(constants("keccak256", 3), 1);
    assert_eq!(constants("sha1", 30), 1, "one of four: the shape of rounds 20 and 60 is the same");
    assert_eq!(constants("sha1", 50), 0, "the constant of the only rounds with Maj");
}

#[test]
fn message_schedules_are_recurrences() {
    let cases = [
        ("sha1", vec![16, 14, 8, 3]),
        ("sha256", vec![16, 15, 7, 2]),
        ("sha512", vec![16, 15, 7, 2]),
    ];
    for (name, expected) in cases {
        let graph = trace::compression(name.parse().unwrap());
        let extractor = Extractor::new(&graph);
        let schedule = lines(&graph).into_iter().find(|line| line.name == "schedule").unwrap();
        let recurrence = recurrence(&extractor, &schedule).expect(name);
        assert_eq!(recurrence.distances, expected, "{name}");
        assert_eq!(recurrence.window, 16);
        check_chain(&graph, &[schedule], 1, Side::Inside);
        check_chain(&graph, &[recurrence.line], 2, Side::Inside);
        let module = Module::of(recurrence.function);
        for inputs in edge_inputs(graph.inputs().len()) {
            let values = values(&graph, &inputs);
            for t in 16..recurrence.words.len() {
                let args = recurrence.distances.iter().map(|d| recurrence.words[t - d]);
                let args: Vec<u64> = args.map(|word| values[word.index()]).collect();
                let new = values[recurrence.words[t].index()];
                assert_eq!(run_main(&module, &args), [new], "{name} W_{t}");
            }
        }
    }
    let rounds = rounds(&trace::compression("sha256".parse().unwrap()));
    assert!(
        recurrence(&Extractor::new(&trace::compression("sha256".parse().unwrap())), &rounds[0])
            .is_none()
    );
}

/// The longest line is no line of rounds if its steps are of another kind, and rounds are rounds
/// under any name.
#[test]
fn rounds_are_lines_of_that_kind() {
    let text = Module::of(trace::compression("sha256".parse().unwrap())).to_string();
    let of = |text: String| -> Vec<(String, usize)> {
        let module: Module = text.parse().unwrap();
        rounds(module.main()).into_iter().map(|line| (line.name.clone(), line.len())).collect()
    };
    assert_eq!(of(text.clone()), [("round".to_owned(), 64)]);
    assert_eq!(of(text.replace("round[", "turn[")), [("turn".to_owned(), 64)]);
    let exchanged = text.replace("]: round", "]: part").replace("]: schedule", "]: round");
    assert_eq!(of(exchanged), [("schedule".to_owned(), 48)]);
}

/// The message schedule is found by its kind, whatever else is a recurrence.
#[test]
fn the_message_schedule_is_of_that_kind() {
    let of = |name: &str, kind: &str| {
        let text = Module::of(trace::compression(name.parse().unwrap())).to_string();
        let module: Module = text.replace("]: schedule", &format!("]: {kind}")).parse().unwrap();
        message_schedule(&Extractor::new(module.main())).map(|schedule| schedule.words.len())
    };
    assert_eq!(of("sha256", "schedule"), Some(64));
    assert_eq!(of("sha1", "schedule"), Some(80));
    assert_eq!(of("sha256", "part"), None);
    assert_eq!(of("blake256", "schedule"), None);
}
