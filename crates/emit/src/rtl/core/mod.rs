//! The core: a pipeline of stages that each take k steps of the compression per clock.
//!
//! ```text
//!  in ──► opening ──► stage 0 ──► stage 1 ──► … ──► last words ──► ending ──► out
//!     └─► kept ─────► kept 1 ───► … ──────────────────────────────────▲
//! ```
//!
//! All times are counted from the clock in which a block is taken, clock 0. Turn g of the rounds
//! (over all stages) has its clock g + shift; what a schedule places in clock c of the
//! turn works in clock g + c + shift. Stage s begins C clocks after stage s - 1, C being the clocks
//! per block, and one more where a register hands its words over: nothing but the beginnings is handed
//! on, everything else is delayed from there.
//!
//! `boundary` makes what goes in and comes out, `last` the words after the last turn, `turn` what is
//! computed, `choice` what differs from turn to turn, `control` what counts. In memory may be words of
//! message (`window`; `line`, those of a message schedule) and chaining values (`chaining`).

mod boundary;
mod chaining;
mod choice;
mod clear;
mod control;
mod last;
mod line;
mod storage;
mod turn;
mod window;

pub use storage::Storage;

use self::choice::{Kind, Shifts, Taken};
use self::window::Ram;
use super::Error;
use super::modes::Mode;
use super::netlist::{Driver, Expr, Netlist, SignalId, Value};
use super::ring::Ring;
use super::split::Split;
use manylane_graph::extract::{Extractor, message_schedule, rounds};
use manylane_graph::{Function, NodeId, Op};
use manylane_plan::hardware::{Block, HardwarePlan, Precompute, Turn};
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
    /// A node of the last turn, kept; or made again from what was kept (stage 1).
    Last(NodeId),
    Start,
    Occupied,
    Count,
    /// Which block of the memory for words.
    Block,
    /// Where the schedule's memories are written.
    Place,
    /// The chaining value for the ending.
    Chain,
}

/// A choice among arms: the stage, the clock of its turn, the turns of each arm.
type Arms = (usize, i64, Vec<Vec<u32>>);

/// How a core is to look.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the module on top, one that [`check_module_name`](super::check_module_name)
    /// takes.
    pub module: String,
    /// Bits of the tag that accompanies a block.
    pub tag_bits: u32,
    /// Where the words of a block are kept.
    pub window: Storage,
    /// Where the chaining value is kept for the ending.
    pub chaining: Storage,
    /// Whether memory is block RAM, which is slow to answer: its words take one more register.
    pub block_ram: bool,
    /// The hashes that the core is for, if it has to tell them apart.
    pub modes: Vec<Mode>,
    /// Whether nothing of a block stays when its result has been taken.
    pub clear: bool,
}

impl Options {
    /// Blocks of one hash that go in at once, with a tag of eight bits.
    pub fn new(module: &str) -> Self {
        Self {
            module: module.to_owned(),
            tag_bits: 8,
            window: Storage::Registers,
            chaining: Storage::Registers,
            block_ram: false,
            modes: Vec::new(),
            clear: false,
        }
    }
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
    /// most significant end; [`Core::WORD`] carries them one after the other.
    pub ports: Vec<(&'static str, Vec<NodeId>)>,
    /// Where the words of a block are kept.
    pub window: Storage,
    /// Where the chaining value is kept for the ending.
    pub chaining: Storage,
    /// Its modes, if it has any.
    pub modes: Vec<Mode>,
    /// With modes, the words of the chaining value that the block is compressed with.
    pub started: Vec<SignalId>,
    /// Whether nothing of a block stays when its result has been taken. It has a port `clear` then.
    pub clears: bool,
}

impl Core {
    /// The port that takes a block word by word, if the window is in memory.
    pub const WORD: &'static str = "word";

    /// Words of a block that go in one by one, before or while its chaining value is offered.
    pub fn words(&self) -> Option<usize> {
        let mut ports = self.ports.iter();
        ports.find(|(name, _)| *name == Self::WORD).map(|(_, words)| words.len())
    }

    /// Whether words of blocks or chaining values are in memory.
    pub fn in_memory(&self) -> bool {
        [self.window, self.chaining].contains(&Storage::Ram)
    }
}

struct Maker<'m> {
    compression: &'m Function,
    plan: &'m HardwarePlan,
    options: &'m Options,
    rounds: Ring<'m>,
    /// For each word of the compression's state, the word of the ring that is its second term.
    second: &'m [Option<usize>],
    turns: Vec<&'m Turn>,
    last: Vec<NodeId>,
    schedule: Option<Ring<'m>>,
    /// For each word of the message schedule, its place in the sequence.
    sequence: HashMap<NodeId, usize>,
    /// For each place of the message schedule's window, which of its first words enter there, and
    /// when.
    entries: Vec<Vec<(usize, i64)>>,
    clocks: usize,
    stages: usize,
    /// Clocks between the end of a stage and the beginning of the next.
    handing: usize,
    /// Clock of turn 0 of the rounds, of the message schedule.
    shift: i64,
    schedule_shift: i64,
    net: Netlist,
    known: HashMap<(Key, usize, i64), Value>,
    /// Operations beside the rounds, by stage.
    operations: HashMap<(usize, Taken), Value>,
    kept: HashMap<(usize, NodeId), SignalId>,
    /// By stage, clock and turns: the number of the arm that a turn chooses.
    arms: HashMap<Arms, Vec<SignalId>>,
    ports: HashMap<NodeId, SignalId>,
    enable: SignalId,
    started: Vec<SignalId>,
    /// Registers of control, one of which is 1 while a block is under way.
    busy: Vec<SignalId>,
    /// Words in memory, if they are kept there.
    ram: Option<Ram>,
}

