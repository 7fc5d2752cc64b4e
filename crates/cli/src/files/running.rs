//! The options of every command that hashes many files: threads, reading, progress and summaries.

use crate::program;
use crate::terminal::progress::Progress;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use manylane_answers::choices::at_least_one;
use manylane_engine::Engine;
use manylane_files::hashing::{Options, Reading};
use manylane_files::system::media;
use std::num::NonZeroUsize;
use std::path::Path;
use std::str::FromStr;

/// How files are read and hashed.
#[derive(Clone, Debug, clap::Args)]
#[group(id = "running")]
pub struct Running {
    /// Use this engine only
    #[arg(long, value_name = "NAME", help_heading = SPEED, value_parser = engine_parser())]
    engine: Option<Engine>,
    /// Use so many threads, or fewer where limits on memory, threads or open files ask for it
    /// [default: one for each core]
    #[arg(short = 'j', long, value_name = "N", help_heading = SPEED, value_parser = at_least_one)]
    threads: Option<NonZeroUsize>,
    /// Read one file after the other, each from its beginning to its end: for disks that turn.
    /// With -j2 or more a second thread hashes long files meanwhile
    #[arg(long, help_heading = SPEED)]
    sequential: bool,
    /// Let no more than so many threads read at once. 1: files are read in their order, each to its
    /// end; more than -j: for storage that answers late. auto: 1 from the first file on that is
    /// found on a disk that turns, NFS or SMB, else no limit
    #[arg(long, value_name = "auto|N", help_heading = SPEED, default_value = "auto")]
    io_threads: IoThreads,
    /// Drop what was read from the page cache afterwards, so that other programs keep theirs
    #[arg(long, help_heading = SPEED)]
    drop_cache: bool,
    /// Read past the page cache (O_DIRECT) where the file system can
    #[arg(long, help_heading = SPEED)]
    direct: bool,
    /// What becomes of a file whose size or times change while it is read [default: report; ignore
    /// when started by another name, such as sha256sum]
    #[arg(long, value_enum, value_name = "HOW", help_heading = SAYING)]
    on_change: Option<OnChange>,
    /// Print the share that is done to standard error, a line for each percent, where that is no
    /// terminal
    #[arg(long, help_heading = SAYING)]
    percents: bool,
    /// Say at the end how many files and bytes there were, and how fast
    #[arg(long, help_heading = SAYING)]
    pub summary: bool,
    /// Say at the end which N files took longest to read
    #[arg(long, value_name = "N", help_heading = SAYING)]
    pub slowest: Option<usize>,
}

const SPEED: &str = "Speed";
const SAYING: &str = "What is said meanwhile";

/// What becomes of a file that changes while it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnChange {
    /// It is CHANGED: an error, and it has no digest
    Report,
    /// It is read again, up to five times, then it is CHANGED
    Retry,
    /// The digest is that of the bytes that were read
    Ignore,
}

/// How often a file is read again with `--on-change retry`.
const RETRIES: u32 = 5;

/// How many threads read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IoThreads {
    /// As many as the storage asks for.
    Auto,
    Most(NonZeroUsize),
}

impl FromStr for IoThreads {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => text.parse().map(Self::Most).map_err(|_| "auto or a number from 1 on is wanted"),
        }
    }
}

fn engine_parser() -> impl TypedValueParser<Value = Engine> {
    PossibleValuesParser::new(Engine::ALL.map(Engine::name)).try_map(|name| name.parse::<Engine>())
}

impl Running {
    /// Returns the treatment of files that change while they are read.
    pub fn on_change(&self) -> OnChange {
        let default = if program::is_other() { OnChange::Ignore } else { OnChange::Report };
        self.on_change.unwrap_or(default)
    }

    /// Returns how the files at or below these paths are hashed.
    pub fn options<'p>(&self, paths: impl IntoIterator<Item = &'p Path>) -> Options {
        let io_threads = match self.io_threads {
            IoThreads::Most(count) => Some(count.get()),
            IoThreads::Auto => media::want_one_reader(paths).then_some(1),
        };
        Options {
            engine: self.engine,
            threads: self.threads.map_or(Options::default().threads, usize::from),
            sequential: self.sequential,
            io_threads,
            reading: Reading {
                drop_cache: self.drop_cache,
                direct: self.direct,
                content_alone: false,
            },
            retries: if self.on_change() == OnChange::Retry { RETRIES } else { 0 },
            saving: None,
            sizes: self.percents || Progress::is_shown(),
        }
    }
}
