//! Divides wide words into lanes before a function is planned, where the cores can share out the
//! lanes.

use crate::platform::{MAIN, Platform};
use manylane_graph::{Function, Op, passes};

/// Bits of the lanes that cores can share out among them.
const LANE: u8 = 32;

/// The function in lanes of 32 bits, which a platform's cores can share out. This needs wider
/// words, operations that each work on one lane alone, as those of JH do, and a main core that
/// takes as long for a wide word as for its lanes. Otherwise the function is returned as it is.
///
/// A unit then is a lane, and no operation lies on two cores.
pub fn in_lanes(function: Function, platform: &Platform) -> Function {
    let cost = |width| platform.cost(MAIN, Op::Xor, width).unwrap_or(0.0);
    let lanes_are_free = 2.0 * cost(LANE) <= cost(2 * LANE);
    let lanes = if lanes_are_free { passes::lanes(&function, LANE) } else { None };
    lanes.unwrap_or(function)
}
