//! Gates of one delay, for 64 messages at once.

use super::netlist::Netlist;

/// Changes times load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Changes of all signals, times load.
    pub all: u64,
    /// Changes of registers, times load.
    pub registers: u64,
    /// Changes of all signals, times load, where at most one change of each signal in a clock
    /// counts.
    pub settled: u64,
}

/// A netlist at work. A signal is a word: bit i is its value for message i.
#[derive(Clone, Debug)]
pub struct Simulation<'n> {
    netlist: &'n Netlist,
    values: Vec<u64>,
    /// Gates that take each signal.
    users: Vec<Vec<u32>>,
    loads: Vec<u64>,
    is_register: Vec<bool>,
    /// Signals that were set from outside and have not passed on.
    changed: Vec<usize>,
    counts: Counts,
}

/// The largest number of units of time in which a netlist must settle; one that takes longer has a
/// loop.
const LONGEST: usize = 10_000;

impl<'n> Simulation<'n> {
    /// All registers and inputs 0, and settled.
    ///
    /// # Errors
    /// If the gates do not settle.
    pub fn new(netlist: &'n Netlist) -> Result<Self, String> {
        let mut users = vec![Vec::new(); netlist.signals];
        let mut loads = vec![1; netlist.signals];
        for (number, cell) in netlist.cells.iter().enumerate() {
            for &input in &cell.inputs[..cell.gate.inputs()] {
                users[input].push(number as u32);
                loads[input] += 1;
            }
        }
        let mut is_register = vec![false; netlist.signals];
        for &[next, value] in &netlist.registers {
            loads[next] += 1;
            is_register[value] = true;
        }
        let mut values = vec![0; netlist.signals];
        values[1] = u64::MAX;
        let counts = Counts::default();
        let changed = (0..netlist.signals).collect();
        let mut new = Self { netlist, values, users, loads, is_register, changed, counts };
        // Gates whose inputs never change must settle too.
        new.settle()?;
        new.reset_counts();
        Ok(new)
    }

    /// Sets a bit of an input for all messages.
    ///
    /// # Errors
    /// If there is no such bit.
    pub fn set(&mut self, port: &str, bit: usize, value: u8) -> Result<(), String> {
        self.set_lanes(port, bit, if value == 0 { 0 } else { u64::MAX })
    }

    /// Sets a bit of an input for each message.
    ///
    /// # Errors
    /// If there is no such bit.
    pub fn set_lanes(&mut self, port: &str, bit: usize, value: u64) -> Result<(), String> {
        let signal = self.signal(port, bit)?;
        if self.values[signal] != value {
            self.step(signal, value);
        }
        Ok(())
    }

    /// A bit of a port.
    ///
    /// # Errors
    /// If there is no such bit.
    pub fn get(&self, port: &str, bit: usize) -> Result<u64, String> {
        Ok(self.values[self.signal(port, bit)?])
    }

    fn signal(&self, port: &str, bit: usize) -> Result<usize, String> {
        let signal = self.netlist.ports.get(port).and_then(|signals| signals.get(bit));
        signal.copied().ok_or_else(|| format!("no bit {bit} of a port {port}"))
    }

    /// The clock's edge: registers change. Gates that depend on them change in
    /// [`settle`](Self::settle).
    pub fn edge(&mut self) {
        let next: Vec<u64> = self.netlist.registers.iter().map(|[d, _]| self.values[*d]).collect();
        for (&[_, q], next) in self.netlist.registers.iter().zip(next) {
            if self.values[q] != next {
                self.step(q, next);
            }
        }
    }

    /// Lets changes run through the gates, one gate in each unit of time.
    ///
    /// # Errors
    /// If they go round in a loop.
    pub fn settle(&mut self) -> Result<(), String> {
        let before = self.values.clone();
        let mut touched = Vec::new();
        let mut waiting = vec![false; self.netlist.cells.len()];
        let mut changed = std::mem::take(&mut self.changed);
        touched.extend(changed.iter().copied());
        for _ in 0..LONGEST {
            if changed.is_empty() {
                self.count_settled(&before, touched);
                return Ok(());
            }
            let mut gates = Vec::new();
            for &signal in &changed {
                for &gate in &self.users[signal] {
                    if !std::mem::replace(&mut waiting[gate as usize], true) {
                        gates.push(gate);
                    }
                }
            }
            // Every gate reads its inputs before any gate changes its output.
            let mut news = Vec::new();
            for gate in gates {
                waiting[gate as usize] = false;
                let cell = &self.netlist.cells[gate as usize];
                let value = cell.gate.value(cell.inputs.map(|input| self.values[input]));
                if value != self.values[cell.output] {
                    news.push((cell.output, value));
                }
            }
            changed.clear();
            for (signal, value) in news {
                self.count(signal, self.values[signal] ^ value);
                self.values[signal] = value;
                changed.push(signal);
                touched.push(signal);
            }
        }
        Err("the gates do not settle: there is a loop".to_owned())
    }

