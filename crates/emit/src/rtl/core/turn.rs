//! What a turn computes: words of the state, operations, and what comes from beside the rounds.

use super::choice::{Column, Kind, merged};
use super::{Key, Maker, Which};
use crate::rtl::netlist::{Driver, Expr, SignalId, Value};
use crate::rtl::ring::{Source, source};
use manylane_graph::{NodeId, Op};
use manylane_plan::hardware::Turn;

impl<'m> Maker<'m> {
    /// Word `word` before a turn, in clock `clock` of the turn.
    pub(super) fn word(&mut self, which: Which, stage: usize, word: usize, clock: i64) -> Value {
        if which == Which::Schedule && self.ram.is_some() {
            return self.schedule_word(stage, word, clock);
        }
        let key = (Key::Word(which, word), stage, clock);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let base = self.ring(which).bases[word];
        assert!(clock >= base.clock, "a word is not used before it is there");
        let name = format!("s{stage}_{}", self.word_name(which, word));
        let width = self.width(self.ring(which).block, word);
        if clock > base.clock {
            let register = self.recurrent(key, &format!("{name}_late"), width);
            let before = self.word(which, stage, word, clock - 1);
            self.net.connect(register, Expr::Value(before));
            return Value::Signal(register);
        }
        let register = base.registered.then(|| self.recurrent(key, &name, width));
        let entries = match (which, &self.ring(which).chains[word]) {
            (Which::Rounds, None) => vec![(word, base.chosen() + self.shift)],
            (Which::Rounds, Some(chain)) => {
                let time = |place: usize| base.chosen() + self.shift + place as i64;
                chain.iter().enumerate().map(|(i, &word)| (word, time(i))).rev().collect()
            }
            (Which::Schedule, _) => self.entries[word].clone(),
        };
        let value = self.result(which, stage, word);
        // Around the ring, a word that is no register may be among what it is made of.
        if let Some(&known) = self.known.get(&key).filter(|_| register.is_none()) {
            return known;
        }
        let mut entering = Vec::with_capacity(entries.len());
        for (enters, time) in entries {
            let condition = self.start_at(stage, time);
            let new = match (stage, which) {
                (0, Which::Rounds) if self.first_term(enters).is_some() => Value::Const(0),
                (0, Which::Rounds) => self.opening(self.turns[0].arguments[enters], time),
                (0, Which::Schedule) => {
                    let first = self.ring(which).block.turns[0].arguments[enters];
                    self.input_at(first, time)
                }
                _ => self.result_later(which, stage - 1, word, self.handing as i64),
            };
            entering.push((condition, new));
        }
        let chosen = self.entered(stage, &name, width, &entering, value);
        match register {
            Some(register) => {
                self.net.connect(register, chosen);
                Value::Signal(register)
            }
            None => {
                // Around the ring, it may be among what it is made of.
                if let Some(&known) = self.known.get(&key) {
                    return known;
                }
                let section = self.section_of(stage);
                let wire = self.wire(section, &name, width, chosen);
                self.known.insert(key, wire);
                wire
            }
        }
    }

    /// The word that enters in its clock, else `otherwise`: words are chosen from first, because
    /// they are there from the start, and what a turn makes comes late.
    fn entered(
        &mut self,
        stage: usize,
        name: &str,
        width: u32,
        entering: &[(SignalId, Value)],
        otherwise: Value,
    ) -> Expr {
        let [(condition, then), others @ ..] = entering else { return Expr::Value(otherwise) };
        if others.is_empty() {
            return Expr::Choose { condition: *condition, then: *then, otherwise };
        }
        let section = self.section_of(stage);
        let mut new = *then;
        for &(condition, then) in others.iter().filter(|(_, then)| then != &entering[0].1) {
            let chosen = Expr::Choose { condition, then, otherwise: new };
            new = self.wire(section, &format!("{name}_new"), width, chosen);
        }
        let starts = entering.iter().map(|(start, _)| Value::Signal(*start)).collect();
        let enters = self.wire(section, &format!("{name}_enters"), 1, Expr::Op(Op::Or, starts));
        let Value::Signal(condition) = enters else { unreachable!("wires are signals") };
        Expr::Choose { condition, then: new, otherwise }
    }

    /// Word `word` after a turn, in the clock in which the next turn's multiplexer chooses.
    pub(super) fn result(&mut self, which: Which, stage: usize, word: usize) -> Value {
        self.result_later(which, stage, word, 0)
    }

    /// The same so many clocks later.
    fn result_later(&mut self, which: Which, stage: usize, word: usize, later: i64) -> Value {
        let ring = self.ring(which);
        if let Some(&from) = ring.chains[word].as_ref().and_then(|chain| chain.last()) {
            return self.result_later(which, stage, from, later);
        }
        let clock = ring.bases[word].chosen() + 1 + later;
        let value = ring.block.function.outputs()[word].value;
        match source(ring.block, word) {
            Source::Word(from) => self.word(which, stage, from, clock),
            Source::Made(_) | Source::Constant => self.node(which, stage, value, clock),
        }
    }

