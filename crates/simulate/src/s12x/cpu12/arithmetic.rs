//! Multiplication, division, decimal arithmetic, interpolation and membership.

use super::alu::{self, decimal_adjust};
use super::decode::Operands;
use super::execute::read;
use super::registers::{Register, flag};
use super::table::Operation;
use super::{Bus, Cpu};

impl Cpu {
    /// Executes the instructions of this file.
    pub(super) fn arithmetic(
        &mut self,
        operation: Operation,
        operands: Operands,
        bus: &mut impl Bus,
    ) {
        match operation {
            Operation::Multiply8 => {
                self.r.d = u16::from(self.r.a()) * u16::from(self.r.b());
                self.r.set_flags(flag::C, self.r.d >> 7);
            }
            Operation::Multiply16 => {
                self.set_product(u32::from(self.r.d) * u32::from(self.r.y));
            }
            Operation::MultiplySigned => {
                let product = i32::from(self.r.d as i16) * i32::from(self.r.y as i16);
                self.set_product(product as u32);
            }
            Operation::MultiplyAccumulate => self.multiply_accumulate(operands, bus),
            Operation::Divide => {
                let (d, x) = (self.r.d, self.r.x);
                if let Some(quotient) = d.checked_div(x) {
                    (self.r.x, self.r.d) = (quotient, d % x);
                } else {
                    self.r.x = 0xffff;
                }
                self.quotient_flags(flag::Z | flag::V | flag::C, self.r.x, false, x == 0);
            }
            Operation::DivideFraction => {
                let (d, x) = (self.r.d, self.r.x);
                let overflow = x <= d;
                if overflow {
                    self.r.x = 0xffff;
                } else {
                    let dividend = u32::from(d) << 16;
                    self.r.x = (dividend / u32::from(x)) as u16;
                    self.r.d = (dividend % u32::from(x)) as u16;
                }
                self.quotient_flags(flag::Z | flag::V | flag::C, self.r.x, overflow, x == 0);
            }
            Operation::DivideSigned => {
                let (d, x) = (self.r.d as i16, self.r.x as i16);
                let divided = d.checked_div(x).zip(d.checked_rem(x));
                if let Some((quotient, remainder)) = divided {
                    (self.r.x, self.r.d) = (quotient as u16, remainder as u16);
                }
                let overflow = divided.is_none() && x != 0;
                self.quotient_flags(DIVISION, self.r.x, overflow, x == 0);
            }
            Operation::DivideLong => {
                let dividend = u32::from(self.r.y) << 16 | u32::from(self.r.d);
                let divisor = u32::from(self.r.x);
                let divided = dividend.checked_div(divisor).and_then(|q| u16::try_from(q).ok());
                self.divided(divided, || (dividend % divisor) as u16);
            }
            Operation::DivideLongSigned => {
                let dividend = (u32::from(self.r.y) << 16 | u32::from(self.r.d)) as i32;
                let divisor = i32::from(self.r.x as i16);
                let divided = dividend.checked_div(divisor).and_then(|q| i16::try_from(q).ok());
                self.divided(divided.map(|q| q as u16), || (dividend % divisor) as u16);
            }
            Operation::DecimalAdjust => {
                let outcome = decimal_adjust(self.r.a(), self.r.has(flag::H), self.r.has(flag::C));
                self.r.set(Register::A, outcome.value);
                self.flags(outcome);
            }
            Operation::Interpolate8 => self.interpolate(8, operands, bus),
            Operation::Interpolate16 => self.interpolate(16, operands, bus),
            Operation::Membership => self.membership(bus),
            _ => unreachable!("{operation:?} is executed elsewhere"),
        }
    }

    /// Sets Y:D to a product, and its flags: C is bit 15, by which D is rounded.
    fn set_product(&mut self, product: u32) {
        (self.r.y, self.r.d) = ((product >> 16) as u16, product as u16);
        self.long_flags(flag::N | flag::Z | flag::C, product, 0);
        self.r.set_flags(flag::C, self.r.d >> 15);
    }

