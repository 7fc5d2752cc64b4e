use super::{ALL_ON_COPROCESSOR, ALL_ON_MAIN, Candidate, Gains, Limit, Plan};
use std::fmt;

/// In percent, one digit behind the point.
struct Percent(f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.1} %", 100.0 * self.0))
    }
}

/// Why the best candidate gains what it gains.
pub(super) fn reason(best: &Candidate, gains: &Gains, limit: &Limit) -> String {
    let bound = if limit.span > limit.work {
        "the dearest path: it is too serial to gain more"
    } else {
        "the work that both cores have together"
    };
    match best.name {
        ALL_ON_MAIN => format!("one core does it all; the limit is {bound}"),
        ALL_ON_COPROCESSOR => {
            format!("handshakes cost more than the main core's help; the limit is {bound}")
        }
        _ => format!(
            "{} of the main core's time goes beyond the better single core, for {} handshakes; \
             the limit is {bound}",
            Percent(gains.over_main - gains.best_single),
            best.handshakes
        ),
    }
}

impl Plan {
    /// What a plan has to save of the main core's time to be worth its trouble.
    pub const WORTH: f64 = 0.05;

    /// Whether the second core is worth using.
    pub fn worth_it(&self) -> bool {
        self.gains.over_main >= Self::WORTH
    }

    /// The answer, in a line.
    pub fn answer(&self) -> String {
        let Gains { over_main, over_best_single, best_single, limit } = self.gains;
        let [whole, alone, limit] = [over_main, best_single, limit].map(Percent);
        match (self.best().name, self.worth_it()) {
            (ALL_ON_MAIN, _) if self.candidates.len() == 1 => {
                "not worth it: there is one core, and nothing to split".to_owned()
            }
            (ALL_ON_MAIN, _) => format!(
                "not worth it: nothing is faster than the main core alone; the limit without \
                 handshakes is {limit}"
            ),
            (_, false) => format!(
                "not worth it: only {whole} faster than the main core; the limit without \
                 handshakes is {limit}"
            ),
            (ALL_ON_COPROCESSOR, true) => format!(
                "worth it: {whole} faster than the main core, by the coprocessor alone; no split \
                 gains more"
            ),
            (_, true) if best_single > 0.0 => {
                let nearly = if over_best_single < Self::WORTH { ", nearly as much" } else { "" };
                format!(
                    "worth it: {whole} faster than the main core; the coprocessor alone gives \
                     {alone}{nearly}"
                )
            }
            (_, true) => {
                format!("worth it: {whole} faster than either core alone; the limit is {limit}")
            }
        }
    }
}

/// The answer in the first line, the candidates against the limit, the reason. At most 100 columns.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gains { over_best_single, limit, .. } = self.gains;
        writeln!(f, "{}", self.answer())?;
        writeln!(f, "\n{:26} {:>12} {:>8} {:>11}", "candidate", "cycles", "saved", "handshakes")?;
        for (i, candidate) in self.candidates.iter().enumerate() {
            let Candidate { name, cycles, handshakes, gain, .. } = candidate;
            let mark = if i == self.best { "  ◄" } else { "" };
            let gain = Percent(*gain);
            writeln!(f, "{name:26} {cycles:>12.0} {gain:>8} {handshakes:>11}{mark}")?;
        }
        writeln!(f, "{:26} {:>12.0} {:>8}", "limit", self.limit.cycles(), Percent(limit))?;
        if let Some(proof) = &self.proof {
            let gap = 1.0 - proof.lower / self.best().cycles;
            match proof.optimal {
                true => writeln!(f, "{:26} {:>12.0}  optimal", "proved", proof.lower)?,
                false => {
                    let gap = Percent(gap);
                    writeln!(f, "{:26} {:>12.0}  within {gap} of the best", "proved", proof.lower)?;
                }
            }
        }
        writeln!(f, "\nover the better single core: {}", Percent(over_best_single))?;
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
