//! The instruction set for the assembler.

use super::super::assembler::{Context, InstructionSet, split};
use super::super::object::Space;
use super::decode::{Base, COUNTERS, Indexed, Mode};
use super::lookup::mnemonic;
use super::operand::{Index, Operand, named, operands, register};
use super::table::{BitOperand, FIXED, Format, LOOPS, Operation, Row, Source, Target};
use super::transfer::Transfer;

/// The instruction set of the CPU12X, as GNU as writes it (`m68hc11-as -mm9s12x`).
///
/// A plain expression is an address of 16 bits; `*` in front makes it one of 8. The shortest offset
/// that holds a number is taken, and 16 bits for a label; in front of `pc` a label is the address
/// itself and a number the distance. A branch out of reach becomes the long one, or a jump.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuSet;

impl InstructionSet for CpuSet {
    const SPACE: Space = Space::Cpu;
    const ALIGNMENT: u16 = 1;

    fn encode(&self, name: &str, operands: &str, context: &Context) -> Result<Vec<u8>, String> {
        if let Some((_, bytes)) = FIXED.iter().find(|(fixed, _)| *fixed == name) {
            return if operands.is_empty() {
                Ok(bytes.to_vec())
            } else {
                Err(format!("`{name}` takes no operands"))
            };
        }
        let tokens = split(operands);
        match name {
            "tfr" | "exg" | "sex" => transfer(name, &tokens),
            "trap" => trap(&tokens, context),
            _ if LOOPS.contains(&name) => loops(name, &tokens, context),
            _ => table(name, &tokens, context),
        }
    }
}

