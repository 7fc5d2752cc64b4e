//! Decides which nodes of a body are computed, and which are only another way to read a value in
//! memory.
//!
//! ```text
//!  alias   bytes of other values, or constants: rotations and shifts by bytes, the order of bytes,
//!          masks of whole bytes, and what joins values whose bytes do not overlap
//!  fused   computed in the registers on the way to its one user
//!  value   has a place of its own in memory
//! ```

use super::chain::{Chain, Logic, Step};
use super::operand::{Byte, View};
use super::text::Table;
use crate::asm::Error;
use manylane_graph::{Function, NodeId, Op};

/// A byte of a node whose place is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Node(NodeId, u8),
    Is(u8),
}

/// How a node is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Computation {
    /// The bytes of a result that is no computation, the least significant one first.
    Alias(Vec<Source>),
    Value,
}

/// A body with the form of each node.
pub(super) struct Resolved<'b> {
    body: &'b Function,
    forms: Vec<Computation>,
    /// Nodes that are computed on the way to their one user.
    fused: Vec<bool>,
    /// Nodes that are used.
    live: Vec<bool>,
}

fn bytes(body: &Function, node: NodeId) -> usize {
    usize::from(body.width(node) / 8)
}

impl<'b> Resolved<'b> {
    /// Resolves a body; `outputs` are the nodes whose values are needed outside of it.
    ///
    /// # Errors
    /// If a node has an operation that the CPU has no code for.
    pub fn of(body: &'b Function, outputs: &[NodeId]) -> Result<Self, Error> {
        let mut forms: Vec<Computation> = Vec::with_capacity(body.len());
        for node in body.nodes() {
            let form = alias(body, node, &forms).map_or(Computation::Value, Computation::Alias);
            if form == Computation::Value {
                supported(body, node)?;
            }
            forms.push(form);
        }
        let mut resolved =
            Self { body, forms, fused: vec![false; body.len()], live: vec![false; body.len()] };
        resolved.fuse(outputs);
        Ok(resolved)
    }

    /// Whether a node has a place of its own and is needed.
    pub fn is_placed(&self, node: NodeId) -> bool {
        let i = node.index();
        self.live[i] && !self.fused[i] && self.is_value(node)
    }

    fn is_value(&self, node: NodeId) -> bool {
        self.forms[node.index()] == Computation::Value
    }

    fn sources(&self, node: NodeId) -> Vec<Source> {
        match &self.forms[node.index()] {
            Computation::Alias(sources) => sources.clone(),
            Computation::Value => identity(self.body, node),
        }
    }

    /// The nodes that a node's bytes are read from.
    pub fn bases(&self, node: NodeId) -> Vec<NodeId> {
        let mut bases = Vec::new();
        for source in self.sources(node) {
            if let Source::Node(base, _) = source
                && !bases.contains(&base)
            {
                bases.push(base);
            }
        }
        bases
    }

    /// The nodes that a placed node's computation reads.
    pub fn reads(&self, node: NodeId) -> Vec<NodeId> {
        let of = |&arg: &NodeId| match self.fused[arg.index()] {
            true => self.reads(arg),
            false => self.bases(arg),
        };
        self.body.args(node).iter().flat_map(of).collect()
    }

    /// The places of a node's bytes. `place` has those of nodes with a place of their own, and of
    /// inputs.
    pub fn view(&self, node: NodeId, place: &dyn Fn(NodeId) -> View) -> View {
        let byte = |source: Source| match source {
            Source::Is(value) => Byte::Is(value),
            Source::Node(base, i) => place(base).0[usize::from(i)],
        };
        View(self.sources(node).into_iter().map(byte).collect())
    }

