//! The interface that the machine needs of its CPU.

use super::cpu12::{self, Cpu};
use super::{Bus, Core, Step};

/// The functions that the machine needs of its CPU besides executing instructions.
pub trait Processor: Core {
    /// Sets the program counter. Instructions that were fetched ahead are forgotten.
    fn jump(&mut self, address: u16);

    /// Returns the stack pointer.
    fn sp(&self) -> u16;

    /// Pushes a word on the stack.
    fn push(&mut self, bus: &mut impl Bus, value: u16);

    /// Whether the CPU waits for an interrupt.
    fn is_waiting(&self) -> bool;

    /// Whether an interrupt of a level, 1 to 7, would be taken now.
    fn accepts(&self, level: u8) -> bool;

    /// Takes the interrupt whose vector is at this address.
    fn interrupt(&mut self, bus: &mut impl Bus, vector: u16, level: u8) -> Step;

    /// Returns the text of the instruction that these bytes begin with.
    fn text(&self, bytes: &[u8]) -> String;

    /// Returns the registers as a trace shows them.
    fn show(&self) -> String;
}

impl Processor for Cpu {
    fn jump(&mut self, address: u16) {
        self.registers_mut().pc = address;
    }

    fn sp(&self) -> u16 {
        self.registers().sp
    }

    fn push(&mut self, bus: &mut impl Bus, value: u16) {
        let sp = self.sp().wrapping_sub(2);
        self.registers_mut().sp = sp;
        bus.write16(sp.into(), value);
    }

    fn is_waiting(&self) -> bool {
        Cpu::is_waiting(self)
    }

    fn accepts(&self, level: u8) -> bool {
        Cpu::accepts(self, level)
    }

    fn interrupt(&mut self, bus: &mut impl Bus, vector: u16, level: u8) -> Step {
        Cpu::interrupt(self, bus, vector, level)
    }

    fn text(&self, bytes: &[u8]) -> String {
        cpu12::text(bytes).0
    }

    fn show(&self) -> String {
        let r = self.registers();
        let (d, x, y, sp, ccr) = (r.d, r.x, r.y, r.sp, r.ccr);
        format!("d={d:04x} x={x:04x} y={y:04x} sp={sp:04x} ccr={ccr:03x}")
    }
}
