//! Digests that are known from before: those of a cache, and of a run that was interrupted.
//!
//! ```text
//!  source ─▶ found? ──known──▶ nothing to read ─────────────▶ caller
//!              │                                                ▲
//!              └──unknown, or to be read once more──▶ read ─▶ kept, compared
//! ```
//!
//! A digest is known while the file's size and times are what they were when it was read. It is
//! kept only if the file was not modified within the tick of the clock in which it was read, as a
//! second modification within that tick would leave no trace.

use crate::files::each::{Event, Flow, drive};
use crate::files::walk;
use crate::terminal::output::{Output, WriteError, complain};
use crate::terminal::progress::Progress;
use anyhow::bail;
use clap::builder::{OsStringValueParser, TypedValueParser};
use manylane_files::hashing::{
    Done, Function, Functions, Half, Halves, Input, Job, Mapped, Options, Saving, Seen, Source,
};
use manylane_files::known::{Attributes, Cache, Checkpoint, Row, Store};
use manylane_files::lists::lines::hex;
use manylane_files::names::{self, Named};
use manylane_files::quote::quote;
use manylane_files::system::os;
use manylane_files::system::stamp::{Settling, Stamp};
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

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

/// The least bytes between two states of a file: fewer would take more time to write than to hash.
const LEAST_EVERY: u64 = 1 << 20;

fn every(text: &str) -> Result<u64, String> {
    match walk::bytes(text)? {
        bytes if bytes >= LEAST_EVERY => Ok(bytes),
        _ => Err("at least 1M is wanted".to_owned()),
    }
}

/// Describes the computation of a run, which distinguishes its checkpoint from those of other runs.
/// If there are many names, the text holds a few and a digest of all.
pub fn computed<'f>(what: &str, files: impl IntoIterator<Item = &'f OsStr>) -> String {
    const SHOWN: usize = 3;
    let names: Vec<&[u8]> = files.into_iter().map(OsStr::as_encoded_bytes).collect();
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| quote(name)).collect();
    let mut text = format!("{what} of {}", shown.join(", "));
    if let Some(others) = names.len().checked_sub(SHOWN).filter(|others| *others > 0) {
        let all = names.join(&0);
        let digest = manylane_engine::hash(names::DEFAULT, &all);
        text += &format!(" and {others} others ({})", hex(&digest[..4]));
    }
    text
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

    /// The files of their own, which a walk is not to hash.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.cache_file().into_iter().chain(self.checkpoint.as_deref())
    }

    /// Refuses a FILE of --cache that is no cache, before another argument that the user meant for
    /// something else is read: --cache takes the argument behind it.
    ///
    /// # Errors
    /// If it is something else, or cannot be read.
    pub fn refuse_other_caches(&self) -> anyhow::Result<()> {
        self.cache_file().map_or(Ok(()), Cache::refuse_others)
    }

    /// Opens what was asked for. `computed` says what the run does.
    ///
    /// # Errors
    /// If a file is something else or cannot be used; if what is computed depends on a key.
    pub fn open(&self, functions: &Functions, computed: &str) -> anyhow::Result<Memory> {
        let Some(given) = self.given() else { return Ok(Memory::default()) };
        let names: Option<Vec<String>> = functions.iter().map(name).collect();
        let Some(algorithms) = names else {
            bail!(
                "--{given} keeps digests, and what depends on a key is not to be kept: leave it out"
            )
        };
        let cache: Option<Box<dyn Store>> = match &self.cache {
            None => None,
            Some(cache) if cache == ATTRIBUTES => Some(Box::new(Attributes::new(algorithms))),
            Some(cache) if cache == DEFAULT => Some(Box::new(Cache::of_user()?)),
            Some(cache) => Some(Box::new(Cache::open(Path::new(cache))?)),
        };
        if let (Some(cache), Some(checkpoint)) = (self.cache_file(), &self.checkpoint)
            && is_same(cache, checkpoint)
        {
            let cache = quote(cache.as_os_str().as_encoded_bytes());
            bail!("{cache}: --cache and --checkpoint each need a file of their own: name another");
        }
        let checkpoint = self.checkpoint.as_ref().map(|file| Checkpoint::open(file, computed));
        let kept = Kept {
            cache,
            checkpoint: checkpoint.transpose()?,
            verify: self.verify_cache.unwrap_or(0.0),
            chance: RandomState::new(),
            settling: Settling::default(),
            pending: Vec::new(),
            failed: false,
        };
        let content_alone = self.cache.as_ref().is_some_and(|cache| cache == ATTRIBUTES);
        let every = self.checkpoint.as_ref().map(|_| self.checkpoint_every);
        Ok(Memory { kept: Some(Arc::new(Mutex::new(kept))), content_alone, every })
    }
}

