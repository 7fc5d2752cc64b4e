//! VHDL-2008 over `numeric_std`.
//!
//! Words are `unsigned`, bits `std_logic`. What crosses the boundary of an entity, as a port or to
//! an instance inside, is `std_logic_vector` and converted where it is used.

use super::expr::{ByteFunction, Infix, Spelling};
use super::style::Reset;
use super::walk::{Dialect, NextValue, Ports, Registers};
use crate::rtl::netlist::{Driver, Instance, Memory, Netlist, Signal, SignalId};
use std::collections::HashSet;
use std::fmt::Write;

/// The netlist in VHDL.
pub(super) struct Vhdl<'n> {
    net: &'n Netlist,
    /// Signals wider than a bit that are of the type of ports.
    vectors: HashSet<SignalId>,
}

impl<'n> Vhdl<'n> {
    /// Finds the signals that are ports of the entity or of an instance inside.
    pub(super) fn new(net: &'n Netlist) -> Self {
        let of_port = |(_, signal): &(SignalId, &Signal)| match signal.driver {
            Driver::Input | Driver::Instance => true,
            Driver::Wire(_) | Driver::Register { .. } => false,
        };
        let connected = net.instances().iter().flat_map(|inside| &inside.ports).map(|(_, id)| *id);
        let ids = net.signals().filter(of_port).map(|(id, _)| id).chain(connected);
        let vectors = ids.filter(|&id| net.signal(id).width > 1).collect();
        Self { net, vectors }
    }

    /// A signal or a part of it as `unsigned`, or as a bit.
    fn as_unsigned(&self, signal: SignalId, text: String, width: u32) -> String {
        match self.vectors.contains(&signal) && width > 1 {
            true => format!("unsigned({text})"),
            false => text,
        }
    }

    /// Whether all signals are 1.
    fn all(&self, signals: &[SignalId]) -> String {
        let is_one = |&id: &SignalId| format!("{} = '1'", self.net.signal(id).name);
        signals.iter().map(is_one).collect::<Vec<_>>().join(" and ")
    }
}

impl Spelling for Vhdl<'_> {
    fn constant(&self, value: u64, width: u32) -> String {
        match width {
            1 => format!("'{value}'"),
            _ if width.is_multiple_of(4) => {
                format!("x\"{value:0digits$x}\"", digits = width as usize / 4)
            }
            _ => format!("{width}x\"{value:x}\""),
        }
    }

    fn signal(&self, signal: SignalId) -> String {
        let Signal { name, width, .. } = self.net.signal(signal);
        self.as_unsigned(signal, name.clone(), *width)
    }

    fn slice(&self, signal: SignalId, high: u32, low: u32) -> String {
        let Signal { name, width, .. } = self.net.signal(signal);
        let bits = high - low + 1;
        let text = match (bits, high) {
            (bits, _) if bits == *width => name.clone(),
            (1, bit) => format!("{name}({bit})"),
            _ => format!("{name}({high} downto {low})"),
        };
        self.as_unsigned(signal, text, bits)
    }

    fn operator(&self, infix: Infix, width: u32) -> &'static str {
        match (infix, width) {
            // One bit is a `std_logic`, which has no arithmetic.
            (Infix::Add | Infix::Sub, 1) | (Infix::Xor, _) => "xor",
            (Infix::Add, _) => "+",
            (Infix::Sub, _) => "-",
            (Infix::And, _) => "and",
            (Infix::Or, _) => "or",
        }
    }

    fn not(&self, x: &str) -> String {
        format!("not {x}")
    }

    fn concat(&self, parts: &[String]) -> String {
        match parts {
            [part] => part.clone(),
            _ => format!("unsigned'({})", parts.join(" & ")),
        }
    }

    fn choose(&self, condition: SignalId, then: &str, otherwise: &str) -> String {
        format!("{then} when {} else {otherwise}", self.all(&[condition]))
    }

    fn equals(&self, signal: SignalId, number: u32) -> String {
        let number = self.number(signal, number);
        format!("'1' when {} = {number} else '0'", self.signal(signal))
    }

    fn at_least(&self, signal: SignalId, number: u32) -> String {
        let number = self.number(signal, number);
        format!("'1' when {} >= {number} else '0'", self.signal(signal))
    }

    fn bit(&self, signal: SignalId, number: SignalId) -> String {
        format!("{}({})", self.net.signal(signal).name, self.integer(number))
    }

    fn one_hot(&self, number: SignalId, width: u32) -> String {
        format!("shift_left(to_unsigned(1, {width}), {})", self.integer(number))
    }

    fn byte_if(&self, bit: &str, byte: u8) -> String {
        let bits = (0..8).rev().map(|i| if byte >> i & 1 == 1 { bit } else { "'0'" });
        format!("unsigned'({})", bits.collect::<Vec<_>>().join(", "))
    }

    fn read(&self, memory: &Memory, address: SignalId) -> String {
        format!("{}({})", memory.name, self.integer(address))
    }

    fn rotated(&self, signal: SignalId, n: u32) -> String {
        let width = self.net.signal(signal).width;
        match n > width / 2 {
            true => format!("rotate_right({}, {})", self.signal(signal), width - n),
            false => format!("rotate_left({}, {n})", self.signal(signal)),
        }
    }

    fn shifted(&self, signal: SignalId, n: u32, left: bool) -> String {
        let function = if left { "shift_left" } else { "shift_right" };
        format!("{function}({}, {n})", self.signal(signal))
    }

    fn call(&self, function: ByteFunction, byte: &str) -> String {
        format!("{}({byte})", function.name())
    }

    fn as_type_of(&self, target: SignalId, expression: String) -> String {
        match self.vectors.contains(&target) {
            true => format!("std_logic_vector({expression})"),
            false => expression,
        }
    }
}

