//! The counts that a simulator makes of a run, besides the text that the program prints: the file
//! that `ibex/main.cpp` and `rp2040/run.mjs` write.

use crate::Watched;
use serde::Deserialize;

/// Counts of core 0 and core 1, and how the program ended.
#[derive(Debug, Default, Deserialize)]
pub struct Counts {
    /// Cycles of each core; empty where none are counted, as are all that follow.
    #[serde(default)]
    pub cycles: Vec<u64>,
    /// Cycles that each core waited for a bank of memory.
    #[serde(default)]
    pub stalls: Vec<u64>,
    /// Instructions that each core executed.
    #[serde(default)]
    pub instructions: Vec<u64>,
    /// Bytes of each core's stack that were written.
    #[serde(default)]
    pub stack: Vec<u64>,
    /// Accesses to the memory that the program asked to be watched.
    #[serde(default)]
    pub watched: Vec<Watched>,
    /// How the program ended.
    pub end: End,
}

/// How a program ended.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The program ended with a status.
    Exit(u32),
    /// A core did something that it cannot do.
    Fault(String),
    /// The program did not end within its cycles.
    #[default]
    Limit,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_is_read() {
        let read = |text: &str| serde_json::from_str::<Counts>(text).unwrap();
        let counts = read(r#"{"cycles":[5,6],"stalls":[1,2],"end":{"exit":4294967295}}"#);
        assert!(matches!(counts.end, End::Exit(u32::MAX)), "{counts:?}");
        assert_eq!((counts.cycles, counts.stalls), (vec![5, 6], vec![1, 2]));
        assert!(counts.instructions.is_empty());
        assert!(matches!(read(r#"{"end":"limit"}"#).end, End::Limit));
        let fault = read(r#"{"end":{"fault":"core 1: load"}}"#);
        assert!(matches!(fault.end, End::Fault(what) if what == "core 1: load"));
    }
}
