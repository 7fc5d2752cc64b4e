//! Checks that synthesis left the whole core. Synthesis removes logic that reaches no output, so a
//! core whose result is tied to 0 would disappear and have excellent figures.
//!
//! ```text
//!  inputs ──► cells ──► … ──► outputs     each input bit leads to an output bit,
//!                                         each output bit comes from an input bit
//! ```

use crate::harness;
use crate::target::Cells;
use crate::{Core, Target};
use manylane_emit::rtl::Port;
use manylane_graph::trace;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The ends of the names of ports that may be constant or unused, because a protocol has them and a
/// core need not use them. For example, `tkeep` is constant where digests are whole words, and
/// `resp` where no read of a register fails.
const OF_PROTOCOLS: [&str; 11] = [
    "tkeep", "tstrb", "tlast", "tid", "tdest", "tuser", "resp", "prot", "wstrb", "awaddr", "araddr",
];

/// Describes the parts of a core that synthesis removed; empty if the core is whole. `netlist` is
/// the JSON that yosys writes: for a chip, of the harness with the core in it; for gates, of the
/// core.
///
/// # Errors
/// The text names the part that is not as yosys writes it.
pub fn removed(
    core: &Core,
    target: Target,
    cells: &Cells,
    netlist: &str,
) -> Result<Vec<String>, String> {
    let json: Value = serde_json::from_str(netlist).map_err(|error| error.to_string())?;
    if target.placer().is_some() && json["modules"].is_null() {
        // The placer reads the same file, and refuses what is no netlist.
        return Ok(Vec::new());
    }
    let least = chaining_bits(core);
    let registers = (cells.flip_flops < least).then(|| {
        format!(
            "{} flip-flops are left, and the chaining value alone has {least}",
            cells.flip_flops
        )
    });
    Ok(registers.into_iter().chain(dead_ports(core, target, &json)?).collect())
}

/// Bits of the chaining value, all of which a core keeps from one clock to the next; 0 if the
/// primitive is none of the catalogue.
fn chaining_bits(core: &Core) -> u64 {
    let Ok(primitive) = core.sheet.primitive.parse() else { return 0 };
    let compression = trace::compression(primitive);
    let outputs = compression.outputs().iter();
    outputs.map(|output| u64::from(compression.width(output.value))).sum()
}

fn dead_ports(core: &Core, target: Target, json: &Value) -> Result<Vec<String>, String> {
    let name = if target.placer().is_some() { harness::MODULE } else { &core.sheet.module };
    let module = &json["modules"][name];
    if module.is_null() {
        return Err(format!("no module {name}"));
    }
    let module = Module::deserialize(module).map_err(|error| error.to_string())?;
    let mut ports = Vec::new();
    for port in &core.sheet.ports {
        let Some(bits) = module.bits(target, &port.name) else {
            // yosys drops the names of wires that nothing reads or drives.
            ports.push((port, vec![Bit::Constant(String::new()); port.bits as usize]));
            continue;
        };
        if bits.len() != port.bits as usize {
            let (name, here, there) = (&port.name, bits.len(), port.bits);
            return Err(format!("{name} has {here} bits, and {there} in core.json"));
        }
        ports.push((port, bits.to_vec()));
    }
    let wires = Wires::new(&module, &ports);
    Ok(wires.dead(&ports))
}

/// A module of the netlist, as far as it matters.
#[derive(Deserialize)]
struct Module {
    ports: BTreeMap<String, Bits>,
    cells: BTreeMap<String, Cell>,
    netnames: BTreeMap<String, Bits>,
}

#[derive(Deserialize)]
struct Bits {
    bits: Vec<Bit>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(default)]
    port_directions: BTreeMap<String, String>,
    connections: BTreeMap<String, Vec<Bit>>,
}

/// The number of a wire, or a constant.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Bit {
    Wire(u64),
    /// `0`, `1` or `x`; nothing where the wire has no name any more.
    Constant(String),
}

impl Bit {
    fn wire(&self) -> Option<u64> {
        match self {
            Self::Wire(wire) => Some(*wire),
            Self::Constant(_) => None,
        }
    }
}

impl Module {
    /// The bits of a port of the core, the least significant first, if it is there.
    fn bits(&self, target: Target, port: &str) -> Option<&[Bit]> {
        let found = match target.placer() {
            Some(_) => self.netnames.get(&format!("{}.{port}", harness::INSTANCE)),
            None => self.ports.get(port),
        };
        found.map(|port| &port.bits[..])
    }
}

/// The connections between wires.
struct Wires {
    /// The cells that read each wire.
    readers: HashMap<u64, Vec<usize>>,
    /// The cell that drives each wire.
    drivers: HashMap<u64, Vec<usize>>,
    /// Wires into and out of each cell.
    cells: Vec<[Vec<u64>; 2]>,
}

