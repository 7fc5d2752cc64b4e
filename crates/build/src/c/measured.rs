//! The measurements of emitted C that are built into this program. `make record-c` makes them anew.

use manylane_emit::c::Cores;
use std::fmt::Write;

/// For each primitive, machine and number of cores: bytes of code, constants and stack, then blocks
/// and cycles for messages of 64 and of 1,024 bytes. Lines that begin with `#` name machine and
/// compiler.
const RECORD: &str = include_str!("measured.tsv");

/// Bytes of the two messages.
const LENGTHS: [f64; 2] = [64.0, 1024.0];

/// A line of the record.
struct RecordLine<'r> {
    machine: &'r str,
    cores: &'r str,
    code: &'r str,
    constants: &'r str,
    stack: &'r str,
    blocks: [f64; 2],
    cycles: [f64; 2],
}

fn line<'r>(text: &'r str, primitive: &str) -> Option<RecordLine<'r>> {
    let [name, machine, cores, code, constants, stack, rest @ ..] =
        &text.split('\t').collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let numbers: Vec<f64> = rest.iter().filter_map(|number| number.parse().ok()).collect();
    let &[blocks_short, blocks_long, short, long] = &numbers[..] else { return None };
    (*name == primitive).then_some(RecordLine {
        machine,
        cores,
        code,
        constants,
        stack,
        blocks: [blocks_short, blocks_long],
        cycles: [short, long],
    })
}

/// Whether two cores of this machine were measured with a primitive's C.
pub fn is_recorded(primitive: &str, on: &str) -> bool {
    let mut lines = RECORD.lines().filter_map(|text| line(text, primitive));
    lines.any(|line| line.cores == "2" && line.machine == on)
}

/// The measurements of a primitive's C as it is written without options, as a table of Markdown
/// with its conditions; empty if there are none. The figures of two cores are those whose split was
/// planned for the same machine, `on`; `has_words` tells whether the C for one core of a machine
/// has the same word size as this C.
pub fn measured(
    primitive: &str,
    cores: Cores,
    on: &str,
    has_words: impl Fn(&str) -> bool,
) -> Option<String> {
    let lines = RECORD.lines().filter_map(|text| line(text, primitive));
    let told = |line: &RecordLine<'_>| match line.cores {
        "1" => has_words(line.machine),
        _ => cores == Cores::Two && line.machine == on,
    };
    let lines: Vec<RecordLine<'_>> = lines.filter(told).collect();
    let mut out = String::from(
        "| machine | cores | code | constants | stack | cycles a block | 64 bytes | 1,024 bytes | \
         cycles a byte |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for line in &lines {
        let RecordLine { machine, cores, code, constants, stack, blocks, cycles } = line;
        let block = (cycles[1] - cycles[0]) / (blocks[1] - blocks[0]);
        let byte = cycles[1] / LENGTHS[1];
        let _ = writeln!(
            out,
            "| {machine} | {cores} | {code} | {constants} | {stack} | {block:.0} | {} | {} | \
             {byte:.1} |",
            cycles[0], cycles[1]
        );
    }
    let machines = RECORD.lines().filter_map(|text| text.strip_prefix("# ")).filter(|text| {
        text.split_once(": ").is_some_and(|(name, _)| lines.iter().any(|line| line.machine == name))
    });
    let machines: Vec<String> = machines.map(|text| format!("- {text}\n")).collect();
    (!lines.is_empty()).then(|| {
        format!(
            "{out}\nBytes and cycles of whole messages, by `manylane run`; the stack is that of \
             the measuring program\n\
             on the first core. A block's cycles are those by which the longer message takes \
             longer, divided by its\n\
             blocks more.\n\n{}",
            machines.concat().trim_end()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line of the record is read, and its figures hold together.
    #[test]
    fn the_record_is_read() {
        let mut count = 0;
        for text in RECORD.lines().filter(|text| !text.starts_with('#')) {
            let name = text.split('\t').next().unwrap();
            let line = line(text, name).unwrap_or_else(|| panic!("{text}"));
            assert!(line.cycles[1] > line.cycles[0] && line.blocks[1] > line.blocks[0], "{text}");
            assert!(line.code.parse::<u32>().unwrap() > 100, "{text}");
            let told = measured(name, Cores::Two, line.machine, |_| true).unwrap();
            assert!(
                told.contains(&format!("| {} | {} |", line.cycles[0], line.cycles[1])),
                "{told}"
            );
            assert!(told.contains(&format!("- {}: ", line.machine)), "{told}");
            count += 1;
        }
        assert!(count > 0, "the record is empty");
        assert_eq!(measured("none", Cores::Two, "rp2040", |_| true), None);
        assert_eq!(measured("sha512", Cores::One, "rp2040", |_| false), None);
    }
}
