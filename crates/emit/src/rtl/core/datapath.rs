//! Makes the data path of a turn: words of the state, operations, and values that enter from
//! outside the rounds.

use super::architecture::Microarchitecture;
use super::asked::Asked;
use super::chaining::Chain;
use super::columns::{Column, Columns, NodeKind, TimedColumn, merged};
use super::control::Control;
use super::inputs::Carried;
use super::recurrences::{Recurrences, Which};
use super::sources::Sources;
use super::stage::stage_section;
use super::timetable::Timetable;
use crate::rtl::netlist::{Expr, Netlist, SignalId, Value};
use crate::rtl::ring::{WordSource, source};
use manylane_graph::{NodeId, Op};
use manylane_plan::hardware::Turn;
use std::collections::HashMap;

/// A value of a stage's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum TurnValue {
    /// A word of a recurrence's state.
    Word(Which, usize),
    /// A node of a recurrence's function.
    Node(Which, NodeId),
    /// A side input of the rounds.
    Side(usize),
}

/// A value in a stage, in a clock of its turn.
type Key = (TurnValue, usize, i64);

/// The netlist while it is built. A value is made when it is first asked for; a value that is used
/// in a later clock passes through pipeline registers.
#[derive(Debug)]
pub(super) struct Datapath<'m> {
    arch: &'m Microarchitecture<'m>,
    pub(super) net: Netlist,
    pub(super) control: Control<'m>,
    pub(super) sources: Sources<'m>,
    /// Values of the turns.
    known: HashMap<Key, Value>,
    /// Operations outside the rounds, by stage.
    operations: HashMap<(usize, TimedColumn), Value>,
}

impl<'m> Datapath<'m> {
    /// A data path without a value.
    pub(super) fn new(
        arch: &'m Microarchitecture<'m>,
        net: Netlist,
        control: Control<'m>,
        sources: Sources<'m>,
    ) -> Self {
        let (known, operations) = Default::default();
        Self { arch, net, control, sources, known, operations }
    }

