//! The request from which a core is made.

use super::{Options, Storage};
use manylane_graph::{Function, NodeId, Role};
use manylane_plan::hardware::HardwareProgram;

/// A planned program, and how its core is to look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) program: &'a HardwareProgram,
    pub(super) options: &'a Options,
}

impl<'a> Asked<'a> {
    /// The compression that is built.
    pub(super) fn compression(self) -> &'a Function {
        &self.program.function
    }

    /// Bits of a node of the compression.
    pub(super) fn width(self, node: NodeId) -> u32 {
        self.compression().width(node).into()
    }

    /// The inputs of the compression that have this role, in their order.
    pub(super) fn inputs(self, role: Role) -> Vec<NodeId> {
        let inputs = self.compression().inputs().iter();
        inputs.filter(|input| input.role == role).map(|input| input.node).collect()
    }

    fn has_role(self, node: NodeId, role: Role) -> bool {
        self.compression().inputs().iter().any(|input| input.node == node && input.role == role)
    }

    /// Whether a node is a word of message that is kept in memory.
    pub(super) fn is_in_memory(self, node: NodeId) -> bool {
        self.options.window == Storage::Ram && self.has_role(node, Role::Message)
    }

    /// Whether a node is a word of the chaining value that the ending takes out of memory.
    pub(super) fn is_chained(self, node: NodeId) -> bool {
        self.options.chaining == Storage::Ram && self.has_role(node, Role::Chaining)
    }

    /// Clocks that a word needs besides that of the memory's register: 1 if memory is slow.
    pub(super) fn slow(self) -> i64 {
        i64::from(self.options.block_ram)
    }

    /// The name of an input of the compression.
    pub(super) fn name(self, node: NodeId) -> Option<&'a str> {
        let mut inputs = self.compression().inputs().iter();
        inputs.find(|input| input.node == node).map(|input| input.name.as_str())
    }
}
