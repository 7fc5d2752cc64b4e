//! The result of one vector: the values that differ from those that it expects.

use super::super::Flat;
use super::super::assembler::AssemblyError;
use std::fmt;

/// A value that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What it is.
    pub what: String,
    /// The vector's value.
    pub expected: String,
    /// The simulator's.
    pub got: String,
}

/// The result of one vector.
pub(super) struct Case {
    /// The vector's name.
    pub name: String,
    /// Where the machine's result differs from the vector's.
    pub differences: Vec<Difference>,
    /// A document that says otherwise than the vector, if there is one.
    pub document: Option<&'static str>,
}

impl Case {
    /// A case without differences.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), differences: Vec::new(), document: None }
    }

    /// Records a difference unless both values are equal.
    pub fn expect<T: PartialEq + fmt::Debug>(&mut self, what: &str, expected: T, got: T) {
        if expected != got {
            let (expected, got) = (format!("{expected:?}"), format!("{got:?}"));
            self.differences.push(Difference { what: what.to_owned(), expected, got });
        }
    }

    /// Compares a whole memory and names the first byte that differs.
    pub fn expect_memory(&mut self, expected: &[u8], memory: &Flat) {
        let bytes = memory.bytes();
        if let Some(at) = (0..bytes.len()).find(|&at| bytes[at] != expected[at]) {
            self.expect(&format!("byte at {at:#06x}"), expected[at], bytes[at]);
        }
    }

    /// Compares words that an assembler gave.
    pub fn expect_text(&mut self, what: &str, expected: &str, got: Result<String, AssemblyError>) {
        let got = got.unwrap_or_else(|error| error.to_string());
        self.expect(what, expected.to_owned(), got);
    }
}

/// Returns the bytes that a text of hexadecimal digits stands for.
pub(super) fn hex(text: &str) -> Result<Vec<u8>, String> {
    let digits: Option<Vec<_>> = text.chars().map(|c| c.to_digit(16)).collect();
    match digits {
        Some(digits) if digits.len() % 2 == 0 => {
            Ok(digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
        }
        _ => Err(format!("`{text}` is no text of hexadecimal bytes")),
    }
}

/// Bytes at their addresses.
pub(super) type Bytes = Vec<(u16, u8)>;

/// Puts bytes into memory.
pub(super) fn load(memory: &mut Flat, address: u16, bytes: &[u8]) -> Result<(), String> {
    let start = usize::from(address);
    let place = memory.bytes_mut().get_mut(start..start + bytes.len());
    place.ok_or("the bytes do not fit into memory")?.copy_from_slice(bytes);
    Ok(())
}

/// Changes bytes of a memory.
pub(super) fn change(memory: &mut [u8], changes: &Bytes) {
    for &(address, byte) in changes {
        memory[usize::from(address)] = byte;
    }
}
