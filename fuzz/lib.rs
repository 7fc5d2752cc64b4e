//! What the targets draw from their input.

use arbitrary::Arbitrary;
use manylane_engine::{Algorithm, Engine, HashId, engines};

/// A hash, and an engine that computes it or the choice among them.
#[derive(Arbitrary, Debug)]
pub struct What {
    hash: u8,
    digest_bytes: u8,
    engine: u8,
}

impl What {
    /// Every hash; where its digest's length is free, any from 1 to 255 or the default.
    pub fn algorithm(&self) -> Algorithm {
        let id = HashId::ALL[usize::from(self.hash) % HashId::ALL.len()];
        let default = Algorithm::new(id);
        default.with_digest_bytes(self.digest_bytes.into()).unwrap_or(default)
    }

    /// One of its engines, or `None`.
    pub fn engine(&self) -> Option<Engine> {
        let engines = engines(self.algorithm()).unwrap();
        engines.get(usize::from(self.engine) % (engines.len() + 1)).copied()
    }
}
