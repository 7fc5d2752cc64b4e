//! The planned program: what each processor of a machine does, in which order, and which values go
//! from one to another.
//!
//! ```text
//! Program ── rolled      the function as regions, straight or repeated (manylane_graph::roll)
//!         ── parts       by region and processor: actions before, in each iteration of, after it
//!         ── transfers   which values go from which processor to which
//! ```
//!
//! A program is made from an assignment of operations to processors ([`place`]), checked against
//! numbered rules ([`verify`]), run with values in any interleaving ([`run`]), timed on a platform
//! ([`time`]), written as text ([`text`]), and handed to emitters. It speaks of one call of a
//! function, such as the compression of one block.

pub mod ahead;
pub mod assign;
mod behind;
mod bodies;
mod charges;
pub mod cut;
mod fit;
mod measured;
pub mod message;
mod order;
pub mod parts;
pub mod place;
pub mod prices;
pub mod reads;
pub mod run;
pub mod shape;
pub mod text;
pub mod time;
pub mod verify;
pub mod whole;

pub use fit::scaled_by;
pub(crate) use order::is_work;

pub use crate::platform::MAIN;

use crate::platform::Identity;
use manylane_graph::roll::Rolled;
use manylane_graph::{Function, Module, NodeId};

/// The number of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TransferId(pub u32);

impl TransferId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One thing that a processor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Computes a node of the region's body.
    Compute(NodeId),
    /// Stores the values of a transfer in shared memory, and notifies the other processor.
    Send(TransferId),
    /// Waits until the values of a transfer are there.
    Receive(TransferId),
}

/// The work of a processor in a region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The inputs of the body that this processor holds, in ascending order: values that are live
    /// at the region's edge or from one iteration to the next.
    pub inputs: Vec<usize>,
    /// What the processor does before the first iteration.
    pub before: Vec<Action>,
    /// What the processor does in each iteration.
    pub each: Vec<Action>,
    /// What the processor does after the last iteration.
    pub after: Vec<Action>,
}

/// When a transfer is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// In each iteration of its region, and received in the same iteration.
    Each,
    /// After the last iteration of its region, with that iteration's values, and received before a
    /// later region, or after the same or a later one.
    After,
}

/// Values that go from one processor to another at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The processor that sends.
    pub from: usize,
    /// The processor that receives.
    pub to: usize,
    /// The region in which it is sent.
    pub region: usize,
    /// When in that region.
    pub when: When,
    /// Nodes of the region's body, computed by the sender.
    pub values: Vec<NodeId>,
}

/// A function as one or several processors run it.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Fingerprint of the function that it was made from, see [`fingerprint`].
    pub fingerprint: u64,
    /// How many processors there are, 1 or more. Processor 0 is the main one.
    pub processors: usize,
    /// The function as regions, in words as wide as the target's.
    pub rolled: Rolled,
    /// The part of each processor in each region: by region, then by processor.
    pub parts: Vec<Vec<Part>>,
    /// All transfers, by number.
    pub transfers: Vec<Transfer>,
}

/// A number that tells functions apart: FNV-1a of the text form.
pub fn fingerprint(function: &Function) -> u64 {
    fingerprint_of(&Module::of(function.clone()))
}

/// The fingerprint of a function together with those that it calls.
pub fn fingerprint_of(module: &Module) -> u64 {
    fnv(&module.to_string())
}

fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl Program {
    /// A number that tells programs apart. Their operations, unrolling, assignments, orders and
    /// transfers all count.
    pub fn identity(&self) -> Identity {
        let mut text = format!("{:016x} {}", self.fingerprint, self.processors);
        for (region, parts) in self.rolled.regions.iter().zip(&self.parts) {
            text += &format!("\n{}", region.times);
            for list in parts.iter().flat_map(|part| [&part.before, &part.each, &part.after]) {
                text.push('|');
                for action in list {
                    text += &match action {
                        Action::Compute(node) => format!(" {node}"),
                        Action::Send(id) => format!(" >{}", id.0),
                        Action::Receive(id) => format!(" <{}", id.0),
                    };
                }
            }
        }
        for Transfer { values, .. } in &self.transfers {
            let values: Vec<String> = values.iter().map(NodeId::to_string).collect();
            text += &format!("\n{}", values.join(" "));
        }
        Identity(fnv(&text))
    }

    /// This program for the function of another one that does the same under another name.
    pub fn renamed_as(&self, other: &Self) -> Self {
        let rolled = Rolled { name: other.rolled.name.clone(), ..self.rolled.clone() };
        Self { fingerprint: other.fingerprint, rolled, ..self.clone() }
    }

    /// Handshakes of one call.
    pub fn handshakes(&self) -> usize {
        let times = |transfer: &Transfer| match transfer.when {
            When::Each => self.rolled.regions[transfer.region].times,
            When::After => 1,
        };
        self.transfers.iter().map(times).sum()
    }
}