/// A part of an instruction, of which some need the address of the next instruction.
enum Part<'a> {
    Bytes(Vec<u8>),
    Indexed(Base, Index<'a>),
    /// A displacement of 8 bits to this address, and whether there is a longer form.
    Near(&'a str, bool),
    /// A displacement of 16 bits to this address.
    Far(&'a str),
    /// The postbyte of a loop, whose bit 4 is the sign, and a displacement to this address.
    Loop(u8, &'a str),
}

/// The reason why an instruction has no bytes.
enum Refusal {
    /// The target of a branch is this many bytes away, out of its reach.
    TooFar(i64),
    Wrong(String),
}

impl From<String> for Refusal {
    fn from(what: String) -> Self {
        Self::Wrong(what)
    }
}

impl Refusal {
    fn into_words(self) -> String {
        match self {
            Self::TooFar(distance) => format!(
                "the branch goes {distance} bytes, out of its reach; put the opposite one around a \
                 `jmp`"
            ),
            Self::Wrong(what) => what,
        }
    }
}

/// An instruction of the table.
fn table(name: &str, tokens: &[&str], context: &Context) -> Result<Vec<u8>, String> {
    // GNU as has `jbne` for a branch that may become longer, as here any may.
    let near = name.strip_prefix('j').filter(|rest| is_branch(rest));
    let name = near.unwrap_or(name);
    let rows = mnemonic(name);
    if rows.is_empty() {
        return Err(format!("`{name}` is no instruction of the CPU12X"));
    }
    let operands = operands(tokens)?;
    for row in rows {
        let direct = rows.iter().any(|row| row.format == Format::Direct);
        let Some(parts) = parts(row, &operands, direct, context)? else { continue };
        return match layout(parts, context) {
            Ok(bytes) if row.format == Format::IndexedShort && bytes.len() > 3 => {
                Err("the offset must be in the postbyte: -16 to 15".to_owned())
            }
            Ok(bytes) => Ok(bytes),
            Err(Refusal::TooFar(_)) if row.format == Format::Relative8 => {
                far_branch(row, &operands, context)
            }
            Err(refusal) => Err(refusal.into_words()),
        };
    }
    let forms: Vec<_> = rows.iter().map(|row| row.format.form()).collect();
    Err(format!("the operands are none of `{name}`, which takes {}", forms.join(" or ")))
}

fn is_branch(name: &str) -> bool {
    mnemonic(name).iter().any(|row| row.format == Format::Relative8)
}

/// A branch that does not reach its target: BRA becomes JMP, BSR becomes JSR, the others their long
/// form.
fn far_branch(row: &Row, operands: &[Operand], context: &Context) -> Result<Vec<u8>, String> {
    let long = format!("l{}", row.mnemonic);
    let name = match row.operation {
        Operation::JumpSubroutine => "jsr",
        Operation::Branch(0) => "jmp",
        _ => &long,
    };
    let far = mnemonic(name)
        .iter()
        .find(|row| matches!(row.format, Format::Extended | Format::Relative16));
    let far = far.ok_or_else(|| format!("`{}` does not reach so far", row.mnemonic))?;
    let parts = parts(far, operands, false, context)?;
    layout(parts.unwrap_or_default(), context).map_err(Refusal::into_words)
}

/// Returns the parts of a row with operands, none if they are of another form.
fn parts<'a>(
    row: &Row,
    operands: &[Operand<'a>],
    direct: bool,
    context: &Context,
) -> Result<Option<Vec<Part<'a>>>, String> {
    use Operand::{Direct, Immediate, Indexed, Plain};
    let mut parts = vec![Part::Bytes(opcode(row))];
    match (row.format, operands) {
        (Format::Inherent, []) => {}
        (Format::Immediate8, [Immediate(value)]) => parts.push(byte(value, context)?),
        (Format::Immediate16, [Immediate(value)]) => parts.push(word(value, context)?),
        (Format::Direct, [Direct(address)]) => parts.push(low(address, context)?),
        (Format::Extended, [Plain(address)]) => parts.push(word(address, context)?),
        // A direct form that does not exist is written as the extended one.
        (Format::Extended, [Direct(address)]) if !direct => parts.push(word(address, context)?),
        (Format::Indexed, [Indexed(base, index)]) => parts.push(Part::Indexed(*base, *index)),
        (Format::IndexedDirect | Format::IndexedShort, [Indexed(base, index)])
            if !index.is_indirect() =>
        {
            parts.push(Part::Indexed(*base, *index));
        }
        (Format::Relative8, [Plain(to)]) => parts.push(Part::Near(to, true)),
        (Format::Relative16, [Plain(to)]) => parts.push(Part::Far(to)),
        (Format::Mask(place), [address, Immediate(mask) | Plain(mask)]) => {
            let Some(part) = masked(place, address, context)? else { return Ok(None) };
            parts.extend([part, byte(mask, context)?]);
        }
        (Format::MaskBranch(place), [address, Immediate(mask) | Plain(mask), Plain(to)]) => {
            let Some(part) = masked(place, address, context)? else { return Ok(None) };
            parts.extend([part, byte(mask, context)?, Part::Near(to, false)]);
        }
        (Format::Move(source, target), [from, to]) => {
            let from = match (source, from) {
                (Source::Immediate, Immediate(value)) if row.operation == Operation::MoveByte => {
                    byte(value, context)?
                }
                (Source::Immediate, Immediate(value)) => word(value, context)?,
                (Source::Extended, Plain(address) | Direct(address)) => word(address, context)?,
                (Source::Indexed, Indexed(base, index)) => Part::Indexed(*base, *index),
                _ => return Ok(None),
            };
            let to = match (target, to) {
                (Target::Extended, Plain(address) | Direct(address)) => word(address, context)?,
                (Target::Indexed, Indexed(base, index)) => Part::Indexed(*base, *index),
                _ => return Ok(None),
            };
            // A postbyte stands in front of a value or an address.
            if target == Target::Indexed && source != Source::Indexed {
                parts.extend([to, from]);
            } else {
                parts.extend([from, to]);
            }
        }
        (Format::CallExtended, [Plain(address), Plain(page)]) => {
            parts.extend([word(address, context)?, byte(page, context)?]);
        }
        (Format::CallIndexed, [Indexed(base, index)]) if index.is_indirect() => {
            parts.push(Part::Indexed(*base, *index));
        }
        (Format::CallIndexed, [Indexed(base, index), Plain(page)]) if !index.is_indirect() => {
            parts.extend([Part::Indexed(*base, *index), byte(page, context)?]);
        }
        _ => return Ok(None),
    }
    Ok(Some(parts))
}

fn byte<'a>(text: &str, context: &Context) -> Result<Part<'a>, String> {
    let value = context.number(text, -0x80..=0xff, "the byte")?;
    Ok(Part::Bytes(vec![value as u8]))
}

fn low<'a>(text: &str, context: &Context) -> Result<Part<'a>, String> {
    let value = context.number(text, 0..=0xff, "the direct address")?;
    Ok(Part::Bytes(vec![value as u8]))
}

fn word<'a>(text: &str, context: &Context) -> Result<Part<'a>, String> {
    let value = context.number(text, -0x8000..=0xffff, "the word")?;
    Ok(Part::Bytes((value as u16).to_be_bytes().to_vec()))
}

/// The place of a bit instruction, none if it is of another form.
fn masked<'a>(
    place: BitOperand,
    operand: &Operand<'a>,
    context: &Context,
) -> Result<Option<Part<'a>>, String> {
    Ok(match (place, operand) {
        (BitOperand::Direct, Operand::Direct(address)) => Some(low(address, context)?),
        (BitOperand::Extended, Operand::Plain(address)) => Some(word(address, context)?),
        (BitOperand::Indexed, Operand::Indexed(base, index)) if !index.is_indirect() => {
            Some(Part::Indexed(*base, *index))
        }
        _ => None,
    })
}