    /// Changes an input or a register, which change at most once in a clock.
    fn step(&mut self, signal: usize, value: u64) {
        let before = self.counts.all;
        self.count(signal, self.values[signal] ^ value);
        self.counts.settled += self.counts.all - before;
        self.values[signal] = value;
        self.changed.push(signal);
    }

    fn count(&mut self, signal: usize, change: u64) {
        let weight = self.loads[signal] * u64::from(change.count_ones());
        self.counts.all += weight;
        if self.is_register[signal] {
            self.counts.registers += weight;
        }
    }

    /// Counts the changes with at most one of each gate in a clock.
    fn count_settled(&mut self, before: &[u64], mut touched: Vec<usize>) {
        touched.sort_unstable();
        touched.dedup();
        for signal in touched {
            let change = before[signal] ^ self.values[signal];
            self.counts.settled += self.loads[signal] * u64::from(change.count_ones());
        }
    }

    /// Returns the counts.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Counts from 0 again.
    pub fn reset_counts(&mut self) {
        self.counts = Counts::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a ─┬─────────► ⊕ ─► y     a change of a reaches y twice, a unit apart
    ///    └─► ¬ ─► ¬ ─┘ ^
    const GLITCH: &str = r#"{"modules": {"m": {
        "ports": {"a": {"bits": [2]}, "y": {"bits": [5]}, "q": {"bits": [6]}, "clk": {"bits": [7]}},
        "cells": {
            "n": {"type": "$_NOT_", "connections": {"A": [2], "Y": [3]}},
            "o": {"type": "$_NOT_", "connections": {"A": [3], "Y": [4]}},
            "x": {"type": "$_XOR_", "connections": {"A": [2], "B": [4], "Y": [5]}},
            "r": {"type": "$_DFF_P_", "connections": {"C": [7], "D": [2], "Q": [6]}}
        }}}}"#;

    #[test]
    fn a_glitch_counts_and_settles() {
        let netlist = Netlist::read(GLITCH, "m").unwrap();
        assert_eq!(netlist.flip_flops(), 1);
        let mut simulation = Simulation::new(&netlist).unwrap();
        // One message of 64 changes.
        simulation.set_lanes("a", 0, 1).unwrap();
        simulation.settle().unwrap();
        simulation.edge();
        // a: loads not, xor, register and itself, 4; not, not: 2 each; y up and down: 1 each.
        // Then the register, 1.
        let counts = simulation.counts();
        assert_eq!((counts.all, counts.registers), (4 + 2 + 2 + 2 + 1, 1));
        assert_eq!(counts.settled, 4 + 2 + 2 + 1);
        assert_eq!(simulation.get("y", 0), Ok(0));
        assert_eq!(simulation.get("q", 0), Ok(1));
        simulation.settle().unwrap();
        simulation.edge();
        assert_eq!(simulation.counts(), counts, "nothing changes");
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let netlist = Netlist::read(GLITCH, "m").unwrap();
        let mut simulation = Simulation::new(&netlist).unwrap();
        assert!(simulation.set("a", 1, 0).unwrap_err().contains("bit 1 of a port a"));
        let latch = GLITCH.replace("$_DFF_P_", "$_DLATCH_P_");
        assert!(Netlist::read(&latch, "m").unwrap_err().contains("$_DLATCH_P_"));
        let ring = GLITCH.replace(r#""A": [2], "Y": [3]"#, r#""A": [5], "Y": [3]"#);
        let ring = Netlist::read(&ring.replace("XOR", "XNOR"), "m").unwrap();
        assert!(Simulation::new(&ring).unwrap_err().contains("loop"));
    }
}
