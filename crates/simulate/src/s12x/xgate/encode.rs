//! The instruction set for the assembler.

use super::super::assembler::{Context, InstructionSet, split};
use super::super::object::Space;
use super::table::{ALIASES, BRANCH_ALIASES, OperandFormat, Operation, PAIRS, ROWS, Row};

/// The instruction set of XGATE, as GNU as writes it (`m68hc11-as -mm9s12xg`).
#[derive(Clone, Copy, Debug, Default)]
pub struct XgateSet;

/// One operand as it is written.
#[derive(Clone, Copy, Debug)]
enum Operand<'a> {
    Register(u16),
    Ccr,
    Pc,
    Immediate(&'a str),
    /// `(RB, #OFFS5)`.
    Offset(u16, &'a str),
    /// `(RB, RI)`, `(RB, RI+)` or `(RB, -RI)`.
    Indexed(OperandFormat, u16, u16),
    Expression(&'a str),
}

impl InstructionSet for XgateSet {
    const SPACE: Space = Space::Xgate;
    const ALIGNMENT: u16 = 2;

    fn encode(&self, mnemonic: &str, operands: &str, context: &Context) -> Result<Vec<u8>, String> {
        let operands: Vec<_> =
            split(operands).into_iter().map(operand).collect::<Result<_, _>>()?;
        let words = words(mnemonic, &operands, context)?;
        Ok(words.into_iter().flatten().flat_map(u16::to_be_bytes).collect())
    }
}

/// Returns the one or two words of an instruction.
fn words(
    mnemonic: &str,
    operands: &[Operand],
    context: &Context,
) -> Result<[Option<u16>; 2], String> {
    let mut known = false;
    for row in rows(mnemonic) {
        known = true;
        if let Some(word) = encode(row, operands, context) {
            return Ok([Some(word?), None]);
        }
    }
    for alias in ALIASES.iter().filter(|alias| alias.mnemonic == mnemonic) {
        known = true;
        let written: Option<Vec<u16>> = operands.iter().map(Operand::register).collect();
        if let Some(written) = written.filter(|written| written.len() == alias.registers) {
            let [d, s1, s2] = alias.operands.map(|number| number.map_or(0, |n| written[n]));
            let row = ROWS
                .iter()
                .find(|row| row.operation == alias.operation && row.form == OperandFormat::Triadic);
            return Ok([row.map(|row| row.word | d << 8 | s1 << 5 | s2 << 2), None]);
        }
    }
    for &(_, low, high) in PAIRS.iter().filter(|(name, ..)| *name == mnemonic) {
        known = true;
        if let &[Operand::Register(register), Operand::Immediate(value)] = operands {
            let value = context.number(value, -0x8000..=0xffff, "the immediate")?;
            let half = |operation: Operation, byte: u16| {
                let row = ROWS.iter().find(|row| row.operation == operation);
                row.map(|row| row.word | register << 8 | byte)
            };
            return Ok([half(low, value as u16 & 0xff), half(high, value as u16 >> 8)]);
        }
    }
    if !known {
        return Err(format!("`{mnemonic}` is no instruction of XGATE"));
    }
    Err(format!("the operands are none of `{mnemonic}`, which takes {}", taken(mnemonic)))
}

/// The rows of a mnemonic or of another name of a branch.
fn rows(mnemonic: &str) -> impl Iterator<Item = &'static Row> {
    let branch = BRANCH_ALIASES.iter().find(|(name, _)| *name == mnemonic);
    let branch = branch.map(|&(_, operation)| operation);
    ROWS.iter()
        .filter(move |row| row.operation.mnemonic() == mnemonic || Some(row.operation) == branch)
}

/// Describes the operands that a mnemonic may have, for a message.
fn taken(mnemonic: &str) -> String {
    let rows = rows(mnemonic).map(|row| match row.form {
        OperandFormat::Inherent => "none",
        OperandFormat::Imm3 => "#IMM3",
        OperandFormat::Monadic => "R",
        OperandFormat::FromCcr => "RD, CCR",
        OperandFormat::ToCcr => "CCR, RS",
        OperandFormat::FromPc => "RD, PC",
        OperandFormat::Dyadic => "RD, RS",
        OperandFormat::Imm4 => "RD, #IMM4",
        OperandFormat::Triadic => "RD, RS1, RS2",
        OperandFormat::Rel9 | OperandFormat::Rel10 => "an address",
        OperandFormat::Offset5 => "R, (RB, #OFFS5)",
        OperandFormat::Index => "R, (RB, RI)",
        OperandFormat::IndexIncrement => "R, (RB, RI+)",
        OperandFormat::IndexDecrement => "R, (RB, -RI)",
        OperandFormat::Imm8 => "R, #IMM8",
    });
    let aliases = ALIASES.iter().filter(|alias| alias.mnemonic == mnemonic);
    let aliases = aliases.map(|alias| ["R", "R, R"][alias.registers - 1]);
    let pairs = PAIRS.iter().filter(|(name, ..)| *name == mnemonic).map(|_| "R, #IMM16");
    let all: Vec<_> = rows.chain(aliases).chain(pairs).collect();
    all.join(" or ")
}

/// Returns the word of a row with operands, none if they are of another form.
fn encode(row: &Row, operands: &[Operand], context: &Context) -> Option<Result<u16, String>> {
    use Operand::{Ccr, Expression, Immediate, Indexed, Offset, Pc, Register};
    let number = |text: &str, most: i64, shift: u32| {
        let value = context.number(text, 0..=most, "the operand");
        value.map(|value| row.word | (value as u16) << shift)
    };
    Some(match (row.form, operands) {
        (OperandFormat::Inherent, []) => Ok(row.word),
        (OperandFormat::Imm3, [Immediate(value)]) => number(value, 7, 8),
        (OperandFormat::Monadic, [Register(r)])
        | (OperandFormat::FromCcr, [Register(r), Ccr])
        | (OperandFormat::ToCcr, [Ccr, Register(r)])
        | (OperandFormat::FromPc, [Register(r), Pc]) => Ok(row.word | r << 8),
        (OperandFormat::Dyadic, [Register(d), Register(s)]) => Ok(row.word | d << 8 | s << 5),
        (OperandFormat::Imm4, [Register(d), Immediate(value)]) => {
            number(value, 15, 4).map(|word| word | d << 8)
        }
        (OperandFormat::Triadic, [Register(d), Register(s1), Register(s2)]) => {
            Ok(row.word | d << 8 | s1 << 5 | s2 << 2)
        }
        (OperandFormat::Rel9, [Expression(to)]) => branch(row.word, to, context, 9),
        (OperandFormat::Rel10, [Expression(to)]) => branch(row.word, to, context, 10),
        (OperandFormat::Offset5, [Register(d), Offset(b, value)]) => {
            number(value, 31, 0).map(|word| word | d << 8 | b << 5)
        }
        (form, [Register(d), Indexed(indexed, b, i)]) if form == *indexed => {
            Ok(row.word | d << 8 | b << 5 | i << 2)
        }
        (OperandFormat::Imm8, [Register(d), Immediate(value)]) => match half(value) {
            None => number(value, 255, 0).map(|word| word | d << 8),
            Some((address, shift)) => {
                let value = context.number(address, -0x8000..=0xffff, "the address");
                value.map(|value| row.word | d << 8 | value as u16 >> shift & 0xff)
            }
        },
        _ => return None,
    })
}

/// Returns the expression in `%lo()` or `%hi()`, and by how many bits its byte is to be shifted.
fn half(text: &str) -> Option<(&str, u32)> {
    let halves = [("%lo(", 0), ("%hi(", 8)];
    halves.into_iter().find_map(|(begin, shift)| {
        text.strip_prefix(begin)?.strip_suffix(')').map(|inner| (inner, shift))
    })
}

/// Returns the word of a branch, whose displacement has `bits` bits and counts words from the next
/// instruction.
fn branch(word: u16, to: &str, context: &Context, bits: u32) -> Result<u16, String> {
    let Some(target) = context.value(to)? else { return Ok(word) };
    let bytes = target.saturating_sub(i64::from(context.address) + 2);
    let reach = 1_i64 << bits;
    if bytes % 2 != 0 {
        return Err(format!("the branch goes to {target:#06x}, which is odd"));
    }
    if !(-reach..reach).contains(&bytes) {
        return Err(format!(
            "the branch goes {} bytes, further than {} to {}; use JAL, or BRA around it",
            bytes.saturating_add(2),
            2 - reach,
            reach
        ));
    }
    Ok(word | (bytes / 2) as u16 & ((1 << bits) - 1))
}

impl Operand<'_> {
    fn register(&self) -> Option<u16> {
        match self {
            Self::Register(register) => Some(*register),
            _ => None,
        }
    }
}

