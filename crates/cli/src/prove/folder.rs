//! A folder that `manylane emit rtl` wrote, as it stands now, and the core that its command makes.

use crate::emit::{Made, RtlArgs};
use anyhow::{Context, bail};
use clap::Parser;
use manylane_emit::prove::text::{Emitted, Source};
use manylane_emit::rtl::Datasheet;
use manylane_synth::folder::{datasheet, hardware};
use std::path::Path;

/// A folder, and the core that belongs into it.
pub struct Folder {
    /// The data sheet that the folder holds.
    pub sheet: Datasheet,
    /// The version of manylane that made it, if it says so.
    pub version: Option<String>,
    /// The core that the folder's command makes now.
    pub made: Made,
    /// The hardware's files, as they stand.
    pub sources: Vec<Source>,
}

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Folder {
    /// Reads a folder, and makes its core anew.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let (sheet, version) = datasheet(path)?;
        let made =
            args(&sheet.command)?.make().context("the command in core.json makes no core")?;
        let wanted = made.sources();
        if sheet.module != made.top().name || sheet.sources != wanted {
            bail!(
                "core.json says that it is {} in {}, and its command makes {} in {}: emit the core \
                 again{}",
                sheet.module,
                sheet.sources.join(", "),
                made.top().name,
                wanted.join(", "),
                other_version(version.as_deref())
            );
        }
        // All fields are compared except the command, which names another folder.
        let said = Datasheet { command: String::new(), ..sheet.clone() };
        if said != (Datasheet { command: String::new(), ..made.sheet()? }) {
            bail!(
                "core.json does not describe the core that its command makes: emit the core \
                 again{}",
                other_version(version.as_deref())
            );
        }
        let sources = hardware(path, &wanted)?;
        Ok(Self { sheet, version, made, sources })
    }

    /// The modules with their files, the top one last.
    pub fn modules(&self) -> Vec<Emitted<'_>> {
        let inner = [&self.made.design.core.netlist].into_iter();
        let netlists = inner.chain(self.made.wrapper.as_ref().map(|wrapper| &wrapper.netlist));
        let of = |netlist| {
            let (file, text) = self.made.file_of(netlist);
            Emitted { netlist, file, text }
        };
        netlists.map(of).collect()
    }
}

/// The remark about a folder that another version of this program wrote.
pub fn other_version(version: Option<&str>) -> String {
    match version {
        Some(VERSION) => String::new(),
        None => {
            format!(
                "; it does not say which version of manylane made it, and this one is {VERSION}"
            )
        }
        Some(other) => format!(
            "; it was made by manylane {other}, and this is {VERSION}, whose core may be another: \
             prove it with {other}, or emit it again"
        ),
    }
}

/// The arguments of `manylane emit rtl`, without its output folder.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct Again {
    #[command(flatten)]
    args: RtlArgs,
}

fn args(command: &str) -> anyhow::Result<RtlArgs> {
    // The folder may be any text, quoted. The options before it contain no quotes, so spaces split
    // them.
    let words = command.strip_prefix("manylane emit rtl ").and_then(|rest| {
        let (options, folder) = rest.split_once(" -o ")?;
        Some((options.split_whitespace().chain(["-o", "."]), folder))
    });
    let (words, folder) = words.with_context(|| {
        format!(
            "core.json does not say which command made it, but {command:?}; emit the core again"
        )
    })?;
    if !is_one_word(folder) {
        bail!(
            "core.json: {command:?}: has more than the folder's name behind -o; emit the core again"
        );
    }
    let parsed = Again::try_parse_from(words);
    Ok(parsed
        .map_err(|error| {
            let said = error.to_string();
            let first = said.lines().next().unwrap_or_default().trim_start_matches("error: ");
            anyhow::anyhow!("core.json: {command:?}: {first}; emit the core again")
        })?
        .args)
}

/// Whether a shell reads the text, as [`quote`](manylane_files::quote::quote) writes it, as one
/// word. A quotation ends at the next quote of its kind; in `$'...'` a backslash escapes the
/// character after it.
fn is_one_word(text: &str) -> bool {
    let mut chars = text.chars();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        match c {
            c if c.is_ascii_whitespace() => return false,
            '\\' => _ = chars.next(),
            '\'' | '"' => loop {
                match chars.next() {
                    Some('\\') if before == '$' => _ = chars.next(),
                    Some(end) if end == c => break,
                    Some(_) => {}
                    None => return false,
                }
            },
            _ => {}
        }
        before = c;
    }
    !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use manylane_files::quote::quote;

    #[test]
    fn a_quoted_name_is_one_word() {
        for name in [
            "core",
            "a core -o 'x'",
            "it's",
            "a\nb 'c'",
            "$x \"y\" 'z",
            "\\ \\'",
            "tab\t'\\",
            "a\u{3000}b",
        ] {
            let quoted = quote(name.as_bytes());
            assert!(is_one_word(&quoted), "{quoted}");
            assert!(!is_one_word(&format!("{quoted} more")), "{quoted}");
            assert!(!is_one_word(&format!("{quoted} ")), "{quoted}");
        }
        for text in ["", "'a", "\"a"] {
            assert!(!is_one_word(text), "{text}");
        }
    }
}
