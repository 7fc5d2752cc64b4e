//! The graph: nodes in order of computation, each in a step of the primitive.
//!
//! ```text
//! module ── functions ── inputs (with roles), nodes, outputs
//!                        nodes ── operation, width, arguments, step
//!                        steps ── a tree: round[3] / g[5]
//! ```
//!
//! A [`Function`] is built through a [`Builder`](crate::builder::Builder) and does not change
//! afterwards; a pass makes a new one. What must hold of a module is listed, and checked, in
//! [`verify`](crate::verify).

use std::fmt;
use std::ops::Range;

pub use manylane_primitives::word::Kind;

/// A node of a function. Nodes are numbered in order of computation, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// A step of a function. Parents have smaller numbers than their substeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StepId(pub u32);

impl StepId {
    /// The root, to which operations outside all steps belong.
    pub const ROOT: Self = Self(0);

    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

impl FunctionId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The role of an input in the primitive, which says when its value is available: a chaining value
/// only after the block before, all others earlier. Whoever computes something in advance, before
/// the block arrives or during the block before, needs to know this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// A word of the message or of the plaintext.
    Message,
    /// A word of the chaining value, or of a round's state.
    Chaining,
    /// A word of the block counter.
    Counter,
    /// A word of the key.
    Key,
    /// A public constant that the caller supplies: an initial value, a table, a round constant.
    Constant,
}

manylane_primitives::names! { Role:
    /// Its name in the text form.
    Message "message", Chaining "chaining", Counter "counter", Key "key", Constant "constant",
}

/// The width of an opaque value, such as an element of a field. Only inputs, constants, calls and
/// [`Op::External`] have it.
pub const OPAQUE: u8 = 0;

/// An operation on words of w bits, w being the node's width. Arguments have the same width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// The function's input of this number.
    Input(u32),
    /// A value below 2^w.
    Const(u64),
    /// Sum of two or more arguments mod 2^w.
    Add,
    /// The carry (0 or 1) out of the sum of two words and, if there is a third argument, a carry in
    /// (0 or 1).
    Carry,
    /// x − y mod 2^w.
    Sub,
    /// Conjunction of two or more arguments, bit by bit.
    And,
    /// Disjunction of two or more arguments.
    Or,
    /// Exclusive or of two or more arguments.
    Xor,
    /// Complement of the exclusive or of two arguments.
    Xnor,
    /// Complement.
    Not,
    /// Rotation left, 0 < n < w.
    Rotl(u8),
    /// Rotation right, 0 < n < w.
    Rotr(u8),
    /// Shift left, 0 < n < w.
    Shl(u8),
    /// Shift right, 0 < n < w.
    Shr(u8),
    /// Rotation of x left by y mod w.
    RotlVar,
    /// Rotation of x right by y mod w.
    RotrVar,
    /// Any function of three bits, bit by bit: bit 4x + 2y + z of the table.
    Lut3(u8),
    /// The AES S-box on every byte.
    SubBytes,
    /// Multiplication by x in GF(2^8), on every byte.
    Xtime,
    /// The bytes in reverse order.
    SwapBytes,
    /// A call of an earlier function of the module. Its value is the first result.
    Call(FunctionId),
    /// The result with this number, from 0, of its argument, which is a call.
    Result(u32),
    /// A value that something outside the graph computes from the arguments, such as a product in a
    /// field.
    External,
}

/// How many arguments an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Exactly this number.
    Exactly(usize),
    /// From the first number to the second, both included.
    Between(usize, usize),
    /// At least this number.
    AtLeast(usize),
    /// As many as the called function has inputs.
    OfCallee(FunctionId),
}

impl Op {
    /// The number of its arguments.
    pub fn arity(self) -> Arity {
        match self {
            Self::Input(_) | Self::Const(_) => Arity::Exactly(0),
            Self::Add | Self::And | Self::Or | Self::Xor => Arity::AtLeast(2),
            Self::External => Arity::AtLeast(1),
            Self::Carry => Arity::Between(2, 3),
            Self::Sub | Self::Xnor | Self::RotlVar | Self::RotrVar => Arity::Exactly(2),
            Self::Not
            | Self::Rotl(_)
            | Self::Rotr(_)
            | Self::Shl(_)
            | Self::Shr(_)
            | Self::SubBytes
            | Self::Xtime
            | Self::SwapBytes
            | Self::Result(_) => Arity::Exactly(1),
            Self::Lut3(_) => Arity::Exactly(3),
            Self::Call(callee) => Arity::OfCallee(callee),
        }
    }

