//! Measures emitted code on the S12X that is simulated here, for its platform's file.
//!
//! ```text
//!  operations   a chain of sums, and the same with an operation behind each sum, as the backends
//!               write them: the difference of two lengths of each chain
//!  programs     messages of a hash on the CPU, on XGATE and on both
//! ```

use super::file::Tables;
use super::fit;
use crate::asm::{Search, assembled};
use crate::error::Error;
use crate::primitive::Primitive;
use manylane_emit::asm::Cores;
use manylane_emit::backend;
use manylane_emit::cpu12x;
use manylane_emit::xgate::{Ahead, Thread, Walks};
use manylane_graph::builder::Builder;
use manylane_graph::framing::{ByteOrder, Framing, framing};
use manylane_graph::{Function, Op, Role};
use manylane_plan::platform::ProgramTime;
use manylane_plan::program::Program;
use manylane_plan::program::message::{Calls, beside};
use manylane_plan::program::shape::{Shape, Worth};
use manylane_primitives::catalog::Algorithm;
use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::chip::Chip;
use manylane_simulate::s12x::cpu12::CpuSet;
use manylane_simulate::s12x::object::Space;
use manylane_simulate::s12x::{Machine, Stop};
use std::collections::BTreeMap;

/// The tools with which the figures are measured, as the platform's file states them.
const BY: &str = concat!(
    "simulator of the MC9S12XDT512 and code of `manylane emit asm`, manylane ",
    env!("CARGO_PKG_VERSION")
);

/// Words that operations are measured on.
const WIDTHS: [u8; 3] = [16, 32, 64];

/// Lengths of the chains.
const SHORT: usize = 4;
const LONG: usize = 20;

/// Words of a message, which the links of a chain take in turn.
const WORDS: usize = 4;

/// Blocks of a message that is long enough for the hand-overs of a share to have become regular. An
/// even number, because a share may be of every other block.
const MANY: usize = 14;

/// Amounts of rotations and shifts.
const AMOUNTS: [u8; 5] = [1, 3, 7, 10, 13];

/// Orders of XGATE's instructions that are tried.
const EFFORT: usize = 100;

/// The operations that are measured, and their names in a platform's file.
const OPERATIONS: [(&str, Op); 14] = [
    ("sub", Op::Sub),
    ("and", Op::And),
    ("or", Op::Or),
    ("xor", Op::Xor),
    ("xnor", Op::Xnor),
    ("not", Op::Not),
    ("shl", Op::Shl(0)),
    ("shr", Op::Shr(0)),
    ("rotl", Op::Rotl(0)),
    ("rotr", Op::Rotr(0)),
    ("rotl_var", Op::RotlVar),
    ("rotr_var", Op::RotrVar),
    ("sub_bytes", Op::SubBytes),
    ("swap_bytes", Op::SwapBytes),
];

/// A chain of `links` sums, each followed by the operation if there is one.
fn chain(op: Option<Op>, width: u8, links: usize) -> Function {
    let mut b = Builder::new("chain");
    let mut value = b.input("h0", Role::Chaining, width);
    // Chaining values have two words at least.
    let other = b.input("h1", Role::Chaining, width);
    let words: Vec<_> =
        (0..WORDS).map(|i| b.input(&format!("m{i}"), Role::Message, width)).collect();
    for link in 0..links {
        value = b.op(Op::Add, &[value, words[link % WORDS]]);
        let amount = AMOUNTS[link % AMOUNTS.len()];
        let op = match op {
            None => continue,
            Some(Op::Shl(_)) => Op::Shl(amount),
            Some(Op::Shr(_)) => Op::Shr(amount),
            Some(Op::Rotl(_)) => Op::Rotl(amount),
            Some(Op::Rotr(_)) => Op::Rotr(amount),
            Some(op) => op,
        };
        let next = words[(link + 1) % WORDS];
        value = match op {
            Op::Not
            | Op::Shl(_)
            | Op::Shr(_)
            | Op::Rotl(_)
            | Op::Rotr(_)
            | Op::SubBytes
            | Op::SwapBytes => b.op(op, &[value]),
            _ => b.op(op, &[value, next]),
        };
    }
    b.output("h0", value);
    b.output("h1", other);
    b.finish()
}

fn program(function: &Function) -> Program {
    Shape { unroll: Some(1), worth: Worth::Speed, word: Some(64) }.one(function)
}

/// Bus cycles of a function on the CPU.
fn on_cpu(function: &Function) -> Result<f64, Error> {
    let prefix = "step";
    let written = cpu12x::compression(&program(function), ByteOrder::Big, prefix, false, false);
    let written = written.map_err(backend::Error::from)?;
    let text = written.symbols(prefix, 0x2000) + &written.text;
    let object = assemble(&CpuSet, &text, 0x4000)?;
    let mut machine = Machine::of(&Chip::xdt512());
    machine.load(&object)?;
    let block = [0x5a; 8 * WORDS];
    machine.write(Space::Cpu, 0x3000, &block)?;
    let at = machine.symbol(&format!("{prefix}_compress"))?.address as u16;
    let registers = machine.cpu.registers_mut();
    (registers.sp, registers.x, registers.y) = (0x4000, 0x3100, 0x3000);
    let before = machine.now();
    if machine.call(at, 1_000_000)? != Stop::Returned {
        return Err(Error::Endless { label: prefix.to_owned() });
    }
    Ok((machine.now() - before) as f64 / 2.0)
}

