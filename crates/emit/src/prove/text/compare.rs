//! A netlist beside the module that yosys read of its text: the same ports, registers, memories and
//! modules inside, and for all values of these the same outputs and next values.
//!
//! By induction, netlist and module are then equal in every clock after a reset: registers that are
//! equal stay equal. This is asked for all values of the registers, also for those that the core
//! never reaches.

use super::aig::{Aig, Lit, Word};
use super::cell;
use super::equal::{Equality, Example, Verdict};
use super::fault::Difference;
use super::gate::{Gate, Origin};
use super::gold::Gold;
use super::rtlil::{Bit, Cell, Module};
use super::sides::{CLK, RST, Sides};
use crate::prove::solver::Solver;
use crate::rtl::{Driver, Instance, Memory, Netlist, Reset};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How much was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Compared {
    /// Bits of registers whose next values are equal.
    pub register_bits: usize,
    /// Bits of output ports.
    pub output_bits: usize,
    /// Words that are the same gates.
    pub by_structure: usize,
    /// Words of which all values were tried.
    pub by_values: usize,
    /// Words that the solver found equal.
    pub by_solver: usize,
}

/// Compares a netlist with what was read of its text.
pub(super) fn compare(
    net: &Netlist,
    reset: Reset,
    module: &Module,
    outputs_of: &HashMap<&str, Vec<&str>>,
    solver: &Solver,
) -> Result<Compared, Difference> {
    let gate = Gate::new(module, outputs_of)?;
    let aig = Aig::new();
    let (gold, equality) = (Gold::new(net), Equality::new(solver));
    let mut sides =
        Sides { net, reset, aig, gold, gate, equality, names: BTreeMap::new(), first: None };
    sides.ports()?;
    sides.registers()?;
    sides.instances()?;
    sides.memories()?;
    sides.wires()?;
    sides.sinks()
}

impl Sides<'_, '_> {
    /// Follows the wires of the netlist. Where the text's wire is equal, both sides go on with the
    /// same gates.
    fn wires(&mut self) -> Result<(), Difference> {
        for id in self.gold.wires() {
            let signal = self.net.signal(id);
            let gold = self.gold.wire(&mut self.aig, id);
            self.share_reads();
            let Some(wire) = self.gate.module.wire(&signal.name) else { continue };
            if self.gate.module.wires[wire].width != gold.len() {
                self.first.get_or_insert(self.same_width(id, wire).expect_err("they differ"));
                continue;
            }
            let bits = self.gate.wire(wire);
            let gate = self.gate_values(&bits)?;
            match self.equality.of(&self.aig, &gold, &gate) {
                Verdict::Equal => {
                    self.equality.know(&gold);
                    for (bit, &lit) in gold.iter().enumerate() {
                        self.gate.set(wire, bit, lit);
                    }
                }
                Verdict::Differ(example) => {
                    let why = format!("is {}", self.shows(&gold, &gate, &example));
                    self.first.get_or_insert(Difference::of(&signal.name, why));
                }
                // An open question matters only where an output or a register cannot be proved
                // without its answer.
                Verdict::Open(_) => {}
            }
        }
        Ok(())
    }

    /// Makes the netlist's reads of memories equal to the text's reads at the same addresses.
    fn share_reads(&mut self) {
        for (number, memory) in self.gold.reads.iter() {
            let name = self.net.memory_of(*number).name.clone();
            let known = self.gate.reads(&name);
            for (address, word) in memory {
                if !known.iter().any(|(other, _)| other == address) {
                    known.push((address.clone(), word.clone()));
                }
            }
        }
    }

    fn gate_values(&mut self, bits: &[Bit]) -> Result<Word, Difference> {
        let equality = &mut self.equality;
        let mut same = |aig: &mut Aig, one: &[Lit], other: &[Lit]| {
            one.len() == other.len() && equality.of(aig, one, other) == Verdict::Equal
        };
        self.gate.values(&mut self.aig, bits, &mut same)
    }

