//! A plan as text: its answer in one line, its candidates against the limit, and the reason for its
//! gain.

use super::{ALL_ON_COPROCESSOR, ALL_ON_MAIN, Candidate, Plan, Saved, part_saved};
use std::fmt;

/// A part, printed in percent with one digit after the point.
struct Percent(f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.1} %", 100.0 * self.0))
    }
}

impl Plan {
    /// The part of the main core's time that a plan has to save to be called worth it.
    pub const WORTH: f64 = 0.05;

    /// Whether the second core is worth using.
    pub fn worth_it(&self) -> bool {
        self.saved.of_main >= Self::WORTH
    }

    /// Says why the best candidate saves what it saves.
    pub(super) fn explained(&self) -> String {
        let best = self.best();
        let what = match best.name {
            ALL_ON_MAIN => "one core does it all".to_owned(),
            ALL_ON_COPROCESSOR => "handshakes cost more than the main core's help".to_owned(),
            _ => format!(
                "{} of the operations' time on the main core is saved beyond what the better \
                 single core saves, for {} handshakes",
                Percent(self.saved.of_main - self.saved.best_single),
                best.handshakes
            ),
        };
        let Self { limit, units_limit, .. } = self;
        let bound = match limit.span > limit.work {
            true => "the longest chain of operations: it is too serial to save more",
            false => "the work that both cores have together",
        };
        let reason = format!("{what}; the limit is {bound}");
        match (units_limit.span > units_limit.work, self.units_bind()) {
            (true, true) => format!(
                "{reason}; units of {} wait for each other in chains that are longer than those of \
                 their operations",
                self.level.name()
            ),
            _ => reason,
        }
    }

    /// Whether the size of the units keeps splits away from the limit by more than the printed
    /// digits show.
    pub fn units_bind(&self) -> bool {
        let Saved { limit, units_limit, .. } = self.saved;
        limit - units_limit >= 5e-4
    }

    /// Says what splits of these units can save at most, where this is less than the limit.
    pub fn units_line(&self) -> Option<String> {
        self.units_bind().then(|| {
            let [name, most] =
                [self.level.name().to_owned(), Percent(self.saved.units_limit).to_string()];
            format!(
                "with units of {name}: at most {most} of the priced operations' time could be \
                 saved"
            )
        })
    }

    /// The answer, in a line. It counts the priced operations and not what a compiler adds to them,
    /// so the savings that it calls possible are no bound for compiled programs.
    pub fn answer(&self) -> String {
        let Saved { of_main, of_best_single, best_single, limit, .. } = self.saved;
        let [whole, alone, limit] = [of_main, best_single, limit].map(Percent);
        match (self.best().name, self.worth_it()) {
            (ALL_ON_MAIN, _) if self.candidates.len() == 1 => {
                "not worth it: there is one core, and nothing to split".to_owned()
            }
            (ALL_ON_MAIN, _) => format!(
                "not worth it: nothing takes less time than the main core alone; without \
                 handshakes at most {limit} of the priced operations' time could be saved"
            ),
            (_, false) => format!(
                "not worth it: only {whole} of the main core's time is saved; without handshakes \
                 at most {limit} of the priced operations' time could be"
            ),
            (ALL_ON_COPROCESSOR, true) => format!(
                "worth it: {whole} of the main core's time is saved, by the coprocessor alone; no \
                 split that was tried saves more"
            ),
            (_, true) if best_single > 0.0 => {
                let nearly = if of_best_single < Self::WORTH { ", nearly as much" } else { "" };
                format!(
                    "worth it: {whole} of the main core's time is saved; the coprocessor alone \
                     saves \
                     {alone}{nearly}"
                )
            }
            (_, true) => {
                // Beside equal cores the hand-over of the whole work is a small difference.
                let alone = |of| self.candidates.iter().find(|candidate| candidate.name == of);
                let both = alone(ALL_ON_MAIN).zip(alone(ALL_ON_COPROCESSOR));
                let is_slower = both.is_some_and(|(main, other)| other.cycles > 1.05 * main.cycles);
                let whose = if is_slower { "the main" } else { "either" };
                format!(
                    "worth it: {whole} of {whose} core's time is saved; of the priced operations' \
                     time at most {limit} could be"
                )
            }
        }
    }
}

/// The answer in the first line, the candidates against the limit, the reason. At most 100 columns.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Saved { of_best_single, limit, .. } = self.saved;
        writeln!(f, "{}", self.answer())?;
        writeln!(f, "\n{:26} {:>12} {:>8} {:>11}", "candidate", "cycles", "saved", "handshakes")?;
        for (i, candidate) in self.candidates.iter().enumerate() {
            let Candidate { name, cycles, handshakes, saved, .. } = candidate;
            let mark = if i == self.best { "  ◄" } else { "" };
            let saved = Percent(*saved);
            writeln!(f, "{name:26} {cycles:>12.0} {saved:>8} {handshakes:>11}{mark}")?;
        }
        let name = if self.proved { "limit" } else { "limit, an estimate" };
        writeln!(f, "{name:26} {:>12.0} {:>8}", self.limit.cycles(), Percent(limit))?;
        if self.units_bind() {
            let (cycles, saved) = (self.units_limit.cycles(), Percent(self.saved.units_limit));
            writeln!(
                f,
                "{:26} {cycles:>12.0} {saved:>8}",
                format!("with units of {}", self.level.name())
            )?;
        }
        if let Some(proof) = &self.proof {
            let gap = part_saved(proof.lower, self.best().cycles);
            match proof.optimal {
                true => writeln!(f, "{:26} {:>12.0}  optimal", "proved", proof.lower)?,
                false => {
                    let gap = Percent(gap);
                    writeln!(f, "{:26} {:>12.0}  within {gap} of the best", "proved", proof.lower)?;
                }
            }
        }
        writeln!(f, "\nsaved of the better single core's time: {}", Percent(of_best_single))?;
        for line in wrapped(&self.reason) {
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

/// Lines of at most 100 columns, if no word is longer.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is one");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= 100 {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}
