//! A worker's rounds: read into the arena, hash what was read, hand over the digests.

use super::queue::{Claim, Claimed, Queue};
use super::stream::{PIECE, fill, for_each_piece};
use super::{Done, Function, Input, Results, Source};
use crate::os::{self, Opened};
use manylane_engine::{Engine, Error, Group};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Sender;

/// Bytes that a worker reads before it hashes them: the more, the better are lanes filled.
const ARENA: usize = 4 << 20;
/// The same for all workers together, as long as each has [`LEAST_ARENA`].
const ARENAS: usize = 32 << 20;
/// Two longest whole files.
const LEAST_ARENA: usize = 2 * WHOLE;
/// Files up to this size, in bytes, are read whole and hashed as one message of a batch.
const WHOLE: usize = 512 * 1024;
/// Longer files that a worker advances side by side: the messages of the widest kernels.
const LONGS: usize = 32;
/// Files that fill the lanes of any kernel again and again, and bytes of them that are worth a
/// round: with both, it is better to hash what lies in the cache than to read on.
const MANY: usize = 128;
const MUCH: usize = 1 << 20;
/// Most files of a round.
const WHOLES: usize = 512;

/// Works until there are no more jobs.
pub fn run<S: Source>(
    queue: &Queue<S>,
    results: &Sender<Results<S::Note>>,
    engine: Option<Engine>,
) {
    let _end = End(queue);
    let mut worker = Worker {
        queue,
        results,
        engine,
        arena: vec![0; (ARENAS / queue.threads).clamp(LEAST_ARENA, ARENA)],
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
    };
    while worker.round() {}
}

/// Says that a worker ended; if by a panic, so that no other waits for what it had claimed.
struct End<'q, S: Source>(&'q Queue<S>);

impl<S: Source> Drop for End<'_, S> {
    fn drop(&mut self) {
        self.0.working.fetch_sub(1, Relaxed);
        if std::thread::panicking() {
            self.0.cancel();
        }
    }
}

struct Worker<'q, S: Source> {
    queue: &'q Queue<S>,
    results: &'q Sender<Results<S::Note>>,
    engine: Option<Engine>,
    arena: Vec<u8>,
    /// Bytes of the arena that this round filled.
    used: usize,
    /// Jobs that this round may still claim, once known.
    share: Option<usize>,
    /// No more can be claimed.
    jobs_ended: bool,
    claimed: VecDeque<Claimed<S::Note>>,
    /// A file that was opened and is to be read in the next round.
    opened: Option<(Claimed<S::Note>, File, u64)>,
    wholes: Vec<Whole<S::Note>>,
    longs: Vec<Long<S::Note>>,
    groups: Vec<Members>,
    /// Something that may wait; done when nothing else can be.
    special: Option<(Claimed<S::Note>, Option<File>)>,
    done: Results<S::Note>,
}

/// A file that lies in the arena.
struct Whole<N> {
    claimed: Claimed<N>,
    bytes: Range<usize>,
}

/// A file that does not fit in the arena.
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
    /// There is no room.
    NextRound(Claimed<N>, File),
}

