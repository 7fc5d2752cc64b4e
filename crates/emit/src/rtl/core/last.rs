//! The words after the last turn, which registers keep while the next block's turns begin.

use super::{Key, Maker, Which};
use crate::rtl::netlist::{Expr, Value};
use manylane_graph::{NodeId, Op};
use std::collections::HashMap;

/// How values are kept.
#[derive(Clone, Copy, Debug)]
struct Keeping {
    section: usize,
    /// Until the next block's come. Else for as many clocks as are needed, in a row of registers.
    held: bool,
}

impl Maker<'_> {
    /// The words after the last turn, and the clock, counted from the end of the last stage, after
    /// which all of them are there.
    pub(super) fn last_words(&mut self, section: usize) -> (HashMap<NodeId, Value>, i64) {
        let second = self.second;
        let chosen = |word: usize| self.rounds.bases[word].chosen() + self.shift;
        // The two terms of a word are added in the clock after they are there.
        let times = second.iter().enumerate().map(|(word, second)| match *second {
            Some(second) => chosen(word).max(chosen(second)) + 1,
            None => chosen(word),
        });
        let times: Vec<i64> = times.collect();
        let first = (0..self.rounds.block.words).map(chosen).min().expect("words");
        let last = times.iter().copied().max().expect("words");
        let keeping = Keeping { section, held: last - first < self.clocks as i64 };
        let mut words = HashMap::new();
        for (word, &time) in times.iter().enumerate() {
            let name = format!("last_{}", self.word_name(Which::Rounds, word));
            let width = self.width(self.rounds.block, word);
            let raw = match second[word] {
                None => self.result(Which::Rounds, self.stages - 1, word),
                Some(second) => {
                    let terms = [word, second].map(|word| self.last_term(keeping, word, time));
                    let sum = Expr::Op(Op::Add, terms.into());
                    self.wire(section, &format!("{name}_sum"), width, sum)
                }
            };
            let value = self.keep(keeping, &name, (raw, width), time, last + 1);
            words.insert(self.last[word], value);
        }
        (words, last)
    }

    /// A term of a word after the last turn, in clock `until` of the end.
    ///
    /// What it is made from is kept, and it is made once more: a second user of the term would keep
    /// synthesis from making one look-up table of the term and the multiplexer behind it.
    fn last_term(&mut self, keeping: Keeping, word: usize, until: i64) -> Value {
        let clock = self.rounds.bases[word].chosen() + 1;
        let block = self.rounds.block;
        let value = block.function.outputs()[word].value;
        let logic = match block.schedule.nodes[value.index()].clock == clock {
            true => logic(block, value),
            false => Vec::new(),
        };
        self.made_again(keeping, value, &logic, (clock, until))
    }

    fn made_again(
        &mut self,
        keeping: Keeping,
        node: NodeId,
        logic: &[NodeId],
        (clock, until): (i64, i64),
    ) -> Value {
        let function = &self.rounds.block.function;
        let (op, width) = (function.op(node), function.width(node).into());
        let key = (Key::Last(node), usize::from(logic.contains(&node)), clock);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        if !logic.contains(&node) {
            let value = self.node(Which::Rounds, self.stages - 1, node, clock);
            let name = format!("last_{}{}", op.name(), node.0);
            let time = clock - 1 + self.shift;
            let kept = self.keep(keeping, &name, (value, width), time, until);
            self.known.insert(key, kept);
            return kept;
        }
        let args = function.args(node).to_vec().into_iter();
        let args = args.map(|arg| self.made_again(keeping, arg, logic, (clock, until)));
        let args = args.collect();
        let name = format!("last_{}{}_again", op.name(), node.0);
        let made = self.wire(keeping.section, &name, width, Expr::Op(op, args));
        self.known.insert(key, made);
        made
    }

    /// What is there in clock `time` of the end, in registers until clock `until`.
    fn keep(
        &mut self,
        Keeping { section, held }: Keeping,
        name: &str,
        (mut value, width): (Value, u32),
        time: i64,
        until: i64,
    ) -> Value {
        for _ in time..if held { time + 1 } else { until } {
            let load = held.then(|| self.start_at(self.stages, time));
            value = self.register(section, name, width, value, load);
        }
        value
    }
}

/// The last logic of a row of 3:2 compressors: h ^ z, or (c | h & z) << 1.
fn logic(block: &manylane_plan::hardware::Block, value: NodeId) -> Vec<NodeId> {
    let function = &block.function;
    let mut value = value;
    let mut logic = Vec::new();
    while let Op::Shl(_) = function.op(value) {
        logic.push(value);
        value = function.args(value)[0];
    }
    match function.op(value) {
        Op::Xor => logic.push(value),
        Op::Or => {
            logic.push(value);
            let is_and = |arg: &&NodeId| function.op(**arg) == Op::And;
            // The carry of h and z, not that of the terms of h.
            logic.extend(function.args(value).iter().filter(is_and).max());
        }
        _ => {}
    }
    logic
}
