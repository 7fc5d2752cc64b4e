//! Delay lines: words pass one place, and are told apart by their ages.

use super::super::control::Control;
use super::super::stage::stage_section;
use super::super::timetable::Timetable;
use super::memory::WordMemory;
use super::plan::DelayLine;
use crate::rtl::netlist::{Expr, Memory, Netlist, SignalId, Value};
use manylane_graph::Op;
use std::collections::{BTreeMap, HashMap};

/// The longest chain of registers that is kept; a longer one becomes a read port of a memory.
const ROW: i64 = 3;

/// The delay lines of the stages, a line for each slot of a stage.
#[derive(Debug)]
pub(super) struct Lines<'m> {
    line: &'m DelayLine,
    times: &'m Timetable,
    /// For each stage and slot, age 0, and registers of greater ages.
    ages: HashMap<(usize, usize), BTreeMap<i64, SignalId>>,
    /// For each stage, clock of the schedule's turn and place in the window, the words of the
    /// schedule.
    words: HashMap<(usize, i64, usize), SignalId>,
    /// The address at which the lines' memories are written, another one in every clock.
    place: Option<SignalId>,
}

impl<'m> Lines<'m> {
    /// Delay lines without a register yet.
    pub(super) fn new(line: &'m DelayLine, times: &'m Timetable) -> Self {
        Self { line, times, ages: HashMap::new(), words: HashMap::new(), place: None }
    }

    /// A place of the window before a turn of the schedule, in clock `clock` of that turn.
    pub(super) fn schedule_word(
        &mut self,
        net: &mut Netlist,
        control: &mut Control<'_>,
        memory: &WordMemory<'_>,
        (stage, clock): (usize, i64),
        place: usize,
    ) -> SignalId {
        let key = (stage, clock, place);
        if let Some(&known) = self.words.get(&key) {
            return known;
        }
        let DelayLine { slots, turns, delay, made, .. } = *self.line;
        let (slot, back) = (place % slots, turns - (place / slots) as i64);
        let age = back + clock - made - self.line.late[slot];
        let in_turn = delay + clock - made - self.times.shift;
        let clocks = self.times.clocks as i64;
        let age_before = age + self.times.interstage_registers as i64;
        let word = match stage {
            0 => self.age(net, memory, (stage, slot), age),
            _ if back >= clocks => self.age(net, memory, (stage - 1, slot), age_before),
            _ => {
                let own = self.age(net, memory, (stage, slot), age).into();
                let then = self.age(net, memory, (stage - 1, slot), age_before).into();
                let turns = [back..clocks, 0..back];
                let turns = turns.map(|turns| turns.map(|turn| turn as u32).collect());
                let condition = control.is_second(net, (stage, in_turn), turns);
                let section = stage_section(net, stage);
                let chosen = Expr::Choose { condition, then, otherwise: own };
                net.wire(section, &format!("s{stage}_w{place}"), memory.plan.width, chosen)
            }
        };
        self.words.insert(key, word);
        word
    }

    /// A place of the window that a turn of the rounds takes, in clock `clock` of the turn. `None`
    /// if the stage's line has not seen the word yet.
    pub(super) fn word(
        &mut self,
        net: &mut Netlist,
        memory: &WordMemory<'_>,
        (stage, clock): (usize, i64),
        place: usize,
    ) -> Option<SignalId> {
        let slots = self.line.slots;
        let is_seen = stage == 0 || place < slots;
        let age = clock + self.times.shift + 1 - self.line.there(place);
        is_seen.then(|| self.age(net, memory, (stage, place % slots), age))
    }

    /// Word `q` of a block in clock `time`, before the rounds.
    pub(super) fn word_at(
        &mut self,
        net: &mut Netlist,
        memory: &WordMemory<'_>,
        q: usize,
        time: i64,
    ) -> SignalId {
        let age = time + 1 - self.line.there(q);
        self.age(net, memory, (0, q % self.line.slots), age)
    }

    /// The word that was at the beginning of a stage's line `age` clocks ago: a wire for 0, else a
    /// register.
    pub(super) fn age(
        &mut self,
        net: &mut Netlist,
        memory: &WordMemory<'_>,
        (stage, slot): (usize, usize),
        age: i64,
    ) -> SignalId {
        assert!(age >= 0, "a word is not used before it is there");
        let section = stage_section(net, stage);
        let (slots, width) = (self.line.slots, memory.plan.width);
        let ages = self.ages.entry((stage, slot)).or_default();
        *ages.entry(age).or_insert_with(|| {
            let name = match slots {
                1 => format!("s{stage}_w"),
                _ => format!("s{stage}_w_lane{slot}"),
            };
            match age {
                0 => net.later(section, &name, width),
                _ => net.register_later(section, &format!("{name}_{age}ago"), width),
            }
        })
    }

