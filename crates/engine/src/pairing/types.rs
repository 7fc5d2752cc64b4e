//! The types of a pairing's arguments and values.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).

use manylane_primitives::pairing::{self as definition, Eta1223, Quartic};
use std::fmt;

/// An element of F_2^1223.
pub type Element = definition::Element<Eta1223>;

/// A point of the curve.
pub type Point = definition::Point<Element>;

/// A value of the pairing, in F_q⁴, q = 2^1223.
pub type Value = Quartic<Element>;

/// An operation of a field, a and b being its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// a + b.
    Add,
    /// a b.
    Multiply,
    /// a².
    Square,
    /// √a.
    SquareRoot,
    /// a^(2^n).
    Frobenius(usize),
    /// 1/a, and 0 for 0.
    Inverse,
    /// The trace, 0 or 1.
    Trace,
    /// The half-trace.
    HalfTrace,
    /// 1 for 0, else 0.
    IsZero,
    /// b if a = 1, 0 if a = 0.
    Choose,
}

/// Who computed the parts of shared pairings. A part that two threads computed counts for the
/// thread that finished first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// Parts that the calling thread computed.
    pub caller: u64,
    /// Parts that the other threads computed.
    pub others: u64,
}

/// A first argument of many pairings, with the root that its coordinates start from.
#[derive(Clone, Copy)]
pub struct Prepared {
    pub(super) point: Point,
    /// P^(2^−611): see `miller::root`.
    pub(super) root: [Element; 2],
}

impl fmt::Debug for Prepared {
    /// Shows no coordinates.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prepared")
    }
}
