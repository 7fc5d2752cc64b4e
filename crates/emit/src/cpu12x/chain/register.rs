//! The two registers that a chain's values pass through, and the operations on a limb in one of
//! them.

use crate::cpu12x::operand::{Address, Area, Byte, Limb};
use crate::cpu12x::text::Lines;

/// The scratch memory: bytes of an operand that X cannot load at once are copied to it; EMUL's
/// carry lies there too.
pub const SCRATCH: Address = Address { area: Area::Kept, offset: 0 };

/// Bytes of the scratch memory.
pub const SCRATCH_BYTES: usize = 2;

/// A register of 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Register {
    D,
    X,
}

impl Register {
    /// The letter that ends the names of the register's instructions.
    pub fn letter(self) -> char {
        match self {
            Self::D => 'd',
            Self::X => 'x',
        }
    }
}

/// An operation with an operand in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    Add,
    Sub,
    And,
    Or,
    Xor,
}

/// Loads a limb. From two bytes X is loaded by way of D.
pub fn load(register: Register, limb: Limb, lines: &mut Lines) {
    let letter = register.letter();
    match limb {
        Limb::Word(address) => lines.op(&format!("ld{letter}"), &address.to_string()),
        Limb::Number(value) => lines.op(&format!("ld{letter}"), &format!("#{value}")),
        Limb::Bytes(high, low) => {
            byte_op("lda", 'a', high, lines);
            byte_op("lda", 'b', low, lines);
            if register == Register::X {
                lines.op("tfr", "d,x");
            }
        }
    }
}

/// Writes an operation of A or B, such as `ldaa`, on a byte.
pub fn byte_op(name: &str, letter: char, byte: Byte, lines: &mut Lines) {
    lines.op(&format!("{name}{letter}"), &byte.to_string());
}

/// Writes an operation on a register and a limb. `has_carry` says whether a lower limb has left a
/// carry, and is updated.
pub fn with(register: Register, logic: Logic, limb: Limb, has_carry: &mut bool, lines: &mut Lines) {
    match logic {
        Logic::Add | Logic::Sub => {
            if limb == Limb::Number(0) && !*has_carry {
                return;
            }
            let (word, first, byte) = match logic {
                Logic::Add => ("ade", "add", "adc"),
                _ => ("sbe", "sub", "sbc"),
            };
            let letter = register.letter();
            let with_carry = std::mem::replace(has_carry, true);
            let name = if with_carry { word } else { first };
            match limb {
                Limb::Word(address) => lines.op(&format!("{name}{letter}"), &address.to_string()),
                Limb::Number(value) => lines.op(&format!("{name}{letter}"), &format!("#{value}")),
                Limb::Bytes(high, low) if register == Register::D => {
                    byte_op(if with_carry { byte } else { first }, 'b', low, lines);
                    byte_op(byte, 'a', high, lines);
                }
                Limb::Bytes(high, low) => {
                    gather(high, low, lines);
                    lines.op(&format!("{name}{letter}"), &SCRATCH.to_string());
                }
            }
        }
        Logic::And | Logic::Or | Logic::Xor => logical(register, logic, limb, lines),
    }
}

/// Copies two bytes side by side into the scratch memory.
fn gather(high: Byte, low: Byte, lines: &mut Lines) {
    lines.op("movb", &format!("{high},{SCRATCH}"));
    lines.op("movb", &format!("{low},{}", SCRATCH.plus(1)));
}

/// Combines a register with a limb by and, or, exclusive or.
pub fn logical(register: Register, logic: Logic, limb: Limb, lines: &mut Lines) {
    let (word, byte) = match logic {
        Logic::And => ("and", "and"),
        Logic::Or => ("or", "ora"),
        _ => ("eor", "eor"),
    };
    // D takes an instruction for each byte, X one for both.
    let halves = match limb {
        Limb::Word(address) => (Byte::At(address), Byte::At(address.plus(1))),
        Limb::Number(value) => {
            let [high, low] = value.to_be_bytes();
            (Byte::Is(high), Byte::Is(low))
        }
        Limb::Bytes(high, low) => (high, low),
    };
    match (register, limb) {
        (Register::D, _) => {
            for (letter, half) in [('a', halves.0), ('b', halves.1)] {
                byte_op(byte, letter, half, lines);
            }
        }
        (Register::X, Limb::Number(value)) => lines.op(&format!("{word}x"), &format!("#{value}")),
        (Register::X, Limb::Word(address)) => lines.op(&format!("{word}x"), &address.to_string()),
        (Register::X, Limb::Bytes(high, low)) => {
            gather(high, low, lines);
            lines.op(&format!("{word}x"), &SCRATCH.to_string());
        }
    }
}

/// Rotates a register right by one bit through the carry.
pub fn rotate_right(register: Register, lines: &mut Lines) {
    match register {
        Register::X => lines.op("rorx", ""),
        Register::D => {
            lines.op("rora", "");
            lines.op("rorb", "");
        }
    }
}

/// The place of a limb of a value of `limbs` limbs.
pub fn place(target: Address, limbs: usize, i: usize) -> Address {
    target.plus(2 * (limbs - 1 - i))
}
