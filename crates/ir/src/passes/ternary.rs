//! The pass `ternary`, which merges logic of up to three inputs into one operation, for machines
//! that have such an operation.

use super::{Rewriter, dead, vanishing};
use crate::interpret::evaluate;
use crate::ir::{Function, NodeId, Op};

/// Logic of up to three inputs as one operation, [`Op::Lut3`].
///
/// ```text
///   z   x y   z          A cone is cut where at most three words enter it.
///    \   \ \ /           Inside, every node has one user, so nothing is computed twice.
///     \   \ ^            Of all cuts of a node the one is taken that leaves
///      \   &             the fewest operations in the whole tree below it.
///       \ /
///        ^       ──►  lut3 x, y, z, 0xca
/// ```
///
/// Logic of two inputs that has an operation of its own (`and`, `or`, `xor`, `xnor`, `not`) keeps
/// that operation; for other logic of two inputs, `lut3` takes the second one twice.
pub fn ternary(function: &Function) -> Function {
    let function = chains(&dead(function));
    let cones = Cones::new(&function);
    let mapped = Rewriter::new(&function).run(|r, node, args| match cones.best(node) {
        Some(leaves) if leaves != sorted(r.from.args(node)) => {
            let new: Vec<NodeId> = leaves.iter().map(|&leaf| r.get(leaf)).collect();
            logic(r, cones.table(node, leaves), &new, r.from.width(node))
        }
        _ => r.copy(node, args),
    });
    dead(&mapped)
}

/// Bitwise operations of many arguments as chains of binary ones, in the order of the text.
fn chains(function: &Function) -> Function {
    Rewriter::new(function).run(|r, node, args| match r.from.op(node) {
        op if op.is_associative() && op.is_bitwise() => {
            let rest = args[1..].iter();
            rest.fold(args[0], |sum, &arg| r.builder.op(op, &[sum, arg]))
        }
        _ => r.copy(node, args),
    })
}

fn sorted(nodes: &[NodeId]) -> Vec<NodeId> {
    let mut nodes = nodes.to_vec();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// The columns of a truth table: the values of `x`, `y` and `z` for every index 4x + 2y + z.
const COLUMNS: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// The cheapest operation that is `table` of one to three words.
fn logic(r: &mut Rewriter<'_>, table: u8, words: &[NodeId], width: u8) -> NodeId {
    let [x, y, _] = COLUMNS;
    let is = |value: u8| table == value;
    match *words {
        _ if is(0) => r.builder.constant(0, width),
        _ if is(0xff) => r.builder.constant(u64::MAX, width),
        [a] if is(x) => a,
        [a] => r.builder.op(Op::Not, &[a]),
        [a, b] if is(x & y) => r.builder.op(Op::And, &[a, b]),
        [a, b] if is(x | y) => r.builder.op(Op::Or, &[a, b]),
        [a, b] if is(x ^ y) => r.builder.op(Op::Xor, &[a, b]),
        [a, b] if is(!(x ^ y)) => r.builder.op(Op::Xnor, &[a, b]),
        [a, b] => r.builder.op(Op::Lut3(table), &[a, b, b]),
        _ => r.builder.op(Op::Lut3(table), words),
    }
}

/// The cuts of every node whose operation is bitwise.
struct Cones<'f> {
    function: &'f Function,
    vanishing: Vec<bool>,
    /// For each node the sets of at most three words that determine it, sorted. The first is the
    /// one that leaves the fewest operations.
    cuts: Vec<Vec<Vec<NodeId>>>,
    /// For each node, how many operations its tree takes.
    operations: Vec<usize>,
}

impl<'f> Cones<'f> {
    fn new(function: &'f Function) -> Self {
        let mut cones = Self {
            function,
            vanishing: vanishing(function),
            cuts: Vec::with_capacity(function.len()),
            operations: Vec::with_capacity(function.len()),
        };
        for node in function.nodes() {
            let mut cuts = cones.cuts_of(node);
            cuts.sort_by_key(|cut| (cones.cost(cut), cut.len()));
            cones.operations.push(cuts.first().map_or(0, |cut| cones.cost(cut)));
            cones.cuts.push(cuts);
        }
        cones
    }

    /// The leaves of the best cone of a node; none if its operation is not bitwise.
    fn best(&self, node: NodeId) -> Option<&[NodeId]> {
        self.cuts[node.index()].first().map(Vec::as_slice)
    }

    /// Every way to take each argument as a leaf, or by one of its own cuts.
    fn cuts_of(&self, node: NodeId) -> Vec<Vec<NodeId>> {
        if !self.function.op(node).is_bitwise() {
            return Vec::new();
        }
        let mut cuts = vec![Vec::new()];
        for &arg in self.function.args(node) {
            let leaf = vec![arg];
            let below: &[_] =
                if self.vanishing[arg.index()] { &self.cuts[arg.index()] } else { &[] };
            let ways = std::iter::once(&leaf).chain(below);
            cuts = ways
                .flat_map(|way| cuts.iter().map(|cut| sorted(&[&cut[..], way].concat())))
                .filter(|cut| cut.len() <= 3)
                .collect();
            cuts.dedup();
        }
        cuts
    }

    /// Operations in the tree of a node with this cut. Subtrees with other users do not count:
    /// their users need them anyway.
    fn cost(&self, cut: &[NodeId]) -> usize {
        let inside = cut.iter().filter(|leaf| self.vanishing[leaf.index()]);
        1 + inside.map(|leaf| self.operations[leaf.index()]).sum::<usize>()
    }

    /// The table of a node as a function of `leaves`.
    fn table(&self, node: NodeId, leaves: &[NodeId]) -> u8 {
        self.column(node, leaves) as u8
    }

    fn column(&self, node: NodeId, leaves: &[NodeId]) -> u64 {
        if let Some(i) = leaves.iter().position(|&leaf| leaf == node) {
            return COLUMNS[i].into();
        }
        let args = self.function.args(node).iter();
        let args: Vec<u64> = args.map(|&arg| self.column(arg, leaves)).collect();
        evaluate(self.function.op(node), 8, &args)
    }
}
