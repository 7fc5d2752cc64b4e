//! The registers and the flags.

use std::fmt;

/// A register, or a part of one, that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Register {
    /// The high byte of D.
    A,
    /// The low byte of D.
    B,
    /// The double accumulator.
    D,
    /// The first index register.
    X,
    /// The second index register.
    Y,
    /// The stack pointer.
    Sp,
    /// The low byte of the condition code register: the flags.
    Ccr,
    /// The high byte of the condition code register: the priority level of the CPU12X.
    Ccrh,
    /// The condition code register as a word.
    Ccrw,
    /// The high byte of X.
    Xh,
    /// The low byte of X.
    Xl,
    /// The high byte of Y.
    Yh,
    /// The low byte of Y.
    Yl,
    /// The high byte of SP.
    Sph,
    /// The low byte of SP.
    Spl,
}

impl Register {
    /// Every register, with the name that assemblers know.
    pub(super) const NAMES: [(Self, &'static str); 15] = [
        (Self::A, "a"),
        (Self::B, "b"),
        (Self::D, "d"),
        (Self::X, "x"),
        (Self::Y, "y"),
        (Self::Sp, "sp"),
        (Self::Ccr, "ccr"),
        (Self::Ccrh, "ccrh"),
        (Self::Ccrw, "ccrw"),
        (Self::Xh, "xh"),
        (Self::Xl, "xl"),
        (Self::Yh, "yh"),
        (Self::Yl, "yl"),
        (Self::Sph, "sph"),
        (Self::Spl, "spl"),
    ];

    /// Returns the width, 8 or 16.
    pub const fn bits(self) -> u32 {
        match self {
            Self::D | Self::X | Self::Y | Self::Sp | Self::Ccrw => 16,
            _ => 8,
        }
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(register, _)| register == self);
        f.write_str(name.map_or("?", |(_, name)| name))
    }
}

/// The flags, bits of the condition code register.
pub mod flag {
    /// Carry or borrow.
    pub const C: u16 = 1;
    /// Overflow of two's complement.
    pub const V: u16 = 2;
    /// Zero.
    pub const Z: u16 = 4;
    /// Negative.
    pub const N: u16 = 8;
    /// Maskable interrupts are off.
    pub const I: u16 = 0x10;
    /// Carry from bit 3, for decimal arithmetic.
    pub const H: u16 = 0x20;
    /// The interrupt XIRQ is off; a program can clear this bit and not set it.
    pub const X: u16 = 0x40;
    /// STOP does nothing.
    pub const S: u16 = 0x80;
    /// The priority level that the CPU12X works at, 0 to 7.
    pub const IPL: u16 = 0x700;
}

/// The contents of the registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// The accumulators: A in the high byte, B in the low one.
    pub d: u16,
    /// The first index register.
    pub x: u16,
    /// The second index register.
    pub y: u16,
    /// The stack pointer: the address of the byte pushed last.
    pub sp: u16,
    /// The program counter: the address of the next instruction.
    pub pc: u16,
    /// The condition code register, bits of [`flag`].
    pub ccr: u16,
}

impl Default for Registers {
    /// Returns the registers after a reset, apart from the program counter.
    fn default() -> Self {
        Self { d: 0, x: 0, y: 0, sp: 0, pc: 0, ccr: flag::S | flag::X | flag::I }
    }
}

impl Registers {
    /// Accumulator A.
    pub const fn a(&self) -> u8 {
        (self.d >> 8) as u8
    }

    /// Accumulator B.
    pub const fn b(&self) -> u8 {
        self.d as u8
    }

    /// Returns a register; one of 8 bits is in the low byte.
    #[inline]
    pub const fn get(&self, register: Register) -> u16 {
        match register {
            Register::A => self.d >> 8,
            Register::B => self.d & 0xff,
            Register::D => self.d,
            Register::X => self.x,
            Register::Y => self.y,
            Register::Sp => self.sp,
            Register::Ccr => self.ccr & 0xff,
            Register::Ccrh => self.ccr >> 8,
            Register::Ccrw => self.ccr,
            Register::Xh => self.x >> 8,
            Register::Xl => self.x & 0xff,
            Register::Yh => self.y >> 8,
            Register::Yl => self.y & 0xff,
            Register::Sph => self.sp >> 8,
            Register::Spl => self.sp & 0xff,
        }
    }

    /// Sets a register; one of 8 bits takes the low byte of the value. A program cannot set the
    /// flag X: it stays clear if it was.
    #[inline]
    pub fn set(&mut self, register: Register, value: u16) {
        let high = |old: u16| (old & 0xff) | (value << 8);
        let low = |old: u16| (old & 0xff00) | (value & 0xff);
        match register {
            Register::A => self.d = high(self.d),
            Register::B => self.d = low(self.d),
            Register::D => self.d = value,
            Register::X => self.x = value,
            Register::Y => self.y = value,
            Register::Sp => self.sp = value,
            Register::Ccr => self.set_ccr(low(self.ccr)),
            Register::Ccrh => self.set_ccr(high(self.ccr)),
            Register::Ccrw => self.set_ccr(value),
            Register::Xh => self.x = high(self.x),
            Register::Xl => self.x = low(self.x),
            Register::Yh => self.y = high(self.y),
            Register::Yl => self.y = low(self.y),
            Register::Sph => self.sp = high(self.sp),
            Register::Spl => self.sp = low(self.sp),
        }
    }

    fn set_ccr(&mut self, value: u16) {
        let mask = flag::IPL | 0xff;
        self.ccr = value & mask & (!flag::X | self.ccr);
    }

    /// Sets the flags of the mask to those of the value and leaves the others.
    #[inline]
    pub(super) fn set_flags(&mut self, mask: u16, value: u16) {
        self.ccr = (self.ccr & !mask) | (value & mask);
    }

    /// Whether all flags of the mask are set.
    #[inline]
    pub const fn has(&self, mask: u16) -> bool {
        self.ccr & mask == mask
    }
}
