//! The words after the last turn, which registers keep while the next block's turns begin.

use super::datapath::Datapath;
use super::recurrences::Which;
use crate::rtl::netlist::{Expr, Value};
use crate::rtl::ring::{WordSource, source};
use manylane_graph::{NodeId, Op};
use manylane_plan::hardware::Region;
use std::collections::{HashMap, HashSet};

/// Makes the words after the last turn.
pub(super) struct LastWords<'d, 'm> {
    path: &'d mut Datapath<'m>,
    section: usize,
    /// Whether values are kept until those of the next block arrive. Otherwise a row of registers
    /// keeps them for as many clocks as they are needed.
    held: bool,
    /// Nodes of the last turn by clock: those that are kept, and those that are made again from
    /// what was kept.
    made: HashMap<(NodeId, bool, i64), Value>,
}

impl<'d, 'm> LastWords<'d, 'm> {
    /// The words after the last turn by node of the compression, and the clock, counted from the
    /// end of the last stage, after which all of them are available.
    pub(super) fn make(
        path: &'d mut Datapath<'m>,
        section: usize,
    ) -> (HashMap<NodeId, Value>, i64) {
        let recurrences = path.recurrences();
        let (ring, shift) = (recurrences.ring(Which::Rounds), path.times().shift);
        let second = recurrences.second;
        // A word whose register is loaded through a chain of words is taken from its source word, a
        // clock later.
        let late = |word: usize| ring.chains[word].is_some();
        let chosen = |word: usize| ring.bases[word].chosen() + i64::from(late(word)) + shift;
        // The two terms of a word are added in the clock after they are available.
        let times = second.iter().enumerate().map(|(word, second)| match *second {
            Some(second) => chosen(word).max(chosen(second)) + 1,
            None => chosen(word),
        });
        let times: Vec<i64> = times.collect();
        let first = (0..ring.region.words).map(chosen).min().expect("words");
        let last = times.iter().copied().max().expect("words");
        let held = last - first < path.times().clocks as i64;
        let nodes = path.asked().program.last_words();
        let mut words = Self { path, section, held, made: HashMap::new() };
        let word = |(word, (&time, node)): (usize, (&i64, NodeId))| {
            (node, words.word(word, second[word], (time, last + 1)))
        };
        (times.iter().zip(nodes).enumerate().map(word).collect(), last)
    }

    /// The value in clock `until` of a word that is available in clock `time`, both counted from
    /// the end.
    fn word(&mut self, word: usize, second: Option<usize>, (time, until): (i64, i64)) -> Value {
        let recurrences = self.path.recurrences();
        let name = format!("last_{}", recurrences.word_name(Which::Rounds, word));
        let width = recurrences.width(Which::Rounds, word);
        let raw = match second {
            None => self.whole(word),
            Some(second) => {
                let logic = self.logic([word, second]);
                let terms = [word, second].map(|word| self.term(word, &logic, time));
                let sum = Expr::Op(Op::Add, terms.into());
                self.path.net.wire(self.section, &format!("{name}_sum"), width, sum).into()
            }
        };
        self.keep(&name, (raw, width), time, until)
    }