/// Whether two paths are those of one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let id = |path: &Path| os::file_id(&path.metadata().ok()?);
    one == other || id(one).is_some_and(|one| id(other) == Some(one))
}

/// The name under which digests of a function are kept, if they are.
fn name(function: &Function) -> Option<String> {
    match function {
        Function::Hash(hash) => Some(Named::Hash(*hash).name()),
        Function::Hmac(..) => None,
    }
}

/// At most so many digests wait to be written.
const PENDING: usize = 256;
/// What is remembered, shared by the thread that finds files and the one that takes digests.
#[derive(Clone, Default)]
pub struct Memory {
    kept: Option<Arc<Mutex<Kept>>>,
    content_alone: bool,
    /// After how many bytes of a file it is saved, with a checkpoint.
    every: Option<u64>,
}

struct Kept {
    cache: Option<Box<dyn Store>>,
    checkpoint: Option<Checkpoint>,
    verify: f64,
    chance: RandomState,
    settling: Settling,
    pending: Vec<(PathBuf, Row)>,
    /// Whether something could not be kept.
    failed: bool,
}

/// What was kept of a file: for each function, if it is known, the digest with the size and times
/// that the file had then.
#[derive(Default)]
struct Then(Vec<Option<Row>>);

/// The knowledge about a file before it is read.
enum Recall {
    /// Its digests, and what it is now.
    Known(Stamp, Vec<Vec<u8>>),
    /// Not all that is wanted; what there is, is to be compared with what is read.
    Unknown(Then),
}

impl Then {
    /// The digests of all functions, if all are known of a file that has not changed since then.
    fn digests(&self, now: &Stamp) -> Option<Vec<Vec<u8>>> {
        let of = |row: &Option<Row>| {
            let row = row.as_ref().filter(|row| row.stamp.same_times(now))?;
            Some(row.digest.clone())
        };
        self.0.iter().map(of).collect::<Option<_>>().filter(|digests: &Vec<_>| !digests.is_empty())
    }

    /// Whether a file whose size and time of modification are the same had another digest.
    fn differs(&self, now: &Stamp, digests: &[Vec<u8>]) -> bool {
        self.0.iter().zip(digests).any(|(row, digest)| {
            row.as_ref().is_some_and(|row| row.stamp.same_content(now) && row.digest != *digest)
        })
    }
}

impl Kept {
    fn find(&mut self, path: &Path, functions: &Functions) -> Recall {
        let Ok(about) = path.metadata() else { return Recall::Unknown(Then::default()) };
        if !about.is_file() {
            return Recall::Unknown(Then::default());
        }
        let stamp = Stamp::of(&about);
        if let Some(checkpoint) = &mut self.checkpoint {
            let found = checkpoint.find(path, &stamp);
            if let Some(digests) = self.then(found, functions).digests(&stamp) {
                return Recall::Known(stamp, digests);
            }
        }
        let found = self.cache.as_mut().map(|cache| cache.find(path, &stamp));
        let mut then = found.map(|found| self.then(found, functions)).unwrap_or_default();
        if let Some(digests) = then.digests(&stamp)
            && !self.is_checked(path)
        {
            return Recall::Known(stamp, digests);
        }
        // A row older than the file is about a deleted file that had the same inode number.
        for row in &mut then.0 {
            row.take_if(|row| row.stamp.is_older_than(&about));
        }
        self.settling.wait(&stamp);
        Recall::Unknown(then)
    }

