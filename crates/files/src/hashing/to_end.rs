//! One file, hashed to its end.

use super::function::Message;
use super::job::Source;
use super::queue::Queue;
use super::stream::{Hash, for_each_piece};
use std::io::{self, Read};

/// Bytes of a long file that are read at once where files are read one after the other.
pub const LARGE_PIECE: usize = 1 << 20;

/// The functions that take a file's pieces, one for each of its messages.
pub fn updates(messages: &mut [Message]) -> Vec<Hash<'_>> {
    let messages = messages.iter_mut();
    messages.map(|message| -> Hash { Box::new(|piece| message.update(piece)) }).collect()
}

/// Hashes the pieces of a file while nobody cancels, with other threads if one is idle. If its size
/// is `untold`, the bytes that are read are added to the known bytes.
pub fn hash_to_end<S: Source>(
    queue: &Queue<S>,
    file: &mut (impl Read + Send),
    piece: usize,
    hashes: &mut [Hash],
    untold: bool,
) -> io::Result<()> {
    let threads = if queue.has_idle_thread() { queue.threads() } else { 0 };
    for_each_piece(file, piece, threads, hashes, &|bytes| {
        queue.counts.hashed(bytes, untold);
        !queue.is_cancelled()
    })
}