    /// Its name in the text form and in cost tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input(_) => "input",
            Self::Const(_) => "const",
            Self::Add => "add",
            Self::Carry => "carry",
            Self::Sub => "sub",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Xnor => "xnor",
            Self::Not => "not",
            Self::Rotl(_) => "rotl",
            Self::Rotr(_) => "rotr",
            Self::Shl(_) => "shl",
            Self::Shr(_) => "shr",
            Self::RotlVar => "rotl_var",
            Self::RotrVar => "rotr_var",
            Self::Lut3(_) => "lut3",
            Self::SubBytes => "sub_bytes",
            Self::Xtime => "xtime",
            Self::SwapBytes => "swap_bytes",
            Self::Call(_) => "call",
            Self::Result(_) => "result",
            Self::External => "external",
        }
    }

    /// The number that stands after the arguments in the text form: an amount, or a table.
    pub fn immediate(self) -> Option<u8> {
        match self {
            Self::Rotl(n) | Self::Rotr(n) | Self::Shl(n) | Self::Shr(n) | Self::Lut3(n) => Some(n),
            Self::Input(_)
            | Self::Const(_)
            | Self::Add
            | Self::Carry
            | Self::Sub
            | Self::And
            | Self::Or
            | Self::Xor
            | Self::Xnor
            | Self::Not
            | Self::RotlVar
            | Self::RotrVar
            | Self::SubBytes
            | Self::Xtime
            | Self::SwapBytes
            | Self::Call(_)
            | Self::Result(_)
            | Self::External => None,
        }
    }

    /// Whether the order of its arguments does not matter.
    pub fn is_commutative(self) -> bool {
        matches!(self, Self::Add | Self::And | Self::Or | Self::Xor | Self::Xnor | Self::Carry)
    }

    /// Whether it takes any number of arguments, in any order and grouping.
    pub fn is_associative(self) -> bool {
        matches!(self, Self::Add | Self::And | Self::Or | Self::Xor)
    }

    /// Whether each bit of the value depends on the same bit of the arguments alone.
    pub fn is_bitwise(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Xor | Self::Xnor | Self::Not | Self::Lut3(_))
    }

    /// Every operation that computes a word from words, listed once for all its amounts: the
    /// operations that can have a cost. See [`Op::is_on_words`].
    pub const ON_WORDS: [Self; 18] = [
        Self::Add,
        Self::Carry,
        Self::Sub,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Xnor,
        Self::Not,
        Self::Rotl(1),
        Self::Rotr(1),
        Self::Shl(1),
        Self::Shr(1),
        Self::RotlVar,
        Self::RotrVar,
        Self::Lut3(0),
        Self::SubBytes,
        Self::Xtime,
        Self::SwapBytes,
    ];

    /// Whether it computes a word from words. If so, [`Op::ON_WORDS`] has it.
    pub fn is_on_words(self) -> bool {
        match self {
            Self::Add
            | Self::Carry
            | Self::Sub
            | Self::And
            | Self::Or
            | Self::Xor
            | Self::Xnor
            | Self::Not
            | Self::Rotl(_)
            | Self::Rotr(_)
            | Self::Shl(_)
            | Self::Shr(_)
            | Self::RotlVar
            | Self::RotrVar
            | Self::Lut3(_)
            | Self::SubBytes
            | Self::Xtime
            | Self::SwapBytes => true,
            Self::Input(_) | Self::Const(_) | Self::Call(_) | Self::Result(_) | Self::External => {
                false
            }
        }
    }

    /// Whether a machine does work for it. Inputs, constants and results are no work.
    pub fn is_work(self) -> bool {
        !matches!(self, Self::Input(_) | Self::Const(_) | Self::Result(_))
    }
}

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) op: Op,
    /// Bits, or [`OPAQUE`].
    pub(crate) width: u8,
    pub(crate) step: StepId,
    /// Its arguments, in `Function::args`.
    pub(crate) args: Range<u32>,
}

/// A named part of the computation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The step around it. The root is its own parent.
    pub parent: StepId,
    /// Its kind, by which planners and emitters go. The root is no step of a primitive: its kind is
    /// [`Kind::Block`].
    pub kind: Kind,
    /// Its name, for people, such as `round`. It may contain spaces inside, but no `/`, `[`, `]`,
    /// `@`, `;` or line end.
    pub name: String,
    /// Tells steps of one name apart, such as t in round t.
    pub index: u32,
    /// The words that pass through it, as they are before it.
    pub over: Vec<NodeId>,
}

