//! Files that are read and hashed into a tree.

use super::parameters::TreeParameters;
use crate::quote::quote;
use crate::system::os;
use crate::system::reason;
use crate::system::stamp::{CHANGED, Stamp};
use anyhow::anyhow;
use manylane_engine::tree::{Digested, Verity, VerityBlock};
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// A file's name for messages.
pub fn title(name: &Path) -> String {
    quote(name.as_os_str().as_encoded_bytes())
}

/// An error of a file, in coreutils' words.
pub fn of_file(name: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!("{}", reason(error)).context(title(name))
}

/// An open file that is to be hashed.
pub struct Data<'n> {
    /// The name under which errors report the file.
    pub name: &'n Path,
    /// The file, opened for reading.
    pub file: File,
    /// The size and times of a regular file when it was opened.
    opened: Option<Stamp>,
}

/// The size and times of a regular file.
fn stamp(file: &File) -> Option<Stamp> {
    file.metadata().ok().filter(Metadata::is_file).map(|about| Stamp::of(&about))
}

/// Opens a file for reading; - is standard input.
pub fn open(name: &Path) -> anyhow::Result<Data<'_>> {
    let opened = match name.as_os_str() == "-" {
        true => os::stdin(),
        false => os::open_patiently(name),
    };
    let file = opened.map_err(|error| of_file(name, &error))?;
    os::will_read_all(&file);
    let opened = stamp(&file);
    Ok(Data { name, file, opened })
}

/// Bytes of a file from its present position to its end.
pub fn length(data: &Data) -> anyhow::Result<u64> {
    let mut file = &data.file;
    let mut length = || {
        // Seeking in a folder gives a length too, so a read is tried: its error says that it is a
        // folder.
        if file.metadata()?.is_dir() {
            file.read_exact(&mut [0])?;
        }
        let at = file.stream_position()?;
        let end = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(at)).map(|at| end.saturating_sub(at))
    };
    length().map_err(|error: io::Error| {
        if error.kind() == io::ErrorKind::IsADirectory {
            return of_file(data.name, &error);
        }
        let name = title(data.name);
        anyhow!("{name}: its length cannot be told; name a file or a block device")
    })
}

/// Bytes that are read at a time for each thread.
const PIECE: usize = 1 << 20;

/// Hashes a file from its present position to its end: one thread reads while others hash.
///
/// # Errors
/// If the file cannot be read, changes meanwhile, or does not have the expected number of bytes.
pub fn hash_file(
    form: &TreeParameters,
    salt: &[u8],
    data: &Data,
    expected: Option<u64>,
    sink: &mut dyn FnMut(VerityBlock),
) -> anyhow::Result<Digested> {
    let Data { name, file, opened } = data;
    let mut file: &File = file;
    let mut verity = Verity::new(form.algorithm, form.block_bytes, salt)?.threads(form.threads);
    let (full, to_hash) = std::sync::mpsc::sync_channel::<io::Result<Vec<u8>>>(1);
    let (empty, to_fill) = std::sync::mpsc::channel();
    for _ in 0..3 {
        empty.send(vec![0; PIECE * form.threads.min(8)]).expect("the other end is here");
    }
    let read = move || {
        while let Ok(mut piece) = to_fill.recv() {
            let filled = fill(&mut file, &mut piece).map(|count| piece.truncate(count));
            let last = piece.is_empty() || filled.is_err();
            if full.send(filled.map(|()| piece)).is_err() || last {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().spawn_scoped(scope, read);
        reader.map_err(|error| of_file(name, &error))?;
        // Moved here, so that an error drops it and the reader does not wait for it.
        let empty = empty;
        for piece in to_hash {
            let mut piece = piece.map_err(|error| of_file(name, &error))?;
            verity.update(&piece, sink)?;
            let length = piece.capacity();
            piece.resize(length, 0);
            // The reader has ended if it takes no more.
            let _ = empty.send(piece);
        }
        let digested = verity.finish(sink)?;
        let is_other = opened.is_some() && *opened != stamp(&data.file);
        if is_other || expected.is_some_and(|bytes| bytes != digested.bytes) {
            return Err(anyhow!("{CHANGED}; hash it when nothing writes it").context(title(name)));
        }
        Ok(digested)
    })
}

/// Reads until `piece` is full or the file ends.
fn fill(file: &mut &File, piece: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < piece.len() {
        match file.read(&mut piece[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