    /// What was found of the functions.
    fn then(&mut self, found: Result<Vec<Row>, String>, functions: &Functions) -> Then {
        let rows = match found {
            Ok(rows) => rows,
            Err(why) => {
                self.give_up(&why);
                return Then::default();
            }
        };
        let of = |function: &Function| {
            let (name, bytes) = (name(function)?, function.digest_bytes());
            let is_it = |row: &&Row| row.algorithm == name && row.digest.len() == bytes;
            rows.iter().find(is_it).cloned()
        };
        Then(functions.iter().map(of).collect())
    }

    /// Whether a known file is read all the same.
    fn is_checked(&self, path: &Path) -> bool {
        let share = self.chance.hash_one(path) as f64 / u64::MAX as f64;
        self.verify > 0.0 && share <= self.verify
    }

    fn keep(&mut self, path: &Path, functions: &Functions, seen: &Seen, digests: &[Vec<u8>]) {
        if seen.stamp.unsettled(seen.begin).is_some() {
            return;
        }
        for (function, digest) in functions.iter().zip(digests) {
            let Some(algorithm) = name(function) else { continue };
            let row = Row { algorithm, stamp: seen.stamp, digest: digest.clone() };
            self.pending.push((path.to_owned(), row));
        }
        if self.pending.len() >= PENDING {
            self.write();
        }
    }

    fn write(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return;
        }
        let cached = self.cache.as_mut().map_or(Ok(()), |cache| cache.keep(&pending));
        let journaled = self.checkpoint.as_mut().map_or(Ok(()), |journal| journal.keep(&pending));
        for result in [cached, journaled] {
            if let Err(why) = result {
                self.give_up(&why);
            }
        }
    }

    /// Reports once why nothing can be kept or found any more. The digests do not depend on it.
    fn give_up(&mut self, why: &str) {
        if !self.failed {
            complain(&format!("{why}; from here on nothing is kept"));
        }
        self.failed = true;
        self.cache = None;
        self.checkpoint = None;
    }
}

/// A job's own note, and what was known of its file.
pub struct Recalled<N> {
    note: N,
    /// The file, if nothing is read since its digests are known.
    known: Option<(PathBuf, Seen, Vec<Vec<u8>>)>,
    then: Then,
}

/// A job that is done, of which the digests may have been known.
pub struct Answer<N> {
    pub done: Done<N>,
    /// Whether nothing was read.
    pub known: bool,
    /// Whether the content is another one than before although size and times are the same.
    pub rotten: bool,
}

