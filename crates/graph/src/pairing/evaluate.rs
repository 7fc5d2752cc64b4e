//! Evaluates a graph of field operations in a field.

use super::functions::FieldFunction;
use crate::ir::{Function, Module, Op};
use manylane_primitives::pairing::{BinaryField, Element, Parameters};

/// The outputs of `function`, of `module`, for `inputs` in the field: external functions by their
/// names, all others by their graphs.
///
/// # Panics
/// If the function has other operations than calls of functions of a field.
pub fn evaluate<P: Parameters>(
    module: &Module,
    function: &Function,
    inputs: &[Element<P>],
) -> Vec<Element<P>> {
    let mut values: Vec<Element<P>> = Vec::with_capacity(function.len());
    for node in function.nodes() {
        let args: Vec<Element<P>> = function.args(node).iter().map(|a| values[a.index()]).collect();
        let value = match function.op(node) {
            Op::Input(i) => inputs[i as usize],
            Op::Const(value) => constant(value),
            Op::Call(callee) => evaluate(module, module.function(callee), &args)[0],
            Op::External => external(&function.name, &args),
            op => panic!("{} is no operation on elements", op.name()),
        };
        values.push(value);
    }
    function.outputs().iter().map(|output| values[output.value.index()]).collect()
}

/// The element Σ bit_i z^i.
fn constant<P: Parameters>(value: u64) -> Element<P> {
    let mut bytes = vec![0; P::M.div_ceil(8)];
    for (byte, value) in bytes.iter_mut().rev().zip(value.to_le_bytes()) {
        *byte = value;
    }
    Element::from_bytes(&bytes).expect("a constant below z^m")
}

fn external<P: Parameters>(name: &str, args: &[Element<P>]) -> Element<P> {
    match (FieldFunction::named(name), args) {
        (Some(FieldFunction::Add), &[a, b]) => a + b,
        (Some(FieldFunction::Multiply), &[a, b]) => a * b,
        (Some(FieldFunction::Square), &[a]) => a.square(),
        (Some(FieldFunction::SquareRoot), &[a]) => a.square_root(),
        (Some(FieldFunction::Frobenius(n)), &[a]) => a.frobenius(n),
        _ => panic!("{name} of {} elements is no function of the field itself", args.len()),
    }
}
