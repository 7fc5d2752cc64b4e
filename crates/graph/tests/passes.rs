//! Every pass keeps the meaning of every primitive, and does what it is for.

mod common;

use common::assert_same_meaning;
use manylane_graph::extract::{Line, rounds};
use manylane_graph::passes::{
    balance, dead, each, flatten, inline, lanes, legalize, needed, nest, ternary, uniform, xnor,
};
use manylane_graph::trace::{self, Loading, Rc5};
use manylane_graph::{Function, Kind, Module, NodeId, Op, StepId, analysis::Timing};
use manylane_primitives::catalog::{Algorithm, HashId};

/// Every compression of the catalogue, RC5 of three widths in both directions, and messages.
/// Hashes that differ in the initial value or the digest alone have one compression.
fn modules() -> Vec<Module> {
    let mut compressions: Vec<Function> = Vec::new();
    for &id in HashId::ALL {
        let mut function = trace::compression(Algorithm::new(id));
        let known = compressions.iter().any(|other| {
            function.name.clone_from(&other.name);
            function.len() == other.len() && function == *other
        });
        if !known {
            function.name = format!("{id:?}.compression");
            compressions.push(function);
        }
    }
    compressions.into_iter().map(Module::of).chain(others()).collect()
}

/// One compression of each family, and the same ciphers and messages.
fn families() -> Vec<Module> {
    let names =
        ["md5", "sha1", "sha256", "keccak512", "ripemd128", "blake512", "groestl256", "skein256"];
    let hashes = names.map(|name| trace::compression(name.parse().unwrap()));
    hashes.into_iter().map(Module::of).chain(others()).collect()
}

fn others() -> Vec<Module> {
    let rc5 = [
        trace::rc5::<u32>(Rc5::Encryption, 12, 4),
        trace::rc5::<u32>(Rc5::Decryption, 2, 1),
        trace::rc5::<u64>(Rc5::Encryption, 2, 2),
        trace::rc5::<u64>(Rc5::Decryption, 2, 2),
        trace::rc5::<u16>(Rc5::Encryption, 3, 2),
    ];
    let message =
        |name: &str, bytes| trace::message(name.parse().unwrap(), bytes, Loading::Swapped);
    let messages = [message("md5", 70), message("skein256", 3)];
    rc5.into_iter().map(Module::of).chain(messages).collect()
}

/// Checks that a pass keeps the meaning of modules; returns the modules before and after it.
fn check(
    what: &str,
    modules: Vec<Module>,
    pass: impl Fn(&Module) -> Module,
) -> Vec<(Module, Module)> {
    let pairs = modules.into_iter().map(|before| {
        let after = pass(&before);
        assert_same_meaning(&before, &after, what);
        (before, after)
    });
    pairs.collect()
}

fn all_ops(module: &Module) -> impl Iterator<Item = (Op, &Function)> {
    let nodes = |function| Function::nodes(function).map(move |node| (function.op(node), function));
    module.functions().iter().flat_map(nodes)
}

fn unit(_: Op, _: u8) -> f64 {
    1.0
}

#[test]
fn every_text_reads_back() {
    for module in modules() {
        assert!(module.to_string().parse().as_ref() == Ok(&module), "{}", module.main().name);
    }
}

#[test]
fn dead_leaves_what_is_needed() {
    for (_, after) in check("dead", modules(), |m| each(m, dead)) {
        assert_eq!(each(&after, dead), after, "{}", after.main().name);
        for function in after.functions() {
            let users = function.users();
            for node in function.nodes() {
                let output = function.outputs().iter().any(|output| output.value == node);
                let input = matches!(function.op(node), Op::Input(_));
                assert!(output || input || !users[node.index()].is_empty());
            }
        }
    }
}

#[test]
fn flatten_nests_no_sum_of_one_user() {
    for (_, after) in check("flatten", modules(), |m| each(m, flatten)) {
        let again = each(&after, flatten);
        let mut pairs = after.functions().iter().zip(again.functions());
        assert!(pairs.all(|(once, twice)| once.same_shape(twice, true)), "{}", after.main().name);
    }
}

