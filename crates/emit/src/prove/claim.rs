//! The claim: what a core does with a block, and the walk through its clocks that shows it.

use super::cut::Cuts;
use super::definition::Definition;
use super::statement::{Claim, Error};
use super::term::TermId;
use super::unroll::{Carried, Unroll};
use crate::rtl::{Driver, Expr, Netlist, SignalId, Value};
use manylane_graph::{Op, Role};
use std::collections::{HashMap, HashSet};

/// A walk through the clocks.
pub(super) struct Walk<'c> {
    pub(super) claim: &'c Claim<'c>,
    pub(super) cuts: Cuts,
    pub(super) definition: Definition,
    pub(super) unroll: Unroll<'c>,
    /// The tag that comes with the block.
    pub(super) tag: TermId,
    /// For each register of control that is 1 only because of blocks, the clocks of a block in
    /// which it is 1.
    pub(super) marks: HashMap<SignalId, Vec<u32>>,
    /// The faults of the words that come out.
    pub(super) wrong: Vec<Wrong>,
}

/// A word that comes out wrong.
#[derive(Clone, Debug)]
pub(super) struct Wrong {
    /// The number of the word in the chaining value.
    pub(super) word: usize,
    /// What the signal carries instead.
    pub(super) carried: Carried,
}

impl<'c> Walk<'c> {
    /// Follows a block through the core.
    ///
    /// # Errors
    /// If the control does not do what the claim says, or a signal cannot be followed.
    pub(super) fn new(claim: &'c Claim<'c>, refuted: &HashSet<String>) -> Result<Self, Error> {
        let net = &claim.core.netlist;
        claim.waits()?;
        claim.starts()?;
        let mut cuts = Cuts::without(refuted.clone());
        let definition = Definition::new(claim.definition, &mut cuts);
        let tag_port = claim.input("in_tag")?;
        let tag = cuts.terms.free(net.signal(tag_port).width);
        let mut given_at = HashMap::from([((tag_port, 0), Carried::Words(vec![tag]))]);
        for (port, words) in claim.inputs()? {
            let words = words.iter().map(|&word| definition.inputs[word]).collect();
            given_at.insert((port, 0), Carried::Words(words));
        }
        // The check of what a block starts from is in `starts`.
        let chaining = claim.chaining();
        for (&word, &term) in
            claim.core.started.iter().zip(chaining.iter().map(|&i| &definition.inputs[i]))
        {
            given_at.insert((word, 0), Carried::Words(vec![term]));
        }
        let mode = match claim.core.modes.len() {
            0 => None,
            _ => {
                let port = claim.input("in_mode")?;
                let mode = cuts.terms.free(net.signal(port).width);
                given_at.insert((port, 0), Carried::Words(vec![mode]));
                Some(mode)
            }
        };
        for taken in [claim.input("in_valid")?, claim.output("in_ready")?] {
            let implied = implied(net, taken).into_iter();
            given_at.extend(implied.map(|(signal, bit)| ((signal, 0), Carried::Few([bit].into()))));
        }
        let mut given: HashMap<SignalId, u64> =
            net.enable.iter().map(|&enable| (enable, 1)).collect();
        if claim.core.clears {
            given.insert(claim.input("clear")?, 0);
        }
        let marks = claim.marks(&mut cuts, Unroll::new(net, given.clone(), given_at.clone()))?;
        // A block that came before has left its first clocks when this one is taken.
        let first = 1..claim.core.cycles_per_block as u32;
        for (&register, clocks) in &marks {
            if clocks.iter().all(|clock| first.contains(clock)) {
                given_at.insert((register, 0), Carried::Few([0].into()));
            }
        }
        let unroll = Unroll::new(net, given, given_at);
        let mut walk = Self { claim, cuts, definition, unroll, tag, marks, wrong: Vec::new() };
        walk.chain()?;
        if walk.wrong.is_empty() {
            let latency = claim.core.latency as u32;
            walk.expect("out_valid", latency, &Carried::Few([1].into()), "1")?;
            walk.expect(
                "out_tag",
                latency,
                &Carried::Words(vec![tag]),
                "the tag that came with the block",
            )?;
            if let Some(mode) = mode {
                let due = Carried::Words(vec![mode]);
                walk.expect("out_mode", latency, &due, "the mode that came with the block")?;
            }
            for clock in 1..claim.core.cycles_per_block as u32 {
                walk.expect("in_ready", clock, &Carried::Few([0].into()), "0")?;
            }
        }
        Ok(walk)
    }

