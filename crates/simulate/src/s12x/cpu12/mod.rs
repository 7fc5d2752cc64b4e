//! The CPU12 and what the CPU12X adds: all instructions, bus cycle by bus cycle.
//!
//! ```text
//!  table ──► decode ──► execute      one instruction: registers, memory, bus cycles
//!    │         └──────► text         disassembler
//!    └────────────────► encode       assembler
//! ```
//!
//! Semantics and flags are the CPU12 reference manual's. Bus cycles are those of the table in GNU
//! binutils, with [`Timing`] for what it leaves open. An opcode without a meaning is a [`Fault`].
//!
//! Not simulated are BGND, and REV, REVW and WAV, whose cycles depend on their data: each is a
//! fault that says so.

mod alu;
mod arithmetic;
mod decode;
mod encode;
mod execute;
mod lookup;
mod operand;
mod registers;
mod rows;
mod table;
mod text;
mod timing;
mod transfer;

pub use decode::{Address, Base, Indexed, Instruction, Mode, Operands, Origin};
pub use encode::CpuSet;
pub use lookup::rows;
pub use registers::{Register, Registers, flag};
pub use table::{Binary, BitOperand, Format, Operation, Row, Source, Target, Unary, Where};
pub use text::{instruction, listing, text};
pub use timing::{CpuXCycles, Timing};
pub use transfer::Transfer;

use super::{Bus, Core, CoreName, Fault, Step, Wrong};
use decode::{Fetch, decode};
use lookup::{Opcodes, opcodes};
use table::Cycles;

/// Local addresses that the CPU reads and writes without being told by an instruction.
mod place {
    /// The register PPAGE of the memory controller: the page of flash at 0x8000.
    pub const PPAGE: u32 = 0x30;
    /// The vector of a reset.
    pub const RESET: u16 = 0xfffe;
    /// The low byte of SWI's vector.
    pub const SWI: u8 = 0xf6;
    /// The low byte of SYS's vector.
    pub const SYS: u8 = 0x12;
}

/// The second byte of an instruction word that was fetched and not used yet. The CPU fetches words
/// at even addresses; an instruction of an odd number of bytes leaves one in the queue.
#[derive(Clone, Copy, Default)]
struct Queue {
    held: Option<(u16, u8)>,
}

/// A CPU12X.
#[derive(Clone)]
pub struct Cpu {
    r: Registers,
    queue: Queue,
    waiting: bool,
    timing: Timing,
    costs: Box<[Cycles; 512]>,
    opcodes: &'static Opcodes,
}

/// How far [`Cpu::run`] came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Instructions executed.
    pub instructions: u64,
    /// Bus cycles of all of them.
    pub cycles: u64,
    /// Why it ended.
    pub end: End,
}

/// Why [`Cpu::run`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The program counter is the address to stop at.
    Address,
    /// The cycles are used up.
    Cycles,
    /// The CPU waits for an interrupt, after WAI or STOP.
    Waiting,
}

impl Default for Cpu {
    fn default() -> Self {
        Self::new(Timing::default())
    }
}

impl Cpu {
    /// Makes a CPU as after a reset, with the program counter 0.
    pub fn new(timing: Timing) -> Self {
        Self {
            r: Registers::default(),
            queue: Queue::default(),
            waiting: false,
            timing,
            costs: timing.costs(),
            opcodes: opcodes(),
        }
    }

    /// Returns the parameters of timing.
    pub fn timing(&self) -> Timing {
        self.timing
    }

    /// The registers.
    pub fn registers(&self) -> &Registers {
        &self.r
    }

    /// The registers, to be set. Instruction bytes that were fetched ahead are forgotten, so that
    /// memory may be changed as well.
    pub fn registers_mut(&mut self) -> &mut Registers {
        self.queue = Queue::default();
        &mut self.r
    }

    /// Starts at the reset vector.
    pub fn reset(&mut self, bus: &mut impl Bus) {
        *self.registers_mut() = Registers::default();
        self.waiting = false;
        self.r.pc = bus.read16(place::RESET.into());
    }

    /// Whether the CPU waits for an interrupt, after WAI or STOP.
    pub fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// Whether a maskable interrupt of this priority level, 1 to 7, would be taken now.
    pub fn accepts(&self, level: u8) -> bool {
        !self.r.has(flag::I) && u16::from(level) > (self.r.ccr & flag::IPL) >> 8
    }

