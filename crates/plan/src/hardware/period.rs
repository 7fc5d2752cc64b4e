//! The shortest clock in which a recurrence can be repeated, and the lower bound of every clock.
//!
//! With retiming, a word of the state may be ready before or after the end of its own clock, as
//! long as this is the same in every turn: the times of the words are a fixed point. The search for
//! it starts from below, with every new word ready at time 0. If there is any schedule, then, moved
//! by whole clocks, there is one that starts there. If the words come later from turn to turn
//! instead, the clock is too short. The shortest clock is found by bisection.

use super::body::Body;
use super::delay::{DelayModel, PER_UNIT, Ticks, units};
use super::net::{Clock, Instant, Net};
use super::{Adders, Precompute};

/// How often the times of the words may change before the words are said to drift.
const ROUNDS_TO_FIXED_POINT: usize = 100;

/// How many clocks late a word may be.
const LATEST: i64 = 6;

/// Periods are whole multiples of a unit divided by one of these numbers, of which the first that
/// costs no more than [`PRECISION`] is taken: three levels are 3, not 3.0001. All of them divide
/// the ticks of a unit.
const FRACTIONS: [Ticks; 7] = [1, 2, 3, 4, 7, 8, 840];

/// A period may be longer than the shortest one by one part in this many.
const PRECISION: Ticks = 10_000;

/// Bodies that take turns in one block of hardware.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recurrence<'b> {
    pub(super) bodies: &'b [Body],
    pub(super) model: &'b DelayModel,
    pub(super) adders: Adders,
    pub(super) precompute: Precompute,
}

impl<'b> Recurrence<'b> {
    /// The net of a body for a clock and the times at which the state's words are ready.
    pub(super) fn net(&self, body: &'b Body, clock: Clock, state: &[Instant]) -> Net<'b> {
        let side = match self.precompute {
            Precompute::None => Instant::ZERO,
            Precompute::Kw | Precompute::Full | Precompute::Auto => Instant::ALWAYS,
        };
        Net::new(body, self.model, self.adders, clock, state, side)
    }

    /// The shortest clock without its registers' delay. Without retiming it is the longest path;
    /// otherwise the search begins at `limit`, and no result is below it.
    pub(super) fn period(&self, limit: Ticks) -> Ticks {
        if matches!(self.precompute, Precompute::None | Precompute::Kw) {
            return self.unclocked();
        }
        let mut low = self.longest_operation().max(limit);
        let is_period = |logic: Ticks| self.fixed_point(logic).is_some();
        // Most often the limit can be reached.
        let near = low + low / PRECISION;
        if let Some(logic) = rounded_up(low, near).find(|&logic| is_period(logic)) {
            return logic;
        }
        let mut high = self.unclocked();
        while high - low > (high / PRECISION).max(1) {
            let middle = low.midpoint(high);
            match is_period(middle) {
                true => high = middle,
                false => low = middle,
            }
        }
        let rounded = rounded_up(low, high).find(|&logic| is_period(logic));
        rounded.unwrap_or(high)
    }

    /// The longest path through one body, which is the period without any retiming.
    fn unclocked(&self) -> Ticks {
        let state = vec![Instant::ZERO; self.bodies[0].words];
        let mut latest = 0;
        for body in self.bodies {
            let net = self.net(body, Clock(None), &state);
            latest =
                net.outputs.iter().map(|&output| net.end(output).time).fold(latest, Ticks::max);
        }
        latest
    }

    /// The longest operation, because no register cuts an operation.
    fn longest_operation(&self) -> Ticks {
        let mut longest = 0;
        for body in self.bodies {
            let state = vec![Instant::ZERO; body.words];
            let net = self.net(body, Clock(None), &state);
            longest = net.signals.iter().map(|signal| signal.delay).fold(longest, Ticks::max);
        }
        longest
    }

    /// The times at which the state's words are ready if a clock has `logic` time, if there are
    /// such times.
    pub(super) fn fixed_point(&self, logic: Ticks) -> Option<Vec<Instant>> {
        let words = self.bodies[0].words;
        if matches!(self.precompute, Precompute::None | Precompute::Kw) {
            return (self.unclocked() <= logic).then(|| vec![Instant::ZERO; words]);
        }
        let mut state = vec![Instant::ALWAYS; words];
        for _ in 0..ROUNDS_TO_FIXED_POINT {
            let moved = self.after_turn(&state, logic)?;
            if moved == state {
                return Some(state);
            }
            if moved.iter().any(|word| !word.is_always() && word.clock > LATEST) {
                return None;
            }
            state = moved;
        }
        None
    }

    /// The times at which the state's words are ready after one more turn, none before that of
    /// `state`. `None` if a word that no retiming may move is not ready at the end of its clock.
    fn after_turn(&self, state: &[Instant], logic: Ticks) -> Option<Vec<Instant>> {
        let clock = Clock(Some(logic));
        // Without retiming, every new word is registered at the end of its clock, and only
        // operations on words that were passed on may be computed ahead.
        let retimed = self.precompute == Precompute::Auto;
        let mut moved = state.to_vec();
        for body in self.bodies {
            let net = self.net(body, clock, state);
            for (word, (&output, passed)) in net.outputs.iter().zip(&body.passed).enumerate() {
                let end = net.end(output);
                let ready = match passed {
                    true if end.is_always() => continue,
                    true => clock.shift(end, -1),
                    false if retimed => clock.shift(end.max(Instant::ZERO), -1),
                    false if end.time > logic => return None,
                    false => Instant::ZERO,
                };
                moved[word] = moved[word].max(ready);
            }
        }
        Some(moved)
    }

    /// The iteration bound: the least time per clock, in units, that any retiming can reach. It is
    /// the slope of the longest path through the steps, turn after turn, without clock boundaries.
    pub(super) fn bound(&self) -> f64 {
        let of_body = |body: &'b Body| body.turns.iter().map(move |turn| (turn.clock, body));
        let mut turn: Vec<(usize, &Body)> = self.bodies.iter().flat_map(of_body).collect();
        turn.sort_by_key(|(clock, _)| *clock);
        const TURNS: usize = 3;
        let mut state = vec![Instant::ZERO; self.bodies[0].words];
        let mut ends = Vec::with_capacity(TURNS);
        for _ in 0..TURNS {
            for (_, body) in &turn {
                let net = self.net(body, Clock(None), &state);
                state = net.outputs.iter().map(|&output| net.end(output)).collect();
            }
            ends.push(state.iter().map(|word| word.time).max().unwrap_or(0));
        }
        let clocks = (TURNS - 1) * turn.len();
        units(ends[TURNS - 1] - ends[0]) / clocks.max(1) as f64
    }
}

/// The least multiples of simple fractions that are no less than `low`, up to `high`, simplest
/// first.
fn rounded_up(low: Ticks, high: Ticks) -> impl Iterator<Item = Ticks> {
    let multiples = FRACTIONS.map(|fraction| {
        let part = PER_UNIT / fraction;
        (low + part - 1).div_euclid(part) * part
    });
    multiples.into_iter().filter(move |&multiple| multiple <= high)
}
