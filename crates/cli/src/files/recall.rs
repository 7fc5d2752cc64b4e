//! The options that say what is remembered between runs, and runs that remember it.

use crate::files::each::{Event, Flow, drive};
use crate::files::walk;
use crate::terminal::output::{Output, WriteError, complain};
use crate::terminal::progress::Progress;
use clap::builder::{OsStringValueParser, TypedValueParser};
use manylane_files::hashing::{Functions, Options, Source};
use manylane_files::known::{Answer, Cache, Keeping, Memory, Place};
use manylane_files::system::signals::{self, Caught};
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The options that say what is remembered between runs.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(id = "recall")]
pub struct Rules {
    /// Keep digests in this FILE, and read no file again whose size and times are the same; xattr:
    /// keep them in extended attributes of the files. Without FILE, in the user's folder of caches.
    /// An argument that follows is taken for FILE, an empty file too: --cache=FILE leaves no doubt
    #[arg(long, value_name = "FILE", help_heading = KEEPING, num_args = 0..=1)]
    #[arg(default_missing_value = DEFAULT)]
    #[arg(value_parser = OsStringValueParser::new().try_map(named))]
    cache: Option<OsString>,
    /// Read a share, from 0 to 1 or in percent such as 5%, of the files although the cache knows
    /// them, and compare: other content under the same size and times is BITROT, and the exit
    /// status is 2
    #[arg(long, value_name = "FRACTION", help_heading = KEEPING, requires = "cache")]
    #[arg(value_parser = fraction)]
    verify_cache: Option<f64>,
    /// Write down in this FILE what is done; after an interruption, the same command goes on from
    /// there and reads no finished file again. At the end the FILE is removed
    #[arg(long, value_name = "FILE", help_heading = KEEPING)]
    #[arg(value_parser = OsStringValueParser::new().try_map(named).map(PathBuf::from))]
    checkpoint: Option<PathBuf>,
    /// Also write down how far files longer than this many bytes were hashed, each time that this
    /// many more bytes were; K, M, G and T are powers of 1024. Each of these files is hashed by
    /// itself
    #[arg(long, value_name = "BYTES", help_heading = KEEPING, requires = "checkpoint")]
    #[arg(value_parser = every, default_value = "1G")]
    checkpoint_every: u64,
}

impl Rules {
    /// Reads all files, also those that a cache knows.
    #[must_use]
    pub fn reading_all(self) -> Self {
        Self { verify_cache: Some(1.0), ..self }
    }
}

/// Refuses an empty name, which a shell makes of a variable without a value.
fn named(file: OsString) -> Result<OsString, &'static str> {
    match file.is_empty() {
        true => Err("the name of a file is wanted, and this is empty"),
        false => Ok(file),
    }
}

/// The fewest bytes between two saved states of a file: fewer take less time to hash than a state
/// takes to write.
const LEAST_EVERY: u64 = 1 << 20;

fn every(text: &str) -> Result<u64, String> {
    match walk::bytes(text)? {
        bytes if bytes >= LEAST_EVERY => Ok(bytes),
        _ => Err("at least 1M is wanted".to_owned()),
    }
}

const KEEPING: &str = "What is kept for the next run";
/// Stands for the user's cache.
const DEFAULT: &str = "default";
/// Stands for attributes of the files.
const ATTRIBUTES: &str = "xattr";

/// Reads a share, as a number from 0 to 1 or in percent.
fn fraction(text: &str) -> Result<f64, String> {
    let number = match text.strip_suffix('%') {
        Some(percent) => percent.trim_end().parse().map(|percent: f64| percent / 100.0),
        None => text.parse(),
    };
    number
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "a number from 0 to 1 is wanted, or one in percent such as 5%".to_owned())
}

impl Rules {
    /// The first option that was given.
    pub fn given(&self) -> Option<&'static str> {
        let given = [("cache", self.cache.is_some()), ("checkpoint", self.checkpoint.is_some())];
        given.into_iter().find_map(|(name, given)| given.then_some(name))
    }

    /// The FILE of --cache.
    pub fn cache_file(&self) -> Option<&Path> {
        let cache = self.cache.as_ref();
        cache.filter(|cache| *cache != DEFAULT && *cache != ATTRIBUTES).map(Path::new)
    }

    /// The files of the cache and the checkpoint, which a walk must not hash.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.cache_file().into_iter().chain(self.checkpoint.as_deref())
    }

    /// Refuses a FILE of --cache that is no cache, before the run begins. --cache takes the
    /// argument that follows, which the user may have meant for something else.
    ///
    /// # Errors
    /// If the file is no cache, or cannot be read.
    pub fn refuse_other_caches(&self) -> anyhow::Result<()> {
        self.cache_file().map_or(Ok(()), Cache::refuse_others)
    }

    /// Opens the cache and the checkpoint that were asked for. `computed` describes the run.
    ///
    /// # Errors
    /// If a file is no cache or checkpoint, or cannot be used; if what is computed depends on a
    /// key.
    pub fn open(&self, functions: &Functions, computed: &str) -> anyhow::Result<Memory> {
        let place = |cache: &OsString| match cache {
            cache if cache == ATTRIBUTES => Place::Attributes,
            cache if cache == DEFAULT => Place::User,
            file => Place::File(file.into()),
        };
        let keeping = Keeping {
            cache: self.cache.as_ref().map(place),
            verify: self.verify_cache.unwrap_or(0.0),
            checkpoint: self.checkpoint.clone(),
            every: self.checkpoint_every,
        };
        Memory::open(&keeping, functions, computed, complain)
    }
}

/// Calls `each` with every job as it is done, in order, until it breaks off. Files whose digests
/// `memory` knows are not read.
pub fn for_each_recalled<S: Source>(
    source: S,
    memory: &Memory,
    options: &Options,
    output: &mut Output,
    mut each: impl FnMut(Answer<S::Note>, &Progress, &mut Output) -> Flow,
) -> Result<(), WriteError> {
    let caught = memory.saves_states().then(Caught::from_now_on);
    let options = memory.reading(options);
    let source = memory.recalling(source);
    let driven = drive(source, &options, output, |event, progress, output| {
        if let Some(signal) = caught.as_ref().and_then(Caught::signal) {
            memory.write();
            output.flush()?;
            signals::end_by(signal);
        }
        match event {
            Event::Done(done) => each(memory.answer(done), progress, output),
            Event::Idle => {
                // The journal is written first, so that everything that is shown has been
                // journaled.
                memory.write();
                Ok(ControlFlow::Continue(()))
            }
        }
    });
    memory.write();
    driven
}
