//! The two cores over one memory, in the order of their clocks.
//!
//! ```text
//!  bus cycle       │    0    │    1    │    2    │
//!  XGATE's clocks  │ 0  │ 1  │ 2  │ 3  │ 4  │ 5  │
//!  RAM             │ X  │ X  │ CPU│ X  │ X  │ X  │    two accesses in a bus cycle, the CPU first
//! ```
//!
//! Time is counted in XGATE clocks, of which a bus cycle has two. An instruction takes effect when
//! it starts; the CPU's n-th access is in the n-th bus cycle of its instruction.

mod requests;
mod schedule;
mod trace;

use super::chip::Chip;
use super::coverage::Coverage;
use super::cpu12::Cpu;
use super::memory::{Accesses, CpuBus, Memory};
use super::object::{Object, Space, Symbol};
use super::stalls::{RandomStalls, Stalls};
use super::xgate::Xgate;
use super::{CoreName, Fault, Processor, Step};
use std::collections::BTreeSet;

/// The address to which a routine of [`Machine::call`] returns. Registers are there, never code.
const RETURN: u16 = 0;
/// Bus cycles whose accesses of the CPU are remembered: more than an instruction of XGATE reaches
/// back.
const RING: usize = 64;
/// Accesses of one instruction of XGATE: its fetch and another.
const MOST: usize = 2;

/// Why the machine stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The CPU's routine has returned or waits, XGATE has no thread and no request.
    Idle,
    /// The routine has returned; XGATE may still run.
    Returned,
    /// A core is about to execute the instruction at a breakpoint.
    Break(CoreName, u16),
    /// The bus cycles are used up.
    Limit,
}

/// Counts of a core since they were last cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreCounts {
    /// Instructions executed.
    pub instructions: u64,
    /// Clocks of the core that its instructions take by themselves: bus cycles of the CPU, and of
    /// XGATE its own clocks, of which a bus cycle has two.
    pub clocks: u64,
    /// Clocks that it waited: XGATE for memory, and what random stalls took.
    pub stalls: u64,
    /// Threads of XGATE started; interrupts that the CPU has taken.
    pub starts: u64,
}

/// What both cores have done, and what they asked of each memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The CPU.
    pub cpu: CoreCounts,
    /// XGATE.
    pub xgate: CoreCounts,
    /// Each memory's name, with the accesses to it.
    pub memories: Vec<(String, Accesses)>,
}

/// The errors of a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// A core stopped.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// No object that was loaded has the symbol.
    #[error("no object that was loaded has the symbol `{0}`")]
    NoSymbol(String),
    /// No memory is at an address.
    #[error("{space:?} address {address:#08x} is in no memory of {chip}")]
    NoMemory {
        /// The address space.
        space: Space,
        /// The address.
        address: u32,
        /// The chip's name.
        chip: String,
    },
    /// Bytes of two segments have one place.
    #[error("{space:?} address {address:#08x} holds a segment that was loaded before")]
    Overlap {
        /// The address space.
        space: Space,
        /// The address.
        address: u32,
    },
}

/// One instruction, as a trace shows it.
#[derive(Clone, Debug)]
pub struct Event {
    /// XGATE clocks since the machine was made.
    pub time: u64,
    /// The core that executes it.
    pub core: CoreName,
    /// Its local address.
    pub address: u16,
    /// The labels at this address.
    pub labels: Vec<String>,
    /// Its text.
    pub text: String,
    /// The core's registers before it.
    pub registers: String,
}

/// An instruction of XGATE whose accesses may have to wait for the CPU's.
struct Pending {
    /// The memories that it accesses, in order, and how many of the accesses are over.
    memories: [u8; MOST],
    accesses: usize,
    over: usize,
    /// When the next access may begin.
    time: u64,
    /// When the instruction began, and its clocks without waiting.
    begin: u64,
    clocks: u64,
}

/// A function that a trace calls with each instruction.
pub type Trace = Box<dyn FnMut(&Event)>;

/// A chip with its two cores.
pub struct Machine<C> {
    /// The CPU.
    pub cpu: C,
    /// The coprocessor.
    pub xgate: Xgate,
    memory: Memory,
    /// Accesses that each memory answers in a bus cycle.
    slots: Vec<u8>,
    /// When each core executes its next instruction.
    cpu_time: u64,
    xgate_time: u64,
    cpu_runs: bool,
    /// The stack pointer with which the routine returns.
    return_sp: u16,
    /// The time at which XGATE, while it has no thread, sees that one is requested.
    wake: Option<u64>,
    /// Requests for threads by [`Machine::trigger`]: bit n is channel n.
    requests: u128,
    /// The channel and level of the interrupt that the CPU is to take.
    interrupt: Option<(u8, u8)>,
    /// The memory that the CPU uses in a bus cycle, at the cycle's number modulo its size.
    ring: [(u64, u8); RING],
    /// The instruction of XGATE that has been executed and waits for its accesses.
    pending: Option<Pending>,
    /// Whether that instruction wrote a register that may start a thread or interrupt the CPU.
    xgate_signalled: bool,
    counts: [CoreCounts; 2],
    stalls: Option<RandomStalls>,
    breaks: BTreeSet<(CoreName, u16)>,
    coverage: [Coverage; 2],
    trace: Option<Trace>,
    symbols: Vec<Symbol>,
    /// The segments that were loaded, as first and last place in memory.
    loaded: Vec<(usize, usize)>,
}

