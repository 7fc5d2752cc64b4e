//! Measured times of compiled programs with a key: `[keys]` and `[streams]` of a platform's file.

use super::Identity;
use super::programs::{cycles, each, identity, of_two_cores, positive};
use super::table::{Result, Table};
use std::collections::BTreeMap;

/// The times that the key of a keyed hash takes, in cycles of the main core. On two cores each core
/// compresses one of the key's two blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyTime {
    /// The program of the hash on two cores, or on one core if there is none for two.
    pub program: Identity,
    /// On one core: a keyed empty message without its calls of the compression.
    pub alone: f64,
    /// On two cores: a keyed empty message on the main core, without the calls that both cores
    /// share and without `main`.
    pub message: f64,
    /// On two cores: the main core's time from handing over a block of the key until the core waits
    /// for the result.
    pub main: f64,
    /// The second core's time for its block of the key.
    pub second: f64,
}

/// The times that a cipher's stream takes on one core, and on two cores that share its blocks in
/// jobs, in cycles of the main core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamTime {
    /// The program of the key's expansion beside the first blocks.
    pub program: Identity,
    /// On one core: the key's expansion, and all work that does not depend on blocks.
    pub key: f64,
    /// On one core: a whole block.
    pub whole: f64,
    /// A last block that is not whole, without the time of its bytes.
    pub held: f64,
    /// Each byte of a last block that is not whole.
    pub byte: f64,
    /// On two cores: the key's expansion, and all work that does not depend on blocks.
    pub message: f64,
    /// On two cores: the main core's time for the key's expansion beside the first blocks, without
    /// its share of them.
    pub beside: f64,
    /// On two cores: the only block of a message, which is not shared.
    pub only: f64,
    /// On two cores: the beginning of the first job.
    pub open: f64,
    /// The main core's time for a job while the second core does not work.
    pub job: f64,
    /// The main core's time for each block of a job while the second core does not work.
    pub block: f64,
    /// The main core's time in a job while both cores work: a constant, and the time for each of
    /// its own blocks.
    pub main: [f64; 2],
    /// The second core's time in a job while both cores work, in the same form.
    pub second: [f64; 2],
}

/// Reads `[keys]`.
pub(super) fn keys(top: &Table<'_>) -> Result<BTreeMap<String, KeyTime>> {
    of_two_cores(top, "keys")?;
    each(top, "keys", |inner| {
        inner.only(&["program", "alone", "message", "main", "second"])?;
        Ok(KeyTime {
            program: identity(inner)?,
            alone: cycles(inner, "alone")?,
            message: cycles(inner, "message")?,
            main: positive(inner, "main", "the main core's cycles meanwhile")?,
            second: positive(inner, "second", "the second core's cycles of the key's block")?,
        })
    })
}

/// Reads `[streams]`.
pub(super) fn streams(top: &Table<'_>) -> Result<BTreeMap<String, StreamTime>> {
    of_two_cores(top, "streams")?;
    each(top, "streams", |inner| {
        inner.only(&[
            "program", "key", "whole", "held", "byte", "message", "beside", "only", "open", "job",
            "block", "main", "second",
        ])?;
        let pair = |name: &'static str| -> Result<[f64; 2]> {
            let Some((_, value)) = inner.get(name) else {
                return Err(inner.missing(name, "add `[cycles of a job, cycles of each block]`"));
            };
            inner.cycles(value)?.try_into().map_err(|_| {
                let remedy = "write `[cycles of a job, cycles of each block]`";
                inner.wrong(value, "not two numbers", remedy)
            })
        };
        Ok(StreamTime {
            program: identity(inner)?,
            key: positive(inner, "key", "the cycles of the key's expansion")?,
            whole: positive(inner, "whole", "the cycles of a block")?,
            held: cycles(inner, "held")?,
            byte: cycles(inner, "byte")?,
            message: cycles(inner, "message")?,
            beside: cycles(inner, "beside")?,
            only: cycles(inner, "only")?,
            open: cycles(inner, "open")?,
            job: cycles(inner, "job")?,
            block: cycles(inner, "block")?,
            main: pair("main")?,
            second: pair("second")?,
        })
    })
}
