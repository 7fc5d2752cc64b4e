//! One long file, read by one thread while another hashes it.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Bytes read at a time: such pieces stay in the second-level cache.
pub const PIECE: usize = 256 * 1024;
/// Pieces between reader and hasher.
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

/// Gives `hash` all bytes of the file, `piece` bytes at a time, until `hash` returns `false`. With
/// `overlap`, a second thread reads the next pieces meanwhile, if one can be had.
pub fn for_each_piece(
    file: &mut (impl Read + Send),
    piece: usize,
    overlap: bool,
    hash: &mut dyn FnMut(&[u8]) -> bool,
) -> io::Result<()> {
    let mut buffer = vec![0; piece];
    // Most files of unknown size are short: the first piece is read without a second thread.
    let count = fill(file, &mut buffer)?;
    if !hash(&buffer[..count]) || count < piece {
        return Ok(());
    }
    if overlap && let Some(end) = overlapped(file, piece, hash) {
        return end;
    }
    loop {
        let count = fill(file, &mut buffer)?;
        if !hash(&buffer[..count]) || count < piece {
            return Ok(());
        }
    }
}

/// Reads on a second thread; `None`, and nothing is read, if there is no thread or no memory.
fn overlapped(
    file: &mut (impl Read + Send),
    piece: usize,
    hash: &mut dyn FnMut(&[u8]) -> bool,
) -> Option<io::Result<()>> {
    let buffers: Vec<Vec<u8>> = (0..PIECES).map(|_| buffer(piece)).collect::<Option<_>>()?;
    let (full, filled) = sync_channel::<(Vec<u8>, usize)>(PIECES);
    let (empty, emptied) = sync_channel::<Vec<u8>>(PIECES);
    std::thread::scope(|scope| {
        let read = move || read_on(file, &emptied, &full);
        let reader = std::thread::Builder::new().spawn_scoped(scope, read).ok()?;
        for buffer in buffers {
            // Sending fails if the reader has already come to the end.
            let _ = empty.send(buffer);
        }
        for (buffer, count) in filled {
            if !hash(&buffer[..count]) {
                break;
            }
            let _ = empty.send(buffer);
        }
        drop(empty);
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

/// Reads to the end of the file, or until nobody wants more.
fn read_on(
    file: &mut impl Read,
    emptied: &Receiver<Vec<u8>>,
    full: &SyncSender<(Vec<u8>, usize)>,
) -> io::Result<()> {
    for mut buffer in emptied {
        let count = fill(file, &mut buffer)?;
        let is_last = count < buffer.len();
        if full.send((buffer, count)).is_err() || is_last {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn every_byte_comes_once_and_in_order() {
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 11 * PIECE + 5] {
            let mut expected = Vec::new();
            Drip(length, 0).read_to_end(&mut expected).unwrap();
            for overlap in [false, true] {
                let mut all = Vec::new();
                for_each_piece(&mut Drip(length, 0), PIECE, overlap, &mut |piece| {
                    all.extend_from_slice(piece);
                    true
                })
                .unwrap();
                assert!(all == expected, "{length} {overlap}");
            }
        }
    }

    #[test]
    fn without_memory_for_the_second_thread_nothing_is_lost() {
        let mut file = Drip(1000, 0);
        assert!(overlapped(&mut file, isize::MAX as usize, &mut |_| panic!("no piece")).is_none());
        assert_eq!(file.read_to_end(&mut Vec::new()).unwrap(), 1000);
    }

    #[test]
    fn it_ends_when_no_more_is_wanted_and_tells_errors() {
        for overlap in [false, true] {
            let mut pieces = 0;
            for_each_piece(&mut io::repeat(1), PIECE, overlap, &mut |_| {
                pieces += 1;
                pieces < 9
            })
            .unwrap();
            assert_eq!(pieces, 9);
            struct Bad;
            impl Read for Bad {
                fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                    Err(ErrorKind::TimedOut.into())
                }
            }
            let mut bad = io::repeat(1).take(3 * PIECE as u64).chain(Bad);
            let error = for_each_piece(&mut bad, PIECE, overlap, &mut |_| true).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TimedOut);
        }
    }
}