impl Vhdl<'_> {
    /// The number that a signal is.
    fn integer(&self, signal: SignalId) -> String {
        match self.net.signal(signal).width {
            1 => format!("to_integer(unsigned'(\"\" & {}))", self.signal(signal)),
            _ => format!("to_integer({})", self.signal(signal)),
        }
    }

    /// A number of a selector's width.
    fn number(&self, selector: SignalId, number: u32) -> String {
        match self.net.signal(selector).width {
            1 => format!("'{number}'"),
            width => format!("{width}d\"{number}\""),
        }
    }
}

impl Dialect for Vhdl<'_> {
    const COMMENT: &'static str = "--";

    fn spelling(&self) -> &dyn Spelling {
        self
    }

    fn header(&self, ports: &Ports<'_>) -> String {
        let port = |way: &str, (name, width): &(&str, u32)| match width {
            1 => format!("    {name} : {way} std_logic"),
            _ => format!("    {name} : {way} std_logic_vector({} downto 0)", width - 1),
        };
        let always = [("clk", 1), ("rst", 1)];
        let inputs = always.iter().chain(&ports.inputs).map(|input| port("in ", input));
        let outputs = ports.outputs.iter().map(|output| port("out", output));
        let all: Vec<String> = inputs.chain(outputs).collect();
        let (module, all) = (ports.module, all.join(";\n"));
        format!(
            "library ieee;\nuse ieee.std_logic_1164.all;\nuse ieee.numeric_std.all;\n\n\
             entity {module} is\n  port (\n{all}\n  );\nend entity {module};\n\n\
             architecture rtl of {module} is"
        )
    }

    fn word_type(&self, width: u32) -> Option<String> {
        Some(format!("  subtype word_t is unsigned({} downto 0);", width - 1))
    }

    fn function(&self, function: ByteFunction) -> String {
        let name = function.name();
        let body = match function {
            ByteFunction::Xtime => {
                // GHDL 2.0 does not synthesize "and" of a word and a bit.
                "  begin\n    return (b(6 downto 0) & '0')\n      xor unsigned'(\"000\" & b(7) & \
                 b(7) & '0' & b(7) & b(7));"
                    .to_owned()
            }
            ByteFunction::SBox => {
                let rows: Vec<u64> = function.table().collect();
                let row = |row: &[u64]| -> String {
                    row.iter().map(|y| format!("x\"{y:02x}\"")).collect::<Vec<_>>().join(", ")
                };
                let rows: Vec<String> = rows.chunks(8).map(row).collect();
                format!(
                    "    type table_t is array (0 to 255) of unsigned(7 downto 0);\n    \
                     constant table : table_t := (\n      {}\n    );\n  \
                     begin\n    return table(to_integer(b));",
                    rows.join(",\n      ")
                )
            }
        };
        format!(
            "  function {name}(b : unsigned(7 downto 0)) return unsigned is\n{body}\n  \
             end function {name};"
        )
    }

    fn declaration(&self, signal: &Signal, word: Option<u32>) -> String {
        let Signal { name, width, .. } = signal;
        let is_vector = self.vectors.iter().any(|&id| self.net.signal(id).name == *name);
        match width {
            1 => format!("  signal {name} : std_logic;"),
            _ if is_vector => {
                format!("  signal {name} : std_logic_vector({} downto 0);", width - 1)
            }
            _ if word == Some(*width) => format!("  signal {name} : word_t;"),
            _ => format!("  signal {name} : unsigned({} downto 0);", width - 1),
        }
    }

    fn memory(&self, memory: &Memory) -> String {
        let Memory { name, depth, width, .. } = memory;
        let word = match width {
            1 => "std_logic".to_owned(),
            _ => format!("unsigned({} downto 0)", width - 1),
        };
        format!(
            "  type {name}_t is array (0 to {}) of {word};\n  signal {name} : {name}_t;",
            depth - 1
        )
    }

    fn begin(&self) -> Option<&'static str> {
        Some("begin")
    }

    fn assign(&self, name: &str, value: &str) -> String {
        format!("  {name} <= {value};")
    }

    fn select(&self, target: &Signal, selector: SignalId, arms: &[(Vec<u32>, String)]) -> String {
        let mut out = format!("  with {} select {} <=", self.signal(selector), target.name);
        for (i, (numbers, value)) in arms.iter().enumerate() {
            let numbers: Vec<String> =
                numbers.iter().map(|&number| self.number(selector, number)).collect();
            let _ = match i == arms.len() - 1 {
                true => write!(out, "\n    {value} when others;"),
                false => write!(out, "\n    {value} when {},", numbers.join(" | ")),
            };
        }
        out
    }

    fn instance(&self, instance: &Instance) -> String {
        let common = ["clk", "rst"].map(|name| format!("      {name} => {name}"));
        let connected = instance.ports.iter();
        let connected =
            connected.map(|(port, id)| format!("      {port} => {}", self.net.signal(*id).name));
        let ports: Vec<String> = common.into_iter().chain(connected).collect();
        format!(
            "  {} : entity work.{}\n    port map (\n{}\n    );",
            instance.name,
            instance.module,
            ports.join(",\n")
        )
    }

    fn write(&self, memory: &Memory) -> String {
        format!(
            "  process (clk) begin\n    if rising_edge(clk) then\n      if {} then\n        \
             {}({}) <= {};\n      end if;\n    end if;\n  end process;",
            self.all(&[memory.write]),
            memory.name,
            self.integer(memory.address),
            self.signal(memory.data)
        )
    }

    fn registers(&self, registers: &Registers, reset: Reset) -> String {
        let Registers { reset: is_reset, zero, enables, takes } = registers;
        let assigned = |indent: usize, value: fn(&NextValue) -> &str| -> String {
            let line =
                |take: &NextValue| format!("{:indent$}{} <= {};\n", "", take.name, value(take));
            takes.iter().map(line).collect()
        };
        // At the clock's edge: zeros under the first conditions, next values under the last.
        let zero = zero.map(|zero| self.all(&[zero]));
        let cleared = match (is_reset, reset) {
            (true, Reset::Sync) => {
                Some(["rst = '1'".to_owned()].into_iter().chain(zero).collect::<Vec<_>>())
            }
            (true, Reset::Async) | (false, _) => zero.map(|zero| vec![zero]),
        };
        let zeros = |indent: usize| assigned(indent, |take| &take.zero);
        let nexts = |indent: usize| assigned(indent, |take| &take.next);
        let goes = (!enables.is_empty()).then(|| self.all(enables));
        let at_edge = match (cleared.map(|any| any.join(" or ")), goes) {
            (None, None) => nexts(6),
            (None, Some(goes)) => format!("      if {goes} then\n{}      end if;\n", nexts(8)),
            (Some(cleared), goes) => {
                let otherwise = goes.map_or("else".to_owned(), |goes| format!("elsif {goes} then"));
                format!(
                    "      if {cleared} then\n{}      {otherwise}\n{}      end if;\n",
                    zeros(8),
                    nexts(8)
                )
            }
        };
        let (sensitive, body) = match (is_reset, reset) {
            (false, _) | (true, Reset::Sync) => {
                ("clk", format!("    if rising_edge(clk) then\n{at_edge}    end if;\n"))
            }
            (true, Reset::Async) => {
                let body = format!(
                    "    if rst = '1' then\n{}    elsif rising_edge(clk) then\n{at_edge}    end \
                     if;\n",
                    zeros(6),
                );
                ("clk, rst", body)
            }
        };
        format!("  process ({sensitive}) begin\n{body}  end process;")
    }

    fn output(&self, name: &str, signal: SignalId) -> String {
        let Signal { name: carried, width, .. } = self.net.signal(signal);
        match *width == 1 || self.vectors.contains(&signal) {
            true => format!("  {name} <= {carried};"),
            false => format!("  {name} <= std_logic_vector({carried});"),
        }
    }

    fn footer(&self, _: &str) -> String {
        "end architecture rtl;".to_owned()
    }
}
