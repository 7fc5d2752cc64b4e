//! A netlist as Verilog-2001, which every tool reads.

use super::netlist::{Driver, Expr, Instance, Netlist, Signal, SignalId, Value};
use manylane_graph::Op;
use std::fmt::Write;

/// The text of a module. `title` is its first comment.
pub fn verilog(net: &Netlist, title: &str) -> String {
    let mut text = Text { net, out: String::new() };
    text.write(title);
    text.out
}

struct Text<'n> {
    net: &'n Netlist,
    out: String,
}

impl Text<'_> {
    fn write(&mut self, title: &str) {
        for line in title.lines() {
            self.line(&format!("// {line}"));
        }
        self.line("`timescale 1ns / 1ps");
        self.line("`default_nettype none");
        self.line("");
        let net = self.net;
        self.line(&format!("module {} (", net.name));
        let mut ports = vec!["    input  wire clk".to_owned(), "    input  wire rst".to_owned()];
        for (_, signal) in net.signals().filter(|(_, s)| s.driver == Driver::Input) {
            ports.push(format!("    input  wire {}{}", range(signal.width), signal.name));
        }
        for (name, signal) in net.outputs() {
            ports.push(format!("    output wire {}{name}", range(net.signal(*signal).width)));
        }
        self.line(&ports.join(",\n"));
        self.line(");");
        let boxed = net
            .signals()
            .any(|(_, s)| matches!(&s.driver, Driver::Wire(Expr::Op(Op::SubBytes, _))));
        if boxed {
            self.s_box();
        }
        for (section, title) in net.sections().iter().enumerate() {
            self.declarations(section, title);
        }
        for (section, title) in net.sections().iter().enumerate() {
            self.logic(section, title);
        }
        self.line("");
        for (name, signal) in net.outputs() {
            self.line(&format!("  assign {name} = {};", net.signal(*signal).name));
        }
        self.line("endmodule");
        self.line("");
        self.line("`default_nettype wire");
    }

    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn declarations(&mut self, section: usize, title: &str) {
        self.line(&format!("\n  // {title}: signals"));
        let net = self.net;
        for (_, signal) in net.signals().filter(|(_, signal)| signal.section == section) {
            match &signal.driver {
                Driver::Input => {}
                Driver::Wire(Expr::Select { .. }) | Driver::Register { .. } => {
                    self.line(&format!("  reg  {}{};", range(signal.width), signal.name));
                }
                Driver::Wire(_) | Driver::Instance => {
                    self.line(&format!("  wire {}{};", range(signal.width), signal.name));
                }
            }
        }
        for memory in net.memories().iter().filter(|memory| memory.section == section) {
            let (name, last) = (&memory.name, memory.depth - 1);
            self.line(&format!("  reg  {}{name} [0:{last}];", range(memory.width)));
        }
    }

    fn logic(&mut self, section: usize, title: &str) {
        self.line(&format!("\n  // {title}"));
        let signals: Vec<(SignalId, &Signal)> =
            self.net.signals().filter(|(_, signal)| signal.section == section).collect();
        for (_, signal) in &signals {
            if let Driver::Wire(expr) = &signal.driver {
                self.wire(signal, expr);
            }
        }
        for memory in self.net.memories().iter().filter(|m| m.section == section) {
            let [write, address, data] = [memory.write, memory.address, memory.data];
            let (write, address, data) = (self.name(write), self.name(address), self.name(data));
            self.line(&format!(
                "  always @(posedge clk)\n    if ({write}) {}[{address}] <= {data};",
                memory.name
            ));
        }
        for instance in self.net.instances().iter().filter(|i| i.section == section) {
            self.instance(instance);
        }
        self.registers(&signals);
    }

    fn instance(&mut self, instance: &Instance) {
        let common = ["clk", "rst"].map(|name| format!("    .{name}({name})"));
        let connected = instance
            .ports
            .iter()
            .map(|(port, signal)| format!("    .{port}({})", self.name(*signal)));
        let ports: Vec<String> = common.into_iter().chain(connected).collect();
        let Instance { module, name, .. } = instance;
        self.line(&format!("  {module} {name} (\n{}\n  );", ports.join(",\n")));
    }

    fn wire(&mut self, signal: &Signal, expr: &Expr) {
        let Expr::Select { selector, arms } = expr else {
            let value = self.expr(expr, signal.width);
            self.line(&format!("  assign {} = {value};", signal.name));
            return;
        };
        let selector = self.net.signal(*selector);
        self.line(&format!("  always @* case ({})", selector.name));
        for (i, (values, value)) in arms.iter().enumerate() {
            let value = self.value(*value, signal.width);
            if i == arms.len() - 1 {
                self.line(&format!("    default: {} = {value};", signal.name));
            } else {
                let values: Vec<String> =
                    values.iter().map(|v| format!("{}'d{v}", selector.width)).collect();
                self.line(&format!("    {}: {} = {value};", values.join(", "), signal.name));
            }
        }
        self.line("  endcase");
    }

    fn registers(&mut self, signals: &[(SignalId, &Signal)]) {
        let mut resets = Vec::new();
        let mut takes = Vec::new();
        let mut loads: Vec<(SignalId, Vec<String>)> = Vec::new();
        for (_, signal) in signals {
            let Driver::Register { next, load, reset } = &signal.driver else { continue };
            let next = next.as_ref().map(|next| self.expr(next, signal.width));
            let take = format!("{} <= {};", signal.name, next.expect("registers are connected"));
            if *reset {
                let zero = self.value(Value::Const(0), signal.width);
                resets.push((format!("{} <= {zero};", signal.name), take));
            } else if let Some(load) = load {
                match loads.iter_mut().find(|(known, _)| known == load) {
                    Some((_, takes)) => takes.push(take),
                    None => loads.push((*load, vec![take])),
                }
            } else {
                takes.push(take);
            }
        }
        if !resets.is_empty() {
            self.line("  always @(posedge clk)\n    if (rst) begin");
            resets.iter().for_each(|(reset, _)| self.line(&format!("      {reset}")));
            match self.enabled(None) {
                Some(condition) => self.line(&format!("    end else if ({condition}) begin")),
                None => self.line("    end else begin"),
            }
            resets.iter().for_each(|(_, take)| self.line(&format!("      {take}")));
            self.line("    end");
        }
        let takes = std::iter::once((None, takes)).filter(|(_, takes)| !takes.is_empty());
        let loads = loads.into_iter().map(|(load, takes)| (Some(load), takes));
        for (load, takes) in takes.chain(loads) {
            let condition = self.enabled(load);
            let when = condition.map_or(String::new(), |condition| format!("if ({condition}) "));
            self.line(&format!("  always @(posedge clk)\n    {when}begin"));
            takes.iter().for_each(|take| self.line(&format!("      {take}")));
            self.line("    end");
        }
    }

    /// When registers with this load take a value, if not always.
    fn enabled(&self, load: Option<SignalId>) -> Option<String> {
        let conditions = self.net.enable.into_iter().chain(load);
        let conditions: Vec<&str> = conditions.map(|signal| self.name(signal)).collect();
        (!conditions.is_empty()).then(|| conditions.join(" && "))
    }

    fn name(&self, signal: SignalId) -> &str {
        &self.net.signal(signal).name
    }

    fn value(&self, value: Value, width: u32) -> String {
        match value {
            Value::Signal(signal) => self.name(signal).to_owned(),
            Value::Const(value) => {
                format!("{width}'h{value:0digits$x}", digits = width.div_ceil(4) as usize)
            }
        }
    }

    fn expr(&self, expr: &Expr, width: u32) -> String {
        match expr {
            Expr::Value(value) => self.value(*value, width),
            Expr::Op(op, args) => self.op(*op, args, width),
            Expr::Choose { condition, then, otherwise } => format!(
                "{} ? {} : {}",
                self.name(*condition),
                self.value(*then, width),
                self.value(*otherwise, width)
            ),
            Expr::Select { .. } => unreachable!("a selection has a signal of its own"),
            Expr::Equals(signal, value) => {
                format!("{} == {}'d{value}", self.name(*signal), self.net.signal(*signal).width)
            }
            Expr::AtLeast(signal, value) => {
                format!("{} >= {}'d{value}", self.name(*signal), self.net.signal(*signal).width)
            }
            Expr::Bit(signal, index) => format!("{}[{}]", self.name(*signal), self.name(*index)),
            Expr::OneHot(index) => format!("{width}'d1 << {}", self.name(*index)),
            Expr::Bytes(bits, byte) => {
                let name = self.name(*bits);
                let byte = |i| format!("{{8{{{name}[{i}]}}}} & 8'h{byte:02x}");
                let bytes: Vec<String> = (0..width / 8).rev().map(byte).collect();
                format!("{{{}}}", bytes.join(", "))
            }
            Expr::Read(memory, address) => {
                format!("{}[{}]", self.net.memory_of(*memory).name, self.name(*address))
            }
            Expr::Slice(signal, low) => {
                format!("{}[{}:{low}]", self.name(*signal), low + width - 1)
            }
            Expr::Concat(parts) => {
                let parts: Vec<&str> = parts.iter().map(|&part| self.name(part)).collect();
                format!("{{{}}}", parts.join(", "))
            }
        }
    }

    fn op(&self, op: Op, args: &[Value], width: u32) -> String {
        let arg = |i: usize| self.value(args[i], width);
        let joined = |operator: &str| {
            let args: Vec<String> = args.iter().map(|&arg| self.value(arg, width)).collect();
            args.join(&format!(" {operator} "))
        };
        match op {
            Op::Add => joined("+"),
            Op::Sub => joined("-"),
            Op::And => joined("&"),
            Op::Or => joined("|"),
            Op::Xor => joined("^"),
            Op::Xnor => format!("~({})", joined("^")),
            Op::Not => format!("~{}", arg(0)),
            Op::Rotl(n) => self.rotated(args[0], u32::from(n), width),
            Op::Rotr(n) => self.rotated(args[0], width - u32::from(n), width),
            Op::Shl(n) => format!("{} << {n}", arg(0)),
            Op::Shr(n) => format!("{} >> {n}", arg(0)),
            Op::Lut3(table) => self.table(table, [arg(0), arg(1), arg(2)], width),
            Op::SwapBytes => {
                let bytes: Vec<String> = (0..width / 8)
                    .map(|i| format!("{}[{}:{}]", arg(0), 8 * i + 7, 8 * i))
                    .collect();
                format!("{{{}}}", bytes.join(", "))
            }
            Op::SubBytes => self.bytes(args[0], width, |byte| format!("s_box({byte})")),
            Op::Xtime => {
                let x = arg(0);
                let bits: Vec<String> = (0..width / 8)
                    .rev()
                    .map(|i| {
                        let (high, low) = (8 * i + 7, 8 * i);
                        let rest = format!("{x}[{}:{low}]", high - 1);
                        format!("{{{rest}, 1'b0}} ^ ({{8{{{x}[{high}]}}}} & 8'h1b)")
                    })
                    .collect();
                format!("{{{}}}", bits.join(", "))
            }
            Op::Carry
            | Op::RotlVar
            | Op::RotrVar
            | Op::Input(_)
            | Op::Const(_)
            | Op::Call(_)
            | Op::External
            | Op::Result(_) => unreachable!("no compression of a hash has {op:?}"),
        }
    }

    fn bytes(&self, value: Value, width: u32, f: impl Fn(String) -> String) -> String {
        let x = self.value(value, width);
        let bytes = (0..width / 8).rev().map(|i| f(format!("{x}[{}:{}]", 8 * i + 7, 8 * i)));
        format!("{{{}}}", bytes.collect::<Vec<_>>().join(", "))
    }

    fn rotated(&self, value: Value, n: u32, width: u32) -> String {
        match value {
            Value::Const(value) => {
                let turned = (value << n | value >> (width - n)) & u64::MAX >> (64 - width);
                self.value(Value::Const(turned), width)
            }
            Value::Signal(signal) => {
                let x = self.name(signal);
                format!("{{{x}[{}:0], {x}[{}:{}]}}", width - n - 1, width - 1, width - n)
            }
        }
    }

    /// The sum of the table's minterms, or of the others, complemented.
    fn table(&self, table: u8, args: [String; 3], width: u32) -> String {
        let minterm = |i: u8| {
            let factor = |(k, arg): (usize, &String)| match i >> (2 - k) & 1 {
                1 => arg.clone(),
                _ => format!("~{arg}"),
            };
            format!("({})", args.iter().enumerate().map(factor).collect::<Vec<_>>().join(" & "))
        };
        let terms: Vec<String> = (0..8).filter(|i| table >> i & 1 == 1).map(minterm).collect();
        match terms.is_empty() {
            true => self.value(Value::Const(0), width),
            false => terms.join(" | "),
        }
    }

    fn s_box(&mut self) {
        self.line("\n  // FIPS 197, Figure 7");
        self.line("  function [7:0] s_box(input [7:0] x);\n    case (x)");
        for x in 0..=255_u64 {
            let y = manylane_graph::interpret::evaluate(Op::SubBytes, 8, &[x]);
            let _ = writeln!(self.out, "      8'h{x:02x}: s_box = 8'h{y:02x};");
        }
        self.line("    endcase\n  endfunction");
    }
}

fn range(width: u32) -> String {
    match width {
        1 => String::new(),
        _ => format!("[{}:0] ", width - 1),
    }
}
