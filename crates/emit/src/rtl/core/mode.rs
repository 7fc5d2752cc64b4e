//! The parts of a core in which its modes differ.

use super::columns::merged;
use crate::rtl::modes::Mode;
use crate::rtl::netlist::{Expr, Netlist, SignalId, Value};
use manylane_graph::Op;

/// A choice by the mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByMode<'m> {
    pub(super) modes: &'m [Mode],
    /// The number of the mode.
    pub(super) mode: SignalId,
}

impl ByMode<'_> {
    /// A word of the chaining value: that of the port, or for a message's first block that of the
    /// mode.
    pub(super) fn started(
        self,
        net: &mut Netlist,
        section: usize,
        (i, name, width): (usize, &str, u32),
        first: SignalId,
        given: Expr,
    ) -> SignalId {
        let given = net.wire(section, &format!("given_{name}"), width, given);
        let values = self.modes.iter().map(|mode| Value::Const(mode.initial[i]));
        let then = self.choose(net, section, &format!("first_{name}"), width, values);
        let chosen = Expr::Choose { condition: first, then, otherwise: given.into() };
        net.wire(section, name, width, chosen)
    }

    /// A word of the chaining value, with 0 in the bits that do not belong to the mode's digest.
    pub(super) fn masked(
        self,
        net: &mut Netlist,
        section: usize,
        (i, word): (usize, SignalId),
    ) -> SignalId {
        let width = net.signal(word).width;
        let masks = self.modes.iter().map(|mode| Value::Const(mode.mask[i]));
        match self.choose(net, section, &format!("mask{i}"), width, masks) {
            Value::Const(mask) if mask == u64::MAX >> (64 - width) => word,
            mask => {
                let masked = Expr::Op(Op::And, vec![word.into(), mask]);
                net.wire(section, &format!("digest{i}"), width, masked)
            }
        }
    }

    /// The value of the mode among these values. A number that is no mode's chooses the last.
    fn choose(
        self,
        net: &mut Netlist,
        section: usize,
        name: &str,
        width: u32,
        values: impl Iterator<Item = Value>,
    ) -> Value {
        let last = self.modes.len() as u32 - 1;
        let mut arms = merged((0..).map(|n| vec![n]).zip(values).collect());
        arms.sort_by_key(|(modes, _)| modes.contains(&last));
        match arms[..] {
            [(_, value)] => value,
            _ => {
                let select = Expr::Select { selector: self.mode, arms };
                net.wire(section, name, width, select).into()
            }
        }
    }
}
