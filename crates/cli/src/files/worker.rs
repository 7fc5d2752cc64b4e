//! A worker's rounds: read into the arena, hash what was read, hand over the digests.

mod alone;

use super::arena::{Arena, WHOLE};
use super::function::Message;
use super::groups::{Groups, LONGS, Seat};
use super::job::{Done, Input, Results, Source};
use super::queue::{Claim, Claimed, Queue};
use super::reader::{Reader, Reading, Seen};
use super::resumed::Saving;
use super::stream::{PIECE, fill};
use super::to_end::{LARGE_PIECE, hash_to_end};
use crate::limits::Patience;
use crate::os::{self, Opened};
use manylane_engine::{Engine, Error};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// Bytes that are read first of a file whose size is not known.
const UNTOLD: usize = 64 * 1024;
/// A round with so many files, and so many bytes of them, ends with hashing: they fill the lanes of
/// any kernel again and again, and it is better to hash what lies in the cache than to read on.
const MANY: usize = 128;
const MUCH: usize = 1 << 20;
/// The most bytes of a file's head.
const HEAD: u64 = 64 * 1024;
/// Most files of a round.
const WHOLES: usize = 512;
/// How long to wait before a file is read again that changed; twice as long each time.
const RETRY_PAUSE: Duration = Duration::from_millis(5);

/// Reads and hashes, round after round.
pub struct Worker<S: Source> {
    queue: Arc<Queue<S>>,
    results: Sender<Results<S::Note>>,
    means: Means,
    patience: Patience,
    /// Bytes of the arena that this round filled.
    used: usize,
    /// Jobs that this round may still claim, once known.
    share: Option<usize>,
    /// Whether no more jobs can be claimed.
    jobs_ended: bool,
    claimed: VecDeque<Claimed<S::Note>>,
    /// A file that was opened and is to be read in the next round.
    opened: Option<(Claimed<S::Note>, Reader)>,
    wholes: Vec<Whole<S::Note>>,
    longs: Vec<Long<S::Note>>,
    groups: Groups,
    /// An input that may block, which is read when there is nothing else to do.
    special: Option<(Claimed<S::Note>, Option<File>)>,
    done: Results<S::Note>,
}

/// The resources of a worker.
pub struct Means {
    pub engine: Option<Engine>,
    pub arena: Arena,
    /// Files that it may have open at once, at least one.
    pub descriptors: usize,
    /// Whether each file is read from its beginning to its end before the next is opened.
    pub sequential: bool,
    pub reading: Reading,
    /// How often a file is read again that changed while it was read.
    pub retries: u32,
    /// How very long files are saved, if they are.
    pub saving: Option<Saving>,
}

/// Reports that a worker ended. If it panicked, no other may wait for what it had claimed.
impl<S: Source> Drop for Worker<S> {
    fn drop(&mut self) {
        self.queue.working.fetch_sub(1, Relaxed);
        if std::thread::panicking() {
            self.queue.cancel();
        }
    }
}

/// A file that lies in the arena.
struct Whole<N> {
    claimed: Claimed<N>,
    bytes: Range<usize>,
    seen: Seen,
}

/// A file that is read in pieces: one of at least [`WHOLE`] bytes.
struct Long<N> {
    claimed: Claimed<N>,
    file: Reader,
    /// Its hashers.
    seats: Vec<Seat>,
    /// The piece that this round read.
    piece: Range<usize>,
    /// Set when nothing comes after the piece.
    end: Option<io::Result<()>>,
}

