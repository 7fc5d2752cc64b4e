//! Words that the CPU computes for XGATE: words of the block, and the exclusive ors of such words
//! with constants.
//!
//! ```text
//!      ^ c2          ^ c2 ^ c5          ^ c5 ^ c11
//!  m0 ──────► m0 ^ c2 ────────► m0 ^ c5 ──────────► m0 ^ c11 ────► …
//!                ▼                 ▼                   ▼
//!         places 26 and 186    place 121            place 84
//! ```
//!
//! A word of the block is loaded once, and each of its words is computed from the one before. The
//! constants are operands of the instructions. So the CPU seldom accesses the RAM, where each of
//! its accesses takes one from XGATE.

use super::chain::SCRATCH_BYTES;
use super::compression::Compression;
use super::memory::Memory;
use super::text::Lines;
use manylane_graph::framing::ByteOrder;
use manylane_graph::{Op, Role};
use manylane_plan::program::Program;
use manylane_plan::program::reads::Known;

/// Bytes behind X that a short offset reaches.
const REACH: usize = 256;

/// A word of the block, and the constant of which it is the exclusive or.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Masked {
    word: u32,
    mask: u64,
}

/// The program's results, if all are of this form.
fn words(program: &Program) -> Option<Vec<Masked>> {
    let rolled = &program.rolled;
    if rolled.inputs.iter().any(|input| input.role != Role::Message) {
        return None;
    }
    let of = |&(_, value): &(_, _)| match program.known(value) {
        Known::Input(word) => Some(Masked { word, mask: 0 }),
        Known::Constant(..) => None,
        Known::Result(result) => {
            let (op, args) = program.operation(result);
            match args[..] {
                [Known::Input(word), Known::Constant(mask, _)]
                | [Known::Constant(mask, _), Known::Input(word)] => {
                    (op == Op::Xor).then_some(Masked { word, mask })
                }
                _ => None,
            }
        }
    };
    rolled.outputs.iter().map(of).collect()
}

/// Writes the subroutine `PREFIX_ahead` of a program whose results are words of a block, or such
/// words with a constant. `None` if its results are others, or a word's low byte comes first.
pub fn masked(program: &Program, order: ByteOrder, prefix: &str) -> Option<Compression> {
    let words = words(program).filter(|_| order == ByteOrder::Big)?;
    let rolled = &program.rolled;
    let size = usize::from(rolled.definition(rolled.inputs[0].value).width / 8);
    let block_bytes = size * rolled.inputs.len();
    let label = format!("{prefix}_ahead");
    let mut lines = Lines::new(&label);
    lines.comment("The words that rounds take, of the block at Y, to X.");
    lines.label(&label);
    // X and Y are where most offsets are short.
    let (x, y) = (REACH.min(size * words.len() / 2), block_bytes / 2);
    lines.op("leax", &format!("{x},x"));
    lines.op("leay", &format!("{y},y"));
    let mut places: Vec<(Masked, usize)> = words.into_iter().zip(0..).collect();
    places.sort_unstable();
    for of_word in places.chunk_by(|a, b| a.0.word == b.0.word) {
        for limb in 0..size / 2 {
            let offset = |word: usize, before| (size * word + 2 * limb) as isize - before as isize;
            lines.op("ldd", &format!("{},y", offset(of_word[0].0.word as usize, y)));
            let mut mask = [0; 2];
            for (of, place) in of_word {
                let next = &of.mask.to_be_bytes()[8 - size + 2 * limb..][..2];
                for ((op, from), to) in ["eora", "eorb"].into_iter().zip(mask).zip(next) {
                    if from != *to {
                        lines.op(op, &format!("#{}", from ^ to));
                    }
                }
                mask.copy_from_slice(next);
                lines.op("std", &format!("{},x", offset(*place, x)));
            }
        }
    }
    lines.op("rts", "");
    let mut memory = Memory::default();
    memory.keep(SCRATCH_BYTES);
    let (kept_bytes, passing_bytes) = (memory.kept, memory.passing);
    Some(Compression { text: lines.text, kept_bytes, passing_bytes, block: 0, counter: None })
}
