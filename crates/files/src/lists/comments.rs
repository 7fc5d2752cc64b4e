//! The comments and empty lines of a list, which a new list has at the same files.

use std::collections::HashMap;

/// Comments and empty lines by where they stand.
#[derive(Debug, Default)]
pub struct Comments {
    /// The lines before the first file.
    head: Vec<u8>,
    /// The lines before a file, by its name, with their place in the order of such lines.
    before: HashMap<Vec<u8>, (usize, Vec<u8>)>,
    /// The lines behind the last file, as far as the list was read.
    behind: Vec<u8>,
    begun: bool,
}

impl Comments {
    /// Takes a comment or an empty line of the list.
    pub fn line(&mut self, line: &[u8]) {
        self.behind.extend(line);
        if !line.ends_with(b"\n") {
            self.behind.push(b'\n');
        }
    }

    /// Notes that the list names a file here.
    pub fn file(&mut self, name: &[u8]) {
        let lines = std::mem::take(&mut self.behind);
        match std::mem::replace(&mut self.begun, true) {
            false => self.head = lines,
            true if lines.is_empty() => {}
            true => {
                let place = self.before.len();
                let of = self.before.entry(name.to_owned()).or_insert((place, Vec::new()));
                of.1.extend(lines);
            }
        }
    }

    /// The lines at the beginning of the list, or all lines if the list names no file.
    pub fn head(&mut self) -> Vec<u8> {
        std::mem::take(if self.begun { &mut self.head } else { &mut self.behind })
    }

    /// Removes and returns the lines before a file.
    pub fn take_before(&mut self, name: &[u8]) -> Vec<u8> {
        self.before.remove(name).map(|(_, lines)| lines).unwrap_or_default()
    }

    /// The lines at the end: those of files that the new list does not name, in order, then those
    /// behind the last file.
    pub fn end(self) -> Vec<u8> {
        let mut left: Vec<(usize, Vec<u8>)> = self.before.into_values().collect();
        left.sort_by_key(|(place, _)| *place);
        left.into_iter().flat_map(|(_, lines)| lines).chain(self.behind).collect()
    }
}
