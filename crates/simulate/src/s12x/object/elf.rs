//! ELF files of the 68HC12, as `m68hc11-objdump` and debuggers read them.

use super::{Segment, Symbol};

/// `EM_68HC12`.
const MACHINE: u16 = 53;
/// Sizes in bytes of the file's header, of a program header, a section header and a symbol.
const HEADER: usize = 52;
const PROGRAM_HEADER: usize = 32;
const SECTION_HEADER: usize = 40;
const SYMBOL: usize = 16;

/// Writes an executable ELF file, 32 bits, big-endian: for each segment a program header and a
/// section that is named for its number (`.s0`, `.s1`, …), then the symbols, all global.
///
/// Addresses are written as they are: segments and symbols are to be of one space.
pub fn write_elf(segments: &[Segment], symbols: &[Symbol], entry: u32) -> Vec<u8> {
    let mut file = vec![0; HEADER + PROGRAM_HEADER * segments.len()];
    let mut names = vec![0];
    // The first section header is empty, as the format asks.
    let mut sections = vec![[0; 10]];
    for (number, segment) in segments.iter().enumerate() {
        let (offset, length) = (file.len() as u32, segment.bytes.len() as u32);
        file.extend_from_slice(&segment.bytes);
        // Loadable, readable, writable and executable.
        let header = [1, offset, segment.address, segment.address, length, length, 7, 1];
        put(&mut file, HEADER + PROGRAM_HEADER * number, &header);
        // PROGBITS; written, allocated, executed.
        let name = add_name(&mut names, &format!(".s{number}"));
        sections.push([name, 1, 7, segment.address, offset, length, 0, 0, 1, 0]);
    }
    let mut texts = vec![0];
    let mut table = vec![0; SYMBOL];
    for symbol in symbols {
        let name = add_name(&mut texts, &symbol.name);
        let within = |segment: &Segment| {
            let (start, length) = (segment.address, segment.bytes.len() as u32);
            (start..=start + length).contains(&symbol.address)
        };
        // The section in which it lies, counted from 1, or that of absolute values.
        let section = segments.iter().position(within).map_or(0xfff1, |number| number as u32 + 1);
        for word in [name, symbol.address, 0, 0x10 << 24 | section] {
            table.extend_from_slice(&word.to_be_bytes());
        }
    }
    let count = sections.len() as u32;
    let tables: [(&str, u32, Vec<u8>, [u32; 4]); 2] = [
        // Linked to the names of symbols, of which the first is local.
        (".symtab", 2, table, [count + 1, 1, 4, SYMBOL as u32]),
        (".strtab", 3, texts, [0, 0, 1, 0]),
    ];
    for (name, kind, bytes, [link, info, alignment, size]) in tables {
        let name = add_name(&mut names, name);
        let (offset, length) = (file.len() as u32, bytes.len() as u32);
        file.extend(bytes);
        sections.push([name, kind, 0, 0, offset, length, link, info, alignment, size]);
    }
    let name = add_name(&mut names, ".shstrtab");
    let (offset, length) = (file.len() as u32, names.len() as u32);
    sections.push([name, 3, 0, 0, offset, length, 0, 0, 1, 0]);
    file.extend(names);
    let section_headers = file.len() as u32;
    for section in &sections {
        file.extend(section.iter().flat_map(|word| word.to_be_bytes()));
    }
    // ELF, 32 bits, big-endian, version 1; an executable.
    file[..16].copy_from_slice(&[0x7f, b'E', b'L', b'F', 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let halves = |high: usize, low: usize| (high as u32) << 16 | low as u32;
    let program_headers = if segments.is_empty() { 0 } else { HEADER as u32 };
    let header = [
        halves(2, MACHINE.into()),
        1,
        entry,
        program_headers,
        section_headers,
        0,
        halves(HEADER, PROGRAM_HEADER),
        halves(segments.len(), SECTION_HEADER),
        halves(sections.len(), sections.len() - 1),
    ];
    put(&mut file, 16, &header);
    file
}

/// Puts words at a place of the file.
fn put(file: &mut [u8], at: usize, words: &[u32]) {
    for (place, word) in file[at..].chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_be_bytes());
    }
}

/// Adds a name to a table of names. Returns its place.
fn add_name(names: &mut Vec<u8>, name: &str) -> u32 {
    let place = names.len() as u32;
    names.extend(name.bytes());
    names.push(0);
    place
}