impl Machine<Cpu> {
    /// Makes a machine of this chip after a reset, its memory all zeros, its CPU at rest.
    pub fn of(chip: &Chip) -> Self {
        Self::new(chip, Cpu::new(chip.timing.cpu()))
    }
}

impl<C: Processor> Machine<C> {
    /// Makes a machine after a reset, its memory all zeros, its CPU at rest.
    pub fn new(chip: &Chip, cpu: C) -> Self {
        let timing = chip.timing;
        Self {
            cpu,
            xgate: Xgate::new(timing.xgate(), timing.addl_carry),
            memory: Memory::new(chip.clone()),
            slots: chip.memories.iter().map(|memory| memory.accesses_per_bus_cycle).collect(),
            cpu_time: 0,
            xgate_time: 0,
            cpu_runs: false,
            return_sp: 0,
            wake: None,
            requests: 0,
            interrupt: None,
            ring: [(u64::MAX, 0); RING],
            pending: None,
            xgate_signalled: false,
            counts: [CoreCounts::default(); 2],
            stalls: None,
            breaks: BTreeSet::new(),
            coverage: [Coverage::new(), Coverage::new()],
            trace: None,
            symbols: Vec::new(),
            loaded: Vec::new(),
        }
    }

    /// Loads a program: its bytes, into RAM and flash alike, and its symbols.
    ///
    /// # Errors
    /// If bytes lie where no memory is, or where an object that was loaded before has some.
    pub fn load(&mut self, object: &Object) -> Result<(), MachineError> {
        for segment in &object.segments {
            let mut places = Vec::with_capacity(segment.bytes.len());
            for address in (segment.address..).take(segment.bytes.len()) {
                let place = self.place(segment.space, address)?;
                if self.loaded.iter().any(|&(first, last)| (first..=last).contains(&place)) {
                    return Err(MachineError::Overlap { space: segment.space, address });
                }
                places.push(place);
            }
            for (&place, &byte) in places.iter().zip(&segment.bytes) {
                self.memory.bytes_mut()[place] = byte;
            }
            // A segment may cross from one memory to the next, whose place is elsewhere.
            let runs = places.chunk_by(|a, b| a + 1 == *b);
            self.loaded.extend(runs.map(|run| (run[0], run[run.len() - 1])));
        }
        self.symbols.extend(object.symbols.iter().cloned());
        Ok(())
    }

    /// Returns the symbol of a name.
    ///
    /// # Errors
    /// If no object that was loaded has it.
    pub fn symbol(&self, name: &str) -> Result<&Symbol, MachineError> {
        let found = self.symbols.iter().find(|symbol| symbol.name == name);
        found.ok_or_else(|| MachineError::NoSymbol(name.to_owned()))
    }

    /// Reads bytes of memory; no core takes part.
    ///
    /// # Errors
    /// If no memory is there.
    pub fn read(&self, space: Space, address: u32, length: usize) -> Result<Vec<u8>, MachineError> {
        let places = (address..).take(length).map(|address| self.place(space, address));
        places.map(|place| Ok(self.memory.bytes()[place?])).collect()
    }

    /// Writes bytes of memory; no core takes part.
    ///
    /// # Errors
    /// If no memory is there.
    pub fn write(&mut self, space: Space, address: u32, bytes: &[u8]) -> Result<(), MachineError> {
        for (address, &byte) in (address..).zip(bytes) {
            let place = self.place(space, address)?;
            self.memory.bytes_mut()[place] = byte;
        }
        Ok(())
    }

    /// Returns the global address of an address, a label behind the last byte of a memory among
    /// them.
    ///
    /// # Errors
    /// If no memory is there.
    pub fn global(&self, space: Space, address: u32) -> Result<u32, MachineError> {
        let of = |address| {
            let (place, memory) = self.memory.find(space, address)?;
            Some(self.memory.global(place, memory))
        };
        let behind = || of(address.checked_sub(1)?).map(|before| before + 1);
        of(address).or_else(behind).ok_or_else(|| self.no_memory(space, address))
    }

