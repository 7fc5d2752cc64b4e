//! The core: a pipeline of stages that each take k steps of the compression per clock.
//!
//! ```text
//!  in ──► opening ──► stage 0 ──► stage 1 ──► … ──► last words ──► ending ──► out
//!     └─► kept ─────► kept 1 ───► … ──────────────────────────────────▲
//! ```
//!
//! All times are counted from the clock in which a block is taken, clock 0. Turn g of the rounds
//! (over all stages) has its clock g + [`Core::shift`]; what a schedule places in clock c of the
//! turn works in clock g + c + shift. Stage s begins C clocks after stage s - 1, C being the clocks
//! per block: nothing but the beginnings is handed on, everything else is delayed from there.

use super::Error;
use super::netlist::{Driver, Expr, Netlist, SignalId, Value};
use super::ring::{Base, Ring, Source, source};
use manylane_graph::extract::{Line, lines, recurrence, rounds};
use manylane_graph::{Function, NodeId, Op, Role};
use manylane_plan::hardware::{Block, HardwarePlan, Turn};
use std::collections::HashMap;

/// Which recurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Which {
    Rounds,
    Schedule,
}

/// A value in a stage, at a clock of its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Word(Which, usize),
    Node(Which, NodeId),
    Side(usize),
    /// A node of the compression that is the same in all turns.
    Common(NodeId),
    Start,
    Count,
}

/// How a core is to look.
#[derive(Clone, Debug)]
pub struct Options {
    /// The module's name.
    pub module: String,
    /// Bits of the tag that accompanies a block.
    pub tag_bits: u32,
}

/// What was made, and what can be said of it.
#[derive(Debug)]
pub struct Core {
    /// The hardware.
    pub netlist: Netlist,
    /// Clocks between blocks.
    pub cycles_per_block: usize,
    /// Clocks from taking a block to offering its chaining value.
    pub latency: usize,
    /// Inputs: name of the port and the compression's inputs that it carries, first word at the
    /// most significant end.
    pub ports: Vec<(&'static str, Vec<NodeId>)>,
}

struct Maker<'m> {
    compression: &'m Function,
    plan: &'m HardwarePlan,
    options: &'m Options,
    rounds: Ring<'m>,
    turns: Vec<&'m Turn>,
    last: Vec<NodeId>,
    schedule: Option<Ring<'m>>,
    /// For each word of the message schedule, its place in the sequence.
    sequence: HashMap<NodeId, usize>,
    clocks: usize,
    stages: usize,
    /// Clock of turn 0 of the rounds, of the message schedule.
    shift: i64,
    schedule_shift: i64,
    net: Netlist,
    known: HashMap<(Key, usize, i64), Value>,
    kept: HashMap<(usize, NodeId), SignalId>,
    ports: HashMap<NodeId, SignalId>,
    enable: SignalId,
    stages_section: Vec<usize>,
}

/// Makes the core of a planned compression.
///
/// # Errors
/// If the plan has stages whose turns are not alike.
pub fn core(compression: &Function, plan: &HardwarePlan, options: &Options) -> Result<Core, Error> {
    let [block] = &plan.blocks[..] else {
        let (function, merge) = (plan.function.clone(), plan.options.merge);
        let hint = period(plan).map_or(String::new(), |merge| format!(": --merge {merge}"));
        return Err(Error::Kinds { function, merge, kinds: plan.blocks.len(), hint });
    };
    let lines = rounds(compression);
    let last = lines.iter().flat_map(|line| line.states[line.len()].iter().copied()).collect();
    let mut turns: Vec<&Turn> = block.turns.iter().collect();
    turns.sort_by_key(|turn| turn.clock);
    let extractor = manylane_graph::extract::Extractor::new(compression);
    let sequence = match plan.schedule {
        Some(_) => sequence(&extractor, compression),
        None => HashMap::new(),
    };
    let mut net = Netlist::new(&options.module);
    let control = net.section("Control");
    let enable = net.add(control, "enable", 1, Driver::Wire(Expr::Value(Value::Const(1))));
    let mut maker = Maker {
        compression,
        plan,
        options,
        rounds: Ring::new(block),
        turns,
        last,
        schedule: plan.schedule.as_ref().map(Ring::new),
        sequence,
        clocks: plan.cycles_per_block,
        stages: plan.options.stages,
        shift: 0,
        schedule_shift: 0,
        net,
        known: HashMap::new(),
        kept: HashMap::new(),
        ports: HashMap::new(),
        enable,
        stages_section: Vec::new(),
    };
    maker.place();
    Ok(maker.make())
}

