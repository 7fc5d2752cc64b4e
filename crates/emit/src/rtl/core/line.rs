//! The words of a message schedule in memory: see [`window`](super::window).

use super::{Error, Key, Maker, Which};
use crate::rtl::netlist::{Driver, Expr, Memory, SignalId, Value};
use crate::rtl::ring::{Source, source};
use manylane_graph::{NodeId, Op};
use std::collections::{BTreeMap, HashMap};

/// Registers in a row that a read port of a memory is worth.
const ROW: i64 = 3;

/// The words of a message schedule as they pass.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// k: words per clock, each with a line of its own.
    pub(super) lanes: usize,
    /// Turns that take in a block.
    pub(super) turns: i64,
    /// Clocks from reading a word to its being at the line's beginning.
    pub(super) delay: i64,
    /// For each lane, how much later that is.
    pub(super) late: Vec<i64>,
    /// The clock of the schedule's turn in which the first lane's words are made.
    pub(super) made: i64,
    /// By stage and lane: age 0, and registers of greater ages.
    pub(super) ages: HashMap<(usize, usize), BTreeMap<i64, SignalId>>,
}

impl Maker<'_> {
    pub(super) fn plan_line(&self, words: &[NodeId]) -> Result<Line, Error> {
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

    pub(super) fn line(&self) -> Option<&Line> {
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
        let clocks = self.clocks as i64;
        let age_before = age + self.handing as i64;
        let value = match stage {
            0 => Value::Signal(self.age(stage, lane, age)),
            _ if back >= clocks => Value::Signal(self.age(stage - 1, lane, age_before)),
            _ => {
                let own = Value::Signal(self.age(stage, lane, age));
                let then = Value::Signal(self.age(stage - 1, lane, age_before));
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

    /// Makes what the lines need, once all that is taken from them is known.
    pub(super) fn close_lines(&mut self, line: &Line) {
        let entering = self.entering(line);
        for stage in (0..self.stages).rev() {
            for (lane, &(condition, then)) in entering.iter().enumerate() {
                let block = self.ring(Which::Schedule).block;
                let word = block.words - line.lanes + lane;
                let made = block.function.outputs()[word].value;
                let clock = line.made + line.late[lane];
                let made = self.node(Which::Schedule, stage, made, clock);
                let first = self.age(stage, lane, 0);
                let word = match stage {
                    0 => Expr::Choose { condition, then, otherwise: made },
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
}
