//! A CPU that does what a list says, one item in each instruction.

use manylane_simulate::s12x::{Bus, Core, Fault, Processor, Step};
use std::collections::VecDeque;

/// What an instruction of the script does.
#[derive(Clone, Copy, Debug)]
pub enum Do {
    /// Takes one bus cycle without an access.
    Idle,
    /// Reads a word, in one bus cycle.
    Read(u16),
    /// Reads a word into [`Script::seen`], in one bus cycle.
    See(u16),
    /// Writes a word, in one bus cycle.
    Write(u16, u16),
    /// Writes a byte, in one bus cycle.
    WriteByte(u16, u8),
    /// Waits for an interrupt.
    Wait,
}

/// The CPU. Its program counter is never 0 before the list is done.
#[derive(Default)]
pub struct Script {
    pub list: VecDeque<Do>,
    pub seen: Vec<u16>,
    pub interrupts: Vec<(u16, u8)>,
    pub masked: bool,
    waiting: bool,
}

impl Script {
    pub fn new(list: impl IntoIterator<Item = Do>) -> Self {
        Self { list: list.into_iter().collect(), ..Self::default() }
    }
}

impl Core for Script {
    fn step(&mut self, bus: &mut impl Bus) -> Result<Step, Fault> {
        match self.list.pop_front() {
            None | Some(Do::Idle) => {}
            Some(Do::Read(address)) => drop(bus.read16(address.into())),
            Some(Do::See(address)) => self.seen.push(bus.read16(address.into())),
            Some(Do::Write(address, value)) => bus.write16(address.into(), value),
            Some(Do::WriteByte(address, value)) => bus.write8(address.into(), value),
            Some(Do::Wait) => self.waiting = true,
        }
        Ok(Step { clocks: 1 })
    }

    fn pc(&self) -> u16 {
        if self.list.is_empty() && !self.waiting { 0 } else { 0xc000 }
    }
}

impl Processor for Script {
    fn jump(&mut self, _: u16) {}

    fn sp(&self) -> u16 {
        0
    }

    fn push(&mut self, _: &mut impl Bus, _: u16) {}

    fn is_waiting(&self) -> bool {
        self.waiting
    }

    fn accepts(&self, _: u8) -> bool {
        !self.masked
    }

    fn interrupt(&mut self, _: &mut impl Bus, vector: u16, level: u8) -> Step {
        self.interrupts.push((vector, level));
        self.waiting = false;
        self.masked = true;
        Step { clocks: 9 }
    }

    fn text(&self, _: &[u8]) -> String {
        "script".to_owned()
    }

    fn show(&self) -> String {
        String::new()
    }
}