/// Makes the core of a planned compression.
///
/// # Errors
/// If the plan has stages whose turns are not alike, or words of message cannot be kept in memory.
pub fn core(compression: &Function, plan: &HardwarePlan, options: &Options) -> Result<Core, Error> {
    let [block] = &plan.blocks[..] else {
        return Err(kinds(plan));
    };
    let Split { block, second } = &Split::new(block);
    let lines = rounds(compression);
    let last = lines.iter().flat_map(|line| line.states[line.len()].iter().copied()).collect();
    let mut turns: Vec<&Turn> = block.turns.iter().collect();
    turns.sort_by_key(|turn| turn.clock);
    let extractor = Extractor::new(compression);
    let sequence = match plan.schedule {
        Some(_) => sequence(&extractor),
        None => HashMap::new(),
    };
    let mut net = Netlist::new(&options.module);
    let control = net.section("Control");
    let enable = net.add(control, "enable", 1, Driver::Wire(Expr::Value(Value::Const(1))));
    net.enable = Some(enable);
    let mut maker = Maker {
        compression,
        plan,
        options,
        rounds: Ring::new(block).with_registers(plan.cycles_per_block),
        second,
        turns,
        last,
        schedule: plan.schedule.as_ref().map(Ring::new),
        sequence,
        entries: Vec::new(),
        clocks: plan.cycles_per_block,
        stages: plan.options.stages,
        handing: handing(plan, options),
        shift: 0,
        schedule_shift: 0,
        net,
        known: HashMap::new(),
        operations: HashMap::new(),
        kept: HashMap::new(),
        arms: HashMap::new(),
        ports: HashMap::new(),
        enable,
        started: Vec::new(),
        busy: Vec::new(),
        ram: None,
    };
    if options.window == Storage::Ram {
        maker.plan_ram()?;
    }
    maker.check_chaining()?;
    maker.place();
    maker.make()
}

/// Whether a register stands between stages, in clocks. A word that is handed over passes the gates
/// of one stage, a way to the next, and a multiplexer there, where a word of its own passes but the
/// gates: without a register that is the longest path of stages whose operations are in whichever
/// clock is best. A message alone waits a clock longer for it in each stage.
fn handing(plan: &HardwarePlan, options: &Options) -> usize {
    let is_retimed = plan.options.precompute == Precompute::Auto;
    // The chaining value goes from copy to copy all C clocks: a copy is behind a stage, at last.
    let is_in_time = plan.options.stages + 2 <= plan.cycles_per_block;
    // Words that are read by their numbers belong to a stage until the next one's turns begin.
    let is_by_number = options.window == Storage::Ram && plan.schedule.is_none();
    usize::from(plan.options.stages > 1 && is_retimed && is_in_time && !is_by_number)
}