/// An input of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name, such as `h0`: letters, digits, `_`, `.`, `-`.
    pub name: String,
    /// Its role in the primitive.
    pub role: Role,
    /// Its node.
    pub node: NodeId,
}

/// An output of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its name, such as `h0`: letters, digits, `_`, `.`, `-`.
    pub name: String,
    /// Its value.
    pub value: NodeId,
}

/// A computation without branches or loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, such as `sha256.compression`: letters, digits, `_`, `.`, `-`.
    pub name: String,
    pub(crate) inputs: Vec<Input>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) args: Vec<NodeId>,
    pub(crate) steps: Vec<Step>,
}

impl Function {
    /// A function without nodes, whose only step is the root.
    pub(crate) fn new(name: &str) -> Self {
        let root = Step {
            parent: StepId::ROOT,
            kind: Kind::Block,
            name: String::new(),
            index: 0,
            over: Vec::new(),
        };
        Self {
            name: name.to_owned(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            nodes: Vec::new(),
            args: Vec::new(),
            steps: vec![root],
        }
    }

    /// Its inputs; `Op::Input(i)` is the i-th.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Its outputs.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes, in order of computation.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The operation of a node.
    pub fn op(&self, node: NodeId) -> Op {
        self.nodes[node.index()].op
    }

    /// The bits of a node's value, or [`OPAQUE`].
    pub fn width(&self, node: NodeId) -> u8 {
        self.nodes[node.index()].width
    }

    /// The innermost step that a node belongs to.
    pub fn step(&self, node: NodeId) -> StepId {
        self.nodes[node.index()].step
    }

    /// The arguments of a node.
    pub fn args(&self, node: NodeId) -> &[NodeId] {
        let Range { start, end } = self.nodes[node.index()].args;
        &self.args[start as usize..end as usize]
    }

    /// All steps; the first is the root.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The steps around a step and itself, outermost first, without the root.
    pub fn path(&self, step: StepId) -> Vec<StepId> {
        let mut path = Vec::new();
        let mut at = step;
        while at != StepId::ROOT {
            path.push(at);
            at = self.steps[at.index()].parent;
        }
        path.reverse();
        path
    }

    /// The path in words: `round[3]/g[5]`; nothing for the root.
    pub fn path_name(&self, step: StepId) -> String {
        let parts = self.path(step).into_iter().map(|id| {
            let step = &self.steps[id.index()];
            format!("{}[{}]", step.name, step.index)
        });
        parts.collect::<Vec<_>>().join("/")
    }

    /// Whether a step is the root or a frame around a block or an output, and so no step of a
    /// primitive.
    pub fn is_frame(&self, step: StepId) -> bool {
        step == StepId::ROOT || self.steps[step.index()].kind.is_frame()
    }

    /// The step with this path, as [`Function::path_name`] writes it.
    pub fn find_step(&self, path: &str) -> Option<StepId> {
        (0..self.steps.len() as u32).map(StepId).find(|&id| self.path_name(id) == path)
    }

    /// The ancestor of `step` at `depth` (1 = outermost), or `step` itself if it lies less deep.
    pub fn ancestor(&self, step: StepId, depth: usize) -> StepId {
        let path = self.path(step);
        if path.len() <= depth {
            step
        } else {
            path.get(depth.wrapping_sub(1)).copied().unwrap_or(StepId::ROOT)
        }
    }

    /// Returns, for each node, the nodes that take it as an argument, each once per argument.
    pub fn users(&self) -> Vec<Vec<NodeId>> {
        let mut users = vec![Vec::new(); self.len()];
        for node in self.nodes() {
            for arg in self.args(node) {
                users[arg.index()].push(node);
            }
        }
        users
    }
}

/// Functions that call each other. The last one is the main function: what the module computes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    pub(crate) functions: Vec<Function>,
}

impl Module {
    /// A module of one function.
    pub fn of(function: Function) -> Self {
        Self { functions: vec![function] }
    }

    /// A module of no functions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a function that may call those before it.
    pub fn push(&mut self, function: Function) -> FunctionId {
        self.functions.push(function);
        FunctionId(self.functions.len() as u32 - 1)
    }

    /// Takes the last function away.
    pub fn pop(&mut self) -> Option<Function> {
        self.functions.pop()
    }

    /// All functions.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// One function.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The last function.
    ///
    /// # Panics
    /// If the module is empty.
    pub fn main(&self) -> &Function {
        self.functions.last().expect("a module has a function")
    }
}
