//! `manylane explain`: how much of a primitive can run at the same time, and what limits it.
//!
//! The graph crate makes the report; the page crate makes three views of it: text, graphviz's form,
//! and a page. `pairing` makes the report on the pairing and its views.

mod args;
mod pairing;

pub use args::Args;

use crate::answered::{Answered, json_or_text};
use crate::named::subject;
use anyhow::bail;
use manylane_files::names::{self, Named};
use manylane_files::system::atomic;
use manylane_graph::Op;
use manylane_graph::framing::ByteOrder;
use manylane_graph::part::{Part, Subject, explain_hmac, explain_loaded};
use manylane_graph::trace::Loading;
use manylane_pages::dot::dot;
use manylane_pages::explain::html::html;
use manylane_pages::explain::text::text;

/// Bytes of a message if no others are asked for.
const LENGTH: usize = 1024;

/// Explains a primitive.
///
/// # Errors
/// If there is no primitive of that name, options contradict each other, or a file cannot be
/// written.
pub fn answer(args: &Args) -> anyhow::Result<Answered> {
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
        true => pairing::answer(args),
        false => args.explain(),
    }
}

impl Args {
    /// Explains a hash function, HMAC or a block cipher.
    fn explain(&self) -> anyhow::Result<Answered> {
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
            // The key is as long as the digest, as in `plan`.
            Some(hash) => {
                (Subject::Hash(hash), explain_hmac(hash, hash.digest_bytes(), length, loading)?)
            }
            None => {
                let subject = subject(&self.primitive)?;
                (subject, explain_loaded(&subject, self.part, length, loading)?)
            }
        };
        let made_by = self.command_line(&found.report.primitive);
        let name = |op: Op| op.name().to_owned();
        let answer =
            json_or_text(&found.report, self.json, |report| text(report, subject.whole()))?;
        Ok(Answered::new(answer)
            .with(self.dot.as_deref(), || dot(&found.function, name, &made_by))
            .with(self.html.as_deref(), || html(&subject, &found, &made_by)))
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
