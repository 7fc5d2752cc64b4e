//! Words of a message schedule that the CPU computes for XGATE in one loop.
//!
//! ```text
//!            the words that one iteration takes
//!        ┌────────────────────────────────────────┐ ┌─── those that it computes
//!  m0 …  m16  m17        …          m30   m31       m32  m33  m34  m35  …
//!                                                        Y
//! ```
//!
//! All words are in the buffer that goes to XGATE, so that a word is stored once, and the loop
//! needs no addresses but Y. Y is in the middle of the words that an iteration computes, where
//! stores take the fewest cycles.

use super::chain::SCRATCH_BYTES;
use super::compression::Compression;
use super::memory::Memory;
use super::moves::{COPIED, copy_bytes};
use super::operand::{Address, Area, BEFORE, View};
use super::region::Writer;
use super::text::Lines;
use crate::asm::Error;
use manylane_graph::framing::ByteOrder;
use manylane_graph::roll::{Region, Source, Value};
use manylane_graph::{NodeId, Role};
use manylane_plan::program::Program;
use manylane_plan::program::reads::Known;
use std::collections::BTreeMap;

/// The most bytes behind Y that an iteration computes: stores of 2 cycles have offsets up to 15.
const BEHIND: usize = 16;

/// Where the words of a loop lie, counted from the first word that its iteration computes.
struct Window {
    /// Pairs of an input of the body and its word.
    inputs: Vec<(NodeId, isize)>,
    /// Pairs of an output of the body and its word.
    outputs: Vec<(NodeId, isize)>,
    /// Number of words of the block, which come first.
    block: usize,
}

impl Window {
    /// The window of a program whose results are the block's words and then those of a single loop,
    /// each iteration of which takes words at fixed distances before its own.
    fn of(program: &Program) -> Option<Self> {
        let rolled = &program.rolled;
        let [region] = &rolled.regions[..] else { return None };
        let words = rolled.outputs.iter().map(|&(_, value)| program.known(value));
        let words: Vec<Known> = words.collect();
        let block = rolled.inputs.len();
        let each = region.body.outputs().len();
        let is_block = rolled.inputs.iter().all(|input| input.role == Role::Message);
        let is_first = (0..block).all(|i| words.get(i) == Some(&Known::Input(i as u32)));
        if !is_block || !is_first || region.times == 1 || words.len() != block + each * region.times
        {
            return None;
        }
        let mut outputs = Vec::new();
        for (i, word) in words[block..].iter().enumerate() {
            let &Known::Result((_, node, iteration)) = word else { return None };
            match outputs.get(i % each) {
                None => outputs.push((node, i as isize)),
                Some(&(first, _)) if first == node => {}
                Some(_) => return None,
            }
            if iteration != i / each {
                return None;
            }
        }
        let mut of = Self { inputs: Vec::new(), outputs, block };
        for (input, source) in region.body.inputs().iter().zip(&region.sources) {
            of.inputs.push((input.node, of.taken(program, region, source, &words)?));
        }
        Some(of)
    }

    /// The word that an input takes, counted from the first word of its iteration; `None` if it is
    /// no earlier word, or if the first iterations take other values.
    fn taken(
        &self,
        program: &Program,
        region: &Region,
        source: &Source,
        words: &[Known],
    ) -> Option<isize> {
        let Source::Earlier { output, distance, first } = source else { return None };
        let each = self.outputs.len();
        let node = region.body.outputs()[*output].value;
        let (_, place) = self.outputs.iter().find(|of| of.0 == node)?;
        let at = place - (distance * each) as isize;
        let is_there = |(i, &value): (usize, &Value)| {
            let word = (self.block + i * each).checked_add_signed(at);
            word.and_then(|word| words.get(word)) == Some(&program.known(value))
        };
        first.iter().enumerate().all(is_there).then_some(at)
    }
}

/// Writes the subroutine `PREFIX_ahead` of a program that takes only a block, and whose results are
/// the block's words and those of a loop behind them. `None` if its results are others, or a word's
/// low byte comes first.
///
/// # Errors
/// If a node has no instructions.
pub fn window(
    program: &Program,
    order: ByteOrder,
    prefix: &str,
) -> Result<Option<Compression>, Error> {
    let Some(window) = Window::of(program) else { return Ok(None) };
    let rolled = &program.rolled;
    let size = usize::from(rolled.definition(rolled.inputs[0].value).width / 8);
    let block_bytes = window.block * size;
    let each_bytes = window.outputs.len() * size;
    let new_bytes = each_bytes * rolled.regions[0].times;
    let y = each_bytes.saturating_sub(BEHIND).min(BEHIND);
    // Copying words whose low byte comes first would need one register more.
    let is_copied = order == ByteOrder::Big && block_bytes.is_multiple_of(COPIED);
    if block_bytes + y > BEFORE || !is_copied {
        return Ok(None);
    }
    let place = |word: isize| {
        let offset = (BEFORE - y).checked_add_signed(word * size as isize);
        Address { area: Area::Around, offset: offset.expect("no word is before the block") }
    };
    let label = format!("{prefix}_ahead");
    let mut memory = Memory::default();
    memory.keep(SCRATCH_BYTES);
    let end = memory.keep(2);
    let mut lines = Lines::new(&label);
    lines.comment("The words of the block at Y, to X.");
    lines.label(&label);
    copy_bytes(&mut lines, "block", block_bytes);
    lines.op("leay", &format!("{y},x"));
    lines.op("leax", &format!("{new_bytes},y"));
    lines.op("stx", &end.to_string());
    lines.label(&format!("{label}_more"));
    (lines.has_logic_in_x, lines.changes_y) = (true, false);
    let inputs = vec![end; window.block];
    let mut writer = Writer::new(program, inputs, memory, lines);
    let given = window.outputs.iter().map(|&(node, word)| ((0, node), place(word)));
    writer.given = given.collect();
    let inputs = window.inputs.iter().map(|&(node, word)| (node, View::at(place(word), size)));
    writer.iteration(0, inputs.collect::<BTreeMap<NodeId, View>>())?;
    let Writer { mut lines, memory, .. } = writer;
    if lines.changes_y || !lines.tables.is_empty() {
        return Ok(None);
    }
    lines.op("leay", &format!("{each_bytes},y"));
    lines.op("cpy", &end.to_string());
    lines.op("lbne", &format!("{label}_more"));
    lines.op("rts", "");
    let (kept_bytes, passing_bytes) = (memory.kept, memory.passing);
    let text = lines.text;
    Ok(Some(Compression { text, kept_bytes, passing_bytes, block: 0, counter: None }))
}
