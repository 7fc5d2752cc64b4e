//! The output of `manylane pair`.

use super::args::Args;
use manylane_answers::json;
use manylane_engine::Engine;
use serde::Serialize;
use std::num::NonZeroUsize;

/// The fields of `--json` for values.
#[derive(Serialize)]
struct Answer {
    primitive: &'static str,
    field: String,
    security: &'static str,
    engine: &'static str,
    threads: usize,
    pairs: usize,
    /// One for each pair, or their product alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    product: Option<String>,
}

/// Values over one of the fields, and what they were computed by.
pub struct Values {
    /// The field of the curve, such as `2^1223`.
    pub field: String,
    /// The notice of how many bits of security the curve has.
    pub security: &'static str,
    /// The engine that computed the values.
    pub engine: Engine,
    /// Threads that shared the work.
    pub threads: NonZeroUsize,
    /// Pairs of points that were paired.
    pub pairs: usize,
    /// As digits: one for each pair, or their product alone.
    pub digits: Vec<String>,
}

impl Values {
    /// Writes the values as JSON or as one line each.
    pub fn text(mut self, args: &Args) -> anyhow::Result<String> {
        if !args.json {
            return Ok(self.digits.into_iter().map(|digits| digits + "\n").collect());
        }
        let product = if args.product { self.digits.pop() } else { None };
        json(&Answer {
            primitive: "eta-t",
            field: self.field,
            security: self.security,
            engine: self.engine.name(),
            threads: self.threads.get(),
            pairs: self.pairs,
            values: (!args.product).then_some(self.digits),
            product,
        })
    }
}

/// The points of `--hash`.
#[derive(Serialize)]
pub struct Points {
    /// The notice of how many bits of security the curve has.
    pub security: &'static str,
    /// The points as digits, one for each message.
    pub points: Vec<String>,
}

impl Points {
    /// Writes the points as JSON or as one line each.
    pub fn text(self, as_json: bool) -> anyhow::Result<String> {
        match as_json {
            true => json(&self),
            false => Ok(self.points.into_iter().map(|point| point + "\n").collect()),
        }
    }
}
