//! A netlist beside the module that yosys read of its text: the same ports, registers, memories and
//! modules inside, and for all values of these the same outputs and next values.
//!
//! That is equality in every clock after a reset, by induction: registers that are equal stay equal.
//! It is asked for all values of the registers, also for those that the core never reaches.

use super::Difference;
use super::aig::{Aig, Lit, Word};
use super::cell;
use super::equal::{Equality, Example, Verdict};
use super::gate::{Gate, Kind, Source, shown};
use super::gold::Gold;
use super::rtlil::{Bit, Cell, Module};
use super::solver::Solver;
use crate::rtl::{Driver, Instance, Memory, Netlist, Reset, SignalId};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

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

struct Sides<'m, 's> {
    net: &'m Netlist,
    reset: Reset,
    aig: Aig,
    gold: Gold<'m>,
    gate: Gate<'m>,
    equality: Equality<'s>,
    /// The inputs of all logic by name: registers, ports, outputs of instances.
    names: BTreeMap<String, Word>,
    /// The first wire that differs.
    first: Option<Difference>,
}

const CLK: &str = "clk";
const RST: &str = "rst";

impl Sides<'_, '_> {
    /// Ports of the same names, directions and widths.
    fn ports(&mut self) -> Result<(), Difference> {
        let inputs = self.net.signals().filter(|(_, signal)| signal.driver == Driver::Input);
        let inputs = inputs.map(|(id, signal)| (&signal.name[..], signal.width, Some(id)));
        let inputs: Vec<_> = [(CLK, 1, None), (RST, 1, None)].into_iter().chain(inputs).collect();
        let outputs = self.net.outputs().iter();
        let outputs = outputs.map(|(name, id)| (&name[..], self.net.signal(*id).width));
        let mut expected: BTreeSet<(String, bool, u32)> =
            outputs.map(|(name, width)| (name.to_owned(), false, width)).collect();
        expected.extend(inputs.iter().map(|(name, width, _)| ((*name).to_owned(), true, *width)));
        let ports = self.gate.module.wires.iter().filter(|wire| wire.is_input || wire.is_output);
        let found: BTreeSet<(String, bool, u32)> = ports
            .map(|wire| (shown(&wire.name).to_owned(), wire.is_input, wire.width as u32))
            .collect();
        let port = |(name, is_input, width): &(String, bool, u32)| {
            let direction = if *is_input { "input" } else { "output" };
            let bits = if *width == 1 { "bit" } else { "bits" };
            (name.clone(), format!("{direction} of {width} {bits}"))
        };
        if let Some((name, what)) = found.difference(&expected).next().map(port) {
            let known = expected.iter().find(|(known, ..)| *known == name).map(port);
            return Err(Difference::of(
                &name,
                match known {
                    Some((_, known)) => format!("is an {what}, and should be an {known}"),
                    None => format!("is a port that the core does not have, an {what}"),
                },
            ));
        }
        if let Some((name, what)) = expected.difference(&found).next().map(port) {
            return Err(Difference::of(&name, format!("is missing: the core has this {what}")));
        }
        for (name, width, id) in inputs {
            let word = self.aig.inputs(width as usize);
            let wire = self.gate.module.wire(name).expect("ports are the same");
            for (bit, &lit) in word.iter().enumerate() {
                self.gate.set_source(Source::Port(wire, bit), lit);
            }
            self.names.insert(name.to_owned(), word.clone());
            if let Some(id) = id {
                self.gold.set(id, word);
            }
        }
        Ok(())
    }

