//! The check that a netlist can compute all operations of a program.

use crate::rtl::Error;
use manylane_graph::{Function, Op};
use manylane_plan::hardware::HardwareProgram;

/// Checks that every operation of a program has a text in the hardware languages.
///
/// # Errors
/// The first node that is an operation without a text in the hardware languages.
pub(super) fn operations(program: &HardwareProgram) -> Result<(), Error> {
    let regions = program.regions.iter().chain(&program.schedule).map(|region| &region.function);
    std::iter::once(&program.function).chain(regions).try_for_each(of_function)
}

fn of_function(function: &Function) -> Result<(), Error> {
    let found = function.nodes().find(|&node| !has_text(function.op(node)));
    found.map_or(Ok(()), |node| {
        let (function, operation) = (function.name.clone(), function.op(node).name());
        Err(Error::Operation { function, node, operation })
    })
}

fn has_text(op: Op) -> bool {
    match op {
        Op::Input(_)
        | Op::Const(_)
        | Op::Add
        | Op::Sub
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Xnor
        | Op::Not
        | Op::Rotl(_)
        | Op::Rotr(_)
        | Op::Shl(_)
        | Op::Shr(_)
        | Op::Lut3(_)
        | Op::SwapBytes
        | Op::SubBytes
        | Op::Xtime => true,
        Op::Carry | Op::RotlVar | Op::RotrVar | Op::Call(_) | Op::Result(_) | Op::External => false,
    }
}
