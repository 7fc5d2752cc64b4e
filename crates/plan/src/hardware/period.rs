//! The shortest clock in which a recurrence can turn, and the limit that no clock can pass.
//!
//! With retiming, a word of the state may be ready before or after the end of its own clock, as long
//! as it is so every time: a fixed point. It is sought from below, every new word being ready at
//! time 0 at the earliest; a schedule that exists at all exists there too, moved by whole clocks.
//! If the words drift away instead, the clock is too short; the shortest one is found by bisection.

use super::body::Body;
use super::delay::DelayModel;
use super::timing::{Clock, EPSILON, Instant, Net};
use super::{Adders, Precompute};

/// How often the words of the state may move before they are said to drift.
const ROUNDS_TO_FIXED_POINT: usize = 100;

/// How many clocks late a word may be.
const LATEST: i64 = 6;

/// Periods are whole multiples of a unit divided by this, if that is as good: levels are 3, not
/// 3.0001.
const FRACTION: f64 = 840.0;

/// Bodies that take turns in one block of hardware.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recurrence<'b> {
    pub(super) bodies: &'b [Body],
    pub(super) model: &'b DelayModel,
    pub(super) adders: Adders,
    pub(super) precompute: Precompute,
}

/// A period, with the times at which the words of the state are there at the beginning of a body.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    /// What a clock has for logic, in the model's units.
    pub(super) logic: f64,
    pub(super) state: Vec<Instant>,
}

impl<'b> Recurrence<'b> {
    /// The body's operations for a clock and times of the state's words.
    pub(super) fn net(&self, body: &'b Body, clock: Clock, state: &[Instant]) -> Net<'b> {
        let side = match self.precompute {
            Precompute::None => Instant::ZERO,
            Precompute::Kw | Precompute::Full | Precompute::Auto => Instant::ALWAYS,
        };
        Net::new(body, self.model, self.adders, clock, state, side)
    }

    /// The shortest period.
    pub(super) fn solve(&self) -> Solution {
        let words = self.bodies[0].words;
        if matches!(self.precompute, Precompute::None | Precompute::Kw) {
            let state = vec![Instant::ZERO; words];
            let latest = |body: &'b Body| self.latest_output(body, Clock(None), &state);
            let logic = self.bodies.iter().map(latest).fold(0.0, f64::max);
            return Solution { logic, state };
        }
        let at_least = self.longest_operation();
        let mut high = self.unclocked().max(at_least);
        let mut low = at_least;
        if let Some(state) = self.fixed_point(low) {
            return Solution { logic: low, state };
        }
        while high - low > 1e-4 * high {
            let middle = f64::midpoint(low, high);
            match self.fixed_point(middle) {
                Some(_) => high = middle,
                None => low = middle,
            }
        }
        let snapped = (high * FRACTION).floor() / FRACTION;
        let candidates = [(low * FRACTION).ceil() / FRACTION, snapped, high, high * 1.001];
        candidates
            .into_iter()
            .filter(|&logic| logic >= at_least && logic > low - EPSILON)
            .find_map(|logic| Some(Solution { logic, state: self.fixed_point(logic)? }))
            .expect("the longest path is a period")
    }

    /// The longest path through one body: a period without any retiming.
    fn unclocked(&self) -> f64 {
        let state = vec![Instant::ZERO; self.bodies[0].words];
        let latest = |body: &'b Body| self.latest_output(body, Clock(None), &state);
        self.bodies.iter().map(latest).fold(0.0, f64::max)
    }

    fn latest_output(&self, body: &'b Body, clock: Clock, state: &[Instant]) -> f64 {
        let net = self.net(body, clock, state);
        net.outputs.iter().map(|&output| net.end(output).time).fold(0.0, f64::max)
    }

    /// No operation is cut by a register.
    fn longest_operation(&self) -> f64 {
        let mut longest = 0.0_f64;
        for body in self.bodies {
            let state = vec![Instant::ZERO; body.words];
            let net = self.net(body, Clock(None), &state);
            longest = net.signals.iter().map(|signal| signal.delay).fold(longest, f64::max);
        }
        longest
    }

    /// When the state's words are there if a clock has `logic` time, if there is such a time for
    /// each.
    pub(super) fn fixed_point(&self, logic: f64) -> Option<Vec<Instant>> {
        let clock = Clock(Some(logic));
        let words = self.bodies[0].words;
        // Otherwise every new word is registered at the end of its clock, and only what is computed
        // from words that were passed on may move, ahead.
        let retimed = self.precompute == Precompute::Auto;
        let mut state = vec![Instant::ALWAYS; words];
        for _ in 0..ROUNDS_TO_FIXED_POINT {
            let mut moved = state.clone();
            for body in self.bodies {
                let net = self.net(body, clock, &state);
                for (word, (&output, passed)) in net.outputs.iter().zip(&body.passed).enumerate() {
                    let end = net.end(output);
                    let ready = match passed {
                        Some(from) if state[*from].is_always() => continue,
                        Some(from) => clock.shift(state[*from], -1),
                        None if retimed => clock.shift(end.max(Instant::ZERO), -1),
                        None if end.time > logic + EPSILON => return None,
                        None => Instant::ZERO,
                    };
                    moved[word] = moved[word].max(ready);
                }
            }
            if moved.iter().zip(&state).all(|(x, y)| same(*x, *y)) {
                return Some(state);
            }
            if moved.iter().any(|word| !word.is_always() && word.clock > LATEST) {
                return None;
            }
            state = moved;
        }
        None
    }

    /// The least time per step that any retiming can reach: the slope of the longest path through
    /// the steps, turn after turn, without clocks.
    pub(super) fn bound(&self, steps: usize) -> f64 {
        let turn: Vec<&Body> = {
            let mut order: Vec<(usize, &Body)> = self
                .bodies
                .iter()
                .flat_map(|body| body.clocks.iter().map(move |(clock, _)| (*clock, body)))
                .collect();
            order.sort_by_key(|(clock, _)| *clock);
            order.into_iter().map(|(_, body)| body).collect()
        };
        const TURNS: usize = 3;
        let mut state = vec![Instant::ZERO; self.bodies[0].words];
        let mut ends = Vec::with_capacity(TURNS);
        for _ in 0..TURNS {
            for body in &turn {
                let net = self.net(body, Clock(None), &state);
                state = net.outputs.iter().map(|&output| net.end(output)).collect();
            }
            ends.push(state.iter().map(|word| word.time).fold(f64::NEG_INFINITY, f64::max));
        }
        let slope = (ends[TURNS - 1] - ends[0]) / ((TURNS - 1) * steps) as f64;
        if slope.is_finite() { slope } else { 0.0 }
    }
}

fn same(x: Instant, y: Instant) -> bool {
    x.clock == y.clock && (x.time == y.time || (x.time - y.time).abs() < EPSILON)
}
