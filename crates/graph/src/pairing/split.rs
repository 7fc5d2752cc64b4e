//! The field calls in each part of a pairing.

use super::{Calls, trace};
use crate::ir::Module;
use manylane_primitives::pairing::{Curve, Eta1223};

/// The field calls in each part of a pairing whose factors are split over processors. Only those of
/// `inverse` depend on the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitCalls {
    /// Calls in factor 0.
    pub first: Calls,
    /// Calls in any other factor.
    pub factor: Calls,
    /// Calls at the start of a later part, before its first factor.
    pub start: Calls,
    /// Calls in the product of two parts.
    pub join: Calls,
    /// Calls in the final exponentiation.
    pub last: Calls,
    /// Calls in one inversion.
    pub inverse: Calls,
}

impl SplitCalls {
    /// The calls of the pairing over F_2^1223.
    pub fn eta1223() -> Self {
        Self::of::<Eta1223>()
    }

    /// Counts the calls in the graph of the first few factors, in two parts.
    pub fn of<C: Curve>() -> Self {
        let module = trace::<C>(&[0, 2, 4]);
        let calls = |path: &str| in_step(&module, path);
        Self {
            first: calls("part[0]/factor[0]"),
            factor: calls("part[0]/factor[1]"),
            start: calls("part[1]/start[2]"),
            join: calls("join[0]"),
            last: calls("final exponentiation[0]"),
            inverse: Calls::of_inverse(&module),
        }
    }
}

fn in_step(module: &Module, path: &str) -> Calls {
    let step = module.main().find_step(path);
    Calls::in_step(module, step.unwrap_or_else(|| panic!("the pairing has a step {path}")))
}