/// After how many steps the kinds of turns repeat, if that divides the steps.
fn period(plan: &HardwarePlan) -> Option<usize> {
    let turns = plan.cycles_per_block * plan.options.stages;
    let mut kind = vec![0; turns];
    for (block, of_block) in plan.blocks.iter().enumerate() {
        of_block.turns.iter().for_each(|turn| kind[turn.clock] = block);
    }
    let repeats = |period: &usize| (*period..turns).all(|t| kind[t] == kind[t - period]);
    let period = (2..=turns / 2).find(repeats)? * plan.options.merge;
    plan.steps.is_multiple_of(period).then_some(period)
}

/// For each word of the message schedule, its place in the sequence.
fn sequence(
    extractor: &manylane_graph::extract::Extractor<'_>,
    compression: &Function,
) -> HashMap<NodeId, usize> {
    let longest = rounds(compression);
    let is_round = |line: &Line| longest.iter().any(|round| round.name == line.name);
    let others = lines(compression).into_iter().filter(|line| !is_round(line));
    let found = others
        .filter(|line| line.states[0].iter().all(|&word| extractor.role(word) != Role::Chaining));
    let words = found.filter_map(|line| recurrence(extractor, &line)).next().map(|r| r.words);
    words.into_iter().flatten().enumerate().map(|(q, node)| (node, q)).collect()
}

impl<'m> Maker<'m> {
    /// Decides in which clocks the turns begin, so that nothing is needed before it is there.
    fn place(&mut self) {
        let earliest = |ring: &Ring<'_>| ring.bases.iter().map(|base| -base.chosen()).max();
        if let Some(schedule) = &self.schedule {
            self.schedule_shift = earliest(schedule).unwrap_or(0);
        }
        let mut shift = earliest(&self.rounds).unwrap_or(0);
        let block = self.rounds.block;
        for input in block.words..block.function.inputs().len() {
            let Some(first) = self.first_use(input) else { continue };
            let turns = self.turns.iter().enumerate();
            let column: Vec<(usize, NodeId)> =
                turns.map(|(g, turn)| (g, turn.arguments[input])).collect();
            let clock = self.made(&column, first);
            for (g, node) in column {
                shift = shift.max(self.needed_shift(g, node, clock));
            }
        }
        self.shift = shift;
    }

    /// The least shift at which what `node` of turn `g` is computed from is there in `clock`.
    fn needed_shift(&self, g: usize, node: NodeId, clock: i64) -> i64 {
        if let (Some(place), Some(schedule)) = (self.place_in_window(g, node), &self.schedule) {
            return schedule.bases[place].clock + self.schedule_shift - clock;
        }
        let args = self.compression.args(node).iter();
        let below = args.map(|&arg| self.needed_shift(g, arg, clock)).max();
        // A selector or a kept input is there a clock after the start.
        below.unwrap_or(i64::MIN).max(1 - clock)
    }

    /// Where in the message schedule's window a word stands in turn `g`.
    fn place_in_window(&self, g: usize, node: NodeId) -> Option<usize> {
        let place = self.sequence.get(&node)?.checked_sub(g * self.plan.options.merge)?;
        (place < self.schedule.as_ref()?.block.words).then_some(place)
    }

