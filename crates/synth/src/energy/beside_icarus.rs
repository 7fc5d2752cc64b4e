//! Compares the counts with what Icarus Verilog dumps of the same gates, one unit of time each,
//! under the same inputs: they agree to the last change.

use super::{Netlist, Simulation};
use crate::flows::synthesis::{self, files};
use crate::{Core, Request, Sums, Target};
use manylane_emit::rtl::{Datasheet, Port, Storage};
use manylane_plan::hardware::Options;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Two sums of eight bits after each other, chosen by a bit: carries that run twice.
const CORE: &str = "module core (
    input  wire clk,
    input  wire rst,
    input  wire [7:0] a,
    input  wire [7:0] b,
    output wire [7:0] y
);
  reg [7:0] sum, mixed;
  always @(posedge clk) begin
    sum <= rst ? 8'd0 : a + b + y;
    mixed <= sum[0] ? {sum[2:0], sum[7:3]} ^ mixed : sum + mixed;
  end
  assign y = mixed;
endmodule
";

/// Messages at once, and clocks.
const LANES: usize = 64;
const CLOCKS: usize = 40;
/// Units of time to a clock: more than any change runs.
const PERIOD: usize = 1000;

fn sheet() -> Datasheet {
    let port = |name: &str, input, bits| Port { name: name.into(), input, bits };
    Datasheet {
        module: "core".into(),
        primitive: "none".into(),
        title: "Sums".into(),
        command: "none".into(),
        sources: vec!["core.v".into()],
        options: Options::default(),
        window: Storage::default(),
        chaining: Storage::default(),
        interface: "core".into(),
        modes: Vec::new(),
        clear_on_done: false,
        block_bits: 8,
        cycles_per_block: 1,
        latency: 1,
        ports: vec![
            port("clk", true, 1),
            port("rst", true, 1),
            port("a", true, 8),
            port("b", true, 8),
            port("y", false, 8),
        ],
    }
}

/// The gates of a core, as yosys writes them; none if it is missing.
pub(super) fn gates(folder: &Path, core: Core) -> Option<String> {
    let request = Request {
        core,
        target: Target::GenericGates,
        sums: Sums::AsWritten,
        seeds: vec![1],
        energy: true,
        time_limit: Duration::from_secs(60),
    };
    let script = [(files::SCRIPT, synthesis::script(&request))];
    for (name, text) in synthesis::inputs(&request).into_iter().chain(script) {
        std::fs::write(folder.join(name), text).unwrap();
    }
    run(folder, "yosys", &["-q", "-s", files::SCRIPT])?;
    Some(std::fs::read_to_string(folder.join(files::NETLIST)).unwrap())
}

/// Runs a tool; none if it is missing, which on CI is an error.
fn run(folder: &Path, program: &str, arguments: &[&str]) -> Option<()> {
    let done = match Command::new(program).args(arguments).current_dir(folder).output() {
        Ok(done) => done,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{program}: {error}");
            eprintln!("skipped: {program} is missing");
            return None;
        }
    };
    let said = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{program}: {said}");
    Some(())
}

/// A gate in Verilog with a transport delay of one unit of time: pulses of any length pass.
fn cell(name: &str, inputs: &str, value: &str) -> String {
    format!(
        "module \\{name} (input {inputs}, output reg Y);\n  wire value = {value};\n  \
         initial begin Y = 0; #1 Y = value; end\n  always @(value) Y <= #1 value;\nendmodule\n"
    )
}

fn cells() -> String {
    let gates = [
        ("$_NOT_", "A", "~A"),
        ("$_AND_", "A, B", "A & B"),
        ("$_NAND_", "A, B", "~(A & B)"),
        ("$_OR_", "A, B", "A | B"),
        ("$_NOR_", "A, B", "~(A | B)"),
        ("$_XOR_", "A, B", "A ^ B"),
        ("$_XNOR_", "A, B", "~(A ^ B)"),
        ("$_MUX_", "A, B, S", "S ? B : A"),
    ];
    gates.map(|(name, inputs, value)| cell(name, inputs, value)).concat()
        + "module \\$_DFF_P_ (input D, C, output reg Q);\n  initial Q = 0;\n  \
           always @(posedge C) Q <= D;\nendmodule\n"
}

/// Every message has a core of its own; its inputs change with the registers.
fn bench() -> String {
    let (last, half) = (CLOCKS * LANES - 1, PERIOD / 2);
    format!(
        "`timescale 1ns / 1ns\nmodule bench;\n  reg clk = 0;\n  reg [16:0] inputs [0:{last}];\n  \
         initial $readmemh(\"inputs.hex\", inputs);\n  \
         initial begin #{PERIOD} repeat ({CLOCKS}) begin clk = 1; #{half} clk = 0; #{half}; end \
         $finish; end\n  \
         initial $dumpvars;\n  genvar lane;\n  generate for (lane = 0; lane < {LANES}; lane = lane \
         + 1)\n    \
         begin : message\n      reg rst = 0;\n      reg [7:0] a = 0, b = 0;\n      wire [7:0] \
         y;\n      \
         integer at = lane;\n      always @(posedge clk) begin\n        \
         {{rst, a, b}} <= inputs[at];\n        at = at + {LANES};\n      end\n      \
         core dut (.clk(clk), .rst(rst), .a(a), .b(b), .y(y));\n    end\n  endgenerate\nendmodule\n"
    )
}

/// Counts the inputs that take each bit of the netlist, and one for the driver.
fn loads(module: &Value) -> HashMap<u64, u64> {
    let mut loads = HashMap::new();
    for cell in module["cells"].as_object().unwrap().values() {
        for (pin, bits) in cell["connections"].as_object().unwrap() {
            if let (false, Some(bit)) = (["Y", "Q", "C"].contains(&&pin[..]), bits[0].as_u64()) {
                *loads.entry(bit).or_insert(1) += 1;
            }
        }
    }
    loads
}

