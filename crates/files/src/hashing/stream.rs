//! One long file, read by one thread while others hash it.

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Bytes read at a time: such pieces stay in the second-level cache.
pub const PIECE: usize = 256 * 1024;
/// Number of buffers that circulate between reader and hashers.
const PIECES: usize = 4;

/// Fills `buffer` as far as the file goes; less than a full buffer means the file's end.
pub fn fill(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// A function that takes a file piece by piece.
pub type Hash<'h> = Box<dyn FnMut(&[u8]) + Send + 'h>;

/// Gives each of `hashes` all bytes of the file, `piece` bytes at a time. `go_on` is called with
/// the number of bytes of each piece; once it returns `false`, nothing more is read. If `threads`
/// is not 0, that many threads hash, each some of the functions, and one more reads the next pieces
/// meanwhile, as far as threads can be had.
pub fn for_each_piece(
    file: &mut (impl Read + Send),
    piece: usize,
    threads: usize,
    hashes: &mut [Hash],
    go_on: &dyn Fn(usize) -> bool,
) -> io::Result<()> {
    let mut buffer = vec![0; piece];
    let mut is_first = true;
    loop {
        let count = fill(file, &mut buffer)?;
        hash_piece(hashes, &buffer[..count]);
        if !go_on(count) || count < piece {
            return Ok(());
        }
        // Most files of unknown size are short: the first piece is read without another thread.
        if std::mem::take(&mut is_first)
            && threads > 0
            && let Some(end) = overlapped(file, piece, threads, hashes, go_on)
        {
            return end;
        }
    }
}

fn hash_piece(hashes: &mut [Hash], piece: &[u8]) {
    for hash in hashes {
        hash(piece);
    }
}

/// Bytes that were read, on the way to the threads that hash them.
struct Piece {
    buffer: Vec<u8>,
    count: usize,
}

/// Reads and hashes on several threads. Returns `None` before anything is read if the reader's
/// thread cannot be started or there is no memory.
fn overlapped(
    file: &mut (impl Read + Send),
    piece: usize,
    threads: usize,
    hashes: &mut [Hash],
    go_on: &dyn Fn(usize) -> bool,
) -> Option<io::Result<()>> {
    let buffers: Vec<Vec<u8>> = (0..PIECES).map(|_| buffer(piece)).collect::<Option<_>>()?;
    let (empty, emptied) = channel();
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // The threads that hash wait for their tasks: how the functions are shared depends on the
        // number of threads that start.
        let mut hashers = Vec::new();
        for _ in 1..threads.min(hashes.len()) {
            let (task, tasks) = channel::<(&mut [Hash], Receiver<Arc<Piece>>)>();
            let empty = empty.clone();
            let work = move || {
                let Ok((hashes, filled)) = tasks.recv() else { return };
                for piece in filled {
                    hash_piece(hashes, &piece.buffer[..piece.count]);
                    // Sending fails if the reader has already come to the end.
                    let _ = empty.send(piece);
                }
            };
            match std::thread::Builder::new().spawn_scoped(scope, work) {
                Ok(_) => hashers.push(task),
                Err(_) => break,
            }
        }
        let share = hashes.len().div_ceil(hashers.len() + 1);
        let (own, others) = hashes.split_at_mut(share.min(hashes.len()));
        let mut full = Vec::new();
        let mut task = || {
            let (sender, filled) = channel();
            full.push(sender);
            filled
        };
        let filled = task();
        let tasks: Vec<_> = others.chunks_mut(share.max(1)).map(|some| (some, task())).collect();
        let stopped = &stopped;
        let read = move || read_on(file, &emptied, &full, stopped);
        let reader = std::thread::Builder::new().spawn_scoped(scope, read).ok()?;
        for (task, hasher) in tasks.into_iter().zip(hashers) {
            hasher.send(task).expect("a hasher waits for its task");
        }
        for buffer in buffers {
            let _ = empty.send(Arc::new(Piece { buffer, count: 0 }));
        }
        for piece in filled {
            if !stopped.load(Relaxed) {
                hash_piece(own, &piece.buffer[..piece.count]);
                stopped.store(!go_on(piece.count), Relaxed);
            }
            let _ = empty.send(piece);
        }
        Some(reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// A buffer, if there is memory for it.
fn buffer(bytes: usize) -> Option<Vec<u8>> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(bytes).ok()?;
    buffer.resize(bytes, 0);
    Some(buffer)
}

/// Reads to the end of the file, or until `stopped`. Each hasher sends a piece back, which is
/// filled again when the last one has.
fn read_on(
    file: &mut impl Read,
    emptied: &Receiver<Arc<Piece>>,
    full: &[Sender<Arc<Piece>>],
    stopped: &AtomicBool,
) -> io::Result<()> {
    for mut piece in emptied {
        let Some(Piece { buffer, count }) = Arc::get_mut(&mut piece) else { continue };
        if stopped.load(Relaxed) {
            break;
        }
        *count = fill(file, buffer)?;
        let is_last = *count < buffer.len();
        for sender in full {
            let _ = sender.send(piece.clone());
        }
        if is_last {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Reads of a few bytes, interrupted now and then.
    struct Drip(usize, usize);
    impl Read for Drip {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            if self.1.is_multiple_of(7) {
                return Err(ErrorKind::Interrupted.into());
            }
            let count = buffer.len().min(self.0).min(10_007);
            for byte in &mut buffer[..count] {
                *byte = (self.0 % 251) as u8;
                self.0 -= 1;
            }
            Ok(count)
        }
    }

    /// Functions that gather what they are given.
    fn gather(into: &mut [Vec<u8>]) -> Vec<Hash<'_>> {
        let mut hashes: Vec<Hash> = Vec::new();
        for all in into {
            hashes.push(Box::new(|piece| all.extend_from_slice(piece)));
        }
        hashes
    }

    #[test]
    fn every_byte_comes_once_and_in_order() {
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 11 * PIECE + 5] {
            let mut expected = Vec::new();
            Drip(length, 0).read_to_end(&mut expected).unwrap();
            for (functions, threads) in
                [(1, 0), (1, 1), (1, 9), (2, 0), (2, 2), (5, 1), (5, 2), (5, 3)]
            {
                let mut gathered = vec![Vec::new(); functions];
                let heard = Cell::new(0);
                let go_on = |bytes| heard.replace(heard.get() + bytes) < usize::MAX;
                let mut file = Drip(length, 0);
                for_each_piece(&mut file, PIECE, threads, &mut gather(&mut gathered), &go_on)
                    .unwrap();
                assert!(gathered.iter().all(|all| *all == expected), "{length} {threads}");
                assert_eq!(heard.get(), length);
            }
        }
    }

    #[test]
    fn without_memory_for_the_second_thread_nothing_is_lost() {
        let mut file = Drip(1000, 0);
        let mut hashes: Vec<Hash> = vec![Box::new(|_| panic!("no piece"))];
        let overlapped = overlapped(&mut file, isize::MAX as usize, 1, &mut hashes, &|_| true);
        assert!(overlapped.is_none());
        assert_eq!(file.read_to_end(&mut Vec::new()).unwrap(), 1000);
    }

    #[test]
    fn it_ends_when_no_more_is_wanted_and_tells_errors() {
        for threads in [0, 1, 2] {
            let mut gathered = vec![Vec::new(); 2];
            let pieces = Cell::new(0);
            let go_on = |_| pieces.replace(pieces.get() + 1) < 8;
            let mut endless = io::repeat(1);
            for_each_piece(&mut endless, PIECE, threads, &mut gather(&mut gathered), &go_on)
                .unwrap();
            assert_eq!(pieces.get(), 9);
            struct Bad;
            impl Read for Bad {
                fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                    Err(ErrorKind::TimedOut.into())
                }
            }
            let mut bad = io::repeat(1).take(3 * PIECE as u64).chain(Bad);
            let mut hashes = gather(&mut gathered);
            let error = for_each_piece(&mut bad, PIECE, threads, &mut hashes, &|_| true);
            assert_eq!(error.unwrap_err().kind(), ErrorKind::TimedOut);
        }
    }
}