    fn ring(&self, which: Which) -> &Ring<'m> {
        match which {
            Which::Rounds => &self.rounds,
            Which::Schedule => self.schedule.as_ref().expect("asked for if there is one"),
        }
    }

    fn shift_of(&self, which: Which) -> i64 {
        match which {
            Which::Rounds => self.shift,
            Which::Schedule => self.schedule_shift,
        }
    }

    /// The first clock in which an input of the rounds' block is needed.
    fn first_use(&self, input: usize) -> Option<i64> {
        let (function, schedule) = (&self.rounds.block.function, &self.rounds.block.schedule);
        let node = function.inputs()[input].node;
        let users = function.nodes().filter(|&user| function.args(user).contains(&node));
        let outputs = function.outputs().iter().filter(|output| output.value == node);
        let clocks = users.map(|user| schedule.nodes[user.index()].clock);
        clocks.chain(outputs.map(|_| 0)).min()
    }

    /// The clock in which a side input that is first needed in clock `first` is computed: the one
    /// before, unless there is nothing to compute.
    fn made(&self, column: &[(usize, NodeId)], first: i64) -> i64 {
        let same = column.iter().all(|(_, node)| *node == column[0].1);
        let is_constant = same && matches!(self.compression.op(column[0].1), Op::Const(_));
        let place = |&(g, node): &(usize, NodeId)| self.place_in_window(g, node);
        let places: Option<Vec<usize>> = column.iter().map(place).collect();
        let is_tap = places.is_some_and(|places| places.iter().all(|&p| p == places[0]));
        if is_constant || is_tap { first } else { first - 1 }
    }

    fn make(mut self) -> Core {
        let (ports, valid, ready) = self.open();
        let control = self.net.section("Control");
        let final_shift = self.finish(control);
        // A block is taken when the first stage is free, or will be.
        let enable = Value::Signal(self.enable);
        let free = match self.clocks {
            1 => enable,
            _ => {
                let busy = self.known[&(Key::Start, usize::MAX, 0)];
                let last = self.start(1);
                let idle = self.wire(control, "idle", 1, Expr::Op(Op::Not, vec![busy]));
                let free = Expr::Op(Op::Or, vec![idle, last]);
                let free = self.wire(control, "free", 1, free);
                self.wire(control, "accept", 1, Expr::Op(Op::And, vec![enable, free]))
            }
        };
        self.net.drive(ready, Expr::Value(free));
        let taken = Expr::Op(Op::And, vec![Value::Signal(valid), Value::Signal(ready)]);
        let Value::Signal(start) = self.start(0) else { unreachable!("the start is a signal") };
        self.net.drive(start, taken);
        let latency = (self.stages * self.clocks) as i64 + final_shift + 1;
        Core { netlist: self.net, cycles_per_block: self.clocks, latency: latency as usize, ports }
    }

    /// The input ports, and the handshake's two signals.
    fn open(&mut self) -> (Vec<(&'static str, Vec<NodeId>)>, SignalId, SignalId) {
        let section = self.net.section("Inputs");
        let valid = self.net.add(section, "in_valid", 1, Driver::Input);
        let ready = self.net.add(section, "ready", 1, Driver::Wire(Expr::Value(Value::Const(0))));
        self.net.output("in_ready", ready);
        let tag = self.net.add(section, "in_tag", self.options.tag_bits, Driver::Input);
        self.ports.insert(TAG, tag);
        let mut ports = Vec::new();
        let roles = [
            ("in_chain", &[Role::Chaining][..]),
            ("in_block", &[Role::Message][..]),
            ("in_counter", &[Role::Counter, Role::Key, Role::Constant][..]),
        ];
        for (name, roles) in roles {
            let inputs = self.compression.inputs().iter();
            let inputs: Vec<_> = inputs.filter(|input| roles.contains(&input.role)).collect();
            if inputs.is_empty() {
                continue;
            }
            let widths = inputs.iter().map(|input| u32::from(self.compression.width(input.node)));
            let mut low: u32 = widths.sum();
            let port = self.net.add(section, name, low, Driver::Input);
            for input in &inputs {
                let width = u32::from(self.compression.width(input.node));
                low -= width;
                let slice = Driver::Wire(Expr::Slice(port, low));
                let signal = self.net.add(section, &input.name, width, slice);
                self.ports.insert(input.node, signal);
            }
            ports.push((name, inputs.iter().map(|input| input.node).collect()));
        }
        (ports, valid, ready)
    }

    /// The last words, the ending and the output ports. Returns the ending's clock, counted from
    /// the end of the last stage.
    fn finish(&mut self, control: usize) -> i64 {
        let section = self.net.section("Ending");
        let chosen = |base: &Base| base.chosen() + self.shift;
        let times: Vec<i64> = self.rounds.bases.iter().map(chosen).collect();
        let (first, last) = (times.iter().min(), times.iter().max());
        let (first, last) = (*first.expect("words"), *last.expect("words"));
        let held = last - first < self.clocks as i64;
        let end = last + 1;
        let mut words = HashMap::new();
        for (i, &time) in times.iter().enumerate() {
            let raw = self.result(Which::Rounds, self.stages - 1, i);
            let name = format!("last_{}", self.word_name(Which::Rounds, i));
            let width = self.width(self.rounds.block, i);
            let load = held.then(|| self.start_at(self.stages, time));
            let mut word = self.register(section, &name, width, raw, load);
            if !held {
                for _ in time..last {
                    word = self.register(section, &name, width, word, None);
                }
            }
            words.insert(self.last[i], word);
        }
        let time = (self.stages * self.clocks) as i64 + end;
        let mut parts = Vec::new();
        for output in self.compression.outputs() {
            let value = self.ending(output.value, time, section, &mut words);
            let width = self.compression.width(output.value).into();
            let name = format!("out_{}", output.name);
            let register = self.register(section, &name, width, value, None);
            let Value::Signal(register) = register else { unreachable!("registers are signals") };
            parts.push((register, width));
        }
        let bits = parts.iter().map(|(_, width)| width).sum();
        let parts = parts.into_iter().map(|(register, _)| register).collect();
        let chain = self.net.add(section, "chain", bits, Driver::Wire(Expr::Concat(parts)));
        self.net.output("out_chain", chain);
        let tag = self.input_at(TAG, time);
        let tag = self.register(section, "out_tag_r", self.options.tag_bits, tag, None);
        let done = self.start_at(self.stages, end);
        let valid = Driver::Register {
            next: Some(Expr::Value(Value::Signal(done))),
            load: None,
            reset: true,
        };
        let valid = self.net.add(control, "valid", 1, valid);
        let ready = self.net.add(control, "out_ready", 1, Driver::Input);
        let waits = Expr::Op(Op::Not, vec![Value::Signal(valid)]);
        let empty = self.wire(control, "empty", 1, waits);
        let moves = Expr::Op(Op::Or, vec![empty, Value::Signal(ready)]);
        self.net.drive(self.enable, moves);
        self.net.output("out_valid", valid);
        if let Value::Signal(tag) = tag {
            self.net.output("out_tag", tag);
        }
        end
    }

    /// A node after the rounds, all of whose inputs are taken in clock `time`.
    fn ending(
        &mut self,
        node: NodeId,
        time: i64,
        section: usize,
        known: &mut HashMap<NodeId, Value>,
    ) -> Value {
        if let Some(&value) = known.get(&node) {
            return value;
        }
        let value = match self.compression.op(node) {
            Op::Const(value) => Value::Const(value),
            Op::Input(_) => self.input_at(node, time),
            op => {
                let args = self.compression.args(node).to_vec();
                let args = args.into_iter().map(|arg| self.ending(arg, time, section, known));
                let args = args.collect();
                let name = format!("end_{}{}", op.name(), node.0);
                let width = self.compression.width(node).into();
                self.wire(section, &name, width, Expr::Op(op, args))
            }
        };
        known.insert(node, value);
        value
    }

    /// A node before the rounds, in clock `time`.
    fn opening(&mut self, node: NodeId, time: i64) -> Value {
        match self.compression.op(node) {
            Op::Const(value) => return Value::Const(value),
            Op::Input(_) => return self.input_at(node, time),
            _ => {}
        }
        let key = (Key::Common(node), usize::MAX, time);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let op = self.compression.op(node);
        let args = self.compression.args(node).to_vec();
        let args = args.into_iter().map(|arg| self.opening(arg, time)).collect();
        let section = self.net.section("Opening");
        let width = self.compression.width(node).into();
        let name = format!("open_{}{}", op.name(), node.0);
        let value = self.wire(section, &name, width, Expr::Op(op, args));
        self.known.insert(key, value);
        value
    }

    /// An input of the compression in clock `time`: the port itself in clock 0, a register later.
    fn input_at(&mut self, node: NodeId, time: i64) -> Value {
        assert!(time >= 0, "nothing is there before it is taken");
        let is_in_window = self.sequence.contains_key(&node);
        match time {
            0 => Value::Signal(self.ports[&node]),
            // Words of a message schedule's window are not kept elsewhere.
            _ if is_in_window => {
                let before = self.input_at(node, time - 1);
                let key = (Key::Common(node), usize::MAX, time);
                self.delayed(key, before)
            }
            _ => Value::Signal(self.kept((time as usize - 1) / self.clocks, node)),
        }
    }

    /// An input as it is kept for stage `stage`.
    fn kept(&mut self, stage: usize, node: NodeId) -> SignalId {
        if let Some(&known) = self.kept.get(&(stage, node)) {
            return known;
        }
        let from = match stage {
            0 => self.ports[&node],
            _ => self.kept(stage - 1, node),
        };
        let load = Some(self.start_at(stage, 0));
        let section = self.section_of(stage);
        let name = match self.compression_input(node) {
            Some(name) => format!("kept{stage}_{name}"),
            None => format!("kept{stage}_tag"),
        };
        let width = self.net.signal(from).width;
        let register = self.register(section, &name, width, Value::Signal(from), load);
        let Value::Signal(register) = register else { unreachable!("registers are signals") };
        self.kept.insert((stage, node), register);
        register
    }

    fn compression_input(&self, node: NodeId) -> Option<&str> {
        let mut inputs = self.compression.inputs().iter();
        inputs.find(|input| input.node == node).map(|input| input.name.as_str())
    }

    /// Word `word` before a turn, in clock `clock` of the turn.
    fn word(&mut self, which: Which, stage: usize, word: usize, clock: i64) -> Value {
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
    fn result(&mut self, which: Which, stage: usize, word: usize) -> Value {
        let ring = self.ring(which);
        let clock = ring.bases[word].chosen() + 1;
        let value = ring.block.function.outputs()[word].value;
        match source(ring.block, word) {
            Source::Word(from) => self.word(which, stage, from, clock),
            Source::Made(_) | Source::Constant => self.node(which, stage, value, clock),
        }
    }

    /// A node of a block, in clock `clock` of the turn.
    fn node(&mut self, which: Which, stage: usize, node: NodeId, clock: i64) -> Value {
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
        let args: Vec<Value> =
            args.into_iter().map(|arg| self.node(which, stage, arg, clock)).collect();
        let section = self.section_of(stage);
        let varying = block.varying.iter().position(|&varying| varying == node);
        let expr = match varying.filter(|_| which == Which::Rounds) {
            None => Expr::Op(op, args),
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
                self.select(stage, clock, arms)
            }
        };
        let value = self.wire(section, &name, width, expr);
        self.known.insert(key, value);
        value
    }

    /// A side input of the rounds' block, in clock `clock` of the turn.
    fn side(&mut self, stage: usize, input: usize, clock: i64) -> Value {
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
    fn common(&mut self, stage: usize, column: &[(usize, NodeId)], clock: i64) -> Value {
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
        let section = self.section_of(stage);
        let expr = self.select(stage, clock, arms);
        self.wire(section, &format!("s{stage}_chosen{}", column[0].1.0), width, expr)
    }

    fn select(&mut self, stage: usize, clock: i64, arms: Vec<(Vec<u32>, Value)>) -> Expr {
        match &arms[..] {
            [(_, value)] => Expr::Value(*value),
            _ => Expr::Select { selector: self.count(stage, clock), arms },
        }
    }

    /// The number of the stage's turn, in clock `clock` of the turn.
    fn count(&mut self, stage: usize, clock: i64) -> SignalId {
        let base = 1 - self.shift;
        let key = (Key::Count, stage, clock);
        let value = match self.known.get(&key) {
            Some(&known) => known,
            None if clock == base => {
                self.start(stage + 1);
                self.known[&key]
            }
            None => {
                assert!(clock > base, "turns are counted from the start on");
                let before = Value::Signal(self.count(stage, clock - 1));
                self.delayed(key, before)
            }
        };
        let Value::Signal(count) = value else { unreachable!("a counter is a signal") };
        count
    }

    /// Whether a block enters stage `stage` in this clock.
    fn start(&mut self, stage: usize) -> Value {
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
        self.net.connect(count, next);
        if before == 0 {
            self.known.insert((Key::Start, usize::MAX, 0), Value::Signal(busy));
        }
        self.known.insert((Key::Count, before, 1 - self.shift), Value::Signal(count));
        self.known.insert(key, last);
        last
    }

    /// Whether a block entered stage `stage` so many clocks ago.
    fn start_at(&mut self, stage: usize, clocks: i64) -> SignalId {
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

    fn turns_of(&self, stage: usize) -> Vec<(usize, &'m Turn)> {
        let turns = &self.turns[stage * self.clocks..(stage + 1) * self.clocks];
        turns.iter().copied().enumerate().collect()
    }

    fn section_of(&mut self, stage: usize) -> usize {
        match self.stages_section.get(stage) {
            Some(&section) => section,
            None => self.net.section(&format!("Stage {stage}")),
        }
    }

    fn width(&self, block: &Block, word: usize) -> u32 {
        block.function.width(block.function.inputs()[word].node).into()
    }

    /// The name of a word: letters as the standards use them, if there are enough.
    fn word_name(&self, which: Which, word: usize) -> String {
        let letter = |i: usize| char::from(b'a' + i as u8);
        match which {
            Which::Schedule => format!("w{word}"),
            Which::Rounds if self.rounds.block.words <= 8 => letter(word).to_string(),
            Which::Rounds => format!("x{word}"),
        }
    }

    /// A register in a recurrence: it is known before what it takes, which depends on it.
    fn recurrent(&mut self, key: (Key, usize, i64), name: &str, width: u32) -> SignalId {
        let section = self.section_of(key.1);
        let driver = Driver::Register { next: None, load: None, reset: false };
        let register = self.net.add(section, name, width, driver);
        self.known.insert(key, Value::Signal(register));
        register
    }

    /// `before`, a clock later.
    fn delayed(&mut self, key: (Key, usize, i64), before: Value) -> Value {
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let value = match before {
            Value::Const(_) => before,
            Value::Signal(signal) => {
                let signal = self.net.signal(signal);
                let (name, width, section) =
                    (format!("{}_late", signal.name), signal.width, signal.section);
                self.register(section, &name, width, before, None)
            }
        };
        self.known.insert(key, value);
        value
    }

    fn register(
        &mut self,
        section: usize,
        name: &str,
        width: u32,
        next: Value,
        load: Option<SignalId>,
    ) -> Value {
        let driver = Driver::Register { next: Some(Expr::Value(next)), load, reset: false };
        Value::Signal(self.net.add(section, name, width, driver))
    }

    fn wire(&mut self, section: usize, name: &str, width: u32, expr: Expr) -> Value {
        Value::Signal(self.net.add(section, name, width, Driver::Wire(expr)))
    }
}

/// Stands for the tag among the compression's inputs.
const TAG: NodeId = NodeId(u32::MAX);
