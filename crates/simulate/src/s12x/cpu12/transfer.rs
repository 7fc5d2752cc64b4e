//! The postbyte of TFR, EXG and SEX: 128 transfers and 128 exchanges.

use super::registers::{Register, Registers};
use Register::*;

/// The action of a postbyte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// The second register becomes the first, of which a wider one keeps its low byte.
    Copy(Register, Register),
    /// The second register, of 16 bits, becomes the first one of 8 bits with its sign.
    Extend(Register, Register),
    /// The register becomes the high word of D with its sign: 0 or 0xFFFF.
    ExtendD(Register),
    /// The registers exchange, both of 8 bits or both of 16.
    Exchange(Register, Register),
    /// A byte and a word: the byte becomes the word's low byte, and the word the byte, with this
    /// high byte in front.
    Mixed(Register, Register, u8),
    /// The word's high byte is set to this value and its low byte stays: EXG D,B and its like.
    SetHigh(u8),
}

/// The registers that bits 6 to 4 name, 16 bits where there are; 3 is an internal register.
const WIDE: [Option<Register>; 8] =
    [Some(A), Some(B), Some(Ccr), None, Some(D), Some(X), Some(Y), Some(Sp)];

impl Transfer {
    /// Decodes a postbyte.
    ///
    /// `None` for the internal registers TMP1, TMP2 and TMP3, whose contents no document defines,
    /// and for the exchanges of A with XH, YH or SPH in this order, about which descriptions
    /// differ.
    pub fn decode(postbyte: u8) -> Option<Self> {
        let source = postbyte >> 4 & 7;
        let target = postbyte & 7;
        let first = WIDE[usize::from(source)]?;
        let second = WIDE[usize::from(target)]?;
        // Bit 3 selects what the CPU12X has in addition: high bytes, and CCR as a word.
        let high = postbyte & 8 != 0;
        match (postbyte & 0x80 != 0, high) {
            (false, false) => Some(Self::copy(first, second)),
            (false, true) => Self::copy_part(first, second),
            (true, false) => Some(Self::exchange(first, second)),
            (true, true) => Self::exchange_part(first, second),
        }
    }

    fn copy(first: Register, second: Register) -> Self {
        if first.bits() < second.bits() {
            Self::Extend(first, second)
        } else {
            Self::Copy(first, second)
        }
    }

    fn copy_part(first: Register, second: Register) -> Option<Self> {
        Some(match (first, second) {
            (Ccr, A) => Self::Copy(Ccrh, A),
            (X, A) => Self::Copy(Xh, A),
            (Y, A) => Self::Copy(Yh, A),
            (Sp, A) => Self::Copy(Sph, A),
            (A, Ccr) => Self::Copy(A, Ccrh),
            (B, Ccr) => Self::Copy(B, Ccr),
            (_, Ccr) => Self::Copy(if first == Ccr { Ccrw } else { first }, Ccrw),
            (A, X | Y | Sp) => Self::Copy(A, high(second)),
            (B, X | Y | Sp) => Self::Copy(B, low(second)),
            (Ccr, D | X | Y | Sp) => Self::Copy(Ccrw, second),
            (D, X | Y) => Self::ExtendD(second),
            _ => Self::copy(first, second),
        })
    }

    fn exchange(first: Register, second: Register) -> Self {
        match (first, second) {
            (D, A) => Self::Exchange(A, B),
            (D, B) => Self::SetHigh(0xff),
            // The low byte of D is B itself.
            (A, D) => Self::Mixed(A, D, 0),
            (B, D) => Self::SetHigh(0),
            _ => match (first.bits(), second.bits()) {
                (8, 16) => Self::Mixed(first, second, 0),
                (16, 8) => Self::Mixed(second, first, if second == A { 0 } else { 0xff }),
                _ => Self::Exchange(first, second),
            },
        }
    }

