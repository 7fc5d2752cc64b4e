//! A line of a text form, read word by word.

use super::ParseError;
use crate::ir::NodeId;

/// The rest of a line of a text form, such as that of a module or of a planned program.
#[derive(Clone, Debug)]
pub struct Line<'t> {
    /// Its number in the text, from 1.
    pub number: usize,
    /// The text that is not read yet, without spaces at its ends.
    pub rest: &'t str,
}

impl<'t> Line<'t> {
    /// The lines of a text that contain more than a comment, without their comments.
    pub fn all(text: &'t str) -> Vec<Self> {
        let lines = text.lines().zip(1..).map(|(line, number)| {
            let code = line.split(';').next().unwrap_or_default();
            Self { number, rest: code.trim() }
        });
        lines.filter(|line| !line.rest.is_empty()).collect()
    }

    /// An error that says what was expected instead of the next word or sign.
    pub fn expected(&self, expected: impl Into<String>) -> ParseError {
        let word = self.rest.find(|c: char| !is_word(c)).unwrap_or(self.rest.len());
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        let found = match &self.rest[..word.max(first)] {
            "" => "the end of the line".to_owned(),
            found => format!("`{found}`"),
        };
        ParseError { line: self.number, found, expected: expected.into() }
    }

    /// Passes over `sign` if it comes next.
    pub fn take(&mut self, sign: &str) -> bool {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.map_or(self.rest, str::trim_start);
        rest.is_some()
    }

    /// Passes over `sign`, which has to come next.
    ///
    /// # Errors
    /// If something else does.
    pub fn sign(&mut self, sign: &str) -> Result<(), ParseError> {
        if self.take(sign) { Ok(()) } else { Err(self.expected(format!("`{sign}`"))) }
    }

    /// Reads the next word by `is`, which returns `None` for a word that is not `what`.
    ///
    /// # Errors
    /// If `is` does not accept the word, or there is no word.
    pub fn word<T>(
        &mut self,
        what: &str,
        is: impl Fn(&'t str) -> Option<T>,
    ) -> Result<T, ParseError> {
        let end = self.rest.find(|c: char| !is_word(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        match is(word) {
            Some(value) if !word.is_empty() => {
                self.rest = rest.trim_start();
                Ok(value)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Passes over the word `word`, which has to come next.
    ///
    /// # Errors
    /// If another one does.
    pub fn keyword(&mut self, word: &str) -> Result<(), ParseError> {
        self.word(&format!("`{word}`"), |found| (found == word).then_some(()))
    }

    /// Whether the next word is `word`.
    pub fn is_next(&self, word: &str) -> bool {
        let end = self.rest.find(|c: char| !is_word(c)).unwrap_or(self.rest.len());
        &self.rest[..end] == word
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// If something is.
    pub fn end(&self) -> Result<(), ParseError> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// Reads the whole line `function @NAME {` and returns the name.
    pub(super) fn head(mut self) -> Result<&'t str, ParseError> {
        self.word("`function @NAME {`", |word| (word == "function").then_some(()))?;
        self.sign("@")?;
        let name = self.word("a function's name", Some)?;
        self.sign("{")?;
        self.end()?;
        Ok(name)
    }

    /// A number, decimal or hexadecimal, that is expected to be `what`.
    ///
    /// # Errors
    /// If the next word is not a number, or is one that `T` cannot hold.
    pub fn number<T: TryFrom<u64>>(&mut self, what: &str) -> Result<T, ParseError> {
        self.word(what, |word| {
            let value = match word.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16),
                None => word.parse(),
            };
            T::try_from(value.ok()?).ok()
        })
    }

    /// A node, such as `v0`.
    ///
    /// # Errors
    /// If the next word is not a node.
    pub fn node(&mut self) -> Result<NodeId, ParseError> {
        self.word("a node, such as `v0`", |word| word.strip_prefix('v')?.parse().ok().map(NodeId))
    }

    /// One node or more, with commas between them. A comma before a number is left for the caller.
    ///
    /// # Errors
    /// If there is none, or something else between commas.
    pub fn nodes(&mut self) -> Result<Vec<NodeId>, ParseError> {
        let mut nodes = vec![self.node()?];
        while let Some(rest) = self.rest.strip_prefix(',') {
            let rest = rest.trim_start();
            if rest.starts_with(|c: char| c.is_ascii_digit()) {
                break;
            }
            self.rest = rest;
            nodes.push(self.node()?);
        }
        Ok(nodes)
    }

    /// Reads `NAME[INDEX]`; names may contain spaces.
    pub(super) fn step(&mut self) -> Result<(&'t str, u32), ParseError> {
        const STEP: &str = "a step, such as `round[0]`";
        let end = self.rest.find('[').ok_or_else(|| self.expected(STEP))?;
        let name = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        let index = self.number("a step's number")?;
        self.sign("]")?;
        Ok((name, index))
    }
}

/// Whether a character belongs into names, numbers and nodes.
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '#')
}
