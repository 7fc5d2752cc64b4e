//! The linker's map.

use super::{Object, Space};
use std::fmt::Write;

/// Writes a map: the segments with their sizes, then the symbols by address, each with the bytes to
/// the next symbol of its space or the end of its segment.
pub fn link_map(object: &Object) -> String {
    let mut text = String::from("space   address   bytes  segment\n");
    let mut segments: Vec<_> = object.segments.iter().collect();
    segments.sort_by_key(|segment| (segment.space, segment.address));
    for (number, segment) in segments.iter().enumerate() {
        let (space, bytes) = (name(segment.space), segment.bytes.len());
        let _ = writeln!(text, "{space:7} {:#08x} {bytes:6}  {number}", segment.address);
    }
    text.push_str("\nspace   address   bytes  symbol\n");
    let mut symbols: Vec<_> = object.symbols.iter().collect();
    symbols.sort_by_key(|symbol| (symbol.space, symbol.address));
    for (number, symbol) in symbols.iter().enumerate() {
        let end = segments.iter().find_map(|segment| {
            let end = segment.address + segment.bytes.len() as u32;
            let is_within = (segment.address..=end).contains(&symbol.address);
            (segment.space == symbol.space && is_within).then_some(end)
        });
        // An address without bytes, as a register's, has no size.
        let size = end.map_or(0, |end| {
            let later = symbols[number..]
                .iter()
                .find(|later| later.space == symbol.space && later.address > symbol.address);
            later.map_or(end, |later| later.address.min(end)) - symbol.address
        });
        let space = name(symbol.space);
        let _ = writeln!(text, "{space:7} {:#08x} {size:6}  {}", symbol.address, symbol.name);
    }
    text
}

fn name(space: Space) -> &'static str {
    match space {
        Space::Cpu => "cpu",
        Space::Xgate => "xgate",
        Space::Global => "global",
    }
}
