//! The disassembler: text that the assembler here and GNU as turn into the same bytes.

use super::decode::{Address, Base, Fetch, Indexed, Instruction, Mode, Operands, Origin, decode};
use super::lookup::opcodes;
use super::registers::Register;
use super::table::LOOPS;
use super::transfer::Transfer;
use std::collections::BTreeSet;
use std::fmt;

/// Bytes that may end within an instruction.
struct Bytes<'a> {
    all: &'a [u8],
    read: usize,
}

impl Fetch for Bytes<'_> {
    fn byte(&mut self) -> u8 {
        self.read += 1;
        self.all.get(self.read - 1).copied().unwrap_or_default()
    }

    fn word(&mut self) -> u16 {
        let high = self.byte();
        u16::from_be_bytes([high, self.byte()])
    }
}

/// Decodes the instruction that these bytes begin with, and returns its length beside it; none if
/// they begin with no instruction or end within one.
pub fn instruction(bytes: &[u8]) -> Option<(Instruction, usize)> {
    let mut fetch = Bytes { all: bytes, read: 0 };
    let instruction = decode(opcodes(), &mut fetch)?;
    (fetch.read <= bytes.len()).then_some((instruction, fetch.read))
}

/// Returns the text of the instruction that these bytes begin with, and its length in bytes.
///
/// A branch's target is relative to its own address, as in `bne .-6`. Bytes that are no
/// instruction, or an instruction without a text (an offset in more bytes than it needs), become a
/// `.byte`. The text of no bytes is empty.
pub fn text(bytes: &[u8]) -> (String, usize) {
    written(bytes, |distance, length| format!(".{:+}", i32::from(distance) + length as i32))
}

/// Returns a program's text for this assembler and GNU as: each instruction in a line of its own,
/// with labels `L` and their address in hexadecimal at the targets of branches.
///
/// GNU as has other bytes for `gsts` with an address, and lacks the names of half registers and
/// moves to `[d,pc]`; these are a `.byte` with the text behind it.
pub fn listing(bytes: &[u8], origin: u16) -> String {
    let mut starts = BTreeSet::new();
    let mut targets = BTreeSet::new();
    let mut at = 0;
    while at < bytes.len() {
        let here = origin.wrapping_add(at as u16);
        starts.insert(here);
        let (_, length) = written(&bytes[at..], |distance, length| {
            targets.insert(here.wrapping_add(length as u16).wrapping_add_signed(distance));
            String::new()
        });
        at += length;
    }
    let mut lines = String::new();
    at = 0;
    while at < bytes.len() {
        let here = origin.wrapping_add(at as u16);
        if targets.contains(&here) {
            lines += &format!("L{here:04x}:\n");
        }
        let mut unlabelled = false;
        let (line, length) = written(&bytes[at..], |distance, length| {
            let target = here.wrapping_add(length as u16).wrapping_add_signed(distance);
            unlabelled |= !starts.contains(&target);
            format!("L{target:04x}")
        });
        let raw = &bytes[at..at + length];
        if unlabelled || is_foreign(raw) {
            lines += &format!("\t{} ; {}\n", data(raw), text(raw).0);
        } else {
            lines += &format!("\t{line}\n");
        }
        at += length;
    }
    lines
}

/// Whether GNU as of binutils 2.40 makes something else of the text, or nothing.
fn is_foreign(bytes: &[u8]) -> bool {
    match *bytes {
        [0x18, 0x7f, ..] => true,
        [0xb7, postbyte, ..] => postbyte & 8 != 0 && !(0x4c..=0x4f).contains(&postbyte),
        // GNU as takes `movw 2,x+,[d,pc]` for no instruction, though `movw 2,x,[d,pc]` is one.
        [0x18, 0x02 | 0x0a, postbyte, 0xff] => postbyte & 0x20 != 0,
        _ => false,
    }
}

