//! A function as a sequence of regions: straight ones, and loops over rounds that are alike.
//!
//! ```text
//!  literal function ──► segments ──► regions
//!  rounds written out   one a round  straight:        body once
//!                                    repeated k times: body with sources
//!                                      Same     the same value in each iteration
//!                                      Each     another value in each iteration: m[σ(i)], K[i]
//!                                      Earlier  a result of the iteration d before: state, window
//! ```
//!
//! All that the search knows of a primitive is where its rounds end. Two rounds are alike if they
//! do the same operations in the same order and their differences follow from the number of the
//! iteration. A window of words, such as the sixteen W_t of SHA-2, is found as one result that
//! later iterations take at several distances.

mod find;
mod interpret;
mod limbs;
pub mod verify;
mod written_out;

pub use find::{Unroll, loops, roll, roll_apart, roll_each};
pub use interpret::run;
pub use limbs::{interleaved, limbs, quartered};
pub use written_out::written_out;

use crate::ir::{Function, Role};
use std::fmt;

/// A value that is known outside the region which computes it. Numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

impl Value {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// `x0`, `x1`, and so on.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The input of this number.
    Input(u32),
    /// A constant, below 2^width.
    Constant(u64),
    /// The value that an iteration of a region computes as output `output` of its body.
    Result {
        /// The region's number.
        region: u32,
        /// The output of the region's body.
        output: u32,
        /// The iteration, from 0.
        iteration: u32,
    },
}

/// A value: its width in bits and its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Bits.
    pub width: u8,
    /// Where it comes from.
    pub origin: Origin,
}

/// The value that flows into an input of a region's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The same value in every iteration.
    Same(Value),
    /// For each iteration another value, computed before the region.
    Each(Vec<Value>),
    /// The value that the iteration `distance` before computed as output `output` of the body. The
    /// first `distance` iterations take the values `first`, from before the region.
    Earlier {
        /// The body's output.
        output: usize,
        /// How many iterations before: 1 or more, and less than there are iterations.
        distance: usize,
        /// What flows into the first iterations, as many as `distance`.
        first: Vec<Value>,
    },
}

/// A part of a function that runs once or several times.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// How often the body runs, 1 or more.
    pub times: usize,
    /// One iteration.
    pub body: Function,
    /// For each input of the body, the source of its value.
    pub sources: Vec<Source>,
}

/// An input of a rolled function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name, such as `h0`.
    pub name: String,
    /// Its role in the primitive.
    pub role: Role,
    /// Its value.
    pub value: Value,
}

/// A function as regions.
#[derive(Clone, Debug, PartialEq)]
pub struct Rolled {
    /// The function's name.
    pub name: String,
    /// The function's inputs, in their order.
    pub inputs: Vec<Input>,
    /// Every value that crosses the edge of a region.
    pub values: Vec<Definition>,
    /// The regions, in the order in which they run.
    pub regions: Vec<Region>,
    /// The function's outputs with their names.
    pub outputs: Vec<(String, Value)>,
}

impl Rolled {
    /// The definition of a value.
    pub fn definition(&self, value: Value) -> Definition {
        self.values[value.index()]
    }

    /// Whether words are split into their bits at even and at odd places, see [`interleaved`].
    pub fn is_interleaved(&self) -> bool {
        self.inputs.iter().any(|input| input.name.ends_with(".even"))
    }

    /// Whether words are split into four words of every fourth bit, see [`quartered`].
    pub fn is_quartered(&self) -> bool {
        self.inputs.iter().any(|input| input.name.ends_with(".even.even"))
    }

    /// Whether another function is the same but for its name.
    pub fn is_alike(&self, other: &Self) -> bool {
        (&self.inputs, &self.values, &self.regions, &self.outputs)
            == (&other.inputs, &other.values, &other.regions, &other.outputs)
    }

    /// Operations in all bodies, each counted once however often it runs: the size of the code.
    pub fn size(&self) -> usize {
        let work = |body: &Function| body.nodes().filter(|&n| body.op(n).is_work()).count();
        self.regions.iter().map(|region| work(&region.body)).sum()
    }
}
