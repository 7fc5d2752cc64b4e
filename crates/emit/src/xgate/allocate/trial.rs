//! Compares orders of instructions that differ in a few places.
//!
//! The state of registers and frame is kept before every [`STEP`]th instruction. When instructions
//! have changed places, allocation restarts from the last kept state that the change cannot affect,
//! and stops where the same words are in registers and in the frame as before.

use super::{Allocate, Count, FAR, Facts, NONE, Sink, State};
use crate::xgate::uses::Uses;

/// Instructions between two kept states.
const STEP: usize = 32;

/// An order of a body's instructions, its clocks, and the kept states.
pub struct Trial<'a> {
    facts: &'a Facts<'a>,
    uses: Uses,
    order: Vec<usize>,
    kept: Vec<(State, Count)>,
    /// The clocks of the order, in tenths of a clock.
    clocks: u32,
    /// The memory of a state and a count that each run uses anew.
    scratch: (State, Count),
}

impl<'a> Trial<'a> {
    /// Allocates registers for a first order.
    pub fn of(facts: &'a Facts<'a>, order: &[usize]) -> Self {
        let uses = Uses::of(&facts.uses(order), facts.count());
        let mut trial = Self {
            facts,
            uses,
            order: order.to_vec(),
            kept: Vec::new(),
            clocks: 0,
            scratch: Default::default(),
        };
        trial.refresh();
        trial
    }

    /// Tenths of a clock that the order takes.
    pub fn clocks(&self) -> u32 {
        self.clocks
    }

    /// Allocates registers for the whole order, and keeps the states.
    pub fn refresh(&mut self) {
        let mut kept = Vec::new();
        let mut a = Allocate::new(self.facts, &self.uses, Sink::Count(Count::default()));
        for (position, &i) in self.order.iter().enumerate() {
            if position % STEP == 0 {
                kept.push((a.state.clone(), a.count().clone()));
            }
            a.step(position, i);
        }
        a.finish();
        self.clocks = a.count().clocks;
        self.kept = kept;
    }

    /// Notes that the instructions from a position on are in another order; registers are not yet
    /// allocated.
    pub fn change(&mut self, first: usize, insts: impl Iterator<Item = usize>) {
        let mut last = first;
        for inst in insts {
            self.order[last] = inst;
            last += 1;
        }
        let Self { facts, uses, order, .. } = self;
        let each = order[first..last].iter().enumerate();
        let each = each.flat_map(|(at, &i)| {
            facts.taken(i).iter().map(move |&word| (word as usize, first + at))
        });
        uses.change(first, each);
    }

    /// Tenths of a clock that the order takes after a change between two positions. The kept states
    /// become those of the new order if this is at most `most`.
    pub fn counted(&mut self, first: usize, last: usize, most: u32) -> u32 {
        let begin = first.saturating_sub(FAR) / STEP;
        let clocks = self.run(begin, last, false);
        if clocks <= most {
            self.run(begin, last, true);
            self.clocks = clocks;
        }
        clocks
    }

    /// Allocates registers from a kept state on, and keeps the states if `keeps`.
    fn run(&mut self, begin: usize, last: usize, keeps: bool) -> u32 {
        let (mut state, mut count) = std::mem::take(&mut self.scratch);
        let Self { facts, uses, order, kept, clocks, .. } = self;
        state.clone_from(&kept[begin].0);
        count.clone_from(&kept[begin].1);
        let mut a = Allocate { state, ..Allocate::bare(facts, uses, Sink::Count(count)) };
        let mut total = None;
        for (position, &i) in order.iter().enumerate().skip(begin * STEP) {
            let at = position / STEP;
            if position % STEP == 0 && at > begin {
                if position > last && a.is_as(&kept[at].0) {
                    let (before, now) = (kept[at].1.clocks, a.count().clocks);
                    total = Some(*clocks + now - before);
                    if keeps {
                        for (_, count) in &mut kept[at..] {
                            count.clocks = count.clocks + now - before;
                        }
                    }
                    break;
                }
                if keeps {
                    kept[at].0.clone_from(&a.state);
                    kept[at].1.clone_from(a.count());
                }
            }
            a.step(position, i);
        }
        if total.is_none() {
            a.finish();
        }
        let total = total.unwrap_or(a.count().clocks);
        let Sink::Count(count) = a.sink else { unreachable!("it was made to count") };
        self.scratch = (a.state, count);
        total
    }
}

