//! Describes the fault of a core that differs from its definition: the word that comes out wrong,
//! the first turn and word that the core does not have, and values that show the difference.

use super::Lemma;
use super::claim::Walk;
use super::definition::StateWord;
use super::term::{TRIALS, TermId};
use super::unroll::{Carried, TimedSignal};
use std::collections::HashMap;
use std::fmt::Write;

impl Walk<'_> {
    /// Describes the fault in a few lines.
    pub(super) fn blame(&self) -> String {
        let mut out = String::new();
        let names = self.claim.definition.outputs();
        let module = &self.claim.core.netlist.name;
        let _ = write!(out, "{module} is not {}: ", self.claim.definition.name);
        let shown = self.wrong.iter().find_map(|wrong| {
            let Carried::Words(words) = &wrong.carried else { return None };
            let (is, due) = (words[0], *self.definition.outputs.get(wrong.word)?);
            Some((wrong.word, is, due, self.trial(is, due)?))
        });
        match (shown, self.wrong.first()) {
            (Some((word, is, due, trial)), _) => {
                let (is, due) = (self.value(is, trial), self.value(due, trial));
                let name = &names[word].name;
                let _ = write!(out, "the new {name} is {is}, and should be {due}");
            }
            (None, Some(wrong)) => {
                let name = names.get(wrong.word).map_or("word past the last", |n| &n.name);
                let _ = match &wrong.carried {
                    Carried::Unknown(place) => {
                        write!(out, "the new {name} depends on {}", self.place(*place))
                    }
                    Carried::Words(_) => write!(out, "no proof was found for the new {name}"),
                    Carried::Few(_) => write!(out, "the new {name} is no word"),
                };
            }
            (None, None) => unreachable!("something is wrong"),
        }
        let trial = shown.map_or(0, |(.., trial)| trial);
        if let Some(state) = self.first_missing() {
            let _ = write!(out, "\n  the first word it does not have is {}", state.name);
            if let Some((place, carried)) = self.due_at(state) {
                let _ = write!(out, ", due in {}", self.place(place));
                let _ = match carried {
                    Some(Carried::Words(words)) if words.len() == 1 => write!(
                        out,
                        ", which is {} where it should be {}",
                        self.value(words[0], trial),
                        self.value(state.term, trial)
                    ),
                    Some(Carried::Unknown(from)) => {
                        write!(out, ", which depends on {}", self.place(*from))
                    }
                    _ => Ok(()),
                };
            }
        }
        if shown.is_some() {
            let inputs = self.claim.definition.inputs().iter().zip(&self.definition.inputs);
            let inputs: Vec<String> = inputs
                .map(|(input, term)| format!("{} = {}", input.name, self.value(*term, trial)))
                .collect();
            let _ = write!(out, "\n  for {}", inputs.join(", "));
        }
        out
    }

    /// Describes the subject of a lemma.
    pub(super) fn over(&self, lemma: &Lemma) -> String {
        let names = lemma.over.iter().map(|term| self.definition.name(*term).unwrap_or("a sum"));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Values that refute a lemma.
    pub(super) fn refusal(&self, lemma: &Lemma, values: &[String]) -> String {
        let over = lemma.over.iter().map(|term| self.definition.name(*term).unwrap_or("a sum"));
        let values: Vec<String> =
            over.zip(values).map(|(name, value)| format!("{name} = {value}")).collect();
        format!("\n  a cut is refuted by {}", values.join(", "))
    }

    fn value(&self, term: TermId, trial: usize) -> String {
        let digits = self.cuts.terms.width(term) as usize / 4;
        format!("0x{:0digits$x}", self.cuts.terms.values(term)[trial])
    }

    /// A trial that tells two terms apart.
    fn trial(&self, is: TermId, due: TermId) -> Option<usize> {
        let [is, due] = [is, due].map(|term| self.cuts.terms.values(term));
        (0..TRIALS).find(|&trial| is[trial] != due[trial])
    }

    fn place(&self, (signal, clock): TimedSignal) -> String {
        let name = &self.claim.core.netlist.signal(signal).name;
        match clock {
            0 => format!("{name} as it is when the block is taken"),
            _ => format!("{name} in clock {clock}"),
        }
    }

    /// The first word of a state that no signal carries.
    fn first_missing(&self) -> Option<&StateWord> {
        let carried: HashMap<TermId, TimedSignal> =
            self.unroll.words().map(|(place, term)| (term, place)).collect();
        self.definition.states.iter().find(|state| !carried.contains_key(&state.term))
    }

    /// Returns the place where a word should be, judged by its places after other steps, and what
    /// that place carries.
    fn due_at(&self, state: &StateWord) -> Option<(TimedSignal, Option<&Carried>)> {
        let same = |other: &&StateWord| other.line == state.line && other.word == state.word;
        let steps: HashMap<TermId, usize> =
            self.definition.states.iter().filter(same).map(|s| (s.term, s.step)).collect();
        let mut found: HashMap<_, Vec<(usize, u32)>> = HashMap::new();
        for ((signal, clock), term) in self.unroll.words() {
            if let Some(&step) = steps.get(&term) {
                found.entry(signal).or_default().push((step, clock));
            }
        }
        let (signal, mut places) = found
            .into_iter()
            .max_by_key(|(signal, places)| (places.len(), std::cmp::Reverse(*signal)))?;
        places.sort_unstable();
        places.dedup_by_key(|(step, _)| *step);
        let [.., before, last] = places[..] else { return None };
        let (steps, clocks) = (last.0 - before.0, i64::from(last.1) - i64::from(before.1));
        let away = (state.step as i64 - last.0 as i64) * clocks;
        if away % steps as i64 != 0 {
            return None;
        }
        let clock = u32::try_from(i64::from(last.1) + away / steps as i64).ok()?;
        Some(((signal, clock), self.unroll.known((signal, clock))))
    }
}
