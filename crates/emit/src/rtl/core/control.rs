//! Which turn it is: where blocks begin, counters, and what they select.

use super::{Key, Maker};
use crate::rtl::netlist::{Driver, Expr, Netlist, SignalId, Value};
use manylane_graph::Op;

impl<'m> Maker<'m> {
    /// What the stage's turn chooses, in clock `clock` of the turn: a wire of that name and width.
    ///
    /// ```text
    ///  turn ──► table ──► register ──► tree of multiplexers ──► word
    /// ```
    ///
    /// Constants are a table of the turn's number. Words are chosen by the number of the arm, which
    /// is looked up a clock ahead; of a `case` with many arms synthesis makes a comparison for each
    /// and a row of gates, for one in 16 words twice the logic of a tree.
    pub(super) fn select(
        &mut self,
        stage: usize,
        clock: i64,
        name: &str,
        width: u32,
        arms: Vec<(Vec<u32>, Value)>,
    ) -> Value {
        if let [(_, value)] = arms[..] {
            return value;
        }
        let section = self.section_of(stage);
        if arms.iter().all(|(_, value)| matches!(value, Value::Const(_))) {
            let selector = self.count(stage, clock);
            return self.wire(section, name, width, Expr::Select { selector, arms });
        }
        let (turns, values): (Vec<Vec<u32>>, Vec<Value>) = arms.into_iter().unzip();
        let bits = self.arm(stage, clock, turns);
        self.tree(section, name, width, &values, &bits)
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

    /// The number of the arm, of those that have these turns, in clock `clock` of the turn: its bits,
    /// the lowest first.
    pub(super) fn arm(&mut self, stage: usize, clock: i64, turns: Vec<Vec<u32>>) -> Vec<SignalId> {
        let key = (stage, clock, turns);
        if let Some(known) = self.arms.get(&key) {
            return known.clone();
        }
        let turns = key.2.iter();
        let arms = turns.enumerate().map(|(i, turns)| (turns.clone(), Value::Const(i as u64)));
        let arms: Vec<_> = arms.collect();
        let width = usize::BITS - (arms.len() - 1).leading_zeros();
        let section = self.section_of(stage);
        let table = Expr::Select { selector: self.count(stage, clock - 1), arms };
        let arm = self.wire(section, &format!("s{stage}_arm"), width, table);
        let arm = self.register(section, &format!("s{stage}_arm_r"), width, arm, None);
        let Value::Signal(arm) = arm else { unreachable!("registers are signals") };
        let bits = match width {
            1 => vec![arm],
            _ => (0..width).map(|bit| self.bit(section, arm, bit)).collect(),
        };
        self.arms.insert(key, bits.clone());
        bits
    }

    fn bit(&mut self, section: usize, signal: SignalId, bit: u32) -> SignalId {
        let name = format!("{}_bit{bit}", self.net.signal(signal).name);
        self.net.add(section, &name, 1, Driver::Wire(Expr::Slice(signal, bit)))
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
            let started = self.net.add(section, &name, 1, driver);
            self.busy.push(started);
            let started = Value::Signal(started);
            self.known.insert(key, started);
            return started;
        }
        let before = stage - 1;
        let bits = usize::BITS - (self.clocks - 1).leading_zeros();
        let state = |net: &mut Netlist, name: &str, width| {
            let driver = Driver::Register { next: None, load: None, reset: true };
            net.add(section, name, width, driver)
        };
        // occupied' = start | occupied & ¬(count = C - 2), last' = occupied & (count = C - 2): both
        // are registers, because much hangs on them.
        let occupied = state(&mut self.net, &format!("occupied{before}"), 1);
        let last = state(&mut self.net, &format!("last{before}"), 1);
        let count = state(&mut self.net, &format!("count{before}"), bits);
        self.busy.extend([occupied, last]);
        let ends = Expr::Equals(count, self.clocks as u32 - 2);
        let ends = self.wire(section, &format!("ends{before}"), 1, ends);
        let goes_on = Expr::Op(Op::Not, vec![ends]);
        let goes_on = self.wire(section, &format!("goes_on{before}"), 1, goes_on);
        let both = Expr::Op(Op::And, vec![Value::Signal(occupied), goes_on]);
        let stays = self.wire(section, &format!("stays{before}"), 1, both);
        self.net.connect(occupied, Expr::Op(Op::Or, vec![Value::Signal(start), stays]));
        self.net.connect(last, Expr::Op(Op::And, vec![Value::Signal(occupied), ends]));
        let one_more = Expr::Op(Op::Add, vec![Value::Signal(count), Value::Const(1)]);
        let one_more = self.wire(section, &format!("next_count{before}"), bits, one_more);
        let next = Expr::Choose { condition: start, then: Value::Const(0), otherwise: one_more };
        let next = self.wire(section, &format!("count{before}_next"), bits, next);
        self.net.connect(count, Expr::Value(next));
        self.known.insert((Key::Occupied, before, 0), Value::Signal(occupied));
        self.known.insert((Key::Count, before, -self.shift), next);
        self.known.insert((Key::Count, before, 1 - self.shift), Value::Signal(count));
        let mut begins = last;
        for _ in 0..if stage < self.stages { self.handing } else { 0 } {
            let next = Some(Expr::Value(Value::Signal(begins)));
            begins =
                self.net.add(section, &name, 1, Driver::Register { next, load: None, reset: true });
            self.busy.push(begins);
        }
        self.known.insert(key, Value::Signal(begins));
        Value::Signal(begins)
    }

    /// When a copy of what is kept takes from the one before: in clock `stage` · C, whatever the
    /// stages' beginnings are.
    pub(super) fn kept_from(&mut self, stage: usize) -> SignalId {
        if self.handing == 0 || stage == 0 {
            return self.start_at(stage, 0);
        }
        let key = (Key::Start, stage, -1);
        if let Some(&Value::Signal(known)) = self.known.get(&key) {
            return known;
        }
        self.start(stage);
        let section = self.net.section("Control");
        let before = stage - 1;
        let occupied = self.known[&(Key::Occupied, before, 0)];
        let Value::Signal(count) = self.known[&(Key::Count, before, 1 - self.shift)] else {
            unreachable!("a counter is a signal")
        };
        let name = format!("passes{before}");
        let there = Expr::Equals(count, (self.clocks - 2 - before * self.handing) as u32);
        let there = self.wire(section, &format!("{name}_next"), 1, there);
        let next = Some(Expr::Op(Op::And, vec![occupied, there]));
        let driver = Driver::Register { next, load: None, reset: true };
        let passes = self.net.add(section, &name, 1, driver);
        self.known.insert(key, Value::Signal(passes));
        passes
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