    /// A register for each of the netlist's, and no other, on the same clock and reset.
    fn registers(&mut self) -> Result<(), Difference> {
        let module = self.gate.module;
        if let Some(wire) = module.wires.iter().find(|wire| wire.is_initialized) {
            let why = "has a value before the first clock, which the core does not give it";
            return Err(Difference::of(shown(&wire.name), why));
        }
        let mut taken: HashSet<(usize, usize)> = HashSet::new();
        for (id, signal) in self.net.signals() {
            let Driver::Register { .. } = signal.driver else { continue };
            let name = &signal.name[..];
            let Some(wire) = module.wire(name) else {
                let why = "is missing: the core has a register of that name";
                return Err(Difference::of(name, why));
            };
            self.same_width(id, wire)?;
            let word = self.aig.inputs(signal.width as usize);
            for (bit, of) in self.gate.wire(wire).into_iter().enumerate() {
                let source = match self.gate.source(of)? {
                    Err(source @ Source::Cell(cell, _, i)) if is_register(&module.cells[cell]) => {
                        if !taken.insert((cell, i)) {
                            let why = format!("bit {bit} is the same register as another one");
                            return Err(Difference::of(name, why));
                        }
                        self.on_the_clock(id, &module.cells[cell], i)?;
                        source
                    }
                    _ => {
                        let why = format!("is no register (bit {bit} does not wait for the clock)");
                        return Err(Difference::of(name, why));
                    }
                };
                self.gate.set_source(source, word[bit]);
            }
            self.names.insert(name.to_owned(), word.clone());
            self.gold.set(id, word);
        }
        let read = self.gate.read_bits();
        for (number, cell) in module.cells.iter().enumerate().filter(|(_, cell)| is_register(cell))
        {
            // yosys leaves a register behind each port at which a memory is written.
            let is_unread = |bit: &Bit| match *bit {
                Bit::Wire(wire, _) => {
                    !module.wires[wire].name.starts_with('\\') && !read.contains(bit)
                }
                Bit::Const(_) | Bit::Unknown => false,
            };
            if cell.port("Q").iter().all(is_unread) {
                continue;
            }
            let mut bits = cell.port("Q").iter().enumerate();
            if let Some((_, bit)) = bits.find(|(i, _)| !taken.contains(&(number, *i))) {
                let why = "is a register that the core does not have".to_owned();
                return Err(Difference { signal: self.name_of(*bit), why });
            }
        }
        Ok(())
    }

    /// A name that the source has for a bit.
    fn name_of(&self, bit: Bit) -> Option<String> {
        let module = self.gate.module;
        let origin = self.gate.source(bit);
        let is_named = |&wire: &usize| module.wires[wire].name.starts_with('\\');
        let carries = |&wire: &usize| {
            self.gate.wire(wire).iter().any(|&of| of == bit || self.gate.source(of) == origin)
        };
        let named: Vec<usize> = (0..module.wires.len()).filter(is_named).filter(carries).collect();
        // What GHDL made is called n123_q.
        let of_source = |&&wire: &&usize| {
            let name = shown(&module.wires[wire].name);
            !(name.starts_with('n') && name.ends_with(['q', 'o']) && name.contains('_'))
        };
        let wire = *named.iter().find(of_source).or(named.first())?;
        Some(shown(&module.wires[wire].name).to_owned())
    }

    fn same_width(&self, id: SignalId, wire: usize) -> Result<(), Difference> {
        let signal = self.net.signal(id);
        let width = self.gate.module.wires[wire].width;
        match width == signal.width as usize {
            true => Ok(()),
            false => {
                let why = format!("has {width} bits, and should have {}", signal.width);
                Err(Difference::of(&signal.name, why))
            }
        }
    }

    /// Whether a bit is a port of one bit.
    fn is_port(&self, bits: &[Bit], name: &str) -> Result<bool, Difference> {
        let wire = self.gate.module.wire(name).expect("ports are the same");
        let [bit] = *bits else { return Ok(false) };
        Ok(self.gate.source(bit)? == Err(Source::Port(wire, 0)))
    }

    fn on_the_clock(&self, id: SignalId, cell: &Cell, i: usize) -> Result<(), Difference> {
        let name = &self.net.signal(id).name;
        let wrong = |why: &str| Err(Difference::of(name, why));
        if !self.is_port(cell.port("CLK"), CLK)? {
            return wrong("takes its value at the edge of something other than `clk`");
        }
        if cell.number("CLK_POLARITY") != 1 {
            return wrong(
                "takes its value at the falling edge of `clk`, and should at the rising one",
            );
        }
        let at_once = cell.kind == "$adff";
        let should = self.reset == Reset::Async && self.gold.is_reset(id);
        match (at_once, should) {
            (true, false) => return wrong("is reset at once, and should not be"),
            (false, true) => return wrong("is not reset at once, and should be"),
            (false, false) => return Ok(()),
            (true, true) => {}
        }
        if !self.is_port(cell.port("ARST"), RST)? || cell.number("ARST_POLARITY") != 1 {
            return wrong("is reset by something other than `rst`");
        }
        match cell.number_bit("ARST_VALUE", i) {
            Some(false) => Ok(()),
            _ => wrong("is not 0 after a reset"),
        }
    }

