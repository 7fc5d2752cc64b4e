//! The rounds of a worker: it reads into the arena, hashes what was read and hands over the
//! digests. The choice of files and the reading are in `reading`.

mod alone;
mod reading;

use super::arena::{Arena, Order};
use super::call::Call;
use super::groups::{Groups, Seat};
use super::job::{Done, Results, Source};
use super::queue::{Claimed, Queue};
use super::reader::{Reader, Reading, Seen};
use super::resumed::Saving;
use super::stream::PIECE;
use super::to_end::hash_to_end;
use crate::system::limits::Patience;
use crate::system::os;
use manylane_engine::Engine;
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// The number of small files that fill the lanes of any kernel.
const MANY: usize = 256;
/// The number of digests that are handed over together while others are computed. Waking the caller
/// for each digest would slow the hashing.
const HANDFUL: usize = 64;
/// Neither small files nor digests wait longer than this for others.
const SOON: Duration = Duration::from_millis(10);

/// Pause before a file that changed is read again; it doubles with each try.
const RETRY_PAUSE: Duration = Duration::from_millis(5);
/// A worker that has hashed this many bytes is in a long run.
const LONG_RUN: u64 = 256 << 20;

/// Reads and hashes, round after round.
pub struct Worker<S: Source> {
    queue: Arc<Queue<S>>,
    results: Sender<Results<S::Note>>,
    means: Means,
    patience: Patience,
    /// Bytes of the arena that hold the files read whole.
    used: usize,
    /// Bytes hashed so far, if it may still get the arena of a long run.
    hashed: Option<u64>,
    /// When the first of the files that wait in the arena was read.
    since: Instant,
    /// When digests were last handed over.
    handed: Instant,
    /// Jobs that this round may still claim, once known.
    share: Option<usize>,
    /// Whether no more jobs can be claimed.
    jobs_ended: bool,
    claimed: VecDeque<Claimed<S::Note>>,
    /// A file that was opened and is to be read in the next round.
    opened: Option<(Claimed<S::Note>, Reader)>,
    wholes: Vec<ArenaFile<S::Note>>,
    longs: Vec<Long<S::Note>>,
    groups: Groups,
    /// An input that may block, which is read when there is nothing else to do.
    special: Option<(Claimed<S::Note>, Option<File>)>,
    done: Results<S::Note>,
}

/// The resources of a worker.
pub struct Means {
    /// The engine that hashes, `None` for the best ones.
    pub engine: Option<Engine>,
    /// The memory that it reads files into.
    pub arena: Arena,
    /// How many workers there are.
    pub workers: usize,
    /// Files that it may have open at once, at least one.
    pub descriptors: usize,
    /// How files are read.
    pub order: Order,
    /// Whether files go through the page cache, and what counts as a change while one is read.
    pub reading: Reading,
    /// How often a file is read again that changed while it was read.
    pub retries: u32,
    /// How the hashers of very long files are saved, if they are.
    pub saving: Option<Saving>,
}

/// Reports that a worker ended. If it panicked, the work is cancelled, because others would wait
/// for the jobs that it had claimed.
impl<S: Source> Drop for Worker<S> {
    fn drop(&mut self) {
        self.queue.working.fetch_sub(1, Relaxed);
        if std::thread::panicking() {
            self.queue.cancel();
        }
    }
}

/// A file that lies in the arena.
struct ArenaFile<N> {
    claimed: Claimed<N>,
    bytes: Range<usize>,
    seen: Seen,
}

/// A file that is read in pieces: too long for the arena.
struct Long<N> {
    claimed: Claimed<N>,
    file: Reader,
    /// The file's hashers.
    seats: Vec<Seat>,
    /// The piece that this round read.
    piece: Range<usize>,
    /// The end of reading, once there is no further piece: an error, if it failed.
    end: Option<io::Result<()>>,
}

impl<S: Source> Worker<S> {
    /// A worker that takes jobs from `queue` and sends digests to `results`. It counts as working
    /// from now on.
    pub fn new(queue: Arc<Queue<S>>, results: Sender<Results<S::Note>>, means: Means) -> Self {
        queue.working.fetch_add(1, Relaxed);
        let groups = Groups::new(means.engine);
        let hashed = (means.order == Order::Pieces).then_some(0);
        Self {
            queue,
            results,
            means,
            patience: Patience::default(),
            used: 0,
            hashed,
            since: Instant::now(),
            handed: Instant::now(),
            share: None,
            jobs_ended: false,
            claimed: VecDeque::new(),
            opened: None,
            wholes: Vec::new(),
            longs: Vec::new(),
            groups,
            special: None,
            done: Vec::new(),
        }
    }

