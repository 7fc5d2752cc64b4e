//! The counter of a block, which a thread advances in the job.

use super::Writer;
use crate::xgate::code::{Code, load, number_into};
use manylane_graph::framing::Unit;

impl Writer<'_> {
    /// Adds the code that advances the counter to that of the next block, if the function takes
    /// one.
    pub(super) fn next_counter(&self, code: &mut Vec<Code>) {
        let Some(counter) = self.thread.framing.counter else { return };
        let block = self.thread.framing.block_bytes as u128;
        let units = match counter.unit {
            Unit::Bits => 8 * block,
            Unit::Bytes => block,
            Unit::Blocks => 1,
        };
        code.push(load(1, self.memory.job));
        let per_word = self.memory.word_bytes / 2;
        // The count takes the first two words; the others are flags, which change after the
        // first block at most.
        for i in 0..counter.words * per_word {
            let offset = self.memory.in_job(i / per_word, i % per_word) as u16;
            let first = (counter.first.words()[i / per_word] >> (16 * (i % per_word))) as u16;
            let is_count = i < 2 * per_word;
            if !is_count && first == 0 {
                continue;
            }
            code.push(Code::Offset("ldw", 2, 1, offset));
            if is_count {
                let units = (units >> (16 * i)) as u16;
                // Register 0 holds 0.
                let by = if units == 0 { 0 } else { 3 };
                if units != 0 {
                    code.push(number_into(by, units));
                }
                let add = if i == 0 { "add" } else { "adc" };
                code.push(Code::Registers(add, [2, 2, by]));
            }
            if first != 0 {
                code.push(number_into(3, !first));
                code.push(Code::Registers("and", [2, 2, 3]));
            }
            code.push(Code::Offset("stw", 2, 1, offset));
        }
    }
}
