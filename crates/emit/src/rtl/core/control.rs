//! The control of a core: where blocks begin, the counters of turns, and what these select.

use super::stage::stage_section;
use super::timetable::Timetable;
use crate::rtl::netlist::{Driver, Expr, Netlist, SignalId, Value};
use manylane_graph::Op;
use std::collections::HashMap;

/// A choice among arms: the stage, the clock of its turn, the turns of each arm.
type Arms = (usize, i64, Vec<Vec<u32>>);

/// The signals that control the work of a clock.
#[derive(Debug)]
pub(super) struct Control<'m> {
    times: &'m Timetable,
    /// Registers take a value while this is 1.
    pub(super) enable: SignalId,
    /// For each stage and number of clocks, whether a block entered the stage that many clocks ago.
    starts: HashMap<(usize, i64), SignalId>,
    /// For each stage, whether it has a block.
    occupied: HashMap<usize, SignalId>,
    /// For each stage and clock of its turn, the number of the turn.
    counts: HashMap<(usize, i64), SignalId>,
    /// For each stage, when its copy of the kept inputs is loaded from the stage before.
    passes: HashMap<usize, SignalId>,
    /// For each choice, the bits of the number of the arm that a turn chooses, the lowest first.
    arms: HashMap<Arms, Vec<SignalId>>,
    /// Registers of control, one of which is 1 while a block is under way.
    pub(super) busy: Vec<SignalId>,
}

impl<'m> Control<'m> {
    /// A section of control with its `enable`, which is 1 until the handshake drives it.
    pub(super) fn new(net: &mut Netlist, times: &'m Timetable) -> Self {
        let section = net.section("Control");
        let enable = net.wire(section, "enable", 1, Expr::Value(Value::Const(1)));
        net.enable = Some(enable);
        Self {
            times,
            enable,
            starts: HashMap::new(),
            occupied: HashMap::new(),
            counts: HashMap::new(),
            passes: HashMap::new(),
            arms: HashMap::new(),
            busy: Vec::new(),
        }
    }

    /// A wire of this name and width with the value that a stage's turn chooses, in clock `clock`
    /// of the turn.
    ///
    /// ```text
    ///  turn ──► table ──► register ──► tree of multiplexers ──► word
    /// ```
    ///
    /// Constants are a table of the turn's number. Words are chosen by the number of the arm, which
    /// is looked up a clock ahead. From a `case` with many arms, synthesis makes a comparison for
    /// each arm and a chain of gates: for one of 16 words that is twice the logic of a tree.
    pub(super) fn select(
        &mut self,
        net: &mut Netlist,
        (stage, clock): (usize, i64),
        (name, width): (&str, u32),
        arms: Vec<(Vec<u32>, Value)>,
    ) -> Value {
        if let [(_, value)] = arms[..] {
            return value;
        }
        let section = stage_section(net, stage);
        if arms.iter().all(|(_, value)| matches!(value, Value::Const(_))) {
            let selector = self.count(net, stage, clock);
            return net.wire(section, name, width, Expr::Select { selector, arms }).into();
        }
        let (turns, values): (Vec<Vec<u32>>, Vec<Value>) = arms.into_iter().unzip();
        let bits = self.arm(net, stage, clock, turns);
        tree(net, section, (name, width), &values, &bits)
    }

    /// The bits, the lowest first, of the number of the arm that a turn chooses, in clock `clock`
    /// of the turn; each arm has its turns.
    fn arm(
        &mut self,
        net: &mut Netlist,
        stage: usize,
        clock: i64,
        turns: Vec<Vec<u32>>,
    ) -> Vec<SignalId> {
        let key = (stage, clock, turns);
        if let Some(known) = self.arms.get(&key) {
            return known.clone();
        }
        let turns = key.2.iter();
        let arms = turns.enumerate().map(|(i, turns)| (turns.clone(), Value::Const(i as u64)));
        let arms: Vec<_> = arms.collect();
        let width = usize::BITS - (arms.len() - 1).leading_zeros();
        let section = stage_section(net, stage);
        let table = Expr::Select { selector: self.count(net, stage, clock - 1), arms };
        let arm = net.wire(section, &format!("s{stage}_arm"), width, table);
        let arm = net.register(section, &format!("s{stage}_arm_r"), width, arm, None);
        let bits = match width {
            1 => vec![arm],
            _ => (0..width).map(|bit| bit_of(net, section, arm, bit)).collect(),
        };
        self.arms.insert(key, bits.clone());
        bits
    }

