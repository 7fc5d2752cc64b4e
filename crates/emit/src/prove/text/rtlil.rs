//! Reads RTLIL, the text in which yosys writes what it has read of a hardware language.
//!
//! The reader takes only what is left after processes have become registers and multiplexers:
//! wires, memories, cells and connections. Assignments stay what they are, connections from one
//! side to the other, so that two drivers of a bit are seen.

use std::collections::HashMap;

/// A bit of a wire, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bit {
    /// Field 0 is the number of the wire, field 1 that of the bit.
    Wire(usize, usize),
    /// A constant.
    Const(bool),
    /// Unknown, or high impedance.
    Unknown,
}

/// A wire of a module.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    /// Its name in the source, after a backslash; what yosys made begins with a dollar sign.
    pub(super) name: String,
    pub(super) width: usize,
    pub(super) is_input: bool,
    pub(super) is_output: bool,
    /// Whether it has a value before the first clock.
    pub(super) is_initialized: bool,
}

/// An array of words.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) name: String,
    /// Bits of a word.
    pub(super) width: usize,
    /// Number of words.
    pub(super) size: usize,
    /// The address of the first word.
    pub(super) offset: usize,
}

/// A gate, a register, a port of a memory, or a module inside.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    /// What it is, such as `$and`, or the name of a module.
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) parameters: HashMap<String, Parameter>,
    pub(super) ports: HashMap<String, Vec<Bit>>,
}

/// A parameter of a cell: bits, or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    Bits(Vec<Bit>),
    Text(String),
}

impl Cell {
    /// A number of at most 64 bits, 0 if it is not there.
    pub(super) fn number(&self, parameter: &str) -> u64 {
        match self.parameters.get(parameter) {
            Some(Parameter::Bits(bits)) => {
                let ones = bits.iter().take(64).enumerate();
                ones.map(|(i, bit)| u64::from(*bit == Bit::Const(true)) << i).sum()
            }
            Some(Parameter::Text(_)) | None => 0,
        }
    }

    /// A bit of a parameter, if it is known.
    pub(super) fn number_bit(&self, parameter: &str, i: usize) -> Option<bool> {
        match self.parameters.get(parameter)? {
            Parameter::Bits(bits) => match bits.get(i)? {
                Bit::Const(value) => Some(*value),
                Bit::Wire(..) | Bit::Unknown => None,
            },
            Parameter::Text(_) => None,
        }
    }

    /// A name.
    pub(super) fn text(&self, parameter: &str) -> &str {
        match self.parameters.get(parameter) {
            Some(Parameter::Text(text)) => text,
            Some(Parameter::Bits(_)) | None => "",
        }
    }

    /// Returns the bits that a port is connected to; none if there is no such port.
    pub(super) fn port(&self, port: &str) -> &[Bit] {
        self.ports.get(port).map_or(&[], |bits| bits)
    }
}

/// A module.
#[derive(Clone, Debug, Default)]
pub(super) struct Module {
    pub(super) name: String,
    pub(super) wires: Vec<Wire>,
    pub(super) memories: Vec<Memory>,
    pub(super) cells: Vec<Cell>,
    /// Left sides take the value of right sides.
    pub(super) connections: Vec<(Vec<Bit>, Vec<Bit>)>,
    numbers: HashMap<String, usize>,
}

impl Module {
    /// The number of the wire that the source names so.
    pub(super) fn wire(&self, name: &str) -> Option<usize> {
        self.numbers.get(&format!("\\{name}")).copied()
    }

    fn end(&self, name: &str) -> Result<(usize, usize), String> {
        let number = self.numbers.get(name).ok_or_else(|| format!("no wire {name}"))?;
        Ok((*number, self.wires[*number].width))
    }

