//! The journal of a run, from which an interrupted one goes on: a database of SQLite, readable at
//! any moment whatever ends the program.

use super::database::{self, DatabaseKind};
use super::store::{Row, Store};
use crate::hashing::Half;
use crate::names::DEFAULT;
use crate::quote::quote;
use crate::system::os::FileId;
use crate::system::stamp::Stamp;
use anyhow::{anyhow, bail};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::path::{Path, PathBuf};

const KIND: DatabaseKind = DatabaseKind {
    title: "checkpoint",
    application: 0x6d6c_6370,
    version: 3,
    schema: "CREATE TABLE run (folder BLOB NOT NULL, computed TEXT NOT NULL);
        CREATE TABLE done (
        name BLOB NOT NULL, algorithm TEXT NOT NULL,
        device INTEGER NOT NULL, inode INTEGER NOT NULL,
        size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL,
        digest BLOB NOT NULL, checked BLOB NOT NULL,
        PRIMARY KEY (name, algorithm)) WITHOUT ROWID;
        CREATE TABLE half (
        name BLOB NOT NULL, place INTEGER NOT NULL, bytes INTEGER NOT NULL,
        device INTEGER NOT NULL, inode INTEGER NOT NULL,
        size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL,
        state BLOB NOT NULL, PRIMARY KEY (name, place)) WITHOUT ROWID;",
    remedy: "give --checkpoint another file, or remove this one if nothing else needs it",
    elsewhere: "give --checkpoint another file, or leave it out",
    foreign: "give --checkpoint another file",
    shared: false,
};

/// An open journal.
pub struct Checkpoint {
    database: Connection,
    file: PathBuf,
}

