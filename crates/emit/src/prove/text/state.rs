//! Pairs the state and the boundary of both sides: ports, registers, memories and modules inside.

use super::cell::{self, CellKind};
use super::fault::Difference;
use super::gate::{Origin, shown};
use super::rtlil::{Bit, Cell};
use super::sides::{CLK, RST, Sides};
use crate::rtl::{Driver, Instance, Reset, SignalId};
use std::collections::{BTreeSet, HashSet};

impl Sides<'_, '_> {
    /// Checks that both sides have ports of the same names, directions and widths, and gives the
    /// inputs common values.
    pub(super) fn ports(&mut self) -> Result<(), Difference> {
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
                self.gate.set_source(Origin::Port(wire, bit), lit);
            }
            self.names.insert(name.to_owned(), word.clone());
            if let Some(id) = id {
                self.gold.set(id, word);
            }
        }
        Ok(())
    }

    /// Checks that the module has each register of the netlist, on the same clock and reset, and no
    /// other, and gives both the same value.
    pub(super) fn registers(&mut self) -> Result<(), Difference> {
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
                    Err(source @ Origin::Cell(cell, _, i)) if is_register(&module.cells[cell]) => {
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

    /// Checks that the module has each instance of the netlist and no other, and gives their
    /// outputs common values.
    pub(super) fn instances(&mut self) -> Result<(), Difference> {
        let module = self.gate.module;
        let cells: Vec<(usize, &Cell)> = module
            .cells
            .iter()
            .enumerate()
            .filter(|(_, cell)| cell::kind(cell) == Some(CellKind::Instance))
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
                        self.gate.set_source(Origin::Instance(cell, number, bit), lit);
                    }
                }
                self.names.insert(signal.name.clone(), word.clone());
                self.gold.set(*id, word);
            }
        }
        Ok(())
    }

    /// Checks that both sides have memories of the same names and sizes, and the module no others
    /// but constant tables.
    pub(super) fn memories(&mut self) -> Result<(), Difference> {
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
}

fn is_register(cell: &Cell) -> bool {
    cell::kind(cell) == Some(CellKind::Register)
}
