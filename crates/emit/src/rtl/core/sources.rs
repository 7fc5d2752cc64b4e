//! The operands of the first turns and of the ending: inputs of the compression and values computed
//! from them.

use super::architecture::Microarchitecture;
use super::chaining::Chain;
use super::control::Control;
use super::inputs::{Carried, Inputs};
use super::window::Window;
use crate::rtl::netlist::{Expr, Netlist, SignalId, Value};
use manylane_graph::{NodeId, Op};
use std::collections::HashMap;

/// The inputs of a block wherever they are kept, and the nodes before the rounds.
#[derive(Debug)]
pub(super) struct Sources<'m> {
    arch: &'m Microarchitecture<'m>,
    inputs: Inputs<'m>,
    /// Words of message in memory, if they are kept there.
    pub(super) window: Option<Window<'m>>,
    /// Nodes before the rounds, by clock.
    opened: HashMap<(NodeId, i64), Value>,
}

impl<'m> Sources<'m> {
    /// Sources of which no node has been computed.
    pub(super) fn new(
        arch: &'m Microarchitecture<'m>,
        inputs: Inputs<'m>,
        window: Option<Window<'m>>,
    ) -> Self {
        Self { arch, inputs, window, opened: HashMap::new() }
    }

    /// A node before the rounds, in clock `time`.
    pub(super) fn opening(
        &mut self,
        net: &mut Netlist,
        control: &mut Control<'_>,
        node: NodeId,
        time: i64,
    ) -> Value {
        let asked = self.arch.asked;
        let op = asked.compression().op(node);
        match op {
            Op::Const(value) => return Value::Const(value),
            Op::Input(_) => return self.input_at(net, control, node, time),
            _ => {}
        }
        if let Some(&known) = self.opened.get(&(node, time)) {
            return known;
        }
        let args = asked.compression().args(node).iter();
        let args = args.map(|&arg| self.opening(net, control, arg, time)).collect();
        let section = net.section("Opening");
        let (name, width) = (format!("open_{}{}", op.name(), node.0), asked.width(node));
        let value = net.wire(section, &name, width, Expr::Op(op, args)).into();
        self.opened.insert((node, time), value);
        value
    }

    /// An input of the compression in clock `time`.
    pub(super) fn input_at(
        &mut self,
        net: &mut Netlist,
        control: &mut Control<'_>,
        node: NodeId,
        time: i64,
    ) -> Value {
        let place = self.arch.recurrences.sequence.get(&node).copied();
        match &mut self.window {
            Some(window) if self.arch.asked.is_in_memory(node) => window.word_at(net, place, time),
            // Words of a message schedule's window are not kept elsewhere.
            _ if place.is_some() => self.inputs.passing(net, node, time),
            _ => self.carried(net, control, Carried::Input(node), time).into(),
        }
    }

    /// A value that accompanies a block, in clock `time`.
    pub(super) fn carried(
        &mut self,
        net: &mut Netlist,
        control: &mut Control<'_>,
        what: Carried,
        time: i64,
    ) -> SignalId {
        self.inputs.at(net, control, what, time)
    }

    /// The chaining value out of memory, for an ending that takes it in clock `time`.
    pub(super) fn chain(&self, net: &mut Netlist, control: &mut Control<'_>, time: i64) -> Chain {
        Chain::new(self.arch.asked, &self.arch.times, net, control, &self.inputs, time)
    }
}
