//! The rules that a program of hardware keeps, and their check.
//!
//! 1. The program was made from its function: both have the same fingerprint.
//! 2. There are C turns (`cycles_per_block`) for each stage, with the clocks 0, 1, …; each is a
//!    turn of one region.
//! 3. All regions of the rounds have as many words of state as the function's rounds. Every region
//!    computes as many words as it takes.
//! 4. A turn has a node of the function for each input of its region's function, of the same width,
//!    and an amount for each operation whose amount varies. Two turns of a region are of the same
//!    kind if and only if their amounts are the same.
//! 5. The schedule of a region holds its own rules, see
//!    [`HardwareSchedule`](crate::hardware::HardwareSchedule).
//! 6. An operand of an operation is computed in the same clock, or a register holds it.
//! 7. Of the words that turns compute, operations outside the turns take only those after the last
//!    turn.
//! 8. The function and those of the regions are [valid](manylane_graph::verify) and call no others.
//! 9. The program computes the function: for some inputs it has the function's outputs.

use super::run::{Stuck, run};
use super::{HardwareProgram, Region, Turn};
use crate::program::fingerprint;
use crate::program::verify::numbers;
use manylane_graph::interpret::run_main;
use manylane_graph::verify as graph;
use manylane_graph::{Function, Module, Op};

pub use crate::violation::Violation;

fn violated<T>(rule: u8, problem: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { rules: "hardware::program::verify", rule, problem: problem.into() })
}

/// Checks every rule.
///
/// # Errors
/// The first one that does not hold.
pub fn verify(program: &HardwareProgram) -> Result<(), Violation> {
    check_function(program, &program.function)?;
    check_graph("the function", &program.function)?;
    for (r, region) in program.regions.iter().chain(&program.schedule).enumerate() {
        check_graph(&format!("region {r}"), &region.function)?;
    }
    let turns = program.turns();
    let (clocks, stages) = (program.cycles_per_block, program.stages());
    let is_counted = turns.iter().enumerate().all(|(turn, (_, of_turn))| of_turn.clock == turn);
    if clocks == 0 || stages == 0 || turns.len() != clocks * stages || !is_counted {
        let found: Vec<usize> = turns.iter().map(|(_, turn)| turn.clock).collect();
        return violated(2, format!("{stages} stages of {clocks} turns have turns {found:?}"));
    }
    let words = program.regions[0].words;
    for (r, region) in program.regions.iter().chain(&program.schedule).enumerate() {
        let is_state = r == program.regions.len() || region.words == words;
        let outputs = region.function.outputs().len();
        if !is_state || outputs != region.words || region.function.inputs().len() < outputs {
            let (has, of) = (region.words, region.function.inputs().len());
            return violated(
                3,
                format!("region {r} makes {outputs} words of {has}, of {of} inputs"),
            );
        }
        for turn in &region.turns {
            check_turn(&program.function, region, turn)?;
        }
        check_kinds(r, region)?;
        if let Err(wrong) = region.schedule.check(&region.function, region.words) {
            return violated(5, format!("region {r}: {wrong}"));
        }
    }
    let last = program.last_words().len();
    if last != words {
        return violated(
            3,
            format!("the regions have {words} words, the function's rounds {last}"),
        );
    }
    let module = Module::of(program.function.clone());
    for seed in 0..3 {
        let inputs = numbers(seed, program.function.inputs().len());
        let outputs = run(program, &inputs).or_else(|stuck| {
            let rule = match stuck {
                Stuck::Missing { .. } | Stuck::Lost { .. } => 6,
                Stuck::Inside { .. } => 7,
            };
            violated(rule, stuck.to_string())
        })?;
        if outputs != run_main(&module, &inputs) {
            let name = &program.function.name;
            return violated(9, format!("the turns do not compute {name}; plan it anew"));
        }
    }
    Ok(())
}

/// Checks rule 8.
fn check_graph(name: &str, function: &Function) -> Result<(), Violation> {
    let is_call = |op| matches!(op, Op::Call(_) | Op::Result(_) | Op::External);
    match graph::verify(&Module::of(function.clone())) {
        Err(wrong) => violated(8, format!("{name}: {wrong}")),
        Ok(()) if function.nodes().any(|node| is_call(function.op(node))) => {
            violated(8, format!("{name} calls functions, which no hardware does"))
        }
        Ok(()) => Ok(()),
    }
}

/// Checks rule 4 on the kinds of turns.
fn check_kinds(r: usize, region: &Region) -> Result<(), Violation> {
    for (i, turn) in region.turns.iter().enumerate() {
        for other in &region.turns[..i] {
            if (turn.kind == other.kind) != (turn.amounts == other.amounts) {
                let (turn, kind, of) = (turn.clock, turn.kind, other.clock);
                return violated(
                    4,
                    format!("turn {turn} of region {r} is of kind {kind}, unlike turn {of}"),
                );
            }
        }
    }
    Ok(())
}

/// Checks that a program was made from this function.
///
/// # Errors
/// Rule 1, if it was made from another one.
pub fn check_function(program: &HardwareProgram, function: &Function) -> Result<(), Violation> {
    let (has, of) = (program.fingerprint, fingerprint(function));
    match has == of {
        true => Ok(()),
        false => violated(
            1,
            format!(
                "the program is of function {has:#018x}, and {} is {of:#018x}; plan it anew",
                function.name
            ),
        ),
    }
}

/// Checks rule 4 on the inputs and the amounts of a turn.
fn check_turn(function: &Function, region: &Region, turn: &Turn) -> Result<(), Violation> {
    let (inputs, clock) = (region.function.inputs(), turn.clock);
    if turn.arguments.len() != inputs.len() || turn.amounts.len() != region.varying.len() {
        let (has, amounts) = (turn.arguments.len(), turn.amounts.len());
        let (inputs, varying) = (inputs.len(), region.varying.len());
        return violated(
            4,
            format!(
                "turn {clock} has {has} inputs and {amounts} amounts, not {inputs} and {varying}"
            ),
        );
    }
    for (input, &argument) in inputs.iter().zip(&turn.arguments) {
        let name = &input.name;
        if argument.index() >= function.len() {
            return violated(
                4,
                format!("{name} of turn {clock} is {argument}, which is not there"),
            );
        }
        let (has, of) = (function.width(argument), region.function.width(input.node));
        if has != of {
            return violated(4, format!("{name} of turn {clock} has {has} bits, not {of}"));
        }
    }
    for (&node, amount) in region.varying.iter().zip(&turn.amounts) {
        let op = region.function.op(node);
        let is_alike = std::mem::discriminant(amount) == std::mem::discriminant(&op);
        if !is_alike || !matches!(op, Op::Rotl(_) | Op::Rotr(_) | Op::Shl(_) | Op::Shr(_)) {
            return violated(
                4,
                format!("{node} of turn {clock} varies, and is {op:?}, {amount:?}"),
            );
        }
    }
    Ok(())
}
