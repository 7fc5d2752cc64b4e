//! The lines of a list of checksums, as they are read from its file.

use crate::lists::checkfile::{ENOUGH, Encoding, encoding};
use crate::system::reason;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};

/// The longest line that may be good, in bytes: a digest, a name, and room to spare.
const MAX_LINE: u64 = 1 << 20;

/// The lines of a list.
pub struct ListLines {
    lines: BufReader<File>,
    /// Whether reading never waits, as with a regular file.
    ready: bool,
    /// The number of the last line, from 1.
    number: u64,
}

impl ListLines {
    /// The lines of an open file.
    pub fn new(file: File) -> Self {
        let ready = file.metadata().is_ok_and(|about| about.is_file());
        Self { lines: BufReader::with_capacity(64 * 1024, file), ready, number: 0 }
    }

    /// The number of the line that was read last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether the next line may keep its reader waiting.
    pub fn may_wait(&self) -> bool {
        !self.ready && !self.lines.buffer().contains(&b'\n')
    }

    /// Reads a line with its end, or as much of it as may be good; `false` after the last. A byte
    /// order mark is left out.
    ///
    /// # Errors
    /// If the list cannot be read any further, or its characters have two or four bytes; the
    /// message names the remedy.
    pub fn next(&mut self, line: &mut Vec<u8>) -> Result<bool, String> {
        let found = self.read_line(line).map_err(|error| reason(&error))?;
        self.number += u64::from(found);
        if found && self.number == 1 {
            self.unmark(line)?;
        }
        Ok(found)
    }

    fn read_line(&mut self, line: &mut Vec<u8>) -> std::io::Result<bool> {
        line.clear();
        (&mut self.lines).take(MAX_LINE).read_until(b'\n', line)?;
        if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
            self.lines.skip_until(b'\n')?;
            // No good line is that long. The first byte is kept: it tells a comment from a bad
            // line.
            line.truncate(1);
        }
        Ok(!line.is_empty())
    }

    /// Takes the byte order mark from the first line.
    fn unmark(&self, line: &mut Vec<u8>) -> Result<(), String> {
        let start: Vec<u8> = line.iter().chain(self.lines.buffer()).copied().take(ENOUGH).collect();
        match encoding(&start) {
            Encoding::Bytes { mark } => Ok(_ = line.drain(..mark.min(line.len()))),
            Encoding::Wide(name) => Err(format!(
                "this list is {name} text, and lists are ASCII or UTF-8; convert it with iconv -f \
                 {name} -t UTF-8"
            )),
        }
    }
}
