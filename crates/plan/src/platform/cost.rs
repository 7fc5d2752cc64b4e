use manylane_graph::Op;
use std::collections::BTreeMap;

/// The cycles of a core's operations, by operation and width.
///
/// A width that is not given costs what its words are made of: the next smaller one that is given,
/// times the number of limbs n. Rotations and shifts take bits from two limbs for each: two shifts
/// and an `or`. A word narrower than all that are given costs as much as the narrowest.
#[derive(Clone, Debug)]
pub struct OperationCosts {
    /// Where the costs are given: line of the file, from 1.
    pub line: usize,
    /// By name and bits.
    pub(super) by_width: BTreeMap<(&'static str, u8), f64>,
}

/// A cost that is not given and does not follow from those that are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The operation's name.
    pub operation: &'static str,
}

/// How the cost on wide words follows from that on their limbs.
enum Rule {
    /// Limb by limb.
    PerLimb,
    /// n − 1 limbs get bits from a neighbour, one does not.
    Shift,
    /// Every limb gets bits from a neighbour.
    Rotation,
    /// The same by an unknown amount: two variable rotations and an `or`.
    VariableRotation,
    /// It has no cost of its own.
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
    /// The cycles of an operation on two arguments, if it takes so many.
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