    /// Returns, for each slot, whether a word of message enters in this clock, and the word.
    pub(super) fn entering(
        &self,
        net: &mut Netlist,
        control: &mut Control<'_>,
        memory: &WordMemory<'_>,
    ) -> Vec<(SignalId, SignalId)> {
        let section = net.section("Words");
        let (width, line) = (memory.plan.width, self.line);
        let turn_bits = line.turns.trailing_zeros();
        let bits = turn_bits + memory.plan.blocks.trailing_zeros();
        let moves = net.later(section, "reads_word", 1);
        let place = net.counter(section, "read_place", bits, moves);
        let in_block = net.part(section, "read_number", place, 0, turn_bits);
        let first = net.wire(section, "reads_first", 1, Expr::Equals(in_block, 0));
        let others = net.wire(section, "reads_others", 1, Expr::Op(Op::Not, vec![first.into()]));
        let start = control.start(net, 0);
        net.drive(moves, Expr::Op(Op::Or, vec![start.into(), others.into()]));
        let slots = memory.memories.iter().zip(&line.late).map(|(&memory, late)| {
            let mut word = net.wire(section, "read_word", width, Expr::Read(memory, place));
            let mut enters = moves;
            for _ in 0..line.delay + late {
                enters = net.flag(section, "enters", Expr::Value(enters.into()));
                word = net.register(section, "entering", width, word, None);
            }
            (enters, word)
        });
        slots.collect()
    }

    /// Connects the registers of all lines, after all reads of them are known.
    pub(super) fn close(
        &mut self,
        net: &mut Netlist,
        control: &Control<'_>,
        memory: &WordMemory<'_>,
    ) {
        let oldest = self.ages.values().filter_map(|ages| ages.keys().last()).max();
        let depth = (oldest.map_or(2, |age| *age as usize - 1)).next_power_of_two();
        let mut lines: Vec<_> = self.ages.clone().into_iter().collect();
        lines.sort_by_key(|(place, _)| *place);
        let mut reads = BTreeMap::new();
        for (of, ages) in lines {
            self.close_line(net, control.enable, memory, of, &ages, (depth, &mut reads));
        }
    }

    /// Connects the registers of a line, through a memory where there are many clocks between them.
    fn close_line(
        &mut self,
        net: &mut Netlist,
        enable: SignalId,
        memory: &WordMemory<'_>,
        (stage, slot): (usize, usize),
        ages: &BTreeMap<i64, SignalId>,
        (depth, reads): (usize, &mut BTreeMap<i64, SignalId>),
    ) {
        let section = stage_section(net, stage);
        let (width, slow) = (memory.plan.width, memory.plan.slow);
        let mut known = (0, ages[&0]);
        let mut line = None;
        for (&age, &register) in ages.iter().filter(|(age, _)| **age > 0) {
            let (before, mut word) = known;
            if age - before <= ROW + slow {
                for _ in before + 1..age {
                    word = net.register(section, &format!("s{stage}_w_row"), width, word, None);
                }
            } else {
                let line = *line.get_or_insert_with(|| {
                    // Written from a register, so that the sum before it has a whole clock.
                    let data = ages.get(&1).copied().unwrap_or_else(|| {
                        let name = format!("s{stage}_w_written");
                        net.register(section, &name, width, ages[&0], None)
                    });
                    let address = self.written(net, depth);
                    let of_slot = if slot > 0 { slot.to_string() } else { String::new() };
                    let name = format!("s{stage}_line{of_slot}");
                    let (write, apart) = (enable, true);
                    net.memory(Memory { name, depth, width, write, address, data, section, apart })
                });
                let address =
                    *reads.entry(age).or_insert_with(|| self.read(net, depth, age - slow));
                let read = Expr::Read(line, address);
                word = net.wire(section, &format!("s{stage}_w_read{age}"), width, read);
                for _ in 0..slow {
                    word =
                        net.register(section, &format!("s{stage}_w_out{age}"), width, word, None);
                }
            }
            net.connect(register, Expr::Value(word.into()));
            known = (age, register);
        }
    }

    /// The address at which the lines' memories are written.
    fn written(&mut self, net: &mut Netlist, depth: usize) -> SignalId {
        *self.place.get_or_insert_with(|| {
            let section = net.section("Words");
            let place = net.state(section, "line_place", depth.trailing_zeros());
            net.connect(place, Expr::Op(Op::Add, vec![place.into(), Value::Const(1)]));
            place
        })
    }

    /// The register with the address at which the lines' memories are read for a word of this age,
    /// which was written `age` − 2 clocks ago. The address is computed a clock before.
    fn read(&mut self, net: &mut Netlist, depth: usize, age: i64) -> SignalId {
        let place = self.written(net, depth);
        let section = net.section("Words");
        let ahead = (3 - age).rem_euclid(depth as i64) as u64;
        let read = net.state(section, &format!("line_read{age}"), depth.trailing_zeros());
        net.connect(read, Expr::Op(Op::Add, vec![place.into(), Value::Const(ahead)]));
        read
    }
}
