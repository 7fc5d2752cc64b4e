//! A compression function as a subroutine.
//!
//! ```text
//!  P_compress    X: the chaining value, words in the CPU's order of bytes; Y: the block, bytes
//!                P_counter: the counter, its last word first, if there is one
//!  ── copies both into the work area, runs the regions, stores the next chaining value
//!
//!  P_ahead       X: where the words go that XGATE takes; Y: the block, bytes
//!  ── the same for what is computed before the chaining value is known
//! ```

use super::chain::{ROTATION_BYTES, SCRATCH_BYTES};
use super::memory::Memory;
use super::moves::copy;
use super::operand::{Address, Area, Limb, View};
use super::region::Writer;
use super::text::{Lines, Table};
use crate::asm::Error;
use manylane_graph::framing::ByteOrder;
use manylane_graph::interpret::evaluate;
use manylane_graph::{Op, Role};
use manylane_plan::program::Program;
use manylane_plan::program::reads::Known;
use std::fmt::Write;

/// A compression in assembly.
#[derive(Clone, Debug)]
pub struct Compression {
    /// The instructions, and the constants behind them.
    pub text: String,
    /// Bytes of RAM at `P_kept`.
    pub kept_bytes: usize,
    /// Bytes of RAM at `P_passing`.
    pub passing_bytes: usize,
    /// The byte offset of the block from `P_kept`.
    pub block: usize,
    /// The byte offset from `P_kept` of the counter's last word; the others follow.
    pub counter: Option<usize>,
}

/// Writes the subroutine `PREFIX_compress` of a compression on one processor. `order` is the byte
/// order of message words. If `is_small`, there are loops over the limbs of words of 64 bits. If
/// `is_block_kept`, a subroutine of its own, `PREFIX_take`, copies the block for several calls.
///
/// # Errors
/// If a node has no instructions.
pub fn compression(
    program: &Program,
    order: ByteOrder,
    prefix: &str,
    is_small: bool,
    is_block_kept: bool,
) -> Result<Compression, Error> {
    let how = Variant { is_small, is_block_kept, is_given: false };
    Ok(subroutine(program, order, prefix, &format!("{prefix}_compress"), how)?.0)
}

/// Writes the subroutine `PREFIX_ahead` of a program that takes only a block. Its work area is
/// `PREFIX_ahead_kept` and `PREFIX_ahead_passing`.
///
/// # Errors
/// If a node has no instructions.
pub fn ahead(
    program: &Program,
    order: ByteOrder,
    prefix: &str,
    is_small: bool,
) -> Result<Compression, Error> {
    let label = format!("{prefix}_ahead");
    // Straight code does not change Y, so that outputs can be stored behind Y as soon as they are
    // known.
    let how = |is_given| Variant { is_small, is_block_kept: false, is_given };
    let (written, changes_y) = subroutine(program, order, &label, &label, how(true))?;
    match changes_y {
        false => Ok(written),
        true => Ok(subroutine(program, order, &label, &label, how(false))?.0),
    }
}

/// The variant of a subroutine.
#[derive(Clone, Copy)]
struct Variant {
    /// Whether it is to be small rather than fast.
    is_small: bool,
    /// Whether a subroutine of its own copies the block.
    is_block_kept: bool,
    /// Whether outputs are stored behind Y as soon as they are known.
    is_given: bool,
}

