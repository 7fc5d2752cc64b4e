//! The message window in memory: a word comes in per clock, and is read where turns take it.
//!
//! ```text
//!  word ─► memory of a block or two ─► register ─┬─► rounds that take words by their numbers
//!                                                │
//!                          schedule's turn ─►┌─mux─┐   ┌───┐        ┌───┐
//!                                            └──┬──┴──►│reg├─► … ─┬►│reg├─► a few turns ago
//!                                               │      └───┘      │ └───┘
//!                                            age 0     age 1      └► memory ─► register: many
//! ```
//!
//! Every read has a register behind it, which is the block RAM's own, or leaves look-up tables used as
//! RAM their time for themselves; where block RAM is slow to answer there is one more. No word is read
//! in the clock in which it is written, which memories answer in ways of their own.
//!
//! Rounds that take words by their numbers (MD5, RIPEMD, BLAKE) read the memory of the block, a port
//! for each word of a turn. A message schedule (SHA-1, SHA-2) makes words at the pace at which the
//! first ones are read, so that all of them pass one place, the line's beginning: what the turns take
//! is told apart by age, in clocks since then. Ages close to each other are registers in a row; others
//! are read from a memory of the line, which is written in turn. A next stage has a line of its own
//! and takes from the one before what its own has not seen.

use super::{Error, Key, Maker, Which};
use crate::rtl::netlist::{Driver, Expr, Memory, MemoryId, SignalId, Value};
use crate::rtl::ring::{Source, source};
use manylane_graph::{NodeId, Op, Role};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Registers in a row that a read port of a memory is worth.
const ROW: i64 = 3;

/// A block's words in memory.
pub(super) struct Ram {
    /// The block's words of message, in their order: a power of two.
    pub(super) words: Vec<NodeId>,
    width: u32,
    /// Clocks that a word needs beside that of the memory's register: 1 if it is slow to answer.
    slow: i64,
    /// Blocks that there is room for.
    blocks: usize,
    /// One for each word of a clock.
    memories: Vec<MemoryId>,
    /// Of a message schedule.
    line: Option<Line>,
    /// Of rounds that take words by their numbers.
    reads: Vec<Read>,
    /// By number: how many clocks after its turn begins a word is read at the latest.
    last_read: i64,
    /// Driven when all reads are known: a block's words have been read.
    released: Option<SignalId>,
    /// Whether a block's words are there.
    pub(super) loaded: Option<SignalId>,
    /// What cannot be read from memory.
    pub(super) refused: Option<String>,
}

/// A port that reads words by their numbers.
#[derive(Clone, Debug)]
struct Read {
    stage: usize,
    /// The clock of a turn in which the register has the word.
    clock: i64,
    /// For each turn of the stage, if it takes one.
    numbers: Vec<Option<usize>>,
    register: SignalId,
}

/// The words of a message schedule as they pass.
#[derive(Clone, Debug)]
struct Line {
    /// k: words per clock, each with a line of its own.
    lanes: usize,
    /// Turns that take in a block.
    turns: i64,
    /// Clocks from reading a word to its being at the line's beginning.
    delay: i64,
    /// For each lane, how much later that is.
    late: Vec<i64>,
    /// The clock of the schedule's turn in which the first lane's words are made.
    made: i64,
    /// By stage and lane: age 0, and registers of greater ages.
    ages: HashMap<(usize, usize), BTreeMap<i64, SignalId>>,
}

