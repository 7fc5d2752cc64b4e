//! Builds functions. Constants are folded, and equal nodes are shared, as nodes are added.

use crate::interpret::{evaluate, mask};
use crate::ir::{Function, Input, Kind, Node, NodeId, Op, Output, Role, Step, StepId};
use std::collections::HashMap;

/// A function that is being built.
#[derive(Debug)]
pub struct Builder {
    function: Function,
    /// Every node that may be shared (constants and operations on words), by operation, width and
    /// arguments.
    known: HashMap<(Op, u8, Vec<NodeId>), NodeId>,
    substeps: HashMap<(StepId, String, u32), StepId>,
    open: Vec<StepId>,
    /// Whether operations stay as they are written.
    literal: bool,
}

impl Builder {
    /// An empty function.
    pub fn new(name: &str) -> Self {
        Self {
            function: Function::new(name),
            known: HashMap::new(),
            substeps: HashMap::new(),
            open: vec![StepId::ROOT],
            literal: false,
        }
    }

    /// An empty function in which every operation added with [`Builder::op`] stays as it is
    /// written: it is not simplified, and equal operations are not shared. Equal rounds then have
    /// equal nodes, also where a round begins with constants or has a value in common with another
    /// round.
    pub fn literal(name: &str) -> Self {
        Self { literal: true, ..Self::new(name) }
    }

    /// The function so far.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The finished function.
    pub fn finish(self) -> Function {
        self.function
    }

    /// Adds an input of `width` bits.
    pub fn input(&mut self, name: &str, role: Role, width: u8) -> NodeId {
        let number = self.function.inputs.len() as u32;
        let node = self.push(Op::Input(number), width, StepId::ROOT, &[]);
        self.function.inputs.push(Input { name: name.to_owned(), role, node });
        node
    }

    /// Adds an output.
    pub fn output(&mut self, name: &str, value: NodeId) {
        self.function.outputs.push(Output { name: name.to_owned(), value });
    }

    /// The node of a constant, of which the low `width` bits count.
    pub fn constant(&mut self, value: u64, width: u8) -> NodeId {
        self.shared(Op::Const(value & mask(width)), width, StepId::ROOT, &[])
    }

