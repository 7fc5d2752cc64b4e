//! What goes in and comes out: ports, inputs as they are kept, the words after the last turn.

use super::choice::merged;
use super::{Core, Key, MODE, Maker, TAG};
use crate::rtl::modes;
use crate::rtl::netlist::{Driver, Expr, SignalId, Value};
use manylane_graph::ir::Input;
use manylane_graph::{NodeId, Op, Role};
use std::collections::HashMap;

impl<'m> Maker<'m> {
    /// The input ports, and the handshake's two signals.
    pub(super) fn open(&mut self) -> (Vec<(&'static str, Vec<NodeId>)>, SignalId, SignalId) {
        let section = self.net.section("Inputs");
        let valid = self.net.add(section, "in_valid", 1, Driver::Input);
        let ready = self.net.add(section, "ready", 1, Driver::Wire(Expr::Value(Value::Const(0))));
        self.net.output("in_ready", ready);
        let tag = self.net.add(section, "in_tag", self.options.tag_bits, Driver::Input);
        self.ports.insert(TAG, tag);
        let first = (!self.options.modes.is_empty()).then(|| {
            let bits = modes::bits(self.options.modes.len());
            let mode = self.net.add(section, "in_mode", bits, Driver::Input);
            self.ports.insert(MODE, mode);
            self.net.add(section, "in_first", 1, Driver::Input)
        });
        let mut ports = Vec::new();
        let roles = [
            ("in_chain", &[Role::Chaining][..]),
            ("in_block", &[Role::Message][..]),
            ("in_counter", &[Role::Counter, Role::Key, Role::Constant][..]),
        ];
        for (name, roles) in roles {
            let inputs = self.compression.inputs().iter();
            let inputs: Vec<_> = inputs.filter(|input| roles.contains(&input.role)).collect();
            if inputs.is_empty() {
                continue;
            }
            if self.ram.is_some() && roles.contains(&Role::Message) {
                ports.push((Core::WORD, self.open_words(section)));
                continue;
            }
            let widths = inputs.iter().map(|input| u32::from(self.compression.width(input.node)));
            let mut low: u32 = widths.sum();
            let port = self.net.add(section, name, low, Driver::Input);
            for input in &inputs {
                let width = u32::from(self.compression.width(input.node));
                low -= width;
                let slice = Expr::Slice(port, low);
                let signal = match (first, roles) {
                    (Some(first), [Role::Chaining]) => self.started(section, input, first, slice),
                    _ => self.net.add(section, &input.name, width, Driver::Wire(slice)),
                };
                self.ports.insert(input.node, signal);
            }
            ports.push((name, inputs.iter().map(|input| input.node).collect()));
        }
        (ports, valid, ready)
    }

    /// A word of the chaining value: that of the port, or for a message's first block that of the
    /// mode.
    fn started(&mut self, section: usize, input: &Input, first: SignalId, given: Expr) -> SignalId {
        let (i, width) = (self.started.len(), u32::from(self.compression.width(input.node)));
        let given = self.wire(section, &format!("given_{}", input.name), width, given);
        let mode = self.ports[&MODE];
        let arms = self.options.modes.iter().map(|mode| Value::Const(mode.initial[i]));
        let then = self.by_mode(section, &format!("first_{}", input.name), width, mode, arms);
        let chosen = Expr::Choose { condition: first, then, otherwise: given };
        let signal = self.net.add(section, &input.name, width, Driver::Wire(chosen));
        self.started.push(signal);
        signal
    }

    /// One of the values, by the mode. A number that is no mode's chooses the last.
    fn by_mode(
        &mut self,
        section: usize,
        name: &str,
        width: u32,
        mode: SignalId,
        values: impl Iterator<Item = Value>,
    ) -> Value {
        let last = self.options.modes.len() as u32 - 1;
        let mut arms = merged((0..).map(|n| vec![n]).zip(values).collect());
        arms.sort_by_key(|(modes, _)| modes.contains(&last));
        match arms[..] {
            [(_, value)] => value,
            _ => self.wire(section, name, width, Expr::Select { selector: mode, arms }),
        }
    }

    /// The mode of the result, and the digest of that mode.
    fn digest(&mut self, section: usize, time: i64, parts: &[(SignalId, u32)]) {
        let bits = modes::bits(self.options.modes.len());
        let mode = self.input_at(MODE, time);
        let Value::Signal(mode) = self.register(section, "out_mode_r", bits, mode, None) else {
            unreachable!("registers are signals")
        };
        self.net.output("out_mode", mode);
        let words = parts.iter().enumerate().map(|(i, &(word, width))| {
            let masks = self.options.modes.iter().map(|mode| Value::Const(mode.mask[i]));
            match self.by_mode(section, &format!("mask{i}"), width, mode, masks) {
                Value::Const(mask) if mask == u64::MAX >> (64 - width) => word,
                mask => {
                    let masked = Expr::Op(Op::And, vec![Value::Signal(word), mask]);
                    self.net.add(section, &format!("digest{i}"), width, Driver::Wire(masked))
                }
            }
        });
        let words = words.collect();
        let bits = parts.iter().map(|(_, width)| width).sum();
        let digest = self.net.add(section, "digest", bits, Driver::Wire(Expr::Concat(words)));
        self.net.output("out_digest", digest);
    }

    /// The last words, the ending and the output ports. Returns the ending's clock, counted from
    /// the end of the last stage.
    pub(super) fn finish(&mut self, control: usize) -> i64 {
        let section = self.net.section("Ending");
        let (mut words, last) = self.last_words(section);
        let end = last + 1;
        let time = self.end() + end;
        let mut parts = Vec::new();
        for output in self.compression.outputs() {
            let value = self.ending(output.value, time, section, &mut words);
            let width = self.compression.width(output.value).into();
            let name = format!("out_{}", output.name);
            let register = self.register(section, &name, width, value, None);
            let Value::Signal(register) = register else { unreachable!("registers are signals") };
            parts.push((register, width));
        }
        if !self.options.modes.is_empty() {
            self.digest(section, time, &parts);
        }
        let bits = parts.iter().map(|(_, width)| width).sum();
        let parts = parts.into_iter().map(|(register, _)| register).collect();
        let chain = self.net.add(section, "chain", bits, Driver::Wire(Expr::Concat(parts)));
        self.net.output("out_chain", chain);
        let tag = self.input_at(TAG, time);
        let tag = self.register(section, "out_tag_r", self.options.tag_bits, tag, None);
        let done = self.start_at(self.stages, end);
        let valid = Driver::Register {
            next: Some(Expr::Value(Value::Signal(done))),
            load: None,
            reset: true,
        };
        let valid = self.net.add(control, "valid", 1, valid);
        let ending: Vec<SignalId> =
            (1..=end).map(|clocks| self.start_at(self.stages, clocks)).collect();
        self.busy.extend(ending.into_iter().chain([valid]));
        let ready = self.net.add(control, "out_ready", 1, Driver::Input);
        let waits = Expr::Op(Op::Not, vec![Value::Signal(valid)]);
        let empty = self.wire(control, "empty", 1, waits);
        let moves = Expr::Op(Op::Or, vec![empty, Value::Signal(ready)]);
        self.net.drive(self.enable, moves);
        self.net.output("out_valid", valid);
        if let Value::Signal(tag) = tag {
            self.net.output("out_tag", tag);
        }
        end
    }

    /// A node after the rounds, all of whose inputs are taken in clock `time`.
    pub(super) fn ending(
        &mut self,
        node: NodeId,
        time: i64,
        section: usize,
        known: &mut HashMap<NodeId, Value>,
    ) -> Value {
        if let Some(&value) = known.get(&node) {
            return value;
        }
        let value = match self.compression.op(node) {
            Op::Const(value) => Value::Const(value),
            Op::Input(_) if self.is_chained(node) => self.chained(node, time),
            Op::Input(_) => self.input_at(node, time),
            op => {
                let args = self.compression.args(node).to_vec();
                let args = args.into_iter().map(|arg| self.ending(arg, time, section, known));
                let args = args.collect();
                let name = format!("end_{}{}", op.name(), node.0);
                let width = self.compression.width(node).into();
                self.wire(section, &name, width, Expr::Op(op, args))
            }
        };
        known.insert(node, value);
        value
    }

    /// A node before the rounds, in clock `time`.
    pub(super) fn opening(&mut self, node: NodeId, time: i64) -> Value {
        match self.compression.op(node) {
            Op::Const(value) => return Value::Const(value),
            Op::Input(_) => return self.input_at(node, time),
            _ => {}
        }
        let key = (Key::Common(node), usize::MAX, time);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let op = self.compression.op(node);
        let args = self.compression.args(node).to_vec();
        let args = args.into_iter().map(|arg| self.opening(arg, time)).collect();
        let section = self.net.section("Opening");
        let width = self.compression.width(node).into();
        let name = format!("open_{}{}", op.name(), node.0);
        let value = self.wire(section, &name, width, Expr::Op(op, args));
        self.known.insert(key, value);
        value
    }

    /// An input of the compression in clock `time`: the port itself in clock 0, a register later.
    pub(super) fn input_at(&mut self, node: NodeId, time: i64) -> Value {
        assert!(time >= 0, "nothing is there before it is taken");
        if self.is_in_ram(node) {
            return self.word_at(node, time);
        }
        let is_in_window = self.sequence.contains_key(&node);
        match time {
            0 => Value::Signal(self.ports[&node]),
            // Words of a message schedule's window are not kept elsewhere.
            _ if is_in_window => {
                let before = self.input_at(node, time - 1);
                let key = (Key::Common(node), usize::MAX, time);
                self.delayed(key, before)
            }
            _ => Value::Signal(self.kept((time as usize - 1) / self.clocks, node)),
        }
    }

    /// An input as it is kept for stage `stage`.
    pub(super) fn kept(&mut self, stage: usize, node: NodeId) -> SignalId {
        if let Some(&known) = self.kept.get(&(stage, node)) {
            return known;
        }
        let from = match stage {
            0 => self.ports[&node],
            _ => self.kept(stage - 1, node),
        };
        let load = Some(self.kept_from(stage));
        let section = self.section_of(stage);
        let name = match (node, self.compression_input(node)) {
            (MODE, _) => "mode",
            (_, name) => name.unwrap_or("tag"),
        };
        let name = format!("kept{stage}_{name}");
        let width = self.net.signal(from).width;
        let register = self.register(section, &name, width, Value::Signal(from), load);
        let Value::Signal(register) = register else { unreachable!("registers are signals") };
        self.kept.insert((stage, node), register);
        register
    }

    pub(super) fn compression_input(&self, node: NodeId) -> Option<&str> {
        let mut inputs = self.compression.inputs().iter();
        inputs.find(|input| input.node == node).map(|input| input.name.as_str())
    }
}
