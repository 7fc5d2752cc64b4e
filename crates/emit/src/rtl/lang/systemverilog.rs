//! SystemVerilog: Verilog's expressions; `logic`, a type for words, blocks that name their kind.

use super::expr::{ByteFunction, Spelling};
use super::style::Reset;
use super::verilog::{
    FOOTER, Verilog, array, attribute, body, case, clocked, header, instantiated, range, written,
};
use super::walk::{Dialect, Ports, Registers};
use crate::rtl::netlist::{Instance, Memory, Signal, SignalId};

/// The netlist in SystemVerilog, whose expressions are Verilog's.
pub(super) struct SystemVerilog<'n> {
    pub(super) verilog: Verilog<'n>,
}

impl Dialect for SystemVerilog<'_> {
    const COMMENT: &'static str = "//";

    fn spelling(&self) -> &dyn Spelling {
        &self.verilog
    }

    fn header(&self, ports: &Ports<'_>) -> String {
        header(ports, "logic ")
    }

    fn word_type(&self, width: u32) -> Option<String> {
        Some(format!("  typedef logic {}word_t;", range(width)))
    }

    fn function(&self, function: ByteFunction) -> String {
        let name = function.name();
        let body = body(function, "b");
        format!(
            "  function automatic logic [7:0] {name}(input logic [7:0] b);\n{body}\n  endfunction"
        )
    }

    fn declaration(&self, signal: &Signal, word: Option<u32>) -> String {
        match word == Some(signal.width) {
            true => format!("  word_t {};", signal.name),
            false => format!("  logic {}{};", range(signal.width), signal.name),
        }
    }

    fn memory(&self, memory: &Memory) -> String {
        format!("  {}logic {}", attribute(memory), array(memory))
    }

    fn begin(&self) -> Option<&'static str> {
        None
    }

    fn assign(&self, name: &str, value: &str) -> String {
        self.verilog.assign(name, value)
    }

    /// No two arms have a number in common and the last one is the default, so that `unique` would
    /// say nothing new. Icarus ignores `unique` and warns of each use.
    fn select(&self, target: &Signal, selector: SignalId, arms: &[(Vec<u32>, String)]) -> String {
        let selector = self.verilog.net.signal(selector);
        case("  always_comb case", target, selector, arms)
    }

    fn instance(&self, instance: &Instance) -> String {
        instantiated(self.verilog.net, instance)
    }

    fn write(&self, memory: &Memory) -> String {
        written("always_ff", self.verilog.net, memory)
    }

    fn registers(&self, registers: &Registers, reset: Reset) -> String {
        clocked("always_ff", self.verilog.net, registers, reset)
    }

    fn output(&self, name: &str, signal: SignalId) -> String {
        self.verilog.output(name, signal)
    }

    fn footer(&self, module: &str) -> String {
        FOOTER.replacen("endmodule", &format!("endmodule : {module}"), 1)
    }
}
