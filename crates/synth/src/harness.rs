//! Three pins for a core of any number of ports.
//!
//! ```text
//!  d ──► in[0] ─► in[1] ─► …         clocked, one bit each: the core's inputs
//!          ▼        ▼
//!        ┌────── core ──────┐
//!        └──────────────────┘
//!         ▼▼▼      ▼▼▼
//!  ┌──► fold[0] ─► fold[1] ─► … ──► q     clocked: XOR of three outputs and the bit before
//!  └───────────────────────────┘
//! ```
//!
//! No signal of the harness goes to more than one place and no path has more than one table, so
//! that the core sets the clock. A shift register with a parallel load would need a signal to all
//! outputs.

use manylane_emit::rtl::{Datasheet, Port};
use std::fmt::Write;

/// The harness's module.
pub const MODULE: &str = "manylane_harness";
/// The core's instance in it.
pub const INSTANCE: &str = "core";
/// Outputs of the core that one cell of the harness folds: with the bit of the cell before, they
/// fill the four inputs of a table.
const FOLD: u32 = 3;

/// Number of bits that go into the core, without the clock, and of bits that come out.
fn bits(core: &Datasheet) -> [u32; 2] {
    let sum = |input| ports(core, input).map(|port| port.bits).sum();
    [sum(true), sum(false)]
}

fn ports(core: &Datasheet, input: bool) -> impl Iterator<Item = &Port> {
    core.ports.iter().filter(move |port| port.input == input && port.name != "clk")
}

/// Flip-flops of the harness.
pub fn flip_flops(core: &Datasheet) -> u32 {
    let [input, output] = bits(core);
    input + output.div_ceil(FOLD)
}

/// The harness of a core, in Verilog-2001.
pub fn verilog(core: &Datasheet) -> String {
    let [input, output] = bits(core);
    let cells = output.div_ceil(FOLD);
    let folded = FOLD * cells;
    let mut text = format!(
        "module {MODULE} (input wire clk, input wire d, output wire q);\n  \
         reg  [{}:0] in;\n  reg  [{}:0] fold;\n  wire [{}:0] out;\n",
        input - 1,
        cells - 1,
        folded - 1
    );
    if folded > output {
        let _ = writeln!(text, "  assign out[{}:{output}] = 0;", folded - 1);
    }
    let thirds: Vec<String> =
        (0..FOLD).map(|i| format!("out[{}:{}]", (i + 1) * cells - 1, i * cells)).collect();
    let _ = writeln!(
        text,
        "  always @(posedge clk) begin\n    in <= {{in, d}};\n    \
         fold <= {{fold, fold[{}]}} ^ {};\n  end\n  assign q = fold[{}];",
        cells - 1,
        thirds.join(" ^ "),
        cells - 1
    );
    let mut connections = vec![".clk(clk)".to_owned()];
    for (is_input, bus) in [(true, "in"), (false, "out")] {
        let mut low = 0;
        for Port { name, bits, .. } in ports(core, is_input) {
            connections.push(format!(".{name}({bus}[{}:{low}])", low + bits - 1));
            low += bits;
        }
    }
    let _ = writeln!(
        text,
        "  {} {INSTANCE} (\n    {}\n  );\nendmodule",
        core.module,
        connections.join(",\n    ")
    );
    text
}
