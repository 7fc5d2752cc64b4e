//! `core.json` in the folder of a core: its figures and ports for other programs.

use super::netlist::{Driver, Netlist};
use super::{Built, Mode, Project, Storage, Wrapper};
use manylane_plan::hardware::{HardwareProgram, Options};
use serde::{Deserialize, Serialize};

/// The data sheet of a core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Datasheet {
    /// The module.
    pub module: String,
    /// The recorded function, such as `sha256`.
    pub primitive: String,
    /// Its name in its standard.
    pub title: String,
    /// The command line that makes the core.
    pub command: String,
    /// The files of the core itself, from the folder: Verilog.
    pub sources: Vec<String>,
    /// Its shape.
    pub options: Options,
    /// Where the words of a block are kept.
    #[serde(default)]
    pub window: Storage,
    /// Where its chaining value is kept.
    #[serde(default)]
    pub chaining: Storage,
    /// Its interface: `core` with ports for blocks, `axis` or `axilite` for messages.
    #[serde(default = "bare")]
    pub interface: String,
    /// The hashes of a core with modes, by the number of the mode; empty for a core of one hash.
    #[serde(default)]
    pub modes: Vec<Hash>,
    /// Whether all registers are zero as soon as no block is under way. Then there is a port
    /// `clear`.
    #[serde(default)]
    pub clear_on_done: bool,
    /// Bits of message per block.
    pub block_bits: u64,
    /// Clocks between blocks, with enough messages under way.
    pub cycles_per_block: usize,
    /// Clocks between the blocks of one message alone: until the chaining value can be given back.
    pub latency: usize,
    /// The module's ports.
    pub ports: Vec<Port>,
}

/// One of the hashes of a core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hash {
    /// Its name.
    pub name: String,
    /// Bytes of its digest.
    pub digest_bytes: usize,
}

/// The default for files that were written before there were wrappers.
fn bare() -> String {
    "core".to_owned()
}

/// A port of the module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Whether it comes from outside.
    pub input: bool,
    /// Bits.
    pub bits: u32,
}

impl Datasheet {
    /// The file's name in the folder.
    pub const FILE: &str = "core.json";

    /// The recorded function of a program, such as `sha3-256`.
    pub fn primitive(program: &HardwareProgram) -> &str {
        program.function.name.trim_end_matches(".compression")
    }

    /// The data sheet of a core whose text is in `sources`.
    pub fn new(built: Built<'_>, about: &Project<'_>, sources: Vec<String>) -> Self {
        let Built { program, core } = built;
        Self {
            module: core.netlist.name.clone(),
            primitive: Self::primitive(program).to_owned(),
            title: about.title.to_owned(),
            command: about.command.to_owned(),
            sources,
            options: program.options,
            window: core.window,
            chaining: core.chaining,
            interface: bare(),
            modes: core.modes.iter().map(hash).collect(),
            clear_on_done: core.clears,
            block_bits: program.block_bits(),
            cycles_per_block: core.cycles_per_block,
            latency: core.latency,
            ports: ports(&core.netlist),
        }
    }

    /// The datasheet of the core inside a wrapper, by which it is reached.
    pub fn within(self, wrapper: &Wrapper) -> Self {
        let Wrapper { netlist, interface, cycles_per_block, latency, .. } = wrapper;
        Self {
            module: netlist.name.clone(),
            interface: interface.to_string(),
            cycles_per_block: *cycles_per_block,
            latency: *latency,
            ports: ports(netlist),
            ..self
        }
    }

    /// The hash and how it is reached, whatever the module is called: `sha256`, `sha256_axis`.
    pub fn reached(&self) -> String {
        let hash = self.primitive.replace('-', "_");
        if self.interface == bare() { hash } else { format!("{hash}_{}", self.interface) }
    }

    /// The file's text: the sheet, and the version of manylane that made it.
    pub fn json(&self) -> String {
        let made =
            Made { version: Some(env!("CARGO_PKG_VERSION").to_owned()), sheet: self.clone() };
        let text = serde_json::to_string_pretty(&made);
        text.expect("names and numbers are JSON") + "\n"
    }

    /// Reads the file's text: the sheet, and the version of manylane that made it, if it says so.
    ///
    /// # Errors
    /// If it is no JSON, or lacks something.
    pub fn read(text: &str) -> Result<(Self, Option<String>), serde_json::Error> {
        let Made { version, sheet } = serde_json::from_str(text)?;
        Ok((sheet, version))
    }
}

/// What is in the file.
#[derive(Serialize, Deserialize)]
struct Made {
    version: Option<String>,
    #[serde(flatten)]
    sheet: Datasheet,
}

fn hash(mode: &Mode) -> Hash {
    Hash { name: mode.name.clone(), digest_bytes: mode.digest_bytes }
}

fn ports(net: &Netlist) -> Vec<Port> {
    let port = |name: &str, input, bits| Port { name: name.to_owned(), input, bits };
    let inputs = net.signals().filter(|(_, signal)| signal.driver == Driver::Input);
    let outputs = net.outputs().iter().map(|(name, signal)| (name, net.signal(*signal).width));
    let clocked = ["clk", "rst"].map(|name| port(name, true, 1));
    clocked
        .into_iter()
        .chain(inputs.map(|(_, signal)| port(&signal.name, true, signal.width)))
        .chain(outputs.map(|(name, bits)| port(name, false, bits)))
        .collect()
}
