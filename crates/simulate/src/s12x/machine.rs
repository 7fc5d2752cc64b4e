//! Both cores over one memory, in the order of their clocks.
//!
//! ```text
//!  bus cycle       │    0    │    1    │    2    │
//!  XGATE's clocks  │ 0  │ 1  │ 2  │ 3  │ 4  │ 5  │
//!  RAM             │ X  │ X  │ CPU│ X  │ X  │ X  │    two accesses in a bus cycle, the CPU first
//! ```
//!
//! Time is counted in XGATE clocks, of which a bus cycle has two. An instruction takes effect when it
//! starts; the CPU's n-th access is in the n-th bus cycle of its instruction.

use super::chip::Chip;
use super::coverage::Coverage;
use super::cpu12::Cpu;
use super::memory::{Accesses, CpuBus, Memory, XgateBus};
use super::object::{Object, Space, Symbol};
use super::stalls::{Noise, RandomStalls, Stalls};
use super::xgate::{Xgate, text};
use super::{Bus, CoreName, Fault, Processor, Step};
use std::collections::BTreeSet;

/// Where a routine that [`Machine::call`] calls returns to. Registers are there, never code.
const RETURN: u16 = 0;
/// Bus cycles of the CPU's accesses that are kept: more than an instruction of XGATE reaches back.
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

/// What a core has done since the counts were last cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreCounts {
    /// Instructions executed.
    pub instructions: u64,
    /// Clocks of the core that its instructions take by themselves: bus cycles of the CPU, and of XGATE
    /// its own clocks, of which a bus cycle has two.
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

