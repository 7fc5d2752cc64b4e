//! The hashes of a core: one, or several with a mode for each.

use anyhow::bail;
use manylane_emit::rtl::{Mode, modes};
use manylane_files::names;
use manylane_graph::framing::{self, Framing, framing};
use manylane_graph::{Function, trace};
use manylane_primitives::catalog::{Algorithm, Security};
use std::fmt;
use std::str::FromStr;

/// One hash, or several that one core computes, such as `sha224+sha256`.
#[derive(Clone, Debug)]
pub struct Hashes {
    /// At least one; mode n of the core computes `all[n]`.
    pub all: Vec<Algorithm>,
}

impl FromStr for Hashes {
    type Err = names::Error;

    fn from_str(names: &str) -> Result<Self, Self::Err> {
        Ok(Self { all: names.split('+').map(names::hash).collect::<Result<_, _>>()? })
    }
}

impl fmt::Display for Hashes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.joined("+", |hash| hash.to_string()))
    }
}

impl Hashes {
    fn joined(&self, by: &str, what: impl Fn(&Algorithm) -> String) -> String {
        self.all.iter().map(what).collect::<Vec<_>>().join(by)
    }

    /// Their names in the standards.
    pub fn title(&self) -> String {
        self.joined(", ", |hash| hash.id().entry().title.to_owned())
    }

    /// The security warning about them, if there is one.
    pub fn warning(&self) -> Option<String> {
        let warnings = self.all.iter().filter_map(|hash| {
            let entry = hash.id().entry();
            match entry.security {
                Security::Broken(why) | Security::Aged(why) => {
                    Some(format!("{}: {why}.", entry.title))
                }
                Security::Standard | Security::Finalist => None,
            }
        });
        Some(warnings.collect::<Vec<_>>().join(" ")).filter(|warnings| !warnings.is_empty())
    }

    /// The compression function that all of the hashes share.
    pub fn compression(&self) -> anyhow::Result<Function> {
        let mut compression = trace::compression(self.all[0]);
        for hash in &self.all[1..] {
            let mut other = trace::compression(*hash);
            other.name.clone_from(&compression.name);
            if other != compression {
                bail!(
                    "{self}: {hash} and {} have different compressions; a core has modes of one: \
                     make a core for each",
                    self.all[0]
                );
            }
        }
        if self.all.len() > 1 {
            compression.name = format!("{}.compression", self.joined("-", Algorithm::to_string));
        }
        Ok(compression)
    }

    fn framings(&self) -> Result<Vec<(String, Framing)>, framing::Error> {
        self.all.iter().map(|&hash| Ok((hash.to_string(), framing(hash)?))).collect()
    }

    /// The modes of a core of several hashes; none for a single hash.
    pub fn modes(&self) -> anyhow::Result<Vec<Mode>> {
        // Different compressions are reported before any other error.
        self.compression()?;
        if self.all.len() == 1 {
            return Ok(Vec::new());
        }
        Ok(modes(&self.framings()?)?.0)
    }

    /// The framing around the compression; with modes, that of the hash with the longest digest.
    pub fn framing(&self) -> anyhow::Result<Framing> {
        match self.all[..] {
            [hash] => Ok(framing(hash)?),
            _ => Ok(modes(&self.framings()?)?.1),
        }
    }
}
