//! Reads the bytes of a worker's round: the next pieces of long files, and new files.

use super::{ArenaFile, Long, MANY, Worker};
use crate::hashing::arena::Order;
use crate::hashing::function::Message;
use crate::hashing::job::{Input, Source};
use crate::hashing::queue::{Claim, Claimed};
use crate::hashing::reader::Reader;
use crate::hashing::resumed::Saving;
use crate::hashing::stream::fill;
use crate::hashing::to_end::LARGE_PIECE;
use crate::system::os::{self, Opened};
use manylane_engine::Error;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Bytes of the first read of a file whose size is not known.
const UNTOLD: usize = 64 * 1024;
/// The most bytes of a file's head.
const HEAD: u64 = 16 * 1024;
/// Bytes that Linux reads ahead without advice. Advice gains nothing for shorter files.
const ADVISED: u64 = 128 * 1024;
/// Files that were read wait no longer than this while others are read.
const LATE: Duration = Duration::from_millis(100);
/// Most files of a round.
const WHOLES: usize = 512;

impl<S: Source> Worker<S> {
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
    pub(super) fn read_new(&mut self) {
        let queue = self.queue.clone();
        let mut permit = None;
        for _ in 0..WHOLES {
            // Enough files are hashed while they lie in the cache, before more are read.
            let much = self.means.arena.split() / 2;
            let enough = self.wholes.len() >= MANY && self.used >= much;
            let full = self.longs.len() >= self.means.arena.longs().min(self.means.descriptors);
            // On a slow disk the caller does not wait until a large batch is complete.
            let late = !self.wholes.is_empty() && self.since.elapsed() >= LATE;
            if enough || full || late || self.special.is_some() {
                return;
            }
            if self.claimed.is_empty() && self.opened.is_none() {
                // A claim may wait for other workers, which may need the permit to read.
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
                        input => match self.open(input) {
                            Ok(Opened::Regular(file, about)) => {
                                (claimed, Reader::new(file, &about, self.means.reading))
                            }
                            Ok(Opened::Special(file)) => {
                                self.special = Some((claimed, Some(file)));
                                return;
                            }
                            // The worker closes files that it has open, then tries again.
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

    /// Hashes the path that a link holds, or reports why it cannot be read.
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

    /// Opens a file. If the worker has nothing else to do, it waits until there is a descriptor.
    fn open(&mut self, input: &Input) -> io::Result<Opened> {
        let path = input.opened().unwrap_or(Path::new(""));
        let opened = match self.has_empty_hands() {
            true => self.patiently(|| os::open(path))?,
            false => os::open(path)?,
        };
        match (opened, input) {
            (Opened::Special(_), Input::Found(_) | Input::Head(..)) => {
                Err(io::Error::other("is no longer a regular file, and was not read"))
            }
            (opened, _) => Ok(opened),
        }
    }

    /// Repeats `open` while there is no free descriptor. The workers keep to their shares, so
    /// others will close files of theirs; other processes may too.
    pub(super) fn patiently<T>(&mut self, open: impl Fn() -> io::Result<T>) -> io::Result<T> {
        loop {
            match open() {
                Err(error) if os::lacks_descriptors(&error) => {
                    // While long files are open there is hope: they end and are closed. Pipes may
                    // never end.
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

    /// Reads a file whole, or begins to read it in pieces. Returns it, for the next round, if the
    /// arena has no room.
    fn start(
        &mut self,
        claimed: Claimed<S::Note>,
        mut file: Reader,
    ) -> Option<(Claimed<S::Note>, Reader)> {
        let free = self.means.arena.split() - self.used;
        let most = self.means.arena.longest();
        let head = match claimed.job.input {
            Input::Head(_, bytes) => Some(bytes.min(HEAD) as usize),
            _ => None,
        };
        let size = head.map_or(file.size(), |head| file.size().min(head as u64));
        if head.is_none() && size >= most as u64 {
            self.become_long(claimed, file, 0..0);
            return None;
        }
        let size = size as usize;
        if size >= free {
            return Some((claimed, file));
        }
        let limit = head.unwrap_or(free.min(most)).min(free);
        // With a byte more than the file has, the first read also shows its end.
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
        self.used = self.means.arena.next(bytes.end);
        if self.wholes.is_empty() {
            self.since = Instant::now();
        }
        self.wholes.push(ArenaFile { claimed, bytes, seen: file.end() });
        None
    }

    /// Goes on with a file whose beginning lies in the arena, in pieces.
    fn become_long(&mut self, claimed: Claimed<S::Note>, mut file: Reader, piece: Range<usize>) {
        if file.size() > ADVISED {
            file.will_read_all();
        }
        let is_saved = |saving: &Saving| {
            let is_path = claimed.job.input.whole_file().is_some();
            is_path && piece.is_empty() && saving.every > 0 && file.size() > saving.every
        };
        let saved = self.means.saving.as_ref().is_some_and(is_saved);
        let in_turn = self.means.order == Order::Sequence || self.queue.reads_in_turn();
        if saved || in_turn {
            // Earlier files do not wait until this one ends.
            self.hash_wholes();
            self.hand_over();
        }
        if let (Some(saving), Some(path)) = (&self.means.saving, claimed.job.input.whole_file())
            && saved
        {
            let digests = self.digests_saved(path, &claimed.job.functions, &mut file, saving);
            return self.finish_seen(claimed, digests, Some(file.end()));
        }
        if in_turn {
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

    /// Reads the next piece of every long file that has no unhashed one, into the arena's part for
    /// pieces.
    pub(super) fn read_pieces(&mut self) {
        if self.longs.is_empty() {
            return;
        }
        let queue = self.queue.clone();
        let _permit = queue.readers.take();
        let (length, distance) = self.means.arena.pieces(self.longs.len());
        let places = (self.means.arena.split()..).step_by(distance);
        for (long, place) in self.longs.iter_mut().zip(places) {
            if !long.piece.is_empty() {
                // The unhashed piece is the beginning of a file that turned out to be long.
                continue;
            }
            let bytes = place..place + length;
            let place = self.means.arena.place(bytes.clone());
            let (count, end) = match fill(&mut long.file, place) {
                Ok(count) if count < length => (count, Some(Ok(()))),
                Ok(count) => (count, None),
                Err(error) => (0, Some(Err(error))),
            };
            long.piece = bytes.start..bytes.start + count;
            long.end = end;
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::hashing::Job;
    use crate::hashing::arena::Arena;
    use crate::hashing::permits::Permits;
    use crate::hashing::queue::Queue;
    use crate::hashing::reader::Reading;
    use crate::hashing::worker::Means;
    use std::cell::Cell;
    use std::sync::Arc;

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
            arena: Arena::of_worker(1, true, Order::Pieces).unwrap(),
            workers: 1,
            descriptors: 1,
            order: Order::Pieces,
            reading: Reading::default(),
            retries: 0,
            saving: None,
        };
        let permits = (Permits::new(None), Permits::new(None));
        let queue = Arc::new(Queue::new(NoJobs, 1, permits, None, false));
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
        // Other processes hold all descriptors for ever: once the patience is spent, later files
        // wait no more.
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
