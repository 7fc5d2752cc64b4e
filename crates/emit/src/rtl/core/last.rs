//! The words after the last turn, which registers keep while the next block's turns begin.

use super::{Key, Maker, Which};
use crate::rtl::netlist::{Expr, Value};
use crate::rtl::ring::{Source, source};
use manylane_graph::{NodeId, Op};
use manylane_plan::hardware::Block;
use std::collections::{HashMap, HashSet};

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
        // A word that is in its register before the one that it was is taken from there.
        let late = |word: usize| self.rounds.chains[word].is_some();
        let chosen =
            |word: usize| self.rounds.bases[word].chosen() + i64::from(late(word)) + self.shift;
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
                None => self.last_word(word),
                Some(second) => {
                    let logic = self.last_logic([word, second]);
                    let terms =
                        [word, second].map(|word| self.last_term(keeping, word, &logic, time));
                    let sum = Expr::Op(Op::Add, terms.into());
                    self.wire(section, &format!("{name}_sum"), width, sum)
                }
            };
            let value = self.keep(keeping, &name, (raw, width), time, last + 1);
            words.insert(self.last[word], value);
        }
        (words, last)
    }

    /// A word after the last turn, when it is first there in a register or what makes it.
    fn last_word(&mut self, word: usize) -> Value {
        let stage = self.stages - 1;
        let base = self.rounds.bases[word];
        match (&self.rounds.chains[word], source(self.rounds.block, word)) {
            (Some(_), Source::Word(from)) => self.word(Which::Rounds, stage, from, base.clock + 1),
            _ => self.result(Which::Rounds, stage, word),
        }
    }

    /// A term of a word after the last turn, in clock `until` of the end.
    ///
    /// What it is made from is kept, and it is made once more: a second user of the term would keep
    /// synthesis from making one look-up table of the term and the multiplexer behind it.
    fn last_term(&mut self, keeping: Keeping, word: usize, logic: &[NodeId], until: i64) -> Value {
        let value = self.rounds.block.function.outputs()[word].value;
        let clock = self.rounds.bases[word].chosen() + 1;
        self.made_again(keeping, value, logic, (clock, until))
    }

    /// What is made again of two terms that come out of the last logic of a row of 3:2 compressors:
    /// all the logic of their clock, if that keeps as few values or one more; else what the row's last
    /// level has, h ^ z and (c | h & z) << 1.
    fn last_logic(&self, words: [usize; 2]) -> Vec<NodeId> {
        let block = self.rounds.block;
        let (mut rows, mut all) = (Vec::new(), Vec::new());
        for word in words {
            let value = block.function.outputs()[word].value;
            let clock = block.schedule.nodes[value.index()].clock;
            if clock == self.rounds.bases[word].chosen() + 1 {
                rows.extend(row(block, value));
                gates(block, value, &mut all);
            }
        }
        if kept(block, &all).len() <= kept(block, &rows).len() + 1 { all } else { rows }
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
        if let Op::Const(value) = op {
            return Value::Const(value);
        }
        let key = (Key::Last(node), usize::from(logic.contains(&node)), clock);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        if !logic.contains(&node) {
            let value = self.node(Which::Rounds, self.stages - 1, node, clock);
            let name = match op {
                Op::Input(word) => {
                    format!("last_turn_{}", self.word_name(Which::Rounds, word as usize))
                }
                _ => format!("last_{}{}", op.name(), node.0),
            };
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

/// The last level of a row.
fn row(block: &Block, value: NodeId) -> Vec<NodeId> {
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

/// The gates of one clock that a value comes from, none of which takes what turns choose.
fn gates(block: &Block, value: NodeId, all: &mut Vec<NodeId>) {
    let Block { function, schedule, words, .. } = block;
    let clock = |node: &NodeId| schedule.nodes[node.index()].clock;
    let is_gate = matches!(
        function.op(value),
        Op::And
            | Op::Or
            | Op::Xor
            | Op::Xnor
            | Op::Not
            | Op::Lut3(_)
            | Op::Rotl(_)
            | Op::Rotr(_)
            | Op::Shl(_)
            | Op::Shr(_)
    ) && !block.varying.contains(&value);
    let is_side =
        |arg: &NodeId| matches!(function.op(*arg), Op::Input(i) if (i as usize) >= *words);
    let args = function.args(value);
    if !is_gate || all.contains(&value) || args.iter().any(is_side) {
        return;
    }
    all.push(value);
    for arg in args {
        if clock(arg) == clock(&value) {
            gates(block, *arg, all);
        }
    }
}

/// What gates take that are not among them.
fn kept(block: &Block, gates: &[NodeId]) -> HashSet<NodeId> {
    let args = gates.iter().flat_map(|&gate| block.function.args(gate).iter().copied());
    let is_made = |node: &NodeId| !matches!(block.function.op(*node), Op::Const(_));
    args.filter(|arg| !gates.contains(arg)).filter(is_made).collect()
}
