//! Decodes bytes to an instruction.

use super::lookup::Opcodes;
use super::registers::Register;
use super::table::{BitOperand, Format, Row, Source, Target};
use super::transfer::Transfer;

/// A source of the bytes of an instruction, in order.
pub(super) trait Fetch {
    /// Returns the next byte.
    fn byte(&mut self) -> u8;

    /// Returns the next two bytes as a word.
    fn word(&mut self) -> u16;
}

/// The register that an indexed mode adds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// X.
    X,
    /// Y.
    Y,
    /// SP.
    Sp,
    /// The address of the next instruction.
    Pc,
}

impl Base {
    const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::X,
            1 => Self::Y,
            2 => Self::Sp,
            _ => Self::Pc,
        }
    }

    /// The two bits that name it in a postbyte.
    pub(super) const fn bits(self) -> u8 {
        self as u8
    }
}

/// The indexed modes: what is added to the base, and how the base changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// An offset of 5 bits, -16 to 15, in the postbyte.
    Offset5(i8),
    /// An offset of 9 bits, -256 to 255, in one more byte.
    Offset9(i16),
    /// An offset in two more bytes.
    Offset16(u16),
    /// The base is changed by -8 to 8, not by 0, before it is the address.
    Before(i8),
    /// The base is the address and then changed by -8 to 8, not by 0.
    After(i8),
    /// A, B (unsigned) or D is added.
    Accumulator(Register),
    /// The address is the word at base + D.
    IndirectD,
    /// The address is the word at base + the offset in two more bytes.
    Indirect16(u16),
}

impl Mode {
    /// The place of this mode in an instruction's table of cycles.
    pub(super) const fn cost(self) -> usize {
        match self {
            Self::Offset5(_) | Self::Before(_) | Self::After(_) | Self::Accumulator(_) => 0,
            Self::Offset9(_) => 1,
            Self::Offset16(_) => 2,
            Self::IndirectD => 3,
            Self::Indirect16(_) => 4,
        }
    }

    /// Whether the address of the operand is read from memory.
    pub(super) const fn is_indirect(self) -> bool {
        matches!(self, Self::IndirectD | Self::Indirect16(_))
    }

    /// Whether the postbyte alone tells the whole mode.
    pub(super) const fn is_short(self) -> bool {
        self.cost() == 0
    }
}

/// An indexed operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexed {
    /// The register that is added to.
    pub base: Base,
    /// The value that is added.
    pub mode: Mode,
}

impl Indexed {
    /// ```text
    /// rr0nnnnn  offset of 5 bits       111rr00s  offset of 9 bits, s its sign
    /// rr10nnnn  before   (rr not 11)   111rr010  offset of 16 bits
    /// rr11nnnn  after    (rr not 11)   111rr011  indirect, offset of 16 bits
    /// 111rr1aa  A, B, D                111rr111  indirect, D
    /// ```
    fn fetch(fetch: &mut impl Fetch) -> Self {
        let postbyte = fetch.byte();
        if postbyte & 0x20 == 0 {
            let offset = ((postbyte << 3) as i8) >> 3;
            return Self { base: Base::from_bits(postbyte >> 6), mode: Mode::Offset5(offset) };
        }
        if postbyte < 0xc0 {
            let by = ((postbyte << 4) as i8) >> 4;
            let by = if by < 0 { by } else { by + 1 };
            let mode = if postbyte & 0x10 == 0 { Mode::Before(by) } else { Mode::After(by) };
            return Self { base: Base::from_bits(postbyte >> 6), mode };
        }
        let mode = match postbyte & 7 {
            0 => Mode::Offset9(i16::from(fetch.byte())),
            1 => Mode::Offset9(i16::from(fetch.byte()) - 0x100),
            2 => Mode::Offset16(fetch.word()),
            3 => Mode::Indirect16(fetch.word()),
            4 => Mode::Accumulator(Register::A),
            5 => Mode::Accumulator(Register::B),
            6 => Mode::Accumulator(Register::D),
            _ => Mode::IndirectD,
        };
        Self { base: Base::from_bits(postbyte >> 3), mode }
    }

