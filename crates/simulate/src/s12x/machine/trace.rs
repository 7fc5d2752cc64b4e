//! The text that a trace shows for an instruction.

use super::super::object::Space;
use super::super::xgate::text;
use super::super::{CoreName, Processor};
use super::{Event, Machine};

impl<C: Processor> Machine<C> {
    /// Shows the CPU's instruction at `pc` to the trace.
    #[cold]
    pub(super) fn trace_cpu(&mut self, pc: u16) {
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
            labels: self.labels(Space::Cpu, pc),
            text: self.cpu.text(&bytes),
            registers: self.cpu.show(),
        };
        if let Some(trace) = &mut self.trace {
            trace(&event);
        }
    }

    /// Shows XGATE's instruction at `pc` to the trace.
    #[cold]
    pub(super) fn trace_xgate(&mut self, pc: u16) {
        let bytes = self.read(Space::Xgate, pc.into(), 2).unwrap_or_default();
        let word = bytes.try_into().map(u16::from_be_bytes);
        let registers: Vec<_> = (1..8).map(|n| format!("r{n}={:04x}", self.xgate.r[n])).collect();
        let event = Event {
            time: self.xgate_time,
            core: CoreName::Xgate,
            address: pc,
            labels: self.labels(Space::Xgate, pc),
            text: word.map_or_else(|_| "?".to_owned(), text),
            registers: format!("{} ccr={:x}", registers.join(" "), self.xgate.ccr),
        };
        if let Some(trace) = &mut self.trace {
            trace(&event);
        }
    }

    fn labels(&self, space: Space, address: u16) -> Vec<String> {
        let here = self
            .symbols
            .iter()
            .filter(|symbol| symbol.space == space && symbol.address == u32::from(address));
        here.map(|symbol| symbol.name.clone()).collect()
    }
}
