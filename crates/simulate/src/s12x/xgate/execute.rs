//! Executes XGATE's instructions.

use super::super::{CoreName, Fault, Step, Wrong};
use super::table::{NONE, OperandFormat, Operation, ROWS, Row, branch_target};
use super::{AddlCarry, Flags, Signals, Xgate};

/// Bits of the condition code register.
const N: u8 = 8;
const Z: u8 = 4;
const V: u8 = 2;
const C: u8 = 1;

impl Xgate {
    /// Executes the instruction at the program counter.
    ///
    /// # Errors
    /// If its word is illegal or BRK, or a word is at an odd address. The registers are then as
    /// they were.
    pub fn step(&mut self, bus: &mut impl Signals) -> Result<Step, Fault> {
        let pc = self.pc;
        if pc & 1 != 0 {
            return Err(self.fault(Wrong::Odd(pc)));
        }
        let word = bus.fetch16(u32::from(pc));
        let number = self.decoder[usize::from(word)];
        if number == NONE {
            return Err(self.fault(Wrong::Opcode(word.to_be_bytes().to_vec())));
        }
        let row = &ROWS[usize::from(number)];
        self.execute(row, word, bus).map(|clocks| Step { clocks })
    }

    fn fault(&self, what: Wrong) -> Fault {
        Fault { core: CoreName::Xgate, address: self.pc, what }
    }

