//! Results and flags of arithmetic, without registers or memory.

use super::registers::flag::{C, H, N, V, Z};
use super::table::{Binary, Unary};

/// A result with the flags that it sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    /// The result, of as many bits as the operands.
    pub value: u16,
    /// The flags that change.
    pub mask: u16,
    /// The values of these flags.
    pub flags: u16,
}

const fn when(condition: bool, flag: u16) -> u16 {
    if condition { flag } else { 0 }
}

/// N and Z of a value.
const fn signs(value: u16, bits: u32) -> u16 {
    when(value >> (bits - 1) != 0, N) | when(value == 0, Z)
}

/// The greatest value of `bits` bits.
const fn ones(bits: u32) -> u32 {
    (1 << bits) - 1
}

#[inline]
fn add(bits: u32, r: u16, m: u16, carry: bool) -> Outcome {
    let sum = u32::from(r) + u32::from(m) + u32::from(carry);
    let value = (sum & ones(bits)) as u16;
    let overflow = (r ^ value) & (m ^ value);
    let half = u32::from(r ^ m) ^ sum;
    let flags = signs(value, bits)
        | when(overflow >> (bits - 1) & 1 != 0, V)
        | when(sum >> bits != 0, C)
        | when(half & 0x10 != 0, H);
    // Only additions of bytes set H.
    Outcome { value, mask: if bits == 8 { H | N | Z | V | C } else { N | Z | V | C }, flags }
}

#[inline]
fn subtract(bits: u32, r: u16, m: u16, borrow: bool) -> Outcome {
    let difference = i32::from(r) - i32::from(m) - i32::from(borrow);
    let value = (difference as u32 & ones(bits)) as u16;
    let overflow = (r ^ m) & (r ^ value);
    let flags =
        signs(value, bits) | when(overflow >> (bits - 1) & 1 != 0, V) | when(difference < 0, C);
    Outcome { value, mask: N | Z | V | C, flags }
}

/// The outcome of a value that is only tested or comes from logic: V is cleared, C stays.
pub(super) const fn logic(bits: u32, value: u16) -> Outcome {
    Outcome { value, mask: N | Z | V, flags: signs(value, bits) }
}

/// Computes `r` op `m`, both of `bits` bits, with the flag C as it is.
#[inline]
pub(super) fn binary(operation: Binary, bits: u32, r: u16, m: u16, carry: bool) -> Outcome {
    match operation {
        Binary::Add => add(bits, r, m, false),
        Binary::AddCarry => add(bits, r, m, carry),
        Binary::Subtract | Binary::Compare => subtract(bits, r, m, false),
        Binary::SubtractBorrow | Binary::CompareBorrow => subtract(bits, r, m, carry),
        Binary::And | Binary::Bits => logic(bits, r & m),
        Binary::ExclusiveOr => logic(bits, r ^ m),
        Binary::Or => logic(bits, r | m),
    }
}

/// Computes a function of `m`, of `bits` bits, with the flag C as it is.
#[inline]
pub(super) fn unary(operation: Unary, bits: u32, m: u16, carry: bool) -> Outcome {
    let top = 1 << (bits - 1);
    let all = ones(bits) as u16;
    // After a shift V is N ^ C.
    let shifted = |value: u16, out: bool| {
        let flags = signs(value, bits) | when(out, C);
        let overflow = (value & top != 0) != out;
        Outcome { value, mask: N | Z | V | C, flags: flags | when(overflow, V) }
    };
    let old = if carry { 1 } else { 0 };
    match operation {
        Unary::Negate => subtract(bits, 0, m, false),
        Unary::Complement => {
            let value = !m & all;
            Outcome { value, mask: N | Z | V | C, flags: signs(value, bits) | C }
        }
        Unary::Increment => {
            let value = m.wrapping_add(1) & all;
            let flags = signs(value, bits) | when(value == top, V);
            Outcome { value, mask: N | Z | V, flags }
        }
        Unary::Decrement => {
            let value = m.wrapping_sub(1) & all;
            Outcome { value, mask: N | Z | V, flags: signs(value, bits) | when(m == top, V) }
        }
        Unary::ShiftRight => shifted(m >> 1, m & 1 != 0),
        Unary::ArithmeticRight => shifted(m >> 1 | (m & top), m & 1 != 0),
        Unary::RotateRight => shifted(m >> 1 | old << (bits - 1), m & 1 != 0),
        Unary::ShiftLeft => shifted(m << 1 & all, m & top != 0),
        Unary::RotateLeft => shifted((m << 1 | old) & all, m & top != 0),
        Unary::Clear => Outcome { value: 0, mask: N | Z | V | C, flags: Z },
        Unary::Test => Outcome { value: m, mask: N | Z | V | C, flags: signs(m, bits) },
    }
}

/// Returns A, the sum of two numbers of two decimal digits, adjusted to two decimal digits, and its
/// flags. V is not defined and stays.
pub(super) fn decimal_adjust(a: u8, half: bool, carry: bool) -> Outcome {
    let low = a & 0xf > 9 || half;
    let high = a > 0x99 || carry;
    let correction = (if low { 0x06 } else { 0 }) + (if high { 0x60 } else { 0 });
    let value = u16::from(a.wrapping_add(correction));
    Outcome { value, mask: N | Z | C, flags: signs(value, 8) | when(high, C) }
}