impl Checkpoint {
    /// Opens a journal, and makes it if there is none. `computed` describes the run: a run with
    /// another description, or one that was started in another folder, must not continue from the
    /// journal.
    ///
    /// # Errors
    /// If the file is no journal, belongs to another run or cannot be used.
    pub fn open(file: &Path, computed: &str) -> anyhow::Result<Self> {
        let database = database::open(file, &KIND)?;
        let folder = std::env::current_dir()?.into_os_string().into_encoded_bytes();
        let begun = "SELECT folder, computed FROM run";
        let name = quote(file.as_os_str().as_encoded_bytes());
        let said = |error| anyhow!("{name}: {}", database::explain(&error, file, &KIND));
        let begun: Option<(Vec<u8>, String)> = database
            .query_row(begun, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .map_err(said)?;
        match begun {
            None => {
                let insert = "INSERT INTO run VALUES (?, ?)";
                _ = database.execute(insert, params![folder, computed]).map_err(said)?;
            }
            Some((other, _)) if other != folder => bail!(
                "{name}: is the checkpoint of a run in {}; go on from there, or {}",
                quote(&other),
                KIND.remedy
            ),
            Some((_, other)) if other != computed => bail!(
                "{name}: is the checkpoint of a run that computes {other}, not {computed}; {}",
                KIND.remedy
            ),
            Some(_) => {}
        }
        Ok(Self { database, file: file.to_owned() })
    }

    /// Removes the journal at the end of a run that was not interrupted.
    ///
    /// # Errors
    /// If the files of the journal cannot be removed.
    pub fn remove(self) -> std::io::Result<()> {
        let Self { database, file } = self;
        drop(database);
        database::remove(&file)
    }

    fn said<T>(&self, result: rusqlite::Result<T>) -> Result<T, String> {
        result.map_err(|error| {
            let name = quote(self.file.as_os_str().as_encoded_bytes());
            format!("{name}: {}", database::explain(&error, &self.file, &KIND))
        })
    }

    /// Returns the hashed beginning of a file, if the file has not changed since it was saved.
    ///
    /// # Errors
    /// A complete message, if the journal cannot be read.
    pub fn half(&mut self, path: &Path, stamp: &Stamp) -> Result<Option<Half>, String> {
        let rows = self.said(self.query_half(path))?;
        let mut half: Option<Half> = None;
        for (place, (then, bytes, kept)) in rows.into_iter().enumerate() {
            if !is_same(&then, stamp) {
                return Ok(None);
            }
            // A damaged state is given as an empty one, which is refused when it is restored.
            let state = unsealed(path, place, &then, bytes, &kept).unwrap_or_default().to_vec();
            half.get_or_insert_with(|| Half { bytes, states: Vec::new() }).states.push(state);
        }
        Ok(half)
    }

    fn query_half(&self, path: &Path) -> rusqlite::Result<Vec<(Stamp, u64, Vec<u8>)>> {
        let mut query = self.database.prepare_cached(
            "SELECT device, inode, size, modified, changed, bytes, state FROM half \
             WHERE name = ? ORDER BY place",
        )?;
        let rows = query.query_map([path.as_os_str().as_encoded_bytes()], |row| {
            Ok((stamp(row, 0)?, number(row, 5)?, row.get(6)?))
        })?;
        rows.collect()
    }

    /// Saves the hashed beginning of a file.
    ///
    /// # Errors
    /// A complete message, if the journal cannot be written.
    pub fn keep_half(&mut self, path: &Path, stamp: &Stamp, half: &Half) -> Result<(), String> {
        let inserted = self.insert_half(path, stamp, half);
        self.said(inserted)
    }

    fn insert_half(&mut self, path: &Path, stamp: &Stamp, half: &Half) -> rusqlite::Result<()> {
        let name = path.as_os_str().as_encoded_bytes();
        let transaction =
            self.database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute("DELETE FROM half WHERE name = ?", [name])?;
        for (place, state) in half.states.iter().enumerate() {
            let kept = [&seal(path, place, stamp, half.bytes, state)[..], state].concat();
            let FileId(device, inode) = stamp.id.unwrap_or(FileId(0, 0));
            let (device, inode, size) = (device as i64, inode as i64, stamp.size as i64);
            let (place, bytes) = (place as i64, half.bytes as i64);
            let Stamp { modified, changed, .. } = *stamp;
            transaction.execute(
                "INSERT INTO half VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                params![name, place, bytes, device, inode, size, modified, changed, kept],
            )?;
        }
        transaction.commit()
    }

    fn query(&self, path: &Path) -> rusqlite::Result<Vec<Row>> {
        let mut query = self.database.prepare_cached(
            "SELECT algorithm, device, inode, size, modified, changed, digest, checked FROM done \
             WHERE name = ?",
        )?;
        let rows = query.query_map([path.as_os_str().as_encoded_bytes()], |row| {
            let found = Row { algorithm: row.get(0)?, stamp: stamp(row, 1)?, digest: row.get(6)? };
            database::checked(found, row, 7)
        })?;
        rows.collect()
    }

    fn insert(&mut self, rows: &[(PathBuf, Row)]) -> rusqlite::Result<()> {
        let immediate = TransactionBehavior::Immediate;
        let transaction = self.database.transaction_with_behavior(immediate)?;
        {
            let insert = "INSERT OR REPLACE INTO done VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
            let mut insert = transaction.prepare_cached(insert)?;
            let mut halves = transaction.prepare_cached("DELETE FROM half WHERE name = ?")?;
            for (path, row) in rows {
                let Row { algorithm, stamp, digest } = row;
                let FileId(device, inode) = stamp.id.unwrap_or(FileId(0, 0));
                let name = path.as_os_str().as_encoded_bytes();
                halves.execute([name])?;
                let Stamp { size, modified, changed, .. } = *stamp;
                let (device, inode, size) = (device as i64, inode as i64, size as i64);
                let checked = row.check();
                insert.execute(params![
                    name, algorithm, device, inode, size, modified, changed, digest, checked
                ])?;
            }
        }
        transaction.commit()
    }
}

/// Whether two stamps are of the same unchanged file.
fn is_same(then: &Stamp, now: &Stamp) -> bool {
    then.same_times(now) && now.id.is_none_or(|id| then.id == Some(id))
}

fn number(row: &rusqlite::Row, at: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(at).map(|number| number as u64)
}

/// Device, inode, size and both times, from this column on.
fn stamp(row: &rusqlite::Row, at: usize) -> rusqlite::Result<Stamp> {
    let id = Some(FileId(number(row, at)?, number(row, at + 1)?));
    let (modified, changed) = (row.get(at + 3)?, row.get(at + 4)?);
    Ok(Stamp { id, size: number(row, at + 2)?, modified, changed })
}

impl Store for Checkpoint {
    fn find(&mut self, path: &Path, stamp: &Stamp) -> Result<Vec<Row>, String> {
        let mut rows = self.said(self.query(path))?;
        rows.retain(|row| is_same(&row.stamp, stamp));
        Ok(rows)
    }

    fn keep(&mut self, rows: &[(PathBuf, Row)]) -> Result<(), String> {
        let inserted = self.insert(rows);
        self.said(inserted)
    }
}

/// Bytes of the check value of a saved state.
const SEAL: usize = 8;

/// The check value that precedes a saved state. It covers the state, the file and its stamp, and
/// the position in the file.
fn seal(path: &Path, place: usize, stamp: &Stamp, bytes: u64, state: &[u8]) -> [u8; SEAL] {
    let Stamp { id, size, modified, changed } = stamp;
    let id = id.unwrap_or(FileId(0, 0));
    let text = format!("{path:?} {place} {id:?} {size} {modified} {changed} {bytes} {state:02x?}");
    let check = manylane_engine::hash(DEFAULT, text.as_bytes());
    std::array::from_fn(|i| check[i])
}

/// Returns the state after its check value, if they fit together.
fn unsealed<'k>(
    path: &Path,
    place: usize,
    stamp: &Stamp,
    bytes: u64,
    kept: &'k [u8],
) -> Option<&'k [u8]> {
    let (check, state) = kept.split_first_chunk()?;
    (*check == seal(path, place, stamp, bytes, state)).then_some(state)
}