    /// A bit that is 1 in the turns of the second list and 0 in those of the first, in clock
    /// `clock` of the turn.
    pub(super) fn is_second(
        &mut self,
        net: &mut Netlist,
        (stage, clock): (usize, i64),
        turns: [Vec<u32>; 2],
    ) -> SignalId {
        let [bit] = self.arm(net, stage, clock, turns.into())[..] else {
            unreachable!("one bit chooses from two")
        };
        bit
    }

    /// The number of the stage's turn, in clock `clock` of the turn. It is available a clock before
    /// the counter's register holds it.
    fn count(&mut self, net: &mut Netlist, stage: usize, clock: i64) -> SignalId {
        let key = (stage, clock);
        if let Some(&known) = self.counts.get(&key) {
            return known;
        }
        if clock <= 1 - self.times.shift {
            self.start(net, stage + 1);
            return self.counts[&key];
        }
        let before = self.count(net, stage, clock - 1);
        let Value::Signal(count) = net.delayed(before.into()) else {
            unreachable!("a counter is a signal")
        };
        self.counts.insert(key, count);
        count
    }

    /// Whether a block enters stage `stage` in this clock.
    pub(super) fn start(&mut self, net: &mut Netlist, stage: usize) -> SignalId {
        let key = (stage, 0);
        if let Some(&known) = self.starts.get(&key) {
            return known;
        }
        let section = net.section("Control");
        if stage == 0 {
            let start = net.later(section, "start0", 1);
            self.starts.insert(key, start);
            return start;
        }
        let start = self.start(net, stage - 1);
        let name = format!("start{stage}");
        let begins = match self.times.clocks {
            1 => {
                let begins = net.flag(section, &name, Expr::Value(start.into()));
                self.busy.push(begins);
                begins
            }
            _ => {
                let mut begins = self.counter(net, stage - 1, start);
                let is_inside = stage < self.times.stages;
                for _ in 0..if is_inside { self.times.interstage_registers } else { 0 } {
                    begins = net.flag(section, &name, Expr::Value(begins.into()));
                    self.busy.push(begins);
                }
                begins
            }
        };
        self.starts.insert(key, begins);
        begins
    }

    /// The counter of a stage's turns, which a block's start sets to 0. Returns whether the turn is
    /// the last one.
    fn counter(&mut self, net: &mut Netlist, stage: usize, start: SignalId) -> SignalId {
        let Timetable { clocks, shift, .. } = *self.times;
        let section = net.section("Control");
        let bits = usize::BITS - (clocks - 1).leading_zeros();
        // occupied' = start | occupied & ¬(count = C - 2), last' = occupied & (count = C - 2): both
        // are registers, because their fan-out is large.
        let occupied = net.state(section, &format!("occupied{stage}"), 1);
        let last = net.state(section, &format!("last{stage}"), 1);
        let count = net.state(section, &format!("count{stage}"), bits);
        self.busy.extend([occupied, last]);
        let ends = Expr::Equals(count, clocks as u32 - 2);
        let ends = net.wire(section, &format!("ends{stage}"), 1, ends);
        let goes_on = Expr::Op(Op::Not, vec![ends.into()]);
        let goes_on = net.wire(section, &format!("goes_on{stage}"), 1, goes_on);
        let both = Expr::Op(Op::And, vec![occupied.into(), goes_on.into()]);
        let stays = net.wire(section, &format!("stays{stage}"), 1, both);
        net.connect(occupied, Expr::Op(Op::Or, vec![start.into(), stays.into()]));
        net.connect(last, Expr::Op(Op::And, vec![occupied.into(), ends.into()]));
        let one_more = Expr::Op(Op::Add, vec![count.into(), Value::Const(1)]);
        let one_more = net.wire(section, &format!("next_count{stage}"), bits, one_more);
        let (then, otherwise) = (Value::Const(0), one_more.into());
        let next = Expr::Choose { condition: start, then, otherwise };
        let next = net.wire(section, &format!("count{stage}_next"), bits, next);
        net.connect(count, Expr::Value(next.into()));
        self.occupied.insert(stage, occupied);
        self.counts.insert((stage, -shift), next);
        self.counts.insert((stage, 1 - shift), count);
        last
    }

