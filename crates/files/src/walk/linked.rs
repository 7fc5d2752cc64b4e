//! Files with several names, of which a walk may give only one.

use crate::system::os::FileId;
use crate::system::scratch;
use rusqlite::{Connection, params};
use std::collections::HashSet;

/// The number of files that are held in memory: about 10 MB.
const HELD: usize = 1 << 18;

const SCHEMA: &str = "CREATE TABLE file (device INTEGER, inode INTEGER, \
                      PRIMARY KEY (device, inode)) WITHOUT ROWID; BEGIN;";

/// The files that were met. Memory does not depend on their number: beyond a limit they are in a
/// temporary database, if there is a place for one.
#[derive(Debug)]
pub struct Linked {
    held: HashSet<FileId>,
    /// How many files are held before they go to the database.
    most: usize,
    others: Option<Connection>,
}

impl Default for Linked {
    fn default() -> Self {
        Self { held: HashSet::new(), most: HELD, others: None }
    }
}

impl Linked {
    /// Adds a file; returns whether it was met for the first time.
    pub fn insert(&mut self, file: FileId) -> bool {
        if self.held.contains(&file) || self.others.as_ref().is_some_and(|all| has(all, file)) {
            return false;
        }
        self.held.insert(file);
        if self.held.len() >= self.most {
            // If the database cannot grow, more files are held in memory.
            if self.move_held().is_err() {
                self.most *= 2;
            }
        }
        true
    }

    fn move_held(&mut self) -> anyhow::Result<()> {
        let others = match self.others.take() {
            Some(others) => others,
            None => scratch::database(SCHEMA)?,
        };
        let others = self.others.insert(others);
        let mut insert = others.prepare_cached("INSERT OR IGNORE INTO file VALUES (?, ?)")?;
        // In sorted order, rows of one page are written together.
        let mut held: Vec<FileId> = self.held.iter().copied().collect();
        held.sort_unstable();
        for FileId(device, inode) in held {
            insert.execute(params![device as i64, inode as i64])?;
        }
        self.held.clear();
        Ok(())
    }
}

/// Whether the database has a file; `false` if it cannot be read.
fn has(others: &Connection, FileId(device, inode): FileId) -> bool {
    let find = || {
        let query = "SELECT 1 FROM file WHERE device = ? AND inode = ?";
        others.prepare_cached(query)?.exists(params![device as i64, inode as i64])
    };
    find().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_new_once_wherever_it_is_held() {
        let mut linked = Linked { most: 10, ..Linked::default() };
        let file = |i: u64| FileId(i % 3, u64::MAX - i * 7919 % 1000);
        for i in 0..500 {
            assert!(linked.insert(file(i)), "{i}");
            assert!(!linked.insert(file(i)), "{i}");
        }
        assert!(linked.held.len() < 10 && linked.others.is_some());
        assert!((0..500).all(|i| !linked.insert(file(i))));
    }
}