fn opcode(row: &Row) -> Vec<u8> {
    if row.page2 { vec![0x18, row.opcode] } else { vec![row.opcode] }
}

/// Puts the parts together. The sizes of indexed operands, of which there are two at most, depend
/// on the length of the whole if they are relative to the program counter: the first sizes that fit
/// are taken, the shortest ones first.
fn layout(parts: Vec<Part>, context: &Context) -> Result<Vec<u8>, Refusal> {
    let indexed = parts.iter().filter(|part| matches!(part, Part::Indexed(..))).count();
    let fixed: usize = parts
        .iter()
        .map(|part| match part {
            Part::Bytes(bytes) => bytes.len(),
            Part::Indexed(..) | Part::Near(..) => 1,
            Part::Far(_) | Part::Loop(..) => 2,
        })
        .sum();
    let seconds = if indexed == 2 { 3 } else { 1 };
    let firsts = if indexed >= 1 { 3 } else { 1 };
    for total in 0..5 {
        for first in (0..firsts).filter(|&first| first <= total && total - first < seconds) {
            let next = i64::from(context.address) + (fixed + total) as i64;
            if let Some(bytes) = sized(&parts, [first, total - first], next, context)? {
                return Ok(bytes);
            }
        }
    }
    Err(Refusal::Wrong("the offset has more than 16 bits".to_owned()))
}

/// Returns the bytes if each indexed operand takes `extra` bytes beyond its postbyte.
fn sized(
    parts: &[Part],
    extra: [usize; 2],
    next: i64,
    context: &Context,
) -> Result<Option<Vec<u8>>, Refusal> {
    let mut out = Vec::new();
    let mut extra = extra.into_iter();
    for part in parts {
        match part {
            Part::Bytes(bytes) => out.extend(bytes),
            Part::Indexed(base, index) => {
                let extra = extra.next().unwrap_or_default();
                let Some(mode) = mode(*base, *index, extra, next, context)? else {
                    return Ok(None);
                };
                Indexed { base: *base, mode }.encode(&mut out);
            }
            Part::Near(to, has_longer) => {
                let distance = distance(to, next, context)?;
                let margin = if *has_longer { context.margin } else { 0 };
                if !reaches(0x80 - margin, distance) {
                    return Err(Refusal::TooFar(distance));
                }
                out.push(distance as u8);
            }
            Part::Far(to) => {
                out.extend((distance(to, next, context)? as u16).to_be_bytes());
            }
            Part::Loop(postbyte, to) => {
                let distance = distance(to, next, context)?;
                if !reaches(0x100 - context.margin, distance) {
                    return Err(Refusal::TooFar(distance));
                }
                let sign = if distance < 0 { 0x10 } else { 0 };
                out.extend([postbyte | sign, distance as u8]);
            }
        }
    }
    Ok(Some(out))
}

/// Returns how far an address is from the next instruction, 0 while it has no value.
fn distance(to: &str, next: i64, context: &Context) -> Result<i64, String> {
    if context.value(to)?.is_none() {
        return Ok(0);
    }
    Ok(wrapped(context.number(to, -0x8000..=0xffff, "the target")? - next))
}

/// Whether a distance is from -`reach` to less than `reach`.
fn reaches(reach: i64, distance: i64) -> bool {
    (-reach..reach).contains(&distance)
}

/// A distance in an address space of 64 KiB that has no ends.
fn wrapped(distance: i64) -> i64 {
    (distance as i16).into()
}

/// Returns the mode if it takes `extra` bytes beyond the postbyte and no fewer would do.
fn mode(
    base: Base,
    index: Index,
    extra: usize,
    next: i64,
    context: &Context,
) -> Result<Option<Mode>, String> {
    // A label in front of `pc` is the address itself, not a distance.
    let offset = |text: &str| {
        let (value, is_address) = context.valued(text)?;
        let relative = base == Base::Pc && is_address;
        let value = value.map(|value| if relative { wrapped(value - next) } else { value });
        if let Some(value) = value.filter(|value| !(-0x8000..=0xffff).contains(value)) {
            return Err(format!("the offset is {value}; it must be -32768 to 65535"));
        }
        Ok((value, is_address && !relative, if relative { context.margin } else { 0 }))
    };
    let found = match index {
        Index::Offset(text) => {
            let (value, is_address, margin) = offset(text)?;
            let value = value.unwrap_or_default();
            match extra {
                0 if !is_address && reaches(16 - margin, value) => Mode::Offset5(value as i8),
                1 if !is_address && reaches(256 - margin, value) => Mode::Offset9(value as i16),
                2 => Mode::Offset16(value as u16),
                _ => return Ok(None),
            }
        }
        Index::Indirect(text) if extra == 2 => {
            Mode::Indirect16(offset(text)?.0.unwrap_or_default() as u16)
        }
        Index::Step(text, sign, after) if extra == 0 => {
            let size = context.value(text)?.unwrap_or(1) * sign;
            if size == 0 || !(-8..=8).contains(&size) {
                return Err(format!(
                    "a step of {} is not possible; it must be 1 to 8",
                    size * sign
                ));
            }
            if after { Mode::After(size as i8) } else { Mode::Before(size as i8) }
        }
        Index::Accumulator(register) if extra == 0 => Mode::Accumulator(register),
        Index::IndirectD if extra == 0 => Mode::IndirectD,
        _ => return Ok(None),
    };
    Ok(Some(found))
}