    /// A node of a block, in clock `clock` of the turn.
    pub(super) fn node(&mut self, which: Which, stage: usize, node: NodeId, clock: i64) -> Value {
        let block = self.ring(which).block;
        let op = block.function.op(node);
        match op {
            Op::Const(value) => return Value::Const(value),
            Op::Input(i) if (i as usize) < block.words => {
                return self.word(which, stage, i as usize, clock);
            }
            Op::Input(i) => return self.side(stage, i as usize, clock),
            _ => {}
        }
        let key = (Key::Node(which, node), stage, clock);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let placed = block.schedule.nodes[node.index()].clock;
        assert!(clock >= placed, "an operation's value is not used before it is there");
        let width = block.function.width(node).into();
        let prefix = match which {
            Which::Rounds => "",
            Which::Schedule => "w_",
        };
        let name = format!("s{stage}_{prefix}{}{}", op.name(), node.0);
        if clock > placed {
            let register = self.recurrent(key, &format!("{name}_late"), width);
            let before = self.node(which, stage, node, clock - 1);
            self.net.connect(register, Expr::Value(before));
            return Value::Signal(register);
        }
        let args = block.function.args(node).to_vec();
        let mask = match (op, which, block.function.op(args[0])) {
            (Op::Lut3(CHOOSE), Which::Rounds, Op::Input(i)) => self.mask(stage, i as usize),
            _ => None,
        };
        if let Some(mask) = mask {
            return self.masked(key, &name, width, mask, [args[1], args[2]]);
        }
        let args: Vec<Value> =
            args.into_iter().map(|arg| self.node(which, stage, arg, clock)).collect();
        // Around the ring, it may be among what it is made of.
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let section = self.section_of(stage);
        let varying = block.varying.iter().position(|&varying| varying == node);
        let value = match varying.filter(|_| which == Which::Rounds) {
            None => self.wire(section, &name, width, Expr::Op(op, args)),
            Some(varying) => {
                let mut arms: Vec<(Vec<u32>, Value)> = Vec::new();
                let mut ops: Vec<Op> = Vec::new();
                for (t, turn) in self.turns_of(stage) {
                    let op = turn.amounts[varying];
                    match ops.iter().position(|known| *known == op) {
                        Some(arm) => arms[arm].0.push(t as u32),
                        None => {
                            let amount = op.immediate().unwrap_or(0);
                            let name = format!("{name}_by{amount}");
                            let turned = Expr::Op(op, args.clone());
                            ops.push(op);
                            arms.push((vec![t as u32], self.wire(section, &name, width, turned)));
                        }
                    }
                }
                self.select(stage, clock, &name, width, arms)
            }
        };
        self.known.insert(key, value);
        value
    }

    /// For each turn of a stage whether a side input is ones, if it is ones or zeros in all of them.
    fn mask(&self, stage: usize, input: usize) -> Option<Vec<bool>> {
        let block = self.rounds.block;
        let ones = u64::MAX >> (64 - block.function.width(block.function.inputs()[input].node));
        let is_ones = |(_, turn): (usize, &Turn)| {
            let argument = turn.arguments.get(input)?;
            match self.compression.op(*argument) {
                Op::Const(0) => Some(false),
                Op::Const(value) if value == ones => Some(true),
                _ => None,
            }
        };
        self.turns_of(stage).into_iter().map(is_ones).collect()
    }

    /// The first of two nodes in the turns of a mask, else the second.
    fn masked(
        &mut self,
        key: (Key, usize, i64),
        name: &str,
        width: u32,
        mask: Vec<bool>,
        nodes: [NodeId; 2],
    ) -> Value {
        let (_, stage, clock) = key;
        let turns = |first: bool| -> Vec<u32> {
            (0..).zip(&mask).filter(|(_, is_first)| **is_first == first).map(|(t, _)| t).collect()
        };
        let (first, second) = (turns(true), turns(false));
        let mut node = |i: usize| self.node(Which::Rounds, stage, nodes[i], clock);
        // A stage without turns of one kind does not make what only they take.
        let values = match (first.is_empty(), second.is_empty()) {
            (_, true) => [node(0); 2],
            (true, false) => [node(1); 2],
            (false, false) => [node(0), node(1)],
        };
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let value = match values {
            [then, otherwise] if then == otherwise => then,
            [then, otherwise] => {
                let [condition] = self.arm(stage, clock, vec![second, first])[..] else {
                    unreachable!("one bit chooses from two")
                };
                let section = self.section_of(stage);
                self.wire(section, name, width, Expr::Choose { condition, then, otherwise })
            }
        };
        self.known.insert(key, value);
        value
    }

