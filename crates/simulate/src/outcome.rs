//! The outcome of a run.

use crate::Error;
use serde::Deserialize;

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
    /// Whether `bytes` is a bound; it is none for a frame whose size depends on data.
    pub bounded: bool,
}

/// A load or store in memory that the program asked to be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "(u64, u8, u32, u8, u64)")]
pub struct Watched {
    /// The core's cycle.
    pub cycle: u64,
    /// 0 or 1.
    pub core: u8,
    /// Bytes from the beginning of the watched memory.
    pub offset: u32,
    /// Whether it is a store.
    pub is_store: bool,
    /// The core's accesses to shared memory up to this one; 0 where no core waits for another
    /// one's.
    pub accesses: u64,
}

impl From<(u64, u8, u32, u8, u64)> for Watched {
    fn from((cycle, core, offset, is_store, accesses): (u64, u8, u32, u8, u64)) -> Self {
        Self { cycle, core, offset, is_store: is_store != 0, accesses }
    }
}

/// The outcome of a run.
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
    /// Accesses to the memory that the program asked to be watched (`board_watch`), in the order of
    /// their cores' cycles; empty where nothing watches.
    pub watched: Vec<Watched>,
}

impl Outcome {
    /// The rest of each line that begins with `name` and a space.
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
            watched: vec![],
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