    /// Compares everything that other modules see, and the next values of registers and memories.
    fn sinks(mut self) -> Result<Compared, Difference> {
        let mut compared = Compared::default();
        let net = self.net;
        let module = self.gate.module;
        for (id, signal) in net.signals() {
            let Driver::Register { .. } = signal.driver else { continue };
            let at_once = self.reset == Reset::Async && self.gold.is_reset(id);
            let reset = if at_once { Lit::FALSE } else { self.names[RST][0] };
            let gold = self.gold.next(&mut self.aig, id, reset);
            self.share_reads();
            let wire = module.wire(&signal.name).expect("registers are the same");
            let mut takes = Vec::new();
            for bit in self.gate.wire(wire) {
                let Err(Origin::Cell(cell, _, i)) = self.gate.source(bit)? else {
                    unreachable!("it is a register")
                };
                takes.push(module.cells[cell].port("D")[i]);
            }
            self.must_be_equal(&gold, &takes, &signal.name, "next value")?;
            compared.register_bits += gold.len();
        }
        for (name, id) in net.outputs() {
            let gold = self.gold.signal(*id).clone();
            let wire = module.wire(name).expect("ports are the same");
            let bits = self.gate.wire(wire);
            self.must_be_equal(&gold, &bits, name, "value")?;
            compared.output_bits += gold.len();
        }
        for instance in net.instances() {
            self.instance(instance)?;
        }
        for memory in net.memories() {
            self.memory(memory)?;
        }
        let Equality { by_structure, by_values, by_solver, .. } = self.equality;
        Ok(Compared { by_structure, by_values, by_solver, ..compared })
    }

    fn must_be_equal(
        &mut self,
        gold: &[Lit],
        bits: &[Bit],
        name: &str,
        what: &str,
    ) -> Result<(), Difference> {
        let gate = self.gate_values(bits)?;
        self.words_must_be_equal(gold, &gate, name, what)
    }

    fn words_must_be_equal(
        &mut self,
        gold: &[Lit],
        gate: &[Lit],
        name: &str,
        what: &str,
    ) -> Result<(), Difference> {
        if gate.len() != gold.len() {
            let why = format!("has a {what} of {} bits, and should of {}", gate.len(), gold.len());
            return Err(Difference::of(name, why));
        }
        match self.equality.of(&self.aig, gold, gate) {
            Verdict::Equal => Ok(()),
            Verdict::Differ(example) => {
                let own = format!("has another {what}: {}", self.shows(gold, gate, &example));
                Err(match self.first.take() {
                    // The wire that differs first says where to look.
                    Some(mut first) if first.signal.as_deref() != Some(name) => {
                        first.why += &format!("; so `{name}` has another {what}");
                        first
                    }
                    _ => Difference::of(name, own),
                })
            }
            Verdict::Open(said) => {
                let why = format!(
                    "has a {what} that could not be proved: the solver says {said:?}; write the \
                     expression as `manylane \
                     emit rtl` does"
                );
                Err(Difference::of(name, why))
            }
        }
    }

    /// Describes an example: values of inputs, the values computed from them, and the values that
    /// are due.
    fn shows(&self, gold: &[Lit], gate: &[Lit], example: &Example) -> String {
        let hex = |word: &[Lit]| {
            let bits = self.aig.evaluate(word, example);
            let digit = |bits: &[bool]| {
                let value = bits.iter().rev().fold(0, |sum, &bit| 2 * sum + u32::from(bit));
                char::from_digit(value, 16).expect("it is below 16")
            };
            format!("0x{}", bits.chunks(4).rev().map(digit).collect::<String>())
        };
        let all: Vec<Lit> = gold.iter().chain(gate).copied().collect();
        let cone: HashSet<usize> = self.aig.cone(&all, |_| false).into_iter().collect();
        let is_in = |word: &&Word| word.iter().any(|bit| cone.contains(&bit.node()));
        let read: Vec<(&String, &Word)> =
            self.names.iter().filter(|(_, word)| is_in(word)).collect();
        let shown = read.iter().filter(|(_, word)| word.len() <= 64).take(SHOWN);
        let values: Vec<String> =
            shown.map(|(name, word)| format!("{name} = {}", hex(word))).collect();
        let more = if read.len() > values.len() { " and others" } else { "" };
        let (is, should) = (hex(gate), hex(gold));
        match values.is_empty() {
            true => format!("{is} where it should be {should}"),
            false => format!("{is} where it should be {should}, for {}{more}", values.join(", ")),
        }
    }

