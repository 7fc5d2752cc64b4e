//! The CPU12X against formulas that are independent of the simulator, and its assembler and
//! disassembler.

mod addressing;
mod alu;
mod arithmetic;
mod assembler;
mod control;
mod cycles;
mod disassembler;
mod gnu;
mod program;
mod transfer;

use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::cpu12::{Cpu, CpuSet, Registers, Timing};
use manylane_simulate::s12x::{Core, Fault, Flat};

/// The address of programs that name no other.
const ORIGIN: u16 = 0x4000;

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn word(&mut self) -> u16 {
        self.next() as u16
    }

    /// A word of which one in four is at an edge.
    fn edgy(&mut self) -> u16 {
        const EDGES: [u16; 12] =
            [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff];
        let pick = self.next();
        if pick & 3 == 0 { EDGES[(pick >> 8) as usize % EDGES.len()] } else { self.word() }
    }
}

fn bytes(text: &str, origin: u16) -> Vec<u8> {
    let object = assemble(&CpuSet, text, origin).unwrap_or_else(|error| panic!("{error}"));
    object.segments.into_iter().next().unwrap().bytes
}

/// A CPU and its memory.
struct Bench {
    cpu: Cpu,
    memory: Flat,
}

impl Bench {
    /// Loads a text at [`ORIGIN`], where the program counter is then.
    fn new(text: &str) -> Self {
        let mut bench = Self { cpu: Cpu::new(Timing::default()), memory: Flat::new() };
        bench.load(ORIGIN, &bytes(text, ORIGIN));
        bench.r().pc = ORIGIN;
        bench.r().sp = 0x3f00;
        bench
    }

    fn load(&mut self, address: u16, bytes: &[u8]) {
        let at = usize::from(address);
        self.memory.bytes_mut()[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn r(&mut self) -> &mut Registers {
        self.cpu.registers_mut()
    }

    fn byte(&self, address: u16) -> u8 {
        self.memory.bytes()[usize::from(address)]
    }

    fn word(&self, address: u16) -> u16 {
        u16::from_be_bytes([self.byte(address), self.byte(address.wrapping_add(1))])
    }

    fn set_word(&mut self, address: u16, value: u16) {
        let [high, low] = value.to_be_bytes();
        self.memory.bytes_mut()[usize::from(address)] = high;
        self.memory.bytes_mut()[usize::from(address.wrapping_add(1))] = low;
    }

    /// Executes one instruction and returns its bus cycles.
    fn step(&mut self) -> u32 {
        self.try_step().unwrap_or_else(|fault| panic!("{fault}"))
    }

    fn try_step(&mut self) -> Result<u32, Fault> {
        self.cpu.step(&mut self.memory).map(|step| step.clocks)
    }

    /// Executes the one instruction at [`ORIGIN`] with these registers and returns them as they are
    /// then.
    fn once(&mut self, registers: Registers) -> Registers {
        *self.r() = Registers { pc: ORIGIN, ..registers };
        self.step();
        *self.cpu.registers()
    }
}
