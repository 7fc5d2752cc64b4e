//! The journal of a run, from which an interrupted one goes on: a database of SQLite, readable at
//! any moment whatever ends the program.

use super::database::{self, Kind};
use super::{Row, Store};
use crate::os::{self, FileId};
use crate::quote::quote;
use crate::stamp::Stamp;
use anyhow::bail;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::path::{Path, PathBuf};

const KIND: Kind = Kind {
    title: "checkpoint",
    application: 0x6d6c_6370,
    version: 1,
    schema: "CREATE TABLE run (folder BLOB NOT NULL, computed TEXT NOT NULL);
        CREATE TABLE done (
        name BLOB NOT NULL, algorithm TEXT NOT NULL,
        device INTEGER NOT NULL, inode INTEGER NOT NULL,
        size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL,
        digest BLOB NOT NULL, PRIMARY KEY (name, algorithm)) WITHOUT ROWID;",
    remedy: "give --checkpoint another file, or remove this one if nothing else needs it",
};

/// An open journal.
pub struct Checkpoint {
    database: Connection,
    file: PathBuf,
}

impl Checkpoint {
    /// Opens a journal, and makes it if there is none. `computed` says what the run does; another
    /// run, or one that was started in another folder, must not go on with the journal.
    ///
    /// # Errors
    /// If the file is something else, is another run's or cannot be used.
    pub fn open(file: &Path, computed: &str) -> anyhow::Result<Self> {
        let database = database::open(file, &KIND)?;
        let folder = std::env::current_dir()?.into_os_string().into_encoded_bytes();
        let begun = "SELECT folder, computed FROM run";
        let begun: Option<(Vec<u8>, String)> =
            database.query_row(begun, [], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let name = quote(file.as_os_str().as_encoded_bytes());
        match begun {
            None => {
                let insert = "INSERT INTO run VALUES (?, ?)";
                _ = database.execute(insert, params![folder, computed])?;
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

    /// The end of a run that was not interrupted: there is nothing to go on with.
    pub fn remove(self) -> std::io::Result<()> {
        let Self { database, file } = self;
        drop(database);
        database::remove(&file)
    }

    fn said<T>(&self, result: rusqlite::Result<T>) -> Result<T, String> {
        result.map_err(|error| {
            let name = quote(self.file.as_os_str().as_encoded_bytes());
            format!("{name}: {}", database::explain(&error, &KIND))
        })
    }

    fn query(&self, path: &Path) -> rusqlite::Result<Vec<Row>> {
        let mut query = self.database.prepare_cached(
            "SELECT algorithm, device, inode, size, modified, changed, digest FROM done \
             WHERE name = ?",
        )?;
        let number = |row: &rusqlite::Row, at| row.get::<_, i64>(at).map(|number| number as u64);
        let rows = query.query_map([path.as_os_str().as_encoded_bytes()], |row| {
            let id = FileId(number(row, 1)?, number(row, 2)?);
            let (modified, changed) = (row.get(4)?, row.get(5)?);
            let stamp = Stamp { id: Some(id), size: number(row, 3)?, modified, changed };
            Ok(Row { algorithm: row.get(0)?, stamp, digest: row.get(6)? })
        })?;
        rows.collect()
    }

    fn insert(&mut self, rows: &[(PathBuf, Row)]) -> rusqlite::Result<()> {
        let immediate = TransactionBehavior::Immediate;
        let transaction = self.database.transaction_with_behavior(immediate)?;
        {
            let insert = "INSERT OR REPLACE INTO done VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
            let mut insert = transaction.prepare_cached(insert)?;
            for (path, Row { algorithm, stamp, digest }) in rows {
                let FileId(device, inode) = stamp.id.unwrap_or(os::FileId(0, 0));
                let name = path.as_os_str().as_encoded_bytes();
                let Stamp { size, modified, changed, .. } = *stamp;
                let (device, inode, size) = (device as i64, inode as i64, size as i64);
                insert.execute(params![
                    name, algorithm, device, inode, size, modified, changed, digest
                ])?;
            }
        }
        transaction.commit()
    }
}

impl Store for Checkpoint {
    fn find(&mut self, path: &Path, stamp: &Stamp) -> Result<Vec<Row>, String> {
        let mut rows = self.said(self.query(path))?;
        rows.retain(|row| {
            row.stamp.same_times(stamp) && stamp.id.is_none_or(|id| row.stamp.id == Some(id))
        });
        Ok(rows)
    }

    fn keep(&mut self, rows: &[(PathBuf, Row)]) -> Result<(), String> {
        let inserted = self.insert(rows);
        self.said(inserted)
    }
}
