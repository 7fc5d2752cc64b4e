//! The word that records: computing a definition over [`Traced`] words builds its graph.
//!
//! A traced word is a constant, or a node of the [`Tracer`] that it carries a reference to. There
//! is no global state: two traces can be made side by side.

use crate::builder::Builder;
use crate::interpret::evaluate;
use crate::ir::{NodeId, Op, Role};
use manylane_primitives::word::{ByteSub, Kind, Native, RotateVar, Word};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

/// The graph that traced words record into.
#[derive(Debug)]
pub struct Tracer(RefCell<Builder>);

impl Tracer {
    /// A tracer that fills `builder`.
    pub fn new(builder: Builder) -> Self {
        Self(RefCell::new(builder))
    }

    /// The builder with all that was traced.
    pub fn into_builder(self) -> Builder {
        self.0.into_inner()
    }

    /// A new input.
    pub fn input<N: Native>(&self, name: &str, role: Role) -> Traced<'_, N> {
        let node = self.0.borrow_mut().input(name, role, width::<N>());
        Traced::node(self, node)
    }

    /// An existing node as a word.
    pub fn word<N: Native>(&self, node: NodeId) -> Traced<'_, N> {
        Traced::node(self, node)
    }

    /// The node of a word; constants become nodes.
    pub fn node<N: Native>(&self, word: Traced<'_, N>) -> NodeId {
        match word.value {
            Value::Const(value) => self.0.borrow_mut().constant(value, width::<N>()),
            Value::Node(_, node) => node,
        }
    }

    /// Declares words as outputs `name0`, `name1`, ….
    pub fn outputs<N: Native>(&self, name: &str, words: &[Traced<'_, N>]) {
        for (i, &word) in words.iter().enumerate() {
            let node = self.node(word);
            self.0.borrow_mut().output(&format!("{name}{i}"), node);
        }
    }
}

/// Bits of a word.
pub(crate) fn width<N: Native>() -> u8 {
    8 * N::BYTES as u8
}

#[derive(Clone, Copy, Debug)]
enum Value<'g> {
    Const(u64),
    Node(&'g Tracer, NodeId),
}

/// A word that records what is computed from it.
#[derive(Clone, Copy, Debug)]
pub struct Traced<'g, N> {
    value: Value<'g>,
    native: PhantomData<N>,
}

impl<'g, N: Native> Traced<'g, N> {
    fn node(tracer: &'g Tracer, node: NodeId) -> Self {
        Self { value: Value::Node(tracer, node), native: PhantomData }
    }

    fn tracer(self) -> Option<&'g Tracer> {
        match self.value {
            Value::Const(_) => None,
            Value::Node(tracer, _) => Some(tracer),
        }
    }

    fn apply<const ARGS: usize>(op: Op, args: [Self; ARGS]) -> Self {
        let Some(tracer) = args.iter().find_map(|arg| arg.tracer()) else {
            let values = args.map(|arg| match arg.value {
                Value::Const(value) => value,
                Value::Node(..) => unreachable!("a node has a tracer"),
            });
            let value = Value::Const(evaluate(op, width::<N>(), &values));
            return Self { value, native: PhantomData };
        };
        let nodes = args.map(|arg| tracer.node(arg));
        let node = tracer.0.borrow_mut().op(op, &nodes);
        Self::node(tracer, node)
    }

    fn by_amount(self, op: fn(u8) -> Op, n: usize) -> Self {
        assert!(n < usize::from(width::<N>()), "an amount is less than the width");
        if n == 0 { self } else { Self::apply(op(n as u8), [self]) }
    }
}

macro_rules! binary {
    ($($trait:ident $function:ident $op:ident),*) => { $(
        impl<N: Native> $trait for Traced<'_, N> {
            type Output = Self;
            fn $function(self, other: Self) -> Self {
                Self::apply(Op::$op, [self, other])
            }
        }
    )* };
}
binary!(Add add Add, Sub sub Sub, BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor);

impl<N: Native> Not for Traced<'_, N> {
    type Output = Self;
    fn not(self) -> Self {
        Self::apply(Op::Not, [self])
    }
}

impl<N: Native> Shl<usize> for Traced<'_, N> {
    type Output = Self;
    fn shl(self, n: usize) -> Self {
        self.by_amount(Op::Shl, n)
    }
}

impl<N: Native> Shr<usize> for Traced<'_, N> {
    type Output = Self;
    fn shr(self, n: usize) -> Self {
        self.by_amount(Op::Shr, n)
    }
}

impl<N: Native> Word for Traced<'_, N> {
    type Native = N;

    fn constant(value: N) -> Self {
        Self { value: Value::Const(value.number()), native: PhantomData }
    }

    fn rotl(self, n: usize) -> Self {
        self.by_amount(Op::Rotl, n)
    }

    fn rotr(self, n: usize) -> Self {
        self.by_amount(Op::Rotr, n)
    }

    /// A step through which only constants pass is not recorded: all its values are constants.
    fn enter(over: &mut [Self], kind: Kind, name: &'static str, index: usize) {
        if let Some(tracer) = over.iter().find_map(|word| word.tracer()) {
            let nodes: Vec<NodeId> = over.iter().map(|&word| tracer.node(word)).collect();
            tracer.0.borrow_mut().enter(kind, name, index as u32, &nodes);
        }
    }

    fn leave(over: &[Self]) {
        if let Some(tracer) = over.iter().find_map(|word| word.tracer()) {
            tracer.0.borrow_mut().leave();
        }
    }
}

impl<N: Native> RotateVar for Traced<'_, N> {
    fn rotl_var(self, by: Self) -> Self {
        Self::apply(Op::RotlVar, [self, by])
    }
    fn rotr_var(self, by: Self) -> Self {
        Self::apply(Op::RotrVar, [self, by])
    }
}

impl<N: Native> ByteSub for Traced<'_, N> {
    fn sub_bytes(self) -> Self {
        Self::apply(Op::SubBytes, [self])
    }
    fn xtime(self) -> Self {
        Self::apply(Op::Xtime, [self])
    }
}
