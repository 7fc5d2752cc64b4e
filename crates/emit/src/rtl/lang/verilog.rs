//! Verilog-2001, and the expressions that both Verilogs have.

use super::expr::{ByteFunction, Infix, Spelling};
use super::style::Reset;
use super::walk::{Dialect, Ports, Registers};
use crate::rtl::netlist::{Driver, Expr, Instance, Memory, Netlist, Signal, SignalId};
use std::fmt::Write;

/// The netlist in Verilog.
pub(super) struct Verilog<'n> {
    pub(super) net: &'n Netlist,
}

impl Spelling for Verilog<'_> {
    fn constant(&self, value: u64, width: u32) -> String {
        format!("{width}'h{value:0digits$x}", digits = width.div_ceil(4) as usize)
    }

    fn signal(&self, signal: SignalId) -> String {
        self.net.signal(signal).name.clone()
    }

    fn slice(&self, signal: SignalId, high: u32, low: u32) -> String {
        let Signal { name, width, .. } = self.net.signal(signal);
        match (high - low + 1, high) {
            (bits, _) if bits == *width => name.clone(),
            (1, bit) => format!("{name}[{bit}]"),
            _ => format!("{name}[{high}:{low}]"),
        }
    }

    fn operator(&self, infix: Infix, _: u32) -> &'static str {
        match infix {
            Infix::Add => "+",
            Infix::Sub => "-",
            Infix::And => "&",
            Infix::Or => "|",
            Infix::Xor => "^",
        }
    }

    fn not(&self, x: &str) -> String {
        format!("~{x}")
    }

    fn concat(&self, parts: &[String]) -> String {
        format!("{{{}}}", parts.join(", "))
    }

    fn choose(&self, condition: SignalId, then: &str, otherwise: &str) -> String {
        format!("{} ? {then} : {otherwise}", self.signal(condition))
    }

    fn equals(&self, signal: SignalId, number: u32) -> String {
        let Signal { name, width, .. } = self.net.signal(signal);
        format!("{name} == {width}'d{number}")
    }

    fn at_least(&self, signal: SignalId, number: u32) -> String {
        let Signal { name, width, .. } = self.net.signal(signal);
        format!("{name} >= {width}'d{number}")
    }

    fn bit(&self, signal: SignalId, number: SignalId) -> String {
        format!("{}[{}]", self.signal(signal), self.signal(number))
    }

    fn one_hot(&self, number: SignalId, width: u32) -> String {
        format!("{width}'d1 << {}", self.signal(number))
    }

    fn byte_if(&self, bit: &str, byte: u8) -> String {
        match byte {
            0xff => format!("{{8{{{bit}}}}}"),
            _ => format!("{{8{{{bit}}}}} & 8'h{byte:02x}"),
        }
    }

    fn read(&self, memory: &Memory, address: SignalId) -> String {
        format!("{}[{}]", memory.name, self.signal(address))
    }

    fn rotated(&self, signal: SignalId, n: u32) -> String {
        let width = self.net.signal(signal).width;
        let low = self.slice(signal, width - n - 1, 0);
        self.concat(&[low, self.slice(signal, width - 1, width - n)])
    }

    fn shifted(&self, signal: SignalId, n: u32, left: bool) -> String {
        format!("{} {} {n}", self.signal(signal), if left { "<<" } else { ">>" })
    }

    fn call(&self, function: ByteFunction, byte: &str) -> String {
        format!("{}({byte})", function.name())
    }

    fn as_type_of(&self, _: SignalId, expression: String) -> String {
        expression
    }
}

impl Dialect for Verilog<'_> {
    const COMMENT: &'static str = "//";

    fn spelling(&self) -> &dyn Spelling {
        self
    }

    fn header(&self, ports: &Ports<'_>) -> String {
        header(ports, "wire ")
    }

    fn word_type(&self, _: u32) -> Option<String> {
        None
    }

    fn function(&self, function: ByteFunction) -> String {
        let name = function.name();
        let body = body(function, "x");
        format!("  function [7:0] {name}(input [7:0] x);\n{body}\n  endfunction")
    }

    fn declaration(&self, signal: &Signal, _: Option<u32>) -> String {
        let kind = match &signal.driver {
            Driver::Wire(Expr::Select { .. }) | Driver::Register { .. } => "reg ",
            Driver::Wire(_) | Driver::Instance | Driver::Input => "wire",
        };
        format!("  {kind} {}{};", range(signal.width), signal.name)
    }

    fn memory(&self, memory: &Memory) -> String {
        format!("  {}reg  {}", attribute(memory), array(memory))
    }

    fn begin(&self) -> Option<&'static str> {
        None
    }

    fn assign(&self, name: &str, value: &str) -> String {
        format!("  assign {name} = {value};")
    }

    fn select(&self, target: &Signal, selector: SignalId, arms: &[(Vec<u32>, String)]) -> String {
        case("  always @* case", target, self.net.signal(selector), arms)
    }

    fn instance(&self, instance: &Instance) -> String {
        instantiated(self.net, instance)
    }

    fn write(&self, memory: &Memory) -> String {
        written("always", self.net, memory)
    }

    fn registers(&self, registers: &Registers, reset: Reset) -> String {
        clocked("always", self.net, registers, reset)
    }

    fn output(&self, name: &str, signal: SignalId) -> String {
        self.assign(name, &self.signal(signal))
    }

    fn footer(&self, _: &str) -> String {
        FOOTER.to_owned()
    }
}