    /// Marks the nodes that are needed, and those that are fused.
    fn fuse(&mut self, outputs: &[NodeId]) {
        let count = self.body.len();
        // For each node, how often it is an argument of a value, and whether its bytes must lie in
        // memory.
        let (mut uses, mut placed) = (vec![0_usize; count], vec![false; count]);
        for &output in outputs {
            for base in self.bases(output) {
                (self.live[base.index()], placed[base.index()]) = (true, true);
            }
        }
        for node in self.body.nodes().rev() {
            if !self.live[node.index()] || !self.is_value(node) {
                continue;
            }
            for &arg in self.body.args(node) {
                let is_value = self.is_value(arg);
                uses[arg.index()] += 1;
                for base in self.bases(arg) {
                    self.live[base.index()] = true;
                    placed[base.index()] |= !is_value;
                }
            }
        }
        for node in self.body.nodes() {
            if !self.live[node.index()] || !self.is_value(node) {
                continue;
            }
            let can = |arg: &&NodeId| {
                let i = arg.index();
                self.is_value(**arg) && uses[i] == 1 && !placed[i]
            };
            let args = self.body.args(node);
            let chosen = match self.body.op(node) {
                Op::Sub => args.first().filter(can),
                _ if takes_memory_only(self.body, node) => None,
                // The argument that was computed last is the end of the longest path.
                _ => args.iter().filter(can).max(),
            };
            if let Some(&chosen) = chosen {
                self.fused[chosen.index()] = true;
            }
        }
    }

    /// How a node that has a place is computed.
    pub fn chain(&self, node: NodeId, place: &dyn Fn(NodeId) -> View) -> Chain {
        let body = self.body;
        let view = |node| self.view(node, place);
        let args = body.args(node);
        let fused = args.iter().copied().find(|arg| self.fused[arg.index()]);
        let mut rest: Vec<NodeId> = args.to_vec();
        if let Some(place) = fused.and_then(|fused| rest.iter().position(|&arg| arg == fused)) {
            rest.remove(place);
        }
        let begin = |rest: &mut Vec<NodeId>| match fused {
            Some(fused) => self.chain(fused, place),
            None => {
                // The chain begins with an argument that is no constant and has the fewest bytes
                // apart, because two bytes that follow each other are loaded at once.
                let begins = |arg: &NodeId| {
                    let view = view(*arg);
                    let apart = (0..view.limbs()).filter(|&i| view.is_apart(i)).count();
                    (view.is_number(), apart)
                };
                let first = (0..rest.len()).min_by_key(|&i| begins(&rest[i])).unwrap_or(0);
                let first = if body.op(node) == Op::Sub { 0 } else { first };
                Chain { start: view(rest.remove(first)), steps: Vec::new() }
            }
        };
        let width = u32::from(body.width(node));
        let op = body.op(node);
        let with = |mut chain: Chain, logic: Logic, rest: &[NodeId]| {
            let mut views: Vec<View> = rest.iter().map(|&arg| view(arg)).collect();
            views.sort_by_key(View::is_number);
            chain.steps.extend(views.into_iter().map(|view| Step::With(logic, view)));
            chain
        };
        let then = |mut chain: Chain, steps: &[Step]| {
            chain.steps.extend_from_slice(steps);
            chain
        };
        match op {
            Op::Add | Op::And | Op::Or | Op::Xor | Op::Sub | Op::Xnor => {
                let logic = match op {
                    Op::Add => Logic::Add,
                    Op::And => Logic::And,
                    Op::Or => Logic::Or,
                    Op::Sub => Logic::Sub,
                    _ => Logic::Xor,
                };
                let chain = with(begin(&mut rest), logic, &rest);
                if op == Op::Xnor { then(chain, &[Step::Not]) } else { chain }
            }
            Op::Not => then(begin(&mut rest), &[Step::Not]),
            Op::SubBytes => then(begin(&mut rest), &[Step::Table(Table::SubBytes)]),
            Op::Xtime => then(begin(&mut rest), &[Step::Table(Table::Xtime)]),
            Op::Rotl(_) | Op::Rotr(_) => {
                let left = match op {
                    Op::Rotl(n) => u32::from(n),
                    Op::Rotr(n) => width - u32::from(n),
                    _ => 0,
                };
                let (by, step) = rotation(width, left);
                match fused {
                    Some(_) => then(begin(&mut rest), &exchanged(by, step)),
                    None => {
                        let mut start = view(rest[0]);
                        start.0.rotate_right(by);
                        Chain { start, steps: vec![step] }
                    }
                }
            }
            Op::Shl(n) | Op::Shr(n) => {
                let is_left = matches!(op, Op::Shl(_));
                let (by, step) = shift(width, u32::from(n), is_left);
                match fused {
                    Some(_) => then(begin(&mut rest), &[step]),
                    None => {
                        let start = shifted(&view(rest[0]).0, by, is_left, Byte::Is(0));
                        Chain { start: View(start), steps: vec![step] }
                    }
                }
            }
            Op::RotlVar | Op::RotrVar => {
                let step = Step::RotateBy(view(args[1]), op == Op::RotrVar);
                Chain { start: view(args[0]), steps: vec![step] }
            }
            _ => unreachable!("other operations are refused before"),
        }
    }
}