    fn region(&self) -> &'m Region {
        self.path.recurrences().ring(Which::Rounds).region
    }

    /// The clock of the turn in which a word is chosen.
    fn chosen(&self, word: usize) -> i64 {
        self.path.recurrences().ring(Which::Rounds).bases[word].chosen()
    }

    /// A word of one term after the last turn, when it is first available, in a register or out of
    /// its logic.
    fn whole(&mut self, word: usize) -> Value {
        let stage = self.path.times().stages - 1;
        let ring = self.path.recurrences().ring(Which::Rounds);
        match (&ring.chains[word], source(ring.region, word)) {
            (Some(_), WordSource::Word(from)) => {
                self.path.word(Which::Rounds, stage, from, ring.bases[word].clock + 1)
            }
            _ => self.path.result(Which::Rounds, stage, word),
        }
    }

    /// A term of a word after the last turn, in clock `until` of the end.
    ///
    /// The operands of the term are kept, and the term is computed once more: with a second user of
    /// the term, synthesis could not make one look-up table of it and the multiplexer behind it.
    fn term(&mut self, word: usize, logic: &[NodeId], until: i64) -> Value {
        let value = self.region().function.outputs()[word].value;
        self.made_again(value, logic, (self.chosen(word) + 1, until))
    }

    /// The logic that is computed again for two terms out of the last level of a row of 3:2
    /// compressors: all the logic of their clock, if that keeps as few values or one more; else
    /// only the row's last level, h ^ z and (c | h & z) << 1.
    fn logic(&self, words: [usize; 2]) -> Vec<NodeId> {
        let region = self.region();
        let (mut rows, mut all) = (Vec::new(), Vec::new());
        for word in words {
            let value = region.function.outputs()[word].value;
            let clock = region.schedule.nodes[value.index()].clock;
            if clock == self.chosen(word) + 1 {
                rows.extend(row(region, value));
                gates(region, value, &mut all);
            }
        }
        if kept(region, &all).len() <= kept(region, &rows).len() + 1 { all } else { rows }
    }

    fn made_again(&mut self, node: NodeId, logic: &[NodeId], (clock, until): (i64, i64)) -> Value {
        let function = &self.region().function;
        let (op, width) = (function.op(node), function.width(node).into());
        if let Op::Const(value) = op {
            return Value::Const(value);
        }
        let is_again = logic.contains(&node);
        let key = (node, is_again, clock);
        if let Some(&known) = self.made.get(&key) {
            return known;
        }
        let made = if is_again {
            let args = function.args(node).iter();
            let args = args.map(|&arg| self.made_again(arg, logic, (clock, until))).collect();
            let name = format!("last_{}{}_again", op.name(), node.0);
            self.path.net.wire(self.section, &name, width, Expr::Op(op, args)).into()
        } else {
            let stage = self.path.times().stages - 1;
            let value = self.path.node(Which::Rounds, stage, node, clock);
            let name = match op {
                Op::Input(word) => {
                    let recurrences = self.path.recurrences();
                    format!("last_turn_{}", recurrences.word_name(Which::Rounds, word as usize))
                }
                _ => format!("last_{}{}", op.name(), node.0),
            };
            let time = clock - 1 + self.path.times().shift;
            self.keep(&name, (value, width), time, until)
        };
        self.made.insert(key, made);
        made
    }

    /// Keeps a value that is available in clock `time` of the end in registers until clock `until`.
    fn keep(
        &mut self,
        name: &str,
        (mut value, width): (Value, u32),
        time: i64,
        until: i64,
    ) -> Value {
        let stages = self.path.times().stages;
        for _ in time..if self.held { time + 1 } else { until } {
            let load = self.held.then(|| self.path.start_at(stages, time));
            value = self.path.net.register(self.section, name, width, value, load).into();
        }
        value
    }
}

/// The last level of a row.
fn row(region: &Region, value: NodeId) -> Vec<NodeId> {
    let function = &region.function;
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
fn gates(region: &Region, value: NodeId, all: &mut Vec<NodeId>) {
    let Region { function, schedule, words, .. } = region;
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
    ) && !region.varying.contains(&value);
    let is_side =
        |arg: &NodeId| matches!(function.op(*arg), Op::Input(i) if (i as usize) >= *words);
    let args = function.args(value);
    if !is_gate || all.contains(&value) || args.iter().any(is_side) {
        return;
    }
    all.push(value);
    for arg in args {
        if clock(arg) == clock(&value) {
            gates(region, *arg, all);
        }
    }
}

/// The values that gates take and that do not come from these gates.
fn kept(region: &Region, gates: &[NodeId]) -> HashSet<NodeId> {
    let args = gates.iter().flat_map(|&gate| region.function.args(gate).iter().copied());
    let is_made = |node: &NodeId| !matches!(region.function.op(*node), Op::Const(_));
    args.filter(|arg| !gates.contains(arg)).filter(is_made).collect()
}