/// What cannot be done with a machine.
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
        /// Whose address.
        space: Space,
        /// The address.
        address: u32,
        /// The chip's name.
        chip: String,
    },
    /// Bytes of two segments have one place.
    #[error("{space:?} address {address:#08x} holds a segment that was loaded before")]
    Overlap {
        /// Whose address.
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
    /// Who executes it.
    pub core: CoreName,
    /// Its local address.
    pub address: u16,
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

/// What a trace does with an instruction.
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
    /// When XGATE, which has no thread, sees that one is requested.
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
    /// What was loaded: first and last place in memory.
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

    /// Returns the global address of an address, a label behind the last byte of a memory among them.
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

    /// Enables XGATE, with its vectors at `base` in its memory. Code on the CPU does the same by XGVBR and
    /// XGMCTL.
    pub fn enable_xgate(&mut self, base: u16) {
        /// XGMCTL with the mask of XGE, and XGE.
        const WORDS: [(u16, u16); 3] = [(0x00, 0x8000), (0x06, 0), (0x00, 0x8080)];
        for (at, value) in WORDS {
            let value = if at == 0x06 { base } else { value };
            let written = self.memory.registers.write16(at, value, CoreName::Cpu);
            debug_assert_eq!(written, Ok(()));
        }
    }

    /// Makes a channel's requests go to XGATE, at a level of 1 to 7. Code on the CPU does the same by
    /// INT_CFADDR and INT_CFDATA.
    pub fn route_to_xgate(&mut self, channel: u8, level: u8) {
        self.memory.interrupts.route_to_xgate(channel, level);
    }

    /// Requests the thread of a channel once, as a module of the chip does.
    pub fn trigger(&mut self, channel: u8) {
        self.requests |= 1 << (channel & 0x7f);
        let now = self.now();
        self.signal(now);
    }

    /// Starts a thread of XGATE at an address, without a request or a vector: its first instruction is
    /// executed at once, and the registers but R1 stay as they are. After a request they are arbitrary, as
    /// the manual has them undefined.
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

    /// What the cores have done since the machine was made or [`Self::clear_counts`].
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

    /// Stops a core before the instruction at an address.
    pub fn set_break(&mut self, core: CoreName, address: u16) {
        self.breaks.insert((core, address));
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
        let address = symbol.address as u16;
        self.set_break(core, address);
        Ok(())
    }

    /// Removes all breakpoints.
    pub fn clear_breaks(&mut self) {
        self.breaks.clear();
    }

    /// Shows every instruction to a function before it is executed.
    pub fn set_trace(&mut self, trace: Option<Trace>) {
        self.trace = trace;
    }

    /// Which instructions a core has executed.
    pub fn coverage(&self, core: CoreName) -> &Coverage {
        &self.coverage[core as usize]
    }

    /// Executes instructions of the core whose turn it is.
    fn drive(&mut self, limit: u64, until_return: bool) -> Result<Stop, Fault> {
        let end = self.now().saturating_add(limit.saturating_mul(2));
        // A breakpoint does not stop the instruction with which the machine goes on.
        let mut first = [true; 2];
        loop {
            let cpu = self.next_of_cpu();
            // What the CPU accesses must be known before XGATE's accesses are granted.
            let settled = self.settle(cpu);
            let xgate = self.next_of_xgate();
            let core = match (cpu, xgate) {
                _ if !settled => CoreName::Cpu,
                (None, None) => return Ok(Stop::Idle),
                (Some(cpu), Some(xgate)) if cpu > xgate => CoreName::Xgate,
                (Some(_), _) => CoreName::Cpu,
                (None, Some(_)) => CoreName::Xgate,
            };
            let (time, address) = match core {
                CoreName::Cpu => (cpu, self.cpu.pc()),
                CoreName::Xgate => (xgate, self.xgate.pc),
            };
            if time >= Some(end) {
                return Ok(Stop::Limit);
            }
            let starts = core == CoreName::Xgate && !self.xgate.running;
            let go_on = std::mem::take(&mut first[core as usize]) || starts;
            if !go_on && !self.breaks.is_empty() && self.breaks.contains(&(core, address)) {
                return Ok(Stop::Break(core, address));
            }
            match core {
                CoreName::Cpu => self.step_cpu()?,
                CoreName::Xgate if self.xgate.running => self.step_xgate()?,
                CoreName::Xgate => self.start_requested(),
            }
            if core == CoreName::Cpu && self.has_returned() {
                self.cpu_runs = false;
                if until_return {
                    return Ok(Stop::Returned);
                }
            }
        }
    }

    fn has_returned(&self) -> bool {
        self.cpu.pc() == RETURN && self.cpu.sp() == self.return_sp
    }

    fn next_of_cpu(&self) -> Option<u64> {
        let wakes = self.interrupt.is_some_and(|(_, level)| self.cpu.accepts(level));
        (self.cpu_runs && (wakes || !self.cpu.is_waiting())).then_some(self.cpu_time)
    }

    fn next_of_xgate(&self) -> Option<u64> {
        if self.xgate.running { Some(self.xgate_time) } else { self.wake }
    }

    fn step_cpu(&mut self) -> Result<(), Fault> {
        let begin = self.cpu_time / 2;
        self.memory.begin();
        let pc = self.cpu.pc();
        let taken = self.interrupt.filter(|&(_, level)| self.cpu.accepts(level));
        let step = if let Some((channel, level)) = taken {
            self.counts[CoreName::Cpu as usize].starts += 1;
            let vector = self.memory.interrupts.vector(channel);
            Ok(self.cpu.interrupt(&mut CpuBus(&mut self.memory), vector, level))
        } else {
            self.counts[CoreName::Cpu as usize].instructions += 1;
            self.coverage[CoreName::Cpu as usize].mark(pc);
            if self.trace.is_some() {
                self.trace_cpu(pc);
            }
            self.cpu.step(&mut CpuBus(&mut self.memory))
        };
        let Step { clocks } = self.checked(CoreName::Cpu, pc, step)?;
        let cycles = begin..begin + u64::from(clocks);
        for (cycle, &memory) in cycles.zip(self.memory.used()) {
            self.ring[cycle as usize % RING] = (cycle, memory);
        }
        let stall = self.stall(CoreName::Cpu);
        let counts = &mut self.counts[CoreName::Cpu as usize];
        counts.clocks += u64::from(clocks);
        counts.stalls += stall;
        self.cpu_time += 2 * (u64::from(clocks) + stall);
        if self.memory.signalled {
            self.signal(self.cpu_time);
        }
        Ok(())
    }

    fn step_xgate(&mut self) -> Result<(), Fault> {
        self.memory.begin();
        let pc = self.xgate.pc;
        self.coverage[CoreName::Xgate as usize].mark(pc);
        if self.trace.is_some() {
            self.trace_xgate(pc);
        }
        let step = self.xgate.step(&mut XgateBus(&mut self.memory));
        let Step { clocks } = self.checked(CoreName::Xgate, pc, step)?;
        let used = self.memory.used();
        let accesses = used.len().min(MOST);
        let mut memories = [0; MOST];
        memories[..accesses].copy_from_slice(&used[..accesses]);
        let (begin, clocks) = (self.xgate_time, u64::from(clocks));
        self.xgate_signalled = std::mem::take(&mut self.memory.signalled);
        self.pending = Some(Pending { memories, accesses, over: 0, time: begin, begin, clocks });
        Ok(())
    }

    /// Ends the instruction of XGATE that waits for its accesses. Returns false if the CPU, whose next
    /// instruction begins at `cpu`, may yet use a memory at that time.
    ///
    /// A memory that answers two accesses in a bus cycle has one left in a cycle in which the CPU uses
    /// it, the later one; a memory that answers one has none.
    #[inline]
    fn settle(&mut self, cpu: Option<u64>) -> bool {
        let Some(pending) = &mut self.pending else { return true };
        while pending.over < pending.accesses {
            let memory = pending.memories[pending.over];
            let answers_two = self.slots.get(usize::from(memory)) == Some(&2);
            if answers_two && pending.time % 2 != 0 {
                pending.time += 1;
                pending.over += 1;
                continue;
            }
            let cycle = pending.time.div_ceil(2);
            if cpu.is_some_and(|cpu| cpu <= 2 * cycle) {
                return false;
            }
            let is_used = self.ring[cycle as usize % RING] == (cycle, memory);
            pending.time = 2 * cycle + if answers_two && !is_used { 1 } else { 2 };
            pending.over += usize::from(answers_two || !is_used);
        }
        let alignment = pending.clocks.saturating_sub(pending.accesses as u64);
        let (begin, clocks, time) = (pending.begin, pending.clocks, pending.time + alignment);
        self.pending = None;
        self.end_of_xgate(begin, clocks, time);
        true
    }

    /// Counts an instruction of XGATE that has ended at `time`, and sees what it asked for.
    #[inline]
    fn end_of_xgate(&mut self, begin: u64, clocks: u64, time: u64) {
        let stall = self.stall(CoreName::Xgate);
        let counts = &mut self.counts[CoreName::Xgate as usize];
        counts.instructions += 1;
        counts.clocks += clocks;
        counts.stalls += time - begin - clocks + stall;
        self.xgate_time = time + stall;
        if self.xgate_signalled {
            self.xgate_signalled = false;
            self.signal(self.xgate_time);
        }
        if !self.xgate.running {
            self.memory.registers.channel = 0;
            // Without a request the core idles; a request that is there already starts at once.
            self.wake = self.requested().map(|_| self.xgate_time);
        }
    }

    /// Returns the fault of an instruction, which its accesses may have found.
    #[inline]
    fn checked(
        &mut self,
        core: CoreName,
        address: u16,
        step: Result<Step, Fault>,
    ) -> Result<Step, Fault> {
        match self.memory.wrong.take() {
            // What is read where nothing is may be no instruction; the address says more.
            Some(what) => Err(Fault { core, address, what }),
            None => step,
        }
    }

    fn stall(&mut self, core: CoreName) -> u64 {
        self.stalls.as_mut().map_or(0, |stalls| stalls.next(core))
    }

    /// Sees what registers ask for after they were written at `time`.
    #[cold]
    fn signal(&mut self, time: u64) {
        self.memory.signalled = false;
        self.interrupt = self.interrupt_of_cpu();
        if self.interrupt.is_some() && self.cpu.is_waiting() {
            self.cpu_time = self.cpu_time.max(time.next_multiple_of(2));
        }
        if self.xgate.running {
            return;
        }
        let latency = 2 * u64::from(self.memory.chip().timing.request_bus_cycles);
        match self.requested() {
            None => self.wake = None,
            Some(_) if self.wake.is_none() => self.wake = Some(time + latency),
            Some(_) => {}
        }
    }

    /// Returns the channel that XGATE would serve now: of those requested the one of the highest level,
    /// and of these the highest number.
    fn requested(&self) -> Option<u8> {
        if !self.memory.registers.enabled() {
            return None;
        }
        let asked = (0..128).filter(|channel| self.requests >> channel & 1 != 0);
        let triggered = self.memory.registers.triggered();
        let interrupts = &self.memory.interrupts;
        asked
            .chain(triggered)
            .filter(|&channel| interrupts.to_xgate(channel) && interrupts.level(channel) > 0)
            .max_by_key(|&channel| (interrupts.level(channel), channel))
    }

    /// Returns the channel that interrupts the CPU, and its level.
    fn interrupt_of_cpu(&self) -> Option<(u8, u8)> {
        let registers = &self.memory.registers;
        let flags = if registers.interrupts() { registers.flags } else { 0 };
        let raised = (0..128).filter(|channel| flags >> channel & 1 != 0);
        let interrupts = &self.memory.interrupts;
        let triggered = registers.triggered().filter(|&channel| !interrupts.to_xgate(channel));
        raised
            .chain(triggered)
            .map(|channel| (channel, interrupts.level(channel)))
            .filter(|&(_, level)| level > 0)
            .max_by_key(|&(channel, level)| (level, channel))
    }

    /// Starts the thread that is requested, if it still is.
    fn start_requested(&mut self) {
        let time = self.wake.take().unwrap_or(self.xgate_time);
        let Some(channel) = self.requested() else { return };
        self.requests &= !(1 << channel);
        let vector = u32::from(self.memory.registers.vector(channel));
        let mut bus = XgateBus(&mut self.memory);
        let (pc, r1) = (bus.read16(vector), bus.read16(vector.wrapping_add(2)));
        self.xgate_time = time + u64::from(self.memory.chip().timing.start_clocks);
        // Undefined after a request: a program that reads them before it sets them must not work here.
        let mut noise = Noise::new(self.xgate_time);
        self.xgate.r[2..].fill_with(|| noise.next() as u16);
        self.xgate.ccr = noise.next() as u8 & 15;
        self.enter_thread(channel, pc, r1);
    }

    fn enter_thread(&mut self, channel: u8, pc: u16, r1: u16) {
        self.counts[CoreName::Xgate as usize].starts += 1;
        self.memory.registers.channel = channel;
        self.xgate.start(channel, pc, r1);
    }

    #[cold]
    fn trace_cpu(&mut self, pc: u16) {
        const LONGEST: usize = 8;
        let bytes: Vec<u8> = (u32::from(pc)..=0xffff)
            .take(LONGEST)
            .map_while(|address| self.memory.find(Space::Cpu, address))
            .map(|(place, _)| self.memory.bytes()[place])
            .collect();
        let event = Event {
            time: self.cpu_time,
            core: CoreName::Cpu,
            address: pc,
            text: self.cpu.text(&bytes),
            registers: self.cpu.show(),
        };
        if let Some(trace) = &mut self.trace {
            trace(&event);
        }
    }

    #[cold]
    fn trace_xgate(&mut self, pc: u16) {
        let bytes = self.read(Space::Xgate, pc.into(), 2).unwrap_or_default();
        let word = bytes.try_into().map(u16::from_be_bytes);
        let registers: Vec<_> = (1..8).map(|n| format!("r{n}={:04x}", self.xgate.r[n])).collect();
        let event = Event {
            time: self.xgate_time,
            core: CoreName::Xgate,
            address: pc,
            text: word.map_or_else(|_| "?".to_owned(), text),
            registers: format!("{} ccr={:x}", registers.join(" "), self.xgate.ccr),
        };
        if let Some(trace) = &mut self.trace {
            trace(&event);
        }
    }
}
