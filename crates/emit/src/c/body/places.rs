//! Assigns words of the mailbox to the values of hand-overs outside of loops.
//!
//! A word is free for another value of the same sender as soon as the sender knows that the
//! receiver has read it: when it has received a hand-over that the receiver sent after that.
//!
//! ```text
//!  sender                            receiver
//!  value into the word ── send ────► receive
//!                                    reads the word
//!  receive ◄──────────────── send ── any hand-over
//!  another value into the word
//! ```
//!
//! Few words that both cores use again and again are near the beginning of the slot, where
//! instructions of 16 bits reach them by their offset.

use manylane_graph::NodeId;
use manylane_plan::program::{Action, Program, Transfer, TransferId, When};
use std::collections::BTreeMap;

/// The words of straight hand-overs.
pub(super) struct Places {
    /// For each transfer the number of each value's word in the field. The list is empty for a
    /// transfer that has a field of its own.
    pub words: Vec<Vec<usize>>,
    /// For each sender and width in bits the number of words of the field.
    pub fields: BTreeMap<(usize, u8), usize>,
}

/// A place in a processor's list of actions: the number of the region, and that of the action in an
/// iteration.
type ActionPlace = (usize, usize);

/// A value that one core hands over to the other.
struct Wire {
    from: usize,
    width: u8,
    /// The transfer, and the number of the value in it.
    id: TransferId,
    value: usize,
    /// The place at which the sender computes the value; the word is written from there on.
    made: ActionPlace,
    /// The last place at which the receiver reads the word; `None` if that is not known.
    read: Option<ActionPlace>,
}

impl Places {
    /// Assigns words to the values of a program's hand-overs outside of loops. If no word is used
    /// twice, each transfer keeps a field of its own.
    pub fn of(program: &Program) -> Self {
        let none =
            || Self { words: vec![Vec::new(); program.transfers.len()], fields: BTreeMap::new() };
        let lists = Lists::of(program);
        let mut wires: Vec<Wire> = lists.straight().flat_map(|id| lists.wires(id)).collect();
        wires.sort_by_key(|wire| wire.made);
        let mut of = none();
        // For each sender and width the last place at which the receiver reads each word.
        let mut read: BTreeMap<(usize, u8), Vec<Option<ActionPlace>>> = BTreeMap::new();
        for Wire { from, width, id, value, made, read: until } in &wires {
            let words = read.entry((*from, *width)).or_default();
            let seen = lists.seen(*from, *made);
            let is_free = |of: &Option<ActionPlace>| of.is_some_and(|of| Some(of) < seen);
            let word = words.iter().position(is_free).unwrap_or(words.len());
            match words.get_mut(word) {
                Some(of) => *of = *until,
                None => words.push(*until),
            }
            let of_transfer = &mut of.words[id.index()];
            of_transfer.resize(of_transfer.len().max(value + 1), 0);
            of_transfer[*value] = word;
        }
        of.fields = read.into_iter().map(|(field, words)| (field, words.len())).collect();
        if of.fields.values().sum::<usize>() < wires.len() { of } else { none() }
    }
}

/// For one region and processor, the position in an iteration at which each node is computed and
/// each transfer is sent or received.
#[derive(Default)]
struct List {
    computed: BTreeMap<NodeId, usize>,
    sent: BTreeMap<TransferId, usize>,
    received: BTreeMap<TransferId, usize>,
    /// For each node the operations that take its value and whose own results are needed.
    users: BTreeMap<NodeId, Vec<NodeId>>,
}

impl List {
    fn of(program: &Program, region: usize, processor: usize) -> Self {
        let body = &program.rolled.regions[region].body;
        let mut list = Self::default();
        let mut is_needed = vec![false; body.len()];
        body.outputs().iter().for_each(|output| is_needed[output.value.index()] = true);
        for (at, action) in program.parts[region][processor].each.iter().enumerate().rev() {
            match *action {
                Action::Send(id) => {
                    list.sent.insert(id, at);
                    let values = &program.transfers[id.index()].values;
                    values.iter().for_each(|value| is_needed[value.index()] = true);
                }
                Action::Receive(id) => {
                    list.received.insert(id, at);
                }
                Action::Compute(node) => {
                    list.computed.insert(node, at);
                    if is_needed[node.index()] {
                        for &arg in body.args(node) {
                            is_needed[arg.index()] = true;
                            list.users.entry(arg).or_default().push(node);
                        }
                    }
                }
            }
        }
        list
    }

    /// The last place at which the operation of a node can be in the text: its own place or, as a
    /// part of the expression of its only user, the place of that user.
    fn written(&self, node: NodeId) -> usize {
        let at = self.computed[&node];
        match self.users.get(&node).map(Vec::as_slice) {
            Some([user]) => at.max(self.written(*user)),
            _ => at,
        }
    }
}

/// The lists of all regions and processors.
struct Lists<'p> {
    program: &'p Program,
    /// For each region and processor its list.
    all: Vec<Vec<List>>,
}

impl<'p> Lists<'p> {
    fn of(program: &'p Program) -> Self {
        let of =
            |region| (0..program.processors).map(|one| List::of(program, region, one)).collect();
        Self { program, all: (0..program.parts.len()).map(of).collect() }
    }

