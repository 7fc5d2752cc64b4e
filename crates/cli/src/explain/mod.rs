//! `manylane explain`: how much of a primitive can run at the same time, and what limits it.
//!
//! [`text`](mod@text), [`dot`](mod@dot) and [`html`](mod@html) are three views of one report, which
//! the graph crate makes; [`pairing`] has those of a report of its own.

pub mod dot;
pub mod html;
pub mod limits;
mod pairing;
pub mod text;

use crate::names::{self, Named};
use crate::output::{Output, reason};
use crate::quote::quote;
use anyhow::bail;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use manylane_engine::Algorithm;
use manylane_graph::Op;
use manylane_graph::framing::ByteOrder;
use manylane_graph::part::{Part, Subject, explain_loaded};
use manylane_graph::trace::Loading;
use manylane_plan::nearest::nearest;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Explain how much of a primitive can run at the same time, and what limits it
///
/// The primitive's definition is recorded as a graph of operations on words. Work is how many there
/// are, span the longest chain in which each needs the one before; work over span is how many can
/// run at the same time on average, and no number of cores gains more. Every operation takes 1
/// here.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// A hash function of `manylane list`, rc5-WORD/ROUNDS/KEY (rc5 is rc5-32/12/16), or eta-t
    #[arg(value_name = "PRIMITIVE")]
    primitive: String,
    /// What of it: one compression (for rc5: key expansion with the encryption of one block), one
    /// round, one step of the message schedule, or a whole message with loading and padding, by a
    /// program for any length on a little-endian machine
    #[arg(long, default_value = "compression", value_parser = part_parser())]
    part: Part,
    /// Bytes of the message, with --part message [default: 1024]
    #[arg(long, value_name = "N")]
    length: Option<usize>,
    /// With --part message: a program for messages of this one length, whose padding is known
    /// beforehand; what of the message schedule depends on padding alone is then no operation
    #[arg(long)]
    fixed_length: bool,
    /// Print JSON, with every figure
    #[arg(long)]
    json: bool,
    /// Write the graph for graphviz here, a cluster for each step; of eta-t, that of one factor
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Write a page for a browser here: one file that needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Examples:
  manylane explain sha256                         one compression
  manylane explain keccak256 --part round         one round
  manylane explain md5 --part message --length 3  a message of three bytes, loading and padding too
  manylane explain rc5-32/12/16 --html rc5.html   a page with the graph of its steps
  manylane explain blake256 --part round --dot round.dot && dot -Tsvg round.dot > round.svg
  manylane explain eta-t                          a pairing's products, in parts too
  manylane explain sha1 --json | jq '.steps[] | {name, growth}'

How to read it:
  SPAN           the longest chain of one step alone, with all that it takes from others at hand
  GROWTH         what one more step adds to the longest chain up to it; less than its span where it
                 begins before the step before has ended
  LONGEST CHAIN  how many operations of the longest chain of all lie here; where that is none, the
                 operations can run beside it";

/// Bytes of a message if no others are asked for.
const LENGTH: usize = 1024;

fn part_parser() -> impl TypedValueParser<Value = Part> {
    PossibleValuesParser::new(Part::ALL.map(Part::name)).map(|name| {
        let part = Part::ALL.into_iter().find(|part| part.name() == name);
        part.expect("only these names are possible")
    })
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.length.is_some() && args.part != Part::Message {
        bail!("--length is for a message: give --part message too");
    }
    if args.fixed_length && args.part != Part::Message {
        bail!("--fixed-length is for a message: give --part message too");
    }
    let text = match is_pairing(&args.primitive) {
        true => pairing::run(args)?,
        false => args.explain()?,
    };
    let mut output = Output::stdout()?;
    output.write(text.as_bytes())?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The primitive that a name stands for.
pub fn subject(name: &str) -> anyhow::Result<Subject> {
    let lower = name.to_lowercase();
    if lower == "rc5" {
        return Ok(Subject::Rc5("rc5-32/12/16".parse()?));
    }
    if lower.starts_with("rc5") {
        return Ok(Subject::Rc5(lower.parse()?));
    }
    if is_pairing(name) {
        bail!("eta-t is a pairing: manylane explain eta-t, or manylane plan eta-t --threads 2,4,8");
    }
    match names::parse(name) {
        Ok(Named::Hash(hash)) => Ok(Subject::Hash(hash)),
        Ok(Named::Hmac(hash)) => Err(hmac(hash)),
        Err(names::Error::Unknown(name, near)) if near.is_empty() => {
            let near = nearest(&name, ["rc5", "eta-t"]);
            Err(names::Error::Unknown(name, near).into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether a name is that of the η_T pairing.
pub fn is_pairing(name: &str) -> bool {
    matches!(&name.to_lowercase().replace('_', "-")[..], "eta-t" | "etat")
}

/// HMAC has no graph of its own.
fn hmac(hash: Algorithm) -> anyhow::Error {
    let block = hash.id().entry().shape.block_bytes;
    anyhow::anyhow!(
        "hmac-{hash} is {hash} twice, one after the other: over a block of {block} bytes made from \
         the key and the message, then over another and the digest.\nAsk for each: manylane explain \
         {hash} --part message --length {} for the second, {block} more than the message for the \
         first. Both at once are planned by manylane plan hmac-{hash} --on PLATFORM",
        block + hash.digest_bytes(),
    )
}

impl Args {
    /// What there is to print of a hash function or a block cipher.
    fn explain(&self) -> anyhow::Result<String> {
        let subject = subject(&self.primitive)?;
        let loading = match self.fixed_length {
            true => Loading::Native(ByteOrder::Little),
            false => Loading::Program(ByteOrder::Little),
        };
        let length = self.length.unwrap_or(LENGTH);
        let found = explain_loaded(&subject, self.part, length, loading)?;
        let made_by = self.command_line(&subject);
        if let Some(file) = &self.dot {
            let name = |op: Op| op.name().to_owned();
            write(file, &dot::dot(&found.function, name, &made_by))?;
        }
        if let Some(file) = &self.html {
            write(file, &html::html(&subject, &found, &made_by))?;
        }
        Ok(match self.json {
            true => serde_json::to_string_pretty(&found.report)? + "\n",
            false => text::text(&found.report, subject.whole()),
        })
    }

    /// What made a file: without the files' names, so that it is the same wherever it is made.
    fn command_line(&self, subject: &Subject) -> String {
        let mut line = format!("manylane explain {subject}");
        if self.part != Part::Compression {
            line.push_str(&format!(" --part {}", self.part.name()));
        }
        if let Some(length) = self.length {
            line.push_str(&format!(" --length {length}"));
        }
        if self.fixed_length {
            line.push_str(" --fixed-length");
        }
        line
    }
}

pub fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).map_err(|error| {
        anyhow::anyhow!("{}: {}", quote(file.as_os_str().as_encoded_bytes()), reason(&error))
    })
}
