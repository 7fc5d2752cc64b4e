//! Tables of times that are built in. The compiler reads them: a program holds the numbers of its
//! own hashes, and no code that reads text.

use super::times::{KernelName, Table};
use crate::cpu::Engine;
use manylane_primitives::catalog::HashId;

/// A row of a table, in the file `HASH ENGINE LANES NANOSECONDS`. Nanoseconds have one decimal.
#[derive(Clone, Copy)]
pub(super) struct Row {
    hash: HashId,
    kernel: KernelName,
    /// What a call takes per block.
    tenths_of_nanoseconds: u32,
}

/// The rows in the bytes of a file that `manylane tune` wrote. Rows of hashes that this program
/// does not have are left out, as are lines that are no rows.
macro_rules! read_by_compiler {
    ($bytes:expr) => {{
        const TEXT: &[u8] = $bytes;
        const ROWS: [Option<$crate::select::built_in::Row>; $crate::select::built_in::count(TEXT)] =
            $crate::select::built_in::rows(TEXT);
        &ROWS
    }};
}
pub(super) use read_by_compiler;

/// The number of rows in a text.
pub(super) const fn count(mut text: &[u8]) -> usize {
    let mut rows = 0;
    while let Some((line, rest)) = cut(text, b'\n') {
        rows += row(line).is_some() as usize;
        text = rest;
    }
    rows
}

/// The `N` rows of a text, all of them `Some`.
pub(super) const fn rows<const N: usize>(mut text: &[u8]) -> [Option<Row>; N] {
    let (mut rows, mut at) = ([None; N], 0);
    while let Some((line, rest)) = cut(text, b'\n') {
        let row = row(line);
        if row.is_some() {
            rows[at] = row;
            at += 1;
        }
        text = rest;
    }
    rows
}

/// The table of these rows.
pub(super) fn table(rows: &[Option<Row>]) -> Table {
    let mut table = Table::default();
    for row in rows.iter().flatten() {
        table.set(row.hash, row.kernel, f64::from(row.tenths_of_nanoseconds) / 10.0);
    }
    table
}

/// The one of `$all` that has this name, if there is one.
macro_rules! named {
    ($name:expr, $all:expr) => {{
        let mut at = 0;
        while at < $all.len() && !are_equal($name, $all[at].name().as_bytes()) {
            at += 1;
        }
        if at < $all.len() { Some($all[at]) } else { None }
    }};
}

/// The row in a line, if it has one of a hash of this program.
///
/// # Panics
/// If such a row is not complete.
const fn row(line: &[u8]) -> Option<Row> {
    const INCOMPLETE: &str = "`HASH ENGINE LANES NANOSECONDS` is expected";
    let Some((name, rest)) = cut(line, b' ') else { return None };
    let Some(hash) = named!(name, HashId::ALL) else { return None };
    let (name, rest) = cut(rest, b' ').expect(INCOMPLETE);
    let engine = named!(name, Engine::ALL).expect("an engine's name is expected");
    let (lanes, time) = cut(rest, b' ').expect(INCOMPLETE);
    let (whole, tenth) = cut(time, b'.').expect(INCOMPLETE);
    assert!(tenth.len() == 1, "one decimal is expected");
    Some(Row {
        hash,
        kernel: KernelName { engine, lanes: number(lanes) as usize },
        tenths_of_nanoseconds: 10 * number(whole) + number(tenth),
    })
}

const fn are_equal(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

const fn number(digits: &[u8]) -> u32 {
    let (mut number, mut at) = (0, 0);
    while at < digits.len() {
        assert!(digits[at].is_ascii_digit(), "digits are expected");
        number = 10 * number + (digits[at] - b'0') as u32;
        at += 1;
    }
    number
}

/// What precedes the first `separator` and what follows it, if it is there.
const fn cut(text: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    while at < text.len() {
        if text[at] == separator {
            let (before, from) = text.split_at(at);
            return Some((before, from.split_at(1).1));
        }
        at += 1;
    }
    None
}
