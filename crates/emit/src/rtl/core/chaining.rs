//! The chaining value in memory, from a block's start to its ending.
//!
//! ```text
//!  in_chain ──► rounds
//!          └──► memory: a place for each block under way ──► register ──► ending
//! ```
//!
//! In registers each stage has a copy, and the ending one more. Blocks come out in the order in which
//! they went in: two counters tell where one is written and one is read.

use super::{Error, Key, Maker, Storage};
use crate::rtl::netlist::{Expr, Memory, SignalId, Value};
use manylane_graph::{NodeId, Op, Role};

impl Maker<'_> {
    /// Whether the ending takes this out of memory.
    pub(super) fn is_chained(&self, node: NodeId) -> bool {
        self.options.chaining == Storage::Ram
            && self.compression.inputs().iter().any(|i| i.node == node && i.role == Role::Chaining)
    }

    /// # Errors
    /// If blocks follow each other faster than a memory is read.
    pub(super) fn check_chaining(&self) -> Result<(), Error> {
        let least = 2 + self.slow() as usize;
        if self.options.chaining == Storage::Registers || self.clocks >= least {
            return Ok(());
        }
        let (function, clocks) = (self.plan.function.clone(), self.clocks);
        Err(Error::Chaining { function, clocks, least })
    }

    /// A word of the chaining value for the ending, which takes it in clock `time`.
    pub(super) fn chained(&mut self, node: NodeId, time: i64) -> Value {
        let inputs = self.compression.inputs().iter();
        let inputs: Vec<NodeId> =
            inputs.filter(|input| input.role == Role::Chaining).map(|input| input.node).collect();
        let key = (Key::Chain, 0, 0);
        let whole = match self.known.get(&key) {
            Some(&known) => known,
            None => {
                let whole = self.chains(&inputs, time);
                self.known.insert(key, whole);
                whole
            }
        };
        let behind = inputs.iter().rev().take_while(|input| **input != node);
        let low = behind.map(|input| u32::from(self.compression.width(*input))).sum();
        let Value::Signal(whole) = whole else { unreachable!("registers are signals") };
        let section = self.net.section("Ending");
        let name = format!("end_{}", self.compression_input(node).unwrap_or("h"));
        let width = self.compression.width(node).into();
        self.wire(section, &name, width, Expr::Slice(whole, low))
    }

    /// The register behind the memory for these words, the first in the highest bits.
    fn chains(&mut self, inputs: &[NodeId], time: i64) -> Value {
        let section = self.net.section("Chaining values");
        let width = inputs.iter().map(|input| u32::from(self.compression.width(*input))).sum();
        let words: Vec<SignalId> = inputs.iter().map(|input| self.ports[input]).collect();
        let data = self.wire(section, "chain_in", width, Expr::Concat(words));
        let Value::Signal(data) = data else { unreachable!("a wire is a signal") };
        // Of those under way one more may begin before the first has ended.
        let depth = (time as usize / self.clocks + 2).next_power_of_two();
        let bits = depth.trailing_zeros();
        let start = self.start_at(0, 0);
        let both = [start, self.enable].map(Value::Signal).to_vec();
        let write = self.wire(section, "write_chain", 1, Expr::Op(Op::And, both));
        let Value::Signal(write) = write else { unreachable!("a wire is a signal") };
        let address = self.counter(section, "chain_place", bits, start);
        let name = "chains".to_owned();
        let memory = Memory { name, depth, width, write, address, data, apart: true, section };
        let memory = self.net.memory(memory);
        let done = self.start_at(self.stages, time - self.end());
        let place = self.counter(section, "chain_read", bits, done);
        let mut value = self.wire(section, "chain_out", width, Expr::Read(memory, place));
        for _ in 0..1 + self.slow() {
            value = self.register(section, "chain_kept", width, value, None);
        }
        value
    }
}
