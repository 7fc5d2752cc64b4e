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

use super::attributes::Attributes;
use super::cache::Cache;
use super::checkpoint::Checkpoint;
use super::store::{Row, Store};
use crate::hashing::{
    Done, Function, Functions, Half, Halves, Input, Job, Mapped, Options, Saving, Seen, Source,
};
use crate::lists::lines::hex;
use crate::names::{self, Named};
use crate::quote::quote;
use crate::system::os;
use crate::system::reason;
use crate::system::stamp::{Settling, Stamp};
use anyhow::bail;
use std::ffi::OsStr;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// Where digests are kept from one run to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The user's folder of caches.
    User,
    /// Extended attributes of the files.
    Attributes,
    /// A file.
    File(PathBuf),
}

/// What is to be remembered between runs.
#[derive(Clone, Debug, Default)]
pub struct Keeping {
    /// Where the cache is, if there is one.
    pub cache: Option<Place>,
    /// The share, from 0 to 1, of the files that are read although the cache knows them.
    pub verify: f64,
    /// The journal of the run.
    pub checkpoint: Option<PathBuf>,
    /// With a journal, after how many bytes of a file its state is saved.
    pub every: u64,
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

/// The most digests that wait to be written.
const PENDING: usize = 256;

/// What is remembered, shared by the thread that finds files and the one that takes digests.
#[derive(Clone, Default)]
pub struct Memory {
    kept: Option<Arc<Mutex<Kept>>>,
    content_alone: bool,
    /// With a checkpoint: the number of bytes of a file after which its state is saved.
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
    /// Tells the user what could not be found or kept, which has no effect on the digests.
    complain: fn(&str),
}

/// What was kept of a file: for each function the digest, with the size and times that the file had
/// then, if there is one.
#[derive(Default)]
struct Then(Vec<Option<Row>>);

/// The knowledge about a file before it is read.
enum Recall {
    /// All digests are known: the file's present stamp, and the digests.
    Known(Stamp, Vec<Vec<u8>>),
    /// The file is to be read, and the result compared with what was kept of it.
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

    /// Selects the rows of the functions from those that a store found.
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

    /// Whether a known file is read nevertheless, to verify its digest.
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

    /// Stops the finding and keeping of digests, and reports why once. The digests of the run do
    /// not depend on it.
    fn give_up(&mut self, why: &str) {
        if !self.failed {
            (self.complain)(&format!("{why}; from here on nothing is kept"));
        }
        self.failed = true;
        self.cache = None;
        self.checkpoint = None;
    }
}

/// A job's own note, and what was known of its file.
pub struct Recalled<N> {
    note: N,
    /// The file with its digests, if they are known and nothing is read.
    known: Option<(PathBuf, Seen, Vec<Vec<u8>>)>,
    then: Then,
}

/// A job that is done, and how its digests relate to what was known.
pub struct Answer<N> {
    /// The job, with the digests.
    pub done: Done<N>,
    /// Whether the digests were known, so that nothing was read.
    pub known: bool,
    /// Whether the content differs from before although size and times are the same.
    pub rotten: bool,
}

impl Memory {
    /// Opens the cache and the checkpoint of `keeping`. `computed` describes the run; `complain`
    /// tells the user what cannot be kept or found.
    ///
    /// # Errors
    /// If a file is no cache or checkpoint, or cannot be used; if what is computed depends on a
    /// key.
    pub fn open(
        keeping: &Keeping,
        functions: &Functions,
        computed: &str,
        complain: fn(&str),
    ) -> anyhow::Result<Self> {
        let Keeping { cache, verify, checkpoint, every } = keeping;
        let given = match (cache, checkpoint) {
            (Some(_), _) => "cache",
            (None, Some(_)) => "checkpoint",
            (None, None) => return Ok(Self::default()),
        };
        let names: Option<Vec<String>> = functions.iter().map(name).collect();
        let Some(algorithms) = names else {
            bail!(
                "--{given} keeps digests, and what depends on a key is not to be kept: leave it out"
            )
        };
        let store: Option<Box<dyn Store>> = match cache {
            None => None,
            Some(Place::Attributes) => Some(Box::new(Attributes::new(algorithms))),
            Some(Place::User) => Some(Box::new(Cache::of_user()?)),
            Some(Place::File(file)) => Some(Box::new(Cache::open(file)?)),
        };
        if let (Some(Place::File(cache)), Some(checkpoint)) = (cache, checkpoint)
            && is_same(cache, checkpoint)
        {
            let cache = quote(cache.as_os_str().as_encoded_bytes());
            bail!("{cache}: --cache and --checkpoint each need a file of their own: name another");
        }
        let journal = checkpoint.as_ref().map(|file| Checkpoint::open(file, computed));
        let kept = Kept {
            cache: store,
            checkpoint: journal.transpose()?,
            verify: *verify,
            chance: RandomState::new(),
            settling: Settling::default(),
            pending: Vec::new(),
            failed: false,
            complain,
        };
        Ok(Self {
            kept: Some(Arc::new(Mutex::new(kept))),
            content_alone: *cache == Some(Place::Attributes),
            every: checkpoint.as_ref().map(|_| *every),
        })
    }

    /// Whether the states of unfinished files are saved. States that are not written yet are lost
    /// if a signal ends the program at once.
    pub fn saves_states(&self) -> bool {
        self.every.is_some()
    }

    /// `options` with what the cache and the checkpoint ask of reading.
    #[must_use]
    pub fn reading(&self, options: &Options) -> Options {
        let mut options = options.clone();
        options.reading.content_alone |= self.content_alone;
        options.saving = self.every.map(|every| Saving { every, halves: Arc::new(self.clone()) });
        options
    }

    /// The jobs of a source. Nothing is read for a job whose digests are known.
    pub fn recalling<S: Source>(
        &self,
        source: S,
    ) -> impl Source<Note = Recalled<S::Note>> + use<S> {
        let looking = self.clone();
        Mapped::new(source, move |job| looking.look_up(job))
    }

    /// Writes the digests that wait to be written.
    pub fn write(&self) {
        if let Some(mut kept) = self.lock() {
            kept.write();
        }
    }

    fn lock(&self) -> Option<MutexGuard<'_, Kept>> {
        Some(self.kept.as_ref()?.lock().expect("no holder of the lock panics"))
    }

    /// Looks up the file of a job.
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

    /// Keeps the digests of a job and compares them with those that were known.
    pub fn answer<N>(&self, done: Done<Recalled<N>>) -> Answer<N> {
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
            (kept.complain)(&remark);
            kept.failed = true;
        }
        if let Some(checkpoint) = kept.checkpoint.take_if(|_| complete)
            && let Err(error) = checkpoint.remove()
        {
            kept.give_up(&reason(&error));
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
        let Some(kept) = self.lock() else { return };
        let name = quote(path.as_os_str().as_encoded_bytes());
        (kept.complain)(&format!("{name}: what the checkpoint has of it cannot be used: {why}"));
    }
}
