//! Object code, which assemblers make and the machine loads: bytes at addresses, and the symbols
//! that name them.

mod elf;
mod map;
mod srecord;

pub use elf::write_elf;
pub use map::link_map;
pub use srecord::{SRecordError, read_srecords, write_srecords};

use std::collections::HashSet;

/// An address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Local addresses of the CPU, 16 bits; its pages are those that the paging registers select
    /// when the object is loaded.
    Cpu,
    /// Local addresses of XGATE, 16 bits.
    Xgate,
    /// Addresses of the whole chip, 23 bits.
    Global,
}

/// Bytes that lie one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The address space.
    pub space: Space,
    /// The address of the first byte.
    pub address: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A name for an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// The address space.
    pub space: Space,
    /// The address.
    pub address: u32,
}

/// A program, or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object {
    /// The bytes. No two segments overlap.
    pub segments: Vec<Segment>,
    /// The names, in the order of the text.
    pub symbols: Vec<Symbol>,
}

impl Object {
    /// Puts another program beside this one.
    ///
    /// # Errors
    /// If both define a name: the name.
    pub fn join(mut self, other: Self) -> Result<Self, String> {
        let names: HashSet<_> = self.symbols.iter().map(|symbol| &symbol.name).collect();
        if let Some(twice) = other.symbols.iter().find(|symbol| names.contains(&symbol.name)) {
            return Err(format!("`{}` is defined in two objects", twice.name));
        }
        self.segments.extend(other.segments);
        self.symbols.extend(other.symbols);
        Ok(self)
    }

    /// Returns the symbol of a name.
    pub fn find(&self, name: &str) -> Option<&Symbol> {
        self.symbols.iter().find(|symbol| symbol.name == name)
    }
}