    /// The transfers that are sent once, in a region that is done once.
    fn straight(&self) -> impl Iterator<Item = TransferId> + '_ {
        let is_straight = |id: &TransferId| {
            let transfer = &self.program.transfers[id.index()];
            transfer.when == When::Each && self.program.rolled.regions[transfer.region].times == 1
        };
        (0..self.program.transfers.len() as u32).map(TransferId).filter(is_straight)
    }

    /// The latest place that the receiver has certainly passed when the sender is at `made`.
    fn seen(&self, sender: usize, made: ActionPlace) -> Option<ActionPlace> {
        let sends = self.straight().filter_map(|id| {
            let Transfer { from, to, region, .. } = self.program.transfers[id.index()];
            let received = (region, *self.all[region][sender].received.get(&id)?);
            let sent = (region, *self.all[region][from].sent.get(&id)?);
            (to == sender && received < made).then_some(sent)
        });
        sends.max()
    }

    /// The values of a transfer.
    fn wires(&self, id: TransferId) -> impl Iterator<Item = Wire> + '_ {
        let Transfer { from, to, region, ref values, .. } = self.program.transfers[id.index()];
        let body = &self.program.rolled.regions[region].body;
        let width = values.iter().map(|&node| body.width(node)).max().unwrap_or(8);
        let [sender, receiver] = [from, to].map(|processor| &self.all[region][processor]);
        values.iter().enumerate().map(move |(value, node)| {
            let users = receiver.users.get(node).into_iter().flatten();
            let is_output = body.outputs().iter().any(|output| output.value == *node);
            let read = users.map(|&user| (region, receiver.written(user))).max();
            let read = read.filter(|_| !is_output);
            Wire { from, width, id, value, made: (region, sender.computed[node]), read }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manylane_graph::framing::ByteOrder;
    use manylane_graph::trace::literal_compression;
    use manylane_plan::Platform;
    use manylane_plan::program::assign::assign;
    use manylane_plan::program::shape::Shape;

    /// The content of a word: the transfer, and the number of the value in it.
    type Content = (TransferId, usize);

    /// Runs a call in a random interleaving of both cores' actions, and checks that every read
    /// finds the value that was sent. Returns how often a word was overwritten.
    fn overwritten(program: &Program, places: &Places, mut seed: u64) -> usize {
        let mut memory: BTreeMap<(usize, u8, usize), Content> = BTreeMap::new();
        let mut overwritten = 0;
        let mut sent: Vec<TransferId> = Vec::new();
        let mut received: BTreeMap<(usize, NodeId), Content> = BTreeMap::new();
        let mut at = [0; 2];
        let lists: Vec<&[Action]> =
            program.parts[0].iter().map(|part| part.each.as_slice()).collect();
        let body = &program.rolled.regions[0].body;
        let word = |(id, value): Content| {
            let Transfer { from, values, .. } = &program.transfers[id.index()];
            let width = values.iter().map(|&node| body.width(node)).max().unwrap();
            places.words[id.index()].get(value).map(|&word| (*from, width, word))
        };
        while (0..2).any(|core| at[core] < lists[core].len()) {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let core = (seed >> 40) as usize % 2;
            // Mostly a core runs until it has to wait.
            let steps = if seed >> 60 == 0 { 1 } else { usize::MAX };
            for _ in 0..steps {
                match lists[core].get(at[core]) {
                    Some(Action::Receive(id)) if !sent.contains(id) => break,
                    None => break,
                    Some(Action::Receive(id)) => {
                        let values = &program.transfers[id.index()].values;
                        for (value, &node) in values.iter().enumerate() {
                            received.insert((core, node), (*id, value));
                        }
                    }
                    Some(Action::Send(id)) => sent.push(*id),
                    Some(Action::Compute(node)) => {
                        for arg in body.args(*node) {
                            let Some(&content) = received.get(&(core, *arg)) else { continue };
                            let Some(word) = word(content) else { continue };
                            assert_eq!(memory[&word], content, "{arg} of {}", program.rolled.name);
                        }
                        for (id, transfer) in (0..).map(TransferId).zip(&program.transfers) {
                            let value = transfer.values.iter().position(|value| value == node);
                            let Some(value) = value.filter(|_| transfer.from == core) else {
                                continue;
                            };
                            let Some(word) = word((id, value)) else { continue };
                            overwritten += usize::from(memory.insert(word, (id, value)).is_some());
                        }
                    }
                }
                at[core] += 1;
            }
        }
        overwritten
    }

    #[test]
    fn a_word_is_read_before_it_is_overwritten() {
        for (name, machine) in [("blake256", "rp2040"), ("skein256", "ibex-duo")] {
            let one = Shape::default().one(&literal_compression(name.parse().unwrap()));
            let platform = Platform::load(machine).unwrap();
            let found = assign(&one.rolled, one.fingerprint, ByteOrder::Big, &platform, 40);
            let mut count = 0;
            for program in found.unwrap().candidates.iter().take(6) {
                let places = Places::of(program);
                let words: usize = places.fields.values().sum();
                let values: usize = places.words.iter().map(Vec::len).sum();
                assert!(words < values || values == 0, "{name}: {words} of {values}");
                for seed in 1..6 {
                    count += overwritten(program, &places, seed);
                }
            }
            assert!(count > 100, "{name}: {count}");
        }
    }
}
