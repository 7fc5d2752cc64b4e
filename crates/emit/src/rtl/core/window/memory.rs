//! The memory into which words come, one by one.

use super::super::control::Control;
use super::super::timetable::Timetable;
use super::plan::WindowPlan;
use crate::rtl::netlist::{Driver, Expr, Memory, MemoryId, Netlist, SignalId, Value};
use manylane_graph::Op;

/// The words of a block or more.
#[derive(Debug)]
pub(super) struct WordMemory<'m> {
    pub(super) plan: &'m WindowPlan,
    pub(super) times: &'m Timetable,
    /// One memory for each word that is taken in a clock.
    pub(super) memories: Vec<MemoryId>,
    /// Whether all words of a block are in the memory.
    pub(super) loaded: SignalId,
    /// For words that are read by their numbers: a block's words have been read. It is driven once
    /// all reads are known.
    pub(super) released: Option<SignalId>,
}

impl<'m> WordMemory<'m> {
    /// Makes the port and the memory.
    pub(super) fn open(
        plan: &'m WindowPlan,
        times: &'m Timetable,
        net: &mut Netlist,
        control: &mut Control<'_>,
        section: usize,
    ) -> Self {
        let WindowPlan { words, width, blocks, line, .. } = plan;
        let (words, width, blocks) = (words.len(), *width, *blocks);
        let slots = line.as_ref().map_or(1, |line| line.slots);
        let valid = net.add(section, "word_valid", 1, Driver::Input);
        let word = net.add(section, "word", width, Driver::Input);
        let ready = net.later(section, "word_room", 1);
        net.output("word_ready", ready);
        let section = net.section("Words");
        let both = |a: SignalId, b: SignalId| Expr::Op(Op::And, vec![a.into(), b.into()]);
        let take = net.wire(section, "takes_word", 1, both(valid, ready));
        // A word that waits is written too, to its final address: memory ignores `enable`.
        let room = net.later(section, "room", 1);
        let put = net.wire(section, "puts_word", 1, both(valid, room));

        // The address of the word.
        let bits = (words * blocks).trailing_zeros();
        let slot_bits = slots.trailing_zeros();
        let place = net.counter(section, "word_place", bits, take);
        let address = net.part(section, "word_address", place, slot_bits, bits - slot_bits);
        let depth = words * blocks / slots;
        let memory = |slot: usize| {
            let write = match slots {
                1 => put,
                _ => {
                    let low = net.part(section, "word_lane", place, 0, slot_bits);
                    let here = net.wire(section, "word_here", 1, Expr::Equals(low, slot as u32));
                    net.wire(section, "writes_word", 1, both(put, here))
                }
            };
            let name = if slots == 1 { "words".to_owned() } else { format!("words{slot}") };
            let (data, apart) = (word, true);
            net.memory(Memory { name, depth, width, write, address, data, section, apart })
        };
        let memories = (0..slots).map(memory).collect();

        // One bit for each block that is in the memory.
        let in_block = net.part(section, "word_number", place, 0, words.trailing_zeros());
        let last = Expr::Equals(in_block, words as u32 - 1);
        let last = net.wire(section, "word_is_last", 1, last);
        let filled = net.wire(section, "filled", 1, both(take, last));
        let start = control.start(net, 0);
        let waiting = level(net, section, ("waiting", blocks), filled, start);
        let (held, released) = match line {
            Some(_) => (waiting, None),
            None => {
                let released = net.later(section, "released", 1);
                (level(net, section, ("held", blocks), filled, released), Some(released))
            }
        };
        let loaded = net.part(section, "loaded", waiting, 0, 1);
        let full = net.part(section, "no_room", held, blocks as u32 - 1, 1);
        net.drive(room, Expr::Op(Op::Not, vec![full.into()]));
        net.drive(ready, both(control.enable, room));
        Self { plan, times, memories, loaded, released }
    }
}

/// Makes the count of blocks, a bit for each: one more with `up`, one less with `down`.
fn level(
    net: &mut Netlist,
    section: usize,
    (name, blocks): (&str, usize),
    up: SignalId,
    down: SignalId,
) -> SignalId {
    let width = blocks as u32;
    let level = net.state(section, name, width);
    let not = Expr::Op(Op::Not, vec![up.into()]);
    let not_up = net.wire(section, &format!("{name}_not"), 1, not);
    let not = Expr::Op(Op::Not, vec![down.into()]);
    let not_down = net.wire(section, &format!("{name}_not"), 1, not);
    let only = Expr::Op(Op::And, vec![up.into(), not_down.into()]);
    let rises = net.wire(section, &format!("{name}_rises"), 1, only);
    let only = Expr::Op(Op::And, vec![down.into(), not_up.into()]);
    let falls = net.wire(section, &format!("{name}_falls"), 1, only);
    let known = Value::Signal(level);
    let (more, less) = match width {
        1 => (Value::Const(1), Value::Const(0)),
        _ => {
            let shifted = Expr::Op(Op::Shl(1), vec![known]);
            let shifted = net.wire(section, &format!("{name}_moved"), width, shifted);
            let more = Expr::Op(Op::Or, vec![shifted.into(), Value::Const(1)]);
            let less = Expr::Op(Op::Shr(1), vec![known]);
            let more = net.wire(section, &format!("{name}_more"), width, more);
            (more.into(), net.wire(section, &format!("{name}_less"), width, less).into())
        }
    };
    let kept = Expr::Choose { condition: falls, then: less, otherwise: known };
    let kept = net.wire(section, &format!("{name}_kept"), width, kept);
    net.connect(level, Expr::Choose { condition: rises, then: more, otherwise: kept.into() });
    level
}
