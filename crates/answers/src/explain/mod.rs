//! `manylane explain`: how much of a primitive can run at the same time, and what limits it.
//!
//! [`text`](mod@text), [`dot`](mod@dot) and [`html`](mod@html) are three views of one report, which
//! the graph crate makes; [`pairing`] has those of a report of its own.

mod args;
mod dot;
mod pairing;

pub use args::Args;
pub use manylane_pages::explain::{html, text};

use crate::terminal::output::Output;
use anyhow::bail;
use manylane_engine::Algorithm;
use manylane_files::names::{self, Named};
use manylane_files::system::atomic::{self, write_file};
use manylane_graph::Op;
use manylane_graph::framing::ByteOrder;
use manylane_graph::part::{Part, Subject, explain_hmac, explain_loaded};
use manylane_graph::trace::Loading;
use manylane_nearest::nearest;
use std::process::ExitCode;

/// Bytes of a message if no others are asked for.
const LENGTH: usize = 1024;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let text = printed(args)?;
    let mut output = Output::stdout()?;
    output.write(text.as_bytes())?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the text to print, and writes the files that are asked for.
pub fn printed(args: &Args) -> anyhow::Result<String> {
    let is_pairing = names::is_pairing(&args.primitive);
    let has_no_length = !is_pairing && args.part != Part::Message;
    if args.length.is_some() && has_no_length {
        bail!("--length is for a message: give --part message too");
    }
    if args.fixed_length && has_no_length {
        bail!("--fixed-length is for a message: give --part message too");
    }
    let [dot, html] = [&args.dot, &args.html].map(Option::as_deref);
    atomic::check_outputs([("--dot", dot), ("--html", html)])?;
    match is_pairing {
        true => pairing::run(args),
        false => args.explain(),
    }
}

/// The primitive that a name stands for.
pub fn subject(name: &str) -> anyhow::Result<Subject> {
    let lower = name.to_lowercase();
    if lower == "rc5" {
        return Ok(Subject::Rc5(Default::default()));
    }
    if lower.starts_with("rc5") {
        return Ok(Subject::Rc5(lower.parse()?));
    }
    if names::is_pairing(name) {
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

/// HMAC has no part of its own but a message.
fn hmac(hash: Algorithm) -> anyhow::Error {
    let block = hash.id().entry().shape.block_bytes;
    anyhow::anyhow!(
        "hmac-{hash} is {hash} twice, one after the other: over a block of {block} bytes made from \
         the key and the message, then over another and the digest.\nAsk for both at once: \
         manylane explain hmac-{hash} --part message --length N; or for each: manylane explain \
         {hash} --part message --length {} for the second, {block} more than the message for the \
         first. Both at once are planned by manylane plan hmac-{hash} --on PLATFORM",
        block + hash.digest_bytes(),
    )
}

impl Args {
    /// Returns the text to print for a hash function, HMAC or a block cipher.
    fn explain(&self) -> anyhow::Result<String> {
        let keyed = match (self.part, names::parse(&self.primitive)) {
            (Part::Message, Ok(Named::Hmac(hash))) => Some(hash),
            _ => None,
        };
        let loading = match self.fixed_length {
            true => Loading::Native(ByteOrder::Little),
            false => Loading::Program(ByteOrder::Little),
        };
        let length = self.length.unwrap_or(LENGTH);
        let (subject, found) = match keyed {
            // A key as long as the digest, as `plan` takes it.
            Some(hash) => {
                (Subject::Hash(hash), explain_hmac(hash, hash.digest_bytes(), length, loading)?)
            }
            None => {
                let subject = subject(&self.primitive)?;
                (subject, explain_loaded(&subject, self.part, length, loading)?)
            }
        };
        let made_by = self.command_line(&found.report.primitive);
        if let Some(file) = &self.dot {
            let name = |op: Op| op.name().to_owned();
            write_file(file, dot::dot(&found.function, name, &made_by))?;
        }
        if let Some(file) = &self.html {
            write_file(file, html::html(&subject, &found, &made_by))?;
        }
        Ok(match self.json {
            true => serde_json::to_string_pretty(&found.report)? + "\n",
            false => text::text(&found.report, subject.whole()),
        })
    }

    /// The command line that made a file, without the names of files, so that the file is the same
    /// wherever it is made.
    fn command_line(&self, primitive: &str) -> String {
        let mut line = format!("manylane explain {primitive}");
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