impl<S: Source> Worker<'_, S> {
    /// Reads and hashes an arena full of bytes; `false` after the last.
    fn round(&mut self) -> bool {
        self.used = 0;
        self.share = None;
        self.finish_last_long();
        self.read_pieces();
        self.read_new();
        self.hash_wholes();
        self.hash_pieces();
        if !self.done.is_empty() && self.results.send(std::mem::take(&mut self.done)).is_err() {
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

    fn finish(&mut self, claimed: Claimed<S::Note>, digest: io::Result<Vec<u8>>) {
        self.done.push((claimed.number, Done { job: claimed.job, digest }));
    }

    /// The next job, if there is one for this round.
    fn next_job(&mut self) -> Option<Claimed<S::Note>> {
        while self.claimed.is_empty() {
            if self.jobs_ended || self.share == Some(0) {
                return None;
            }
            // Those who have something to do are not kept waiting.
            let patient = self.longs.is_empty() && self.wholes.is_empty() && self.done.is_empty();
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

    /// Reads new files, until the arena is full or the round has its share of them.
    fn read_new(&mut self) {
        // Long files come first: beside them, only as many others as may turn out to be long.
        let most = if self.longs.is_empty() { WHOLES } else { LONGS - self.longs.len() };
        for _ in 0..most {
            let enough = self.wholes.len() >= MANY && self.used >= MUCH;
            if enough || self.longs.len() == LONGS || self.special.is_some() {
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
                        Input::Path(path) => match os::open(path) {
                            Ok(Opened::Regular(file, size)) => (claimed, file, size),
                            Ok(Opened::Special(file)) => {
                                self.special = Some((claimed, Some(file)));
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

    /// Reads a file whole, or makes it a long one.
    fn start(&mut self, claimed: Claimed<S::Note>, mut file: File, size: u64) -> Start<S::Note> {
        let free = self.arena.len() - self.used;
        if size >= WHOLE as u64 {
            self.become_long(claimed, file, self.used..self.used);
            return Start::Begun;
        }
        let size = size as usize;
        if size >= free {
            return Start::NextRound(claimed, file);
        }
        // One byte more than the file has, to see its end without asking again.
        let limit = free.min(WHOLE);
        let place = &mut self.arena[self.used..self.used + limit];
        let mut filled = 0;
        loop {
            match file.read(&mut place[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.finish(claimed, Err(error));
                    return Start::Begun;
                }
            }
            if filled == limit {
                // It is longer than it said.
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

    fn become_long(&mut self, claimed: Claimed<S::Note>, file: File, piece: Range<usize>) {
        os::will_read_all(&file);
        match self.join_group(&claimed.job.function) {
            Ok((group, member)) => {
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
                let group = function.group(self.engine, LONGS)?;
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
        let length = (self.arena.len() / 2 / self.longs.len()).min(PIECE);
        for long in &mut self.longs {
            let place = self.used..self.used + length;
            let (count, end) = match fill(&mut long.file, &mut self.arena[place]) {
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
            let messages: Vec<&[u8]> = now.iter().map(|w| &self.arena[w.bytes.clone()]).collect();
            let bytes: usize = messages.iter().map(|message| message.len()).sum();
            let result = function.of_all(self.engine, &messages);
            self.queue.bytes.fetch_add(bytes as u64, Relaxed);
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
                pieces[long.member] = &self.arena[std::mem::take(&mut long.piece)];
            }
            let bytes: usize = pieces.iter().map(|piece| piece.len()).sum();
            if bytes > 0 {
                members.group.update(&pieces);
                self.queue.bytes.fetch_add(bytes as u64, Relaxed);
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
        let (queue, member) = (self.queue, long.member);
        let end = for_each_piece(&mut long.file, true, &mut |piece| {
            let mut pieces = [&[][..]; LONGS];
            pieces[member] = piece;
            group.update(&pieces);
            queue.bytes.fetch_add(piece.len() as u64, Relaxed);
            !queue.is_cancelled()
        });
        self.end_long(long, end);
    }

    /// Hashes a pipe, a terminal, a device or, without a file, standard input.
    fn hash_special(&mut self, claimed: Claimed<S::Note>, file: Option<File>) {
        let turn = file.is_none().then(|| self.queue.await_stdin(claimed.stdin_turn));
        let digest = self.digest_special(&claimed.job.function, file);
        drop(turn);
        self.finish(claimed, digest);
    }

    fn digest_special(&self, function: &Function, file: Option<File>) -> io::Result<Vec<u8>> {
        let mut hasher = function.message(self.engine).map_err(io::Error::other)?;
        let mut file = match file {
            Some(file) => {
                os::wait(&file)?;
                file
            }
            None => os::stdin()?,
        };
        for_each_piece(&mut file, self.queue.has_idle_thread(), &mut |piece| {
            hasher.update(piece);
            self.queue.bytes.fetch_add(piece.len() as u64, Relaxed);
            !self.queue.is_cancelled()
        })?;
        Ok(hasher.finalize())
    }
}
