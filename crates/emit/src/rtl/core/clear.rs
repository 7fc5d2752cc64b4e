//! Clearing: while no block is under way and none is offered, every register is held at zero.

use super::control::Control;
use super::timetable::Timetable;
use crate::rtl::netlist::{Driver, Expr, Netlist, SignalId};
use manylane_graph::Op;

/// Makes the port that clears at once, and the clearing of an idle core. Returns the signal that
/// says whether a block may be taken.
///
/// ```text
///  clear ─────────────────────────────────┐
///  a block under way? ──► ¬ ─┐            ├─ or ──► zero
///  in_valid ────────────► ¬ ─┴─ and ──────┘
/// ```
///
/// A block behind another overwrites what that one has left, stage by stage, and after the last
/// block the core is idle. So only what no later block would overwrite is cleared, and no block
/// waits for the clearing. The alternative, a stage that clears itself behind each block, costs a
/// gate before every register and clears no sooner than the next block would.
pub(super) fn clear(
    net: &mut Netlist,
    control: &mut Control<'_>,
    times: &Timetable,
    offered: SignalId,
) -> SignalId {
    let section = net.section("Control");
    let clear = net.add(section, "clear", 1, Driver::Input);
    control.start_at(net, times.stages, 0);
    let busy = control.busy.iter().map(|&signal| signal.into()).collect();
    let busy = net.wire(section, "busy", 1, Expr::Op(Op::Or, busy));
    let [idle, none] = [("idle", busy), ("none_offered", offered)]
        .map(|(name, value)| net.wire(section, name, 1, Expr::Op(Op::Not, vec![value.into()])));
    let both = Expr::Op(Op::And, vec![idle.into(), none.into()]);
    let rests = net.wire(section, "rests", 1, both);
    let zero = Expr::Op(Op::Or, vec![clear.into(), rests.into()]);
    net.zero = Some(net.wire(section, "zero", 1, zero));
    net.wire(section, "not_cleared", 1, Expr::Op(Op::Not, vec![clear.into()]))
}
