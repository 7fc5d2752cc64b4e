//! The parts that every README has: the files of the folder, the commands that run them, and an
//! instance to copy.

use super::Package;
use crate::rtl::{Built, Driver, Language, Netlist, Reset, modes};
use minijinja::{Value, context};

/// The values for the templates of both READMEs. `net` is the module on top, `tests` describes what
/// the benches check.
pub fn values(of: &Package<'_>, built: Built<'_>, net: &Netlist, tests: &str) -> Value {
    let (about, core) = (of.about, built.core);
    let files: Vec<String> = of.sources.iter().map(|file| format!("`{file}`")).collect();
    let is_vhdl = of.language() == Language::Vhdl;
    let reset = match about.style.reset {
        Reset::Sync => "synchronous",
        Reset::Async => "asynchronous, to be let go in step with the clock",
    };
    context! {
        top => of.top, title => about.title, warning => about.warning, command => about.command,
        mhz => MHZ as u32, reset, clears => core.clears,
        merge => built.program.options.merge, stages => built.program.options.stages,
        modes => (!core.modes.is_empty()).then(|| modes::table(&core.modes)),
        instance => instance(net, about.style.language),
        files => files.join(", "), sources => files.len(), tests, is_vhdl,
        simulator => if is_vhdl { "GHDL" } else { "Icarus Verilog" },
        own_benches => of.own_benches, in_memory => of.in_memory,
    }
}

/// The clock of the rates in a README.
const MHZ: f64 = 100.0;

/// The rate of `bits` bits in `clocks` clocks, in Mbit/s at the README's clock, rounded.
pub fn rate(bits: f64, clocks: usize) -> String {
    format!("{:.0}", bits * MHZ / clocks as f64)
}

/// Ports of a module but clock and reset: name, direction, bits.
pub fn ports_of(net: &Netlist) -> impl Iterator<Item = (&str, &'static str, u32)> {
    let inputs = net.signals().filter(|(_, signal)| signal.driver == Driver::Input);
    let inputs = inputs.map(|(_, signal)| (&signal.name[..], "in", signal.width));
    let outputs = net.outputs().iter();
    inputs.chain(outputs.map(|(name, id)| (&name[..], "out", net.signal(*id).width)))
}

/// An instance to copy, with signals named as the ports.
fn instance(net: &Netlist, language: Language) -> String {
    let top = &net.name;
    let names = ["clk", "rst"].into_iter().chain(ports_of(net).map(|(name, ..)| name));
    let (connect, fence): (fn(&str) -> String, _) = match language {
        Language::Verilog | Language::SystemVerilog => {
            (|name| format!("  .{name}({name})"), "verilog")
        }
        Language::Vhdl => (|name| format!("    {name} => {name}"), "vhdl"),
    };
    let ports = names.map(connect).collect::<Vec<_>>().join(",\n");
    match language {
        Language::Verilog | Language::SystemVerilog => {
            format!("```{fence}\n{top} hash (\n{ports}\n);\n```\n")
        }
        Language::Vhdl => {
            format!("```{fence}\nhash : entity work.{top}\n  port map (\n{ports}\n  );\n```\n")
        }
    }
}
