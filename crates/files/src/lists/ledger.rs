//! The files of a list while it is compared with a folder: in a temporary database, so that memory
//! does not depend on their number.

use crate::lists::manifest::Record;
use crate::names;
use crate::system::scratch::{self, said};
use crate::walk::Key;
use manylane_engine::Algorithm;
use rusqlite::{Connection, OptionalExtension, params};
use std::ffi::OsStr;
use std::path::PathBuf;

/// The state of a listed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The walk has not found it yet.
    Unmet = 0,
    /// The file has the content that the list says.
    Good = 1,
    /// The file has another content.
    Other = 2,
    /// The file is gone.
    Missing = 3,
    /// The file is gone, and one of the same content was found under another name.
    Moved = 4,
    /// The file is there and could not be read.
    Unread = 5,
}

/// A listed file.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its number in the ledger.
    pub id: i64,
    /// Its place in the order of walks.
    pub key: Key,
    /// What the list says of it.
    pub record: Record,
}

/// The files of a list, and files that were found beside them. Every function fails if the
/// temporary database cannot be read or written.
pub struct Ledger(Connection);

const SCHEMA: &str = "
    CREATE TABLE file (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, name BLOB NOT NULL,
        size INTEGER, modified INTEGER, changed INTEGER, state INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE digest (file INTEGER NOT NULL, algorithm TEXT NOT NULL, digest BLOB NOT NULL,
        PRIMARY KEY (file, algorithm)) WITHOUT ROWID;
    CREATE TABLE found (id INTEGER PRIMARY KEY, name BLOB NOT NULL);
    CREATE TABLE found_digest (found INTEGER NOT NULL, algorithm TEXT NOT NULL,
        digest BLOB NOT NULL, PRIMARY KEY (found, algorithm)) WITHOUT ROWID;
    BEGIN;";

impl Ledger {
    /// Makes a ledger without files.
    ///
    /// # Errors
    /// If there is no place for the temporary database.
    pub fn new() -> anyhow::Result<Self> {
        Ok(Self(scratch::database(SCHEMA)?))
    }

    /// Adds a record of a list; returns `false` if the list has another record of the same file.
    pub fn list(&self, key: &Key, record: &Record) -> anyhow::Result<bool> {
        self.list_in(key, record).map_err(said)
    }

    fn list_in(&self, key: &Key, record: &Record) -> rusqlite::Result<bool> {
        let mut insert = self.0.prepare_cached(
            "INSERT INTO file (key, name, size, modified, changed) VALUES (?, ?, ?, ?, ?) \
             ON CONFLICT (key) DO NOTHING RETURNING id",
        )?;
        let Record { name, digests, size, times } = record;
        let size = size.map(|size| size as i64);
        let (modified, changed) = times.unzip();
        let fields = params![key.0, name, size, modified, changed];
        let id: Option<i64> = insert.query_row(fields, |row| row.get(0)).optional()?;
        let id = match id {
            Some(id) => id,
            None => self
                .0
                .prepare_cached("SELECT id FROM file WHERE key = ?")?
                .query_row([&key.0], |row| row.get(0))?,
        };
        let mut same = true;
        for (algorithm, digest) in digests {
            let mut insert = self.0.prepare_cached(
                "INSERT INTO digest VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET digest = digest \
                 RETURNING digest",
            )?;
            let fields = params![id, algorithm.to_string(), digest];
            same &= insert.query_row(fields, |row| row.get::<_, Vec<u8>>(0))? == *digest;
        }
        Ok(same)
    }

    /// The algorithms of the list, in the order of their names.
    pub fn algorithms(&self) -> anyhow::Result<Vec<Algorithm>> {
        let names = || -> rusqlite::Result<Vec<String>> {
            let mut query =
                self.0.prepare("SELECT DISTINCT algorithm FROM digest ORDER BY algorithm")?;
            query.query_map([], |row| row.get(0))?.collect()
        };
        names().map_err(said)?.iter().map(|name| Ok(names::parse(name)?.hash())).collect()
    }

    /// The record of a file in the list.
    pub fn find(&self, key: &Key) -> anyhow::Result<Option<Listed>> {
        let find = || -> rusqlite::Result<Option<Listed>> {
            let mut query = self.0.prepare_cached(
                "SELECT id, key, name, size, modified, changed FROM file WHERE key = ?",
            )?;
            let found = query.query_row([&key.0], |row| self.listed(row)).optional()?;
            Ok(found)
        };
        find().map_err(said)
    }

    fn listed(&self, row: &rusqlite::Row) -> rusqlite::Result<Listed> {
        let id: i64 = row.get(0)?;
        let mut query =
            self.0.prepare_cached("SELECT algorithm, digest FROM digest WHERE file = ?")?;
        let digests = query.query_map([id], |row| {
            let name: String = row.get(0)?;
            let named = names::parse(&name).map_err(|_| rusqlite::Error::InvalidQuery)?;
            Ok((named.hash(), row.get(1)?))
        })?;
        let digests = digests.collect::<rusqlite::Result<_>>()?;
        let size: Option<i64> = row.get(3)?;
        let times = row.get::<_, Option<i64>>(4)?.zip(row.get(5)?);
        let record =
            Record { name: row.get(2)?, digests, size: size.map(|size| size as u64), times };
        Ok(Listed { id, key: Key(row.get(1)?), record })
    }

    /// Sets the state of a file.
    pub fn mark(&self, id: i64, state: State) -> anyhow::Result<()> {
        let mut mark =
            self.0.prepare_cached("UPDATE file SET state = ? WHERE id = ?").map_err(said)?;
        mark.execute(params![state as i64, id]).map_err(said)?;
        Ok(())
    }

    /// Calls `each` with the listed files in a state, in the order of the list or of their keys.
    pub fn for_each(
        &self,
        state: Option<State>,
        by_key: bool,
        mut each: impl FnMut(Listed) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let order = if by_key { "key" } else { "id" };
        let which = match state {
            Some(state) => format!("WHERE state = {}", state as i64),
            None => String::new(),
        };
        let query = format!(
            "SELECT id, key, name, size, modified, changed FROM file {which} ORDER BY {order}"
        );
        let mut query = self.0.prepare(&query).map_err(said)?;
        let mut rows = query.query([]).map_err(said)?;
        while let Some(row) = rows.next().map_err(said)? {
            each(self.listed(row).map_err(said)?)?;
        }
        Ok(())
    }

    /// Makes the indexes that [`has_size`](Self::has_size) and
    /// [`for_each_found`](Self::for_each_found) need, after all files are listed.
    pub fn index(&self) -> anyhow::Result<()> {
        let indices = "CREATE INDEX by_digest ON digest (digest); \
                       CREATE INDEX by_size ON file (size)";
        self.0.execute_batch(indices).map_err(said)
    }

    /// Whether a listed file has this size, or one whose size the list does not state.
    pub fn has_size(&self, size: u64) -> anyhow::Result<bool> {
        let query = "SELECT EXISTS (SELECT 1 FROM file WHERE size = ? OR size IS NULL)";
        let mut query = self.0.prepare_cached(query).map_err(said)?;
        query.query_row([size as i64], |row| row.get(0)).map_err(said)
    }

    /// Adds a file that is not listed.
    pub fn found(&self, name: &[u8], digests: &[(Algorithm, Vec<u8>)]) -> anyhow::Result<()> {
        let add = || -> rusqlite::Result<()> {
            self.0.prepare_cached("INSERT INTO found (name) VALUES (?)")?.execute([name])?;
            let id = self.0.last_insert_rowid();
            let mut insert = self.0.prepare_cached("INSERT INTO found_digest VALUES (?, ?, ?)")?;
            for (algorithm, digest) in digests {
                insert.execute(params![id, algorithm.to_string(), digest])?;
            }
            Ok(())
        };
        add().map_err(said)
    }

    /// Calls `each` with the files that are not listed, and with a listed file of the same content
    /// if there is one. A missing file of the same last name is preferred, then one that is missing
    /// or has changed, each of which is given once in this way; then one that is as the list says.
    pub fn for_each_found(
        &self,
        mut each: impl FnMut(&[u8], Option<(i64, State, Vec<u8>)>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        // The table with its indexes avoids comparing every file with every other where a million
        // files have one content.
        let lost = format!(
            "CREATE TABLE lost AS \
             SELECT digest.digest AS digest, algorithm, state, digest.file AS file FROM digest \
             JOIN file ON file.id = digest.file WHERE state IN ({}, {}); \
             CREATE INDEX lost_by_digest ON lost (digest, algorithm, state DESC); \
             CREATE INDEX lost_by_file ON lost (file)",
            State::Other as i64,
            State::Missing as i64
        );
        self.0.execute_batch(&lost).map_err(said)?;
        let mut query = self.0.prepare("SELECT id, name FROM found ORDER BY id").map_err(said)?;
        let mut rows = query.query([]).map_err(said)?;
        while let Some(row) = rows.next().map_err(said)? {
            let (id, name): (i64, Vec<u8>) = (row.get(0).map_err(said)?, row.get(1).map_err(said)?);
            let same = self.same(id, &name).map_err(said)?;
            each(&name, same)?;
        }
        Ok(())
    }

    fn same(&self, found: i64, name: &[u8]) -> rusqlite::Result<Option<(i64, State, Vec<u8>)>> {
        let last = |name: &[u8]| {
            let path = PathBuf::from(crate::system::os::name_from_bytes(name.to_owned()));
            path.file_name().map(OsStr::to_owned)
        };
        let wanted = last(name);
        for table in ["lost", "digest"] {
            let same = self.equals(found, table)?;
            let is_namesake = |(_, state, name): &&(i64, State, Vec<u8>)| {
                *state == State::Missing && last(name) == wanted
            };
            let is_there = |(_, state, _): &&(i64, State, Vec<u8>)| *state == State::Good;
            let found = same.iter().find(is_namesake).or_else(|| same.iter().find(is_there));
            if let Some(found) = found.or(same.first()) {
                let lost = "DELETE FROM lost WHERE file = ?";
                self.0.prepare_cached(lost)?.execute([found.0])?;
                return Ok(Some(found.clone()));
            }
        }
        Ok(None)
    }

    /// At most 64 files of a table that have the same content as a found one: they share at least
    /// one algorithm with it, and no digest of a shared algorithm differs.
    fn equals(&self, found: i64, table: &str) -> rusqlite::Result<Vec<(i64, State, Vec<u8>)>> {
        let mut query = self.0.prepare_cached(&format!(
            "SELECT file.id, file.state, file.name FROM found_digest AS new \
             CROSS JOIN {table} AS old \
             ON old.digest = new.digest AND old.algorithm = new.algorithm \
             CROSS JOIN file ON file.id = old.file \
             WHERE new.found = ? AND NOT EXISTS ( \
                 SELECT 1 FROM digest AS other \
                 JOIN found_digest AS mine ON mine.algorithm = other.algorithm \
                 WHERE other.file = file.id AND mine.found = new.found \
                 AND mine.digest <> other.digest) LIMIT 64"
        ))?;
        let states =
            [State::Unmet, State::Good, State::Other, State::Missing, State::Moved, State::Unread];
        let rows = query.query_map([found], |row| {
            let state = states[row.get::<_, usize>(1)?];
            Ok((row.get(0)?, state, row.get::<_, Vec<u8>>(2)?))
        })?;
        rows.collect()
    }

    /// Replaces the record of a file in the list, or adds it.
    pub fn put(&self, key: &Key, record: &Record) -> anyhow::Result<()> {
        let put = || -> rusqlite::Result<()> {
            let query = "SELECT id FROM file WHERE key = ?";
            let mut query = self.0.prepare_cached(query)?;
            let id: Option<i64> = query.query_row([&key.0], |row| row.get(0)).optional()?;
            if let Some(id) = id {
                self.0.prepare_cached("DELETE FROM digest WHERE file = ?")?.execute([id])?;
                let size = record.size.map(|size| size as i64);
                let (modified, changed) = record.times.unzip();
                let update = "UPDATE file SET size = ?, modified = ?, changed = ? WHERE id = ?";
                let fields = params![size, modified, changed, id];
                self.0.prepare_cached(update)?.execute(fields)?;
            }
            self.list_in(key, record).map(drop)
        };
        put().map_err(said)
    }

    /// Takes the files in a state out of the list.
    pub fn remove(&self, state: State) -> anyhow::Result<()> {
        let remove = || -> rusqlite::Result<()> {
            let digests = "DELETE FROM digest WHERE file IN (SELECT id FROM file WHERE state = ?)";
            self.0.execute(digests, [state as i64])?;
            self.0.execute("DELETE FROM file WHERE state = ?", [state as i64])?;
            Ok(())
        };
        remove().map_err(said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn record(name: &str, digest: u8) -> Record {
        let digests = vec![("md5".parse().unwrap(), vec![digest; 16])];
        Record { name: name.into(), digests, size: Some(3), times: None }
    }

    #[test]
    fn found_files_are_matched_with_missing_ones_first() {
        let ledger = Ledger::new().unwrap();
        let key = |name: &str| Key::below(Path::new("/"), Path::new(name));
        for (name, digest) in [("a/x", 1), ("a/y", 1), ("b", 1), ("c", 2), ("d", 4)] {
            assert!(ledger.list(&key(name), &record(name, digest)).unwrap());
        }
        assert!(ledger.list(&key("c"), &record("c", 2)).unwrap());
        assert!(!ledger.list(&key("c"), &record("c", 3)).unwrap());
        ledger.index().unwrap();
        let states = [
            ("a/x", State::Missing),
            ("a/y", State::Missing),
            ("b", State::Good),
            ("d", State::Unread),
        ];
        for (name, state) in states {
            ledger.mark(ledger.find(&key(name)).unwrap().unwrap().id, state).unwrap();
        }
        for (name, digest) in [("n/y", 1), ("n/z", 1), ("n/w", 1), ("n/v", 7), ("n/u", 4)] {
            ledger.found(name.as_bytes(), &record(name, digest).digests).unwrap();
        }
        let mut matches = Vec::new();
        ledger
            .for_each_found(|_, same| {
                matches.push(same.as_ref().map(|(_, _, name)| name.clone()));
                match same {
                    Some((id, State::Missing, _)) => ledger.mark(id, State::Moved)?,
                    Some((_, state, name)) if name == b"d" => assert_eq!(state, State::Unread),
                    _ => {}
                }
                Ok(())
            })
            .unwrap();
        let named = |name: &str| Some(name.as_bytes().to_vec());
        assert_eq!(matches, [named("a/y"), named("a/x"), named("b"), None, named("d")]);
        assert!(ledger.has_size(3).unwrap() && !ledger.has_size(4).unwrap());
    }
}