    /// Reads a signal, and what is left of the text.
    fn signal<'t>(&self, text: &'t str) -> Result<(Vec<Bit>, &'t str), String> {
        let text = text.trim_start();
        if let Some(mut rest) = text.strip_prefix('{') {
            // The first part is the most significant one.
            let mut parts = Vec::new();
            loop {
                rest = rest.trim_start();
                if let Some(after) = rest.strip_prefix('}') {
                    parts.reverse();
                    return Ok((parts.concat(), after));
                }
                let (part, after) = self.signal(rest)?;
                if after.len() == rest.len() {
                    return Err(format!("a signal that is not closed: {text}"));
                }
                parts.push(part);
                rest = after;
            }
        }
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (bits, rest) = match word.starts_with(['\\', '$']) {
            true => {
                let (number, width) = self.end(word)?;
                ((0..width).map(|i| Bit::Wire(number, i)).collect(), rest)
            }
            false => (constant(word)?, rest),
        };
        slice(bits, rest)
    }
}

/// A part of a signal, if a range follows it.
fn slice(bits: Vec<Bit>, rest: &str) -> Result<(Vec<Bit>, &str), String> {
    let Some((range, after)) =
        rest.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'))
    else {
        return Ok((bits, rest));
    };
    let (high, low) = range.split_once(':').unwrap_or((range, range));
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| format!("range [{range}]"));
    let (high, low) = (number(high)?, number(low)?);
    match bits.get(low..=high) {
        Some(part) => slice(part.to_vec(), after),
        None => Err(format!("range [{range}] of {} bits", bits.len())),
    }
}

/// `6'0011xx`, most significant bit first, or a decimal number of 32 bits.
fn constant(word: &str) -> Result<Vec<Bit>, String> {
    let wrong = || format!("constant {word}");
    let Some((width, digits)) = word.split_once('\'') else {
        let number: i64 = word.parse().map_err(|_| wrong())?;
        return Ok((0..32).map(|i| Bit::Const(number >> i & 1 == 1)).collect());
    };
    let width: usize = width.parse().map_err(|_| wrong())?;
    let digit = |c| match c {
        '0' => Ok(Bit::Const(false)),
        '1' => Ok(Bit::Const(true)),
        'x' | 'z' | '-' | 'm' => Ok(Bit::Unknown),
        _ => Err(wrong()),
    };
    let mut bits =
        digits.trim_start_matches('s').chars().rev().map(digit).collect::<Result<Vec<_>, _>>()?;
    // Short constants are padded with their top bit if it is unknown, else with zeros.
    let fill = bits.last().filter(|bit| **bit == Bit::Unknown).copied();
    bits.resize(width, fill.unwrap_or(Bit::Const(false)));
    Ok(bits)
}

/// All modules of a text.
///
/// # Errors
/// If it is not understood.
pub(super) fn read(text: &str) -> Result<Vec<Module>, String> {
    let mut modules = Vec::new();
    let mut module: Option<Module> = None;
    let mut cell: Option<Cell> = None;
    let mut has_init = false;
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let not_understood = |why: String| format!("line {} of RTLIL, {line:?}: {why}", i + 1);
        if word.is_empty() || word.starts_with('#') || word == "autoidx" {
            continue;
        }
        if word == "attribute" {
            has_init |= rest.starts_with("\\init ");
            continue;
        }
        match (&mut module, &mut cell, word) {
            (None, _, "module") => {
                module = Some(Module { name: public(rest), ..Module::default() });
            }
            (Some(_), None, "parameter") => {}
            (Some(module), None, "wire") => {
                let wire = wire(rest, has_init).map_err(not_understood)?;
                module.numbers.insert(wire.name.clone(), module.wires.len());
                module.wires.push(wire);
            }
            (Some(module), None, "memory") => {
                module.memories.push(memory(rest).map_err(not_understood)?);
            }
            (Some(_), None, "cell") => {
                let (kind, name) = rest.split_once(' ').unwrap_or((rest, ""));
                let (kind, name) = (kind.to_owned(), public(name));
                cell = Some(Cell { kind, name, ..Cell::default() });
            }
            (Some(_), Some(cell), "parameter") => {
                let rest = rest.strip_prefix("signed ").unwrap_or(rest);
                let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
                let value = match value.strip_prefix('"') {
                    Some(text) => Parameter::Text(text.trim_end_matches('"').replace("\\\\", "\\")),
                    None => Parameter::Bits(constant(value).map_err(not_understood)?),
                };
                cell.parameters.insert(public(name), value);
            }
            (Some(module), Some(cell), "connect") => {
                let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
                let (bits, _) = module.signal(value).map_err(not_understood)?;
                cell.ports.insert(public(name), bits);
            }
            (Some(module), None, "connect") => {
                let (left, rest) = module.signal(rest).map_err(not_understood)?;
                let (right, _) = module.signal(rest).map_err(not_understood)?;
                if left.len() != right.len() {
                    return Err(not_understood("sides of different widths".to_owned()));
                }
                module.connections.push((left, right));
            }
            (Some(known), _, "end") => match cell.take() {
                Some(cell) => known.cells.push(cell),
                None => modules.extend(module.take()),
            },
            _ => return Err(not_understood("nothing that is known".to_owned())),
        }
        has_init = false;
    }
    match (module, cell) {
        (None, None) => Ok(modules),
        _ => Err("RTLIL ends within a module".to_owned()),
    }
}

