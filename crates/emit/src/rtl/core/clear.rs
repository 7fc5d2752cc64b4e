//! Nothing stays: while no block is under way and none is offered, every register is held at zero.

use super::Maker;
use crate::rtl::netlist::{Driver, Expr, SignalId, Value};
use manylane_graph::Op;

impl Maker<'_> {
    /// The port that clears at once, and what else clears. Returns whether a block may be taken.
    ///
    /// ```text
    ///  clear ─────────────────────────────────┐
    ///  a block under way? ──► ¬ ─┐            ├─ or ──► zero
    ///  in_valid ────────────► ¬ ─┴─ and ──────┘
    /// ```
    ///
    /// A block behind another overwrites what that one has left, stage by stage, and the last one
    /// leaves the core idle. So what is cleared is what no block would overwrite, and nobody waits
    /// for it. The alternative, a stage that clears itself behind each block, costs a gate before
    /// every register and clears no sooner than the next block would.
    pub(super) fn clear(&mut self, offered: SignalId) -> Value {
        let section = self.net.section("Control");
        let clear = self.net.add(section, "clear", 1, Driver::Input);
        self.start_at(self.stages, 0);
        let busy = self.busy.iter().map(|&signal| Value::Signal(signal)).collect();
        let busy = self.wire(section, "busy", 1, Expr::Op(Op::Or, busy));
        let [idle, none] = [("idle", busy), ("none_offered", Value::Signal(offered))]
            .map(|(name, value)| self.wire(section, name, 1, Expr::Op(Op::Not, vec![value])));
        let rests = self.wire(section, "rests", 1, Expr::Op(Op::And, vec![idle, none]));
        let zero = Expr::Op(Op::Or, vec![Value::Signal(clear), rests]);
        self.net.zero = Some(self.net.add(section, "zero", 1, Driver::Wire(zero)));
        self.wire(section, "not_cleared", 1, Expr::Op(Op::Not, vec![Value::Signal(clear)]))
    }
}
