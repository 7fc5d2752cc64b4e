//! The disassembler: text that the assembler here and GNU as turn into the same words.

use super::table::{OperandFormat, branch_target, decode};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Returns the text of a word. A branch's target is relative to its own address, as in `bne .-6`;
/// an illegal word is a `.word`.
pub fn text(word: u16) -> String {
    let Some(row) = decode(word) else { return format!(".word {word:#06x}") };
    let name = row.operation.mnemonic();
    let [d, s1, s2] = [word >> 8 & 7, word >> 5 & 7, word >> 2 & 7];
    match row.form {
        OperandFormat::Inherent => name.to_owned(),
        OperandFormat::Imm3 => format!("{name} #{d}"),
        OperandFormat::Monadic => format!("{name} r{d}"),
        OperandFormat::FromCcr => format!("{name} r{d},ccr"),
        OperandFormat::ToCcr => format!("{name} ccr,r{d}"),
        OperandFormat::FromPc => format!("{name} r{d},pc"),
        OperandFormat::Dyadic => format!("{name} r{d},r{s1}"),
        OperandFormat::Imm4 => format!("{name} r{d},#{}", word >> 4 & 15),
        OperandFormat::Triadic => format!("{name} r{d},r{s1},r{s2}"),
        OperandFormat::Rel9 | OperandFormat::Rel10 => {
            let distance = target(word, 0).unwrap_or_default() as i16;
            format!("{name} .{distance:+}")
        }
        OperandFormat::Offset5 => format!("{name} r{d},(r{s1},#{})", word & 31),
        OperandFormat::Index => format!("{name} r{d},(r{s1},r{s2})"),
        OperandFormat::IndexIncrement => format!("{name} r{d},(r{s1},r{s2}+)"),
        OperandFormat::IndexDecrement => format!("{name} r{d},(r{s1},-r{s2})"),
        OperandFormat::Imm8 => format!("{name} r{d},#{}", word & 255),
    }
}

/// Returns the text for GNU as: that of [`text`], but for the instructions that binutils 2.40
/// assembles to other words (`tfr ccr,r2` and `tfr r2,pc`), which are a `.word` with a comment.
pub fn gnu_text(word: u16) -> String {
    match word {
        0x02f9 | 0x02fa => format!(".word {word:#06x} ; {}", text(word)),
        _ => text(word),
    }
}

/// Returns a program's text for this assembler and GNU as: each word in a line of its own, with
/// labels `L` and their address in hexadecimal where branches of the program go. A last odd byte is
/// a `.byte`.
pub fn listing(bytes: &[u8], origin: u16) -> String {
    let (words, last) = bytes.as_chunks();
    let words = words.iter().copied().map(u16::from_be_bytes);
    let addresses = (0..).map(|number: u16| origin.wrapping_add(number.wrapping_mul(2)));
    let lines: Vec<_> = addresses.zip(words).collect();
    let within = |address: u16| usize::from(address.wrapping_sub(origin)) < 2 * lines.len();
    let target = |address, word| target(word, address).filter(|&to| within(to));
    let targets: BTreeSet<_> =
        lines.iter().filter_map(|&(address, word)| target(address, word)).collect();
    let mut text = String::new();
    for &(address, word) in &lines {
        if targets.contains(&address) {
            let _ = writeln!(text, "L{address:04x}:");
        }
        let _ = match (target(address, word), decode(word)) {
            (Some(to), Some(row)) => writeln!(text, "\t{} L{to:04x}", row.operation.mnemonic()),
            _ => writeln!(text, "\t{}", gnu_text(word)),
        };
    }
    for byte in last {
        let _ = writeln!(text, "\t.byte {byte:#04x}");
    }
    text
}

/// Returns the address that a branch at `address` goes to, none if the word is no branch.
pub fn target(word: u16, address: u16) -> Option<u16> {
    match decode(word)?.form {
        OperandFormat::Rel9 => Some(branch_target(word, address, 9)),
        OperandFormat::Rel10 => Some(branch_target(word, address, 10)),
        _ => None,
    }
}
