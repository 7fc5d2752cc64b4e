//! `manylane pair`.
//!
//! | module | does |
//! |---|---|
//! | [`args`], [`answer`] | what is asked and what is printed |
//! | [`input`] | points and pairs from arguments, files and standard input |
//! | [`demo`] | a key agreement of three parties |
//! | [`ternary`] | the pairing in characteristic three |

mod answer;
mod args;
mod demo;
mod input;
mod ternary;
mod text;

use crate::terminal::output::Output;
use answer::{Points, Values};
use args::{Field, threads};
use manylane_engine::Engine;
use manylane_engine::pairing::ternary::{Eta97, Eta509};
use manylane_engine::pairing::{Pairing, hash_to_point};
use manylane_graph::pairing::SECURITY;
use std::ffi::OsString;
use std::process::ExitCode;
use text::{point_hex, value_hex};

pub use args::Args;

/// Computes and prints the values or points over the field that was asked for.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // --hash makes points by SHAKE256, which would panic if MANYLANE_MAX_ISA named no engine.
    Engine::available()?;
    let text = match args.field {
        Field::F2To1223 => over_2_1223(args)?,
        Field::F3To97 => ternary::run::<Eta97>(args)?,
        Field::F3To509 => ternary::run::<Eta509>(args)?,
    };
    let mut output = Output::stdout()?;
    output.write(text.as_bytes())?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn over_2_1223(args: &Args) -> anyhow::Result<String> {
    if args.demo {
        let pairing = Pairing::on(args.engine)?.threads(threads(args.threads, 1));
        demo::run(&pairing, args.seed.as_deref())
    } else if args.hash.is_empty() {
        values(args)
    } else {
        let point = |text: &OsString| point_hex(hash_to_point(text.as_encoded_bytes()));
        Points { security: SECURITY, points: args.hash.iter().map(point).collect() }.text(args.json)
    }
}

fn values(args: &Args) -> anyhow::Result<String> {
    let lines = input::lines(&args.input)?;
    let threads = threads(args.threads, lines.len());
    let pairing = Pairing::on(args.engine)?.threads(threads);
    let pairs = input::decode(&lines, threads)?;
    let values = match args.product {
        true => vec![pairing.pair_product(&pairs)],
        false => pairing.pair_many(&pairs),
    };
    Values {
        field: "F_2^1223".to_owned(),
        security: SECURITY,
        engine: pairing.engine(),
        threads,
        pairs: pairs.len(),
        digits: values.into_iter().map(value_hex).collect(),
    }
    .text(args)
}