fn identity(body: &Function, node: NodeId) -> Vec<Source> {
    (0..bytes(body, node)).map(|i| Source::Node(node, i as u8)).collect()
}

/// The bytes of a value moved by `by` places, up or down in significance, and filled with `zero`.
fn shifted<T: Copy>(bytes: &[T], by: usize, is_left: bool, zero: T) -> Vec<T> {
    let count = bytes.len();
    let of = |i: usize| match is_left {
        true => i.checked_sub(by).map_or(zero, |from| bytes[from]),
        false => bytes.get(i + by).copied().unwrap_or(zero),
    };
    (0..count).map(of).collect()
}

/// The bytes of a node's result, if nothing has to be computed for them.
fn alias(body: &Function, node: NodeId, forms: &[Computation]) -> Option<Vec<Source>> {
    let count = bytes(body, node);
    let of = |arg: NodeId| match &forms[arg.index()] {
        Computation::Alias(sources) => sources.clone(),
        Computation::Value => identity(body, arg),
    };
    let args = body.args(node);
    match body.op(node) {
        Op::Input(_) => Some(identity(body, node)),
        Op::Const(value) => {
            Some(value.to_le_bytes()[..count].iter().map(|&byte| Source::Is(byte)).collect())
        }
        Op::Rotl(n) | Op::Rotr(n) if n % 8 == 0 => {
            let mut sources = of(args[0]);
            let by = usize::from(n / 8);
            match body.op(node) {
                Op::Rotl(_) => sources.rotate_right(by),
                _ => sources.rotate_left(by),
            }
            Some(sources)
        }
        Op::Shl(n) if n % 8 == 0 => {
            Some(shifted(&of(args[0]), usize::from(n / 8), true, Source::Is(0)))
        }
        Op::Shr(n) if n % 8 == 0 => {
            Some(shifted(&of(args[0]), usize::from(n / 8), false, Source::Is(0)))
        }
        Op::SwapBytes => {
            let mut sources = of(args[0]);
            sources.reverse();
            Some(sources)
        }
        Op::And => joined(args, &of, count, |mask, byte| match mask {
            0 => Some(Source::Is(0)),
            0xff => Some(byte),
            _ => None,
        }),
        Op::Or | Op::Xor => joined(args, &of, count, |mask, byte| (mask == 0).then_some(byte)),
        _ => None,
    }
}

/// The bytes of an operation on several arguments, if at most one argument is no constant in each
/// byte, and `with` knows the result without computing.
fn joined(
    args: &[NodeId],
    of: &dyn Fn(NodeId) -> Vec<Source>,
    count: usize,
    with: fn(u8, Source) -> Option<Source>,
) -> Option<Vec<Source>> {
    let mut result = of(args[0]);
    for &arg in &args[1..] {
        let other = of(arg);
        for i in 0..count {
            result[i] = match (result[i], other[i]) {
                (Source::Is(mask), byte) => with(mask, byte)?,
                (byte, Source::Is(mask)) => with(mask, byte)?,
                _ => return None,
            };
        }
    }
    Some(result)
}

