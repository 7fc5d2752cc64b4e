//! The time at which each operation of a body runs, for given times of its inputs.
//!
//! Every operation starts as soon as its arguments are ready, or at the next clock if it would
//! otherwise straddle the boundary.

use super::Adders;
use super::body::Body;
use super::delay::DelayModel;
use super::net::{Cell, Clock, Instant, Net, SignalId};
use super::sums;
use manylane_graph::Op;

impl<'b> Net<'b> {
    /// Runs a body's operations as soon as possible. The words of the state are ready at `state`,
    /// all other inputs at `side`.
    pub(super) fn new(
        body: &'b Body,
        model: &'b DelayModel,
        adders: Adders,
        clock: Clock,
        state: &[Instant],
        side: Instant,
    ) -> Self {
        let mut net = Self::empty(body, model, clock);
        let function = &body.function;
        let mut of: Vec<SignalId> = Vec::with_capacity(function.len());
        for node in function.nodes() {
            let args = || function.args(node).iter().map(|arg| of[arg.index()]).collect();
            let width = function.width(node);
            net.step = function.step(node);
            let signal = match function.op(node) {
                Op::Input(i) => {
                    let i = i as usize;
                    let end = if body.is_side(i) { side } else { state[i] };
                    net.given(Cell::Input(i), width, end)
                }
                Op::Const(_) => net.given(Cell::Node(node), width, Instant::ALWAYS),
                Op::Add => match &body.terms[node.index()] {
                    Some(terms) => {
                        let terms: Vec<SignalId> =
                            terms.iter().map(|term| of[term.index()]).collect();
                        sums::add(&mut net, adders, &terms)
                    }
                    // A part of a later sum, whose signal is never looked up.
                    None => SignalId::MAX,
                },
                op => net.cell(Cell::Node(node), args(), width, model.delay(op, width)),
            };
            of.push(signal);
        }
        net.outputs = function.outputs().iter().map(|output| of[output.value.index()]).collect();
        net
    }

    /// Moves gates as late as possible while adders and the state after the body stay where they
    /// are: a gate then runs in the clock of the logic that takes its value, and needs no register.
    pub(super) fn delay_gates(&mut self) {
        let ends: Vec<Instant> = self.outputs.iter().map(|&output| self.end(output)).collect();
        self.delay(&ends, |cell| cell != Cell::Add);
    }

    /// Moves the operations that `moves` allows to the latest time that `deadlines`, those of the
    /// state after the body, allow. Inputs do not move.
    pub(super) fn delay(&mut self, deadlines: &[Instant], moves: impl Fn(Cell) -> bool) {
        let mut by: Vec<Instant> = vec![Instant::NEVER; self.signals.len()];
        for (&output, &deadline) in self.outputs.iter().zip(deadlines) {
            by[output] = by[output].min(deadline);
        }
        for i in (0..self.signals.len()).rev() {
            let delay = self.signals[i].delay;
            let is_given = self.signals[i].args.is_empty();
            if is_given {
                continue;
            }
            // Operations that nothing waits for stay where they are.
            if by[i] != Instant::NEVER && moves(self.signals[i].cell) {
                let start = self.clock.run_late(by[i], delay);
                let signal = &mut self.signals[i];
                signal.start = start.time;
                signal.end = match start.is_always() {
                    true => start,
                    false => Instant { time: start.time + delay, clock: start.clock },
                };
            }
            let signal = &self.signals[i];
            let start = Instant { time: signal.start, clock: signal.end.clock };
            for arg in signal.args.clone() {
                by[arg] = by[arg].min(start);
            }
        }
    }
}
