//! The table of instructions, by operation code and by name.

use super::rows::build;
use super::table::Row;
use std::collections::HashMap;
use std::sync::LazyLock;

/// All rows, in an order in which the preferred mnemonic of an opcode is the first.
pub fn rows() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(build);
    &ROWS
}

/// Rows by opcode: those of page 1, then those of page 2.
pub type Opcodes = [Option<&'static Row>; 512];

/// Returns the rows by opcode.
pub fn opcodes() -> &'static Opcodes {
    static OPCODES: LazyLock<Opcodes> = LazyLock::new(|| {
        let mut opcodes = [None; 512];
        for row in rows().iter().filter(|row| !row.alias) {
            opcodes[row.index()] = Some(row);
        }
        opcodes
    });
    &OPCODES
}

/// Returns the rows of a mnemonic in small letters; none if there is no such instruction.
pub fn mnemonic(name: &str) -> &'static [&'static Row] {
    static NAMES: LazyLock<HashMap<&str, Vec<&Row>>> = LazyLock::new(|| {
        let mut names: HashMap<&str, Vec<&Row>> = HashMap::new();
        for row in rows() {
            names.entry(row.mnemonic).or_default().push(row);
        }
        names
    });
    NAMES.get(name).map_or(&[], Vec::as_slice)
}
