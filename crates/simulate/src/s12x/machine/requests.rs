//! Threads that are requested, and interrupts of the CPU.

use super::super::memory::XgateBus;
use super::super::stalls::Noise;
use super::super::{Bus, CoreName, Fault, Processor, Step};
use super::Machine;

impl<C: Processor> Machine<C> {
    /// Notes the requests that registers make after they were written at `time`.
    #[cold]
    pub(super) fn signal(&mut self, time: u64) {
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

    /// Returns the channel that XGATE would serve now: of those requested the one of the highest
    /// level, and of these the highest number.
    pub(super) fn requested(&self) -> Option<u8> {
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
    pub(super) fn interrupt_of_cpu(&self) -> Option<(u8, u8)> {
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
    ///
    /// # Errors
    /// If the vector lies where no memory is: at its address.
    pub(super) fn start_requested(&mut self) -> Result<(), Fault> {
        let time = self.wake.take().unwrap_or(self.xgate_time);
        let Some(channel) = self.requested() else { return Ok(()) };
        self.requests &= !(1 << channel);
        let vector = self.memory.registers.vector(channel);
        let mut bus = XgateBus(&mut self.memory);
        let [pc, r1] = [0, 2].map(|offset| bus.fetch16(vector.wrapping_add(offset).into()));
        self.checked(CoreName::Xgate, vector, Ok(Step { clocks: 0 }))?;
        self.xgate_time = time + u64::from(self.memory.chip().timing.start_clocks);
        // The manual leaves the registers undefined after a request. They are random here, so that
        // a program that reads one before it sets it fails.
        let mut noise = Noise::new(self.xgate_time);
        self.xgate.r[2..].fill_with(|| noise.next() as u16);
        self.xgate.ccr = noise.next() as u8 & 15;
        self.enter_thread(channel, pc, r1);
        Ok(())
    }

    /// Starts XGATE at `pc` with R1, as the thread of a channel.
    pub(super) fn enter_thread(&mut self, channel: u8, pc: u16, r1: u16) {
        self.counts[CoreName::Xgate as usize].starts += 1;
        self.memory.registers.channel = channel;
        self.xgate.start(channel, pc, r1);
    }
}