    /// Returns the clocks of an instruction. Each but an alignment cycle is an access: the fetch,
    /// then an access of data or a second fetch.
    #[inline(always)]
    fn execute(&mut self, row: &Row, word: u16, bus: &mut impl Signals) -> Result<u32, Fault> {
        use Operation::*;
        let next = self.pc.wrapping_add(2);
        let [d, s1, s2] = [word >> 8 & 7, word >> 5 & 7, word >> 2 & 7].map(usize::from);
        let imm8 = word & 0xff;
        let mut clocks = 1;
        match row.operation {
            Brk => return Err(self.fault(Wrong::Break)),
            Nop => {}
            Rts => {
                self.running = false;
                clocks = self.timing.rts;
            }
            Sif => {
                let flag =
                    if row.form == OperandFormat::Inherent { self.channel } else { self.flag(d) };
                bus.raise(flag);
                clocks = self.timing.sif;
            }
            Csem => {
                bus.release(self.semaphore(row.form, d));
                clocks = self.timing.csem;
            }
            Ssem => {
                let locked = bus.lock(self.semaphore(row.form, d));
                self.ccr = self.ccr & !C | u8::from(locked);
                clocks = self.timing.ssem;
            }
            Sex => {
                let value = self.r[d] as u8 as i8 as u16;
                self.logic(d, value);
            }
            Par => {
                let value = self.r[d];
                self.ccr = (value.count_ones() & 1) as u8 | zero(value);
            }
            Jal => {
                let target = self.r[d];
                self.set(d, next);
                self.pc = target;
                bus.fetch_again();
                return Ok(2);
            }
            Tfr => match row.form {
                OperandFormat::FromCcr => self.set(d, u16::from(self.ccr)),
                OperandFormat::ToCcr => self.ccr = (self.r[d] & 15) as u8,
                _ => self.set(d, next.wrapping_add(2)),
            },
            Bffo => {
                let value = self.r[s1];
                let found = if value == 0 { 0 } else { 15 - value.leading_zeros() as u16 };
                self.set(d, found);
                self.ccr = zero(found) | if value == 0 { C } else { 0 };
            }
            Asr | Csl | Csr | Lsl | Lsr => {
                let by = match row.form {
                    // 0 stands for 16.
                    OperandFormat::Imm4 => ((word >> 4).wrapping_sub(1) & 15) + 1,
                    _ => self.r[s1].min(16),
                };
                self.shift(row.operation, d, by);
            }
            Rol | Ror => {
                let by = match row.form {
                    OperandFormat::Imm4 => word >> 4 & 15,
                    _ => self.r[s1] & 15,
                };
                let value = match row.operation {
                    Rol => self.r[d].rotate_left(by.into()),
                    _ => self.r[d].rotate_right(by.into()),
                };
                self.logic(d, value);
            }
            And => self.logic(d, self.r[s1] & self.r[s2]),
            Or => self.logic(d, self.r[s1] | self.r[s2]),
            Xnor => self.logic(d, !(self.r[s1] ^ self.r[s2])),
            Add => self.add(d, self.r[s1], self.r[s2], 0, Z),
            Adc => self.add(d, self.r[s1], self.r[s2], self.ccr & C, self.ccr & Z),
            Sub => self.subtract(d, self.r[s1], self.r[s2], 0, Z),
            Sbc => self.subtract(d, self.r[s1], self.r[s2], self.ccr & C, self.ccr & Z),
            Bcc | Bcs | Bne | Beq | Bpl | Bmi | Bvc | Bvs | Bhi | Bls | Bge | Blt | Bgt | Ble => {
                if self.taken(row.operation) {
                    self.pc = branch_target(word, self.pc, 9);
                    bus.fetch_again();
                    return Ok(2);
                }
            }
            Bra => {
                self.pc = branch_target(word, self.pc, 10);
                bus.fetch_again();
                return Ok(2);
            }
            Ldb | Ldw | Stb | Stw => {
                self.access(row, word, bus)?;
                clocks = 2;
            }
            Bfext => {
                let (mask, offset) = field(self.r[s2]);
                self.logic(d, self.r[s1] >> offset & mask);
            }
            Bfins | Bfinsi | Bfinsx => {
                let (mask, offset) = field(self.r[s2]);
                let (mask, old) = (mask << offset, self.r[d]);
                let new = match row.operation {
                    Bfins => self.r[s1] << offset,
                    Bfinsi => !(self.r[s1] << offset),
                    _ => !(self.r[s1] << offset ^ old),
                };
                self.logic(d, old & !mask | new & mask);
            }
            Andl => self.low(d, self.r[d] & (imm8 | 0xff00)),
            Andh => self.high(d, self.r[d] & (imm8 << 8 | 0xff)),
            Bitl => self.low(0, self.r[d] & imm8),
            Bith => self.high(0, self.r[d] & imm8 << 8),
            Orl => self.low(d, self.r[d] | imm8),
            Orh => self.high(d, self.r[d] | imm8 << 8),
            Xnorl => self.low(d, self.r[d] ^ (imm8 ^ 0xff)),
            Xnorh => self.high(d, self.r[d] ^ (imm8 ^ 0xff) << 8),
            Addl => {
                let (old, low) = (self.r[d], Flags::add8(self.r[d] as u8, imm8 as u8, 0));
                self.add(d, old, imm8, 0, Z);
                self.carry_of_low_byte(low);
            }
            Subl => {
                let (old, low) = (self.r[d], Flags::subtract8(self.r[d] as u8, imm8 as u8, 0));
                self.subtract(d, old, imm8, 0, Z);
                self.carry_of_low_byte(low);
            }
            Addh => self.add(d, self.r[d], imm8 << 8, 0, Z),
            Subh => self.subtract(d, self.r[d], imm8 << 8, 0, Z),
            Cmpl => self.ccr = Flags::subtract8(self.r[d] as u8, imm8 as u8, 0).ccr(Z),
            Cpch => {
                let high = (self.r[d] >> 8) as u8;
                let flags = Flags::subtract8(high, imm8 as u8, self.ccr & C);
                self.ccr = flags.ccr(self.ccr & Z);
            }
            Ldl => self.set(d, imm8),
            Ldh => self.set(d, self.r[d] & 0xff | imm8 << 8),
        }
        self.pc = next;
        Ok(clocks)
    }

