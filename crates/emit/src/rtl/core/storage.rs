//! Registers or memory.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Where the message words or the chaining value of a block are kept while it is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// In registers, which take all words at once.
    #[default]
    Registers,
    /// In memory: message words come in one by one, chaining values go in at once.
    Ram,
}

impl Storage {
    /// The two kinds of storage.
    pub const ALL: &'static [Self] = &[Self::Registers, Self::Ram];
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Registers => "registers",
            Self::Ram => "ram",
        })
    }
}

impl FromStr for Storage {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|storage| storage.to_string() == name);
        found.copied().ok_or_else(|| format!("no storage `{name}`; there are registers and ram"))
    }
}