    /// Appends the postbyte and what follows it.
    pub(super) fn encode(self, out: &mut Vec<u8>) {
        let base = self.base.bits();
        let long = |kind: u8| 0xe0 | base << 3 | kind;
        let step = |by: i8| (if by > 0 { by - 1 } else { by }) as u8 & 0xf;
        match self.mode {
            Mode::Offset5(offset) => out.push(base << 6 | (offset as u8 & 0x1f)),
            Mode::Before(by) => out.push(base << 6 | 0x20 | step(by)),
            Mode::After(by) => out.push(base << 6 | 0x30 | step(by)),
            Mode::Offset9(offset) => {
                out.extend([long(u8::from(offset < 0)), offset as u8]);
            }
            Mode::Offset16(offset) => {
                out.push(long(2));
                out.extend(offset.to_be_bytes());
            }
            Mode::Indirect16(offset) => {
                out.push(long(3));
                out.extend(offset.to_be_bytes());
            }
            Mode::Accumulator(Register::A) => out.push(long(4)),
            Mode::Accumulator(Register::B) => out.push(long(5)),
            Mode::Accumulator(_) => out.push(long(6)),
            Mode::IndirectD => out.push(long(7)),
        }
    }
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// An address below 0x100, which one byte names.
    Direct(u8),
    /// An address that a word names.
    Extended(u16),
    /// An address relative to a register.
    Indexed(Indexed),
}

/// What MOVB and MOVW read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A value.
    Immediate(u16),
    /// A place in memory.
    Memory(Address),
}

/// The operands of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// None.
    None,
    /// A value.
    Immediate(u16),
    /// A place in memory.
    Memory(Address),
    /// The distance of a branch from the next instruction.
    Relative(i16),
    /// A byte of memory and a mask.
    Mask(Address, u8),
    /// A byte of memory, a mask, and the distance of a branch from the next instruction.
    MaskBranch(Address, u8, i16),
    /// What is moved and where to.
    Move(Origin, Address),
    /// Bits 7 to 5 of the postbyte, the counter, and the distance from the next instruction.
    Loop(u8, Register, i16),
    /// The postbyte of a transfer and what it means.
    Transfer(u8, Transfer),
    /// A subroutine and its page, which is in memory if it is not here.
    Call(Address, Option<u8>),
}

/// An instruction with its operands.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// The table's row.
    pub row: &'static Row,
    /// What follows the opcode.
    pub operands: Operands,
}

/// Decodes one instruction.
///
/// `None` if no document says what these bytes do. The [`Fetch`] knows how many bytes were read.
#[inline]
pub(super) fn decode(opcodes: &Opcodes, fetch: &mut impl Fetch) -> Option<Instruction> {
    let first = fetch.byte();
    let index = if first == 0x18 { 256 + usize::from(fetch.byte()) } else { usize::from(first) };
    let row = opcodes[index]?;
    let operands = match row.format {
        Format::Inherent => Operands::None,
        Format::Immediate8 => Operands::Immediate(fetch.byte().into()),
        Format::Immediate16 => Operands::Immediate(fetch.word()),
        Format::Direct => Operands::Memory(Address::Direct(fetch.byte())),
        Format::Extended => Operands::Memory(Address::Extended(fetch.word())),
        Format::Indexed => Operands::Memory(Address::Indexed(Indexed::fetch(fetch))),
        Format::IndexedDirect => Operands::Memory(direct(fetch)?),
        Format::IndexedShort => {
            let indexed = Indexed::fetch(fetch);
            indexed.mode.is_short().then_some(())?;
            Operands::Memory(Address::Indexed(indexed))
        }
        Format::Relative8 => Operands::Relative((fetch.byte() as i8).into()),
        Format::Relative16 => Operands::Relative(fetch.word() as i16),
        Format::Mask(place) => {
            let address = masked(place, fetch)?;
            Operands::Mask(address, fetch.byte())
        }
        Format::MaskBranch(place) => {
            let address = masked(place, fetch)?;
            let mask = fetch.byte();
            Operands::MaskBranch(address, mask, (fetch.byte() as i8).into())
        }
        Format::Move(source, target) => moved(row, source, target, fetch),
        Format::Loop => loops(fetch)?,
        Format::Transfer => {
            let postbyte = fetch.byte();
            Operands::Transfer(postbyte, Transfer::decode(postbyte)?)
        }
        Format::CallExtended => {
            let address = Address::Extended(fetch.word());
            Operands::Call(address, Some(fetch.byte()))
        }
        Format::CallIndexed => {
            let indexed = Indexed::fetch(fetch);
            let page = if indexed.mode.is_indirect() { None } else { Some(fetch.byte()) };
            Operands::Call(Address::Indexed(indexed), page)
        }
    };
    Some(Instruction { row, operands })
}

