//! The signals of a body, each with the time at which it is ready.
//!
//! Time is counted from the start of the clock to which the body nominally belongs, in ticks of the
//! delay model's unit; clock c lasts from c·T to (c + 1)·T, where T is the period without the
//! registers' delay.

use super::body::Body;
use super::delay::{DelayModel, Ticks};
use manylane_graph::{NodeId, StepId};
use std::collections::HashMap;

/// A time and the clock that it lies in: a value that is ready at the very end of a clock still
/// belongs to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Instant {
    pub(super) time: Ticks,
    pub(super) clock: i64,
}

impl Instant {
    /// Before every other instant: the time of values that are always available.
    pub(super) const ALWAYS: Self = Self { time: Ticks::MIN / 4, clock: i64::MIN / 4 };
    /// After every other instant: the deadline of values that nothing waits for.
    pub(super) const NEVER: Self = Self { time: Ticks::MAX / 4, clock: i64::MAX / 4 };
    /// The start of clock 0.
    pub(super) const ZERO: Self = Self { time: 0, clock: 0 };

    /// Whether this is the time of values that are always available.
    pub(super) fn is_always(self) -> bool {
        self.time == Self::ALWAYS.time
    }

    /// The later of two.
    pub(super) fn max(self, other: Self) -> Self {
        Self { time: self.time.max(other.time), clock: self.clock.max(other.clock) }
    }

    /// The earlier of two.
    pub(super) fn min(self, other: Self) -> Self {
        Self { time: self.time.min(other.time), clock: self.clock.min(other.clock) }
    }
}

/// The clock: T, the time that it has for logic, or `None` if there are no clock boundaries at all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock(pub(super) Option<Ticks>);

impl Clock {
    /// Returns when an operation whose arguments are ready starts, and when it ends.
    pub(super) fn run(self, ready: Instant, delay: Ticks) -> (Ticks, Instant) {
        if ready.is_always() {
            return (ready.time, ready);
        }
        let Some(period) = self.0 else {
            return (ready.time, Instant { time: ready.time + delay, clock: ready.clock });
        };
        let begin = ready.clock * period;
        let start = ready.time.max(begin);
        if start + delay <= begin + period {
            return (start, Instant { time: start + delay, clock: ready.clock });
        }
        let next = begin + period;
        (next, Instant { time: next + delay, clock: ready.clock + 1 })
    }

    /// The latest start of an operation that must have ended by `deadline`, and its clock.
    pub(super) fn run_late(self, deadline: Instant, delay: Ticks) -> Instant {
        if deadline.is_always() {
            return deadline;
        }
        let latest = deadline.time - delay;
        match self.0 {
            // No operation is longer than a clock, so it fits into the clock of its latest start.
            Some(period) if period > 0 => {
                let clock = deadline.clock.min(latest.div_euclid(period));
                Instant { time: latest.min((clock + 1) * period - delay), clock }
            }
            _ => Instant { time: latest, clock: deadline.clock },
        }
    }

    /// The instant `clocks` clocks after this one.
    pub(super) fn shift(self, instant: Instant, clocks: i64) -> Instant {
        let time = match instant.is_always() {
            true => instant.time,
            false => instant.time + clocks * self.0.unwrap_or(0),
        };
        Instant { time, clock: instant.clock + clocks }
    }
}

/// The cell that computes a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Cell {
    /// An input of the body.
    Input(usize),
    /// A node of the body other than a sum, on the signals of its arguments.
    Node(NodeId),
    /// x + y by a carry-propagate adder.
    Add,
    /// x ⊕ y: the half sum of the first half adders of a 3:2 row.
    HalfSum,
    /// x ∧ y: the carries of these half adders.
    HalfCarry,
    /// h ⊕ z of a half sum h: the sum bits of a 3:2 row.
    SumBits,
    /// (c ∨ h ∧ z) « 1 of a half carry c and a half sum h: the carry bits of a 3:2 row.
    CarryBits,
}

/// The number of a signal in its net.
pub(super) type SignalId = usize;

/// One value on wires.
#[derive(Clone, Debug)]
pub(super) struct Signal {
    pub(super) cell: Cell,
    pub(super) args: Vec<SignalId>,
    /// The step of the body that it belongs to.
    pub(super) step: StepId,
    /// Its width in bits.
    pub(super) width: u8,
    /// The time that its operation takes.
    pub(super) delay: Ticks,
    /// When its operation starts.
    pub(super) start: Ticks,
    /// When it is ready.
    pub(super) end: Instant,
}

/// A body whose sums are made of adders, with the time of every signal.
#[derive(Debug)]
pub(super) struct Net<'b> {
    pub(super) body: &'b Body,
    model: &'b DelayModel,
    pub(super) clock: Clock,
    pub(super) signals: Vec<Signal>,
    /// The signals of the state after the body.
    pub(super) outputs: Vec<SignalId>,
    known: HashMap<(Cell, Vec<SignalId>), SignalId>,
    /// The step that the next signals belong to.
    pub(super) step: StepId,
}

impl<'b> Net<'b> {
    /// A net without signals.
    pub(super) fn empty(body: &'b Body, model: &'b DelayModel, clock: Clock) -> Self {
        Self {
            body,
            model,
            clock,
            signals: Vec::new(),
            outputs: Vec::new(),
            known: HashMap::new(),
            step: StepId::ROOT,
        }
    }

    /// A signal that is not computed in the net; it is ready at `end`.
    pub(super) fn given(&mut self, cell: Cell, width: u8, end: Instant) -> SignalId {
        let start = end.time;
        self.signals.push(Signal {
            cell,
            args: Vec::new(),
            step: self.step,
            width,
            delay: 0,
            start,
            end,
        });
        self.signals.len() - 1
    }

    /// The instant at which a signal is ready.
    pub(super) fn end(&self, signal: SignalId) -> Instant {
        self.signals[signal].end
    }

    /// The width of a signal in bits.
    pub(super) fn width(&self, signal: SignalId) -> u8 {
        self.signals[signal].width
    }

    /// The clock by which signals are timed.
    pub(super) fn clock(&self) -> Clock {
        self.clock
    }

    /// The delays of operations.
    pub(super) fn model(&self) -> &'b DelayModel {
        self.model
    }

    /// A signal computed from other signals; equal signals are shared.
    pub(super) fn cell(
        &mut self,
        cell: Cell,
        args: Vec<SignalId>,
        width: u8,
        delay: Ticks,
    ) -> SignalId {
        let key = (cell, args);
        if let Some(&signal) = self.known.get(&key) {
            return signal;
        }
        let args = key.1.clone();
        let ready = args.iter().map(|&arg| self.end(arg)).fold(Instant::ALWAYS, Instant::max);
        let (start, end) = self.clock.run(ready, delay);
        self.signals.push(Signal { cell, args, step: self.step, width, delay, start, end });
        self.known.insert(key, self.signals.len() - 1);
        self.signals.len() - 1
    }
}