/// A variable of the dump that drives something: the loads of its bits, the highest first, and
/// whether it is a register's.
struct Driver {
    loads: Vec<u64>,
    is_register: bool,
    /// Bits now, and when the clock began.
    value: Vec<u8>,
    before: Vec<u8>,
}

/// Counts changes times load: of all signals, of registers, and with at most one change of each
/// signal in a clock.
fn counted(dump: &str, module: &Value) -> [u64; 3] {
    let loads = loads(module);
    let load = |bit: &Value| bit.as_u64().map_or(1, |bit| loads.get(&bit).copied().unwrap_or(1));
    let mut scopes: Vec<&str> = Vec::new();
    let mut drivers: HashMap<&str, Driver> = HashMap::new();
    let [mut all, mut registers, mut settled] = [0; 3];
    let (mut time, mut clock) = (0, 0);
    for line in dump.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (id, value) = match words[..] {
            ["$scope", _, name, "$end"] => {
                scopes.push(name);
                continue;
            }
            ["$upscope", "$end"] => {
                scopes.pop();
                continue;
            }
            ["$var", _, _, id, name, ..] => {
                let bits = match (&scopes[..], name) {
                    // The inputs, and the wires that cells drive.
                    ([_, _, "dut"], "a" | "b" | "rst") => module["ports"][name]["bits"].as_array(),
                    ([_, _, "dut", cell], "Y" | "Q") => {
                        module["cells"][cell]["connections"][name].as_array()
                    }
                    _ => None,
                };
                if let Some(bits) = bits {
                    let loads: Vec<u64> = bits.iter().rev().map(load).collect();
                    let value = vec![b'0'; loads.len()];
                    let (before, is_register) = (value.clone(), name == "Q");
                    drivers.insert(id, Driver { loads, is_register, value, before });
                }
                continue;
            }
            [now] if now.starts_with('#') => {
                time = now[1..].parse().unwrap();
                if time / PERIOD != clock {
                    for driver in drivers.values_mut() {
                        settled += if clock > 0 { difference(driver) } else { 0 };
                        driver.before.clone_from(&driver.value);
                    }
                    clock = time / PERIOD;
                }
                continue;
            }
            [vector, id] if vector.starts_with('b') => (id, &vector[1..]),
            [scalar] if scalar.starts_with(['0', '1']) => (&scalar[1..], &scalar[..1]),
            _ => continue,
        };
        let Some(driver) = drivers.get_mut(id) else { continue };
        // Leading zeros are left out.
        let zeros = driver.loads.len() - value.len();
        let value: Vec<u8> = std::iter::repeat_n(b'0', zeros).chain(value.bytes()).collect();
        let old = std::mem::replace(&mut driver.value, value);
        if time >= PERIOD {
            let bits = driver.loads.iter().zip(old.iter().zip(&driver.value));
            let weight: u64 = bits.filter(|(_, (old, new))| old != new).map(|(load, _)| load).sum();
            all += weight;
            registers += if driver.is_register { weight } else { 0 };
        }
    }
    settled += drivers.values().map(difference).sum::<u64>();
    [all, registers, settled]
}

fn difference(driver: &Driver) -> u64 {
    let bits = driver.loads.iter().zip(driver.before.iter().zip(&driver.value));
    bits.filter(|(_, (before, now))| before != now).map(|(load, _)| load).sum()
}

#[test]
fn changes_are_those_that_icarus_dumps() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    // Cells of a name that Verilog keeps.
    let named = format!(
        "read_json {}; rename -enumerate; write_json named.json; \
         write_verilog -noexpr -noattr gates.v",
        files::NETLIST
    );
    let core = Core { sheet: sheet(), verilog: CORE.to_owned(), origins: Vec::new() };
    let Some(gates) = gates(folder.path(), core) else { return };
    run(folder.path(), "yosys", &["-q", "-p", &named]);

    let gates = Netlist::read(&gates, "core").unwrap();
    let mut simulation = Simulation::new(&gates).unwrap();
    let (mut hex, mut random) = (String::new(), 1_u64);
    for clock in 0..CLOCKS {
        simulation.settle().unwrap();
        simulation.edge();
        let lanes = [(); LANES].map(|()| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let word = random >> 33 & 0xffff;
            // A reset comes from time to time.
            word | u64::from(clock == 0 || random >> 60 == 0) << 16
        });
        let bit = |at: usize| (0..LANES).map(|lane| (lanes[lane] >> at & 1) << lane).sum();
        simulation.set_lanes("rst", 0, bit(16)).unwrap();
        for i in 0..8 {
            simulation.set_lanes("a", i, bit(8 + i)).unwrap();
            simulation.set_lanes("b", i, bit(i)).unwrap();
        }
        lanes.iter().for_each(|word| writeln!(hex, "{word:05x}").unwrap());
    }
    simulation.settle().unwrap();
    let counts = simulation.counts();

    write("inputs.hex", &hex);
    write("cells.v", &cells());
    write("bench.v", &bench());
    let compile = ["-g2012", "-o", "sim", "bench.v", "gates.v", "cells.v"];
    if run(folder.path(), "iverilog", &compile).is_none() {
        return;
    }
    run(folder.path(), "vvp", &["-n", "sim"]);
    let module: Value = serde_json::from_str(&read("named.json")).unwrap();
    let dumped = counted(&read("dump.vcd"), &module["modules"]["core"]);
    assert_eq!(dumped, [counts.all, counts.registers, counts.settled]);
    let glitches = counts.all - counts.settled;
    assert!(glitches > counts.all / 20, "{glitches} of {}: too tame to say much", counts.all);
}
