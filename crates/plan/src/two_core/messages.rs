//! Several messages on two cores: whole messages side by side, messages that are divided one after
//! the other, or both.
//!
//! ```text
//!  main         message │ message │ its part of a divided one
//!  coprocessor  message │ message │ message │ message │ its part
//! ```

use super::simulate::Machine;
use crate::costs::UnitCosts;
use crate::csr::Csr;
use crate::platform::{COPROCESSOR, MAIN, Platform};
use crate::time::{MOST_CYCLES, cycles, ticks};
use crate::units::{Unit, Units};
use manylane_graph::StepId;
use serde::Serialize;

/// The most messages that are planned for.
pub const MOST_MESSAGES: u64 = 1_000_000;

/// The time of one message, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Message {
    /// Its time on the main core.
    pub main: f64,
    /// Its time on the coprocessor, without handshakes.
    pub coprocessor: f64,
    /// Its time when it is divided over both cores, with all handshakes.
    pub divided: f64,
}

/// The number of messages that are done in each way, and the time of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Shares {
    /// Whole messages on the main core.
    pub main: u64,
    /// Whole messages on the coprocessor.
    pub coprocessor: u64,
    /// Divided messages, one after the other.
    pub divided: u64,
    /// The time of all messages in cycles.
    pub cycles: f64,
}

/// Plans messages that each take the times in `message`.
#[derive(Debug)]
pub struct Messages<'p> {
    platform: &'p Platform,
    message: Message,
}

impl<'p> Messages<'p> {
    /// A planner for a platform of two cores.
    pub fn new(platform: &'p Platform, message: Message) -> Self {
        Self { platform, message }
    }

    /// The time of these shares in the simulator: whole messages first, then the divided ones.
    pub fn shares(&self, main: u64, coprocessor: u64, divided: u64) -> Shares {
        let whole = self.whole(main as f64 * self.message.main, coprocessor);
        let cycles = whole + divided as f64 * self.message.divided;
        Shares { main, coprocessor, divided, cycles }
    }

    /// The time of `main` cycles on the main core and of whole messages on the coprocessor, side by
    /// side.
    fn whole(&self, main: f64, messages: u64) -> f64 {
        let there = messages as f64 * self.message.coprocessor;
        // The simulator has no times beyond this: of longer ones it is given a part, and that the
        // handshakes then count more than once is less than a millionth.
        let part = (MOST_CYCLES / main.max(there)).min(1.0);
        let mut parts: Vec<(u8, f64)> = Vec::new();
        if main > 0.0 {
            parts.push((MAIN as u8, main * part));
        }
        if messages > 0 {
            parts.push((COPROCESSOR as u8, there * part));
        }
        let unit = |_: &(u8, f64)| Unit {
            name: String::new(),
            place: String::new(),
            step: StepId::ROOT,
            nodes: Vec::new(),
        };
        let none = || Csr::new(parts.len(), &[]);
        let units = Units {
            function: String::new(),
            units: parts.iter().map(unit).collect(),
            before: none(),
            after: none(),
        };
        let of_unit = || parts.iter().map(|&(_, cycles)| ticks(cycles)).collect::<Vec<_>>();
        let costs = UnitCosts { ticks: [of_unit(), of_unit()] };
        let cores: Vec<u8> = parts.iter().map(|&(core, _)| core).collect();
        cycles(Machine::new(&units, &costs, self.platform).end(&cores)) / part
    }

    /// The best shares of `count` whole messages: both cores take nearly the same time for theirs.
    pub fn best_whole(&self, count: u64) -> Shares {
        let Message { main, coprocessor, .. } = self.message;
        let even = (count as f64 * coprocessor / (main + coprocessor)) as u64;
        // Handshakes may make one message more or less better, and none at all where they cost more
        // than the coprocessor saves.
        let near = (even.saturating_sub(2)..=even.saturating_add(2)).chain([0, count]);
        let shares = near.filter(|&own| own <= count).map(|own| self.shares(own, count - own, 0));
        shares.min_by(|a, b| a.cycles.total_cmp(&b.cycles)).expect("there is the main core")
    }

