//! The field element that records.

use super::functions::FieldFunction;
use crate::builder::Builder;
use crate::ir::{FunctionId, Kind, Module, NodeId, OPAQUE, Op, Role, StepId};
use manylane_primitives::pairing::field::itoh_tsujii;
use manylane_primitives::pairing::{BinaryField, Element, Parameters};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{Add, Mul};
use std::rc::Rc;

/// The functions of the field that were called.
#[derive(Debug, Default)]
struct Functions {
    module: Module,
    known: HashMap<FieldFunction, FunctionId>,
}

/// The graph that traced elements record into.
#[derive(Debug)]
pub struct Tracer {
    builder: RefCell<Builder>,
    functions: Rc<RefCell<Functions>>,
}

impl Tracer {
    /// A tracer that fills `builder`.
    pub fn new(builder: Builder) -> Self {
        Self { builder: RefCell::new(builder), functions: Rc::default() }
    }

    /// The functions of the field, then the function that was traced.
    pub fn into_module(self) -> Module {
        let function = self.builder.into_inner().finish();
        let mut module = std::mem::take(&mut self.functions.borrow_mut().module);
        module.push(function);
        module
    }

    /// A new input.
    pub fn input<P: Parameters>(&self, name: &str) -> Traced<'_, P> {
        let node = self.builder.borrow_mut().input(name, Role::Message, OPAQUE);
        Traced(Value::Node(self, node))
    }

    /// Declares elements as outputs `name0`, `name1`, ….
    pub fn outputs<P: Parameters>(&self, name: &str, elements: &[Traced<'_, P>]) {
        for (i, &element) in elements.iter().enumerate() {
            let node = self.node(element);
            self.builder.borrow_mut().output(&format!("{name}{i}"), node);
        }
    }

    /// The node of an element; constants become nodes.
    fn node<P: Parameters>(&self, element: Traced<'_, P>) -> NodeId {
        match element.0 {
            Value::Node(_, node) => node,
            Value::Const(value) => {
                let [low, high @ ..] = value.limbs().as_ref() else { unreachable!("a limb") };
                assert!(high.iter().all(|&limb| limb == 0), "constants are of degree below 64");
                let mut builder = self.builder.borrow_mut();
                builder.within(StepId::ROOT, |b| b.node(Op::Const(*low), OPAQUE, &[]))
            }
        }
    }

    /// The function, made at its first call. An inversion is a function of products and powers, all
    /// others are the field's own.
    fn function<P: Parameters>(&self, function: FieldFunction) -> FunctionId {
        let known = self.functions.borrow().known.get(&function).copied();
        known.unwrap_or_else(|| {
            let inner = Self {
                builder: RefCell::new(Builder::new(&function.to_string())),
                functions: Rc::clone(&self.functions),
            };
            let a = inner.input::<P>("a");
            let value = match function {
                FieldFunction::Inverse => inner.node(itoh_tsujii(a)),
                FieldFunction::Add | FieldFunction::Multiply => {
                    let b = inner.input::<P>("b");
                    inner.external(&[a, b])
                }
                FieldFunction::Square | FieldFunction::SquareRoot | FieldFunction::Frobenius(_) => {
                    inner.external(&[a])
                }
            };
            let mut builder = inner.builder.into_inner();
            builder.output("c", value);
            let mut functions = self.functions.borrow_mut();
            let id = functions.module.push(builder.finish());
            functions.known.insert(function, id);
            id
        })
    }

    fn external<P: Parameters>(&self, args: &[Traced<'_, P>]) -> NodeId {
        let args: Vec<NodeId> = args.iter().map(|&arg| self.node(arg)).collect();
        self.builder.borrow_mut().node(Op::External, OPAQUE, &args)
    }
}

#[derive(Clone, Copy, Debug)]
enum Value<'g, P: Parameters> {
    Const(Element<P>),
    Node(&'g Tracer, NodeId),
}

/// An element that records what is computed from it. Operations on constants alone, and operations
/// on 0 or 1 that need no computation, are not recorded; equal calls are recorded once.
#[derive(Clone, Copy, Debug)]
pub struct Traced<'g, P: Parameters>(Value<'g, P>);

impl<'g, P: Parameters> Traced<'g, P> {
    fn tracer(self) -> Option<&'g Tracer> {
        match self.0 {
            Value::Const(_) => None,
            Value::Node(tracer, _) => Some(tracer),
        }
    }

    /// A call of a function; at least one of the elements is a node.
    fn call<const ARGS: usize>(function: FieldFunction, args: [Self; ARGS]) -> Self {
        let tracer = args.iter().find_map(|arg| arg.tracer()).expect("an element to record");
        let callee = tracer.function::<P>(function);
        let mut nodes = args.map(|arg| tracer.node(arg));
        // Sums and products commute.
        nodes.sort();
        let node = tracer.builder.borrow_mut().node(Op::Call(callee), OPAQUE, &nodes);
        Self(Value::Node(tracer, node))
    }

    /// A function of one element.
    fn map(
        self,
        function: FieldFunction,
        of_constant: impl FnOnce(Element<P>) -> Element<P>,
    ) -> Self {
        match self.0 {
            Value::Const(a) => Self(Value::Const(of_constant(a))),
            Value::Node(..) => Self::call(function, [self]),
        }
    }

    fn is(self, constant: Element<P>) -> bool {
        matches!(self.0, Value::Const(value) if value == constant)
    }
}

impl<P: Parameters> Add for Traced<'_, P> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let zero = Element::zero();
        match (self.0, other.0) {
            (Value::Const(a), Value::Const(b)) => Self(Value::Const(a + b)),
            _ if self.is(zero) => other,
            _ if other.is(zero) => self,
            (Value::Node(_, a), Value::Node(_, b)) if a == b => Self::zero(),
            _ => Self::call(FieldFunction::Add, [self, other]),
        }
    }
}

impl<P: Parameters> Mul for Traced<'_, P> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (zero, one) = (Element::zero(), Element::one());
        match (self.0, other.0) {
            (Value::Const(a), Value::Const(b)) => Self(Value::Const(a * b)),
            _ if self.is(zero) || other.is(one) => self,
            _ if other.is(zero) || self.is(one) => other,
            _ => Self::call(FieldFunction::Multiply, [self, other]),
        }
    }
}

impl<P: Parameters> BinaryField for Traced<'_, P> {
    type Parameters = P;

    fn constant(value: Element<P>) -> Self {
        Self(Value::Const(value))
    }

    fn square(self) -> Self {
        self.map(FieldFunction::Square, Element::square)
    }

    fn square_root(self) -> Self {
        self.map(FieldFunction::SquareRoot, Element::square_root)
    }

    fn frobenius(self, n: usize) -> Self {
        match n % P::M {
            0 => self,
            1 => self.square(),
            n if n == P::M - 1 => self.square_root(),
            n => self.map(FieldFunction::Frobenius(n), |a| a.frobenius(n)),
        }
    }

    fn inverse(self) -> Self {
        self.map(FieldFunction::Inverse, Element::inverse)
    }

    /// A step through which only constants pass is not recorded.
    fn enter(over: &[Self], kind: Kind, name: &'static str, index: usize) {
        if let Some(tracer) = over.iter().find_map(|element| element.tracer()) {
            let nodes: Vec<NodeId> = over.iter().map(|&element| tracer.node(element)).collect();
            tracer.builder.borrow_mut().enter(kind, name, index as u32, &nodes);
        }
    }

    fn leave(over: &[Self]) {
        if let Some(tracer) = over.iter().find_map(|element| element.tracer()) {
            tracer.builder.borrow_mut().leave();
        }
    }
}