/// Bus cycles of a function on XGATE, without waits for memory.
fn on_xgate(function: &Function, width: u8) -> Result<f64, Error> {
    let like: Algorithm = "sha256".parse()?;
    let word = usize::from(width / 8);
    let framing = Framing {
        word_bits: width.into(),
        block_bytes: WORDS * word,
        order: ByteOrder::Big,
        counter: None,
        ..framing(like)?
    };
    let (walks, ahead) = (Walks::Blocks, Ahead::None);
    let is_lean = false;
    let thread =
        Thread { prefix: "step", framing: &framing, walks, effort: EFFORT, ahead, is_lean };
    Ok(thread.write(&program(function))?.clocks as f64 / 2.0)
}

/// The cycles of `op` on words of `width` bits behind a sum; if `op` is `None`, those of the sum
/// itself.
fn cost(
    on: &dyn Fn(&Function) -> Result<f64, Error>,
    op: Option<Op>,
    width: u8,
) -> Result<f64, Error> {
    let links = (LONG - SHORT) as f64;
    let each = |op| -> Result<f64, Error> {
        Ok((on(&chain(op, width, LONG))? - on(&chain(op, width, SHORT))?) / links)
    };
    let sum = each(None)?;
    match op {
        None => Ok(sum),
        // An operation that the sum's instructions include costs nothing.
        Some(_) => Ok((each(op)? - sum).max(0.0)),
    }
}

/// Measures the operations of both cores. `is_part` says that programs of the file stay as they
/// are. `begins` is called before each, with its name and the core.
///
/// # Errors
/// If an operation has no instructions.
pub fn operations(
    tables: &mut Tables,
    is_part: bool,
    begins: &dyn Fn(&str, &str),
) -> Result<(), Error> {
    tables.set_measured(BY, is_part);
    for core in ["main", "coprocessor"] {
        let named = OPERATIONS.map(|(name, op)| (name, Some(op)));
        for (name, op) in [("add", None)].into_iter().chain(named) {
            begins(name, core);
            for width in WIDTHS {
                let on = |function: &Function| match core {
                    "main" => on_cpu(function),
                    _ => on_xgate(function, width),
                };
                let cycles = cost(&on, op, width).map_err(|source| Error::Operation {
                    what: format!("{name} of {width} bits, {core}"),
                    source: Box::new(source),
                })?;
                tables.set_cost(core, name, width, cycles);
            }
        }
    }
    Ok(())
}

/// Whether a platform knows a hash's time on a choice of cores. On both its program has a share of
/// the CPU, or none pays.
pub fn is_known(known: &BTreeMap<String, ProgramTime>, hash: Algorithm, cores: Cores) -> bool {
    let has = |name: &str| known.contains_key(name);
    match cores {
        Cores::Cpu => has(&hash.to_string()),
        Cores::Xgate => has(&format!("{hash}.{cores}")),
        Cores::Both => has(&format!("{hash}.{cores}")) || has(&format!("{hash}.share")),
    }
}

/// Measures messages of a hash on each choice of cores that `is_wanted`, which is asked before each
/// of them. `is_part` says that other figures of the file stay as they are.
///
/// # Errors
/// If no assembly is written for it, or a digest is wrong.
pub fn programs(
    tables: &mut Tables,
    hash: Algorithm,
    search: &Search,
    is_part: bool,
    is_wanted: &dyn Fn(Cores) -> bool,
) -> Result<(), Error> {
    let framing = framing(hash)?;
    let block_bytes = framing.block_bytes;
    let usual = fit::lengths_of_one(&framing);
    let many = MANY * block_bytes;
    // The last is one whole block, and a byte.
    let lengths = [&usual[..], &[many, block_bytes + 1]].concat();
    for &cores in Cores::ALL.iter().filter(|&&cores| is_wanted(cores)) {
        let assembled = match assembled(Primitive::Hash(hash), cores, search, "hash") {
            Ok(assembled) => assembled,
            // Code that does not fit has no time.
            Err(_) if cores != Cores::Cpu => continue,
            Err(why) => return Err(why),
        };
        let figures = assembled.figures(&lengths)?;
        let cycles: Vec<f64> = figures.iter().map(|of| of.cycles as f64).collect();
        let [usual_cycles @ .., many_cycles, one] = &cycles[..] else {
            unreachable!("{hash}: each length has a figure")
        };
        let blocks = |length: usize| Calls::of(&framing, length).whole as f64;
        let ([.., few, _], [.., few_cycles, _]) = (usual, usual_cycles) else {
            unreachable!("{hash}: each length has a figure")
        };
        let block = (many_cycles - few_cycles) / (blocks(many) - blocks(few));
        let time = fit::one(&framing, usual_cycles, Some(block));
        let calls = Calls::of(&framing, block_bytes + 1);
        let known = time.message + time.block * calls.count() as f64 + beside(&time, &calls);
        let whole = (one - known).max(0.0);
        let Some((name, program)) = assembled.measured_as() else {
            return Err(Error::Nameless { name: format!("{hash} on {cores}") });
        };
        tables.set_program(&name, &ProgramTime { program: Some(program), whole, ..time });
        tables.set_measured(BY, is_part);
    }
    Ok(())
}