impl<S: Source> Worker<S> {
    pub fn new(queue: Arc<Queue<S>>, results: Sender<Results<S::Note>>, means: Means) -> Self {
        queue.working.fetch_add(1, Relaxed);
        let groups = Groups::new(means.engine);
        Self {
            queue,
            results,
            means,
            patience: Patience::new(),
            used: 0,
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

    /// Reads and hashes an arena full of bytes; `false` after the last.
    pub fn round(&mut self) -> bool {
        self.used = 0;
        self.share = None;
        self.finish_last_long();
        self.read_pieces();
        self.read_new();
        let queue = self.queue.clone();
        let permit = queue.hashers.take();
        self.hash_wholes();
        self.hash_pieces();
        drop(permit);
        if !self.hand_over() {
            return false;
        }
        if self.longs.is_empty()
            && let Some((claimed, file)) = self.special.take()
        {
            self.hash_special(claimed, file);
        }
        let is_idle = self.longs.is_empty() && self.opened.is_none() && self.claimed.is_empty();
        !(self.queue.is_cancelled() || self.jobs_ended && is_idle && self.done.is_empty())
    }

    /// Gives the caller what is done; `false` if nobody wants it.
    fn hand_over(&mut self) -> bool {
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
        let changed = digests.is_ok() && seen.is_some_and(|seen| seen.changed);
        if changed && claimed.tries < self.means.retries && !self.queue.is_cancelled() {
            // Whoever writes may need a moment to come to an end.
            std::thread::sleep(RETRY_PAUSE * (1 << claimed.tries.min(5)));
            claimed.tries += 1;
            self.queue.counts.again(claimed.size);
            self.claimed.push_back(claimed);
            return;
        }
        self.queue.counts.done(&claimed.job.input, claimed.size, digests.is_err());
        self.done.push((claimed.number, Done { job: claimed.job, digests, seen }));
    }

    /// The next job, if there is one for this round.
    fn next_job(&mut self) -> Option<Claimed<S::Note>> {
        while self.claimed.is_empty() {
            if self.jobs_ended || self.share == Some(0) {
                return None;
            }
            // A worker that has something else to do does not wait for jobs.
            let patient = self.has_empty_hands();
            match self.queue.claim(patient, &mut self.claimed) {
                Claim::Share(share) => {
                    let left = self.share.unwrap_or(share);
                    self.share = Some(left.saturating_sub(self.claimed.len()));
                }
                Claim::Later if patient => std::thread::yield_now(),
                Claim::Later => return None,
                Claim::End => self.jobs_ended = true,
            }
        }
        self.claimed.pop_front()
    }

    /// Whether the worker has no open file, nothing to hash and nothing to hand over.
    fn has_empty_hands(&self) -> bool {
        self.longs.is_empty() && self.wholes.is_empty() && self.done.is_empty()
    }

    /// Reads new files, until the arena is full or the round has its share of them.
    fn read_new(&mut self) {
        // Long files come first: beside them, only as many others as may turn out to be long.
        let most = if self.longs.is_empty() { WHOLES } else { LONGS - self.longs.len() };
        let queue = self.queue.clone();
        let mut permit = None;
        for _ in 0..most {
            let enough = self.wholes.len() >= MANY && self.used >= MUCH;
            let full = self.longs.len() == LONGS.min(self.means.descriptors);
            if enough || full || self.special.is_some() {
                return;
            }
            if self.claimed.is_empty() && self.opened.is_none() {
                // A claim may wait for others, who may have to read first.
                permit = None;
            }
            let (claimed, file) = match self.opened.take() {
                Some(opened) => opened,
                None => {
                    let Some(claimed) = self.next_job() else { return };
                    permit = permit.or_else(|| queue.readers.take());
                    match &claimed.job.input {
                        Input::Nothing => {
                            self.finish(claimed, Ok(Vec::new()));
                            continue;
                        }
                        Input::Link(path) => {
                            let target = os::link_target(path);
                            self.finish_short(claimed, target);
                            continue;
                        }
                        Input::Stdin => {
                            self.special = Some((claimed, None));
                            return;
                        }
                        Input::Path(path) | Input::Head(path, _) => match self.open(path) {
                            Ok(Opened::Regular(file, about)) => {
                                (claimed, Reader::new(file, &about, self.means.reading))
                            }
                            Ok(Opened::Special(file)) => {
                                self.special = Some((claimed, Some(file)));
                                return;
                            }
                            // The worker first closes files that it has open.
                            Err(error)
                                if os::lacks_descriptors(&error) && !self.has_empty_hands() =>
                            {
                                self.claimed.push_front(claimed);
                                return;
                            }
                            Err(error) => {
                                self.finish(claimed, Err(error));
                                continue;
                            }
                        },
                    }
                }
            };
            permit = permit.or_else(|| queue.readers.take());
            self.opened = self.start(claimed, file);
            if self.opened.is_some() {
                return;
            }
        }
    }

    /// Hashes a few bytes, or tells why there are none.
    fn finish_short(&mut self, claimed: Claimed<S::Note>, bytes: io::Result<Vec<u8>>) {
        let digests = bytes.and_then(|bytes| {
            let digest = |message: Result<Message, Error>| {
                let mut message = message.map_err(io::Error::other)?;
                message.update(&bytes);
                Ok(message.finalize())
            };
            let functions = &claimed.job.functions;
            functions.iter().map(|function| digest(function.message(self.means.engine))).collect()
        });
        self.finish(claimed, digests);
    }

    /// Opens a file; if the worker has nothing else to do, as soon as there is a descriptor.
    fn open(&mut self, path: &Path) -> io::Result<Opened> {
        match self.has_empty_hands() {
            true => self.patiently(|| os::open(path)),
            false => os::open(path),
        }
    }

    /// Tries again while descriptors lack although the workers keep to their share: other workers
    /// will close theirs, and other processes may.
    fn patiently<T>(&mut self, open: impl Fn() -> io::Result<T>) -> io::Result<T> {
        loop {
            match open() {
                Err(error) if os::lacks_descriptors(&error) => {
                    // Long files come to their end, pipes may not.
                    if self.queue.longs.load(Relaxed) > 0 {
                        self.patience.restore();
                    }
                    if self.queue.is_cancelled() || !self.patience.pause() {
                        return Err(error);
                    }
                }
                other => {
                    self.patience.restore();
                    return other;
                }
            }
        }
    }

    /// Reads a file whole, or makes it a long one. Returns it if the arena has no room: it waits
    /// for the next round.
    fn start(
        &mut self,
        claimed: Claimed<S::Note>,
        mut file: Reader,
    ) -> Option<(Claimed<S::Note>, Reader)> {
        let free = self.means.arena.size() - self.used;
        let most = WHOLE.min(self.means.arena.size() / 2);
        let head = match claimed.job.input {
            Input::Head(_, bytes) => Some(bytes.min(HEAD) as usize),
            _ => None,
        };
        let size = head.map_or(file.size(), |head| file.size().min(head as u64));
        if size >= most as u64 {
            self.become_long(claimed, file, self.used..self.used);
            return None;
        }
        let size = size as usize;
        if size >= free {
            return Some((claimed, file));
        }
        let limit = head.unwrap_or(free.min(most)).min(free);
        // One byte more than the file has, to see its end without asking again.
        let likely = if size == 0 { UNTOLD } else { size + 1 }.min(limit);
        let mut filled = 0;
        loop {
            let end = if filled < likely { likely } else { limit };
            match file.read(self.means.arena.place(self.used + filled..self.used + end)) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.finish(claimed, Err(error));
                    return None;
                }
            }
            if head == Some(filled) {
                break;
            }
            if filled == limit {
                // The file is longer than its size said.
                let bytes = self.used..self.used + filled;
                self.used += filled;
                self.become_long(claimed, file, bytes);
                return None;
            }
            if filled == size {
                break;
            }
        }
        let bytes = self.used..self.used + filled;
        self.used += filled;
        self.wholes.push(Whole { claimed, bytes, seen: file.end() });
        None
    }

