//! Prints lines about files on standard output, and counts the files of each kind.

use crate::terminal::output::{Output, WriteError};
use crate::terminal::paint::{Paint, Shade};
use manylane_files::lists::lines;
use manylane_files::quote::{Charset, quote_in};

/// Numbers of files by what was done with them.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    /// Unchanged since the list was made.
    pub kept: u64,
    /// Not in the list before.
    pub new: u64,
    /// In the list with another digest.
    pub updated: u64,
    /// In the list, but no longer on disk.
    pub removed: u64,
    /// Without a new digest because of an error.
    pub failed: u64,
    /// Of other content under the same size and times.
    pub rotten: u64,
}

/// How changes are printed.
#[derive(Clone, Copy)]
pub struct Telling {
    /// Whether each change is a line of JSON.
    pub json: bool,
    /// Whether nothing is printed.
    pub quiet: bool,
    /// The colours of the words, if the terminal has any.
    pub paint: Paint,
}

impl Telling {
    /// Prints the line of a file.
    pub fn file(self, name: &[u8], word: &str, output: &mut Output) -> Result<(), WriteError> {
        match (self.json, self.quiet) {
            (_, true) => Ok(()),
            (true, _) => {
                let status = [("status", word.to_ascii_lowercase().into())];
                output.write(&lines::json(&[("file", name)], status))
            }
            _ => {
                let name = quote_in(Charset::of_locale(), name);
                let word = self.paint.word(word, shade(word));
                output.write(format!("{name}: {word}\n").as_bytes())
            }
        }
    }

    /// Prints the totals.
    pub fn totals(self, counts: Counts, output: &mut Output) -> Result<(), WriteError> {
        let Counts { kept, new, updated, removed, failed, rotten } = counts;
        if self.quiet {
            return Ok(());
        }
        if self.json {
            let totals = serde_json::json!({"kept": kept, "new": new, "changed": updated,
                "removed": removed, "failed": failed, "bitrot": rotten});
            return output.write(&lines::json(&[], [("summary", totals)]));
        }
        let mut line =
            format!("SUMMARY: {kept} kept, {new} NEW, {updated} CHANGED, {removed} REMOVED");
        for (count, word) in [(failed, "without a digest"), (rotten, "BITROT")] {
            if count > 0 {
                line += &format!(", {count} {word}");
            }
        }
        output.write((line + "\n").as_bytes())
    }
}

/// The colour of a word: what the list takes in is good, and only bit rot is a failure.
fn shade(word: &str) -> Shade {
    match word {
        "NEW" | "CHANGED" => Shade::Good,
        "BITROT" => Shade::Bad,
        _ => Shade::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rot_is_shown_as_a_failure() {
        let words = ["NEW", "CHANGED", "REMOVED", "BITROT"];
        let shades = [Shade::Good, Shade::Good, Shade::Plain, Shade::Bad];
        assert_eq!(words.map(shade), shades);
    }
}
