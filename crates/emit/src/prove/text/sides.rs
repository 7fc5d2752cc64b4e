//! A netlist and the module that yosys read of its text, over the same inputs.

use super::aig::{Aig, Word};
use super::equal::Equality;
use super::fault::Difference;
use super::gate::{Gate, Origin};
use super::gold::Gold;
use super::rtlil::Bit;
use crate::rtl::{Netlist, Reset, SignalId};
use std::collections::BTreeMap;

/// The name of the clock's port.
pub(super) const CLK: &str = "clk";

/// The name of the reset's port.
pub(super) const RST: &str = "rst";

/// The netlist and the module, over the same inputs.
pub(super) struct Sides<'m, 's> {
    pub(super) net: &'m Netlist,
    pub(super) reset: Reset,
    pub(super) aig: Aig,
    /// The netlist's side.
    pub(super) gold: Gold<'m>,
    /// The side of the module that yosys read.
    pub(super) gate: Gate<'m>,
    pub(super) equality: Equality<'s>,
    /// The inputs of all logic by name: registers, ports, outputs of instances.
    pub(super) names: BTreeMap<String, Word>,
    /// The first wire that differs.
    pub(super) first: Option<Difference>,
}

impl Sides<'_, '_> {
    /// Checks that a signal of the netlist and a wire of the module have as many bits.
    pub(super) fn same_width(&self, id: SignalId, wire: usize) -> Result<(), Difference> {
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
    pub(super) fn is_port(&self, bits: &[Bit], name: &str) -> Result<bool, Difference> {
        let wire = self.gate.module.wire(name).expect("ports are the same");
        let [bit] = *bits else { return Ok(false) };
        Ok(self.gate.source(bit)? == Err(Origin::Port(wire, 0)))
    }
}