    /// Takes an interrupt of this priority level, 1 to 7, through the vector at this address:
    /// pushes the registers, masks further interrupts, raises the level and goes on at the vector's
    /// address.
    ///
    /// This function does not check anything: [`Cpu::accepts`] says whether the interrupt would be
    /// taken.
    pub fn interrupt(&mut self, bus: &mut impl Bus, vector: u16, level: u8) -> Step {
        // After WAI the registers lie on the stack already.
        if !self.waiting {
            self.stack_registers(bus);
        }
        self.waiting = false;
        let target = bus.read16(vector.into());
        self.enter(target);
        self.r.ccr = (self.r.ccr & !flag::IPL) | (u16::from(level) << 8 & flag::IPL);
        Step { clocks: u32::from(self.costs[SWI_OPCODE][0]) }
    }

    /// Executes instructions until the program counter is `stop`, the CPU waits, or at least
    /// `limit` bus cycles have gone by. The instruction at `stop` is not executed, not even as the
    /// first.
    ///
    /// # Errors
    /// The fault of an instruction that cannot be executed.
    pub fn run(&mut self, bus: &mut impl Bus, stop: u16, limit: u64) -> Result<Ran, Fault> {
        let mut ran = Ran { instructions: 0, cycles: 0, end: End::Address };
        while self.r.pc != stop {
            if self.waiting {
                ran.end = End::Waiting;
                break;
            }
            if ran.cycles >= limit {
                ran.end = End::Cycles;
                break;
            }
            ran.cycles += u64::from(self.step(bus)?.clocks);
            ran.instructions += 1;
        }
        Ok(ran)
    }

    /// A fault at the instruction of these bytes.
    fn fault(address: u16, what: Wrong) -> Fault {
        Fault { core: CoreName::Cpu, address, what }
    }
}

/// The opcode of SWI, which takes as long as an interrupt.
const SWI_OPCODE: usize = 0x3f;

impl Core for Cpu {
    fn step(&mut self, bus: &mut impl Bus) -> Result<Step, Fault> {
        if self.waiting {
            return Ok(Step { clocks: 1 });
        }
        let at = self.r.pc;
        let mut fetch = Fetcher { bus, queue: self.queue, pc: at };
        let decoded = decode(self.opcodes, &mut fetch);
        let Fetcher { queue, pc: next, .. } = fetch;
        self.queue = queue;
        let bytes = |bus: &mut _| {
            (0..next.wrapping_sub(at))
                .map(|i| Bus::fetch8(bus, at.wrapping_add(i).into()))
                .collect()
        };
        let Some(instruction) = decoded else {
            self.queue = Queue::default();
            return Err(Self::fault(at, Wrong::Opcode(bytes(bus))));
        };
        match self.execute(&instruction, next, bus) {
            Ok(cycles) => Ok(Step { clocks: cycles.into() }),
            Err(what) => {
                self.queue = Queue::default();
                self.r.pc = at;
                Err(Self::fault(at, Wrong::Unsupported(bytes(bus), what)))
            }
        }
    }

    fn pc(&self) -> u16 {
        self.r.pc
    }
}

/// Fetches words at even addresses, and a byte where an instruction begins at an odd one that is
/// not in the queue.
struct Fetcher<'a, B> {
    bus: &'a mut B,
    queue: Queue,
    pc: u16,
}

impl<B: Bus> Fetch for Fetcher<'_, B> {
    #[inline]
    fn byte(&mut self) -> u8 {
        let at = self.pc;
        self.pc = at.wrapping_add(1);
        if at & 1 == 0 {
            let [high, low] = self.bus.fetch16(at.into()).to_be_bytes();
            self.queue.held = Some((self.pc, low));
            return high;
        }
        match self.queue.held.take() {
            Some((address, byte)) if address == at => byte,
            _ => self.bus.fetch8(at.into()),
        }
    }

    #[inline]
    fn word(&mut self) -> u16 {
        if self.pc & 1 == 0 {
            let word = self.bus.fetch16(self.pc.into());
            self.pc = self.pc.wrapping_add(2);
            return word;
        }
        let high = self.byte();
        u16::from_be_bytes([high, self.byte()])
    }
}