/// Balancing after flattening never makes the dearest path longer than the standard's order does.
#[test]
fn balance_shortens_the_dearest_path() {
    let pairs = check("balance", modules(), |m| each(m, |f| balance(&flatten(f), unit)));
    for (before, after) in pairs {
        let (before, after) = (Timing::unit(before.main()), Timing::unit(after.main()));
        assert!(after.span <= before.span);
    }
    let add_is_slow = |op: Op, width: u8| if op == Op::Add { width.into() } else { 1.0 };
    check("balance by cost", families(), |m| each(m, |f| balance(&flatten(f), add_is_slow)));
}

#[test]
fn ternary_makes_fewer_operations() {
    for (before, after) in check("ternary", modules(), |m| each(m, ternary)) {
        let work = |module: &Module| Timing::unit(module.main()).work;
        let before = each(&before, dead);
        assert!(work(&after) <= work(&before), "{}", before.main().name);
    }
    check("ternary after flatten", families(), |m| each(m, |f| ternary(&flatten(f))));
}

/// Rounds that were alike stay as they are, to the node; others do the same work in every round.
#[test]
fn uniform_makes_rounds_alike() {
    for (before, after) in check("uniform", families(), |m| each(m, uniform)) {
        let name = &before.main().name;
        let of_kinds = ["md5", "sha1", "ripemd", "jh", "skein"];
        let changes = of_kinds.iter().any(|kind| name.starts_with(kind));
        assert!(changes || before.main().same_shape(after.main(), true), "{name}");
        let lines = rounds(after.main());
        let lengths = |lines: &[Line]| lines.iter().map(Line::len).collect::<Vec<_>>();
        assert_eq!(lengths(&rounds(before.main())), lengths(&lines), "{name}");
    }
}

/// There are no more operations than before, and one rotation of a word in a sum that had several.
#[test]
fn nested_rotations_are_as_many() {
    for (before, after) in check("nest", modules(), |m| each(m, nest)) {
        let (before, after) = (all_ops(&before).count(), all_ops(&after).count());
        assert!(after <= before, "{after} operations, {before} before");
    }
    // The remaining rotations are of words that have one rotation in each of two sums, as in the
    // schedule.
    let shared = |function: &Function| {
        let rotations = function.nodes().filter(|&n| matches!(function.op(n), Op::Rotr(_)));
        let mut words: Vec<NodeId> = rotations.map(|n| function.args(n)[0]).collect();
        words.sort_unstable();
        words.windows(2).filter(|pair| pair[0] == pair[1]).count()
    };
    let sha256 = trace::compression("sha256".parse().unwrap());
    let (before, after) = (shared(&sha256), shared(&nest(&sha256)));
    assert!(before > 300 && after < 50, "{before}, {after}");
}

#[test]
fn xnor_leaves_no_xor() {
    for (_, after) in check("xnor", modules(), |m| each(m, xnor)) {
        assert!(all_ops(&after).all(|(op, _)| op != Op::Xor), "{}", after.main().name);
    }
    check("xnor after ternary", families(), |m| each(m, |f| xnor(&ternary(f))));
}

#[test]
fn legal_words_are_narrow() {
    for (bits, modules) in [(8, families()), (16, modules()), (32, modules())] {
        for (_, after) in check(&format!("legalize {bits}"), modules, |m| legalize(m, bits)) {
            for function in after.functions() {
                assert!(function.nodes().all(|node| function.width(node) <= bits));
            }
        }
    }
}

/// No operation becomes dearer, and nothing is left to find.
#[test]
fn needed_terms_are_no_more() {
    let work = |module: &Module| Timing::unit(module.main()).work;
    for (before, after) in check("needed", modules(), |m| each(m, needed)) {
        assert!(work(&after) <= work(&before), "{}", before.main().name);
        let again = each(&after, needed);
        assert!(again.main().same_shape(after.main(), true), "{}", before.main().name);
    }
    check("legalize 32, needed", families(), |m| each(&legalize(m, 32), needed));
    check("legalize 16, needed", others(), |m| each(&legalize(m, 16), needed));
}

