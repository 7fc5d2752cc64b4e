//! Colours of single words on a terminal.

use manylane_files::system::os;
use std::io::IsTerminal;

/// Whether words are coloured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paint(bool);

/// The meaning of a word, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// Green.
    Good,
    /// Red.
    Bad,
    /// Not coloured.
    Plain,
}

impl Paint {
    /// Colours where standard output is a terminal that has them and `NO_COLOR` is not set.
    pub fn of_stdout() -> Self {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let is_terminal = os::stdout().is_ok_and(|file| file.is_terminal());
        Self(is_terminal && !is_dumb && !set("NO_COLOR"))
    }

    /// A word in its colour.
    pub fn word(self, word: &str, shade: Shade) -> String {
        match (self.0, shade) {
            (true, Shade::Good) => format!("\x1b[32m{word}\x1b[0m"),
            (true, Shade::Bad) => format!("\x1b[31m{word}\x1b[0m"),
            _ => word.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_coloured_on_terminals_alone() {
        assert_eq!(Paint(true).word("OK", Shade::Good), "\x1b[32mOK\x1b[0m");
        assert_eq!(Paint(true).word("NEW", Shade::Plain), "NEW");
        assert_eq!(Paint(false).word("FAILED", Shade::Bad), "FAILED");
    }
}
