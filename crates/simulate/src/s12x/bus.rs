//! The interface between a core and its memory, and the time of an instruction.

use super::Fault;

/// Marks an address of the CPU's global loads and stores (GLDAA, GSTX, …): the low 16 bits are the
/// instruction's address, in front of which the memory controller puts its register GPAGE.
pub const GLOBAL: u32 = 1 << 31;

/// The memory as one core sees it: 64 KiB of local addresses, words big-endian.
///
/// A core calls one of these functions once for each access, in the order of its accesses. An
/// address is at most 0xFFFF, or has the bit [`GLOBAL`]. A core has checked that a word lies where
/// it may: XGATE's words are even.
pub trait Bus {
    /// Reads a byte.
    fn read8(&mut self, address: u32) -> u8;

    /// Reads a word.
    fn read16(&mut self, address: u32) -> u16;

    /// Writes a byte.
    fn write8(&mut self, address: u32, value: u8);

    /// Writes a word.
    fn write16(&mut self, address: u32, value: u16);

    /// Reads a byte of an instruction.
    fn fetch8(&mut self, address: u32) -> u8 {
        self.read8(address)
    }

    /// Reads a word of instructions.
    fn fetch16(&mut self, address: u32) -> u16 {
        self.read16(address)
    }

    /// Reads the CPU's vector of this low byte, at 0xFF00 unless a register says otherwise.
    fn vector(&mut self, low: u8) -> u16 {
        self.read16(0xff00 | u32::from(low))
    }
}

/// The time of one instruction. Its accesses, in order, are those that the bus has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Clocks of the core: bus cycles of the CPU, of which XGATE's clock has two.
    pub clocks: u32,
}

/// A CPU that executes one instruction at a time.
pub trait Core {
    /// Executes the instruction at the program counter.
    ///
    /// # Errors
    /// If there is no such instruction, or it asks for what the core cannot do. The registers are
    /// then as they were before it.
    fn step(&mut self, bus: &mut impl Bus) -> Result<Step, Fault>;

    /// Returns the program counter: the address of the next instruction.
    fn pc(&self) -> u16;
}

/// A memory of 64 KiB without registers or pages, for tests of one core.
#[derive(Clone)]
pub struct Flat {
    bytes: Box<[u8]>,
    accesses: u64,
}

impl Flat {
    /// Makes a memory of zeros.
    pub fn new() -> Self {
        Self { bytes: vec![0; 0x1_0000].into(), accesses: 0 }
    }

    /// The bytes, in the order of their addresses.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, to be set.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Returns the number of accesses so far: reads, writes and fetches.
    pub fn accesses(&self) -> u64 {
        self.accesses
    }
}

impl Default for Flat {
    fn default() -> Self {
        Self::new()
    }
}

impl Bus for Flat {
    fn read8(&mut self, address: u32) -> u8 {
        self.accesses += 1;
        self.bytes[usize::from(address as u16)]
    }

    fn read16(&mut self, address: u32) -> u16 {
        self.accesses += 1;
        let next = (address as u16).wrapping_add(1);
        u16::from_be_bytes([self.bytes[usize::from(address as u16)], self.bytes[usize::from(next)]])
    }

    fn write8(&mut self, address: u32, value: u8) {
        self.accesses += 1;
        self.bytes[usize::from(address as u16)] = value;
    }

    fn write16(&mut self, address: u32, value: u16) {
        self.accesses += 1;
        let [high, low] = value.to_be_bytes();
        self.bytes[usize::from(address as u16)] = high;
        self.bytes[usize::from((address as u16).wrapping_add(1))] = low;
    }
}
