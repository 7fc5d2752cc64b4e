//! The operations of instructions before their registers are numbered.

use super::limb::TableRows;

/// Three-operand instructions: the first register is only written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tri {
    And,
    Or,
    Xnor,
    Add,
    Adc,
    Sub,
    Sbc,
    Bfext,
}

impl Tri {
    /// The instruction's mnemonic.
    pub fn mnemonic(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Or => "or",
            Self::Xnor => "xnor",
            Self::Add => "add",
            Self::Adc => "adc",
            Self::Sub => "sub",
            Self::Sbc => "sbc",
            Self::Bfext => "bfext",
        }
    }
}

/// The operation of an instruction on its arguments, which are numbers of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InstKind {
    /// A number that is put into a register where it is needed, not an instruction.
    Number(u16),
    /// The address of the table of the S-box.
    Table,
    /// The word at a place in memory, by the number of the place.
    Leaf(usize),
    /// An instruction of two source registers and a third one for the result.
    Tri(Tri),
    /// The complement.
    Com,
    /// A copy of the word.
    Copy,
    /// Overwrites the first argument: the second one's bits go into the field that the third one
    /// describes, complemented if this is true.
    Insert(bool),
    /// Overwrites the argument. The amount is a number.
    Shift(&'static str, u8),
    /// Overwrites the first argument. The second one is the amount.
    ShiftBy(&'static str),
    /// The byte at the address that is the sum of a base and an index.
    Byte,
    /// The address of the table row of a byte of the argument, the high byte if this is true.
    Entry(bool, TableRows),
    /// Stores a byte of the argument into a word of the frame that another instruction completes.
    /// The first flag says whether it is the argument's high byte, the second flag whether it
    /// becomes the high byte of the word.
    Half(bool, bool),
    /// Completes the word of a [`InstKind::Half`], the first argument, with a byte of the second
    /// argument: the high one if this is true.
    Joined(bool),
    /// The word behind a pointer at an offset, with its bytes exchanged if this is true.
    Load(u16, bool),
    /// Stores the first argument at an offset behind the second one, a pointer.
    Store(u16),
}

impl InstKind {
    /// Whether the result overwrites the register of the first argument.
    pub fn is_in_place(&self) -> bool {
        matches!(self, Self::Insert(_) | Self::Shift(..) | Self::ShiftBy(_))
    }

    /// Whether nothing is computed, so that the word can be loaded again at any time.
    pub fn is_given(&self) -> bool {
        matches!(self, Self::Number(_) | Self::Table | Self::Leaf(_))
    }
}
