//! Which instructions a core has executed.

use super::object::{Object, Space};
use std::fmt::Write;

/// A bit for each local address of a core.
pub struct Coverage {
    bits: Box<[u64; 1024]>,
}

impl Coverage {
    /// A record in which nothing has been executed yet.
    pub(super) fn new() -> Self {
        Self { bits: Box::new([0; 1024]) }
    }

    /// Says that the instruction at this address was executed.
    #[inline]
    pub(super) fn mark(&mut self, address: u16) {
        self.bits[usize::from(address >> 6)] |= 1 << (address & 63);
    }

    /// Whether an instruction at this address was executed.
    pub fn has(&self, address: u16) -> bool {
        self.bits[usize::from(address >> 6)] >> (address & 63) & 1 != 0
    }

    /// Returns how many instructions were executed from each label to the next one: lines of their
    /// number, the bytes, and the label. Labels of data have none.
    pub fn report(&self, object: &Object, space: Space) -> String {
        let mut labels: Vec<_> =
            object.symbols.iter().filter(|symbol| symbol.space == space).collect();
        labels.sort_by_key(|symbol| symbol.address);
        let mut text = String::from("executed   bytes  label\n");
        for (number, label) in labels.iter().enumerate() {
            let end = object.segments.iter().filter(|segment| segment.space == space).find_map(
                |segment| {
                    let end = segment.address + segment.bytes.len() as u32;
                    (segment.address..end).contains(&label.address).then_some(end)
                },
            );
            let end = end.unwrap_or(label.address);
            let next = labels.get(number + 1).map_or(end, |next| next.address.min(end));
            let executed = (label.address..next).filter(|&at| self.has(at as u16)).count();
            let bytes = next - label.address;
            let _ = writeln!(text, "{executed:8} {bytes:7}  {}", label.name);
        }
        text
    }
}
