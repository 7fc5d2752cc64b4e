//! A schedule says which core does which unit, and when. It is a plain value, which
//! [`Schedule::verify`] checks and emitters take.

use crate::units::Units;
use serde::{Deserialize, Serialize};

/// A time, in cycles of the main core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Start, in cycles of the main core.
    pub start: f64,
    /// End, in cycles of the main core.
    pub end: f64,
}

/// The core on which a unit runs, and the time at which it does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// The unit's number in [`Units`].
    pub unit: usize,
    /// Its name.
    pub name: String,
    /// The core: 0 is the main core, 1 the coprocessor.
    pub core: usize,
    /// The stage of a pipeline, if there is one.
    pub stage: Option<u32>,
    /// Its time.
    #[serde(flatten)]
    pub time: Interval,
}

/// One core reports its progress to the other, which then sees everything that the first one
/// computed before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handshake {
    /// The core that sends. The other one receives.
    pub from: usize,
    /// The time in which the sender sends.
    pub send: Interval,
    /// The time in which the receiver receives.
    pub receive: Interval,
}

/// Which core does what, and when. The main core begins and ends the work: a coprocessor is started
/// by a handshake.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// The placements, by unit.
    pub placements: Vec<Placement>,
    /// The handshakes, in order of sending.
    pub handshakes: Vec<Handshake>,
    /// The time, in cycles of the main core, at which everything is done and the main core knows of
    /// it.
    pub end: f64,
}

/// A rule that a schedule breaks.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Broken {
    /// A unit is missing, occurs twice, or is in the wrong place of the list.
    #[error("unit {unit} is not placed once, in its place")]
    Placing {
        /// The unit.
        unit: usize,
    },
    /// A time that ends before it begins, or after the schedule's end.
    #[error("{what} has no proper time")]
    Time {
        /// The unit or the handshake.
        what: String,
    },
    /// A core does two things at the same time.
    #[error("core {core} does {first} and {second} at the same time")]
    Overlap {
        /// The core.
        core: usize,
        /// One of its activities at that time.
        first: String,
        /// The other of these activities.
        second: String,
    },
    /// A handshake is received before it is sent.
    #[error("handshake {handshake} is received before it is sent")]
    Acausal {
        /// Its number.
        handshake: usize,
    },
    /// A unit starts before a value that it takes is available.
    #[error("{unit} starts before the value of {operand} is there")]
    Operand {
        /// The unit.
        unit: String,
        /// The unit that computes the value.
        operand: String,
    },
    /// The coprocessor works before it is started.
    #[error("{unit} runs on the coprocessor before that is started")]
    Start {
        /// The unit.
        unit: String,
    },
    /// The main core ends before it has been told that a unit is done.
    #[error("the main core does not learn that {unit} has ended")]
    End {
        /// The unit.
        unit: String,
    },
    /// A value goes to an earlier stage.
    #[error("the value of {operand} goes back from its stage to that of {unit}")]
    Stage {
        /// The unit.
        unit: String,
        /// The unit that computes the value.
        operand: String,
    },
}

/// Reported times are whole multiples of a millionth of a cycle. After they are written as decimals
/// and read back, they may differ in the last digit.
const EPSILON: f64 = 5e-7;

impl Schedule {
    /// Checks that, for the graph of `units`:
    ///
    /// 1. every unit is placed once, at its index, and ends after it begins and by the end of all;
    /// 2. a core does one thing at a time, sending and receiving being things too;
    /// 3. a handshake is received after it is sent;
    /// 4. an operand from the same core has ended when a unit starts; between its end on the other
    ///    core and the start lies a handshake;
    /// 5. the coprocessor is started by a handshake and its last unit followed by one;
    /// 6. no value goes to an earlier stage.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn verify(&self, units: &Units) -> Result<(), Broken> {
        let count = units.len().max(self.placements.len());
        for unit in 0..count {
            if self.placements.get(unit).is_none_or(|p| p.unit != unit) || unit >= units.len() {
                return Err(Broken::Placing { unit });
            }
        }
        self.verify_cores()?;
        for (unit, placement) in self.placements.iter().enumerate() {
            for &operand in units.before.of(unit) {
                self.verify_operand(placement, &self.placements[operand as usize])?;
            }
            if placement.core > 0 {
                let of = |from| self.handshakes.iter().filter(move |h| h.from == from);
                let unit = || placement.name.clone();
                if !of(0).any(|h| h.receive.end <= placement.time.start + EPSILON) {
                    return Err(Broken::Start { unit: unit() });
                }
                if !of(1).any(|h| h.send.start + EPSILON >= placement.time.end) {
                    return Err(Broken::End { unit: unit() });
                }
            }
        }
        Ok(())
    }

    /// Rules 1 to 3.
    fn verify_cores(&self) -> Result<(), Broken> {
        for core in 0..2 {
            let units = self.placements.iter().filter(|p| p.core == core);
            let mut doing: Vec<(Interval, String)> =
                units.map(|p| (p.time, p.name.clone())).collect();
            for (i, handshake) in self.handshakes.iter().enumerate() {
                let sends = handshake.from == core;
                let time = if sends { handshake.send } else { handshake.receive };
                doing.push((time, format!("handshake {i}")));
                if handshake.receive.start + EPSILON < handshake.send.end {
                    return Err(Broken::Acausal { handshake: i });
                }
            }
            for (time, what) in &doing {
                let proper = 0.0 <= time.start && time.start <= time.end;
                if !proper || time.end > self.end + EPSILON {
                    return Err(Broken::Time { what: what.clone() });
                }
            }
            doing.sort_by(|a, b| a.0.start.total_cmp(&b.0.start).then(a.0.end.total_cmp(&b.0.end)));
            for pair in doing.windows(2) {
                if pair[1].0.start + EPSILON < pair[0].0.end {
                    let (first, second) = (pair[0].1.clone(), pair[1].1.clone());
                    return Err(Broken::Overlap { core, first, second });
                }
            }
        }
        match self.placements.iter().find(|p| p.core > 1) {
            Some(p) => Err(Broken::Placing { unit: p.unit }),
            None => Ok(()),
        }
    }

    /// Rules 4 and 6.
    fn verify_operand(&self, unit: &Placement, operand: &Placement) -> Result<(), Broken> {
        let there = if unit.core == operand.core {
            operand.time.end <= unit.time.start + EPSILON
        } else {
            // Handshakes are sorted by the time of sending and are received in that order.
            let first = self
                .handshakes
                .iter()
                .find(|h| h.from == operand.core && h.send.start + EPSILON >= operand.time.end);
            first.is_some_and(|h| h.receive.end <= unit.time.start + EPSILON)
        };
        let names = || (unit.name.clone(), operand.name.clone());
        if !there {
            let (unit, operand) = names();
            return Err(Broken::Operand { unit, operand });
        }
        if operand.stage > unit.stage {
            let (unit, operand) = names();
            return Err(Broken::Stage { unit, operand });
        }
        Ok(())
    }
}