impl Allocate<'_> {
    fn count(&self) -> &Count {
        match &self.sink {
            Sink::Count(count) => count,
            Sink::Code(_) => unreachable!("it was made to count"),
        }
    }

    /// Whether the same words are in registers and in the frame as in another state at the same
    /// position.
    fn is_as(&self, other: &State) -> bool {
        let words = self.state.registers.words();
        let is_known = |of: &State, word: usize| of.slot_of[word] != NONE;
        words.clone().eq(other.registers.words())
            && words.clone().all(|word| is_known(&self.state, word) == is_known(other, word))
            && self.state.is_away == other.is_away
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Body, Place, allocate};
    use super::*;
    use crate::xgate::random::Random;
    use crate::xgate::select::{Inst, InstKind, Selected, Tri};

    /// A body of leaves in the frame and behind a pointer, then of logic and sums of recent words.
    fn body(random: &mut Random, count: usize) -> Body {
        let (leaves, outputs) = (20, 8);
        let inst = |kind, args| Inst { kind, args, follows: None };
        let mut insts: Vec<Inst> =
            (0..leaves).map(|leaf| inst(InstKind::Leaf(leaf), Vec::new())).collect();
        for _ in 0..count {
            let first = insts.len().saturating_sub(30);
            let mut arg = || match random.below(3) {
                0 => random.below(leaves),
                _ => first + random.below(insts.len() - first),
            };
            let args = vec![arg(), arg()];
            let tri = [Tri::Xnor, Tri::And, Tri::Add][random.below(3)];
            insts.push(inst(InstKind::Tri(tri), args));
        }
        let last = insts.len() - outputs;
        let place = |leaf| match leaf % 4 {
            0 => Place::Behind { pointer: 40, offset: leaf as u16, swaps: false },
            _ => Place::Frame(leaf),
        };
        Body {
            selected: Selected {
                outputs: (last..insts.len()).collect(),
                insts,
                ..Default::default()
            },
            places: (0..leaves).map(place).collect(),
            homes: (1..=outputs).collect(),
            temporary: 64,
            table: String::new(),
            rows: Vec::new(),
        }
    }

    fn counted(body: &Body, order: &[usize]) -> u32 {
        let mut count = Count::default();
        for line in allocate(body, order).0 {
            count.add(&line);
        }
        count.clocks
    }

    /// The clocks of a changed order are nearly those of its code: where the states agree, words
    /// can be in other registers, and other words can be the ones that were accessed last.
    #[test]
    fn a_change_takes_what_its_code_takes() {
        let mut random = Random::new(4711);
        let (mut changed, mut kept, mut differences) = (0, 0, 0);
        for _ in 0..4 {
            let body = body(&mut random, 600);
            let leaves = body.places.len();
            let mut order: Vec<usize> = (leaves..body.selected.insts.len()).collect();
            let facts = Facts::of(&body);
            let mut trial = Trial::of(&facts, &order);
            assert_eq!(trial.clocks(), counted(&body, &order));
            for _ in 0..300 {
                let at = random.below(order.len() - 1);
                if body.selected.insts[order[at + 1]].args.contains(&order[at]) {
                    continue;
                }
                order.swap(at, at + 1);
                changed += 1;
                trial.change(at, order[at..at + 2].iter().copied());
                let most = trial.clocks() + random.below(30) as u32;
                let clocks = trial.counted(at, at + 1, most);
                let exact = counted(&body, &order);
                assert!(100 * clocks.abs_diff(exact) <= exact, "{clocks}, {exact} for {at}");
                differences += clocks.abs_diff(exact);
                if clocks <= most {
                    kept += 1;
                } else {
                    order.swap(at, at + 1);
                    trial.change(at, order[at..at + 2].iter().copied());
                }
                // Without this the differences of many changes would add up.
                trial.refresh();
                assert_eq!(trial.clocks(), counted(&body, &order));
            }
        }
        assert!(changed > 500 && kept > 100 && kept < changed, "{kept} of {changed}");
        // The limit is 20 tenths of a clock on average, that is two clocks of some three thousand.
        assert!(differences < 20 * changed, "{differences} in {changed}");
    }
}
