//! The invariants that the text form cannot break; `tests/filetests/verify-*` break the others.

use super::verify;
use crate::builder::Builder;
use crate::ir::{Function, Input, Kind, Module, NodeId, Op, Role, Step, StepId};

/// `round[0]` adds two inputs.
fn function() -> Function {
    let mut b = Builder::new("f");
    let x = b.input("x", Role::Message, 32);
    let y = b.input("y", Role::Key, 32);
    b.enter(Kind::Round, "round", 0, &[x, y]);
    let sum = b.op(Op::Add, &[x, y]);
    b.leave();
    b.output("sum", sum);
    b.finish()
}

/// The number of the invariant that `change` breaks.
fn broken(change: impl Fn(&mut Function)) -> u8 {
    let mut function = function();
    assert_eq!(verify(&Module::of(function.clone())), Ok(()));
    change(&mut function);
    verify(&Module::of(function)).expect_err("something is broken").invariant
}

#[test]
fn a_module_has_a_function() {
    assert_eq!(verify(&Module::new()).unwrap_err().invariant, 1);
}

#[test]
fn function_names_are_words() {
    assert_eq!(broken(|f| f.name = "f g".to_owned()), 2);
    assert_eq!(broken(|f| f.name.clear()), 2);
}

#[test]
fn inputs_and_their_nodes_correspond() {
    assert_eq!(broken(|f| f.inputs.swap(0, 1)), 3);
    assert_eq!(broken(|f| f.nodes[1].op = Op::Input(0)), 3);
    assert_eq!(broken(|f| f.nodes[1].op = Op::Const(0)), 3);
    let input = Input { name: "z".to_owned(), role: Role::Key, node: NodeId(2) };
    assert_eq!(broken(|f| f.inputs.push(input.clone())), 3);
    assert_eq!(broken(|f| drop(f.inputs.pop())), 3);
}

#[test]
fn nodes_are_in_steps() {
    assert_eq!(broken(|f| f.nodes[2].step = StepId(2)), 15);
}

#[test]
fn the_root_is_first_and_parents_are_earlier() {
    assert_eq!(broken(|f| f.steps.clear()), 16);
    assert_eq!(broken(|f| f.steps[0].name = "root".to_owned()), 16);
    assert_eq!(broken(|f| f.steps[0].parent = StepId(1)), 16);
    assert_eq!(broken(|f| f.steps[0].over.push(NodeId(0))), 16);
    assert_eq!(broken(|f| f.steps[1].parent = StepId(1)), 16);
}

#[test]
fn step_names_can_be_written() {
    for name in ["", " round", "round ", "a/b", "a[b", "a]b", "a@b", "a;b", "a\nb"] {
        assert_eq!(broken(|f| f.steps[1].name = name.to_owned()), 17, "{name:?}");
    }
}

#[test]
fn substeps_differ() {
    let (parent, kind) = (StepId::ROOT, Kind::Round);
    let step = Step { parent, kind, name: "round".to_owned(), index: 0, over: Vec::new() };
    assert_eq!(broken(|f| f.steps.push(step.clone())), 18);
}