/// The end of a module, after which undeclared names are wires again, as in other files.
pub(super) const FOOTER: &str = "endmodule\n\n`default_nettype wire";

/// The module's beginning; `kind` is that of its ports.
pub(super) fn header(ports: &Ports<'_>, kind: &str) -> String {
    let port =
        |way: &str, (name, width): &(&str, u32)| format!("    {way} {kind}{}{name}", range(*width));
    let always = [("clk", 1), ("rst", 1)];
    let inputs = always.iter().chain(&ports.inputs).map(|input| port("input ", input));
    let outputs = ports.outputs.iter().map(|output| port("output", output));
    let all: Vec<String> = inputs.chain(outputs).collect();
    format!(
        "`timescale 1ns / 1ps\n`default_nettype none\n\nmodule {} (\n{}\n);",
        ports.module,
        all.join(",\n")
    )
}

/// `always @* case (…)` and its arms.
pub(super) fn case(
    opening: &str,
    target: &Signal,
    selector: &Signal,
    arms: &[(Vec<u32>, String)],
) -> String {
    let mut out = format!("{opening} ({})", selector.name);
    let name = &target.name;
    for (i, (numbers, value)) in arms.iter().enumerate() {
        if i == arms.len() - 1 {
            let _ = write!(out, "\n    default: {name} = {value};");
        } else {
            let number = |number: &u32| format!("{}'d{number}", selector.width);
            let numbers: Vec<String> = numbers.iter().map(number).collect();
            let _ = write!(out, "\n    {}: {name} = {value};", numbers.join(", "));
        }
    }
    out + "\n  endcase"
}

/// An instance of another module, its ports connected by name.
pub(super) fn instantiated(net: &Netlist, instance: &Instance) -> String {
    let common = ["clk", "rst"].map(|name| format!("    .{name}({name})"));
    let connected =
        instance.ports.iter().map(|(port, id)| format!("    .{port}({})", net.signal(*id).name));
    let ports: Vec<String> = common.into_iter().chain(connected).collect();
    format!("  {} {} (\n{}\n  );", instance.module, instance.name, ports.join(",\n"))
}

/// The attribute by which synthesis ignores reads of a word in the clock in which it is written.
pub(super) fn attribute(memory: &Memory) -> &'static str {
    if memory.apart { "(* no_rw_check *) " } else { "" }
}

/// A memory's words, without the type of a bit.
pub(super) fn array(memory: &Memory) -> String {
    format!("{}{} [0:{}];", range(memory.width), memory.name, memory.depth - 1)
}

/// The block that writes a memory.
pub(super) fn written(always: &str, net: &Netlist, memory: &Memory) -> String {
    let name = |id: SignalId| &net.signal(id).name;
    let (write, address, data) = (name(memory.write), name(memory.address), name(memory.data));
    format!("  {always} @(posedge clk)\n    if ({write}) {}[{address}] <= {data};", memory.name)
}

/// A block of registers, `always` being the language's word for it.
pub(super) fn clocked(always: &str, net: &Netlist, registers: &Registers, reset: Reset) -> String {
    let Registers { reset: is_reset, zero, enables, takes } = registers;
    let names: Vec<&str> = enables.iter().map(|&id| &net.signal(id).name[..]).collect();
    let condition = names.join(" && ");
    let edges = match (is_reset, reset) {
        (true, Reset::Async) => "posedge clk or posedge rst",
        (true, Reset::Sync) | (false, _) => "posedge clk",
    };
    let mut out = format!("  {always} @({edges})");
    let zero = zero.map(|zero| &net.signal(zero).name[..]);
    let zeroed: Vec<String> = match (is_reset, zero, reset) {
        (false, zero, _) => zero.into_iter().map(str::to_owned).collect(),
        (true, None, _) => vec!["rst".to_owned()],
        (true, Some(zero), Reset::Sync) => vec![format!("rst || {zero}")],
        (true, Some(zero), Reset::Async) => vec!["rst".to_owned(), zero.to_owned()],
    };
    out += "\n    ";
    for condition in zeroed {
        let _ = write!(out, "if ({condition}) begin");
        takes.iter().for_each(|take| {
            let _ = write!(out, "\n      {} <= {};", take.name, take.zero);
        });
        out += "\n    end else ";
    }
    if !condition.is_empty() {
        let _ = write!(out, "if ({condition}) ");
    }
    out += "begin";
    takes.iter().for_each(|take| {
        let _ = write!(out, "\n      {} <= {};", take.name, take.next);
    });
    out + "\n    end"
}

/// The statements of a function of a byte.
pub(super) fn body(function: ByteFunction, x: &str) -> String {
    let name = function.name();
    match function {
        ByteFunction::Xtime => {
            format!("    {name} = {{{x}[6:0], 1'b0}} ^ ({{8{{{x}[7]}}}} & 8'h1b);")
        }
        ByteFunction::SBox => {
            let mut out = format!("    case ({x})");
            for (i, y) in function.table().enumerate() {
                let _ = write!(out, "\n      8'h{i:02x}: {name} = 8'h{y:02x};");
            }
            out + "\n    endcase"
        }
    }
}

/// The range of a declaration, with a space behind it; empty for one bit.
pub(super) fn range(width: u32) -> String {
    match width {
        1 => String::new(),
        _ => format!("[{}:0] ", width - 1),
    }
}
