//! What came of a run.

use crate::Error;

/// Bytes of a compiled file, by kind of section. What the linker drops because nothing uses it is
/// among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSize {
    /// The file.
    pub file: String,
    /// Code.
    pub code: u64,
    /// Constants.
    pub constants: u64,
    /// Variables with an initial value.
    pub data: u64,
    /// Variables that begin as zero.
    pub zero: u64,
}

/// The stack frame of a function, by `-fstack-usage`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackUse {
    /// The file.
    pub file: String,
    /// The function.
    pub function: String,
    /// Bytes of its frame, without those of the functions that it calls.
    pub bytes: u64,
    /// Whether that is all: not, for a frame whose size depends on data.
    pub bounded: bool,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the program printed.
    pub text: String,
    /// Cycles of core 0 and core 1 until the program's end, from the reset on; empty where none are
    /// counted.
    pub cycles: Vec<u64>,
    /// Cycles that each core waited for a bank of memory; empty where none are counted.
    pub stalls: Vec<u64>,
    /// Instructions that each core completed; empty where none are counted.
    pub instructions: Vec<u64>,
    /// Bytes of each core's stack that were written; empty where nothing watches.
    pub stack: Vec<u64>,
}

impl Outcome {
    /// What follows `name` and a space, in the lines that begin so.
    pub fn lines<'o>(&'o self, name: &'o str) -> impl Iterator<Item = &'o str> {
        let after = move |line: &'o str| line.strip_prefix(name)?.strip_prefix(' ');
        self.text.lines().filter_map(after)
    }

    /// The number in the first line `NAME NUMBER`.
    ///
    /// # Errors
    /// If there is no such line.
    pub fn number(&self, name: &str) -> Result<u64, Error> {
        let found = self.lines(name).next().and_then(|value| value.parse().ok());
        found.ok_or_else(|| Error::NoNumber { name: name.to_owned(), text: self.text.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart_by_their_whole_name() {
        let outcome = Outcome {
            text: "block 5\nblocks 7\nblock 9\nx\nhash 00ff\n".into(),
            cycles: vec![],
            stalls: vec![],
            instructions: vec![],
            stack: vec![],
        };
        assert_eq!(outcome.number("block").unwrap(), 5);
        assert_eq!(outcome.number("blocks").unwrap(), 7);
        assert_eq!(outcome.lines("block").collect::<Vec<_>>(), ["5", "9"]);
        assert_eq!(outcome.lines("hash").next(), Some("00ff"));
        for name in ["x", "hash", "bloc", ""] {
            let error = outcome.number(name).unwrap_err().to_string();
            assert!(error.contains(&format!("`{name} NUMBER`")), "{error}");
        }
    }
}
