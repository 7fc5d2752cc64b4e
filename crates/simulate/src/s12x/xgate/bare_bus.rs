//! XGATE without a chip around it.

use super::super::{Bus, Flat};
use super::Signals;
use super::registers::{Owner, Registers};

/// A memory with XGATE's registers beside it: all that the core needs to run without a chip.
#[derive(Clone)]
pub struct BareBus {
    /// What instructions read and write.
    pub memory: Flat,
    /// Semaphores and interrupt flags.
    pub registers: Registers,
}

impl Bus for BareBus {
    fn read8(&mut self, address: u32) -> u8 {
        self.memory.read8(address)
    }

    fn read16(&mut self, address: u32) -> u16 {
        self.memory.read16(address)
    }

    fn write8(&mut self, address: u32, value: u8) {
        self.memory.write8(address, value);
    }

    fn write16(&mut self, address: u32, value: u16) {
        self.memory.write16(address, value);
    }
}

impl Signals for BareBus {
    fn lock(&mut self, semaphore: usize) -> bool {
        self.registers.lock(semaphore, Owner::Xgate)
    }

    fn release(&mut self, semaphore: usize) {
        self.registers.release(semaphore, Owner::Xgate);
    }

    fn raise(&mut self, channel: u8) {
        self.registers.raise(channel);
    }
}
