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

use super::line::Line;
use super::{Error, Key, Maker};
use crate::rtl::netlist::{Driver, Expr, Memory, MemoryId, SignalId, Value};
use manylane_graph::{NodeId, Op, Role};
use std::collections::HashSet;

/// A block's words in memory.
pub(super) struct Ram {
    /// The block's words of message, in their order: a power of two.
    pub(super) words: Vec<NodeId>,
    pub(super) width: u32,
    /// Clocks that a word needs beside that of the memory's register: 1 if it is slow to answer.
    pub(super) slow: i64,
    /// Blocks that there is room for.
    pub(super) blocks: usize,
    /// One for each word of a clock.
    pub(super) memories: Vec<MemoryId>,
    /// Of a message schedule.
    pub(super) line: Option<Line>,
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
        // A word that waits is written too, to where it will go: memory need not wait for `enable`.
        let room = self.later(section, "room", 1);
        let both = [valid, room].map(Value::Signal).to_vec();
        let Value::Signal(put) = self.wire(section, "puts_word", 1, Expr::Op(Op::And, both)) else {
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
                1 => put,
                _ => {
                    let low = self.part(section, "word_lane", place, 0, lane_bits);
                    let here = self.wire(section, "word_here", 1, Expr::Equals(low, lane as u32));
                    let both = vec![Value::Signal(put), here];
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
        self.net.drive(room, Expr::Op(Op::Not, vec![Value::Signal(full)]));
        let both = [self.enable, room].map(Value::Signal).to_vec();
        self.net.drive(ready, Expr::Op(Op::And, both));
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

    pub(super) fn later(&mut self, section: usize, name: &str, width: u32) -> SignalId {
        self.net.add(section, name, width, Driver::Wire(Expr::Value(Value::Const(0))))
    }

    pub(super) fn part(
        &mut self,
        section: usize,
        name: &str,
        of: SignalId,
        low: u32,
        bits: u32,
    ) -> SignalId {
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
    fn close_read(&mut self, port: usize, read: &Read) {
        let Read { stage, clock, numbers, register } = read;
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
        // A copy for each port: yosys would make them of one memory too, but not for sixteen ports.
        let memory = match port {
            0 => memory,
            _ => self.net.memory(self.net.memory_of(memory).clone()),
        };
        let ram = self.ram.as_ref().expect("words are kept in memory");
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

    /// Makes what the lines need, once all that is taken from them is known; and says when a block's
    /// words have been read.
    pub(super) fn close_words(&mut self) {
        let Some(ram) = &self.ram else { return };
        let Some(line) = ram.line.clone() else {
            let reads = ram.reads.clone();
            for (i, read) in reads.iter().enumerate() {
                self.close_read(i, read);
            }
            let Some(ram) = &self.ram else { return };
            let (released, after) = (ram.released, ram.last_read - 1);
            let read = Expr::Value(Value::Signal(self.start_at(self.stages, after)));
            self.net.drive(released.expect("a block's words are held"), read);
            return;
        };
        self.close_lines(&line);
    }
}