    /// Sets N and Z by a value of 32 bits, and the other flags of `mask` to those of `others`.
    fn long_flags(&mut self, mask: u16, value: u32, others: u16) {
        let negative = if value >> 31 != 0 { flag::N } else { 0 };
        let zero = if value == 0 { flag::Z } else { 0 };
        self.r.set_flags(mask, negative | zero | others);
    }

    /// Words at X and Y are multiplied with their signs and added to 32 bits of memory. V tells of
    /// an overflow of these, C of a carry out of the lower half.
    fn multiply_accumulate(&mut self, operands: Operands, bus: &mut impl Bus) {
        let address = self.address(operands, bus) as u16;
        let low = address.wrapping_add(2);
        let x = bus.read16(self.r.x.into()) as i16;
        let y = bus.read16(self.r.y.into()) as i16;
        let product = i32::from(x) * i32::from(y);
        let high_word = u32::from(bus.read16(address.into()));
        let old = high_word << 16 | u32::from(bus.read16(low.into()));
        let (sum, overflow) = (old as i32).overflowing_add(product);
        bus.write16(address.into(), (sum >> 16) as u16);
        bus.write16(low.into(), sum as u16);
        let carry = (old & 0xffff) + (product as u32 & 0xffff) > 0xffff;
        let others = if overflow { flag::V } else { 0 } | if carry { flag::C } else { 0 };
        self.long_flags(DIVISION, sum as u32, others);
    }

    fn quotient_flags(&mut self, mask: u16, quotient: u16, overflow: bool, by_zero: bool) {
        let outcome = alu::logic(16, quotient);
        let others = if overflow { flag::V } else { 0 } | if by_zero { flag::C } else { 0 };
        self.r.set_flags(mask, outcome.flags | others);
    }

    /// EDIV and EDIVS: without a quotient of 16 bits the registers stay.
    fn divided(&mut self, quotient: Option<u16>, remainder: impl Fn() -> u16) {
        if let Some(quotient) = quotient {
            (self.r.y, self.r.d) = (quotient, remainder());
        }
        let by_zero = self.r.x == 0;
        self.quotient_flags(DIVISION, self.r.y, quotient.is_none() && !by_zero, by_zero);
    }

    /// TBL and ETBL: B / 256 of the way from the entry at the address to the next one, rounded
    /// down; C tells whether the nearest value is the next one up.
    fn interpolate(&mut self, bits: u32, operands: Operands, bus: &mut impl Bus) {
        let address = self.address(operands, bus);
        let next = u32::from((address as u16).wrapping_add((bits / 8) as u16));
        let from = i32::from(read(bus, bits, address));
        let to = i32::from(read(bus, bits, next));
        let product = (to - from) * i32::from(self.r.b());
        let value = (from + (product >> 8)) as u16;
        self.r.set(if bits == 8 { Register::A } else { Register::D }, value);
        let outcome = alu::logic(bits, value);
        let carry = if product & 0x80 != 0 { flag::C } else { 0 };
        self.r.set_flags(flag::N | flag::Z | flag::C, outcome.flags | carry);
    }

    /// MEM: the grade at A of a trapezoid, whose two points and two slopes are the four bytes at X,
    /// to the byte at Y. A slope of 0 stands for a vertical side.
    fn membership(&mut self, bus: &mut impl Bus) {
        let x = self.r.x;
        let points = bus.read16(x.into()).to_be_bytes();
        let slopes = bus.read16(x.wrapping_add(2).into()).to_be_bytes();
        let a = u16::from(self.r.a());
        let side = |distance: u16, slope: u8| match slope {
            0 => 0xff,
            _ => (distance * u16::from(slope)).min(0xff),
        };
        let [first, second] = points.map(u16::from);
        let grade = match (a.checked_sub(first), second.checked_sub(a)) {
            (Some(left), Some(right)) => side(left, slopes[0]).min(side(right, slopes[1])),
            _ => 0,
        };
        bus.write8(self.r.y.into(), grade as u8);
        self.r.x = x.wrapping_add(4);
        self.r.y = self.r.y.wrapping_add(1);
    }
}

/// The flags of a division.
const DIVISION: u16 = flag::N | flag::Z | flag::V | flag::C;
