//! XGATE, the S12X's coprocessor (S12XGATEV2): a RISC core of 16 bits that runs threads.
//!
//! A thread starts at the address that its channel's vector names, with R1 set to the vector's
//! second word, runs to RTS, and is not interrupted. R0 is always 0. There is no exclusive or, only
//! XNOR.

mod bare_bus;
mod encode;
mod execute;
mod registers;
mod table;
mod text;

use super::Bus;
pub use bare_bus::BareBus;
pub use encode::XgateSet;
pub use registers::{Owner, Registers, SIZE as REGISTERS_SIZE};
use serde::Deserialize;
use table::Decoder;
pub use table::{Alias, OperandFormat, Operation, Row, decode};
pub use text::{gnu_text, listing, target, text};

/// The effects of XGATE's instructions on other things than memory: semaphores, and interrupt flags
/// of channels.
pub trait Signals: Bus {
    /// Locks semaphore 0 to 7 for XGATE. Returns whether XGATE has it now.
    fn lock(&mut self, semaphore: usize) -> bool;

    /// Releases semaphore 0 to 7, if XGATE has it.
    fn release(&mut self, semaphore: usize);

    /// Raises the interrupt flag of channel 0 to 127.
    fn raise(&mut self, channel: u8);

    /// Says that a branch is taken: its second clock is a second fetch from the memory of the
    /// first, whose word is not used.
    fn fetch_again(&mut self) {}
}

/// XGATE clocks of the instructions that have the letters PA: the alignment cycle A takes no clock
/// in the RTL and up to one on silicon, so that each is 1 or 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// SSEM.
    pub ssem: u32,
    /// CSEM.
    pub csem: u32,
    /// SIF.
    pub sif: u32,
    /// RTS.
    pub rts: u32,
}

impl Default for Timing {
    /// Returns the choices of the RTL.
    fn default() -> Self {
        Self { ssem: 1, csem: 1, sif: 1, rts: 1 }
    }
}

/// Which carry and overflow ADDL and SUBL give.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum AddlCarry {
    /// The carry and the overflow of bit 7, as the RTL and the MC9S12XDP512 data sheet 2.11 have
    /// it.
    Bit7,
    /// The carry and the overflow of bit 15, as the MC9S12XE reference manual 1.19 has it.
    #[default]
    Bit15,
}

/// The core and its registers.
#[derive(Clone)]
pub struct Xgate {
    /// R0 to R7. R0 is 0.
    pub r: [u16; 8],
    /// The program counter.
    pub pc: u16,
    /// The condition code register: N, Z, V, C in bits 3 to 0.
    pub ccr: u8,
    /// The channel of the thread, 0 to 127.
    pub channel: u8,
    /// Whether a thread runs; RTS ends it.
    pub running: bool,
    /// Clocks that are not certain.
    pub timing: Timing,
    /// Flags that are not certain.
    pub addl_carry: AddlCarry,
    decoder: &'static Decoder,
}

impl Xgate {
    /// Makes a core without a thread.
    pub fn new(timing: Timing, addl_carry: AddlCarry) -> Self {
        Self {
            r: [0; 8],
            pc: 0,
            ccr: 0,
            channel: 0,
            running: false,
            timing,
            addl_carry,
            decoder: table::decoder(),
        }
    }

    /// Starts the thread of a channel at `pc` with `r1`. The other registers stay as they are; a
    /// program must not read them before it has set them.
    pub fn start(&mut self, channel: u8, pc: u16, r1: u16) {
        self.channel = channel;
        self.pc = pc;
        self.r[1] = r1;
        self.running = true;
    }
}

/// Result and flags of an operation on bytes.
#[derive(Clone, Copy)]
struct Flags {
    value: u8,
    overflow: bool,
    carry: bool,
}