/// That the turns of a plan are not alike.
pub(super) fn kinds(plan: &HardwarePlan) -> Error {
    let (function, merge) = (plan.function.clone(), plan.options.merge);
    let hint = match (period(plan), plan.options.precompute) {
        (Some(merge), _) => format!(": --merge {merge}"),
        (None, Precompute::None) => "; or compute ahead what differs: --precompute kw".to_owned(),
        (None, Precompute::Kw | Precompute::Full | Precompute::Auto) => String::new(),
    };
    Error::Kinds { function, merge, kinds: plan.blocks.len(), hint }
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
fn sequence(extractor: &Extractor<'_>) -> HashMap<NodeId, usize> {
    let words = message_schedule(extractor).map(|schedule| schedule.words);
    words.into_iter().flatten().enumerate().map(|(q, node)| (node, q)).collect()
}

impl<'m> Maker<'m> {
    /// Decides in which clocks the turns begin, so that nothing is needed before it is there.
    fn place(&mut self) {
        let earliest = |ring: &Ring<'_>| ring.bases.iter().map(|base| -base.chosen()).max();
        if let Some(schedule) = &self.schedule {
            self.schedule_shift = earliest(schedule).unwrap_or(0);
            self.entries = schedule.entries(self.schedule_shift, self.stages == 1, self.clocks);
        }
        self.schedule_shift = self.line_shift().unwrap_or(self.schedule_shift);
        let mut shift = earliest(&self.rounds).unwrap_or(0);
        let block = self.rounds.block;
        for (word, base) in self.rounds.bases.iter().enumerate() {
            let needed = self.opening_needs(self.turns[0].arguments[word], base.chosen());
            shift = shift.max(needed.unwrap_or(shift));
        }
        let mut known = Shifts::new();
        for input in block.words..block.function.inputs().len() {
            let Some(first) = self.first_use(input) else { continue };
            let turns = self.turns.iter().enumerate();
            let column: Vec<(usize, NodeId)> =
                turns.map(|(g, turn)| (g, turn.arguments[input])).collect();
            let clock = self.made(&column, first);
            shift = shift.max(self.needed_shift(&column, clock, &mut known));
        }
        for node in &block.varying {
            shift = shift.max(2 - block.schedule.nodes[node.index()].clock);
        }
        self.shift = shift;
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

    /// The first clock in which an input of the rounds' block is needed.
    fn first_use(&self, input: usize) -> Option<i64> {
        self.first_use_of(Which::Rounds, input)
    }

    fn first_use_of(&self, which: Which, input: usize) -> Option<i64> {
        let block = self.ring(which).block;
        let (function, schedule) = (&block.function, &block.schedule);
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
        // Memory has a register behind it.
        let is_read = self.kinds(column).iter().all(|(kind, _)| *kind == Kind::Word);
        if is_constant || is_tap || is_read { first } else { first - 1 }
    }

    fn make(mut self) -> Result<Core, Error> {
        let (ports, valid, ready) = self.open();
        let control = self.net.section("Control");
        let final_shift = self.finish(control);
        self.close_words();
        if let Some(why) = self.ram.as_mut().and_then(|ram| ram.refused.take()) {
            return Err(self.no_ram(why));
        }
        if self.options.clear && !self.net.memories().is_empty() {
            return Err(Error::ClearRam);
        }
        let enable = Value::Signal(self.enable);
        let ready_if: Vec<Value> = match self.options.clear {
            true => vec![enable, self.clear(valid)],
            false => vec![enable],
        };
        // A block is taken when the first stage is free, or will be. While the core waits it takes
        // none, but then no register listens to the start: it needs not wait for the enable.
        let Value::Signal(start) = self.start(0) else { unreachable!("the start is a signal") };
        let valid = Value::Signal(valid);
        if self.clocks == 1 {
            self.net.drive(ready, all(ready_if));
            self.net.drive(start, Expr::Value(valid));
        } else {
            self.start(1);
            let occupied = self.known[&(Key::Occupied, 0, 0)];
            let mut free = self.wire(control, "free", 1, Expr::Op(Op::Not, vec![occupied]));
            if let Some(loaded) = self.ram.as_ref().and_then(|ram| ram.loaded) {
                let both = vec![free, Value::Signal(loaded)];
                free = self.wire(control, "may_start", 1, Expr::Op(Op::And, both));
            }
            self.net.drive(ready, all([ready_if, vec![free]].concat()));
            self.net.drive(start, Expr::Op(Op::And, vec![valid, free]));
        }
        let latency = self.end() + final_shift + 1;
        self.net.drop_unread();
        Ok(Core {
            cycles_per_block: self.clocks.max(self.clocks_of_words()),
            latency: latency as usize,
            ports,
            window: self.options.window,
            chaining: self.options.chaining,
            modes: self.options.modes.clone(),
            started: self.started,
            clears: self.options.clear,
            netlist: self.net,
        })
    }

    /// The clock in which a stage begins.
    fn beginning(&self, stage: usize) -> usize {
        stage * (self.clocks + self.handing)
    }

    /// The clock in which the last stage ends.
    fn end(&self) -> i64 {
        (self.beginning(self.stages) - self.handing) as i64
    }

    fn turns_of(&self, stage: usize) -> Vec<(usize, &'m Turn)> {
        let turns = &self.turns[stage * self.clocks..(stage + 1) * self.clocks];
        turns.iter().copied().enumerate().collect()
    }

    fn section_of(&mut self, stage: usize) -> usize {
        self.net.section(&format!("Stage {stage}"))
    }

    fn width(&self, block: &Block, word: usize) -> u32 {
        block.function.width(block.function.inputs()[word].node).into()
    }

    /// The word that a word of the rounds' ring is the second term of.
    fn first_term(&self, word: usize) -> Option<usize> {
        self.second.iter().position(|&second| second == Some(word))
    }

    /// The name of a word: letters as the standards use them, if there are enough.
    fn word_name(&self, which: Which, word: usize) -> String {
        let letter = |i: usize| char::from(b'a' + i as u8);
        if which == Which::Schedule {
            return format!("w{word}");
        }
        match self.first_term(word) {
            Some(first) => format!("{}_carry", self.word_name(which, first)),
            None if self.second.len() <= 8 => letter(word).to_string(),
            None => format!("x{word}"),
        }
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
/// Stands for the mode.
const MODE: NodeId = NodeId(u32::MAX - 1);

/// Whether all of these bits are 1.
fn all(bits: Vec<Value>) -> Expr {
    match bits[..] {
        [bit] => Expr::Value(bit),
        _ => Expr::Op(Op::And, bits),
    }
}
