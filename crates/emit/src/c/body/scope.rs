//! One pass through a region's body: an expression or a variable for each node that a processor
//! computes.

use super::super::Error;
use super::super::expr::{expr, integer};
use super::kept::Uses;
use super::later::Later;
use super::writer::{Writer, indented, letter};
use manylane_graph::roll::Source;
use manylane_graph::{Function, NodeId, Op, StepId};
use manylane_plan::program::{Action, TransferId};
use std::collections::BTreeMap;

/// The length in bytes of the longest expression that is put into another one.
const LONGEST: usize = 64;

/// One pass through a region's body.
pub(super) struct Scope<'s, 'w> {
    writer: &'s mut Writer<'w>,
    region: usize,
    body: &'w Function,
    /// The names of the body's inputs that are known beforehand.
    pub inputs: BTreeMap<usize, String>,
    /// For each node its name, or the expression that is put where it is used.
    pub nodes: BTreeMap<NodeId, String>,
    /// How often each node is used by this processor.
    uses: BTreeMap<NodeId, usize>,
    /// For each node, the number of the last action that uses it; `usize::MAX` if it outlives the
    /// iteration.
    last_use: BTreeMap<NodeId, usize>,
    /// The number of the present action, and that of the next one that waits.
    at: usize,
    next_wait: usize,
    /// The nodes with a name that were computed since the last wait.
    since_wait: Vec<NodeId>,
    /// The places of received nodes that have not been read. They are read where they are used,
    /// because reading them all at once would make them all live.
    unread: BTreeMap<NodeId, String>,
    /// The nodes that wait in memory for a later use.
    later: Later,
    /// The places in which nodes are stored for the other processor, or for later iterations.
    places: BTreeMap<NodeId, Vec<String>>,
    step: StepId,
}

impl<'s, 'w> Scope<'s, 'w> {
    /// Prepares a pass: counts uses, and finds the nodes that are stored as soon as they are
    /// computed.
    pub fn new(writer: &'s mut Writer<'w>, region: usize) -> Self {
        let body = &writer.region(region).body;
        let part = &writer.program.parts[region][writer.processor];
        let mut places: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
        for action in &part.each {
            let Action::Send(id) = action else { continue };
            for (i, &node) in writer.program.transfers[id.index()].values.iter().enumerate() {
                let place = writer.mailbox.map(|mailbox| mailbox.place(*id, i));
                places.entry(node).or_default().extend(place);
            }
        }
        for history in &writer.histories[region].all {
            let Some(ring) = &history.ring else { continue };
            places.entry(history.node).or_default().push(ring.place());
        }
        let Uses { count: uses, last_use } = Uses::of(writer, region);
        // In a loop the uses of a value are near each other, so none waits in memory.
        let is_straight = writer.mailbox.is_some() && writer.region(region).times == 1;
        let actions = if is_straight { &part.each[..] } else { &[] };
        let outlives = |node| last_use.get(&node) == Some(&usize::MAX);
        let later = Later::of(body, actions, writer.later, outlives);
        writer.later += later.count();
        Self {
            writer,
            region,
            body,
            inputs: BTreeMap::new(),
            nodes: BTreeMap::new(),
            uses,
            last_use,
            at: 0,
            next_wait: 0,
            since_wait: Vec::new(),
            unread: BTreeMap::new(),
            later,
            places,
            step: StepId::ROOT,
        }
    }

    /// Writes the actions of one iteration in their order.
    pub fn actions(&mut self) -> Result<(), Error> {
        let part = &self.writer.program.parts[self.region][self.writer.processor];
        for (at, &action) in part.each.iter().enumerate() {
            self.at = at;
            if at >= self.next_wait {
                let is_wait = |action: &Action| matches!(action, Action::Receive(_));
                let next = part.each[at + 1..].iter().position(is_wait);
                self.next_wait = next.map_or(usize::MAX, |next| at + 1 + next);
            }
            match action {
                Action::Compute(node) => self.compute(node)?,
                Action::Send(id) => self.send(id),
                Action::Receive(id) => self.receive(id),
            }
        }
        // Inputs, constants and received values that are only passed on need a name too.
        let nodes: Vec<NodeId> = self.uses.keys().copied().collect();
        for node in nodes {
            let passed = matches!(self.body.op(node), Op::Input(_) | Op::Const(_));
            if (passed || self.unread.contains_key(&node)) && self.uses[&node] > 1 {
                let text = self.node(node);
                self.nodes.insert(node, text);
            }
        }
        Ok(())
    }