impl Maker<'_> {
    /// Decides how the words of a block are kept in memory.
    ///
    /// # Errors
    /// If they are no words that are taken one by one.
    pub(super) fn plan_ram(&mut self) -> Result<(), Error> {
        let inputs = self.compression.inputs().iter();
        let words: Vec<NodeId> =
            inputs.filter(|input| input.role == Role::Message).map(|input| input.node).collect();
        let mut in_state = self.turns[0].arguments[..self.rounds.block.words].iter();
        if self.schedule.is_none()
            && in_state.any(|&word| self.is_made_of(word, &words, &mut HashSet::new()))
        {
            return Err(self.no_ram(
                "a block goes into the state as a whole before the first round, so that no window \
                 of words is kept"
                    .to_owned(),
            ));
        }
        let width = self.compression.width(words[0]).into();
        if !words.len().is_power_of_two() || words.len() < 2 {
            let words = words.len();
            return Err(self.no_ram(format!("a block of {words} words is no power of two")));
        }
        let line = match self.schedule.is_some() {
            true => Some(self.plan_line(&words)?),
            false => None,
        };
        let blocks = match line {
            // Words leave at least as fast as the next ones come.
            Some(_) => 1 + usize::from(self.clocks <= words.len()),
            None => (self.stages + 1).next_power_of_two(),
        };
        self.ram = Some(Ram {
            words,
            width,
            slow: self.slow(),
            blocks,
            memories: Vec::new(),
            line,
            reads: Vec::new(),
            last_read: 1,
            released: None,
            loaded: None,
            refused: None,
        });
        Ok(())
    }

    /// Whether a node before the rounds takes one of these.
    fn is_made_of(&self, node: NodeId, words: &[NodeId], seen: &mut HashSet<NodeId>) -> bool {
        let args = self.compression.args(node).iter();
        words.contains(&node)
            || seen.insert(node) && { args }.any(|&arg| self.is_made_of(arg, words, seen))
    }

    fn plan_line(&self, words: &[NodeId]) -> Result<Line, Error> {
        let block = self.ring(Which::Schedule).block;
        let (lanes, all) = (self.plan.options.merge, words.len());
        let in_order =
            words.iter().enumerate().all(|(q, word)| self.sequence.get(word) == Some(&q));
        if !in_order || block.words != all || !all.is_multiple_of(lanes) || all < 2 * lanes {
            let most = all / 2;
            return Err(self.no_ram(format!(
                "{lanes} of the schedule's {} words in a clock; possible are divisors of {all} up to \
                 --merge {most}",
                block.words
            )));
        }
        let turns = all / lanes;
        if self.clocks < turns {
            let most = self.clocks * self.stages / turns;
            return Err(self.no_ram(format!(
                "a stage of {} turns does not take in the {all} words of a block, {lanes} in a clock; \
                 possible are up to --stages {most}",
                self.clocks
            )));
        }
        let made = (all - lanes..all).map(|word| match source(block, word) {
            Source::Made(clock) => Some(clock),
            Source::Word(_) | Source::Constant => None,
        });
        let Some(made) = made.collect::<Option<Vec<i64>>>() else {
            return Err(self.no_ram("the schedule makes fewer words than it passes on".to_owned()));
        };
        let first = made.iter().copied().min().expect("a turn makes a word");
        let late = made.iter().map(|made| made - first).collect();
        // A next stage chooses between two lines by its turn's number, which a register must have.
        let used = (0..block.words).filter_map(|word| self.first_use_of(Which::Schedule, word));
        let delay = match (self.stages, used.min()) {
            (1, _) | (_, None) => 1 + self.slow(),
            (_, Some(used)) => (1 + self.slow()).max(1 + first - used),
        };
        Ok(Line { lanes, turns: turns as i64, delay, late, made: first, ages: HashMap::new() })
    }

    pub(super) fn slow(&self) -> i64 {
        i64::from(self.options.block_ram)
    }

    /// The least shift at which a word that is read by its number is there in clock `clock` of a turn:
    /// the turn's number is in a register when it is read.
    pub(super) fn number_needs(&self, clock: i64) -> i64 {
        2 + self.slow() - clock
    }

    pub(super) fn no_ram(&self, why: String) -> Error {
        Error::Window { function: self.plan.function.clone(), why }
    }

    fn line(&self) -> Option<&Line> {
        self.ram.as_ref()?.line.as_ref()
    }

    /// The clock of the schedule's first turn, if its words are in memory.
    pub(super) fn line_shift(&self) -> Option<i64> {
        self.line().map(|line| line.turns + line.delay - line.made)
    }

    /// The clock in which word `q` of a block has an age of 1, turn 0 of the line being in clock 0.
    fn there(&self, q: usize) -> Option<i64> {
        let line = self.line()?;
        Some((q / line.lanes) as i64 + line.delay + line.late[q % line.lanes] + 1)
    }

    /// The least shift at which a place of the window is there in clock `clock` of a turn.
    pub(super) fn line_needs(&self, place: usize, clock: i64) -> Option<i64> {
        Some(self.there(place)? - clock)
    }

    /// The least shift at which words of message that a node before the rounds is made from are
    /// there in clock `clock`.
    pub(super) fn opening_needs(&self, node: NodeId, clock: i64) -> Option<i64> {
        let place = self.sequence.get(&node).and_then(|&q| self.line_needs(q, clock));
        let args = self.compression.args(node).iter();
        args.filter_map(|&arg| self.opening_needs(arg, clock)).chain(place).max()
    }

    /// The port for words, and the memory behind it.
    pub(super) fn open_words(&mut self, section: usize) -> Vec<NodeId> {
        let ram = self.ram.as_ref().expect("words are kept in memory");
        let (words, width, blocks) = (ram.words.clone(), ram.width, ram.blocks);
        let lanes = ram.line.as_ref().map_or(1, |line| line.lanes);
        let valid = self.net.add(section, "word_valid", 1, Driver::Input);
        let word = self.net.add(section, "word", width, Driver::Input);
        let ready = self.later(section, "word_room", 1);
        self.net.output("word_ready", ready);
        let both = [valid, ready].map(Value::Signal).to_vec();
        let section = self.net.section("Words");
        let Value::Signal(take) = self.wire(section, "takes_word", 1, Expr::Op(Op::And, both))
        else {
            unreachable!("a wire is a signal")
        };

        // Where the word goes.
        let bits = (words.len() * blocks).trailing_zeros();
        let lane_bits = lanes.trailing_zeros();
        let place = self.counter(section, "word_place", bits, take);
        let address = self.part(section, "word_address", place, lane_bits, bits - lane_bits);
        let depth = words.len() * blocks / lanes;
        let memories = (0..lanes).map(|lane| {
            let write = match lanes {
                1 => take,
                _ => {
                    let low = self.part(section, "word_lane", place, 0, lane_bits);
                    let here = self.wire(section, "word_here", 1, Expr::Equals(low, lane as u32));
                    let both = vec![Value::Signal(take), here];
                    let Value::Signal(write) =
                        self.wire(section, "writes_word", 1, Expr::Op(Op::And, both))
                    else {
                        unreachable!("a wire is a signal")
                    };
                    write
                }
            };
            let name = if lanes == 1 { "words".to_owned() } else { format!("words{lane}") };
            self.net.memory(Memory {
                name,
                depth,
                width,
                write,
                address,
                data: word,
                section,
                apart: true,
            })
        });
        let memories = memories.collect();

        // Which blocks are there: a bit for one, two for two, …
        let in_block = self.part(section, "word_number", place, 0, words.len().trailing_zeros());
        let last = Expr::Equals(in_block, words.len() as u32 - 1);
        let last = self.wire(section, "word_is_last", 1, last);
        let filled =
            self.wire(section, "filled", 1, Expr::Op(Op::And, vec![Value::Signal(take), last]));
        let start = self.start(0);
        let waiting = self.level(section, "waiting", blocks, filled, start);
        let ram = self.ram.as_ref().expect("words are kept in memory");
        let (held, released) = match ram.line.is_some() {
            true => (waiting, None),
            false => {
                let released = self.later(section, "released", 1);
                let down = Value::Signal(released);
                (self.level(section, "held", blocks, filled, down), Some(released))
            }
        };
        let loaded = self.part(section, "loaded", waiting, 0, 1);
        let full = self.part(section, "no_room", held, blocks as u32 - 1, 1);
        let room = self.wire(section, "room", 1, Expr::Op(Op::Not, vec![Value::Signal(full)]));
        let moves = Value::Signal(self.enable);
        self.net.drive(ready, Expr::Op(Op::And, vec![moves, room]));
        let ram = self.ram.as_mut().expect("words are kept in memory");
        ram.memories = memories;
        ram.loaded = Some(loaded);
        ram.released = released;
        words
    }

    /// How many blocks there are, a bit for each: one more with `up`, one less with `down`.
    fn level(
        &mut self,
        section: usize,
        name: &str,
        blocks: usize,
        up: Value,
        down: Value,
    ) -> SignalId {
        let width = blocks as u32;
        let driver = Driver::Register { next: None, load: None, reset: true };
        let level = self.net.add(section, name, width, driver);
        let not = |maker: &mut Self, value| {
            maker.wire(section, &format!("{name}_not"), 1, Expr::Op(Op::Not, vec![value]))
        };
        let (not_up, not_down) = (not(self, up), not(self, down));
        let mut only = |which: &str, args: [Value; 2]| {
            let only = Expr::Op(Op::And, args.to_vec());
            let Value::Signal(only) = self.wire(section, &format!("{name}_{which}"), 1, only)
            else {
                unreachable!("a wire is a signal")
            };
            only
        };
        let (rises, falls) = (only("rises", [up, not_down]), only("falls", [down, not_up]));
        let known = Value::Signal(level);
        let (more, less) = match width {
            1 => (Value::Const(1), Value::Const(0)),
            _ => {
                let shifted = Expr::Op(Op::Shl(1), vec![known]);
                let shifted = self.wire(section, &format!("{name}_moved"), width, shifted);
                let more = Expr::Op(Op::Or, vec![shifted, Value::Const(1)]);
                let less = Expr::Op(Op::Shr(1), vec![known]);
                let more = self.wire(section, &format!("{name}_more"), width, more);
                (more, self.wire(section, &format!("{name}_less"), width, less))
            }
        };
        let kept = Expr::Choose { condition: falls, then: less, otherwise: known };
        let kept = self.wire(section, &format!("{name}_kept"), width, kept);
        self.net.connect(level, Expr::Choose { condition: rises, then: more, otherwise: kept });
        level
    }

    /// A number of so many bits, one more after each clock in which `moves` is 1.
    pub(super) fn counter(
        &mut self,
        section: usize,
        name: &str,
        bits: u32,
        moves: SignalId,
    ) -> SignalId {
        let driver = Driver::Register { next: None, load: Some(moves), reset: true };
        let count = self.net.add(section, name, bits, driver);
        let more = Expr::Op(Op::Add, vec![Value::Signal(count), Value::Const(1)]);
        self.net.connect(count, more);
        count
    }

    fn later(&mut self, section: usize, name: &str, width: u32) -> SignalId {
        self.net.add(section, name, width, Driver::Wire(Expr::Value(Value::Const(0))))
    }

    fn part(&mut self, section: usize, name: &str, of: SignalId, low: u32, bits: u32) -> SignalId {
        match self.net.signal(of).width == bits {
            true => of,
            false => self.net.add(section, name, bits, Driver::Wire(Expr::Slice(of, low))),
        }
    }

    /// The words of message that a stage's turns take, in clock `clock` of the turn: out of a
    /// register, which has a port of the memory with whatever other turns take in that clock.
    pub(super) fn by_number(
        &mut self,
        stage: usize,
        column: &[(usize, NodeId)],
        clock: i64,
    ) -> Value {
        let section = self.section_of(stage);
        let (clocks, shift) = (self.clocks, self.shift);
        let ram = self.ram.as_mut().expect("words are kept in memory");
        ram.last_read = ram.last_read.max(clock - 1 - ram.slow + shift);
        let number = |node| ram.words.iter().position(|word| *word == node).expect("it is there");
        let taken: Vec<(usize, usize)> =
            column.iter().map(|&(g, node)| (g - stage * clocks, number(node))).collect();
        let mut ports = ram.reads.iter_mut();
        let found = ports.find(|read| {
            let others = |(turn, number): &(usize, usize)| {
                read.numbers[*turn].is_none_or(|known| known == *number)
            };
            (read.stage, read.clock) == (stage, clock) && taken.iter().all(others)
        });
        let read = match found {
            Some(read) => read,
            None => {
                let name = format!("s{stage}_m{}", ram.reads.len());
                let driver = Driver::Register { next: None, load: None, reset: false };
                let register = self.net.add(section, &name, ram.width, driver);
                ram.reads.push(Read { stage, clock, numbers: vec![None; clocks], register });
                ram.reads.last_mut().expect("it was added")
            }
        };
        taken.into_iter().for_each(|(turn, number)| read.numbers[turn] = Some(number));
        Value::Signal(read.register)
    }

    /// Makes the port of a register that takes words by their numbers.
    fn close_read(&mut self, Read { stage, clock, numbers, register }: &Read) {
        let mut arms: Vec<(Vec<u32>, Value)> = Vec::new();
        for (turn, number) in (0..).zip(numbers) {
            let Some(number) = number else { continue };
            let value = Value::Const(*number as u64);
            match arms.iter_mut().find(|(_, known)| *known == value) {
                Some((turns, _)) => turns.push(turn),
                None => arms.push((vec![turn], value)),
            }
        }
        let ram = self.ram.as_ref().expect("words are kept in memory");
        let (memory, width, slow) = (ram.memories[0], ram.width, ram.slow);
        let read_at = clock - 1 - slow;
        let (bits, block_bits) = (ram.words.len().trailing_zeros(), ram.blocks.trailing_zeros());
        let name = self.net.signal(*register).name.clone();
        let number = self.select(*stage, read_at, &format!("{name}_number"), bits, arms);
        let section = self.section_of(*stage);
        let number = match number {
            Value::Signal(number) => number,
            Value::Const(_) => {
                let driver = Driver::Wire(Expr::Value(number));
                self.net.add(section, &format!("{name}_number"), bits, driver)
            }
        };
        let parts = Expr::Concat(vec![self.block_number(*stage, read_at), number]);
        let driver = Driver::Wire(parts);
        let address = self.net.add(section, &format!("{name}_at"), bits + block_bits, driver);
        let word = Expr::Read(memory, address);
        let mut word = self.wire(section, &format!("{name}_read"), width, word);
        for _ in 0..slow {
            word = self.register(section, &format!("{name}_out"), width, word, None);
        }
        self.net.connect(*register, Expr::Value(word));
    }

    /// Which block of the memory is a stage's, in clock `clock` of a turn.
    fn block_number(&mut self, stage: usize, clock: i64) -> SignalId {
        let key = (Key::Block, stage, clock);
        let value = match self.known.get(&key) {
            Some(&known) => known,
            None if clock > 1 - self.shift => {
                let before = Value::Signal(self.block_number(stage, clock - 1));
                self.delayed(key, before)
            }
            None => {
                let start = self.start_at(stage, 0);
                let ram = self.ram.as_ref().expect("words are kept in memory");
                let bits = ram.blocks.trailing_zeros();
                let next = match stage {
                    0 => {
                        let section = self.net.section("Words");
                        self.counter(section, "next_block", bits, start)
                    }
                    _ => self.block_number(stage - 1, 1 - self.shift),
                };
                let section = self.section_of(stage);
                let next = Value::Signal(next);
                let name = format!("s{stage}_block");
                let block = self.register(section, &name, bits, next, Some(start));
                self.known.insert(key, block);
                block
            }
        };
        let Value::Signal(block) = value else { unreachable!("registers are signals") };
        block
    }

    /// A place of the window before a turn of the schedule, in clock `clock` of that turn.
    pub(super) fn schedule_word(&mut self, stage: usize, place: usize, clock: i64) -> Value {
        let key = (Key::Word(Which::Schedule, place), stage, clock);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let line = self.line().expect("the schedule's words are a line");
        let (lane, back) = (place % line.lanes, line.turns - (place / line.lanes) as i64);
        let age = back + clock - line.made - line.late[lane];
        let in_turn = line.delay + clock - line.made - self.shift;
        let own = Value::Signal(self.age(stage, lane, age));
        let clocks = self.clocks as i64;
        let value = match stage {
            0 => own,
            _ if back >= clocks => Value::Signal(self.age(stage - 1, lane, age)),
            _ => {
                let then = Value::Signal(self.age(stage - 1, lane, age));
                let turns = [back..clocks, 0..back];
                let turns = turns.map(|turns| turns.map(|turn| turn as u32).collect());
                let [condition] = self.arm(stage, in_turn, turns.to_vec())[..] else {
                    unreachable!("one bit chooses from two")
                };
                let section = self.section_of(stage);
                let name = format!("s{stage}_w{place}");
                self.wire(
                    section,
                    &name,
                    self.ram.as_ref().expect("words are kept in memory").width,
                    Expr::Choose { condition, then, otherwise: own },
                )
            }
        };
        self.known.insert(key, value);
        value
    }

    /// A place of the window that a turn of the rounds takes, in clock `clock` of the turn.
    pub(super) fn window_word(&mut self, stage: usize, place: usize, clock: i64) -> Value {
        let line = self.line().expect("the schedule's words are a line");
        if stage > 0 && place >= line.lanes {
            let why = format!("a stage takes word {place} of the schedule ahead of its turn");
            self.refuse(why);
            return Value::Const(0);
        }
        let lane = place % line.lanes;
        let age = clock + self.shift + 1 - self.there(place).expect("there is a line");
        Value::Signal(self.age(stage, lane, age))
    }

    /// A word of message in clock `time`, before the rounds.
    pub(super) fn word_at(&mut self, node: NodeId, time: i64) -> Value {
        let place = self.sequence.get(&node).copied();
        let Some((q, there)) = place.and_then(|q| Some((q, self.there(q)?))) else {
            self.refuse("a word is taken otherwise than by its number".to_owned());
            return Value::Const(0);
        };
        let lane = q % self.line().expect("the schedule's words are a line").lanes;
        Value::Signal(self.age(0, lane, time + 1 - there))
    }

    pub(super) fn is_in_ram(&self, node: NodeId) -> bool {
        self.ram.as_ref().is_some_and(|ram| ram.words.contains(&node))
    }

    /// The clocks between blocks that their words ask for.
    pub(super) fn clocks_of_words(&self) -> usize {
        let Some(ram) = &self.ram else { return 0 };
        let words = ram.words.len();
        match ram.line {
            Some(_) => words,
            // From a block's first word to its last read; so many blocks at once.
            None => {
                let read = self.stages * self.clocks + ram.last_read as usize;
                words.max((words + 1 + read).div_ceil(ram.blocks))
            }
        }
    }

    pub(super) fn refuse(&mut self, why: String) {
        let ram = self.ram.as_mut().expect("words are kept in memory");
        ram.refused.get_or_insert(why);
    }

    /// The word that was at the beginning of a stage's line so many clocks ago: a wire for 0, else a
    /// register.
    fn age(&mut self, stage: usize, lane: usize, age: i64) -> SignalId {
        assert!(age >= 0, "a word is not used before it is there");
        let section = self.section_of(stage);
        let ram = self.ram.as_mut().expect("words are kept in memory");
        let line = ram.line.as_mut().expect("the schedule's words are a line");
        let ages = line.ages.entry((stage, lane)).or_default();
        if let Some(&known) = ages.get(&age) {
            return known;
        }
        let name = match line.lanes {
            1 => format!("s{stage}_w"),
            _ => format!("s{stage}_w_lane{lane}"),
        };
        let signal = match age {
            0 => {
                let driver = Driver::Wire(Expr::Value(Value::Const(0)));
                self.net.add(section, &name, ram.width, driver)
            }
            _ => {
                let driver = Driver::Register { next: None, load: None, reset: false };
                self.net.add(section, &format!("{name}_{age}ago"), ram.width, driver)
            }
        };
        ages.insert(age, signal);
        signal
    }

    /// Makes what the lines need, once all that is taken from them is known; and says when a block's
    /// words have been read.
    pub(super) fn close_words(&mut self) {
        let Some(ram) = &self.ram else { return };
        let Some(line) = ram.line.clone() else {
            let reads = ram.reads.clone();
            reads.iter().for_each(|read| self.close_read(read));
            let Some(ram) = &self.ram else { return };
            let (released, after) = (ram.released, ram.last_read - 1);
            let read = Expr::Value(Value::Signal(self.start_at(self.stages, after)));
            self.net.drive(released.expect("a block's words are held"), read);
            return;
        };
        let entering = self.entering(&line);
        for stage in (0..self.stages).rev() {
            for lane in 0..line.lanes {
                let block = self.ring(Which::Schedule).block;
                let word = block.words - line.lanes + lane;
                let made = block.function.outputs()[word].value;
                let clock = line.made + line.late[lane];
                let made = self.node(Which::Schedule, stage, made, clock);
                let first = self.age(stage, lane, 0);
                let word = match stage {
                    0 => {
                        let (condition, then) = entering[lane];
                        Expr::Choose { condition, then, otherwise: made }
                    }
                    _ => Expr::Value(made),
                };
                self.net.drive(first, word);
            }
        }
        let ram = self.ram.as_ref().expect("words are kept in memory");
        let ages = ram.line.as_ref().map(|line| line.ages.clone()).unwrap_or_default();
        let oldest = ages.values().filter_map(|ages| ages.keys().last()).max();
        let depth = (oldest.map_or(2, |age| *age as usize - 1)).next_power_of_two();
        let mut lines: Vec<_> = ages.into_iter().collect();
        lines.sort_by_key(|(place, _)| *place);
        let mut reads = BTreeMap::new();
        for ((stage, lane), ages) in lines {
            self.close_line(stage, lane, &ages, depth, &mut reads);
        }
    }

    /// For each lane: whether a word of message enters in this clock, and the word.
    fn entering(&mut self, line: &Line) -> Vec<(SignalId, Value)> {
        let section = self.net.section("Words");
        let ram = self.ram.as_ref().expect("words are kept in memory");
        let (memories, width) = (ram.memories.clone(), ram.width);
        let turn_bits = line.turns.trailing_zeros();
        let bits = turn_bits + ram.blocks.trailing_zeros();
        let moves = self.later(section, "reads_word", 1);
        let place = self.counter(section, "read_place", bits, moves);
        let in_block = self.part(section, "read_number", place, 0, turn_bits);
        let first = self.wire(section, "reads_first", 1, Expr::Equals(in_block, 0));
        let others = self.wire(section, "reads_others", 1, Expr::Op(Op::Not, vec![first]));
        let start = self.start(0);
        self.net.drive(moves, Expr::Op(Op::Or, vec![start, others]));
        let lanes = memories.into_iter().zip(&line.late).map(|(memory, late)| {
            let (name, read) = ("enters", Expr::Read(memory, place));
            let mut word = self.wire(section, "read_word", width, read);
            let mut enters = moves;
            for _ in 0..line.delay + late {
                let next = Some(Expr::Value(Value::Signal(enters)));
                let driver = Driver::Register { next, load: None, reset: true };
                enters = self.net.add(section, name, 1, driver);
                word = self.register(section, "entering", width, word, None);
            }
            (enters, word)
        });
        lanes.collect()
    }

    /// Connects the registers of a line, through a memory where there are many clocks between them.
    fn close_line(
        &mut self,
        stage: usize,
        lane: usize,
        ages: &BTreeMap<i64, SignalId>,
        depth: usize,
        reads: &mut BTreeMap<i64, SignalId>,
    ) {
        let section = self.section_of(stage);
        let ram = self.ram.as_ref().expect("words are kept in memory");
        let (width, slow) = (ram.width, ram.slow);
        let mut known = (0, ages[&0]);
        let mut memory = None;
        for (&age, &register) in ages.iter().filter(|(age, _)| **age > 0) {
            let (before, signal) = known;
            if age - before <= ROW + slow {
                let mut from = Value::Signal(signal);
                for _ in before + 1..age {
                    from = self.register(section, &format!("s{stage}_w_row"), width, from, None);
                }
                self.net.connect(register, Expr::Value(from));
            } else {
                let memory = *memory.get_or_insert_with(|| {
                    // Written out of a register: the sum before it has its clock for itself.
                    let data = Value::Signal(ages[&0]);
                    let data = ages.get(&1).copied().unwrap_or_else(|| {
                        let name = format!("s{stage}_w_written");
                        let Value::Signal(data) = self.register(section, &name, width, data, None)
                        else {
                            unreachable!("registers are signals")
                        };
                        data
                    });
                    let address = self.line_place(depth);
                    let name = format!(
                        "s{stage}_line{}",
                        if lane > 0 { lane.to_string() } else { String::new() }
                    );
                    let write = self.enable;
                    let apart = true;
                    self.net.memory(Memory {
                        name,
                        depth,
                        width,
                        write,
                        address,
                        data,
                        section,
                        apart,
                    })
                });
                let address = match reads.get(&age) {
                    Some(&known) => known,
                    None => {
                        let address = self.line_read(depth, age - slow);
                        reads.insert(age, address);
                        address
                    }
                };
                let read = Expr::Read(memory, address);
                let mut word = self.wire(section, &format!("s{stage}_w_read{age}"), width, read);
                for _ in 0..slow {
                    word =
                        self.register(section, &format!("s{stage}_w_out{age}"), width, word, None);
                }
                self.net.connect(register, Expr::Value(word));
            }
            known = (age, register);
        }
    }

    /// Where the lines' memories are written: another place in every clock.
    fn line_place(&mut self, depth: usize) -> SignalId {
        let key = (Key::Place, 0, 0);
        if let Some(Value::Signal(known)) = self.known.get(&key) {
            return *known;
        }
        let section = self.net.section("Words");
        let bits = depth.trailing_zeros();
        let driver = Driver::Register { next: None, load: None, reset: true };
        let place = self.net.add(section, "line_place", bits, driver);
        let more = Expr::Op(Op::Add, vec![Value::Signal(place), Value::Const(1)]);
        self.net.connect(place, more);
        self.known.insert(key, Value::Signal(place));
        place
    }

    /// Where they are read for a word of this age, which was written two clocks less ago, and is read
    /// a clock before.
    fn line_read(&mut self, depth: usize, age: i64) -> SignalId {
        let place = Value::Signal(self.line_place(depth));
        let section = self.net.section("Words");
        let ahead = (3 - age).rem_euclid(depth as i64) as u64;
        let next = Some(Expr::Op(Op::Add, vec![place, Value::Const(ahead)]));
        let driver = Driver::Register { next, load: None, reset: true };
        self.net.add(section, &format!("line_read{age}"), depth.trailing_zeros(), driver)
    }
}