/// An indexed mode that is not indirect.
fn direct(fetch: &mut impl Fetch) -> Option<Address> {
    let indexed = Indexed::fetch(fetch);
    (!indexed.mode.is_indirect()).then_some(Address::Indexed(indexed))
}

fn masked(place: BitOperand, fetch: &mut impl Fetch) -> Option<Address> {
    Some(match place {
        BitOperand::Direct => Address::Direct(fetch.byte()),
        BitOperand::Extended => Address::Extended(fetch.word()),
        BitOperand::Indexed => direct(fetch)?,
    })
}

/// The operands of a move. A postbyte stands in front of whatever else there is.
fn moved(row: &Row, source: Source, target: Target, fetch: &mut impl Fetch) -> Operands {
    let word = row.operation == super::table::Operation::MoveWord;
    let immediate = |fetch: &mut _| {
        let value = if word { Fetch::word(fetch) } else { Fetch::byte(fetch).into() };
        Origin::Immediate(value)
    };
    let extended = |fetch: &mut _| Address::Extended(Fetch::word(fetch));
    let (origin, address) = match (source, target) {
        (Source::Immediate, Target::Extended) => {
            let origin = immediate(fetch);
            (origin, extended(fetch))
        }
        (Source::Immediate, Target::Indexed) => {
            let address = Address::Indexed(Indexed::fetch(fetch));
            (immediate(fetch), address)
        }
        (Source::Extended, Target::Extended) => {
            let origin = Origin::Memory(extended(fetch));
            (origin, extended(fetch))
        }
        (Source::Extended, Target::Indexed) => {
            let address = Address::Indexed(Indexed::fetch(fetch));
            (Origin::Memory(extended(fetch)), address)
        }
        (Source::Indexed, Target::Extended) => {
            let origin = Origin::Memory(Address::Indexed(Indexed::fetch(fetch)));
            (origin, extended(fetch))
        }
        (Source::Indexed, Target::Indexed) => {
            let origin = Origin::Memory(Address::Indexed(Indexed::fetch(fetch)));
            (origin, Address::Indexed(Indexed::fetch(fetch)))
        }
    };
    Operands::Move(origin, address)
}

/// The registers that loops count in, by the low bits of the postbyte.
pub(super) const COUNTERS: [(u8, Register); 6] = [
    (0, Register::A),
    (1, Register::B),
    (4, Register::D),
    (5, Register::X),
    (6, Register::Y),
    (7, Register::Sp),
];

/// `ooos0rrr`: which loop, the sign of the distance, the counter.
fn loops(fetch: &mut impl Fetch) -> Option<Operands> {
    let postbyte = fetch.byte();
    let low = i16::from(fetch.byte());
    let distance = if postbyte & 0x10 == 0 { low } else { low - 0x100 };
    let (_, counter) = COUNTERS.into_iter().find(|(bits, _)| *bits == postbyte & 0xf)?;
    let kind = postbyte >> 5;
    (kind < 6).then_some(Operands::Loop(kind, counter, distance))
}