    /// Reads new files and the next pieces of long ones, and hashes; `false` after the last.
    pub fn round(&mut self) -> bool {
        self.share = None;
        if self.wholes.is_empty() && self.hashed.is_some_and(|bytes| bytes >= LONG_RUN) {
            self.hashed = None;
            if let Some(arena) = Arena::of_long_run(self.means.workers) {
                self.means.arena = arena;
            }
        }
        self.finish_last_long();
        self.read_new();
        self.read_pieces();
        let queue = self.queue.clone();
        let permit = queue.hashers.take();
        if self.has_enough_wholes() {
            self.hash_wholes();
        }
        self.hash_pieces();
        drop(permit);
        if self.wholes.is_empty() {
            self.used = 0;
        }
        let is_soon = self.done.len() < HANDFUL && self.handed.elapsed() < SOON;
        if (!is_soon || self.longs.is_empty()) && !self.hand_over() {
            return false;
        }
        if self.longs.is_empty()
            && self.wholes.is_empty()
            && let Some((claimed, file)) = self.special.take()
        {
            self.hash_special(claimed, file);
        }
        !(self.queue.is_cancelled() || self.jobs_ended && self.is_idle() && self.done.is_empty())
    }

    /// Whether no file waits to be opened, read or hashed.
    fn is_idle(&self) -> bool {
        self.longs.is_empty()
            && self.wholes.is_empty()
            && self.opened.is_none()
            && self.claimed.is_empty()
    }

    /// Whether the files read whole are to be hashed now: because they fill lanes or their part of
    /// the arena, have waited long enough, or are the only work.
    fn has_enough_wholes(&self) -> bool {
        self.wholes.len() >= MANY
            || self.opened.is_some()
            || self.longs.is_empty()
            || self.since.elapsed() >= SOON
    }

    /// Sends the caller the finished jobs; `false` if it takes no more.
    fn hand_over(&mut self) -> bool {
        self.handed = Instant::now();
        self.done.is_empty() || self.results.send(std::mem::take(&mut self.done)).is_ok()
    }

    fn finish(&mut self, claimed: Claimed<S::Note>, digests: io::Result<Vec<Vec<u8>>>) {
        self.finish_seen(claimed, digests, None);
    }

    /// Ends a job, or begins it again if the file changed while it was read.
    fn finish_seen(
        &mut self,
        mut claimed: Claimed<S::Note>,
        digests: io::Result<Vec<Vec<u8>>>,
        seen: Option<Seen>,
    ) {
        if self.queue.is_cancelled() {
            // The file may not have been read to its end.
            return;
        }
        let changed = digests.is_ok() && seen.is_some_and(|seen| seen.changed);
        if changed && claimed.tries < self.means.retries {
            // The program that writes the file may need a moment to finish.
            std::thread::sleep(RETRY_PAUSE * (1 << claimed.tries.min(5)));
            claimed.tries += 1;
            self.queue.counts.again(claimed.size);
            self.claimed.push_back(claimed);
            return;
        }
        self.queue.counts.done(&claimed.job.input, claimed.size, digests.is_err());
        self.done.push((claimed.number, Done { job: claimed.job, digests, seen }));
    }

    /// Hashes the files that were read whole, in one batch for each function.
    fn hash_wholes(&mut self) {
        let mut wholes = std::mem::take(&mut self.wholes);
        while let Some(first) = wholes.first() {
            let functions = first.claimed.job.functions.clone();
            let now: Vec<_>;
            (now, wholes) = wholes.into_iter().partition(|w| w.claimed.job.functions == functions);
            let arena = &self.means.arena;
            let messages: Vec<&[u8]> = now.iter().map(|w| arena.get(w.bytes.clone())).collect();
            let bytes = messages.iter().map(|message| message.len()).sum();
            let mut digests = vec![vec![Vec::new(); functions.len()]; messages.len()];
            let run = |call: &Call| call.run(self.means.engine, &messages, &mut digests);
            let refused = functions.calls(self.means.engine).iter().try_for_each(run).err();
            self.count(bytes);
            for (whole, digests) in now.into_iter().zip(digests) {
                let digests = match &refused {
                    None => Ok(digests),
                    Some(error) => Err(io::Error::other(error.clone())),
                };
                self.finish_seen(whole.claimed, digests, Some(whole.seen));
            }
        }
    }

    /// Counts bytes that were hashed.
    fn count(&mut self, bytes: usize) {
        self.queue.counts.hashed(bytes, false);
        if let Some(hashed) = &mut self.hashed {
            *hashed += bytes as u64;
        }
    }

    /// Hashes the pieces of long files, and finishes the files that have ended.
    fn hash_pieces(&mut self) {
        let arena = &self.means.arena;
        let pieces = self.longs.iter().map(|long| (&long.seats[..], arena.get(long.piece.clone())));
        self.groups.update(pieces);
        let bytes = self.longs.iter().map(|long| long.piece.len()).sum();
        self.count(bytes);
        for i in (0..self.longs.len()).rev() {
            self.longs[i].piece = 0..0;
            if let Some(end) = self.longs[i].end.take() {
                let long = self.longs.swap_remove(i);
                self.end_long(long, end);
            }
        }
    }

