//! The control of a core, cut out of it.

use crate::prove::{Claim, Error};
use crate::rtl::{Driver, Expr, Netlist, SignalId, Value};
use std::collections::{BTreeSet, HashMap};

/// The part of a core that its handshakes and its tag depend on.
pub(super) struct Control {
    /// The logic that was copied.
    pub(super) net: Netlist,
    /// Pairs of registers: in the core, and here.
    pub(super) registers: Vec<(SignalId, SignalId)>,
    /// Number of bits that represent the data of the result.
    pub(super) data: u32,
}

impl Control {
    /// Copies the logic that the handshakes, the tag and the core's clear depend on into a netlist.
    pub(super) fn new(claim: &Claim<'_>) -> Result<Self, Error> {
        let from = &claim.core.netlist;
        let mut tops = Vec::new();
        for port in ["in_ready", "out_valid", "out_tag"] {
            tops.push((port, claim.output(port)?));
        }
        let kept = tops.iter().map(|(_, signal)| *signal).chain(from.enable).chain(from.zero);
        let kept = cone(from, kept.chain([claim.input("in_valid")?, claim.input("in_tag")?]), true);
        let new: HashMap<SignalId, SignalId> =
            kept.iter().copied().zip((0..).map(SignalId)).collect();
        let mut net = Netlist::new("control");
        let section = net.section("Control");
        let mut registers = Vec::new();
        for (signal, new_signal) in kept.iter().map(|old| (from.signal(*old), new[old])) {
            let driver = match &signal.driver {
                Driver::Wire(expr) => Driver::Wire(expr.map(&mut |signal| new[&signal])),
                Driver::Register { next, load, reset } => Driver::Register {
                    next: next.as_ref().map(|next| next.map(&mut |signal| new[&signal])),
                    load: load.map(|load| new[&load]),
                    reset: *reset,
                },
                Driver::Input | Driver::Instance => Driver::Input,
            };
            let added = net.add(section, &signal.name, signal.width, driver);
            assert_eq!(added, new_signal, "signals keep their order");
        }
        let is_register = |&&old: &&_| matches!(from.signal(old).driver, Driver::Register { .. });
        registers.extend(kept.iter().filter(is_register).map(|old| (*old, new[old])));
        net.enable = from.enable.map(|enable| new[&enable]);
        net.zero = from.zero.map(|zero| new[&zero]);
        for (port, signal) in tops {
            net.output(port, new[&signal]);
        }
        // A function of registers keeps its value as long as the registers keep theirs.
        let data = result_registers(claim)?.len() as u32;
        let any = net.add(section, "any", data, Driver::Input);
        let next = Some(Expr::Value(Value::Signal(any)));
        let result = Driver::Register { next, load: None, reset: false };
        let result = net.add(section, "result", data, result);
        net.output("out_chain", result);
        Ok(Self { net, registers, data })
    }
}

/// The registers that `out_chain` is a function of.
fn result_registers(claim: &Claim<'_>) -> Result<Vec<SignalId>, Error> {
    let net = &claim.core.netlist;
    let cone = cone(net, [claim.output("out_chain")?].into_iter(), false);
    let mut registers = Vec::new();
    for signal in cone {
        match &net.signal(signal).driver {
            Driver::Register { .. } => registers.push(signal),
            Driver::Wire(_) => {}
            Driver::Input | Driver::Instance => {
                let name = &net.signal(signal).name;
                return Err(Error::Control(format!(
                    "out_chain depends on {name} in its own clock"
                )));
            }
        }
    }
    Ok(registers)
}

/// The cone of some signals, in the netlist's order: the signals on which they depend within a
/// clock or, if `through_registers`, at all.
pub(in super::super) fn cone(
    net: &Netlist,
    tops: impl Iterator<Item = SignalId>,
    through_registers: bool,
) -> BTreeSet<SignalId> {
    let (mut cone, mut open) = (BTreeSet::new(), tops.collect::<Vec<_>>());
    while let Some(signal) = open.pop() {
        if !cone.insert(signal) {
            continue;
        }
        match &net.signal(signal).driver {
            Driver::Wire(expr) => open.extend(expr.signals()),
            Driver::Register { next, load, .. } if through_registers => {
                open.extend(next.iter().flat_map(Expr::signals).chain(*load));
            }
            Driver::Register { .. } | Driver::Input | Driver::Instance => {}
        }
    }
    cone
}