    fn place(&self, space: Space, address: u32) -> Result<usize, MachineError> {
        let found = self.memory.find(space, address).map(|(place, _)| place);
        found.ok_or_else(|| self.no_memory(space, address))
    }

    fn no_memory(&self, space: Space, address: u32) -> MachineError {
        let chip = self.memory.chip().name.clone();
        MachineError::NoMemory { space, address, chip }
    }

    /// Enables XGATE, with its vectors at `base` in its memory. Code on the CPU does the same by
    /// XGVBR and XGMCTL.
    pub fn enable_xgate(&mut self, base: u16) {
        /// XGMCTL with the mask of XGE, and XGE.
        const WORDS: [(u16, u16); 3] = [(0x00, 0x8000), (0x06, 0), (0x00, 0x8080)];
        for (at, value) in WORDS {
            let value = if at == 0x06 { base } else { value };
            let written = self.memory.registers.write16(at, value, CoreName::Cpu);
            debug_assert_eq!(written, Ok(()));
        }
    }

    /// Makes a channel's requests go to XGATE, at a level of 1 to 7. Code on the CPU does the same
    /// by INT_CFADDR and INT_CFDATA.
    pub fn route_to_xgate(&mut self, channel: u8, level: u8) {
        self.memory.interrupts.route_to_xgate(channel, level);
    }

    /// Requests the thread of a channel once, as a module of the chip does.
    pub fn trigger(&mut self, channel: u8) {
        self.requests |= 1 << (channel & 0x7f);
        let now = self.now();
        self.signal(now);
    }

    /// Starts a thread of XGATE at an address, without a request or a vector: its first instruction
    /// is executed at once, and the registers but R1 stay as they are. After a request they are
    /// arbitrary, as the manual has them undefined.
    pub fn start_thread(&mut self, channel: u8, pc: u16, r1: u16) {
        self.xgate_time = self.now();
        self.enter_thread(channel, pc, r1);
    }

    /// Lets the CPU call a routine, which ends with RTS, and runs until it has returned.
    ///
    /// The caller has set the stack pointer.
    ///
    /// # Errors
    /// If a core cannot execute an instruction, or the stack is not in RAM.
    pub fn call(&mut self, address: u16, limit: u64) -> Result<Stop, Fault> {
        self.cpu_time = self.now().next_multiple_of(2);
        self.return_sp = self.cpu.sp();
        self.cpu.push(&mut CpuBus(&mut self.memory), RETURN);
        self.cpu.jump(address);
        self.checked(CoreName::Cpu, address, Ok(Step { clocks: 0 }))?;
        self.cpu_runs = true;
        self.drive(limit, true)
    }

    /// Runs until both cores are idle, a breakpoint is reached, or `limit` bus cycles have gone by.
    ///
    /// # Errors
    /// If a core cannot execute an instruction.
    pub fn run(&mut self, limit: u64) -> Result<Stop, Fault> {
        self.drive(limit, false)
    }

    /// XGATE clocks that have gone by since the machine was made.
    pub fn now(&self) -> u64 {
        self.cpu_time.max(self.xgate_time)
    }

    /// Returns the counts since the machine was made, or since [`Self::clear_counts`].
    pub fn counts(&self) -> Counts {
        let [cpu, xgate] = self.counts;
        let names = self.memory.chip().memories.iter().map(|memory| memory.name.clone());
        let memories = names.zip(self.memory.accesses.iter().copied()).collect();
        Counts { cpu, xgate, memories }
    }

    /// Begins counting anew.
    pub fn clear_counts(&mut self) {
        self.counts = [CoreCounts::default(); 2];
        self.memory.accesses.fill(Accesses::default());
    }

    /// Lets the cores stall at random, to find programs that depend on timing.
    pub fn set_stalls(&mut self, stalls: Option<Stalls>) {
        self.stalls = stalls.map(RandomStalls::new);
    }

    /// Stops the core whose label it is before the instruction there.
    ///
    /// # Errors
    /// If there is no such label, or it is neither core's.
    pub fn set_break_at(&mut self, label: &str) -> Result<(), MachineError> {
        let symbol = self.symbol(label)?;
        let core = match symbol.space {
            Space::Cpu => CoreName::Cpu,
            Space::Xgate => CoreName::Xgate,
            Space::Global => return Err(MachineError::NoSymbol(label.to_owned())),
        };
        self.breaks.insert((core, symbol.address as u16));
        Ok(())
    }

    /// Shows every instruction to a function before it is executed.
    pub fn set_trace(&mut self, trace: Option<Trace>) {
        self.trace = trace;
    }

    /// Returns which instructions a core has executed.
    pub fn coverage(&self, core: CoreName) -> &Coverage {
        &self.coverage[core as usize]
    }
}