    /// Whether a stage has a block.
    pub(super) fn occupied(&mut self, net: &mut Netlist, stage: usize) -> SignalId {
        self.start(net, stage + 1);
        self.occupied[&stage]
    }

    /// When a stage's copy of the kept inputs is loaded from the stage before: in clock `stage` ·
    /// C, whatever the stages' beginnings are.
    pub(super) fn kept_from(&mut self, net: &mut Netlist, stage: usize) -> SignalId {
        let registers = self.times.interstage_registers;
        if registers == 0 || stage == 0 {
            return self.start_at(net, stage, 0);
        }
        if let Some(&known) = self.passes.get(&stage) {
            return known;
        }
        let before = stage - 1;
        let occupied = self.occupied(net, before);
        let section = net.section("Control");
        let count = self.counts[&(before, 1 - self.times.shift)];
        let name = format!("passes{before}");
        let there = Expr::Equals(count, (self.times.clocks - 2 - before * registers) as u32);
        let there = net.wire(section, &format!("{name}_next"), 1, there);
        let next = Expr::Op(Op::And, vec![occupied.into(), there.into()]);
        let passes = net.flag(section, &name, next);
        self.passes.insert(stage, passes);
        passes
    }

    /// Whether a block entered stage `stage` exactly `clocks` clocks ago.
    pub(super) fn start_at(&mut self, net: &mut Netlist, stage: usize, clocks: i64) -> SignalId {
        let key = (stage, clocks);
        if let Some(&known) = self.starts.get(&key) {
            return known;
        }
        if clocks == 0 {
            return self.start(net, stage);
        }
        let before = self.start_at(net, stage, clocks - 1);
        let section = net.section("Control");
        let start =
            net.flag(section, &format!("start{stage}_{clocks}"), Expr::Value(before.into()));
        self.starts.insert(key, start);
        start
    }

    /// Drives the start of the first stage, and the signal that says whether a block is taken.
    /// `valid` says that a block is offered, `may_take` are further conditions, and `loaded` says
    /// that its words are in memory.
    ///
    /// A block is taken when the first stage is free, or will be. While the core waits (`enable` is
    /// 0) it takes none, yet the start need not depend on `enable`: no register takes a value then.
    pub(super) fn take(
        &mut self,
        net: &mut Netlist,
        (valid, ready): (SignalId, SignalId),
        mut may_take: Vec<Value>,
        loaded: Option<SignalId>,
    ) {
        let start = self.start(net, 0);
        if self.times.clocks == 1 {
            net.drive(ready, all(may_take));
            net.drive(start, Expr::Value(valid.into()));
            return;
        }
        let section = net.section("Control");
        let occupied = self.occupied(net, 0);
        let mut free = net.wire(section, "free", 1, Expr::Op(Op::Not, vec![occupied.into()]));
        if let Some(loaded) = loaded {
            let both = Expr::Op(Op::And, vec![free.into(), loaded.into()]);
            free = net.wire(section, "may_start", 1, both);
        }
        may_take.push(free.into());
        net.drive(ready, all(may_take));
        net.drive(start, Expr::Op(Op::And, vec![valid.into(), free.into()]));
    }
}

/// The value at the place whose bits are given, the lowest first.
fn tree(
    net: &mut Netlist,
    section: usize,
    (name, width): (&str, u32),
    values: &[Value],
    bits: &[SignalId],
) -> Value {
    let [below @ .., top] = bits else { return values[0] };
    let half = 1 << below.len();
    if values.len() <= half {
        return tree(net, section, (name, width), values, below);
    }
    let (low, high) = (format!("{name}_low"), format!("{name}_high"));
    let otherwise = tree(net, section, (&low, width), &values[..half], below);
    let then = tree(net, section, (&high, width), &values[half..], below);
    net.wire(section, name, width, Expr::Choose { condition: *top, then, otherwise }).into()
}

fn bit_of(net: &mut Netlist, section: usize, signal: SignalId, bit: u32) -> SignalId {
    let name = format!("{}_bit{bit}", net.signal(signal).name);
    net.add(section, &name, 1, Driver::Wire(Expr::Slice(signal, bit)))
}

/// Whether all of these bits are 1.
fn all(bits: Vec<Value>) -> Expr {
    match bits[..] {
        [bit] => Expr::Value(bit),
        _ => Expr::Op(Op::And, bits),
    }
}
