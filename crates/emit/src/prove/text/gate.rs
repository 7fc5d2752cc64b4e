//! The logic of a module as yosys read it: its registers and memories, and the value of any wire
//! over them and the ports.

use super::aig::{Aig, Lit, Word};
use super::cell::{self, CellKind, Questions, Same};
use super::fault::Difference;
use super::rtlil::{Bit, Cell, Module};
use std::collections::{HashMap, HashSet};

/// The origin of a bit's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// A constant.
    Const(bool),
    /// A bit of a wire that is a port of the module.
    Port(usize, usize),
    /// A bit of an output port of a cell: its number, the bit.
    Cell(usize, &'static str, usize),
    /// A bit of an output of an instance: its number, the number of its port, the bit.
    Instance(usize, usize, usize),
    /// Nothing drives it.
    Unknown,
}

/// A module that can be asked for values.
pub(super) struct Gate<'m> {
    pub(super) module: &'m Module,
    /// The driver of each bit of each wire.
    drivers: Vec<Vec<Option<Driver>>>,
    /// The ports of each instance, in alphabetical order.
    instance_ports: HashMap<usize, Vec<String>>,
    /// Values that are known: those of bits, where they were set, and of cells' outputs.
    bits: HashMap<(usize, usize), Lit>,
    cells: HashMap<usize, Word>,
    sources: HashMap<Origin, Lit>,
    /// For each read of a memory so far: its address and its word.
    reads: HashMap<String, Vec<(Word, Word)>>,
    /// Bits at an index beyond the end of a word, by the word and the index.
    beyond: HashMap<(Word, Word), Lit>,
}

#[derive(Clone, Copy, Debug)]
enum Driver {
    Port,
    Bit(Bit),
    Cell(usize, &'static str, usize),
    Instance(usize, usize, usize),
}

impl<'m> Gate<'m> {
    /// A module and the modules that may be inside, whose outputs are `outputs_of`.
    pub(super) fn new(
        module: &'m Module,
        outputs_of: &HashMap<&str, Vec<&str>>,
    ) -> Result<Self, Difference> {
        let none = module.wires.iter().map(|wire| vec![None; wire.width]).collect();
        let mut gate = Self {
            module,
            drivers: none,
            instance_ports: HashMap::new(),
            bits: HashMap::new(),
            cells: HashMap::new(),
            sources: HashMap::new(),
            reads: HashMap::new(),
            beyond: HashMap::new(),
        };
        for (number, wire) in module.wires.iter().enumerate() {
            if wire.is_input && wire.is_output {
                return Err(Difference::of(shown(&wire.name), "is an inout"));
            }
            for bit in 0..if wire.is_input { wire.width } else { 0 } {
                gate.drive(Bit::Wire(number, bit), Driver::Port)?;
            }
        }
        for (number, cell) in module.cells.iter().enumerate() {
            match cell::kind(cell) {
                Some(CellKind::Instance) => {
                    let module = &cell.kind[1..];
                    let outputs = outputs_of.get(module).ok_or_else(|| {
                        let why =
                            format!("is an instance of {module}, which the core does not have");
                        Difference::of(&cell.name, why)
                    })?;
                    let mut ports: Vec<String> = cell.ports.keys().cloned().collect();
                    ports.sort();
                    for (i, port) in ports.iter().enumerate() {
                        for (bit, &of) in cell.port(port).iter().enumerate() {
                            if outputs.contains(&&port[..]) {
                                gate.drive(of, Driver::Instance(number, i, bit))?;
                            }
                        }
                    }
                    gate.instance_ports.insert(number, ports);
                }
                Some(CellKind::Write) => {}
                Some(kind) => {
                    let port = cell::output(kind);
                    for (bit, &of) in cell.port(port).iter().enumerate() {
                        gate.drive(of, Driver::Cell(number, port, bit))?;
                    }
                }
                None => {
                    let what = cell::unknown(cell);
                    return Err(gate.at(number, what));
                }
            }
        }
        for (left, right) in &module.connections {
            for (&left, &right) in left.iter().zip(right) {
                gate.drive(left, Driver::Bit(right))?;
            }
        }
        Ok(gate)
    }

    fn drive(&mut self, bit: Bit, driver: Driver) -> Result<(), Difference> {
        let Bit::Wire(wire, bit) = bit else {
            let why = "something drives a constant".to_owned();
            return Err(Difference { signal: None, why });
        };
        let place = &mut self.drivers[wire][bit];
        match place.replace(driver) {
            None => Ok(()),
            Some(_) => {
                let name = shown(&self.module.wires[wire].name);
                Err(Difference::of(name, format!("has two drivers (bit {bit})")))
            }
        }
    }