/// Returns the number of a register R0 to R7.
fn register(text: &str) -> Option<u16> {
    let number = text.strip_prefix(['r', 'R'])?;
    number.parse().ok().filter(|&number| number < 8 && text.len() == 2)
}

fn operand(text: &str) -> Result<Operand<'_>, String> {
    if let Some(value) = text.strip_prefix('#') {
        return Ok(Operand::Immediate(value));
    }
    if let Some(register) = register(text) {
        return Ok(Operand::Register(register));
    }
    if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'))
        && let Some((base, index)) = inner.split_once(',')
        && let Some(base) = register(base.trim())
    {
        return indexed(base, index.trim()).ok_or_else(|| {
            format!("`{text}` must be (RB, #OFFS5), (RB, RI), (RB, RI+) or (RB, -RI)")
        });
    }
    Ok(match text.to_ascii_lowercase().as_str() {
        "ccr" => Operand::Ccr,
        "pc" => Operand::Pc,
        _ => Operand::Expression(text),
    })
}

fn indexed(base: u16, index: &str) -> Option<Operand<'_>> {
    if let Some(offset) = index.strip_prefix('#') {
        return Some(Operand::Offset(base, offset));
    }
    let (form, name) = if let Some(name) = index.strip_prefix('-') {
        (OperandFormat::IndexDecrement, name)
    } else if let Some(name) = index.strip_suffix('+') {
        (OperandFormat::IndexIncrement, name)
    } else {
        (OperandFormat::Index, index)
    };
    register(name.trim()).map(|index| Operand::Indexed(form, base, index))
}