    /// The best shares of `count` messages.
    ///
    /// Whole messages side by side are best where there are many: nothing waits. One or two
    /// messages that are left over, which one core would do while the other idles, may be divided.
    /// All messages may be divided where that is faster than whole messages on both cores.
    pub fn best(&self, count: u64) -> Shares {
        /// The most messages that may be left over: no more than a core can do while the other does
        /// one.
        const MOST_LEFT: u64 = 64;
        let divided = (0..=count.min(MOST_LEFT)).chain([count]);
        let shares = divided.map(|divided| {
            let whole = self.best_whole(count - divided);
            self.shares(whole.main, whole.coprocessor, divided)
        });
        shares.min_by(|a, b| a.cycles.total_cmp(&b.cycles)).expect("none divided is one way")
    }

    /// The ways to do `count` messages, each with its name: all on one core, the main core's first,
    /// then the others. A way that shares the messages as an earlier one does is left out, and
    /// without `divides` so is every way that divides a message.
    pub fn candidates(&self, count: u64, divides: bool) -> Vec<(&'static str, Shares)> {
        let all = [
            ("all on the main core", self.shares(count, 0, 0)),
            ("all on the coprocessor", self.shares(0, count, 0)),
            ("each divided", self.shares(0, 0, count)),
            ("whole ones on both cores", self.best_whole(count)),
            ("whole ones, others divided", self.best(count)),
        ];
        let mut candidates: Vec<(&str, Shares)> = Vec::new();
        for (name, shares) in all {
            let is_possible = divides || shares.divided == 0;
            if is_possible && candidates.iter().all(|(_, known)| *known != shares) {
                candidates.push((name, shares));
            }
        }
        candidates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best shares are compared with all ways of sharing few messages.
    #[test]
    fn no_other_shares_are_better() {
        let platform = Platform::load("s12x-xgate-2012").unwrap();
        for (coprocessor, divided) in [(2500.0, 2400.0), (2500.0, 1900.0), (12_000.0, 7000.0)] {
            let message = Message { main: 10_000.0, coprocessor, divided };
            let messages = Messages::new(&platform, message);
            for count in 1..=12 {
                let best = messages.best(count);
                assert_eq!(best.main + best.coprocessor + best.divided, count);
                let all = (0..=count).flat_map(|a| (0..=count - a).map(move |b| (a, b)));
                let all = all.map(|(a, b)| messages.shares(a, b, count - a - b).cycles);
                let least = all.fold(f64::INFINITY, f64::min);
                assert_eq!(best.cycles, least, "{count} of {message:?}: {best:?}");
            }
        }
    }

    /// One message is divided or not: no more ways are named than there are.
    #[test]
    fn candidates_differ() {
        let platform = Platform::load("s12x-xgate-2012").unwrap();
        let message = Message { main: 1e4, coprocessor: 1.2e4, divided: 7e3 };
        let messages = Messages::new(&platform, message);
        let names = |count, divides| {
            let candidates = messages.candidates(count, divides).into_iter();
            candidates.map(|(name, _)| name).collect::<Vec<_>>()
        };
        let single = ["all on the main core", "all on the coprocessor"];
        assert_eq!(names(1, false), single);
        assert_eq!(names(1, true), [single[0], single[1], "each divided"]);
        assert_eq!(names(3, true)[2..].first(), Some(&"each divided"));
        assert_eq!(names(3, false), [single[0], single[1], "whole ones on both cores"]);
    }

    /// A core four times as fast has four of five messages.
    #[test]
    fn the_faster_core_has_more() {
        let platform = Platform::load("s12x-xgate-2012").unwrap();
        let message = Message { main: 1e5, coprocessor: 2.5e4, divided: 2.4e4 };
        let best = Messages::new(&platform, message).best(100);
        assert_eq!((best.main, best.coprocessor, best.divided), (20, 80, 0));
    }
}