    /// The cells of instances of the netlist, by their places in it.
    fn instances(&mut self) -> Result<(), Difference> {
        let module = self.gate.module;
        let cells: Vec<(usize, &Cell)> = module
            .cells
            .iter()
            .enumerate()
            .filter(|(_, cell)| cell::kind(cell) == Some(Kind::Instance))
            .collect();
        let instances = self.net.instances();
        let is = |instance: &Instance, cell: &Cell| {
            instance.name == cell.name && instance.module == cell.kind[1..]
        };
        if let Some((_, cell)) =
            cells.iter().find(|(_, cell)| !instances.iter().any(|instance| is(instance, cell)))
        {
            let why = format!("is an instance of {} that the core does not have", &cell.kind[1..]);
            return Err(Difference::of(&cell.name, why));
        }
        for instance in instances {
            let Some(&(cell, _)) = cells.iter().find(|(_, cell)| is(instance, cell)) else {
                let why = format!("is missing: an instance of {}", instance.module);
                return Err(Difference::of(&instance.name, why));
            };
            for (port, id) in &instance.ports {
                let signal = self.net.signal(*id);
                if signal.driver != Driver::Instance {
                    continue;
                }
                let word = self.aig.inputs(signal.width as usize);
                if let Some(number) = self.gate.instance_port(cell, port) {
                    for (bit, &lit) in word.iter().enumerate() {
                        self.gate.set_source(Source::Instance(cell, number, bit), lit);
                    }
                }
                self.names.insert(signal.name.clone(), word.clone());
                self.gold.set(*id, word);
            }
        }
        Ok(())
    }

    /// Memories of the same names and sizes, and no others that are written.
    fn memories(&mut self) -> Result<(), Difference> {
        let module = self.gate.module;
        for memory in &module.memories {
            if self.net.memories().iter().any(|known| known.name == memory.name) {
                continue;
            }
            if cell::table(module, memory)?.is_none() {
                let why = "is a memory that the core does not have";
                return Err(Difference::of(&memory.name, why));
            }
        }
        for memory in self.net.memories() {
            let Some(found) = module.memories.iter().find(|found| found.name == memory.name) else {
                return Err(Difference::of(
                    &memory.name,
                    "is missing: the core has a memory there",
                ));
            };
            if (found.width, found.size, found.offset) != (memory.width as usize, memory.depth, 0) {
                let why = format!(
                    "has {} words of {} bits from number {}, and should have {} of {} from 0",
                    found.size, found.width, found.offset, memory.depth, memory.width
                );
                return Err(Difference::of(&memory.name, why));
            }
        }
        Ok(())
    }

    /// Follows the wires of the netlist. Where the text's are equal both sides go on with the same.
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
                // It matters only where an output or a register cannot be proved without it.
                Verdict::Open(_) => {}
            }
        }
        Ok(())
    }

    /// The words that the netlist reads of memories are those that the text does at these addresses.
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

    /// Everything that others see of the module, and what its registers and memories take.
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
                let Err(Source::Cell(cell, _, i)) = self.gate.source(bit)? else {
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
                    "has a {what} that could not be proved: the solver says {said:?}; write the expression as `manylane \
                     emit rtl` does"
                );
                Err(Difference::of(name, why))
            }
        }
    }

    /// Values, and what they should be, for some values of what they depend on.
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

fn is_register(cell: &Cell) -> bool {
    cell::kind(cell) == Some(Kind::Register)
}

/// How many values of an example are shown.
const SHOWN: usize = 3;
