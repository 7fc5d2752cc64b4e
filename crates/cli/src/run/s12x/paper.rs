//! What the paper measured, and its tables with ours beside them.

use super::Row;
use crate::emit::of_hash;
use crate::names::{self, Named};
use crate::run::Bar;
use manylane_emit::asm::Cores;
use manylane_plan::program::shape::Worth;
use std::fmt::Write;

const TABLE: &str = include_str!("paper.tsv");

/// The lengths of Table I.
pub const LENGTHS: [usize; 6] = [0, 55, 56, 64, 119, 1024];

/// A row of Tables I and III.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paper {
    pub primitive: String,
    pub cores: String,
    /// By length of [`LENGTHS`].
    pub cycles: Vec<u64>,
    /// Of code and constants.
    pub bytes: u64,
}

/// All rows.
pub fn rows() -> Vec<Paper> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let numbers: Vec<u64> = fields[2..].iter().filter_map(|of| of.parse().ok()).collect();
        Paper {
            primitive: fields[0].to_owned(),
            cores: fields[1].to_owned(),
            cycles: numbers[..LENGTHS.len()].to_vec(),
            bytes: numbers[LENGTHS.len()],
        }
    };
    lines.map(row).collect()
}

/// The cycles that the paper measured.
pub fn cycles(primitive: &str, cores: &str, length: usize) -> Option<u64> {
    let at = LENGTHS.iter().position(|&of| of == length)?;
    let row = rows().into_iter().find(|row| row.primitive == primitive && row.cores == cores)?;
    row.cycles.get(at).copied()
}

/// All runs of the paper's tables, on every choice of cores.
///
/// # Errors
/// If a call does not return.
pub fn run_all(worth: Worth, unroll: Option<usize>, bar: &Bar) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut primitives: Vec<String> = self::rows().into_iter().map(|row| row.primitive).collect();
    primitives.dedup();
    for name in primitives {
        let Named::Hash(algorithm) = names::parse(&name)? else { continue };
        for &cores in Cores::ALL {
            bar.say(&format!("{name} on {cores}"));
            let assembled = of_hash(algorithm, cores, worth, unroll, super::PREFIX)?;
            for length in LENGTHS {
                rows.push(Row::new(&assembled, cores, length)?);
            }
        }
        bar.done();
    }
    Ok(rows)
}

/// Tables I to III as text.
pub fn tables(rows: &[Row]) -> String {
    let paper = self::rows();
    let mut out = String::from("Table I: bus cycles of a message\n\n");
    let _ = write!(out, "{:14} {:5} {:6}", "primitive", "cores", "");
    for length in LENGTHS {
        let _ = write!(out, " {:>9}", format!("{length} B"));
    }
    out.push('\n');
    let of = |name: &str, cores: &str, length: usize| {
        rows.iter().find(|row| row.primitive == name && row.cores == cores && row.length == length)
    };
    let line = |out: &mut String, name: &str, cores: &str, what: &str, cells: Vec<String>| {
        let _ = write!(out, "{name:14} {cores:5} {what:6}");
        for cell in cells {
            let _ = write!(out, " {cell:>9}");
        }
        out.push('\n');
    };
    let mut primitives: Vec<&str> = paper.iter().map(|row| &row.primitive[..]).collect();
    primitives.dedup();
    for name in &primitives {
        for &cores in Cores::ALL {
            let cores = cores.name();
            if let Some(row) = paper.iter().find(|row| row.primitive == *name && row.cores == cores)
            {
                let cells = row.cycles.iter().map(u64::to_string).collect();
                line(&mut out, name, cores, "paper", cells);
            }
            let cell = |length, take: fn(&Row) -> Option<f64>| {
                let value = of(name, cores, length).and_then(take);
                value.map_or("–".to_owned(), |value| format!("{value:.0}"))
            };
            let predicted = LENGTHS.map(|length| cell(length, |row| row.predicted_cycles));
            line(&mut out, name, cores, "plan", predicted.to_vec());
            let ours = LENGTHS.map(|length| cell(length, |row| Some(row.cycles as f64)));
            line(&mut out, name, cores, "ours", ours.to_vec());
        }
    }
    out.push_str("\nTable II: percent of the paper's time on the CPU that is saved\n\n");
    for name in &primitives {
        let alone = |length| cycles(name, "cpu", length);
        let saved = |cycles: Option<u64>, length| {
            let part = cycles.zip(alone(length)).map(|(of, all)| 1.0 - of as f64 / all as f64);
            part.map_or("–".to_owned(), |part| format!("{:.1}", 100.0 * part))
        };
        let measured = LENGTHS.map(|length| saved(cycles(name, "both", length), length));
        line(&mut out, name, "both", "paper", measured.to_vec());
        for &cores in Cores::ALL {
            let cores = cores.name();
            let ours =
                LENGTHS.map(|length| saved(of(name, cores, length).map(|row| row.cycles), length));
            line(&mut out, name, cores, "ours", ours.to_vec());
        }
    }
    let _ = writeln!(
        out,
        "\nTable III: bytes of code and constants\n\n{:14} {:>9} {:>9}{}",
        "primitive",
        "paper cpu",
        "both",
        Cores::ALL.iter().map(|of| format!(" {:>9}", format!("ours {of}"))).collect::<String>()
    );
    for name in &primitives {
        let bytes = |cores: &str| {
            let row = paper.iter().find(|row| row.primitive == *name && row.cores == cores);
            row.map_or("–".to_owned(), |row| row.bytes.to_string())
        };
        let _ = write!(out, "{name:14} {:>9} {:>9}", bytes("cpu"), bytes("both"));
        for &cores in Cores::ALL {
            let ours = of(name, cores.name(), 0).map(|row| row.code_bytes.to_string());
            let _ = write!(out, " {:>9}", ours.unwrap_or_default());
        }
        out.push('\n');
    }
    out
}
