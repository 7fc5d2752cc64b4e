//! Chooses the context whose block goes into the core next.

use super::{Flags, FrameBuilder, Restore};
use crate::rtl::netlist::{Expr, SignalId, Value};
use crate::rtl::wrap::logic::Logic;
use manylane_graph::Op;

/// The context whose call goes into the core next.
#[derive(Clone, Copy)]
pub(super) struct Chosen {
    /// Whether a context is chosen.
    pub(super) valid: SignalId,
    /// The bit of a context that is being chosen in this clock.
    pub(super) now: SignalId,
    /// The number of that context.
    pub(super) id: SignalId,
}

impl FrameBuilder<'_> {
    /// Chooses among the contexts that have a call to make and none under way, each in its turn.
    pub(super) fn choose(
        &mut self,
        flags: &Flags,
        blocked: SignalId,
        loads: SignalId,
        restore: Option<Restore>,
    ) -> Chosen {
        let l = &mut *self.logic;
        l.begin("Choose");
        let waiting = l.but("waiting", blocked, flags.busy);
        let valid = l.state("chosen_valid", 1);
        let free = l.but("chosen_waits", valid, loads);
        let mut free = l.not("chosen_free", free);
        if let Some(restore) = restore {
            free = l.but("may_choose", free, restore.hold);
        }
        let any = l.any("waiting_any", waiting);
        let chooses = l.and("chooses", &[any, free]);
        let stays = l.but("chosen_stays", valid, loads);
        let next = l.or("next_chosen_valid", &[chooses, stays]);
        l.connect(valid, next);
        if self.shape.id_bits == 0 {
            let hot = l.constant("chosen", 1, 1);
            let now = l.gate("choosing", chooses, hot);
            return Chosen { valid, now, id: hot };
        }

        // x & -x is the lowest bit of x; contexts after the last one chosen come first.
        let width = l.width(waiting);
        let after = l.state("after_last", width);
        let lowest = |l: &mut Logic, name: &str, x: SignalId| {
            let args = vec![Value::Const(0), Value::Signal(x)];
            let minus = l.wire(&format!("minus_{name}"), width, Expr::Op(Op::Sub, args));
            l.and(&format!("lowest_{name}"), &[x, minus])
        };
        let high = l.and("waiting_after", &[waiting, after]);
        let lowest_high = lowest(l, "after", high);
        let lowest_all = lowest(l, "waiting", waiting);
        let is_high = l.any("any_after", high);
        let hot = l.choose("choice", is_high, lowest_high, lowest_all, width);
        let below = {
            let args = vec![Value::Signal(hot), Value::Const(1)];
            l.wire("below", width, Expr::Op(Op::Sub, args))
        };
        let upto = l.or("up_to_choice", &[hot, below]);
        let above = l.not("after_choice", upto);
        let next = l.choose("next_after_last", chooses, above, after, width);
        l.connect(after, next);
        let mut bits = Vec::new();
        for bit in (0..self.shape.id_bits).rev() {
            let mask = (0..u64::from(width)).filter(|n| n >> bit & 1 == 1).map(|n| 1 << n).sum();
            let mask = l.constant("choice_mask", width, mask);
            let chosen = l.and("choice_bits", &[hot, mask]);
            bits.push(l.any("choice_bit", chosen));
        }
        let id = l.concat("choice_id", &bits);
        let id = l.register("chosen_id", id, chooses);
        let now = l.gate("choosing", chooses, hot);
        Chosen { valid, now, id }
    }
}