impl Wires {
    /// The wires of the core. Cells that drive its inputs belong to the harness, and lead from one
    /// to the next.
    fn new(module: &Module, ports: &[(&Port, Vec<Bit>)]) -> Self {
        let inputs = ports.iter().filter(|(port, _)| port.input);
        let inputs: HashSet<u64> =
            inputs.flat_map(|(_, bits)| bits.iter().filter_map(Bit::wire)).collect();
        let mut wires =
            Self { readers: HashMap::new(), drivers: HashMap::new(), cells: Vec::new() };
        for cell in module.cells.values() {
            let of = |direction: &str| {
                let pins = cell.connections.iter();
                let pins = pins.filter(|(pin, _)| {
                    let known = cell.port_directions.get(*pin);
                    known.is_some_and(|known| known == direction || known == "inout")
                });
                pins.flat_map(|(_, bits)| bits.iter().filter_map(Bit::wire)).collect::<Vec<_>>()
            };
            let [read, driven] = ["input", "output"].map(of);
            if driven.iter().any(|wire| inputs.contains(wire)) {
                continue;
            }
            let number = wires.cells.len();
            read.iter().for_each(|&wire| wires.readers.entry(wire).or_default().push(number));
            driven.iter().for_each(|&wire| wires.drivers.entry(wire).or_default().push(number));
            wires.cells.push([read, driven]);
        }
        wires
    }

    /// All wires to which one of `from` leads; if `backwards`, all wires that lead to one of them.
    fn reached(&self, from: impl Iterator<Item = u64>, backwards: bool) -> HashSet<u64> {
        let (next, side) = if backwards { (&self.drivers, 0) } else { (&self.readers, 1) };
        let mut found: HashSet<u64> = from.collect();
        let mut open: Vec<u64> = found.iter().copied().collect();
        while let Some(wire) = open.pop() {
            let cells = next.get(&wire).into_iter().flatten();
            for &wire in cells.flat_map(|&cell| &self.cells[cell][side]) {
                if found.insert(wire) {
                    open.push(wire);
                }
            }
        }
        found
    }

    /// Bits of ports that lead nowhere, or come from nowhere, in words.
    fn dead(&self, ports: &[(&Port, Vec<Bit>)]) -> Vec<String> {
        let wires = |chosen: fn(&Port) -> bool| {
            let ports = ports.iter().filter(move |(port, _)| chosen(port));
            ports.flat_map(|(_, bits)| bits.iter().filter_map(Bit::wire))
        };
        // Clock and reset are left out: an output that depends on them alone carries no digest.
        let data = |port: &Port| {
            port.input && !["clk", "clock", "aclk"].contains(&&port.name[..]) && !is_reset(port)
        };
        let from_inputs = self.reached(wires(data), false);
        let to_outputs = self.reached(wires(|port| !port.input), true);
        let mut said = Vec::new();
        for (port, bits) in ports {
            if OF_PROTOCOLS.iter().any(|end| port.name.ends_with(end)) {
                continue;
            }
            let alive = if port.input { &to_outputs } else { &from_inputs };
            let is_dead = |bit: &Bit| bit.wire().is_none_or(|wire| !alive.contains(&wire));
            let kept = bytes_kept(port, ports);
            let dead = (0..bits.len()).filter(|&bit| is_dead(&bits[bit]) && kept(bit));
            let dead: Vec<usize> = dead.collect();
            if !dead.is_empty() {
                let why = if port.input { "leads to no output" } else { "comes from no input" };
                said.push(format!("{}{} {why}", port.name, ranges(&dead, bits.len())));
            }
        }
        said
    }
}

/// Whether a bit of a stream's data belongs to a byte that is ever valid: a stream that is wider
/// than the digest has a constant 0 in `tkeep` for bytes that are not. Of other ports all bits
/// count.
fn bytes_kept<'p>(port: &Port, ports: &'p [(&Port, Vec<Bit>)]) -> impl Fn(usize) -> bool + 'p {
    let keep = port.name.strip_suffix("tdata").map(|stream| format!("{stream}tkeep"));
    let keep = ports.iter().find(|(other, _)| keep.as_ref() == Some(&other.name));
    move |bit| {
        let byte = keep.and_then(|(_, keep)| keep.get(bit / 8));
        !matches!(byte, Some(Bit::Constant(value)) if value != "1")
    }
}

fn is_reset(port: &Port) -> bool {
    ["rst", "rst_n", "reset", "reset_n", "resetn", "aresetn"].contains(&&port.name[..])
}

/// Numbers of bits as Verilog has them: `[7:0, 12]`; nothing for all of a port.
fn ranges(bits: &[usize], of: usize) -> String {
    if bits.len() == of {
        return String::new();
    }
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for &bit in bits {
        match runs.last_mut() {
            Some([_, last]) if *last + 1 == bit => *last = bit,
            _ => runs.push([bit, bit]),
        }
    }
    let run = |[low, high]: &[usize; 2]| match low == high {
        true => low.to_string(),
        false => format!("{high}:{low}"),
    };
    // The first few names are enough to find the fault.
    let more = if runs.len() > 4 { ", …" } else { "" };
    format!("[{}{more}]", runs.iter().take(4).map(run).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_named_as_verilog_does() {
        assert_eq!(ranges(&[0, 1, 2, 3], 4), "");
        assert_eq!(ranges(&[0, 1, 2, 5], 8), "[2:0, 5]");
        assert_eq!(ranges(&[0, 2, 4, 6, 8, 10], 16), "[0, 2, 4, 6, …]");
    }
}
