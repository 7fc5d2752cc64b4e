//! A worker's rounds: read into the arena, hash what was read, hand over the digests.

use super::arena::{Arena, WHOLE};
use super::function::Function;
use super::job::{Done, Input, Results, Source};
use super::queue::{Claim, Claimed, Queue};
use super::stream::{PIECE, fill, for_each_piece};
use crate::limits::Patience;
use crate::os::{self, Opened};
use manylane_engine::{Engine, Error, Group};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Sender;

/// Longer files that a worker advances side by side: the messages of the widest kernels.
pub const LONGS: usize = 32;
/// Bytes of a long file that are read at once where files are read one after the other.
const LARGE_PIECE: usize = 1 << 20;
/// Bytes that are read first of a file whose size is not known.
const UNTOLD: usize = 64 * 1024;
/// A round with so many files, and so many bytes of them, ends with hashing: they fill the lanes of
/// any kernel again and again, and it is better to hash what lies in the cache than to read on.
const MANY: usize = 128;
const MUCH: usize = 1 << 20;
/// Most files of a round.
const WHOLES: usize = 512;

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
    opened: Option<(Claimed<S::Note>, File, u64)>,
    wholes: Vec<Whole<S::Note>>,
    longs: Vec<Long<S::Note>>,
    groups: Vec<Members>,
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
}

/// A file that is read in pieces: one of at least [`WHOLE`] bytes.
struct Long<N> {
    claimed: Claimed<N>,
    file: File,
    /// Index of its [`Members`], and which of them it is.
    group: usize,
    member: usize,
    /// The piece that this round read.
    piece: Range<usize>,
    /// Set when nothing comes after the piece.
    end: Option<io::Result<()>>,
}

/// Hashers of long files that advance side by side.
struct Members {
    function: Function,
    group: Group,
    free: Vec<usize>,
}

/// What became of a file in this round.
enum Start<N> {
    Begun,
    /// The arena has no room: the file waits for the next round.
    NextRound(Claimed<N>, File),
}