impl Memory {
    fn lock(&self) -> Option<MutexGuard<'_, Kept>> {
        Some(self.kept.as_ref()?.lock().expect("no holder of the lock panics"))
    }

    /// Looks a job's file up.
    fn look_up<N>(&self, mut job: Job<N>) -> Job<Recalled<N>> {
        let (mut known, mut then) = (None, Then::default());
        if let (Some(path), Some(mut kept)) = (job.input.whole_file(), self.lock()) {
            match kept.find(path, &job.functions) {
                Recall::Unknown(before) => then = before,
                Recall::Known(stamp, digests) => {
                    known = Some((path.to_owned(), Seen::without_reading(stamp), digests));
                    drop(kept);
                    job.input = Input::Nothing;
                }
            }
        }
        let Job { input, functions, note } = job;
        Job { input, functions, note: Recalled { note, known, then } }
    }

    /// Keeps what was computed, and compares it with what was known.
    fn answer<N>(&self, done: Done<Recalled<N>>) -> Answer<N> {
        let changed = done.has_changed();
        let Done { job: Job { mut input, functions, note }, mut digests, mut seen } = done;
        let Recalled { note, known, then } = note;
        let is_known = known.is_some();
        let mut rotten = false;
        if let Some((path, then, known)) = known {
            input = Input::Path(path);
            digests = Ok(known);
            seen = Some(then);
        } else if let (Some(path), Ok(digests), Some(seen), false) =
            (input.whole_file(), &digests, &seen, changed)
        {
            rotten = then.differs(&seen.stamp, digests);
            // A file that is longer or shorter than its size says, as in /proc, can change without
            // new times, so no cache keeps its digest. An attribute is tried all the same, so that
            // the user is told why it cannot be set.
            let keeps = !rotten && (seen.fits_size || self.content_alone);
            if let Some(mut kept) = self.lock().filter(|_| keeps) {
                kept.keep(path, &functions, seen, digests);
            }
        }
        let done = Done { job: Job { input, functions, note }, digests, seen };
        Answer { done, known: is_known, rotten }
    }

    /// Ends a run: writes what is not written yet, and removes the checkpoint if the run is
    /// complete. `false` if something could not be kept.
    pub fn finish(self, complete: bool) -> bool {
        let Some(mut kept) = self.lock() else { return true };
        kept.write();
        if let Some(remark) = kept.cache.as_ref().and_then(|cache| cache.remark()) {
            complain(&remark);
            kept.failed = true;
        }
        if let Some(checkpoint) = kept.checkpoint.take_if(|_| complete)
            && let Err(error) = checkpoint.remove()
        {
            kept.give_up(&manylane_files::system::reason(&error));
        }
        !kept.failed
    }
}

impl Halves for Memory {
    fn find(&self, path: &Path, stamp: &Stamp) -> Option<Half> {
        let mut kept = self.lock()?;
        match kept.checkpoint.as_mut()?.half(path, stamp) {
            Ok(half) => half,
            Err(why) => {
                kept.give_up(&why);
                None
            }
        }
    }

    fn keep(&self, path: &Path, stamp: &Stamp, half: Half) {
        let Some(mut kept) = self.lock() else { return };
        let kept_half =
            kept.checkpoint.as_mut().map(|journal| journal.keep_half(path, stamp, &half));
        if let Some(Err(why)) = kept_half {
            kept.give_up(&why);
        }
    }

    fn refuse(&self, path: &Path, why: &str) {
        let name = quote(path.as_os_str().as_encoded_bytes());
        complain(&format!("{name}: what the checkpoint has of it cannot be used: {why}"));
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
    let signals = memory.every.map(|_| Signals::catch());
    let mut options = options.clone();
    options.reading.content_alone |= memory.content_alone;
    options.saving = memory.every.map(|every| Saving { every, halves: Arc::new(memory.clone()) });
    let looking = memory.clone();
    let source = Mapped::new(source, move |job| looking.look_up(job));
    let driven = drive(source, &options, output, |event, progress, output| {
        if let Some(signal) = signals.as_ref().and_then(Signals::caught) {
            if let Some(mut kept) = memory.lock() {
                kept.write();
            }
            output.flush()?;
            // Ends the program as the signal would have.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
        match event {
            Event::Done(done) => each(memory.answer(done), progress, output),
            Event::Idle => {
                // The journal is written first, so that everything that is shown has been
                // journaled.
                if let Some(mut kept) = memory.lock() {
                    kept.write();
                }
                Ok(ControlFlow::Continue(()))
            }
        }
    });
    if let Some(mut kept) = memory.lock() {
        kept.write();
    }
    driven
}

/// Signals that end the program, which it hears of first.
struct Signals(Arc<AtomicUsize>);

impl Signals {
    fn catch() -> Self {
        let (caught, again) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let signals = [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM];
        for signal in signals {
            // Where it cannot be caught, the program ends as it would without. A second signal ends
            // it at once, even if it waits for others.
            let _ = signal_hook::flag::register_conditional_default(signal, again.clone());
            let _ = signal_hook::flag::register(signal, again.clone());
            let _ = signal_hook::flag::register_usize(signal, caught.clone(), signal as usize);
        }
        Self(caught)
    }

    fn caught(&self) -> Option<i32> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(signal as i32),
        }
    }
}