    /// The program and the options of the core.
    pub(super) fn asked(&self) -> Asked<'m> {
        self.arch.asked
    }

    /// The core's recurrences.
    pub(super) fn recurrences(&self) -> &'m Recurrences<'m> {
        &self.arch.recurrences
    }

    /// The clocks in which turns begin.
    pub(super) fn times(&self) -> &'m Timetable {
        &self.arch.times
    }

    fn columns(&self) -> Columns<'m> {
        Columns { asked: self.asked(), recurrences: self.recurrences() }
    }

    /// Whether a block entered stage `stage` exactly `clocks` clocks ago.
    pub(super) fn start_at(&mut self, stage: usize, clocks: i64) -> SignalId {
        self.control.start_at(&mut self.net, stage, clocks)
    }

    /// Word `word` before a turn, in clock `clock` of the turn.
    pub(super) fn word(&mut self, which: Which, stage: usize, word: usize, clock: i64) -> Value {
        if let (Which::Schedule, Some(window)) = (which, &mut self.sources.window) {
            return window.schedule_word(&mut self.net, &mut self.control, (stage, clock), word);
        }
        let key = (TurnValue::Word(which, word), stage, clock);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let recurrences = self.recurrences();
        let ring = recurrences.ring(which);
        let (base, shift) = (ring.bases[word], self.times().shift);
        assert!(clock >= base.clock, "a word is not used before it is there");
        let name = format!("s{stage}_{}", recurrences.word_name(which, word));
        let width = recurrences.width(which, word);
        if clock > base.clock {
            let register = self.recurrent(key, &format!("{name}_late"), width);
            let before = self.word(which, stage, word, clock - 1);
            self.net.connect(register, Expr::Value(before));
            return register.into();
        }
        let register = base.registered.then(|| self.recurrent(key, &name, width));
        let entries = match (which, &ring.chains[word]) {
            (Which::Rounds, None) => vec![(word, base.chosen() + shift)],
            (Which::Rounds, Some(chain)) => {
                let time = |place: usize| base.chosen() + shift + place as i64;
                chain.iter().enumerate().map(|(i, &word)| (word, time(i))).rev().collect()
            }
            (Which::Schedule, _) => self.times().entries[word].clone(),
        };
        let value = self.result(which, stage, word);
        // Around the ring, a word that is no register may be known by now: it is its own source.
        if let Some(&known) = self.known.get(&key).filter(|_| register.is_none()) {
            return known;
        }
        let mut entering = Vec::with_capacity(entries.len());
        for (enters, time) in entries {
            let condition = self.start_at(stage, time);
            let new = match stage {
                0 => self.new_word(which, enters, time),
                _ => {
                    let later = self.times().interstage_registers as i64;
                    self.result_later(which, stage - 1, word, later)
                }
            };
            entering.push((condition, new));
        }
        let chosen = self.entered(stage, (&name, width), &entering, value);
        match register {
            Some(register) => {
                self.net.connect(register, chosen);
                register.into()
            }
            None => {
                // Around the ring, this value may be among its own sources: it is known by now.
                if let Some(&known) = self.known.get(&key) {
                    return known;
                }
                let section = stage_section(&mut self.net, stage);
                let wire = self.net.wire(section, &name, width, chosen).into();
                self.known.insert(key, wire);
                wire
            }
        }
    }

    /// A word of a new message, in clock `time`.
    fn new_word(&mut self, which: Which, word: usize, time: i64) -> Value {
        let recurrences = self.recurrences();
        match which {
            Which::Rounds if recurrences.first_term(word).is_some() => Value::Const(0),
            Which::Rounds => {
                let first = recurrences.turns[0].arguments[word];
                self.sources.opening(&mut self.net, &mut self.control, first, time)
            }
            Which::Schedule => {
                let first = recurrences.ring(which).region.turns[0].arguments[word];
                self.input_at(first, time)
            }
        }
    }

    /// The word that enters in its clock, else `otherwise`. The choice among entering words comes
    /// first, because they are there from the start of a clock, and what a turn makes comes late.
    fn entered(
        &mut self,
        stage: usize,
        (name, width): (&str, u32),
        entering: &[(SignalId, Value)],
        otherwise: Value,
    ) -> Expr {
        let [(condition, then), others @ ..] = entering else { return Expr::Value(otherwise) };
        if others.is_empty() {
            return Expr::Choose { condition: *condition, then: *then, otherwise };
        }
        let section = stage_section(&mut self.net, stage);
        let mut new = *then;
        for &(condition, then) in others.iter().filter(|(_, then)| then != &entering[0].1) {
            let chosen = Expr::Choose { condition, then, otherwise: new };
            new = self.net.wire(section, &format!("{name}_new"), width, chosen).into();
        }
        let starts = entering.iter().map(|(start, _)| Value::Signal(*start)).collect();
        let any = Expr::Op(Op::Or, starts);
        let condition = self.net.wire(section, &format!("{name}_enters"), 1, any);
        Expr::Choose { condition, then: new, otherwise }
    }

    /// Word `word` after a turn, in the clock in which the next turn's multiplexer chooses.
    pub(super) fn result(&mut self, which: Which, stage: usize, word: usize) -> Value {
        self.result_later(which, stage, word, 0)
    }

    /// Word `word` after a turn, `later` clocks after the next turn's multiplexer chooses.
    fn result_later(&mut self, which: Which, stage: usize, word: usize, later: i64) -> Value {
        let ring = self.recurrences().ring(which);
        if let Some(&from) = ring.chains[word].as_ref().and_then(|chain| chain.last()) {
            return self.result_later(which, stage, from, later);
        }
        let clock = ring.bases[word].chosen() + 1 + later;
        let value = ring.region.function.outputs()[word].value;
        match source(ring.region, word) {
            WordSource::Word(from) => self.word(which, stage, from, clock),
            WordSource::Made(_) | WordSource::Constant => self.node(which, stage, value, clock),
        }
    }

    /// A node of a recurrence's function, in clock `clock` of the turn.
    pub(super) fn node(&mut self, which: Which, stage: usize, node: NodeId, clock: i64) -> Value {
        let region = self.recurrences().ring(which).region;
        let function = &region.function;
        let op = function.op(node);
        match op {
            Op::Const(value) => return Value::Const(value),
            Op::Input(i) if (i as usize) < region.words => {
                return self.word(which, stage, i as usize, clock);
            }
            Op::Input(i) => return self.side(stage, i as usize, clock),
            _ => {}
        }
        let key = (TurnValue::Node(which, node), stage, clock);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let placed = region.schedule.nodes[node.index()].clock;
        assert!(clock >= placed, "an operation's value is not used before it is there");
        let width = function.width(node).into();
        let prefix = match which {
            Which::Rounds => "",
            Which::Schedule => "w_",
        };
        let name = format!("s{stage}_{prefix}{}{}", op.name(), node.0);
        if clock > placed {
            let register = self.recurrent(key, &format!("{name}_late"), width);
            let before = self.node(which, stage, node, clock - 1);
            self.net.connect(register, Expr::Value(before));
            return register.into();
        }
        let args = function.args(node);
        let mask = match (op, which, function.op(args[0])) {
            (Op::Lut3(CHOOSE), Which::Rounds, Op::Input(i)) => self.mask(stage, i as usize),
            _ => None,
        };
        if let Some(mask) = mask {
            return self.masked(key, (&name, width), mask, [args[1], args[2]]);
        }
        let args = args.iter().map(|&arg| self.node(which, stage, arg, clock));
        let args: Vec<Value> = args.collect();
        // Around the ring, this value may be among its own sources: it is known by now.
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let section = stage_section(&mut self.net, stage);
        let varying = region.varying.iter().position(|&varying| varying == node);
        let value = match varying.filter(|_| which == Which::Rounds) {
            None => self.net.wire(section, &name, width, Expr::Op(op, args)).into(),
            Some(varying) => self.varying((stage, clock), (&name, width), varying, &args),
        };
        self.known.insert(key, value);
        value
    }

    /// A rotation or shift by the amount of the turn.
    fn varying(
        &mut self,
        (stage, clock): (usize, i64),
        (name, width): (&str, u32),
        varying: usize,
        args: &[Value],
    ) -> Value {
        let section = stage_section(&mut self.net, stage);
        let mut arms: Vec<(Vec<u32>, Value)> = Vec::new();
        let mut ops: Vec<Op> = Vec::new();
        for (t, turn) in self.recurrences().turns_of(stage) {
            let op = turn.amounts[varying];
            match ops.iter().position(|known| *known == op) {
                Some(arm) => arms[arm].0.push(t as u32),
                None => {
                    let name = format!("{name}_by{}", op.immediate().unwrap_or(0));
                    let turned = self.net.wire(section, &name, width, Expr::Op(op, args.to_vec()));
                    ops.push(op);
                    arms.push((vec![t as u32], turned.into()));
                }
            }
        }
        self.control.select(&mut self.net, (stage, clock), (name, width), arms)
    }

    /// Returns, for each turn of a stage, whether a side input is ones, if it is ones or zeros in
    /// all of them.
    fn mask(&self, stage: usize, input: usize) -> Option<Vec<bool>> {
        let ones = u64::MAX >> (64 - self.recurrences().width(Which::Rounds, input));
        let is_ones = |(_, turn): (usize, &Turn)| {
            let argument = turn.arguments.get(input)?;
            match self.asked().compression().op(*argument) {
                Op::Const(0) => Some(false),
                Op::Const(value) if value == ones => Some(true),
                _ => None,
            }
        };
        self.recurrences().turns_of(stage).map(is_ones).collect()
    }

    /// The first of two nodes in the turns of a mask, else the second.
    fn masked(
        &mut self,
        key: Key,
        (name, width): (&str, u32),
        mask: Vec<bool>,
        nodes: [NodeId; 2],
    ) -> Value {
        let (_, stage, clock) = key;
        let turns = |first: bool| -> Vec<u32> {
            (0..).zip(&mask).filter(|(_, is_first)| **is_first == first).map(|(t, _)| t).collect()
        };
        let (first, second) = (turns(true), turns(false));
        let mut node = |i: usize| self.node(Which::Rounds, stage, nodes[i], clock);
        // A stage that has no turns of a kind does not compute the values that only turns of this
        // kind take.
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
                let turns = [second, first];
                let condition = self.control.is_second(&mut self.net, (stage, clock), turns);
                let section = stage_section(&mut self.net, stage);
                let chosen = Expr::Choose { condition, then, otherwise };
                self.net.wire(section, name, width, chosen).into()
            }
        };
        self.known.insert(key, value);
        value
    }

    /// A side input of the rounds' function, in clock `clock` of the turn.
    fn side(&mut self, stage: usize, input: usize, clock: i64) -> Value {
        let key = (TurnValue::Side(input), stage, clock);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let columns = self.columns();
        let first = columns.first_use(input).unwrap_or(clock);
        let value = if clock > first {
            let before = self.side(stage, input, clock - 1);
            self.net.delayed(before)
        } else {
            let clocks = self.times().clocks;
            let column = columns.of_side(stage * clocks, clocks, input);
            let made = columns.made(&column, first);
            match self.common(stage, &column, made) {
                Value::Signal(signal) if made < first => {
                    let section = stage_section(&mut self.net, stage);
                    let function = &self.recurrences().ring(Which::Rounds).region.function;
                    let name = format!("s{stage}_{}", function.inputs()[input].name);
                    let width = self.recurrences().width(Which::Rounds, input);
                    self.net.register(section, &name, width, signal, None).into()
                }
                value => value,
            }
        };
        self.known.insert(key, value);
        value
    }

    /// The value that is `node` of the compression in turn t of a stage, for each (t, node), in
    /// clock `clock` of the turn. It is computed once for all turns if it is the same operation in
    /// all of them.
    fn common(&mut self, stage: usize, column: &Column, clock: i64) -> Value {
        let &Timetable { clocks, shift, interstage_registers, .. } = self.times();
        let columns = self.columns();
        let mut arms: Vec<(Vec<u32>, Value)> = Vec::new();
        for (kind, turns) in columns.kinds(column) {
            let value = match kind {
                NodeKind::Const(value) => Value::Const(value),
                NodeKind::Window(place) => match &mut self.sources.window {
                    Some(window) => window.word(&mut self.net, (stage, clock), place),
                    None => {
                        let clock = clock + shift - self.times().schedule_shift;
                        self.word(Which::Schedule, stage, place, clock)
                    }
                },
                NodeKind::Word => {
                    let window = self.sources.window.as_mut().expect("words are kept in memory");
                    window.by_number(&mut self.net, (stage, clock), &turns)
                }
                NodeKind::Input(node) => {
                    // The last turns of a stage may find the input in the next stage's copy.
                    for &(g, _) in &turns {
                        let time = (g + stage * interstage_registers) as i64 + clock + shift;
                        let value = self.carried(Carried::Input(node), time).into();
                        arms.push((vec![(g - stage * clocks) as u32], value));
                    }
                    continue;
                }
                NodeKind::Op(op, count) => self.operation((stage, clock), &turns, op, count),
            };
            let turns = turns.iter().map(|(g, _)| (g - stage * clocks) as u32);
            arms.push((turns.collect(), value));
        }
        let arms = merged(arms);
        if let [(_, value)] = arms[..] {
            return value;
        }
        let name = format!("s{stage}_chosen{}", column[0].1.0);
        let named = (&name[..], columns.width(column));
        self.control.select(&mut self.net, (stage, clock), named, arms)
    }

    /// An operation outside the rounds, made once for all its users: a word of an unrolled message
    /// schedule has four.
    fn operation(
        &mut self,
        (stage, clock): (usize, i64),
        column: &Column,
        op: Op,
        count: usize,
    ) -> Value {
        let key = (stage, (column.to_vec(), clock));
        if let Some(&known) = self.operations.get(&key) {
            return known;
        }
        let columns = self.columns();
        let args = (0..count).map(|i| {
            let below = columns.arguments(column, i);
            self.operand(stage, &below, clock)
        });
        let args = args.collect();
        let section = stage_section(&mut self.net, stage);
        let name = format!("s{stage}_ahead_{}{}", op.name(), column[0].1.0);
        let width = columns.width(column);
        let value = self.net.wire(section, &name, width, Expr::Op(op, args)).into();
        self.operations.insert(key, value);
        value
    }

    /// The operand of an operation outside the rounds. Where the turns choose among operands, they
    /// choose a clock ahead: a table of constants and an adder after it would be the critical path.
    fn operand(&mut self, stage: usize, column: &Column, clock: i64) -> Value {
        let ahead = self.columns().ahead(column);
        let mut value = self.common(stage, column, clock - ahead);
        let width = self.columns().width(column);
        let section = stage_section(&mut self.net, stage);
        let name = format!("s{stage}_ahead_chosen{}", column[0].1.0);
        for _ in 0..ahead {
            value = self.net.register(section, &name, width, value, None).into();
        }
        value
    }

    /// An input of the compression in clock `time`.
    pub(super) fn input_at(&mut self, node: NodeId, time: i64) -> Value {
        self.sources.input_at(&mut self.net, &mut self.control, node, time)
    }

    /// A value that accompanies a block, in clock `time`.
    pub(super) fn carried(&mut self, what: Carried, time: i64) -> SignalId {
        self.sources.carried(&mut self.net, &mut self.control, what, time)
    }

    /// The chaining value out of memory, for an ending that takes it in clock `time`.
    pub(super) fn chain(&mut self, time: i64) -> Chain {
        self.sources.chain(&mut self.net, &mut self.control, time)
    }

    /// A register in a recurrence. It is recorded before its next value is made, which depends on
    /// it.
    fn recurrent(&mut self, key: Key, name: &str, width: u32) -> SignalId {
        let section = stage_section(&mut self.net, key.1);
        let register = self.net.register_later(section, name, width);
        self.known.insert(key, register.into());
        register
    }

    /// Connects what takes words out of memory, once all that is taken is known.
    pub(super) fn close_window(&mut self) {
        let arch = self.arch;
        let Some(window) = &mut self.sources.window else { return };
        let entering = window.entering(&mut self.net, &mut self.control);
        for stage in (0..arch.times.stages).rev() {
            for (slot, &(condition, word)) in entering.iter().enumerate() {
                let region = arch.recurrences.ring(Which::Schedule).region;
                let made = region.words - entering.len() + slot;
                let made = region.function.outputs()[made].value;
                let clock = region.schedule.nodes[made.index()].clock;
                let made = self.node(Which::Schedule, stage, made, clock);
                let window = self.sources.window.as_mut().expect("there is a window");
                let first = window.beginning(&mut self.net, stage, slot);
                let word = match stage {
                    0 => Expr::Choose { condition, then: word.into(), otherwise: made },
                    _ => Expr::Value(made),
                };
                self.net.drive(first, word);
            }
        }
        let window = self.sources.window.as_mut().expect("there is a window");
        window.close(&mut self.net, &mut self.control);
    }
}

/// The table of x ? y : z.
const CHOOSE: u8 = 0xca;