    fn exchange_part(first: Register, second: Register) -> Option<Self> {
        Some(match (first, second) {
            (A, Ccr) => Self::Exchange(A, Ccrh),
            (Ccr, A) => Self::Exchange(Ccrh, A),
            (Ccr, Ccr) => Self::Exchange(Ccrw, Ccrw),
            (D | X | Y | Sp, Ccr) => Self::Exchange(first, Ccrw),
            (Ccr, D | X | Y | Sp) => Self::Exchange(Ccrw, second),
            (A, X | Y | Sp) => Self::Exchange(A, high(second)),
            (B, X | Y | Sp) => Self::Exchange(B, low(second)),
            (X | Y | Sp, B) => Self::Exchange(low(first), B),
            (X | Y | Sp, A) => return None,
            _ => Self::exchange(first, second),
        })
    }

    /// Returns the mnemonic and the registers that a postbyte is written with; none if there are
    /// none, or another postbyte is meant by them.
    pub(super) fn names(postbyte: u8) -> Option<(&'static str, Register, Register)> {
        let transfer = Self::decode(postbyte)?;
        let wide = |bits: u8| WIDE[usize::from(bits & 7)];
        let (first, second) = (wide(postbyte >> 4)?, wide(postbyte)?);
        let exchange = postbyte & 0x80 != 0;
        let (name, first, second) = match transfer {
            Self::Copy(from, to) if postbyte & 8 != 0 && transfer != Self::copy(first, second) => {
                ("tfr", from, to)
            }
            Self::Exchange(one, other)
                if postbyte & 8 != 0 && transfer != Self::exchange(first, second) =>
            {
                ("exg", one, other)
            }
            Self::Extend(..) | Self::ExtendD(_) => ("sex", first, second),
            // SEX of D is written so whatever it goes to.
            _ if first == D && (0x4c..=0x4f).contains(&postbyte) => ("sex", first, second),
            _ => (if exchange { "exg" } else { "tfr" }, first, second),
        };
        (Self::postbyte(name, first, second) == Some(postbyte)).then_some((name, first, second))
    }

    /// Returns the postbyte of TFR, EXG or SEX with these registers; none if there is none.
    pub(super) fn postbyte(name: &str, first: Register, second: Register) -> Option<u8> {
        let bits = |register| WIDE.iter().position(|wide| *wide == Some(register));
        let exchange = if name == "exg" { 0x80 } else { 0 };
        if let (Some(source), Some(target)) = (bits(first), bits(second)) {
            if name == "sex" && second.bits() == 8 {
                return None;
            }
            let high = if name == "sex" && first == D { 8 } else { 0 };
            return Some(exchange | (source as u8) << 4 | high | target as u8);
        }
        // Halves of registers have no rule of their own: the postbyte that transfers just these is
        // looked for.
        let wanted = match name {
            "tfr" => Self::Copy(first, second),
            "exg" => Self::Exchange(first, second),
            _ => return None,
        };
        (0..=0xff).find(|&postbyte| Self::decode(postbyte) == Some(wanted))
    }

    /// Carries out the transfer or exchange.
    pub(super) fn apply(self, registers: &mut Registers) {
        match self {
            Self::Copy(from, to) => registers.set(to, registers.get(from)),
            Self::Extend(from, to) => {
                registers.set(to, registers.get(from) as i8 as u16);
            }
            Self::ExtendD(to) => registers.set(to, ((registers.d as i16) >> 15) as u16),
            Self::Exchange(one, other) => {
                let (first, second) = (registers.get(one), registers.get(other));
                registers.set(one, second);
                registers.set(other, first);
            }
            Self::Mixed(byte, word, above) => {
                let (first, second) = (registers.get(byte), registers.get(word));
                registers.set(byte, second);
                registers.set(word, u16::from(above) << 8 | first);
            }
            Self::SetHigh(value) => registers.set(A, value.into()),
        }
    }
}

fn high(word: Register) -> Register {
    match word {
        X => Xh,
        Y => Yh,
        _ => Sph,
    }
}

fn low(word: Register) -> Register {
    match word {
        X => Xl,
        Y => Yl,
        _ => Spl,
    }
}
