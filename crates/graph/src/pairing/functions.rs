//! The functions of a field that a pairing calls.

use crate::ir::{Function, Module, Op};
use serde::Serialize;
use std::fmt;
use std::ops::{AddAssign, Index, IndexMut};

/// A function of the field F_2^m.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldFunction {
    /// a + b.
    Add,
    /// a b.
    Multiply,
    /// a².
    Square,
    /// √a.
    SquareRoot,
    /// a^(2^n) for 1 < n < m − 1.
    Frobenius(usize),
    /// 1/a, and 0 for 0.
    Inverse,
}

impl FieldFunction {
    /// The function of this name.
    pub fn named(name: &str) -> Option<Self> {
        match FunctionKind::by_name(name) {
            Some(FunctionKind::Add) => Some(Self::Add),
            Some(FunctionKind::Multiply) => Some(Self::Multiply),
            Some(FunctionKind::Square) => Some(Self::Square),
            Some(FunctionKind::SquareRoot) => Some(Self::SquareRoot),
            Some(FunctionKind::Inverse) => Some(Self::Inverse),
            Some(FunctionKind::Frobenius) | None => {
                name.strip_prefix("frobenius-")?.parse().ok().map(Self::Frobenius)
            }
        }
    }

    /// Its kind.
    pub fn kind(self) -> FunctionKind {
        match self {
            Self::Add => FunctionKind::Add,
            Self::Multiply => FunctionKind::Multiply,
            Self::Square => FunctionKind::Square,
            Self::SquareRoot => FunctionKind::SquareRoot,
            Self::Frobenius(_) => FunctionKind::Frobenius,
            Self::Inverse => FunctionKind::Inverse,
        }
    }

    /// The function of the field that `op`, a call in `module`, calls; `None` if `op` is no call.
    ///
    /// # Panics
    /// If it is a call of another function.
    pub fn called(module: &Module, op: Op) -> Option<Self> {
        let Op::Call(callee) = op else { return None };
        let name = &module.function(callee).name;
        Some(Self::named(name).unwrap_or_else(|| panic!("{name} is no function of a field")))
    }
}

/// Its name, which the function of the module has.
impl fmt::Display for FieldFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frobenius(n) => write!(f, "frobenius-{n}"),
            _ => f.write_str(self.kind().name()),
        }
    }
}

/// A kind of function; all powers 2^n are of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionKind {
    /// a b.
    Multiply,
    /// a².
    Square,
    /// √a.
    SquareRoot,
    /// a^(2^n).
    Frobenius,
    /// 1/a.
    Inverse,
    /// a + b.
    Add,
}

manylane_primitives::names! { FunctionKind:
    /// Its name.
    Multiply "multiply", Square "square", SquareRoot "square_root", Frobenius "frobenius",
    Inverse "inverse", Add "add",
}

/// Number of calls of each function of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Calls {
    /// Calls of `multiply`.
    pub multiply: usize,
    /// Calls of `square`.
    pub square: usize,
    /// Calls of `square_root`.
    pub square_root: usize,
    /// Calls of `frobenius-n`, any n.
    pub frobenius: usize,
    /// Calls of `inverse`.
    pub inverse: usize,
    /// Calls of `add`.
    pub add: usize,
}

impl Calls {
    /// The calls in a function.
    pub fn of(module: &Module, function: &Function) -> Self {
        let mut calls = Self::default();
        for node in function.nodes() {
            if let Some(called) = FieldFunction::called(module, function.op(node)) {
                calls += called.kind();
            }
        }
        calls
    }

    /// The calls that an inversion makes.
    ///
    /// # Panics
    /// If the module has no function `inverse`.
    pub fn of_inverse(module: &Module) -> Self {
        let inverse = module.functions().iter().find(|f| f.name == FunctionKind::Inverse.name());
        Self::of(module, inverse.expect("the function `inverse`"))
    }

    /// Applies `f` to the two numbers of calls of each function.
    pub fn zip(mut self, other: Self, f: impl Fn(usize, usize) -> usize) -> Self {
        for kind in FunctionKind::ALL {
            self[kind] = f(self[kind], other[kind]);
        }
        self
    }
}

impl AddAssign<FunctionKind> for Calls {
    fn add_assign(&mut self, kind: FunctionKind) {
        self[kind] += 1;
    }
}

impl Index<FunctionKind> for Calls {
    type Output = usize;
    fn index(&self, kind: FunctionKind) -> &usize {
        match kind {
            FunctionKind::Multiply => &self.multiply,
            FunctionKind::Square => &self.square,
            FunctionKind::SquareRoot => &self.square_root,
            FunctionKind::Frobenius => &self.frobenius,
            FunctionKind::Inverse => &self.inverse,
            FunctionKind::Add => &self.add,
        }
    }
}

impl IndexMut<FunctionKind> for Calls {
    fn index_mut(&mut self, kind: FunctionKind) -> &mut usize {
        match kind {
            FunctionKind::Multiply => &mut self.multiply,
            FunctionKind::Square => &mut self.square,
            FunctionKind::SquareRoot => &mut self.square_root,
            FunctionKind::Frobenius => &mut self.frobenius,
            FunctionKind::Inverse => &mut self.inverse,
            FunctionKind::Add => &mut self.add,
        }
    }
}

/// The name of an operation; for a call, that of the called function.
pub fn operation_name(module: &Module, op: Op) -> &str {
    match op {
        Op::Call(callee) => &module.function(callee).name,
        _ => op.name(),
    }
}
