//! The cycles of a core's operations, with rules for the widths that a platform's file does not
//! give.

use manylane_graph::Op;
use std::collections::BTreeMap;

/// The cycles of a core's operations, by operation and width.
///
/// An operation on a width that is not given costs as much as on its limbs, which have the next
/// smaller width that is given: n times as much for n limbs. In rotations and shifts, a limb of the
/// result takes bits from two limbs: two shifts and an `or`. An operation on a word narrower than
/// all given widths costs as much as on the narrowest one.
#[derive(Clone, Debug)]
pub struct OperationCosts {
    /// The line of the file at which the costs begin, from 1.
    pub line: usize,
    /// Cycles by name of the operation and width in bits.
    pub(super) by_width: BTreeMap<(&'static str, u8), f64>,
}

/// An error: a cost is not given and does not follow from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The operation's name.
    pub operation: &'static str,
}

/// The rule by which the cost of an operation on wide words follows from its cost on their limbs.
enum Rule {
    /// Each limb of the result costs as much as one operation.
    PerLimb,
    /// A shift: n − 1 limbs get bits from a neighbour, one does not.
    Shift,
    /// A rotation: every limb gets bits from a neighbour.
    Rotation,
    /// A rotation by an unknown amount: two variable rotations and an `or` for each limb.
    VariableRotation,
    /// The operation costs nothing.
    Free,
}

fn rule(op: Op) -> Rule {
    match op {
        Op::Add
        | Op::Carry
        | Op::Sub
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Xnor
        | Op::Not
        | Op::Lut3(_)
        | Op::SubBytes
        | Op::Xtime
        | Op::SwapBytes => Rule::PerLimb,
        Op::Shl(_) | Op::Shr(_) => Rule::Shift,
        Op::Rotl(_) | Op::Rotr(_) => Rule::Rotation,
        Op::RotlVar | Op::RotrVar => Rule::VariableRotation,
        Op::Input(_) | Op::Const(_) | Op::Call(_) | Op::Result(_) | Op::External => Rule::Free,
    }
}

impl OperationCosts {
    /// The cycles of an operation. For a sum of many terms these are the cycles of one addition.
    pub(super) fn cost(&self, op: Op, width: u8) -> Result<f64, Missing> {
        if let Rule::Free = rule(op) {
            return Ok(0.0);
        }
        let name = op.name();
        let given = |width| self.by_width.get(&(name, width)).copied();
        let widths = || self.by_width.keys().filter(|key| key.0 == name).map(|key| key.1);
        let Some(base) = widths().filter(|&w| w <= width).max().or_else(|| widths().min()) else {
            return Err(Missing { operation: name });
        };
        let cost = given(base).expect("one of the widths that are given");
        if base >= width {
            return Ok(cost);
        }
        let limbs = f64::from(width.div_ceil(base));
        let crossing = || -> Result<f64, Missing> {
            Ok(self.cost(Op::Shl(1), base)?
                + self.cost(Op::Shr(1), base)?
                + self.cost(Op::Or, base)?)
        };
        Ok(match rule(op) {
            Rule::PerLimb => limbs * cost,
            Rule::Shift => (limbs - 1.0) * crossing()? + cost,
            Rule::Rotation => limbs * crossing()?,
            Rule::VariableRotation => limbs * (2.0 * cost + self.cost(Op::Or, base)?),
            Rule::Free => 0.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(of: &[(&'static str, u8, f64)]) -> OperationCosts {
        let by_width = of.iter().map(|&(name, width, cost)| ((name, width), cost)).collect();
        OperationCosts { line: 1, by_width }
    }

    #[test]
    fn wide_words_cost_by_limbs() {
        let costs = costs(&[
            ("add", 16, 3.0),
            ("or", 16, 2.0),
            ("shl", 16, 5.0),
            ("shr", 16, 7.0),
            ("rotl", 16, 6.0),
            ("rotl", 32, 90.0),
            ("rotl_var", 16, 10.0),
        ]);
        assert_eq!(costs.cost(Op::Add, 8), Ok(3.0));
        assert_eq!(costs.cost(Op::Add, 16), Ok(3.0));
        assert_eq!(costs.cost(Op::Add, 64), Ok(12.0));
        assert_eq!(costs.cost(Op::Shr(1), 32), Ok(14.0 + 7.0));
        assert_eq!(costs.cost(Op::Rotl(3), 32), Ok(90.0), "a given width is taken as it is");
        assert_eq!(costs.cost(Op::RotlVar, 64), Ok(4.0 * 22.0));
        let crossing_32 = (14.0 + 5.0) + (14.0 + 7.0) + 4.0;
        assert_eq!(costs.cost(Op::Rotl(3), 64), Ok(2.0 * crossing_32));
        assert_eq!(costs.cost(Op::Xor, 32), Err(Missing { operation: "xor" }));
        assert_eq!(costs.cost(Op::Const(3), 32), Ok(0.0));
    }
}