/// JH exchanges bits within 32, and words of 32; all other primitives on 64-bit words add or rotate
/// across lanes. Every operation on one lane is done once.
#[test]
fn lanes_are_those_of_jh() {
    for &id in HashId::ALL {
        let whole = trace::compression(Algorithm::new(id));
        let split = lanes(&whole, 32);
        assert_eq!(split.is_some(), whole.name.starts_with("jh"), "{}", whole.name);
        let Some(split) = split else { continue };
        assert_same_meaning(&Module::of(whole), &Module::of(split.clone()), "lanes");
        assert!(split.nodes().all(|node| split.width(node) <= 32));
        let step = split.find_step("round[41]/half[1]/limb[1]").expect("a lane");
        assert_eq!(split.steps()[step.index()].kind, Kind::Lane);
    }
    let message = inline(&trace::message("jh384".parse().unwrap(), 65, Loading::Swapped));
    let split = lanes(&message, 32).expect("padding and loading have lanes too");
    assert_same_meaning(&Module::of(message), &Module::of(split), "lanes of a message");
}

/// The passes for a 16-bit core without exclusive or, and those for a 32-bit machine.
#[test]
fn passes_compose() {
    check("legalize 16, flatten, ternary, xnor", families(), |m| {
        each(&legalize(m, 16), |f| xnor(&ternary(&flatten(f))))
    });
    check("flatten, legalize 32, balance", families(), |m| {
        each(&legalize(&each(m, flatten), 32), |f| balance(f, unit))
    });
}

/// Planners find operations by their steps, and the limbs of a step by its lanes, so passes keep
/// both.
#[test]
fn steps_outlive_passes() {
    let sha512 = Module::of(trace::compression("sha512".parse().unwrap()));
    let words = |module: &Module, path: &str| {
        let function = module.main();
        let step = function.find_step(path).unwrap_or_else(|| panic!("no step {path}"));
        assert!(function.nodes().any(|node| function.path(function.step(node)).contains(&step)));
        function.steps()[step.index()].over.len()
    };
    let flat = each(&sha512, |f| ternary(&flatten(f)));
    let legal = legalize(&flat, 16);
    for i in 0..80 {
        let path = format!("round[{i}]");
        assert_eq!(words(&sha512, &path), 8);
        assert_eq!(words(&flat, &path), 8);
        assert_eq!(words(&legal, &path), 4 * 8);
        for limb in 0..4 {
            assert_eq!(words(&legal, &format!("{path}/limb[{limb}]")), 8);
        }
    }
    let rooted = |module: &Module| {
        let function = module.main();
        let work = function.nodes().filter(|&node| function.op(node).is_work());
        work.filter(|&node| function.step(node) == StepId::ROOT).count()
    };
    assert_eq!(rooted(&legal), 0, "limbs of the root lie in its own lanes");
}

/// The numbers of operations of SHA-256 are pinned, so that they change on purpose only.
#[test]
fn sha256_is_counted() {
    let sha256 = Module::of(trace::compression("sha256".parse().unwrap()));
    let work = |module: &Module| Timing::unit(module.main()).work;
    let flat = each(&sha256, flatten);
    assert_eq!(work(&sha256), 2105.0);
    assert_eq!(work(&flat), 1527.0);
    assert_eq!(work(&each(&flat, ternary)), 1333.0);
    assert_eq!(work(&legalize(&sha256, 16)), 7166.0);
    // Among 512 exclusive ors in pairs, those that arithmetic uses need a complement.
    let xnors = each(&sha256, xnor);
    assert_eq!(all_ops(&xnors).filter(|&(op, _)| op == Op::Not).count(), 128);
}
