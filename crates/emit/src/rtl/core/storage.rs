//! Registers or memory.

use serde::{Deserialize, Serialize};

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

manylane_graph::names! { Storage:
    /// Its name on the command line.
    Registers "registers", Ram "ram",
}
