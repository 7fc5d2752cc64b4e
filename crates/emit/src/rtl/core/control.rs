//! Which turn it is: where blocks begin, counters, and what they select.

use super::{Key, Maker};
use crate::rtl::netlist::{Driver, Expr, Netlist, SignalId, Value};
use manylane_graph::Op;

impl<'m> Maker<'m> {
    /// What the stage's turn chooses, in clock `clock` of the turn: a wire of that name and width.
    ///
    /// ```text
    ///  turn ──► table ──► place ──► tree of multiplexers ──► word
    /// ```
    ///
    /// Synthesis makes of a `case` with many arms a comparison for each and a row of gates; for the
    /// choice of one in 16 words that is twice the logic.
    pub(super) fn select(
        &mut self,
        stage: usize,
        clock: i64,
        name: &str,
        width: u32,
        arms: Vec<(Vec<u32>, Value)>,
    ) -> Value {
        if let [(_, value)] = &arms[..] {
            return *value;
        }
        let section = self.section_of(stage);
        if arms.iter().all(|(_, value)| matches!(value, Value::Const(_))) {
            let selector = self.count(stage, clock);
            return self.wire(section, name, width, Expr::Select { selector, arms });
        }
        let (turns, values): (Vec<Vec<u32>>, Vec<Value>) = arms.into_iter().unzip();
        let bits = usize::BITS - (values.len() - 1).leading_zeros();
        let places = turns.into_iter().zip(0..).collect();
        let place = self.table(stage, clock, &format!("{name}_place"), bits, places);
        let bit = |bit: u32, net: &mut Netlist| {
            let slice = Driver::Wire(Expr::Slice(place, bit));
            net.add(section, &format!("{name}_bit{bit}"), 1, slice)
        };
        let bits: Vec<SignalId> = match bits {
            1 => vec![place],
            _ => (0..bits).map(|i| bit(i, &mut self.net)).collect(),
        };
        self.tree(section, name, width, &values, &bits)
    }

    /// A number for each of the stage's turns, in clock `clock` of the turn: out of a register, so
    /// that what it chooses does not wait for it.
    pub(super) fn table(
        &mut self,
        stage: usize,
        clock: i64,
        name: &str,
        bits: u32,
        turns: Vec<(Vec<u32>, u64)>,
    ) -> SignalId {
        let selector = self.count(stage, clock - 1);
        let arms = turns.into_iter().map(|(turns, number)| (turns, Value::Const(number))).collect();
        let section = self.section_of(stage);
        let ahead = Expr::Select { selector, arms };
        let ahead = self.wire(section, &format!("{name}_ahead"), bits, ahead);
        let register = self.register(section, name, bits, ahead, None);
        let Value::Signal(register) = register else { unreachable!("registers are signals") };
        register
    }

    /// The value at the place whose bits are given, the lowest first.
    fn tree(
        &mut self,
        section: usize,
        name: &str,
        width: u32,
        values: &[Value],
        bits: &[SignalId],
    ) -> Value {
        let [below @ .., top] = bits else { return values[0] };
        let half = 1 << below.len();
        if values.len() <= half {
            return self.tree(section, name, width, values, below);
        }
        let otherwise = self.tree(section, &format!("{name}_low"), width, &values[..half], below);
        let then = self.tree(section, &format!("{name}_high"), width, &values[half..], below);
        self.wire(section, name, width, Expr::Choose { condition: *top, then, otherwise })
    }

    /// The number of the stage's turn, in clock `clock` of the turn. It is there a clock before the
    /// counter's register has it.
    pub(super) fn count(&mut self, stage: usize, clock: i64) -> SignalId {
        let base = -self.shift;
        let key = (Key::Count, stage, clock);
        let value = match self.known.get(&key) {
            Some(&known) => known,
            None if clock <= base + 1 => {
                self.start(stage + 1);
                self.known[&key]
            }
            None => {
                let before = Value::Signal(self.count(stage, clock - 1));
                self.delayed(key, before)
            }
        };
        let Value::Signal(count) = value else { unreachable!("a counter is a signal") };
        count
    }

    /// Whether a block enters stage `stage` in this clock.
    pub(super) fn start(&mut self, stage: usize) -> Value {
        let key = (Key::Start, stage, 0);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let section = self.net.section("Control");
        if stage == 0 {
            let start = self.wire(section, "start0", 1, Expr::Value(Value::Const(0)));
            self.known.insert(key, start);
            return start;
        }
        let start = self.start(stage - 1);
        let Value::Signal(start) = start else { unreachable!("the start is a signal") };
        let name = format!("start{stage}");
        if self.clocks == 1 {
            let next = Some(Expr::Value(Value::Signal(start)));
            let driver = Driver::Register { next, load: None, reset: true };
            let started = Value::Signal(self.net.add(section, &name, 1, driver));
            self.known.insert(key, started);
            return started;
        }
        let before = stage - 1;
        let bits = usize::BITS - (self.clocks - 1).leading_zeros();
        let state = |net: &mut Netlist, name: &str, width| {
            let driver = Driver::Register { next: None, load: None, reset: true };
            net.add(section, name, width, driver)
        };
        let busy = state(&mut self.net, &format!("busy{before}"), 1);
        let count = state(&mut self.net, &format!("count{before}"), bits);
        let at_last = Expr::Equals(count, self.clocks as u32 - 1);
        let at_last = self.wire(section, &format!("at_last{before}"), 1, at_last);
        let both = Expr::Op(Op::And, vec![Value::Signal(busy), at_last]);
        let last = self.wire(section, &name, 1, both);
        let goes_on =
            self.wire(section, &format!("not_last{before}"), 1, Expr::Op(Op::Not, vec![last]));
        let both = Expr::Op(Op::And, vec![Value::Signal(busy), goes_on]);
        let goes_on = self.wire(section, &format!("goes_on{before}"), 1, both);
        self.net.connect(busy, Expr::Op(Op::Or, vec![Value::Signal(start), goes_on]));
        let one_more = Expr::Op(Op::Add, vec![Value::Signal(count), Value::Const(1)]);
        let one_more = self.wire(section, &format!("next_count{before}"), bits, one_more);
        let next = Expr::Choose { condition: start, then: Value::Const(0), otherwise: one_more };
        let next = self.wire(section, &format!("count{before}_next"), bits, next);
        self.net.connect(count, Expr::Value(next));
        if before == 0 {
            self.known.insert((Key::Start, usize::MAX, 0), Value::Signal(busy));
        }
        self.known.insert((Key::Count, before, -self.shift), next);
        self.known.insert((Key::Count, before, 1 - self.shift), Value::Signal(count));
        self.known.insert(key, last);
        last
    }

    /// Whether a block entered stage `stage` so many clocks ago.
    pub(super) fn start_at(&mut self, stage: usize, clocks: i64) -> SignalId {
        let key = (Key::Start, stage, clocks);
        let value = match (self.known.get(&key), clocks) {
            (Some(&known), _) => known,
            (None, 0) => self.start(stage),
            (None, _) => {
                let before = self.start_at(stage, clocks - 1);
                let next = Some(Expr::Value(Value::Signal(before)));
                let driver = Driver::Register { next, load: None, reset: true };
                let section = self.net.section("Control");
                let name = format!("start{stage}_{clocks}");
                let value = Value::Signal(self.net.add(section, &name, 1, driver));
                self.known.insert(key, value);
                value
            }
        };
        let Value::Signal(start) = value else { unreachable!("the start is a signal") };
        start
    }
}