    /// The value of a node that is a constant.
    pub fn constant_value(&self, node: NodeId) -> Option<u64> {
        match self.function.op(node) {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }

    /// The node of an operation in the step that is open.
    ///
    /// If all arguments are constants, the result is a constant; if an equal node exists, the
    /// result is that node; if a neutral or absorbing constant or two equal arguments make the
    /// operation unnecessary, the result is the argument or constant that remains.
    pub fn op(&mut self, op: Op, args: &[NodeId]) -> NodeId {
        let width = self.function.width(args[0]);
        if self.literal {
            let step = self.open_step();
            return self.push(op, width, step, args);
        }
        if let Some(node) = self.simplified(op, width, args) {
            return node;
        }
        let step = self.open_step();
        if op.is_commutative() && args.len() == 2 && args[0] > args[1] {
            // The arguments stay in the order of the text. This look-up finds a node with the two
            // arguments in ascending order; `shared` below finds one with them in descending order.
            let known = self.known.get(&(op, width, vec![args[1], args[0]]));
            if let Some(&node) = known {
                return node;
            }
        }
        self.shared(op, width, step, args)
    }

    /// The node of an operation of `width` bits without simplification, in the step that is open:
    /// for calls and results, whose width is not that of their arguments, and for copies that must
    /// not fold. An equal node is shared, also in a [literal](Builder::literal) function.
    pub fn node(&mut self, op: Op, width: u8, args: &[NodeId]) -> NodeId {
        let step = self.open_step();
        self.shared(op, width, step, args)
    }

    /// Adds a call in the step that is open; returns its results, whose widths in bits are
    /// `widths`.
    pub fn call(&mut self, callee: Op, args: &[NodeId], widths: &[u8]) -> Vec<NodeId> {
        let step = self.open_step();
        let call = self.push(callee, widths[0], step, args);
        let rest = widths.iter().enumerate().skip(1);
        let rest: Vec<_> =
            rest.map(|(i, &width)| self.push(Op::Result(i as u32), width, step, &[call])).collect();
        std::iter::once(call).chain(rest).collect()
    }

    /// Opens the step `name[index]` inside the one that is open. If it is new, it has the kind
    /// `kind`, and the words `over` pass through it.
    pub fn enter(&mut self, kind: Kind, name: &str, index: u32, over: &[NodeId]) {
        let step = self.substep(self.open_step(), (kind, name, index), over);
        self.open.push(step);
    }

    /// Opens a step that exists.
    pub fn reenter(&mut self, step: StepId) {
        self.open.push(step);
    }

    /// Says which words pass through a step.
    pub fn set_over(&mut self, step: StepId, over: Vec<NodeId>) {
        self.function.steps[step.index()].over = over;
    }

    /// Closes the innermost step.
    ///
    /// # Panics
    /// If none is open.
    pub fn leave(&mut self) {
        assert!(self.open.len() > 1, "no step is open");
        self.open.pop();
    }

    /// The innermost open step.
    pub fn open_step(&self) -> StepId {
        *self.open.last().expect("the root stays open")
    }

    /// Computes `f` in `step`, a step of this function.
    pub fn within<T>(&mut self, step: StepId, f: impl FnOnce(&mut Self) -> T) -> T {
        self.open.push(step);
        let result = f(self);
        self.open.pop();
        result
    }

    /// The step `name[index]` inside `parent`; if there is none, a new one of this kind through
    /// which the words `over` pass.
    pub fn substep(
        &mut self,
        parent: StepId,
        (kind, name, index): (Kind, &str, u32),
        over: &[NodeId],
    ) -> StepId {
        let steps = &mut self.function.steps;
        *self.substeps.entry((parent, name.to_owned(), index)).or_insert_with(|| {
            let (name, over) = (name.to_owned(), over.to_vec());
            steps.push(Step { parent, kind, name, index, over });
            StepId(steps.len() as u32 - 1)
        })
    }

    /// The step inside `parent` with the kind, name and index of `step`; the words that pass
    /// through it are not copied.
    pub fn substep_like(&mut self, parent: StepId, step: &Step) -> StepId {
        self.substep(parent, (step.kind, &step.name, step.index), &[])
    }

    /// The step at the root with the path of a step of `from`, made where there is none.
    pub fn step_at_path_of(&mut self, from: &Function, step: StepId) -> StepId {
        let path = from.path(step).into_iter();
        path.fold(StepId::ROOT, |parent, id| self.substep_like(parent, &from.steps()[id.index()]))
    }

    fn shared(&mut self, op: Op, width: u8, step: StepId, args: &[NodeId]) -> NodeId {
        let key = (op, width, args.to_vec());
        if let Some(&node) = self.known.get(&key) {
            return node;
        }
        let node = self.push(op, width, step, args);
        self.known.insert(key, node);
        node
    }

    fn push(&mut self, op: Op, width: u8, step: StepId, args: &[NodeId]) -> NodeId {
        let start = self.function.args.len() as u32;
        self.function.args.extend_from_slice(args);
        let args = start..self.function.args.len() as u32;
        self.function.nodes.push(Node { op, width, step, args });
        NodeId(self.function.nodes.len() as u32 - 1)
    }

    /// The constant or the argument to which an operation simplifies, if it does.
    fn simplified(&mut self, op: Op, width: u8, args: &[NodeId]) -> Option<NodeId> {
        let constants: Vec<Option<u64>> =
            args.iter().map(|&arg| self.constant_value(arg)).collect();
        if let Some(values) = constants.iter().copied().collect::<Option<Vec<u64>>>() {
            return Some(self.constant(evaluate(op, width, &values), width));
        }
        let [x, y] = args else { return self.shortened(op, width, args) };
        let (x, y, ones) = (*x, *y, mask(width));
        match (op, constants[0], constants[1]) {
            (Op::Add | Op::Xor | Op::Or, Some(0), _) => Some(y),
            (Op::Add | Op::Sub | Op::Xor | Op::Or | Op::RotlVar | Op::RotrVar, _, Some(0)) => {
                Some(x)
            }
            (Op::And, Some(all), _) if all == ones => Some(y),
            (Op::And, _, Some(all)) if all == ones => Some(x),
            (Op::And, Some(0), _) | (Op::And, _, Some(0)) => Some(self.constant(0, width)),
            (Op::Xnor, Some(all), _) if all == ones => Some(y),
            (Op::Xnor, _, Some(all)) if all == ones => Some(x),
            (Op::Carry, Some(0), _) | (Op::Carry, _, Some(0)) => Some(self.constant(0, width)),
            (Op::Xor | Op::Sub, _, _) if x == y => Some(self.constant(0, width)),
            (Op::And | Op::Or, _, _) if x == y => Some(x),
            _ => None,
        }
    }

    /// An associative operation on three or more arguments with its constants joined into one, if
    /// that leaves fewer arguments.
    fn shortened(&mut self, op: Op, width: u8, args: &[NodeId]) -> Option<NodeId> {
        let (neutral, absorbing) = match op {
            Op::Add | Op::Xor => (0, None),
            Op::Or => (0, Some(mask(width))),
            Op::And => (mask(width), Some(0)),
            _ => return None,
        };
        let values: Vec<u64> = args.iter().filter_map(|&arg| self.constant_value(arg)).collect();
        if values.is_empty() {
            return None;
        }
        let joined = evaluate(op, width, &values);
        if absorbing == Some(joined) {
            return Some(self.constant(joined, width));
        }
        let mut rest: Vec<NodeId> =
            args.iter().copied().filter(|&arg| self.constant_value(arg).is_none()).collect();
        if joined != neutral {
            if values.len() == 1 {
                return None;
            }
            rest.push(self.constant(joined, width));
        }
        match rest[..] {
            [one] => Some(one),
            _ => Some(self.op(op, &rest)),
        }
    }
}
