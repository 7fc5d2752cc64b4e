//! Measured times of compiled programs: `[programs]` and `[shares]` of a platform's file.

use super::primitive::check_name;
use super::table::{Result, Table, Value};
use super::word_size::WordSize;
use std::collections::BTreeMap;
use std::fmt;

/// The identity of a program that was measured, see [`crate::program::Program::identity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity(pub u64);

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The times of a compiled program of a hash on the main core alone, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProgramTime {
    /// The program, if the file says which one it was. Without it the time is that of every program
    /// of the primitive.
    pub program: Option<Identity>,
    /// Cycles of a call of the compression.
    pub block: f64,
    /// Cycles of the empty message without its calls: to begin, to pad and to end.
    pub message: f64,
    /// Additional cycles if bytes are left that do not fill a block.
    pub held: f64,
    /// Cycles for each of these bytes.
    pub byte: f64,
    /// Additional cycles if the padding takes a block of its own.
    pub padding: f64,
    /// Additional cycles if there are whole blocks, such as for giving a job to another core.
    pub whole: f64,
    /// The word size, if it was measured against another one.
    pub word_size: Option<WordSize>,
    /// Cycles of a call by the model, which knows operations, registers and memory. The file does
    /// not give this figure; [`crate::program::scaled_by`] sets it.
    pub modelled: Option<f64>,
}

/// The times of the two shares of a compiled program, in cycles of the main core. Each share was
/// run alone, with everything that it waits for already available.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareTime {
    /// The program.
    pub program: Identity,
    /// The main core's share of a call.
    pub main: f64,
    /// The second core's share of a call.
    pub second: f64,
    /// The empty message on the main core, without its calls.
    pub message: f64,
    /// The main core's time for a job, without its calls.
    pub give: f64,
    /// The second core's time for a job, without its calls.
    pub take: f64,
    /// The word size, if it was measured against another one.
    pub word_size: Option<WordSize>,
    /// The times of the hand-overs within the shares, if they were measured too.
    pub parts: Option<HandOverTimes>,
}

/// The times of the hand-overs within measured shares; [`crate::program::parts::HandOvers`] numbers
/// their places.
#[derive(Clone, Debug, PartialEq)]
pub struct HandOverTimes {
    /// The part of `give` that passes before the second core can see the job.
    pub open: f64,
    /// Where the second core may be a block ahead: the part of `give` that passes after the first
    /// block's words were given, until the main core prepares to give the next ones.
    pub begin: Option<f64>,
    /// The part of `take` that passes before the second core waits for the first block.
    pub enter: f64,
    /// The times of a call by core, in this order: for the main core the time to give the block's
    /// words, for the second core the time from the end of a call to the wait for the next block;
    /// then the time up to each place; then the time to the end of the call.
    pub cycles: [Vec<f64>; 2],
    /// Number of words that each core loads from or stores to shared memory in a call; 0 where no
    /// core waits for the other core's accesses.
    pub accesses: [f64; 2],
    /// The line of the file at which they are given.
    pub line: usize,
}

/// Refuses a table on two cores for a platform with one core.
pub(super) fn of_two_cores(top: &Table<'_>, name: &str) -> Result<()> {
    match (top.get(name), top.get("coprocessor")) {
        (Some((key, _)), None) => {
            let problem = format!("{name} on a platform of one core");
            Err(top.wrong(key, problem, "add `[coprocessor]`"))
        }
        _ => Ok(()),
    }
}

/// Reads `[programs]`: `sha256 = { program = "…", block = 3400, message = 2700, … }`.
pub(super) fn programs(top: &Table<'_>) -> Result<BTreeMap<String, ProgramTime>> {
    each(top, "programs", |inner| {
        let known = ["program", "block", "message", "held", "byte", "padding", "whole"];
        inner.only(&[&known[..], &WordSize::KEYS].concat())?;
        Ok(ProgramTime {
            program: inner.get("program").map(|(_, value)| number(inner, value)).transpose()?,
            block: positive(inner, "block", "the cycles of a call")?,
            message: cycles(inner, "message")?,
            held: cycles(inner, "held")?,
            byte: cycles(inner, "byte")?,
            padding: cycles(inner, "padding")?,
            whole: cycles(inner, "whole")?,
            word_size: WordSize::read(inner)?,
            modelled: None,
        })
    })
}