    /// The difference at a cell, about a wire of the source that is connected to it, preferably to
    /// its output.
    fn at(&self, cell: usize, why: String) -> Difference {
        let wires = self.module.cells[cell].ports.iter().flat_map(|(port, bits)| {
            let is_input = !matches!(&port[..], "Q" | "Y" | "DATA");
            bits.iter().filter_map(move |bit| match bit {
                Bit::Wire(wire, _) => Some((is_input, *wire)),
                Bit::Const(_) | Bit::Unknown => None,
            })
        });
        let is_of_source = |wire: usize| self.module.wires[wire].name.starts_with('\\');
        let first = wires.filter(|(_, wire)| is_of_source(*wire)).min();
        let signal = first.map(|(_, wire)| shown(&self.module.wires[wire].name).to_owned());
        Difference { signal, why }
    }

    /// The origin of a bit's value, or the value that was set on the way there.
    pub(super) fn source(&self, bit: Bit) -> Result<Result<Lit, Origin>, Difference> {
        let mut bit = bit;
        // A path through more connections than there are is a cycle.
        for _ in 0..=self.module.wires.len() + self.module.connections.len() {
            let (wire, i) = match bit {
                Bit::Wire(wire, i) => (wire, i),
                Bit::Const(value) => return Ok(Err(Origin::Const(value))),
                Bit::Unknown => return Ok(Err(Origin::Unknown)),
            };
            if let Some(&lit) = self.bits.get(&(wire, i)) {
                return Ok(Ok(lit));
            }
            match self.drivers[wire][i] {
                None => return Ok(Err(Origin::Unknown)),
                Some(Driver::Port) => return Ok(Err(Origin::Port(wire, i))),
                Some(Driver::Cell(cell, port, i)) => return Ok(Err(Origin::Cell(cell, port, i))),
                Some(Driver::Instance(cell, port, i)) => {
                    return Ok(Err(Origin::Instance(cell, port, i)));
                }
                Some(Driver::Bit(next)) => bit = next,
            }
        }
        Err(self.goes_round(bit))
    }

    fn goes_round(&self, bit: Bit) -> Difference {
        let signal = match bit {
            Bit::Wire(wire, _) => Some(shown(&self.module.wires[wire].name).to_owned()),
            Bit::Const(_) | Bit::Unknown => None,
        };
        Difference { signal, why: GOES_ROUND.to_owned() }
    }

    /// Sets the value of a bit of a wire.
    pub(super) fn set(&mut self, wire: usize, bit: usize, lit: Lit) {
        self.bits.insert((wire, bit), lit);
    }

    /// Sets the value of a source.
    pub(super) fn set_source(&mut self, source: Origin, lit: Lit) {
        self.sources.insert(source, lit);
    }

    /// Returns the reads of a memory so far: addresses and words.
    pub(super) fn reads(&mut self, memory: &str) -> &mut Vec<(Word, Word)> {
        self.reads.entry(memory.to_owned()).or_default()
    }

    /// All bits that a cell or a connection reads.
    pub(super) fn read_bits(&self) -> HashSet<Bit> {
        let of_cell = |cell: &'m Cell| {
            let output = cell::kind(cell).map_or("", cell::output);
            let inputs = cell.ports.iter().filter(move |(port, _)| *port != output);
            inputs.flat_map(|(_, bits)| bits.iter().copied())
        };
        let by_cells = self.module.cells.iter().flat_map(of_cell);
        let connected = self.module.connections.iter();
        by_cells.chain(connected.flat_map(|(_, right)| right.iter().copied())).collect()
    }

    /// The number of the port of this name among an instance's ports.
    pub(super) fn instance_port(&self, cell: usize, name: &str) -> Option<usize> {
        self.instance_ports.get(&cell)?.iter().position(|port| port == name)
    }

    /// All bits of a wire.
    pub(super) fn wire(&self, wire: usize) -> Vec<Bit> {
        (0..self.module.wires[wire].width).map(|bit| Bit::Wire(wire, bit)).collect()
    }

    /// The values of bits. A bit without a driver may have any value.
    pub(super) fn values(
        &mut self,
        aig: &mut Aig,
        bits: &[Bit],
        same: &mut Same<'_>,
    ) -> Result<Word, Difference> {
        let mut open: HashSet<usize> = HashSet::new();
        let mut stack: Vec<usize> = Vec::new();
        stack.extend(self.waits_for(bits)?);
        while let Some(&cell) = stack.last() {
            if self.cells.contains_key(&cell) {
                stack.pop();
                continue;
            }
            let inputs = cell::inputs(&self.module.cells[cell]);
            let waits: Vec<usize> = self.waits_for(&inputs)?;
            if waits.is_empty() {
                let word = self.compute(aig, cell, same)?;
                self.cells.insert(cell, word);
                stack.pop();
            } else if !open.insert(cell) {
                return Err(self.at(cell, GOES_ROUND.to_owned()));
            } else {
                stack.extend(waits);
            }
        }
        bits.iter().map(|&bit| self.value(aig, bit)).collect()
    }

