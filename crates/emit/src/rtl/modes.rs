//! Hashes that share a core: they differ in the first chaining value and in how much of the last
//! one is the digest.
//!
//! ```text
//!  in_mode ──► first chaining value ─┐ in_first
//!  in_chain ─────────────────────────┴─► rounds ──┬──► out_chain
//!                                                 └─► mask of out_mode ──► out_digest
//! ```

use super::Error;
use manylane_graph::framing::{Framing, StateByte};

/// One of the hashes of a core. Its number is its place among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Its name.
    pub name: String,
    /// The chaining value before the first block, in words.
    pub initial: Vec<u64>,
    /// For each word of the last chaining value, ones where the digest has its bits.
    pub mask: Vec<u64>,
    /// Bytes of the digest.
    pub digest_bytes: usize,
}

impl Mode {
    /// The digest in a chaining value, in words; what does not belong to it is 0.
    pub fn digest(&self, chain: &[u64]) -> Vec<u64> {
        chain.iter().zip(&self.mask).map(|(word, mask)| word & mask).collect()
    }
}

/// Bits of a mode's number, for a core of `modes` modes.
pub(super) fn bits(modes: usize) -> u32 {
    usize::BITS - (modes - 1).leading_zeros()
}

/// The modes for people.
pub(super) fn table(modes: &[Mode]) -> String {
    let row =
        |(n, mode): (usize, &Mode)| format!("| {n} | {} | {} |\n", mode.name, mode.digest_bytes);
    let rows: String = modes.iter().enumerate().map(row).collect();
    let of_others = match modes.len().is_power_of_two() {
        true => String::new(),
        false => "\nAny other number is as the last one.\n".to_owned(),
    };
    format!("| mode | hash | bytes of the digest |\n|--:|---|--:|\n{rows}{of_others}")
}

/// The modes of a core for these hashes, whose compressions are one, and the surroundings that they
/// have in common: those of the longest digest.
///
/// # Errors
/// If there are fewer than two hashes, or two differ in more than the first chaining value and the
/// length of the digest.
pub fn modes(hashes: &[(String, Framing)]) -> Result<(Vec<Mode>, Framing), Error> {
    let longest = hashes.iter().max_by_key(|(_, framing)| framing.digest.len());
    let Some((of, common)) = longest.filter(|_| hashes.len() > 1) else {
        return Err(Error::OneMode);
    };
    let alike = |framing: &Framing| Framing {
        initial: common.initial.clone(),
        digest: common.digest.clone(),
        ..framing.clone()
    };
    let mut modes: Vec<Mode> = Vec::new();
    for (name, framing) in hashes {
        let differs = |what| Error::Modes { hash: name.clone(), other: of.clone(), what };
        if alike(framing) != *common {
            return Err(differs("padding"));
        }
        if framing.closing.is_some() {
            return Err(differs("output transformation"));
        }
        if !common.digest.starts_with(&framing.digest) {
            return Err(differs("place of the digest"));
        }
        let mut mask = vec![0; common.initial.len()];
        for StateByte { word, byte } in &framing.digest {
            mask[*word] |= 0xff << (8 * byte);
        }
        if modes.iter().any(|mode| mode.name == *name) {
            return Err(Error::SameMode(name.clone()));
        }
        let (initial, digest_bytes) = (framing.initial.clone(), framing.digest.len());
        modes.push(Mode { name: name.clone(), initial, mask, digest_bytes });
    }
    Ok((modes, common.clone()))
}