    /// Compares what comes out with the definition.
    fn chain(&mut self) -> Result<(), Error> {
        let signal = self.claim.output("out_chain")?;
        let clock = self.claim.core.latency as u32;
        // Words are checked one by one, so that an unknown one does not hide the others.
        let net = &self.claim.core.netlist;
        let words: Vec<SignalId> = match &net.signal(signal).driver {
            Driver::Wire(Expr::Concat(words)) => words.clone(),
            _ => vec![signal],
        };
        let mut carried = Vec::new();
        for word in words {
            match self.unroll.carried(&mut self.cuts, word, clock)? {
                Carried::Words(words) => {
                    carried.extend(words.into_iter().map(|word| Carried::Words(vec![word])));
                }
                other => carried.push(other),
            }
        }
        let due = &self.definition.outputs;
        let wrong =
            carried.into_iter().enumerate().filter(|(i, carried)| match (carried, due.get(*i)) {
                (Carried::Words(words), Some(due)) => words[..] != [*due],
                (Carried::Words(_) | Carried::Few(_) | Carried::Unknown(_), _) => true,
            });
        self.wrong = wrong.map(|(word, carried)| Wrong { word, carried }).collect();
        Ok(())
    }

    fn expect(&mut self, port: &str, clock: u32, due: &Carried, what: &str) -> Result<(), Error> {
        let signal = self.claim.output(port)?;
        if self.unroll.carried(&mut self.cuts, signal, clock)? == *due {
            return Ok(());
        }
        Err(Error::Control(format!(
            "{}: {port} is not always {what} in clock {clock} after a block is taken",
            self.claim.core.netlist.name
        )))
    }
}