/// Writes a subroutine `label`, whose other labels begin with `prefix`. Also returns whether its
/// regions change Y, which they must not if `is_given`.
fn subroutine(
    program: &Program,
    order: ByteOrder,
    prefix: &str,
    label: &str,
    Variant { is_small, is_block_kept, is_given }: Variant,
) -> Result<(Compression, bool), Error> {
    let rolled = &program.rolled;
    let mut memory = Memory::default();
    let rotates = |op: &Op| matches!(op, Op::RotlVar | Op::RotrVar);
    let mut bodies = rolled.regions.iter().map(|region| &region.body);
    memory.keep(match bodies.any(|body| body.nodes().any(|node| rotates(&body.op(node)))) {
        true => ROTATION_BYTES,
        false => SCRATCH_BYTES,
    });
    let mut inputs = vec![None; rolled.inputs.len()];
    let mut areas = [None; 3];
    for (area, role) in [Role::Chaining, Role::Message, Role::Counter].into_iter().enumerate() {
        let mut of_role: Vec<usize> =
            (0..rolled.inputs.len()).filter(|&i| rolled.inputs[i].role == role).collect();
        if role == Role::Counter {
            // The words t_0 and t_1 are one number, whose high word comes first.
            of_role.reverse();
        }
        for i in of_role {
            let width = rolled.definition(rolled.inputs[i].value).width;
            let place = memory.keep(usize::from(width / 8));
            inputs[i] = Some(place);
            let (_, bytes) = areas[area].get_or_insert((place, 0));
            *bytes += usize::from(width / 8);
        }
    }
    let function = rolled.name.clone();
    let form = |what| Error::Form { function: function.clone(), what };
    let places: Option<Vec<Address>> = inputs.into_iter().collect();
    let places = places.ok_or_else(|| form("it has inputs of another role"))?;
    let [chain, Some((block, block_bytes)), counter] = areas else {
        return Err(form("it has no message"));
    };
    let width = rolled.definition(rolled.inputs[0].value).width;
    let mut lines = Lines::new(prefix);
    lines.is_small = is_small;
    let bytes = usize::from(width / 8);
    let begins = match chain {
        Some(_) if is_block_kept => "One call of the compression: X is the chaining value.",
        Some(_) => "One call of the compression: X is the chaining value, Y the block.",
        None => "What a block has before its chaining value: words to X, the block at Y.",
    };
    if is_block_kept {
        lines.comment("Takes the block at Y.");
        lines.label(&format!("{prefix}_take"));
        take_block(&mut lines, block, block_bytes, bytes, order);
        lines.op("rts", "");
    }
    lines.comment(begins);
    lines.label(label);
    lines.op("pshx", "");
    if !is_block_kept {
        take_block(&mut lines, block, block_bytes, bytes, order);
        if chain.is_some() {
            lines.op("ldx", "0,sp");
        }
    }
    if let Some((chain, chain_bytes)) = chain {
        take(&mut lines, "chaining", chain, chain_bytes);
    }
    if is_given {
        lines.op("puly", "");
    }
    lines.changes_y = false;
    let mut writer = Writer::new(program, places, memory, lines);
    if is_given {
        for (i, (_, value)) in rolled.outputs.iter().enumerate() {
            if let Known::Result((region, node, _)) = program.known(*value)
                && rolled.regions[region].times == 1
            {
                writer.given.entry((region, node)).or_insert(given(i, width));
            }
        }
    }
    writer.run()?;
    let outputs: Vec<View> = rolled.outputs.iter().map(|(_, value)| writer.value(*value)).collect();
    let Writer { mut lines, memory, tables, .. } = writer;
    let changes_y = lines.changes_y;
    lines.comment(if chain.is_some() { "The next chaining value." } else { "The words." });
    if is_given {
        for (i, view) in outputs.iter().enumerate() {
            copy(view, given(i, width), &mut lines);
        }
    } else {
        lines.op("pulx", "");
        give(&mut lines, &outputs);
    }
    lines.op("rts", "");
    lines.text.push_str(&tables);
    for table in lines.tables.clone() {
        let name = lines.table(table);
        lines.label(&name);
        let op = match table {
            Table::SubBytes => Op::SubBytes,
            Table::Xtime => Op::Xtime,
            Table::Powers => {
                let powers: Vec<String> = (0..16).map(|i| (1_u32 << i).to_string()).collect();
                lines.op(".word", &powers.join(","));
                continue;
            }
        };
        for row in 0..16_u64 {
            let row: Vec<String> =
                (0..16).map(|i| format!("0x{:02x}", evaluate(op, 8, &[16 * row + i]))).collect();
            lines.op(".byte", &row.join(","));
        }
    }
    let written = Compression {
        text: lines.text,
        kept_bytes: memory.kept,
        passing_bytes: memory.passing,
        block: block.offset,
        counter: counter.map(|(place, _)| place.offset),
    };
    Ok((written, changes_y))
}

/// The place behind Y of an output of `width` bits.
fn given(i: usize, width: u8) -> Address {
    Address { area: Area::Given, offset: i * usize::from(width / 8) }
}

/// Copies `bytes` bytes from X to a place, and leaves X behind them.
fn take(lines: &mut Lines, what: &str, to: Address, bytes: usize) {
    let label = format!("{}_take_{what}", lines.prefix);
    lines.op("ldy", &format!("#{to}"));
    lines.label(&label);
    lines.op("movw", "2,x+,2,y+");
    lines.op("movw", "2,x+,2,y+");
    lines.op("cpy", &format!("#{}", to.plus(bytes)));
    lines.op("bne", &label);
}

/// Copies the block from Y to a place, each word in the CPU's order of bytes.
fn take_block(lines: &mut Lines, to: Address, bytes: usize, word: usize, order: ByteOrder) {
    let label = format!("{}_take_block", lines.prefix);
    lines.op("ldx", &format!("#{to}"));
    lines.label(&label);
    for i in (0..word).step_by(2) {
        match order {
            ByteOrder::Big => lines.op("movw", "2,y+,2,x+"),
            ByteOrder::Little => {
                lines.op("ldd", "2,y+");
                lines.op("exg", "a,b");
                lines.op("std", &format!("{},x", word - 2 - i));
            }
        }
    }
    if order == ByteOrder::Little {
        lines.op("leax", &format!("{word},x"));
    }
    lines.op("cpx", &format!("#{}", to.plus(bytes)));
    lines.op("bne", &label);
}

/// Copies values to X, one after the other.
fn give(lines: &mut Lines, outputs: &[View]) {
    for view in outputs {
        for i in (0..view.limbs()).rev() {
            match view.limb(i) {
                Limb::Word(from) => lines.op("movw", &format!("{from},2,x+")),
                Limb::Number(value) => lines.op("movw", &format!("#{value},2,x+")),
                Limb::Bytes(high, low) => {
                    lines.op("ldaa", &high.to_string());
                    lines.op("ldab", &low.to_string());
                    lines.op("std", "2,x+");
                }
            }
        }
    }
}

impl Compression {
    /// A compression without code, where XGATE alone computes. It has a place of `bytes` bytes for
    /// the counter's words.
    pub fn elsewhere(bytes: usize) -> Self {
        Self {
            text: String::new(),
            kept_bytes: bytes,
            passing_bytes: 0,
            block: 0,
            counter: (bytes > 0).then_some(0),
        }
    }

    /// The definitions of the symbols of the work area, which begins at `address`.
    pub fn symbols(&self, prefix: &str, address: usize) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "{prefix}_kept = 0x{address:04x}");
        let _ = writeln!(text, "{prefix}_passing = 0x{:04x}", address + self.kept_bytes);
        text
    }

    /// Bytes of the work area.
    pub fn bytes(&self) -> usize {
        self.kept_bytes + self.passing_bytes
    }
}