    /// Goes on with a file of which the arena holds the beginning.
    fn become_long(&mut self, claimed: Claimed<S::Note>, mut file: Reader, piece: Range<usize>) {
        file.will_read_all();
        let is_saved = |saving: &Saving| {
            let is_path = matches!(claimed.job.input, Input::Path(_));
            is_path && piece.is_empty() && file.size() > saving.every
        };
        let saved = self.means.saving.as_ref().is_some_and(is_saved);
        if saved || self.means.sequential {
            // The files before it do not wait for its end.
            self.hash_wholes();
            self.hand_over();
        }
        if let (Some(saving), Input::Path(path)) = (&self.means.saving, &claimed.job.input)
            && saved
        {
            let digests = self.digests_saved(path, &claimed.job.functions, &mut file, saving);
            return self.finish_seen(claimed, digests, Some(file.end()));
        }
        if self.means.sequential {
            let functions = &claimed.job.functions;
            let digests = self.digests_alone(functions, &mut file, piece, LARGE_PIECE, false);
            return self.finish_seen(claimed, digests, Some(file.end()));
        }
        match self.groups.join(&claimed.job.functions) {
            Ok(seats) => {
                self.queue.longs.fetch_add(1, Relaxed);
                self.longs.push(Long { claimed, file, seats, piece, end: None });
            }
            Err(error) => self.finish(claimed, Err(io::Error::other(error))),
        }
    }