/// A name without the backslash of those in the source.
fn public(name: &str) -> String {
    name.trim().trim_start_matches('\\').to_owned()
}

fn wire(text: &str, is_initialized: bool) -> Result<Wire, String> {
    let (options, name) = text.rsplit_once(' ').unwrap_or(("", text));
    let mut wire =
        Wire { name: name.to_owned(), width: 1, is_input: false, is_output: false, is_initialized };
    let mut words = options.split_whitespace();
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse::<i64>().ok());
        match word {
            "width" => wire.width = number().ok_or("width")? as usize,
            "input" => wire.is_input = number().is_some(),
            "output" => wire.is_output = number().is_some(),
            "inout" => {
                number().ok_or("inout")?;
                (wire.is_input, wire.is_output) = (true, true);
            }
            "offset" => drop(number()),
            "upto" | "signed" => {}
            _ => return Err(format!("a wire with {word}")),
        }
    }
    Ok(wire)
}

fn memory(text: &str) -> Result<Memory, String> {
    let (options, name) = text.rsplit_once(' ').unwrap_or(("", text));
    let mut memory = Memory { name: public(name), width: 1, size: 0, offset: 0 };
    let words: Vec<&str> = options.split_whitespace().collect();
    for pair in words.chunks(2) {
        let [what, number] = pair else { return Err(format!("memory {text}")) };
        let number = number.parse().map_err(|_| format!("memory {text}"))?;
        match *what {
            "width" => memory.width = number,
            "size" => memory.size = number,
            "offset" => memory.offset = number,
            _ => return Err(format!("a memory with {what}")),
        }
    }
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_read_from_the_lowest_bit() {
        let text = "module \\m\n  attribute \\init 1'0\n  wire width 4 \\a\n  wire input 1 \\b\n  \
                    cell $add $1\n    parameter signed \\A_SIGNED 0\n    connect \\A \
                    { \\b 2'10 \\a [2:1] }\n  \
                    end\n  connect \\a [3:2] { 1'x \\b }\nend\n";
        let [module] = &read(text).unwrap()[..] else { panic!("one module") };
        let (a, b) = (module.wire("a").unwrap(), module.wire("b").unwrap());
        assert_eq!((module.wires[a].is_initialized, module.wires[b].is_initialized), (true, false));
        let cell = &module.cells[0];
        let [zero, one] = [false, true].map(Bit::Const);
        assert_eq!(cell.port("A"), [Bit::Wire(a, 1), Bit::Wire(a, 2), zero, one, Bit::Wire(b, 0)]);
        let (left, right) = &module.connections[0];
        assert_eq!(left[..], [Bit::Wire(a, 2), Bit::Wire(a, 3)]);
        assert_eq!(right[..], [Bit::Wire(b, 0), Bit::Unknown]);
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        assert!(read("module \\m\n  wire \\a\n").is_err());
        assert!(read("module \\m\n  connect \\a 1'0\nend\n").unwrap_err().contains("no wire"));
    }
}
