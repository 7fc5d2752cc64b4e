//! The names in a folder in the order of their bytes, in bounded memory.
//!
//! ```text
//!  names, as the file system lists them ─▶ chunk ─sorted─▶ run in a temporary file ─┐
//!                                          chunk ─sorted─▶ run ─────────────────────┼─▶ merged
//!                                          last chunk ─sorted, in memory────────────┘
//! ```

use super::kind::EntryKind;
use crate::system::os;
use crate::system::scratch;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The most bytes of a chunk, and the bytes that a name takes beside its own.
const CHUNK: usize = 4 << 20;
const COST: usize = 64;
/// Bytes of a run that are read at a time.
const PIECE: usize = 16 << 10;

/// A name in a folder. The order of names is that of their bytes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The name of the entry, without the folder.
    pub name: OsString,
    /// What the entry is: a file, a folder, a link.
    pub kind: EntryKind,
}

/// The names in a folder, in their order.
pub struct Sorted {
    /// Errors of reading the folder, which come before the names.
    errors: Vec<io::Error>,
    /// The last chunk, in reverse order.
    chunk: Vec<Name>,
    runs: Option<Runs>,
}

impl Sorted {
    /// Reads a folder to its end.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let entries = std::fs::read_dir(folder)?.map(|entry| {
            let entry = entry?;
            Ok(Name { kind: EntryKind::of(entry.file_type()?), name: entry.file_name() })
        });
        Ok(Self::new(entries, CHUNK))
    }

    fn new(entries: impl Iterator<Item = io::Result<Name>>, most: usize) -> Self {
        let mut this = Self { errors: Vec::new(), chunk: Vec::new(), runs: None };
        // Where no temporary file can be written, all names stay in memory.
        let mut spills = true;
        let mut bytes = 0;
        for entry in entries {
            match entry {
                Ok(name) => {
                    bytes += name.name.len() + COST;
                    this.chunk.push(name);
                }
                Err(error) => this.errors.push(error),
            }
            if bytes > most && spills {
                this.chunk.sort_unstable();
                spills = this.spill().is_ok();
                bytes = 0;
            }
        }
        this.chunk.sort_unstable_by(|a, b| b.cmp(a));
        if let Some(runs) = &mut this.runs {
            runs.begin(&mut this.errors);
        }
        this
    }

    /// Writes the chunk to the temporary file as a run. If that fails, the chunk stays as it is.
    fn spill(&mut self) -> io::Result<()> {
        let runs = match &mut self.runs {
            Some(runs) => runs,
            None => self.runs.insert(Runs::new()?),
        };
        runs.write(&self.chunk)?;
        self.chunk.clear();
        Ok(())
    }
}

impl Iterator for Sorted {
    type Item = io::Result<Name>;

    fn next(&mut self) -> Option<io::Result<Name>> {
        if let Some(error) = self.errors.pop() {
            return Some(Err(error));
        }
        let spilled = self.runs.as_ref().and_then(|runs| runs.heads.peek());
        match (self.chunk.last(), spilled) {
            (own, Some(Reverse((name, _)))) if own.is_none_or(|own| name < own) => {
                self.runs.as_mut().and_then(|runs| runs.next(&mut self.errors)).map(Ok)
            }
            _ => self.chunk.pop().map(Ok),
        }
    }
}

/// Sorted runs of names in a temporary file.
struct Runs {
    file: File,
    /// Bytes of the file that are whole runs.
    bytes: u64,
    runs: Vec<Run>,
    /// The next name of each run.
    heads: BinaryHeap<Reverse<(Name, usize)>>,
}

/// The part of a run that is not read yet.
struct Run {
    from: u64,
    to: u64,
    /// The bytes that were read last, and how many of them are used.
    piece: Vec<u8>,
    used: usize,
}

impl Runs {
    fn new() -> io::Result<Self> {
        let (runs, heads) = (Vec::new(), BinaryHeap::new());
        Ok(Self { file: scratch::file()?, bytes: 0, runs, heads })
    }

