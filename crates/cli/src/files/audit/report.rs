//! The report of an audit: a line for each file, and the totals.

use crate::terminal::output::Output;
use crate::terminal::paint::{Paint, Shade};
use manylane_files::audit::VerdictKind;
use manylane_files::lists::lines::{self, Object};
use manylane_files::quote::{Charset, quote_in};

/// The options that say what is printed, and which differences are no failure.
#[derive(Clone, Debug, clap::Args)]
#[group(id = "shown")]
pub struct Shown {
    /// Print no lines for files that are OK
    #[arg(short, long)]
    quiet: bool,
    /// Print nothing but what cannot be read or written; the exit status tells
    #[arg(long, conflicts_with_all = ["quiet", "json"])]
    pub status: bool,
    /// Print a line of JSON for each file, and one for the totals
    #[arg(long)]
    json: bool,
    /// Differences that are no failure
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',')]
    allow: Vec<VerdictKind>,
}

/// The totals, and how each file is reported.
pub struct Report {
    how: Shown,
    counts: [u64; 8],
    charset: Charset,
    paint: Paint,
}

impl Report {
    /// Totals of nothing yet.
    pub fn new(how: Shown) -> Self {
        let (charset, paint) = (Charset::of_locale(), Paint::of_stdout());
        Self { how, counts: [0; 8], charset, paint }
    }

    /// Number of files with this verdict.
    pub fn count(&self, kind: VerdictKind) -> u64 {
        self.counts[kind as usize]
    }

    /// Counts a file and prints its line. `other` is the file that it was moved from, or is a
    /// duplicate of.
    pub fn say(
        &mut self,
        name: &[u8],
        kind: VerdictKind,
        other: Option<&[u8]>,
        output: &mut Output,
    ) -> anyhow::Result<()> {
        self.counts[kind as usize] += 1;
        if self.how.status || self.how.quiet && kind == VerdictKind::Ok {
            return Ok(());
        }
        let word = kind.word();
        if self.how.json {
            let mut names = vec![("file", name)];
            names.extend(
                other.map(|other| (if kind == VerdictKind::Moved { "from" } else { "of" }, other)),
            );
            let mut members = Object::new();
            members.insert("status".into(), word.to_ascii_lowercase().into());
            return Ok(output.write(&lines::json_object(&names, members))?);
        }
        let shade = match kind {
            VerdictKind::Ok => Shade::Good,
            _ if self.how.allow.contains(&kind) => Shade::Plain,
            _ => Shade::Bad,
        };
        let word = self.paint.word(word, shade);
        let name = quote_in(self.charset, name);
        let other = other.map(|other| quote_in(self.charset, other));
        let line = match (kind, other) {
            (VerdictKind::Moved, Some(other)) => format!("{name}: {word} from {other}\n"),
            (_, Some(other)) => format!("{name}: {word} of {other}\n"),
            (_, None) => format!("{name}: {word}\n"),
        };
        Ok(output.write(line.as_bytes())?)
    }

    /// Whether something is a failure, and not allowed.
    pub fn has_failed(&self) -> bool {
        VerdictKind::ALL.iter().any(|&kind| self.is_failure(kind) && self.count(kind) > 0)
    }

    /// Whether a file of this kind is a failure, and not allowed.
    pub fn is_failure(&self, kind: VerdictKind) -> bool {
        kind != VerdictKind::Ok && !self.how.allow.contains(&kind)
    }

    /// Prints the totals, with how many listed files are elsewhere.
    pub fn sum_up(&self, outside: u64, output: &mut Output) -> anyhow::Result<()> {
        if self.how.status {
            return Ok(());
        }
        if self.how.json {
            let count =
                |kind: &VerdictKind| (kind.word().to_ascii_lowercase(), self.count(*kind).into());
            let mut totals: Object = VerdictKind::ALL.iter().map(count).collect();
            totals.insert("not_audited".into(), outside.into());
            return Ok(output.write(&lines::json(&[], [("summary", totals.into())]))?);
        }
        let count = |kind: &VerdictKind| match self.count(*kind) {
            0 if *kind != VerdictKind::Ok => None,
            count => Some(format!("{count} {}", kind.word())),
        };
        let mut parts: Vec<String> = VerdictKind::ALL.iter().filter_map(count).collect();
        if outside > 0 {
            let files = if outside == 1 { "file elsewhere was" } else { "files elsewhere were" };
            parts.push(format!("{outside} listed {files} not audited"));
        }
        Ok(output.write(format!("SUMMARY: {}\n", parts.join(", ")).as_bytes())?)
    }
}