impl<S: Source> Worker<S> {
    pub fn new(queue: Arc<Queue<S>>, results: Sender<Results<S::Note>>, means: Means) -> Self {
        queue.working.fetch_add(1, Relaxed);
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
            groups: Vec::new(),
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
        self.hash_wholes();
        self.hash_pieces();
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

    fn finish(&mut self, claimed: Claimed<S::Note>, digest: io::Result<Vec<u8>>) {
        self.queue.counts.done(&claimed.job.input, claimed.size, digest.is_err());
        self.done.push((claimed.number, Done { job: claimed.job, digest }));
    }

    /// The next job, if there is one for this round.
    fn next_job(&mut self) -> Option<Claimed<S::Note>> {
        while self.claimed.is_empty() {
            if self.jobs_ended || self.share == Some(0) {
                return None;
            }
            // Those who have something to do are not kept waiting.
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

    /// Whether it has nothing to read on, to hash or to hand over.
    fn has_empty_hands(&self) -> bool {
        self.longs.is_empty() && self.wholes.is_empty() && self.done.is_empty()
    }

    /// Reads new files, until the arena is full or the round has its share of them.
    fn read_new(&mut self) {
        // Long files come first: beside them, only as many others as may turn out to be long.
        let most = if self.longs.is_empty() { WHOLES } else { LONGS - self.longs.len() };
        for _ in 0..most {
            let enough = self.wholes.len() >= MANY && self.used >= MUCH;
            let full = self.longs.len() == LONGS.min(self.means.descriptors);
            if enough || full || self.special.is_some() {
                return;
            }
            let (claimed, file, size) = match self.opened.take() {
                Some(opened) => opened,
                None => {
                    let Some(claimed) = self.next_job() else { return };
                    match &claimed.job.input {
                        Input::Nothing => {
                            self.finish(claimed, Ok(Vec::new()));
                            continue;
                        }
                        Input::Stdin => {
                            self.special = Some((claimed, None));
                            return;
                        }
                        Input::Path(path) => match self.open(path) {
                            Ok(Opened::Regular(file, size)) => (claimed, file, size),
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
            match self.start(claimed, file, size) {
                Start::Begun => {}
                Start::NextRound(claimed, file) => {
                    self.opened = Some((claimed, file, size));
                    return;
                }
            }
        }
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

    /// Reads a file whole, or makes it a long one.
    fn start(&mut self, claimed: Claimed<S::Note>, mut file: File, size: u64) -> Start<S::Note> {
        let free = self.means.arena.size() - self.used;
        let most = WHOLE.min(self.means.arena.size() / 2);
        if size >= most as u64 {
            self.become_long(claimed, file, self.used..self.used);
            return Start::Begun;
        }
        let size = size as usize;
        if size >= free {
            return Start::NextRound(claimed, file);
        }
        let limit = free.min(most);
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
                    return Start::Begun;
                }
            }
            if filled == limit {
                // The file is longer than its size said.
                let bytes = self.used..self.used + filled;
                self.used += filled;
                self.become_long(claimed, file, bytes);
                return Start::Begun;
            }
            if filled == size {
                break;
            }
        }
        let bytes = self.used..self.used + filled;
        self.used += filled;
        self.wholes.push(Whole { claimed, bytes });
        Start::Begun
    }

    /// Goes on with a file of which the arena holds the beginning.
    fn become_long(&mut self, claimed: Claimed<S::Note>, mut file: File, piece: Range<usize>) {
        os::will_read_all(&file);
        if self.means.sequential {
            let digest = self.digest_alone(&claimed.job.function, &mut file, piece, LARGE_PIECE);
            return self.finish(claimed, digest);
        }
        match self.join_group(&claimed.job.function) {
            Ok((group, member)) => {
                self.queue.longs.fetch_add(1, Relaxed);
                self.longs.push(Long { claimed, file, group, member, piece, end: None });
            }
            Err(error) => self.finish(claimed, Err(io::Error::other(error))),
        }
    }

    /// A free member of the group of a function.
    fn join_group(&mut self, function: &Function) -> Result<(usize, usize), Error> {
        let is_it = |members: &Members| members.function == *function;
        let at = match self.groups.iter().position(is_it) {
            Some(at) => at,
            None => {
                let group = function.group(self.means.engine, LONGS)?;
                let free = (0..LONGS).rev().collect();
                self.groups.push(Members { function: function.clone(), group, free });
                self.groups.len() - 1
            }
        };
        let member = self.groups[at].free.pop().expect("there are no more longs than members");
        Ok((at, member))
    }

    /// Reads the next piece of every long file, half an arena in all.
    fn read_pieces(&mut self) {
        if self.longs.is_empty() {
            return;
        }
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
            let function = first.claimed.job.function.clone();
            let now: Vec<_>;
            (now, wholes) = wholes.into_iter().partition(|w| w.claimed.job.function == function);
            let arena = &self.means.arena;
            let messages: Vec<&[u8]> = now.iter().map(|w| arena.get(w.bytes.clone())).collect();
            let bytes = messages.iter().map(|message| message.len()).sum();
            let result = function.of_all(self.means.engine, &messages);
            self.queue.counts.hashed(bytes, false);
            let length = function.digest_bytes();
            for (i, whole) in now.into_iter().enumerate() {
                let digest = match &result {
                    Ok(digests) => Ok(digests[i * length..][..length].to_vec()),
                    Err(error) => Err(io::Error::other(error.clone())),
                };
                self.finish(whole.claimed, digest);
            }
        }
    }

    /// Hashes the pieces of long files, and ends those that ended.
    fn hash_pieces(&mut self) {
        for (at, members) in self.groups.iter_mut().enumerate() {
            let mut pieces = [&[][..]; LONGS];
            for long in self.longs.iter_mut().filter(|long| long.group == at) {
                pieces[long.member] = self.means.arena.get(std::mem::take(&mut long.piece));
            }
            let bytes: usize = pieces.iter().map(|piece| piece.len()).sum();
            if bytes > 0 {
                members.group.update(&pieces);
                self.queue.counts.hashed(bytes, false);
            }
        }
        for i in (0..self.longs.len()).rev() {
            if let Some(end) = self.longs[i].end.take() {
                let long = self.longs.swap_remove(i);
                self.end_long(long, end);
            }
        }
    }

    fn end_long(&mut self, long: Long<S::Note>, end: io::Result<()>) {
        self.queue.longs.fetch_sub(1, Relaxed);
        let members = &mut self.groups[long.group];
        let digest = end.map(|()| members.group.finalize(long.member));
        members.group.reset(long.member);
        members.free.push(long.member);
        self.finish(long.claimed, digest);
    }

    /// Brings a long file that is the only work left to its end, with a second thread that reads
    /// if one is idle.
    fn finish_last_long(&mut self) {
        let alone = self.longs.len() == 1
            && self.jobs_ended
            && self.claimed.is_empty()
            && self.opened.is_none();
        if !alone || !self.queue.has_idle_thread() {
            return;
        }
        let Some(mut long) = self.longs.pop() else { return };
        let group = &mut self.groups[long.group].group;
        let (queue, member) = (&self.queue, long.member);
        let end = for_each_piece(&mut long.file, PIECE, true, &mut |piece| {
            let mut pieces = [&[][..]; LONGS];
            pieces[member] = piece;
            group.update(&pieces);
            queue.counts.hashed(piece.len(), false);
            !queue.is_cancelled()
        });
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
        let function = &claimed.job.function;
        let digest = file.and_then(|mut file| self.digest_alone(function, &mut file, 0..0, PIECE));
        drop(turn);
        self.finish(claimed, digest);
    }

    /// Hashes a file from where it is to its end, after a beginning that lies in the arena.
    fn digest_alone(
        &self,
        function: &Function,
        file: &mut File,
        begin: Range<usize>,
        piece: usize,
    ) -> io::Result<Vec<u8>> {
        let mut hasher = function.message(self.means.engine).map_err(io::Error::other)?;
        let untold = !file.metadata().is_ok_and(|about| about.is_file());
        self.queue.counts.hashed(begin.len(), untold);
        hasher.update(self.means.arena.get(begin));
        for_each_piece(file, piece, self.queue.has_idle_thread(), &mut |piece| {
            hasher.update(piece);
            self.queue.counts.hashed(piece.len(), untold);
            !self.queue.is_cancelled()
        })?;
        Ok(hasher.finalize())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::files::Job;
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
        };
        let queue = Arc::new(Queue::new(NoJobs, 1, false));
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