    /// Sets a register; R0 stays 0.
    fn set(&mut self, register: usize, value: u16) {
        if register != 0 {
            self.r[register] = value;
        }
    }

    /// Sets a register with N and Z of the value and V = 0; C stays.
    fn logic(&mut self, register: usize, value: u16) {
        self.set(register, value);
        self.ccr = self.ccr & C | negative(value) | zero(value);
    }

    /// Does the same as [`Self::logic`], with the flags of the low byte.
    fn low(&mut self, register: usize, value: u16) {
        self.set(register, value);
        self.ccr = self.ccr & C | negative(value << 8) | zero(value & 0xff);
    }

    /// Does the same as [`Self::logic`], with the flags of the high byte.
    fn high(&mut self, register: usize, value: u16) {
        self.set(register, value);
        self.ccr = self.ccr & C | negative(value) | zero(value & 0xff00);
    }

    /// Adds with all flags; Z can only be set where `zero_mask` has it, which makes it sticky in
    /// ADC.
    fn add(&mut self, register: usize, a: u16, b: u16, carry: u8, zero_mask: u8) {
        let sum = u32::from(a) + u32::from(b) + u32::from(carry);
        let value = sum as u16;
        let overflow = (a ^ value) & (b ^ value);
        self.arithmetic(register, value, overflow, sum > 0xffff, zero_mask);
    }

    fn subtract(&mut self, register: usize, a: u16, b: u16, borrow: u8, zero_mask: u8) {
        let difference = u32::from(a).wrapping_sub(u32::from(b)).wrapping_sub(u32::from(borrow));
        let value = difference as u16;
        let overflow = (a ^ b) & (a ^ value);
        self.arithmetic(register, value, overflow, difference > 0xffff, zero_mask);
    }

    /// Sets a register to a sum or difference, with V in bit 15 of `overflow`.
    fn arithmetic(&mut self, d: usize, value: u16, overflow: u16, carry: bool, zero_mask: u8) {
        self.set(d, value);
        let v = if overflow & 0x8000 != 0 { V } else { 0 };
        self.ccr = negative(value) | zero(value) & zero_mask | v | u8::from(carry);
    }

    /// Replaces C and V by those of bit 7, if ADDL and SUBL are to have these.
    fn carry_of_low_byte(&mut self, low: Flags) {
        if self.addl_carry == AddlCarry::Bit7 {
            self.ccr = self.ccr & !(C | V) | low.ccr(0) & (C | V);
        }
    }

    /// Shifts by 0 to 16. C becomes the last bit that is shifted out; a shift by 0 leaves C as it
    /// is.
    fn shift(&mut self, operation: Operation, register: usize, by: u16) {
        let old = self.r[register];
        let carry = self.ccr & C != 0;
        let ones = if carry { u32::MAX } else { 0 };
        // The word stands in 32 bits beside the bits that are shifted in.
        let value = match operation {
            Operation::Asr => (i32::from(old as i16) >> by) as u16,
            Operation::Lsr => (u32::from(old) >> by) as u16,
            Operation::Csr => ((u32::from(old) | ones << 16) >> by) as u16,
            Operation::Lsl => (u32::from(old) << by) as u16,
            _ => ((u32::from(old) << 16 | ones >> 16) << by >> 16) as u16,
        };
        let last = match (operation, by) {
            (_, 0) => carry,
            (Operation::Asr | Operation::Lsr | Operation::Csr, _) => old >> (by - 1) & 1 != 0,
            _ => old >> (16 - by) & 1 != 0,
        };
        self.set(register, value);
        let overflow = if by != 0 && (old ^ value) & 0x8000 != 0 { V } else { 0 };
        self.ccr = negative(value) | zero(value) | overflow | u8::from(last);
    }