/// Reads `[shares]`: `sha256 = { program = "…", main = 2400, second = 2100, … }`.
pub(super) fn shares(top: &Table<'_>) -> Result<BTreeMap<String, ShareTime>> {
    of_two_cores(top, "shares")?;
    each(top, "shares", |inner| {
        let known = [
            "program",
            "main",
            "second",
            "message",
            "give",
            "take",
            "open",
            "begin",
            "enter",
            "main_parts",
            "second_parts",
            "accesses",
        ];
        inner.only(&[&known[..], &WordSize::KEYS].concat())?;
        Ok(ShareTime {
            program: identity(inner)?,
            main: positive(inner, "main", "the main core's cycles of a call")?,
            second: positive(inner, "second", "the second core's cycles of a call")?,
            message: cycles(inner, "message")?,
            give: cycles(inner, "give")?,
            take: cycles(inner, "take")?,
            word_size: WordSize::read(inner)?,
            parts: parts(inner)?,
        })
    })
}

/// The keys of a share that say when its hand-overs are: none of them, or both lists.
fn parts(table: &Table<'_>) -> Result<Option<HandOverTimes>> {
    let list = |name: &str| match table.get(name) {
        Some((_, value)) => table.cycles(value).map(Some),
        None => Ok(None),
    };
    let (main, second) = match (list("main_parts")?, list("second_parts")?) {
        (Some(main), Some(second)) => (main, second),
        (None, None) => return Ok(None),
        (Some(_), None) => {
            return Err(table.missing("second_parts", "add the second core's parts of a call"));
        }
        (None, Some(_)) => {
            return Err(table.missing("main_parts", "add the main core's parts of a call"));
        }
    };
    let accesses = match table.get("accesses") {
        None => [0.0; 2],
        Some((_, value)) => table.cycles(value)?.try_into().map_err(|_| {
            table.wrong(value, "not one number for each core", "write `[main, second]`")
        })?,
    };
    let (open, enter) = (cycles(table, "open")?, cycles(table, "enter")?);
    let begin = table.get("begin").map(|_| cycles(table, "begin")).transpose()?;
    let line = table.line(table.at.clone());
    Ok(Some(HandOverTimes { open, begin, enter, cycles: [main, second], accesses, line }))
}

/// Reads a table that has a table for each primitive.
pub(super) fn each<T>(
    top: &Table<'_>,
    name: &'static str,
    read: impl Fn(&Table<'_>) -> Result<T>,
) -> Result<BTreeMap<String, T>> {
    let Some(table) = top.optional_table(name)? else { return Ok(BTreeMap::new()) };
    let entries = table.table.iter().map(|(key, value)| {
        let of = read(&table.inner(value, "program")?)?;
        check_name(&table, key, true)?;
        Ok((key.get_ref().to_string(), of))
    });
    entries.collect()
}

/// The time `name` in cycles, 0 or more; 0 if the table has no such entry.
pub(super) fn cycles(table: &Table<'_>, name: &str) -> Result<f64> {
    match table.get(name) {
        Some((_, value)) => table.at_least(value, 0.0, "it takes time"),
        None => Ok(0.0),
    }
}

/// The number `name` above 0, which the table must have; `is` says what it means.
pub(super) fn positive(table: &Table<'_>, name: &str, is: &str) -> Result<f64> {
    match table.get(name) {
        Some((_, value)) => table.positive(value),
        None => Err(table.missing(name, &format!("add `{name} = …`, {is}"))),
    }
}

/// The identity that a table has to give.
pub(super) fn identity(table: &Table<'_>) -> Result<Identity> {
    match table.get("program") {
        Some((_, value)) => number(table, value),
        None => Err(table.missing("program", "add `program = \"…\"`, the program's identity")),
    }
}

fn number(table: &Table<'_>, value: &Value<'_>) -> Result<Identity> {
    let digits = value.get_ref().as_str().filter(|text| text.len() == 16);
    let number = digits.and_then(|text| u64::from_str_radix(text, 16).ok());
    number.map(Identity).ok_or_else(|| {
        let remedy =
            "write what `manylane platforms measure` prints: 16 hexadecimal digits in quotes";
        table.wrong(value, "no identity of a program", remedy)
    })
}