    /// Appends a run. Each name is stored as its length in two bytes, its kind and its bytes.
    fn write(&mut self, names: &[Name]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.bytes))?;
        let mut writer = BufWriter::with_capacity(64 << 10, &self.file);
        for Name { name, kind } in names {
            let name = name.as_encoded_bytes();
            let length = u16::try_from(name.len()).map_err(io::Error::other)?;
            writer.write_all(&length.to_le_bytes())?;
            writer.write_all(&[kind.number()])?;
            writer.write_all(name)?;
        }
        writer.flush()?;
        drop(writer);
        let (from, to) = (self.bytes, self.file.stream_position()?);
        self.runs.push(Run { from, to, piece: Vec::new(), used: 0 });
        self.bytes = to;
        Ok(())
    }

    /// Reads the first name of each run.
    fn begin(&mut self, errors: &mut Vec<io::Error>) {
        for at in 0..self.runs.len() {
            self.advance(at, errors);
        }
    }

    fn next(&mut self, errors: &mut Vec<io::Error>) -> Option<Name> {
        let Reverse((name, at)) = self.heads.pop()?;
        self.advance(at, errors);
        Some(name)
    }

    /// Reads the next name of a run. A run that cannot be read any further adds an error and ends.
    fn advance(&mut self, at: usize, errors: &mut Vec<io::Error>) {
        let run = &mut self.runs[at];
        match run.next(&mut self.file) {
            Ok(Some(name)) => self.heads.push(Reverse((name, at))),
            Ok(None) => {}
            Err(error) => {
                run.from = run.to;
                run.used = run.piece.len();
                errors.push(error);
            }
        }
    }
}

impl Run {
    fn next(&mut self, file: &mut File) -> io::Result<Option<Name>> {
        if self.used == self.piece.len() && self.from == self.to {
            self.piece = Vec::new();
            return Ok(None);
        }
        let [low, high, kind] = *self.take(file, 3)? else { unreachable!("three bytes") };
        let name = self.take(file, usize::from(u16::from_le_bytes([low, high])))?.to_vec();
        Ok(Some(Name { name: os::name_from_bytes(name), kind: EntryKind::from_number(kind) }))
    }

    /// The next `count` bytes of the run; an error if the run has fewer.
    fn take(&mut self, file: &mut File, count: usize) -> io::Result<&[u8]> {
        if self.piece.len() - self.used < count {
            self.piece.drain(..self.used);
            self.used = 0;
            let more = (self.to - self.from).min(PIECE.max(count) as u64);
            file.seek(SeekFrom::Start(self.from))?;
            let read = file.take(more).read_to_end(&mut self.piece)?;
            self.from += read as u64;
            if self.piece.len() < count {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        self.used += count;
        Ok(&self.piece[self.used - count..self.used])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the size of chunks, each name comes once and in order.
    #[test]
    fn names_are_sorted_in_runs_of_any_size() {
        let mut state = 1u64;
        let mut names: Vec<Vec<u8>> = Vec::new();
        for length in 0..3000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(length);
            let name = format!("{:x}{}", state >> 40, "x".repeat(length as usize % 200));
            names.push(name.into_bytes());
        }
        let mut expected = names.clone();
        expected.sort();
        for most in [0, 1, 1000, 20_000, usize::MAX] {
            let entries = names.iter().map(|name| {
                let kind = EntryKind::from_number(name[0] % 7);
                Ok(Name { name: os::name_from_bytes(name.clone()), kind })
            });
            let sorted = Sorted::new(entries, most);
            assert_eq!(sorted.runs.is_some(), most != usize::MAX);
            let sorted: Vec<Name> = sorted.map(Result::unwrap).collect();
            assert!(sorted.iter().all(|found| {
                found.kind == EntryKind::from_number(found.name.as_encoded_bytes()[0] % 7)
            }));
            let sorted = sorted.into_iter().map(|found| found.name.into_encoded_bytes());
            assert!(sorted.eq(expected.iter().cloned()), "{most}");
        }
    }

    #[test]
    fn errors_come_first_and_lose_no_name() {
        let entry = |at: u8| match at {
            3 => Err(io::ErrorKind::TimedOut.into()),
            _ => Ok(Name { name: format!("{}", 9 - at).into(), kind: EntryKind::File }),
        };
        for most in [0, usize::MAX] {
            let mut sorted = Sorted::new((0..5).map(entry), most);
            assert!(sorted.next().unwrap().is_err());
            let names: Vec<_> = sorted.map(|found| found.unwrap().name).collect();
            assert_eq!(names, ["5", "7", "8", "9"]);
        }
        // A run that was written and cannot be read back is reported.
        let mut sorted = Sorted::new((5..9).map(entry), 0);
        sorted.runs.as_mut().unwrap().file.set_len(0).unwrap();
        for run in &mut sorted.runs.as_mut().unwrap().runs {
            (run.piece, run.used, run.from, run.to) = (Vec::new(), 0, 0, 9);
        }
        let (names, errors): (Vec<_>, Vec<_>) = sorted.partition(Result::is_ok);
        assert_eq!((names.len(), errors.len()), (4, 4));
    }
}