/// TFR, EXG and SEX with two registers.
fn transfer(name: &str, tokens: &[&str]) -> Result<Vec<u8>, String> {
    let &[first, second] = tokens else { return Err(format!("`{name}` takes two registers")) };
    let (first, second) = (named(first)?, named(second)?);
    Transfer::postbyte(name, first, second)
        .map(|postbyte| vec![0xb7, postbyte])
        .ok_or_else(|| format!("`{name}` is not possible from {first} to {second}"))
}

/// The opcodes of page 2 that have no instruction, which the CPU answers by a trap.
fn trap(tokens: &[&str], context: &Context) -> Result<Vec<u8>, String> {
    let &[number] = tokens else { return Err("`trap` takes the number of an opcode".to_owned()) };
    let number = number.strip_prefix('#').unwrap_or(number);
    let number = context.number(number, 0x30..=0xff, "the trap")?.max(0x30);
    if (0x3a..0x40).contains(&number) {
        return Err(format!("the trap is {number:#x}; it must be 0x30 to 0x39 or 0x40 to 0xff"));
    }
    Ok(vec![0x18, number as u8])
}

/// DBEQ and its like. Out of reach it becomes the opposite one around a jump.
fn loops(name: &str, tokens: &[&str], context: &Context) -> Result<Vec<u8>, String> {
    let &[counter, to] = tokens else {
        return Err(format!("`{name}` takes a register and an address"));
    };
    let found = register(counter);
    let (bits, _) = COUNTERS
        .into_iter()
        .find(|(_, counter)| Some(*counter) == found)
        .ok_or_else(|| format!("`{name}` cannot count in `{counter}`: a, b, d, x, y or sp"))?;
    let kind = LOOPS.iter().position(|other| *other == name).unwrap_or_default() as u8;
    let parts = vec![Part::Bytes(vec![0x04]), Part::Loop(kind << 5 | bits, to)];
    match layout(parts, context) {
        Err(Refusal::TooFar(_)) => {
            let to = context.number(to, -0x8000..=0xffff, "the address")?;
            let [high, low] = (to as u16).to_be_bytes();
            // The jump is three bytes long.
            Ok(vec![0x04, (kind ^ 1) << 5 | bits, 3, 0x06, high, low])
        }
        other => other.map_err(Refusal::into_words),
    }
}

impl Format {
    /// Describes the operands, for a message.
    fn form(self) -> &'static str {
        match self {
            Self::Inherent => "none",
            Self::Immediate8 => "#byte",
            Self::Immediate16 => "#word",
            Self::Direct => "*address",
            Self::Extended | Self::Relative8 | Self::Relative16 => "an address",
            Self::Indexed => "an indexed operand",
            Self::IndexedDirect => "an indexed operand that is not indirect",
            Self::IndexedShort => "an indexed operand of one byte",
            Self::Mask(BitOperand::Direct) => "*address,#mask",
            Self::Mask(BitOperand::Extended) => "address,#mask",
            Self::Mask(BitOperand::Indexed) => "an indexed operand that is not indirect,#mask",
            Self::MaskBranch(BitOperand::Direct) => "*address,#mask,target",
            Self::MaskBranch(BitOperand::Extended) => "address,#mask,target",
            Self::MaskBranch(BitOperand::Indexed) => {
                "an indexed operand that is not indirect,#mask,target"
            }
            Self::Move(Source::Immediate, Target::Extended) => "#value,address",
            Self::Move(Source::Immediate, Target::Indexed) => "#value,indexed",
            Self::Move(Source::Extended, Target::Extended) => "address,address",
            Self::Move(Source::Extended, Target::Indexed) => "address,indexed",
            Self::Move(Source::Indexed, Target::Extended) => "indexed,address",
            Self::Move(Source::Indexed, Target::Indexed) => "indexed,indexed",
            Self::Loop => "register,target",
            Self::Transfer => "register,register",
            Self::CallExtended => "address,page",
            Self::CallIndexed => "indexed,page or an indirect operand",
        }
    }
}