    /// Reads the next piece of every long file, half an arena in all.
    fn read_pieces(&mut self) {
        if self.longs.is_empty() {
            return;
        }
        let queue = self.queue.clone();
        let _permit = queue.readers.take();
        let length = (self.means.arena.size() / 2 / self.longs.len()).min(PIECE);
        for long in &mut self.longs {
            let place = self.means.arena.place(self.used..self.used + length);
            let (count, end) = match fill(&mut long.file, place) {
                Ok(count) if count < length => (count, Some(Ok(()))),
                Ok(count) => (count, None),
                Err(error) => (0, Some(Err(error))),
            };
            long.piece = self.used..self.used + count;
            long.end = end;
            self.used += count;
        }
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
            let mut digests = vec![Ok(Vec::with_capacity(functions.len())); messages.len()];
            for function in functions.iter() {
                add(&mut digests, function.of_all(self.means.engine, &messages));
            }
            self.queue.counts.hashed(bytes, false);
            for (whole, digests) in now.into_iter().zip(digests) {
                let digests = digests.map_err(io::Error::other);
                self.finish_seen(whole.claimed, digests, Some(whole.seen));
            }
        }
    }

    /// Hashes the pieces of long files, and ends those that ended.
    fn hash_pieces(&mut self) {
        let arena = &self.means.arena;
        let pieces = self.longs.iter().map(|long| (&long.seats[..], arena.get(long.piece.clone())));
        self.groups.update(pieces);
        let bytes = self.longs.iter().map(|long| long.piece.len()).sum();
        self.queue.counts.hashed(bytes, false);
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
        let digests = self.groups.leave(&long.seats);
        self.finish_seen(long.claimed, end.map(|()| digests), Some(long.file.end()));
    }

    /// Brings a long file that is the only work left to its end, with other threads that read and
    /// hash if one is idle.
    fn finish_last_long(&mut self) {
        let alone = self.longs.len() == 1
            && self.jobs_ended
            && self.claimed.is_empty()
            && self.opened.is_none();
        if !alone || !self.queue.has_idle_thread() {
            return;
        }
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

/// Adds the digests of one more function to those of all messages, or the error that it ended with.
fn add(digests: &mut [Result<Vec<Vec<u8>>, Error>], more: Result<Vec<Vec<u8>>, Error>) {
    match more {
        Ok(more) => {
            for (of_one, digest) in digests.iter_mut().zip(more) {
                if let Ok(of_one) = of_one {
                    of_one.push(digest);
                }
            }
        }
        Err(error) => digests.fill(Err(error)),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::files::Job;
    use crate::files::permits::Permits;
    use std::cell::Cell;

    struct NoJobs;
    impl Source for NoJobs {
        type Note = ();
        fn next(&mut self) -> Option<Job<()>> {
            None
        }
    }

    #[test]
    fn a_lack_of_descriptors_is_waited_out_and_nothing_else_is() {
        let means = Means {
            engine: None,
            arena: Arena::of_worker(1, true).unwrap(),
            descriptors: 1,
            sequential: false,
            reading: Reading::default(),
            retries: 0,
            saving: None,
        };
        let permits = (Permits::new(None), Permits::new(None));
        let queue = Arc::new(Queue::new(NoJobs, 1, permits, false));
        let mut worker = Worker::new(queue, std::sync::mpsc::channel().0, means);
        let tries = Cell::new(0);
        let open_at = |good: u32, error: i32| {
            tries.set(0);
            let tries = &tries;
            move || {
                tries.set(tries.get() + 1);
                if tries.get() < good { Err(io::Error::from_raw_os_error(error)) } else { Ok(()) }
            }
        };
        for lack in [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE] {
            worker.patiently(open_at(5, lack.raw_os_error())).unwrap();
            assert_eq!(tries.get(), 5);
        }
        let other = rustix::io::Errno::ACCESS.raw_os_error();
        assert!(worker.patiently(open_at(5, other)).is_err());
        assert_eq!(tries.get(), 1);
        // Others hold the descriptors for ever: once the patience is spent, later files do not wait
        // as long.
        while worker.patience.pause() {}
        let lack = rustix::io::Errno::NFILE.raw_os_error();
        for _ in 0..2 {
            assert!(worker.patiently(open_at(u32::MAX, lack)).is_err());
            assert_eq!(tries.get(), 1);
        }
        worker.patiently(open_at(1, lack)).unwrap();
        assert!(worker.patience.pause());
    }
}
