//! Files that a worker hashes one at a time, from their present position to their ends.

use super::Worker;
use crate::hashing::function::{Functions, Message};
use crate::hashing::job::Source;
use crate::hashing::reader::Reader;
use crate::hashing::resumed::Saving;
use crate::hashing::to_end::{LARGE_PIECE, hash_to_end, updates};
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

impl<S: Source> Worker<S> {
    /// Hashes a file from where an earlier run ended, and saves the hashers now and then.
    pub(super) fn digests_saved(
        &self,
        path: &Path,
        functions: &Functions,
        file: &mut Reader,
        saving: &Saving,
    ) -> io::Result<Vec<Vec<u8>>> {
        let stamp = *file.stamp();
        let (mut bytes, mut messages) =
            saving.begin(path, &stamp, functions, self.means.engine).map_err(io::Error::other)?;
        if bytes > 0 {
            file.skip_to(bytes)?;
            self.queue.counts.hashed(bytes as usize, false);
        }
        loop {
            let part = saving.every - bytes % saving.every;
            let mut rest = Read::take(&mut *file, part);
            let mut hashes = updates(&mut messages);
            hash_to_end(&self.queue, &mut rest, LARGE_PIECE, &mut hashes, false)?;
            drop(hashes);
            let missing = rest.limit();
            bytes += part - missing;
            // When the work is cancelled, some bytes may have been read and not hashed; nothing is
            // saved.
            if missing > 0 || self.queue.is_cancelled() {
                return Ok(messages.iter().map(Message::finalize).collect());
            }
            if file.is_settled() {
                saving.keep(path, &stamp, bytes, &messages);
            }
        }
    }

    /// Hashes a beginning that lies in the arena, then the rest of the file to its end. If the
    /// file's size is `untold`, the bytes that are read are added to the known bytes.
    pub(super) fn digests_alone(
        &self,
        functions: &Functions,
        file: &mut (impl Read + Send),
        begin: Range<usize>,
        piece: usize,
        untold: bool,
    ) -> io::Result<Vec<Vec<u8>>> {
        let messages = functions.iter().map(|function| function.message(self.means.engine));
        let mut messages: Vec<Message> =
            messages.collect::<Result<_, _>>().map_err(io::Error::other)?;
        self.queue.counts.hashed(begin.len(), untold);
        for message in &mut messages {
            message.update(self.means.arena.get(begin.clone()));
        }
        let mut hashes = updates(&mut messages);
        hash_to_end(&self.queue, file, piece, &mut hashes, untold)?;
        drop(hashes);
        Ok(messages.iter().map(Message::finalize).collect())
    }
}
