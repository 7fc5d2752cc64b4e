//! Decides which core executes next, and how long XGATE waits for memory.

use super::super::memory::{CpuBus, XgateBus};
use super::super::{CoreName, Fault, Processor, Step, Stop};
use super::{MOST, Machine, Pending, RETURN, RING};

impl<C: Processor> Machine<C> {
    /// Executes instructions of the core whose turn it is.
    pub(super) fn drive(&mut self, limit: u64, until_return: bool) -> Result<Stop, Fault> {
        let end = self.now().saturating_add(limit.saturating_mul(2));
        // A breakpoint does not stop the instruction with which the machine goes on.
        let mut first = [true; 2];
        loop {
            let cpu = self.next_of_cpu();
            // XGATE's accesses are granted when those of the CPU are known.
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
                CoreName::Xgate => self.start_requested()?,
            }
            if core == CoreName::Cpu && self.has_returned() {
                self.cpu_runs = false;
                if until_return {
                    return Ok(Stop::Returned);
                }
            }
        }
    }

    /// Whether the CPU is back where the call that runs began.
    pub(super) fn has_returned(&self) -> bool {
        self.cpu.pc() == RETURN && self.cpu.sp() == self.return_sp
    }

    /// When the CPU executes its next instruction, in half bus cycles; `None` while it waits.
    pub(super) fn next_of_cpu(&self) -> Option<u64> {
        let wakes = self.interrupt.is_some_and(|(_, level)| self.cpu.accepts(level));
        (self.cpu_runs && (wakes || !self.cpu.is_waiting())).then_some(self.cpu_time)
    }

    /// When XGATE executes its next instruction or starts a thread, in half bus cycles.
    pub(super) fn next_of_xgate(&self) -> Option<u64> {
        if self.xgate.running { Some(self.xgate_time) } else { self.wake }
    }

    /// Executes an instruction of the CPU, or enters an interrupt that it accepts.
    pub(super) fn step_cpu(&mut self) -> Result<(), Fault> {
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

    /// Executes an instruction of XGATE, whose accesses [`settle`](Self::settle) times later.
    pub(super) fn step_xgate(&mut self) -> Result<(), Fault> {
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

    /// Ends the instruction of XGATE that waits for its accesses. Returns false if the CPU, whose
    /// next instruction begins at `cpu`, may yet use a memory at that time.
    ///
    /// A memory that answers two accesses in a bus cycle has one left in a cycle in which the CPU
    /// uses it, the later one; a memory that answers one has none.
    #[inline]
    pub(super) fn settle(&mut self, cpu: Option<u64>) -> bool {
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

    /// Counts an instruction of XGATE that has ended at `time`, and notes its requests.
    #[inline]
    pub(super) fn end_of_xgate(&mut self, begin: u64, clocks: u64, time: u64) {
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

    /// Returns the fault that the accesses of an instruction have found, otherwise its step.
    #[inline]
    pub(super) fn checked(
        &mut self,
        core: CoreName,
        address: u16,
        step: Result<Step, Fault>,
    ) -> Result<Step, Fault> {
        match self.memory.wrong.take() {
            // A read from an address without memory may give no instruction; the address says more.
            Some(what) => Err(Fault { core, address, what }),
            None => step,
        }
    }

    /// Random delay of this instruction, in clocks of its core; 0 without stalls.
    pub(super) fn stall(&mut self, core: CoreName) -> u64 {
        self.stalls.as_mut().map_or(0, |stalls| stalls.next(core))
    }
}