    fn name(&self, node: NodeId) -> String {
        format!("{}{}", letter(self.region), node.0)
    }

    /// The name or the expression of a node.
    fn node(&mut self, node: NodeId) -> String {
        match self.body.op(node) {
            Op::Const(value) => self.writer.constant(value, self.body.width(node)),
            Op::Input(i) => {
                if let Some(text) = self.inputs.get(&(i as usize)) {
                    return text.clone();
                }
                let region = self.writer.region(self.region);
                match &region.sources[i as usize] {
                    Source::Same(value) => self.writer.value_or_place(*value),
                    Source::Each(values) => self.writer.value(values[0]),
                    Source::Earlier { first, .. } => self.writer.value(first[0]),
                }
            }
            _ => {
                if let Some(place) = self.later.read(node, self.at) {
                    return place;
                }
                if let Some(place) = self.unread.remove(&node) {
                    if self.uses.get(&node) == Some(&1) {
                        return place;
                    }
                    let (integer, name) = (integer(self.body.width(node)), self.name(node));
                    self.writer.line(&format!("const {integer} {name} = {place};"));
                    self.nodes.insert(node, name);
                }
                self.nodes.get(&node).cloned().unwrap_or_else(|| self.name(node))
            }
        }
    }

    fn compute(&mut self, node: NodeId) -> Result<(), Error> {
        let Some(&uses) = self.uses.get(&node) else { return Ok(()) };
        let args: Vec<NodeId> = self.body.args(node).to_vec();
        let args: Vec<String> = args.into_iter().map(|arg| self.node(arg)).collect();
        let prefix = self.writer.signature.prefix;
        let text = expr(self.body, node, prefix, &args, |_| String::new())?;
        // An expression that was computed before a wait must not be moved behind it.
        let is_soon = self.last_use.get(&node).is_some_and(|&last| last < self.next_wait);
        if uses == 1 && is_soon && text.len() <= LONGEST && self.body.width(node) >= 32 {
            let is_operand = !text.starts_with(['(', '~']) && !text.contains(' ');
            self.nodes.insert(node, if is_operand { text } else { format!("({text})") });
            return Ok(());
        }
        self.comment(node);
        let (integer, name) = (integer(self.body.width(node)), self.name(node));
        self.writer.line(&format!("const {integer} {name} = {text};"));
        self.since_wait.push(node);
        let waits = self.later.place(node);
        for place in self.places.get(&node).into_iter().flatten().chain(&waits) {
            self.writer.line(&format!("{place} = {name};"));
        }
        self.nodes.insert(node, name);
        Ok(())
    }

    /// Writes the step that a line belongs to, where that changes.
    fn comment(&mut self, node: NodeId) {
        let step = self.body.ancestor(self.body.step(node), 1);
        if step != self.step && step != StepId::ROOT {
            let path = self.body.path_name(step);
            self.writer.line(&format!("/* {path} */"));
        }
        self.step = step;
    }

    fn send(&mut self, id: TransferId) {
        if let Some(mailbox) = self.writer.mailbox {
            let post = mailbox.post(self.writer.processor, id);
            self.writer.line(&post);
        }
    }

    fn receive(&mut self, id: TransferId) {
        let Some(mailbox) = self.writer.mailbox else { return };
        // Compilers move computations whose results are needed only after a wait behind the wait,
        // where they delay this core. `MANYLANE_DONE` prevents this.
        for node in std::mem::take(&mut self.since_wait) {
            if self.last_use.get(&node).is_some_and(|&last| last > self.at) {
                let line = format!("MANYLANE_DONE({});", self.name(node));
                self.writer.line(&line);
            }
        }
        let wait = mailbox.wait(self.writer.processor, id);
        let depth = self.writer.depth;
        self.writer.lines.push_str(&indented(&wait, depth));
        let values = &self.writer.program.transfers[id.index()].values;
        self.unread.extend(values.iter().enumerate().map(|(i, &n)| (n, mailbox.place(id, i))));
    }
}
