//! A regular file that is being read: past the page cache if this is asked for, and watched for
//! changes.

use crate::system::os;
use crate::system::stamp::Stamp;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::time::{Duration, Instant, SystemTime};

/// How files are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Whether what was read is dropped from the page cache afterwards.
    pub drop_cache: bool,
    /// Whether files are read past the page cache, where their file systems can.
    pub direct: bool,
    /// Whether a change of the inode alone, its mode, names or attributes, is no change.
    pub content_alone: bool,
}

/// The observations about a regular file that was read.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// The stamp of the file before it was read.
    pub stamp: Stamp,
    /// Whether its size or times were different afterwards.
    pub changed: bool,
    /// Bytes that were read.
    pub read: u64,
    /// Whether the content is as long as the file's size says. Some files of /proc and /sys have
    /// other sizes, and contents that change without a change of times.
    pub fits_size: bool,
    /// When it was opened.
    pub begin: SystemTime,
    /// From its opening to the end of reading.
    pub took: Duration,
}

impl Seen {
    /// A file that is not read, because its digests are known; `stamp` is its present one.
    pub fn without_reading(stamp: Stamp) -> Self {
        let (begin, took) = (SystemTime::now(), Duration::ZERO);
        Self { stamp, changed: false, read: 0, fits_size: true, begin, took }
    }
}

/// An open regular file.
pub struct Reader {
    file: File,
    stamp: Stamp,
    begin: SystemTime,
    opened: Instant,
    reading: Reading,
    direct: Option<Direct>,
    /// The byte at which reading began, the bytes read since then, and how many of these were
    /// dropped from the page cache.
    start: u64,
    read: u64,
    dropped: u64,
    /// Whether a read was short and reached the file's size, so that the file has ended.
    ended: bool,
}

/// Bytes that are dropped from the page cache at a time.
const DROP: u64 = 8 << 20;

impl Reader {
    /// Begins to read an open file, whose metadata are `about`.
    pub fn new(file: File, about: &Metadata, reading: Reading) -> Self {
        let stamp = Stamp::of(about);
        let direct = (reading.direct && os::set_direct(&file, true).is_ok()).then(Direct::new);
        let (begin, opened) = (SystemTime::now(), Instant::now());
        Self {
            file,
            stamp,
            begin,
            opened,
            reading,
            direct,
            start: 0,
            read: 0,
            dropped: 0,
            ended: false,
        }
    }

    /// Bytes that the file had when it was opened.
    pub fn size(&self) -> u64 {
        self.stamp.size
    }

    /// The stamp of the file when it was opened.
    pub fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// Whether another change of the file would show in its times.
    pub fn is_settled(&self) -> bool {
        self.stamp.unsettled(self.begin).is_none()
    }

    /// Skips the bytes before `start`. Nothing may have been read yet.
    pub fn skip_to(&mut self, start: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(start))?;
        self.start = start;
        Ok(())
    }

    /// Advises the operating system that all of the file will be read.
    pub fn will_read_all(&self) {
        os::will_read_all(&self.file);
    }

    /// Ends the reading and returns the observations about the file.
    pub fn end(mut self) -> Seen {
        let is_same = |now: Stamp| match self.reading.content_alone {
            true => now.same_content(&self.stamp),
            false => now == self.stamp,
        };
        let changed = !self.file.metadata().is_ok_and(|now| is_same(Stamp::of(&now)));
        if self.reading.drop_cache {
            self.drop_cache();
        }
        let Self { stamp, begin, start, read, .. } = self;
        let fits_size = start + read == stamp.size;
        Seen { stamp, changed, read, fits_size, begin, took: self.opened.elapsed() }
    }

    fn drop_cache(&mut self) {
        os::drop_cache(&self.file, self.start + self.dropped);
        self.dropped = self.read;
    }
}

impl Read for Reader {
    /// Reads on. At the end of the file there is no further read to see whether it has grown:
    /// [`end`](Reader::end) compares its stamp.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let count = match &mut self.direct {
            None => self.file.read(buffer)?,
            Some(direct) => match direct.read(&mut self.file, buffer) {
                // The file system cannot read past the page cache after all, or not at this offset.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                    os::set_direct(&self.file, false)?;
                    self.direct = None;
                    self.file.read(buffer)?
                }
                other => other?,
            },
        };
        self.read += count as u64;
        self.ended = count < buffer.len() && self.start + self.read == self.stamp.size;
        if self.reading.drop_cache && self.read - self.dropped >= DROP {
            self.drop_cache();
        }
        Ok(count)
    }
}

/// A buffer for reads past the page cache, which need aligned memory and whole blocks.
struct Direct {
    memory: Vec<u8>,
    /// Where the aligned part begins.
    start: usize,
    /// Bytes there that are still to be handed out.
    from: usize,
    to: usize,
}

impl Direct {
    /// The alignment of memory, offsets and lengths that devices need: their blocks have 512 to
    /// 4096 bytes.
    const BLOCK: usize = 4096;
    const BYTES: usize = 1 << 20;

    fn new() -> Self {
        let memory = vec![0; Self::BYTES + Self::BLOCK];
        // An offset that cannot be computed, under Miri, would be past the memory.
        let start = memory.as_ptr().align_offset(Self::BLOCK).min(Self::BLOCK);
        Self { memory, start, from: 0, to: 0 }
    }

    fn read(&mut self, file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
        let aligned = &mut self.memory[self.start..][..Self::BYTES];
        if self.from == self.to {
            self.from = 0;
            self.to = 0;
            self.to = file.read(aligned)?;
            if !self.to.is_multiple_of(Self::BLOCK) {
                // The end of the file, or what was its end: what comes has no whole blocks.
                os::set_direct(file, false)?;
            }
        }
        let count = buffer.len().min(self.to - self.from);
        buffer[..count].copy_from_slice(&aligned[self.from..][..count]);
        self.from += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_that_grows_at_its_end_has_changed() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"0123456789").unwrap();
        let opened = file.reopen().unwrap();
        let about = opened.metadata().unwrap();
        let mut reader = Reader::new(opened, &about, Reading::default());
        let mut buffer = [0; 8];
        assert_eq!(reader.read(&mut buffer).unwrap(), 8);
        assert_eq!(reader.read(&mut buffer).unwrap(), 2);
        file.write_all(b"more").unwrap();
        assert_eq!(reader.read(&mut buffer).unwrap(), 0);
        let seen = reader.end();
        assert!(seen.changed && seen.read == 10);
    }
}
