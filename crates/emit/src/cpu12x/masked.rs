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
//! In straight code a word of the block is loaded once, and each of its words is computed from the
//! one before. The constants are operands of the instructions. The CPU therefore seldom accesses
//! the RAM, where each of its accesses takes one from XGATE. A loop is smaller: each word has a row
//! of a table with the offset of the block's word, and that of the constant.

use super::chain::SCRATCH_BYTES;
use super::compression::Compression;
use super::memory::Memory;
use super::moves::{COPIED, copy_bytes};
use super::text::Lines;
use manylane_graph::framing::ByteOrder;
use manylane_graph::{Op, Role};
use manylane_plan::program::Program;
use manylane_plan::program::reads::Known;

/// Bytes before X, and as many from X on, that a short offset reaches.
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
/// words with a constant: straight code, or a loop if it `is_small`. `None` if its results are
/// others, or a word's low byte comes first.
pub fn masked(
    program: &Program,
    order: ByteOrder,
    prefix: &str,
    is_small: bool,
) -> Option<Compression> {
    let words = words(program).filter(|_| order == ByteOrder::Big)?;
    let rolled = &program.rolled;
    let size = usize::from(rolled.definition(rolled.inputs[0].value).width / 8);
    let block_bytes = size * rolled.inputs.len();
    let label = format!("{prefix}_ahead");
    let mut lines = Lines::new(&label);
    let mut memory = Memory::default();
    memory.keep(SCRATCH_BYTES);
    lines.comment("The words that rounds take, of the block at Y, to X.");
    lines.label(&label);
    match is_small {
        true => looped(words, size, &mut memory, &mut lines)?,
        false => straight(words, size, block_bytes, &mut lines),
    }
    let (kept_bytes, passing_bytes) = (memory.kept, memory.passing);
    Some(Compression { text: lines.text, kept_bytes, passing_bytes, block: 0, counter: None })
}

/// Straight code for words of `size` bytes each.
fn straight(words: Vec<Masked>, size: usize, block_bytes: usize, lines: &mut Lines) {
    // X and Y point into the middle, from where most offsets are short.
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
}

/// How many words at the end repeat those at the beginning, in the same order.
fn repeated(words: &[Masked]) -> usize {
    (1..=words.len() / 2).rev().find(|&count| words.ends_with(&words[..count])).unwrap_or(0)
}

/// A loop, and its table. Words at the end that repeat those at the beginning are copied. `None` if
/// an offset in the table is more than a byte.
fn looped(words: Vec<Masked>, size: usize, memory: &mut Memory, lines: &mut Lines) -> Option<()> {
    let copied_bytes = size * repeated(&words);
    let is_copied = copied_bytes.is_multiple_of(COPIED) && copied_bytes / COPIED < 256;
    let copied_bytes = if is_copied { copied_bytes } else { 0 };
    let computed = words.len() - copied_bytes / size;
    let mut masks: Vec<u64> = words.iter().map(|of| of.mask).collect();
    masks.sort_unstable();
    masks.dedup();
    let row = |of: &Masked| {
        let mask = masks.binary_search(&of.mask).ok()?;
        Some([u8::try_from(size * of.word as usize).ok()?, u8::try_from(size * mask).ok()?])
    };
    let rows = words[..computed].iter().map(row).collect::<Option<Vec<[u8; 2]>>>()?;
    let [to, block] = [memory.keep(2), memory.keep(2)];
    let label = lines.prefix.clone();
    lines.ops(&format!(
        "stx {to}
         sty {block}
         ldx #{label}_rows
         {label}_more:
         ldd 2,x+
         pshx
         ldy {block}
         leay a,y
         ldx #{label}_constants
         leax b,x"
    ));
    for offset in (0..size).step_by(2) {
        lines.ops(&format!("ldd {offset},y\neora {offset},x\neorb {},x", offset + 1));
        if offset + 2 < size {
            lines.op("pshd", "");
        }
    }
    lines.op("ldy", &to.to_string());
    for offset in (0..size).step_by(2).rev() {
        lines.op("std", &format!("{offset},y"));
        if offset > 0 {
            lines.op("puld", "");
        }
    }
    lines.ops(&format!(
        "leay {size},y
         sty {to}
         pulx
         cpx #{label}_constants
         bne {label}_more"
    ));
    if copied_bytes > 0 {
        lines.ops(&format!("tfr y,x\nleay -{},x", size * computed));
        copy_bytes(lines, "again", copied_bytes);
    }
    lines.op("rts", "");
    lines.label(&format!("{label}_rows"));
    for rows in rows.chunks(8) {
        let rows: Vec<String> = rows.iter().map(|[word, mask]| format!("{word},{mask}")).collect();
        lines.op(".byte", &rows.join(","));
    }
    lines.label(&format!("{label}_constants"));
    for mask in masks {
        let mask = &mask.to_be_bytes()[8 - size..];
        let mask: Vec<String> = mask.iter().map(|byte| format!("0x{byte:02x}")).collect();
        lines.op(".byte", &mask.join(","));
    }
    Some(())
}
