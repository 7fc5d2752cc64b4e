//! What other programs want to know of a core: `core.json` in its folder.

use super::netlist::{Driver, Netlist};
use super::{Design, Project, Storage};
use manylane_plan::hardware::Options;
use serde::{Deserialize, Serialize};

/// What is said of a core.
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
    /// Bits of message per block.
    pub block_bits: u64,
    /// Clocks between blocks.
    pub cycles_per_block: usize,
    /// Clocks from taking a block to offering its chaining value.
    pub latency: usize,
    /// The module's ports.
    pub ports: Vec<Port>,
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

    /// What there is to say of a core whose text is in `sources`.
    pub fn new(design: &Design, about: &Project<'_>, sources: Vec<String>) -> Self {
        let Design { plan, core, .. } = design;
        Self {
            module: core.netlist.name.clone(),
            primitive: plan.function.trim_end_matches(".compression").to_owned(),
            title: about.title.to_owned(),
            command: about.command.to_owned(),
            sources,
            options: plan.options,
            window: core.window,
            chaining: core.chaining,
            block_bits: plan.block_bits,
            cycles_per_block: core.cycles_per_block,
            latency: core.latency,
            ports: ports(&core.netlist),
        }
    }

    /// The same core inside another module, by which it is reached.
    pub fn within(self, net: &Netlist) -> Self {
        Self { module: net.name.clone(), ports: ports(net), ..self }
    }

    /// The file's text.
    pub fn json(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.expect("names and numbers are JSON") + "\n"
    }
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
