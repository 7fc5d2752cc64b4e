//! Words that turns take by their numbers.

use super::super::columns::Column;
use super::super::control::Control;
use super::super::stage::stage_section;
use super::memory::WordMemory;
use super::plan::WindowPlan;
use crate::rtl::netlist::{Expr, Netlist, SignalId, Value};
use std::collections::HashMap;

/// The reads of a memory of words.
#[derive(Debug)]
pub(super) struct Numbered {
    reads: Vec<Read>,
    /// How many clocks after its turn begins a word is read at the latest.
    last_read: i64,
    /// For each stage and clock of its turn, the block of the memory that is the stage's.
    blocks: HashMap<(usize, i64), SignalId>,
}

/// A port that reads words by their numbers.
#[derive(Clone, Debug)]
struct Read {
    stage: usize,
    /// The clock of a turn in which the register has the word.
    clock: i64,
    /// For each turn of the stage the number of the word, if it takes one.
    numbers: Vec<Option<usize>>,
    register: SignalId,
}

impl Default for Numbered {
    fn default() -> Self {
        Self { reads: Vec::new(), last_read: 1, blocks: HashMap::new() }
    }
}

impl Numbered {
    /// The words of message that a stage's turns take, in clock `clock` of the turn. They come out
    /// of a register behind a port of the memory, which serves whatever other turns take in that
    /// clock.
    pub(super) fn word(
        &mut self,
        net: &mut Netlist,
        memory: &WordMemory<'_>,
        (stage, clock): (usize, i64),
        column: &Column,
    ) -> SignalId {
        let section = stage_section(net, stage);
        let WordMemory { plan, times, .. } = memory;
        let clocks = times.clocks;
        self.last_read = self.last_read.max(clock - 1 - plan.slow + times.shift);
        let number = |node| plan.words.iter().position(|word| *word == node).expect("it is there");
        let taken: Vec<(usize, usize)> =
            column.iter().map(|&(g, node)| (g - stage * clocks, number(node))).collect();
        let found = self.reads.iter_mut().find(|read| {
            let others = |(turn, number): &(usize, usize)| {
                read.numbers[*turn].is_none_or(|known| known == *number)
            };
            (read.stage, read.clock) == (stage, clock) && taken.iter().all(others)
        });
        let read = match found {
            Some(read) => read,
            None => {
                let name = format!("s{stage}_m{}", self.reads.len());
                let register = net.register_later(section, &name, plan.width);
                self.reads.push(Read { stage, clock, numbers: vec![None; clocks], register });
                self.reads.last_mut().expect("it was added")
            }
        };
        taken.into_iter().for_each(|(turn, number)| read.numbers[turn] = Some(number));
        read.register
    }

    /// Makes the port of a register that takes words by their numbers.
    fn close_read(
        &mut self,
        net: &mut Netlist,
        control: &mut Control<'_>,
        memory: &WordMemory<'_>,
        (port, read): (usize, &Read),
    ) {
        let &Read { stage, clock, ref numbers, register } = read;
        let &WindowPlan { ref words, width, slow, blocks, .. } = memory.plan;
        let mut arms: Vec<(Vec<u32>, Value)> = Vec::new();
        for (turn, number) in (0..).zip(numbers) {
            let Some(number) = number else { continue };
            let value = Value::Const(*number as u64);
            match arms.iter_mut().find(|(_, known)| *known == value) {
                Some((turns, _)) => turns.push(turn),
                None => arms.push((vec![turn], value)),
            }
        }
        // Each port has a copy of the memory: yosys would copy it too, but not for sixteen ports.
        let copy = match port {
            0 => memory.memories[0],
            _ => net.memory(net.memory_of(memory.memories[0]).clone()),
        };
        let read_at = clock - 1 - slow;
        let (bits, block_bits) = (words.len().trailing_zeros(), blocks.trailing_zeros());
        let name = net.signal(register).name.clone();
        let named = format!("{name}_number");
        let number = control.select(net, (stage, read_at), (&named, bits), arms);
        let section = stage_section(net, stage);
        let number = match number {
            Value::Signal(number) => number,
            Value::Const(_) => net.wire(section, &named, bits, Expr::Value(number)),
        };
        let block = self.block(net, control, memory, (stage, read_at));
        let parts = Expr::Concat(vec![block, number]);
        let address = net.wire(section, &format!("{name}_at"), bits + block_bits, parts);
        let word = Expr::Read(copy, address);
        let mut word = net.wire(section, &format!("{name}_read"), width, word);
        for _ in 0..slow {
            word = net.register(section, &format!("{name}_out"), width, word, None);
        }
        net.connect(register, Expr::Value(word.into()));
    }

    /// Makes the signal that says which block of the memory is a stage's, in clock `clock` of a
    /// turn.
    fn block(
        &mut self,
        net: &mut Netlist,
        control: &mut Control<'_>,
        memory: &WordMemory<'_>,
        (stage, clock): (usize, i64),
    ) -> SignalId {
        if let Some(&known) = self.blocks.get(&(stage, clock)) {
            return known;
        }
        let shift = memory.times.shift;
        let block = if clock > 1 - shift {
            let before = self.block(net, control, memory, (stage, clock - 1));
            match net.delayed(before.into()) {
                Value::Signal(block) => block,
                Value::Const(_) => unreachable!("a block's number is a signal"),
            }
        } else {
            let start = control.start_at(net, stage, 0);
            let bits = memory.plan.blocks.trailing_zeros();
            let next = match stage {
                0 => {
                    let section = net.section("Words");
                    net.counter(section, "next_block", bits, start)
                }
                _ => self.block(net, control, memory, (stage - 1, 1 - shift)),
            };
            let section = stage_section(net, stage);
            net.register(section, &format!("s{stage}_block"), bits, next, Some(start))
        };
        self.blocks.insert((stage, clock), block);
        block
    }

    /// Makes all ports, and says when a block's words have been read.
    pub(super) fn close(
        &mut self,
        net: &mut Netlist,
        control: &mut Control<'_>,
        memory: &WordMemory<'_>,
    ) {
        for port in self.reads.clone().iter().enumerate() {
            self.close_read(net, control, memory, port);
        }
        let read = control.start_at(net, memory.times.stages, self.last_read - 1);
        let released = memory.released.expect("a block's words are held");
        net.drive(released, Expr::Value(read.into()));
    }

    /// The least number of clocks between blocks: one for each word that comes in, and enough that
    /// the memory, which has room for `blocks` blocks, can hold each from its first word to its
    /// last read.
    pub(super) fn clocks(&self, memory: &WordMemory<'_>) -> usize {
        let WordMemory { plan, times, .. } = memory;
        let words = plan.words.len();
        let read = times.stages * times.clocks + self.last_read as usize;
        words.max((words + 1 + read).div_ceil(plan.blocks))
    }
}