    fn taken(&self, operation: Operation) -> bool {
        use Operation::*;
        let flag = |mask| self.ccr & mask != 0;
        let less = flag(N) != flag(V);
        match operation {
            Bcc => !flag(C),
            Bcs => flag(C),
            Bne => !flag(Z),
            Beq => flag(Z),
            Bpl => !flag(N),
            Bmi => flag(N),
            Bvc => !flag(V),
            Bvs => flag(V),
            Bhi => !flag(C | Z),
            Bls => flag(C | Z),
            Bge => !less,
            Blt => less,
            Bgt => !less && !flag(Z),
            _ => less || flag(Z),
        }
    }

    /// Loads or stores. A loaded value replaces an index register that is also the destination, and
    /// a stored one is the register before it is decremented.
    fn access(&mut self, row: &Row, word: u16, bus: &mut impl Signals) -> Result<(), Fault> {
        use Operation::{Ldb, Ldw, Stb, Stw};
        let [data, base, index] = [word >> 8 & 7, word >> 5 & 7, word >> 2 & 7].map(usize::from);
        let size = match row.operation {
            Ldw | Stw => 2,
            _ => 1,
        };
        let stored = self.r[data];
        let (offset, changed) = match row.form {
            OperandFormat::Offset5 => (word & 31, None),
            OperandFormat::IndexIncrement => {
                (self.r[index], Some(self.r[index].wrapping_add(size)))
            }
            OperandFormat::IndexDecrement => {
                let index = self.r[index].wrapping_sub(size);
                (index, Some(index))
            }
            _ => (self.r[index], None),
        };
        let address = self.r[base].wrapping_add(offset);
        if size == 2 && address & 1 != 0 {
            return Err(self.fault(Wrong::Odd(address)));
        }
        if let Some(changed) = changed {
            self.set(index, changed);
        }
        let address = u32::from(address);
        match row.operation {
            Ldb => {
                let value = bus.read8(address).into();
                self.set(data, value);
            }
            Ldw => {
                let value = bus.read16(address);
                self.set(data, value);
            }
            Stb => bus.write8(address, stored as u8),
            _ => bus.write16(address, stored),
        }
        Ok(())
    }

    fn semaphore(&self, form: OperandFormat, field: usize) -> usize {
        match form {
            OperandFormat::Imm3 => field,
            _ => usize::from(self.r[field] & 7),
        }
    }

    /// The flag that SIF RS raises.
    fn flag(&self, register: usize) -> u8 {
        (self.r[register] & 0x7f) as u8
    }
}

fn negative(value: u16) -> u8 {
    if value & 0x8000 != 0 { N } else { 0 }
}

fn zero(value: u16) -> u8 {
    if value == 0 { Z } else { 0 }
}

/// The mask of a bit field at bit 0, and its offset, from the register that describes it: its width
/// less 1 in bits 7 to 4, its lowest bit in bits 3 to 0.
fn field(description: u16) -> (u16, u16) {
    let width = (description >> 4 & 15) + 1;
    ((u32::MAX >> (32 - width)) as u16, description & 15)
}

impl Flags {
    fn add8(a: u8, b: u8, carry: u8) -> Self {
        let sum = u16::from(a) + u16::from(b) + u16::from(carry);
        let value = sum as u8;
        Self { value, overflow: (a ^ value) & (b ^ value) & 0x80 != 0, carry: sum > 0xff }
    }

    fn subtract8(a: u8, b: u8, borrow: u8) -> Self {
        let difference = u16::from(a).wrapping_sub(u16::from(b)).wrapping_sub(u16::from(borrow));
        let value = difference as u8;
        Self { value, overflow: (a ^ b) & (a ^ value) & 0x80 != 0, carry: difference > 0xff }
    }

    /// The condition code register, with Z only where `zero_mask` has it.
    fn ccr(self, zero_mask: u8) -> u8 {
        let value = u16::from(self.value) << 8;
        let overflow = if self.overflow { V } else { 0 };
        negative(value) | (zero(value) & zero_mask) | overflow | u8::from(self.carry)
    }
}