    fn end_long(&mut self, long: Long<S::Note>, end: io::Result<()>) {
        self.queue.longs.fetch_sub(1, Relaxed);
        let digests = self.groups.leave(&long.claimed.job.functions, &long.seats);
        self.finish_seen(long.claimed, end.map(|()| digests), Some(long.file.end()));
    }

    /// If one long file is all that is left, hashes it to its end, with other threads that read and
    /// hash if one is idle.
    fn finish_last_long(&mut self) {
        let alone = self.longs.len() == 1
            && self.jobs_ended
            && self.claimed.is_empty()
            && self.opened.is_none();
        if !alone || !self.queue.has_idle_thread() {
            return;
        }
        // Short files and finished jobs do not wait for the end of the long file.
        self.hash_wholes();
        self.hand_over();
        let Some(mut long) = self.longs.pop() else { return };
        let queue = self.queue.clone();
        let _permit = queue.readers.take();
        let mut hashes = self.groups.alone(&long.seats);
        let end = hash_to_end(&self.queue, &mut long.file, PIECE, &mut hashes, false);
        drop(hashes);
        self.end_long(long, end);
    }

    /// Hashes a pipe, a terminal, a device or, without a file, standard input.
    fn hash_special(&mut self, claimed: Claimed<S::Note>, file: Option<File>) {
        let queue = self.queue.clone();
        let turn = file.is_none().then(|| queue.await_stdin(claimed.stdin_turn));
        let file = match file {
            Some(file) => os::wait(&file).map(|()| file),
            None => self.patiently(os::stdin),
        };
        let functions = &claimed.job.functions;
        let digests = file.and_then(|mut file| {
            let untold = !file.metadata().is_ok_and(|about| about.is_file());
            self.digests_alone(functions, &mut file, 0..0, PIECE, untold)
        });
        drop(turn);
        self.finish(claimed, digests);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::permits::Permits;
    use crate::hashing::{Function, Functions, Input, Job};
    use manylane_engine::{HashId, hash};
    use std::path::PathBuf;
    use std::sync::mpsc::channel;

    struct Files(std::vec::IntoIter<PathBuf>, Functions);

    impl Source for Files {
        type Note = ();
        fn next(&mut self) -> Option<Job<()>> {
            let (input, functions) = (Input::Path(self.0.next()?), self.1.clone());
            Some(Job { input, functions, note: () })
        }
    }

    /// Files short and long, of which some are under way when the worker takes the arena of a long
    /// run.
    #[test]
    fn a_long_run_goes_on_in_a_larger_arena() {
        let folder = tempfile::tempdir().unwrap();
        let content = |i: usize| vec![i as u8; [100, 16_384, 40_000, 200_000, 300_000][i % 5] + i];
        let files: Vec<PathBuf> = (0..200).map(|i| folder.path().join(i.to_string())).collect();
        for (i, file) in files.iter().enumerate() {
            std::fs::write(file, content(i)).unwrap();
        }
        let functions = [HashId::Md5, HashId::Sha256].map(|id| Function::new(id.into(), None));
        let source = Files(files.into_iter(), functions.into_iter().collect());
        let permits = (Permits::new(None), Permits::new(None));
        let queue = Arc::new(Queue::new(source, 1, permits, None, false));
        let means = Means {
            engine: None,
            arena: Arena::of_worker(1, true, Order::Pieces).unwrap(),
            workers: 1,
            descriptors: 100,
            order: Order::Pieces,
            reading: Reading::default(),
            retries: 0,
            saving: None,
        };
        let (sender, results) = channel();
        let mut worker = Worker::new(queue.clone(), sender, means);
        let small = worker.means.arena.longs();
        for _ in 0..3 {
            assert!(worker.round());
        }
        assert!(!worker.longs.is_empty() && worker.means.arena.longs() == small);
        worker.hashed = Some(LONG_RUN);
        let mut most = 0;
        let mut count = 0;
        loop {
            let goes_on = worker.round();
            most = most.max(worker.longs.len());
            for (number, done) in results.try_iter().flatten() {
                let content = content(number as usize);
                let expected = [HashId::Md5, HashId::Sha256].map(|id| hash(id, &content));
                assert_eq!(done.digests.unwrap(), expected, "file {number}");
                count += 1;
                queue.took(count, true);
            }
            if !goes_on {
                break;
            }
        }
        assert_eq!(count, 200);
        assert!(worker.means.arena.longs() > small && most > small, "{most}");
    }
}
