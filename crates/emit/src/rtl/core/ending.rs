//! The output side of a core: the operations after the rounds, and the output ports.

use super::chaining::Chain;
use super::datapath::Datapath;
use super::inputs::Carried;
use super::last::LastWords;
use super::mode::ByMode;
use crate::rtl::modes;
use crate::rtl::netlist::{Driver, Expr, SignalId, Value};
use manylane_graph::{NodeId, Op};
use std::collections::HashMap;

/// The operations after the rounds, all of whose inputs are taken in one clock.
struct Ending<'d, 'm> {
    path: &'d mut Datapath<'m>,
    section: usize,
    /// The clock in which the inputs are taken.
    time: i64,
    /// Nodes of the compression, the words after the last turn first.
    known: HashMap<NodeId, Value>,
    /// The chaining value, if it comes out of memory.
    chain: Option<Chain>,
}

/// Makes the last words, the ending and the output ports. Returns the clock of the ending, counted
/// from the end of the last stage.
pub(super) fn finish(path: &mut Datapath<'_>) -> i64 {
    let section = path.net.section("Ending");
    let (known, last) = LastWords::make(path, section);
    let clock = last + 1;
    let time = path.times().end() + clock;
    let mut ending = Ending { path, section, time, known, chain: None };
    let words = ending.words();
    if !ending.path.asked().options.modes.is_empty() {
        ending.digest(&words);
    }
    ending.concatenated("chain", "out_chain", &words);
    let tag = ending.path.carried(Carried::Tag, time);
    let bits = ending.path.asked().options.tag_bits;
    let tag = ending.path.net.register(section, "out_tag_r", bits, tag, None);
    offer(path, clock);
    path.net.output("out_tag", tag);
    clock
}

/// The handshake of the output.
fn offer(path: &mut Datapath<'_>, clock: i64) {
    let control = path.net.section("Control");
    let stages = path.times().stages;
    let done = path.start_at(stages, clock);
    let valid = path.net.flag(control, "valid", Expr::Value(done.into()));
    let ending: Vec<SignalId> = (1..=clock).map(|clocks| path.start_at(stages, clocks)).collect();
    path.control.busy.extend(ending.into_iter().chain([valid]));
    let ready = path.net.add(control, "out_ready", 1, Driver::Input);
    let waits = Expr::Op(Op::Not, vec![valid.into()]);
    let empty = path.net.wire(control, "empty", 1, waits);
    let moves = Expr::Op(Op::Or, vec![empty.into(), ready.into()]);
    path.net.drive(path.control.enable, moves);
    path.net.output("out_valid", valid);
}

impl Ending<'_, '_> {
    /// The words of the new chaining value, each in its register.
    fn words(&mut self) -> Vec<SignalId> {
        let compression = self.path.asked().compression();
        let word = |output: &manylane_graph::ir::Output| {
            let value = self.node(output.value);
            let (name, width) =
                (format!("out_{}", output.name), compression.width(output.value).into());
            self.path.net.register(self.section, &name, width, value, None)
        };
        compression.outputs().iter().map(word).collect()
    }

    /// A node after the rounds.
    fn node(&mut self, node: NodeId) -> Value {
        if let Some(&value) = self.known.get(&node) {
            return value;
        }
        let asked = self.path.asked();
        let value = match asked.compression().op(node) {
            Op::Const(value) => Value::Const(value),
            Op::Input(_) if asked.is_chained(node) => self.chained(node).into(),
            Op::Input(_) => self.path.input_at(node, self.time),
            op => {
                let args = asked.compression().args(node).iter();
                let args = args.map(|&arg| self.node(arg)).collect();
                let (name, width) = (format!("end_{}{}", op.name(), node.0), asked.width(node));
                self.path.net.wire(self.section, &name, width, Expr::Op(op, args)).into()
            }
        };
        self.known.insert(node, value);
        value
    }

    /// A word of the chaining value out of memory.
    fn chained(&mut self, node: NodeId) -> SignalId {
        let path = &mut *self.path;
        let asked = path.asked();
        let chain = match self.chain {
            Some(known) => known,
            None => path.chain(self.time),
        };
        self.chain = Some(chain);
        chain.word(asked, &mut path.net, node)
    }

    /// The mode of the result, and the digest of that mode.
    fn digest(&mut self, words: &[SignalId]) {
        let modes = &self.path.asked().options.modes;
        let mode = self.path.carried(Carried::Mode, self.time);
        let net = &mut self.path.net;
        let mode = net.register(self.section, "out_mode_r", modes::bits(modes.len()), mode, None);
        net.output("out_mode", mode);
        let by_mode = ByMode { modes, mode };
        let words = words.iter().copied().enumerate();
        let words: Vec<SignalId> =
            words.map(|word| by_mode.masked(net, self.section, word)).collect();
        self.concatenated("digest", "out_digest", &words);
    }

    /// An output of words side by side.
    fn concatenated(&mut self, name: &str, output: &str, words: &[SignalId]) {
        let net = &mut self.path.net;
        let bits = words.iter().map(|&word| net.signal(word).width).sum();
        let all = net.wire(self.section, name, bits, Expr::Concat(words.to_vec()));
        net.output(output, all);
    }
}
