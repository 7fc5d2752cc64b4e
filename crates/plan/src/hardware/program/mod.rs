//! The planned program of hardware, from which an emitter makes a netlist.
//!
//! ```text
//!  HardwareProgram ── function   the compression, rounds alike where the target asks for it
//!                  ── regions    `regions` of the rounds and `schedule`: one function each,
//!                                repeated in turns
//!                  ── places     node of a region → clock of its turn; turn → stage
//!                  ── edges      a turn's arguments, the live words behind the last turn
//!                  ── transfers  words of the state from stage to stage
//! ```
//!
//! A program of processors orders operations; a netlist fixes the clock of each operation and
//! shares the operation between the turns of a stage. One form for both would make every field
//! optional, so there are two forms, which use the same terms. The form for hardware is checked
//! against numbered rules ([`verify`](mod@verify)), run with values clock by clock
//! ([`run`](mod@run)), written as text, and handed to emitters.

pub mod run;
mod text;
pub mod verify;

use super::body::Turn;
use super::options::Options;
use super::resources::Resources;
use super::schedule::{HardwareSchedule, Placed, Register};
use manylane_graph::extract::rounds;
use manylane_graph::{Function, NodeId, Op, Role};
use serde::{Serialize, Serializer};

/// The stage and the clock of each operation of a compression.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HardwareProgram {
    /// The fingerprint of the function that the program was made from, see
    /// [`fingerprint`](crate::program::fingerprint).
    #[serde(skip)]
    pub fingerprint: u64,
    /// The compression. JSON has only its name.
    #[serde(serialize_with = "name")]
    pub function: Function,
    /// The options that were asked for.
    pub options: Options,
    /// C: turns of a stage, which is the number of clocks between blocks when every stage has a
    /// message of its own.
    pub cycles_per_block: usize,
    /// The regions of the rounds, one for each shape of k steps. Every stage that takes turns of a
    /// region has one copy of its hardware.
    #[serde(rename = "blocks")]
    pub regions: Vec<Region>,
    /// The region of the message schedule, if there is one: the same in every stage.
    pub schedule: Option<Region>,
}

fn name<S: Serializer>(function: &Function, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&function.name)
}

/// k steps as operations in clocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The function from the state and side inputs to the next state, with sums as adders.
    pub function: Function,
    /// The clock and the times of each of the function's nodes.
    pub schedule: HardwareSchedule,
    /// Number of words of the state: these are the first inputs of the function, in the order of
    /// its outputs.
    pub words: usize,
    /// The rotations and shifts whose amounts differ between turns, such as MD5's. They need
    /// multiplexers.
    pub varying: Vec<NodeId>,
    /// The clocks in which the region's hardware works, with the arguments of each.
    pub turns: Vec<Turn>,
    /// Its adders, registers and area.
    pub resources: Resources,
}

/// JSON has the places in time beside the operations, and no function.
impl Serialize for Region {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Node {
            operation: &'static str,
            args: Vec<u32>,
            width: u8,
            #[serde(flatten)]
            placed: Placed,
        }
        #[derive(Serialize)]
        struct Schedule<'r> {
            period: f64,
            nodes: Vec<Node>,
            registers: &'r [Register],
        }
        #[derive(Serialize)]
        struct Shown<'r> {
            schedule: Schedule<'r>,
            words: usize,
            resources: &'r Resources,
        }
        let Self { function, schedule, words, resources, .. } = self;
        let HardwareSchedule { period, nodes, registers } = schedule;
        let nodes = function.nodes().zip(nodes).map(|(node, &placed)| Node {
            operation: function.op(node).name(),
            args: function.args(node).iter().map(|arg| arg.0).collect(),
            width: function.width(node),
            placed,
        });
        let schedule = Schedule { period: *period, nodes: nodes.collect(), registers };
        Shown { schedule, words: *words, resources }.serialize(serializer)
    }
}

/// Words of the state that one stage takes over from the stage before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The stage that takes the words over.
    pub to: usize,
    /// The first turn of this stage, counted over all stages.
    pub turn: usize,
    /// Nodes of the compression, one for each word of the state.
    pub words: Vec<NodeId>,
}

impl HardwareProgram {
    /// Number of bits of message that one call of the function takes.
    pub fn block_bits(&self) -> u64 {
        let message = self.function.inputs().iter().filter(|input| input.role == Role::Message);
        message.map(|input| u64::from(self.function.width(input.node))).sum()
    }

    /// Number of stages of the pipeline.
    pub fn stages(&self) -> usize {
        self.options.stages
    }

    /// All turns of the rounds in order, each with its region.
    pub fn turns<'p>(&'p self) -> Vec<(&'p Region, &'p Turn)> {
        let of_region = |region: &'p Region| region.turns.iter().map(move |turn| (region, turn));
        let mut turns: Vec<_> = self.regions.iter().flat_map(of_region).collect();
        turns.sort_by_key(|(_, turn)| turn.clock);
        turns
    }

    /// The words of the state after the last turn.
    pub fn last_words(&self) -> Vec<NodeId> {
        let lines = rounds(&self.function);
        lines.iter().flat_map(|line| line.states[line.len()].iter().copied()).collect()
    }

    /// The words that go from stage to stage.
    pub fn transfers(&self) -> Vec<Transfer> {
        let turns = self.turns();
        let transfer = |to: usize| {
            let turn = to * self.cycles_per_block;
            let (region, of_turn) = turns.get(turn)?;
            Some(Transfer { to, turn, words: of_turn.arguments.get(..region.words)?.to_vec() })
        };
        (1..self.stages()).map_while(transfer).collect()
    }
}

impl Region {
    /// The clocks of the operations that depend on the state.
    fn clocks_of_state(&self) -> impl Iterator<Item = i64> {
        let mut dependent = vec![false; self.function.len()];
        for node in self.function.nodes() {
            dependent[node.index()] = match self.function.op(node) {
                Op::Input(i) => (i as usize) < self.words,
                _ => self.function.args(node).iter().any(|arg| dependent[arg.index()]),
            };
        }
        let computed =
            move |node: &NodeId| self.function.op(*node).is_work() && dependent[node.index()];
        self.function.nodes().filter(computed).map(|node| self.schedule.nodes[node.index()].clock)
    }

    /// The number of clocks from the earliest operation on the state to the turn's own clock.
    pub(super) fn lead(&self) -> usize {
        self.clocks_of_state().min().map_or(0, |clock| (-clock).max(0) as usize)
    }

    /// The number of clocks from the turn's own clock to the latest operation on the state.
    pub(super) fn lag(&self) -> usize {
        self.clocks_of_state().max().map_or(0, |clock| clock.max(0) as usize)
    }
}
