//! The places of values, byte by byte, so that a rotation by bytes is another way to read the same
//! memory.

use std::fmt;

/// The areas of the RAM that a compression works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Area {
    /// Values that live from one region to another; each has a place of its own.
    Kept,
    /// Values of one iteration, whose places are used again.
    Passing,
    /// Words for XGATE. They are addressed relative to Y because they go to different buffers.
    Given,
    /// Words for XGATE on both sides of Y. Offsets are counted from [`BEFORE`] bytes before Y.
    Around,
}

/// The largest distance in bytes from the beginning of an [`Area::Around`] to Y.
pub(super) const BEFORE: usize = 1024;

/// A byte of the work area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address {
    /// The part of the work area in which the byte lies.
    pub area: Area,
    /// Bytes from the area's beginning.
    pub offset: usize,
}

impl Address {
    /// The address that is `bytes` further.
    pub fn plus(self, bytes: usize) -> Self {
        Self { offset: self.offset + bytes, ..self }
    }
}

/// Written as an operand: a symbol that is defined at the beginning of the text plus an offset, or
/// an offset from Y.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.area {
            Area::Kept => write!(f, "kept+{}", self.offset),
            Area::Passing => write!(f, "passing+{}", self.offset),
            Area::Given => write!(f, "{},y", self.offset),
            Area::Around => write!(f, "{},y", self.offset as isize - BEFORE as isize),
        }
    }
}

/// A byte of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Byte {
    At(Address),
    Is(u8),
}

impl fmt::Display for Byte {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(address) => address.fmt(f),
            Self::Is(value) => write!(f, "#{value}"),
        }
    }
}

/// Sixteen bits of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limb {
    /// Two bytes of memory that follow each other, the high one first.
    Word(Address),
    Number(u16),
    /// The high byte and the low one, which lie apart.
    Bytes(Byte, Byte),
}

/// A value as its bytes, the least significant first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct View(pub Vec<Byte>);

impl View {
    /// A value of `bytes` bytes in memory, the most significant byte first.
    pub fn at(address: Address, bytes: usize) -> Self {
        Self((0..bytes).rev().map(|i| Byte::At(address.plus(i))).collect())
    }

    /// A constant of `bytes` bytes.
    pub fn number(value: u64, bytes: usize) -> Self {
        Self(value.to_le_bytes()[..bytes].iter().map(|&byte| Byte::Is(byte)).collect())
    }

    /// How many limbs it has.
    pub fn limbs(&self) -> usize {
        self.0.len() / 2
    }

    /// The limb of this number; 0 is the least significant.
    pub fn limb(&self, i: usize) -> Limb {
        match (self.0[2 * i + 1], self.0[2 * i]) {
            (Byte::Is(high), Byte::Is(low)) => Limb::Number(u16::from_be_bytes([high, low])),
            (Byte::At(high), Byte::At(low)) if low == high.plus(1) => Limb::Word(high),
            (high, low) => Limb::Bytes(high, low),
        }
    }

    /// Whether a limb's bytes lie apart.
    pub fn is_apart(&self, i: usize) -> bool {
        matches!(self.limb(i), Limb::Bytes(..))
    }

    /// Whether all of it is a constant.
    pub fn is_number(&self) -> bool {
        self.0.iter().all(|byte| matches!(byte, Byte::Is(_)))
    }
}