    /// The cells that have no value yet and on which bits depend directly.
    fn waits_for(&self, bits: &[Bit]) -> Result<Vec<usize>, Difference> {
        let mut waits = Vec::new();
        for &bit in bits {
            if let Err(source @ Origin::Cell(cell, ..)) = self.source(bit)?
                && !self.sources.contains_key(&source)
                && cell::kind(&self.module.cells[cell]) != Some(CellKind::Register)
                && !self.cells.contains_key(&cell)
                && !waits.contains(&cell)
            {
                waits.push(cell);
            }
        }
        Ok(waits)
    }

    fn value(&mut self, aig: &mut Aig, bit: Bit) -> Result<Lit, Difference> {
        let source = match self.source(bit)? {
            Ok(lit) => return Ok(lit),
            Err(source) => source,
        };
        if let Some(&lit) = self.sources.get(&source) {
            return Ok(lit);
        }
        Ok(match source {
            Origin::Const(value) => Lit::constant(value),
            Origin::Unknown => aig.input(),
            Origin::Cell(cell, _, i) if self.cells.contains_key(&cell) => {
                // A bit that its cell leaves undefined may have any value.
                self.cells[&cell].get(i).copied().unwrap_or_else(|| aig.input())
            }
            Origin::Cell(..) | Origin::Port(..) | Origin::Instance(..) => {
                let lit = aig.input();
                self.sources.insert(source, lit);
                lit
            }
        })
    }

    fn compute(
        &mut self,
        aig: &mut Aig,
        number: usize,
        same: &mut Same<'_>,
    ) -> Result<Word, Difference> {
        let module = self.module;
        let cell = &module.cells[number];
        if cell::kind(cell) == Some(CellKind::Read) {
            let address = self.port(aig, cell, "ADDR")?;
            return self.read(aig, cell, &address, same);
        }
        let mut ports = HashMap::new();
        for port in cell.ports.keys().filter(|port| *port != cell::output(CellKind::Logic)) {
            ports.insert(&port[..], self.port(aig, cell, port)?);
        }
        let beyond = &mut self.beyond;
        let mut beyond = |aig: &mut Aig, word: &[Lit], number: &[Lit]| {
            *beyond.entry((word.to_vec(), number.to_vec())).or_insert_with(|| aig.input())
        };
        let mut same = |aig: &mut Aig, one: &[Lit], other: &[Lit]| same(aig, one, other);
        let mut questions = Questions { beyond: &mut beyond, same: &mut same };
        cell::logic(aig, cell, &ports, &mut questions).map_err(|why| self.at(number, why))
    }

    fn port(&mut self, aig: &mut Aig, cell: &Cell, port: &str) -> Result<Word, Difference> {
        cell.port(port).iter().map(|&bit| self.value(aig, bit)).collect()
    }

    /// The word of a memory at an address. A memory that nothing writes is a table.
    fn read(
        &mut self,
        aig: &mut Aig,
        cell: &Cell,
        address: &[Lit],
        same: &mut Same<'_>,
    ) -> Result<Word, Difference> {
        let name = cell::memory(cell);
        let module = self.module;
        let memory = module.memories.iter().find(|memory| memory.name == name);
        let memory = memory.ok_or_else(|| Difference::of(name, "is no memory"))?;
        if let Some(table) = cell::table(module, memory)? {
            let beyond = aig.inputs(memory.width);
            return Ok(aig.look_up(&table, address, &beyond));
        }
        let address = without_zeros(address);
        let known = self.reads.get(name).cloned().unwrap_or_default();
        for (other, word) in known {
            if other.len() == address.len() && same(aig, &other, &address) {
                return Ok(word);
            }
        }
        let word = aig.inputs(memory.width);
        let name = name.to_owned();
        self.reads(&name).push((address, word.clone()));
        Ok(word)
    }
}

/// A number without zeros above it.
pub(super) fn without_zeros(number: &[Lit]) -> Word {
    let zeros = number.iter().rev().take_while(|&&bit| bit == Lit::FALSE).count();
    number[..number.len() - zeros].to_vec()
}

const GOES_ROUND: &str = "depends on itself within a clock";

/// A name as the source has it.
pub(super) fn shown(name: &str) -> &str {
    name.trim_start_matches('\\')
}