    /// A side input of the rounds' block, in clock `clock` of the turn.
    pub(super) fn side(&mut self, stage: usize, input: usize, clock: i64) -> Value {
        let key = (Key::Side(input), stage, clock);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let first = self.first_use(input).unwrap_or(clock);
        if clock > first {
            let before = self.side(stage, input, clock - 1);
            return self.delayed(key, before);
        }
        let turns = self.turns_of(stage).into_iter();
        let argument = |(t, turn): (usize, &Turn)| (stage * self.clocks + t, turn.arguments[input]);
        let column: Vec<(usize, NodeId)> = turns.map(argument).collect();
        let made = self.made(&column, first);
        let value = self.common(stage, &column, made);
        if made == first {
            self.known.insert(key, value);
            return value;
        }
        let section = self.section_of(stage);
        let name = &self.rounds.block.function.inputs()[input].name;
        let name = format!("s{stage}_{name}");
        let width =
            self.rounds.block.function.width(self.rounds.block.function.inputs()[input].node);
        let value = match value {
            Value::Const(_) => value,
            Value::Signal(_) => self.register(section, &name, width.into(), value, None),
        };
        self.known.insert(key, value);
        value
    }

    /// What is `node` of the compression in turn t of a stage, for each (t, node), in clock `clock`
    /// of the turn: computed once for all turns if it is the same operation in all of them.
    pub(super) fn common(&mut self, stage: usize, column: &Column, clock: i64) -> Value {
        let mut arms: Vec<(Vec<u32>, Value)> = Vec::new();
        for (kind, turns) in self.kinds(column) {
            let value = match kind {
                Kind::Const(value) => Value::Const(value),
                Kind::Window(place) => {
                    if self.ram.is_some() {
                        self.window_word(stage, place, clock)
                    } else {
                        let clock = clock + self.shift - self.schedule_shift;
                        self.word(Which::Schedule, stage, place, clock)
                    }
                }
                Kind::Word => self.by_number(stage, &turns, clock),
                Kind::Input(node) => {
                    // Turns at a stage's end may find the input kept for the next stage.
                    for &(g, _) in &turns {
                        let time = (g + stage * self.handing) as i64 + clock + self.shift;
                        let kept = (time - 1) as usize / self.clocks;
                        let value = Value::Signal(self.kept(kept, node));
                        arms.push((vec![(g - stage * self.clocks) as u32], value));
                    }
                    continue;
                }
                Kind::Op(op, count) => self.operation(stage, &turns, clock, op, count),
            };
            let turns = turns.iter().map(|(g, _)| (g - stage * self.clocks) as u32);
            arms.push((turns.collect(), value));
        }
        let arms = merged(arms);
        if let [(_, value)] = arms[..] {
            return value;
        }
        let width = self.compression.width(column[0].1).into();
        self.select(stage, clock, &format!("s{stage}_chosen{}", column[0].1.0), width, arms)
    }

    /// An operation beside the rounds, once for all that takes it: words of a message schedule that is
    /// unrolled are taken by four others.
    fn operation(
        &mut self,
        stage: usize,
        column: &Column,
        clock: i64,
        op: Op,
        count: usize,
    ) -> Value {
        let key = (stage, (column.to_vec(), clock));
        if let Some(&known) = self.operations.get(&key) {
            return known;
        }
        let args = (0..count).map(|i| {
            let below = self.arguments(column, i);
            self.operand(stage, &below, clock)
        });
        let args = args.collect();
        let section = self.section_of(stage);
        let width = self.compression.width(column[0].1).into();
        let name = format!("s{stage}_ahead_{}{}", op.name(), column[0].1.0);
        let value = self.wire(section, &name, width, Expr::Op(op, args));
        self.operations.insert(key, value);
        value
    }

    /// What an operation beside the rounds takes. What the turns choose from is chosen a clock
    /// ahead: a table of constants and an adder after it would be the longest path of all.
    fn operand(&mut self, stage: usize, column: &Column, clock: i64) -> Value {
        let ahead = self.ahead(column);
        let mut value = self.common(stage, column, clock - ahead);
        let width = self.compression.width(column[0].1).into();
        let section = self.section_of(stage);
        let name = format!("s{stage}_ahead_chosen{}", column[0].1.0);
        for _ in 0..ahead {
            value = self.register(section, &name, width, value, None);
        }
        value
    }

    /// A register in a recurrence: it is known before what it takes, which depends on it.
    pub(super) fn recurrent(&mut self, key: (Key, usize, i64), name: &str, width: u32) -> SignalId {
        let section = self.section_of(key.1);
        let driver = Driver::Register { next: None, load: None, reset: false };
        let register = self.net.add(section, name, width, driver);
        self.known.insert(key, Value::Signal(register));
        register
    }
}

/// The table of x ? y : z.
const CHOOSE: u8 = 0xca;