/// The text, in which `target` writes the target of a branch, given its distance from the next
/// instruction and the instruction's length.
fn written(bytes: &[u8], mut target: impl FnMut(i16, usize) -> String) -> (String, usize) {
    let found = instruction(bytes);
    let line = found
        .and_then(|(instruction, length)| line(&instruction, |distance| target(distance, length)));
    match (line, found) {
        (Some(line), Some((_, length))) => (line, length),
        (None, Some((_, length))) => (data(&bytes[..length]), length),
        _ => match trap(bytes) {
            Some(line) => (line, 2),
            None if bytes.is_empty() => (String::new(), 0),
            None => (data(&bytes[..1]), 1),
        },
    }
}

/// The text of an opcode of page 2 without an instruction.
fn trap(bytes: &[u8]) -> Option<String> {
    let &[0x18, number, ..] = bytes else { return None };
    let free = opcodes()[256 + usize::from(number)].is_none();
    (free && matches!(number, 0x30..=0x39 | 0x40..)).then(|| format!("trap #{number:#04x}"))
}

fn data(bytes: &[u8]) -> String {
    let bytes: Vec<_> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
    format!(".byte {}", bytes.join(","))
}

/// The text of an instruction, none if the assembler would make other bytes of it.
fn line(
    Instruction { row, operands }: &Instruction,
    mut target: impl FnMut(i16) -> String,
) -> Option<String> {
    let name = row.mnemonic;
    Some(match *operands {
        Operands::None => name.to_owned(),
        Operands::Immediate(value) => format!("{name} #{value:#x}"),
        Operands::Memory(address) => format!("{name} {}", place(address)?),
        Operands::Relative(distance) => format!("{name} {}", target(distance)),
        Operands::Mask(address, mask) => format!("{name} {},#{mask:#04x}", place(address)?),
        Operands::MaskBranch(address, mask, distance) => {
            format!("{name} {},#{mask:#04x},{}", place(address)?, target(distance))
        }
        Operands::Move(origin, address) => {
            let from = match origin {
                Origin::Immediate(value) => format!("#{value:#x}"),
                Origin::Memory(address) => place(address)?,
            };
            format!("{name} {from},{}", place(address)?)
        }
        Operands::Loop(kind, counter, distance) => {
            format!("{} {counter},{}", LOOPS[usize::from(kind)], target(distance))
        }
        Operands::Transfer(postbyte, _) => {
            let (name, first, second) = Transfer::names(postbyte)?;
            format!("{name} {first},{second}")
        }
        Operands::Call(address, page) => match page {
            Some(page) => format!("{name} {},{page:#04x}", place(address)?),
            None => format!("{name} {}", place(address)?),
        },
    })
}

fn place(address: Address) -> Option<String> {
    Some(match address {
        Address::Direct(low) => format!("*{low:#04x}"),
        Address::Extended(address) => format!("{address:#06x}"),
        Address::Indexed(Indexed { base, mode }) => match mode {
            Mode::Offset5(offset) => format!("{offset},{base}"),
            Mode::Offset9(offset) if !(-16..16).contains(&offset) => format!("{offset},{base}"),
            // Written without a sign it needs 16 bits.
            Mode::Offset16(offset) if offset >= 0x100 => format!("{offset:#06x},{base}"),
            Mode::Offset9(_) | Mode::Offset16(_) => return None,
            Mode::Before(by) => format!("{},{}{base}", by.unsigned_abs(), sign(by)),
            Mode::After(by) => format!("{},{base}{}", by.unsigned_abs(), sign(by)),
            Mode::Accumulator(register) => format!("{register},{base}"),
            Mode::IndirectD => format!("[{},{base}]", Register::D),
            Mode::Indirect16(offset) => format!("[{offset:#06x},{base}]"),
        },
    })
}

fn sign(by: i8) -> char {
    if by < 0 { '-' } else { '+' }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Sp => "sp",
            Self::Pc => "pc",
        })
    }
}