impl Claim<'_> {
    /// Checks that nothing is taken while a result waits: with the enable 0 no register changes,
    /// and `in_ready` is 0.
    fn waits(&self) -> Result<(), Error> {
        let net = &self.core.netlist;
        let Some(enable) = net.enable else { return Ok(()) };
        let mut unroll = Unroll::new(net, [(enable, 0)].into(), HashMap::new());
        let ready = self.output("in_ready")?;
        if unroll.carried(&mut Cuts::default(), ready, 0)? == Carried::Few([0].into()) {
            return Ok(());
        }
        let enable = &net.signal(enable).name;
        Err(Error::Control(format!("in_ready is not always 0 while {enable} is")))
    }

    /// Checks that a block starts from the chaining value of the port or, if it is a message's
    /// first one, from the initial value of its mode.
    fn starts(&self) -> Result<(), Error> {
        let net = &self.core.netlist;
        if self.core.modes.is_empty() {
            return Ok(());
        }
        let mut cuts = Cuts::default();
        let [first, mode, chain] = ["in_first", "in_mode", "in_chain"].map(|port| self.input(port));
        let (first, mode, chain) = (first?, mode?, chain?);
        let words: Vec<TermId> =
            self.core.started.iter().map(|&word| cuts.terms.free(net.signal(word).width)).collect();
        let port = HashMap::from([((chain, 0), Carried::Words(words.clone()))]);
        let cases = self.core.modes.iter().enumerate();
        let cases = cases.map(|(number, mode)| (number as u64, Some(mode))).chain([(0, None)]);
        for (number, of_mode) in cases {
            let given = [(first, u64::from(of_mode.is_some())), (mode, number)].into();
            let mut unroll = Unroll::new(net, given, port.clone());
            for (i, &word) in self.core.started.iter().enumerate() {
                let due = match of_mode {
                    Some(mode) => cuts.terms.constant(mode.initial[i], net.signal(word).width),
                    None => words[i],
                };
                if unroll.carried(&mut cuts, word, 0)? != Carried::Words(vec![due]) {
                    let name = of_mode.map_or("in_chain", |mode| &mode.name[..]);
                    return Err(Error::Control(format!(
                        "{}: word {i} before a block is not that of {name}",
                        net.name
                    )));
                }
            }
        }
        Ok(())
    }

    /// The numbers of the definition's inputs that are words of the chaining value.
    fn chaining(&self) -> Vec<usize> {
        let inputs = self.definition.inputs().iter().enumerate();
        inputs.filter(|(_, input)| input.role == Role::Chaining).map(|(i, _)| i).collect()
    }

    /// The one-bit registers that are reset, and when a block makes them 1. That nothing else does
    /// is among the properties of the handshakes.
    fn marks(
        &self,
        cuts: &mut Cuts,
        mut unroll: Unroll<'_>,
    ) -> Result<HashMap<SignalId, Vec<u32>>, Error> {
        let mut marks = HashMap::new();
        for (register, signal) in self.core.netlist.signals() {
            if signal.width != 1 || !matches!(signal.driver, Driver::Register { reset: true, .. }) {
                continue;
            }
            let mut clocks = Vec::new();
            for clock in 1..=self.core.latency as u32 {
                if unroll.carried(cuts, register, clock)? == Carried::Few([1].into()) {
                    clocks.push(clock);
                }
            }
            if !clocks.is_empty() {
                marks.insert(register, clocks);
            }
        }
        Ok(marks)
    }

    /// Returns each data port and the definition's inputs that it carries.
    fn inputs(&self) -> Result<Vec<(SignalId, Vec<usize>)>, Error> {
        let mut all = Vec::new();
        for (port, nodes) in &self.core.ports {
            let number = |node| {
                let inputs = self.compression.inputs();
                let name = inputs.iter().find(|input| input.node == node).map(|input| &input.name);
                self.definition.inputs().iter().position(|input| Some(&input.name) == name)
            };
            let words: Option<Vec<usize>> = nodes.iter().map(|&node| number(node)).collect();
            let words = words.ok_or_else(|| {
                Error::Control(format!("{port} carries what {} has not", self.definition.name))
            })?;
            all.push((self.input(port)?, words));
        }
        Ok(all)
    }

    /// The input port of this name, or an error that the core has none.
    pub(super) fn input(&self, name: &str) -> Result<SignalId, Error> {
        let mut signals = self.core.netlist.signals();
        let port = signals.find(|(_, s)| s.driver == Driver::Input && s.name == name);
        port.map(|(id, _)| id).ok_or_else(|| no_port(&self.core.netlist, name))
    }

    /// The signal behind the output port of this name, or an error that the core has none.
    pub(super) fn output(&self, name: &str) -> Result<SignalId, Error> {
        let mut outputs = self.core.netlist.outputs().iter();
        let port = outputs.find(|(output, _)| output == name);
        port.map(|(_, signal)| *signal).ok_or_else(|| no_port(&self.core.netlist, name))
    }
}

/// The values that bits must have for a signal to be 1.
fn implied(net: &Netlist, signal: SignalId) -> Vec<(SignalId, u64)> {
    let mut all = vec![(signal, 1)];
    let mut at = 0;
    while let Some(&(signal, bit)) = all.get(at) {
        at += 1;
        let Driver::Wire(expr) = &net.signal(signal).driver else { continue };
        let (args, bit) = match expr {
            Expr::Value(value) => (std::slice::from_ref(value), bit),
            Expr::Op(Op::Not, args) => (&args[..], 1 - bit),
            Expr::Op(Op::And, args) if bit == 1 => (&args[..], 1),
            _ => continue,
        };
        let signals = args.iter().filter_map(|arg| match arg {
            Value::Signal(arg) => Some((*arg, bit)),
            Value::Const(_) => None,
        });
        all.extend(signals);
    }
    all
}

fn no_port(net: &Netlist, name: &str) -> Error {
    Error::Control(format!("{} has no port {name}", net.name))
}
