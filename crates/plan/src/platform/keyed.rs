//! What compiled programs with a key were measured to take: `[keys]` and `[streams]` of a
//! platform's file.

use super::Identity;
use super::programs::{cycles, each, identity, of_two_cores, positive};
use super::table::{Result, Table};
use serde::Serialize;
use std::collections::BTreeMap;

/// What the key of a keyed hash takes. On two cores each compresses one of the key's blocks. In
/// cycles of the main core.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KeyTime {
    /// The program of the hash on two cores, or on one where it has none.
    pub program: Identity,
    /// What the empty message takes beside its calls on one core.
    pub alone: f64,
    /// What the empty message takes on the main core beside the calls that both cores share, and
    /// beside `main`.
    pub message: f64,
    /// The main core, from giving a block of the key until it waits for what comes of it.
    pub main: f64,
    /// The second core meanwhile.
    pub second: f64,
}

/// What the blocks of a cipher's stream take on one core, and on two, which share them out in jobs.
/// In cycles of the main core.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StreamTime {
    /// The program of the key's expansion beside the first blocks.
    pub program: Identity,
    /// On one core: the key's expansion, and what no block has to do with.
    pub key: f64,
    /// On one core: a whole block.
    pub whole: f64,
    /// What a last block takes that is not whole: whatever its bytes, and for each of them.
    pub held: f64,
    /// See `held`.
    pub byte: f64,
    /// `key` where jobs may follow that two cores share.
    pub message: f64,
    /// What the key's expansion beside the first blocks takes on the main core beside its share.
    pub beside: f64,
    /// On two cores: the only block of a message, of which there is nothing to share.
    pub only: f64,
    /// To begin with jobs.
    pub open: f64,
    /// A job, on the main core and at no time when the second one works.
    pub job: f64,
    /// Each block of a job, likewise.
    pub block: f64,
    /// What each core takes of a job beside the other one: whatever its blocks, and for each of its
    /// own.
    pub main: [f64; 2],
    /// The same of the second core.
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