    fn instance(&mut self, instance: &Instance) -> Result<(), Difference> {
        let module = self.gate.module;
        let cell = module.cells.iter().find(|cell| cell.name == instance.name);
        let cell = cell.expect("instances are the same");
        let always = [CLK, RST].map(|name| (name.to_owned(), self.names[name].clone()));
        let given = instance.ports.iter();
        let given = given.filter(|(_, id)| self.net.signal(*id).driver != Driver::Instance);
        let given = given.map(|(port, id)| (port.clone(), self.gold.signal(*id).clone()));
        let given: Vec<(String, Word)> = always.into_iter().chain(given).collect();
        for (port, gold) in given {
            let name = format!("{}.{port}", instance.name);
            let bits = cell.port(&port).to_vec();
            if bits.is_empty() {
                return Err(Difference::of(&name, "is not connected"));
            }
            if port == CLK && !self.is_port(&bits, CLK)? {
                return Err(Difference::of(&name, "is something other than `clk`"));
            }
            self.must_be_equal(&gold, &bits, &name, "value")?;
        }
        let ports: HashSet<&str> =
            instance.ports.iter().map(|(port, _)| &port[..]).chain([CLK, RST]).collect();
        match cell.ports.keys().find(|port| !ports.contains(&port[..])) {
            Some(port) => {
                let name = format!("{}.{port}", instance.name);
                Err(Difference::of(&name, "is connected, and should not be"))
            }
            None => Ok(()),
        }
    }

    /// One place where a memory is written: when, where and what.
    fn memory(&mut self, memory: &Memory) -> Result<(), Difference> {
        let module = self.gate.module;
        let name = &memory.name[..];
        let of_memory = |cell: &&Cell| cell::memory(cell) == name;
        let cells: Vec<&Cell> = module.cells.iter().filter(of_memory).collect();
        let is_written = |cell: &&&Cell| cell.kind.starts_with("$memwr");
        if cells.iter().any(|cell| cell.kind.starts_with("$meminit")) {
            let why = "has words before the first clock, which the core does not give it";
            return Err(Difference::of(name, why));
        }
        let writes: Vec<&&Cell> = cells.iter().filter(is_written).collect();
        let [cell] = writes[..] else {
            let why = format!("is written in {} places, and should be in one", writes.len());
            return Err(Difference::of(name, why));
        };
        let on_clock = self.is_port(cell.port("CLK"), CLK)?;
        if cell.number("CLK_ENABLE") != 1 || cell.number("CLK_POLARITY") != 1 || !on_clock {
            return Err(Difference::of(name, "is not written at the rising edge of `clk`"));
        }
        let gold = [memory.address, memory.data, memory.write];
        let [address, data, write] = gold.map(|id| self.gold.signal(id).clone());
        self.must_be_equal(&write.repeat(data.len()), cell.port("EN"), name, "write enable")?;
        // Address and word matter when it is written. Addresses may have zeros above them.
        let width = cell.port("ADDR").len().max(address.len());
        let zeros = std::iter::repeat(Bit::Const(false));
        let bits: Vec<Bit> = cell.port("ADDR").iter().copied().chain(zeros).take(width).collect();
        let address: Word =
            address.into_iter().chain(std::iter::repeat(Lit::FALSE)).take(width).collect();
        for (gold, bits, what) in
            [(address, &bits[..], "address"), (data, cell.port("DATA"), "word")]
        {
            let gate = self.gate_values(bits)?;
            let when = |aig: &mut Aig, word: &[Lit]| -> Word {
                word.iter().map(|&bit| aig.and(write[0], bit)).collect()
            };
            let (gold, gate) = (when(&mut self.aig, &gold), when(&mut self.aig, &gate));
            self.words_must_be_equal(&gold, &gate, name, &format!("written {what}"))?;
        }
        Ok(())
    }
}

/// How many values of an example are shown.
const SHOWN: usize = 3;