fn supported(body: &Function, node: NodeId) -> Result<(), Error> {
    let op = body.op(node);
    let refuse = |problem: &str| {
        Err(Error::Node {
            function: body.name.clone(),
            node: node.to_string(),
            problem: problem.to_owned(),
        })
    };
    if !matches!(body.width(node), 16 | 32 | 64) {
        return refuse(&format!("has {} bits; there are words of 16, 32 and 64", body.width(node)));
    }
    match op {
        Op::Add
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Sub
        | Op::Xnor
        | Op::Not
        | Op::SubBytes
        | Op::Xtime
        | Op::Rotl(_)
        | Op::Rotr(_)
        | Op::Shl(_)
        | Op::Shr(_)
        | Op::RotlVar
        | Op::RotrVar => Ok(()),
        Op::Input(_) | Op::Const(_) | Op::SwapBytes => Ok(()),
        Op::Carry | Op::Lut3(_) | Op::Call(_) | Op::Result(_) | Op::External => {
            refuse(&format!("is of the operation {}, which the CPU has no code for", op.name()))
        }
    }
}

/// Whether a node's argument is always read from memory: where its bytes are moved on the way, and
/// in all rotations and shifts but those of 32 bits, because a word of 64 bits does not fit into
/// the registers.
fn takes_memory_only(body: &Function, node: NodeId) -> bool {
    let width = u32::from(body.width(node));
    match body.op(node) {
        Op::Rotl(_) | Op::Rotr(_) | Op::Shl(_) | Op::Shr(_) if width != 32 => true,
        Op::RotlVar | Op::RotrVar => true,
        Op::Rotl(n) => !matches!(rotation(width, u32::from(n)).0, 0 | 2),
        Op::Rotr(n) => !matches!(rotation(width, width - u32::from(n)).0, 0 | 2),
        Op::Shl(n) => shift(width, u32::from(n), true).0 != 0,
        Op::Shr(n) => shift(width, u32::from(n), false).0 != 0,
        Op::Input(_) | Op::Const(_) | Op::Call(_) | Op::Result(_) | Op::External => false,
        Op::Add | Op::Carry | Op::Sub | Op::And | Op::Or | Op::Xor | Op::Xnor | Op::Not => false,
        Op::Lut3(_) | Op::SubBytes | Op::Xtime | Op::SwapBytes => false,
    }
}

/// A rotation left by `left` bits as a rotation by bytes, and a step for the remaining bits.
fn rotation(width: u32, left: u32) -> (usize, Step) {
    let bytes = width / 8;
    if width == 32 {
        return match left % 8 {
            bits @ 0..=4 => ((left / 8) as usize, Step::RotateLeft(bits as u8)),
            bits => (((left / 8 + 1) % bytes) as usize, Step::RotateRight(8 - bits as u8)),
        };
    }
    match left % 8 {
        1 => ((left / 8) as usize, Step::RotateLeft(1)),
        7 => (((left / 8 + 1) % bytes) as usize, Step::RotateRight(1)),
        _ => ((left / 16 * 2) as usize, Step::RotateLeft((left % 16) as u8)),
    }
}

/// A shift as a shift by bytes, and a step for the remaining bits.
fn shift(width: u32, by: u32, is_left: bool) -> (usize, Step) {
    let (bytes, bits) = match width {
        32 => (by / 8, by % 8),
        _ if by % 8 == 1 => (by / 8, 1),
        _ => (by / 16 * 2, by % 16),
    };
    let step = if is_left { Step::Left(bits as u8) } else { Step::Right(bits as u8) };
    (bytes as usize, step)
}

/// The steps of a rotation in the registers: the halves are exchanged, then bits are rotated.
fn exchanged(by: usize, step: Step) -> Vec<Step> {
    if by == 0 { vec![step] } else { vec![Step::Exchange, step] }
}
