//! What a turn computes: words of the state, operations, and what comes from beside the rounds.

use super::{Key, Maker, Which};
use crate::rtl::netlist::{Driver, Expr, SignalId, Value};
use crate::rtl::ring::{Source, source};
use manylane_graph::{NodeId, Op};

impl<'m> Maker<'m> {
    /// Word `word` before a turn, in clock `clock` of the turn.
    pub(super) fn word(&mut self, which: Which, stage: usize, word: usize, clock: i64) -> Value {
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
        let time = base.chosen() + self.shift_of(which);
        let condition = self.start_at(stage, time);
        let then = match (stage, which) {
            (0, Which::Rounds) => self.opening(self.turns[0].arguments[word], time),
            (0, Which::Schedule) => {
                let first = self.ring(which).block.turns[0].arguments[word];
                self.input_at(first, time)
            }
            _ => self.result(which, stage - 1, word),
        };
        let otherwise = self.result(which, stage, word);
        // A recurrence on the way may have come by here.
        if let Some(&known) = self.known.get(&key).filter(|_| register.is_none()) {
            return known;
        }
        let chosen = Expr::Choose { condition, then, otherwise };
        match register {
            Some(register) => {
                self.net.connect(register, chosen);
                Value::Signal(register)
            }
            None => {
                let section = self.section_of(stage);
                let wire = self.wire(section, &name, width, chosen);
                self.known.insert(key, wire);
                wire
            }
        }
    }

    /// Word `word` after a turn, in the clock in which the next turn's multiplexer chooses.
    pub(super) fn result(&mut self, which: Which, stage: usize, word: usize) -> Value {
        let ring = self.ring(which);
        let clock = ring.bases[word].chosen() + 1;
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
        if let (Op::Lut3(0xca), Which::Rounds, Op::Input(i)) =
            (op, which, block.function.op(args[0]))
            && let Some(mask) = self.mask(stage, i as usize)
        {
            let [then, otherwise] = [1, 2].map(|i| self.node(which, stage, args[i], clock));
            // A recurrence on the way may have come by here.
            if let Some(&known) = self.known.get(&key) {
                return known;
            }
            let value = self.masked(stage, clock, &name, width, (mask, then, otherwise));
            self.known.insert(key, value);
            return value;
        }
        let args: Vec<Value> =
            args.into_iter().map(|arg| self.node(which, stage, arg, clock)).collect();
        // A recurrence on the way may have come by here.
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
        let turns = self.turns_of(stage).into_iter();
        let is_ones = turns.map(|(_, turn)| {
            let constant = turn.arguments.get(input).map(|&node| self.compression.op(node));
            match constant {
                Some(Op::Const(0)) => Some(false),
                Some(Op::Const(value)) if value == ones => Some(true),
                _ => None,
            }
        });
        is_ones.collect()
    }

    /// One of two values, the first in the turns of the mask.
    fn masked(
        &mut self,
        stage: usize,
        clock: i64,
        name: &str,
        width: u32,
        (mask, then, otherwise): (Vec<bool>, Value, Value),
    ) -> Value {
        let turns = |of: bool| {
            let turns = mask.iter().enumerate().filter(move |(_, is_ones)| **is_ones == of);
            turns.map(|(t, _)| t as u32).collect::<Vec<_>>()
        };
        let (ones, zeros) = (turns(true), turns(false));
        match (ones.is_empty(), zeros.is_empty()) {
            (_, true) => return then,
            (true, _) => return otherwise,
            (false, false) => {}
        }
        let first = vec![(ones, 1), (zeros, 0)];
        let condition = self.table(stage, clock, &format!("{name}_first"), 1, first);
        let section = self.section_of(stage);
        self.wire(section, name, width, Expr::Choose { condition, then, otherwise })
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
        let turns = self.turns_of(stage);
        let column: Vec<(usize, NodeId)> =
            turns.iter().map(|(t, turn)| (*t, turn.arguments[input])).collect();
        let global: Vec<(usize, NodeId)> =
            column.iter().map(|&(t, node)| (stage * self.clocks + t, node)).collect();
        let made = self.made(&global, first);
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
    pub(super) fn common(&mut self, stage: usize, column: &[(usize, NodeId)], clock: i64) -> Value {
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        enum Kind {
            Const(u64),
            Window(usize),
            Kept(usize, NodeId),
            Op(Op, usize),
        }
        let kind = |t: usize, node: NodeId| {
            let g = stage * self.clocks + t;
            if let Some(place) = self.place_in_window(g, node) {
                return Kind::Window(place);
            }
            match self.compression.op(node) {
                Op::Const(value) => Kind::Const(value),
                Op::Input(_) => {
                    let time = g as i64 + clock + self.shift;
                    Kind::Kept((time - 1) as usize / self.clocks, node)
                }
                op => Kind::Op(op, self.compression.args(node).len()),
            }
        };
        let mut kinds: Vec<(Kind, Vec<(usize, NodeId)>)> = Vec::new();
        for &(t, node) in column {
            let kind = kind(t, node);
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, turns)) => turns.push((t, node)),
                None => kinds.push((kind, vec![(t, node)])),
            }
        }
        let mut arms = Vec::new();
        for (kind, turns) in kinds {
            let value = match kind {
                Kind::Const(value) => Value::Const(value),
                Kind::Window(place) => {
                    let clock = clock + self.shift - self.schedule_shift;
                    self.word(Which::Schedule, stage, place, clock)
                }
                Kind::Kept(kept, node) => Value::Signal(self.kept(kept, node)),
                Kind::Op(op, count) => {
                    let args: Vec<Value> = (0..count)
                        .map(|i| {
                            let arg =
                                |&(t, node): &(usize, NodeId)| (t, self.compression.args(node)[i]);
                            let below: Vec<(usize, NodeId)> = turns.iter().map(arg).collect();
                            self.common(stage, &below, clock)
                        })
                        .collect();
                    let section = self.section_of(stage);
                    let width = self.compression.width(turns[0].1).into();
                    let name = format!("s{stage}_ahead_{}{}", op.name(), turns[0].1.0);
                    self.wire(section, &name, width, Expr::Op(op, args))
                }
            };
            arms.push((turns.iter().map(|(t, _)| *t as u32).collect::<Vec<_>>(), value));
        }
        if let [(_, value)] = arms[..] {
            return value;
        }
        let width = self.compression.width(column[0].1).into();
        self.select(stage, clock, &format!("s{stage}_chosen{}", column[0].1.0), width, arms)
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
