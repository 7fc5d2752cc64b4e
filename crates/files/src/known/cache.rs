//! The cache of digests: a database of SQLite, which concurrent runs share.

use super::database::{self, DatabaseKind};
use super::store::{Row, Store};
use crate::quote::quote;
use crate::system::os::FileId;
use crate::system::reason;
use crate::system::stamp::Stamp;
use anyhow::{Context, anyhow};
use etcetera::BaseStrategy;
use rusqlite::{Connection, TransactionBehavior, params};
use std::path::{Path, PathBuf};

const KIND: DatabaseKind = DatabaseKind {
    title: "cache of digests",
    application: 0x6d6c_6361,
    version: 2,
    schema: "CREATE TABLE digest (
        device INTEGER NOT NULL, inode INTEGER NOT NULL, algorithm TEXT NOT NULL,
        size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL,
        digest BLOB NOT NULL, checked BLOB NOT NULL,
        PRIMARY KEY (device, inode, algorithm)) WITHOUT ROWID",
    remedy: "give --cache another file, or remove this one if nothing else needs it",
    elsewhere: "give --cache another file, or leave it out",
    foreign: "give --cache another file; it takes the argument that follows for its FILE, so that \
              --cache=FILE is for a cache and --cache at the end for the user's own",
    shared: true,
};

/// An open cache.
pub struct Cache {
    database: Connection,
    file: PathBuf,
    /// Look-ups in the open transaction.
    looked_up: u32,
}

/// The most look-ups of one transaction. Beginning and ending one takes as long as several
/// look-ups.
const LOOK_UPS: u32 = 256;

impl Cache {
    /// Opens the cache in this file, and makes it if there is none.
    ///
    /// # Errors
    /// If the file is no cache or cannot be used.
    pub fn open(file: &Path) -> anyhow::Result<Self> {
        let database = database::open(file, &KIND)?;
        Ok(Self { database, file: file.to_owned(), looked_up: 0 })
    }

    /// Refuses a file that is no cache.
    ///
    /// # Errors
    /// If the file is no cache, or cannot be read.
    pub fn refuse_others(file: &Path) -> anyhow::Result<()> {
        database::refuse_others(file, &KIND)
    }

    /// Opens the user's cache.
    ///
    /// # Errors
    /// If there is no place for it.
    pub fn of_user() -> anyhow::Result<Self> {
        let folders = etcetera::base_strategy::choose_native_strategy()
            .context("no folder for caches; name a file, --cache FILE")?;
        let folder = folders.cache_dir().join("manylane");
        std::fs::create_dir_all(&folder).map_err(|error| {
            let (name, why) = (quote(folder.as_os_str().as_encoded_bytes()), reason(&error));
            anyhow!("{name}: {why}; name a file for the cache, --cache=FILE")
        })?;
        Self::open(&folder.join("digests.sqlite"))
    }

    fn said<T>(&self, result: rusqlite::Result<T>) -> Result<T, String> {
        result.map_err(|error| {
            let name = quote(self.file.as_os_str().as_encoded_bytes());
            format!("{name}: {}", database::explain(&error, &self.file, &KIND))
        })
    }

    fn query(&self, FileId(device, inode): FileId) -> rusqlite::Result<Vec<Row>> {
        let mut query = self.database.prepare_cached(
            "SELECT algorithm, size, modified, changed, digest, checked FROM digest \
             WHERE device = ? AND inode = ?",
        )?;
        let id = Some(FileId(device, inode));
        let rows = query.query_map([device as i64, inode as i64], |row| {
            let (size, modified, changed) = (row.get::<_, i64>(1)?, row.get(2)?, row.get(3)?);
            let stamp = Stamp { id, size: size as u64, modified, changed };
            database::checked(Row { algorithm: row.get(0)?, stamp, digest: row.get(4)? }, row, 5)
        })?;
        rows.collect()
    }

    /// Ends the transaction of look-ups, so that the next one sees what other runs wrote meanwhile.
    fn end_look_ups(&mut self) -> rusqlite::Result<()> {
        // After some errors SQLite has rolled the transaction back.
        match std::mem::take(&mut self.looked_up) > 0 && !self.database.is_autocommit() {
            true => self.database.execute_batch("COMMIT"),
            false => Ok(()),
        }
    }

    fn look_up(&mut self, id: FileId) -> rusqlite::Result<Vec<Row>> {
        if self.looked_up == 0 {
            self.database.execute_batch("BEGIN")?;
        }
        self.looked_up += 1;
        let found = self.query(id);
        if self.looked_up >= LOOK_UPS || found.is_err() {
            let ended = self.end_look_ups();
            return found.and_then(|rows| ended.map(|()| rows));
        }
        found
    }

    fn insert(&mut self, rows: &[(PathBuf, Row)]) -> rusqlite::Result<()> {
        self.end_look_ups()?;
        let immediate = TransactionBehavior::Immediate;
        let transaction = self.database.transaction_with_behavior(immediate)?;
        {
            let mut insert = transaction
                .prepare_cached("INSERT OR REPLACE INTO digest VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?;
            for (_, row) in rows {
                let Row { algorithm, stamp, digest } = row;
                let Some(FileId(device, inode)) = stamp.id else { continue };
                let Stamp { size, modified, changed, .. } = *stamp;
                let (device, inode, size) = (device as i64, inode as i64, size as i64);
                let checked = row.check();
                insert.execute(params![
                    device, inode, algorithm, size, modified, changed, digest, checked
                ])?;
            }
        }
        transaction.commit()
    }
}

impl Store for Cache {
    fn find(&mut self, _: &Path, stamp: &Stamp) -> Result<Vec<Row>, String> {
        let Some(id) = stamp.id else { return Ok(Vec::new()) };
        let found = self.look_up(id);
        self.said(found)
    }

    fn keep(&mut self, rows: &[(PathBuf, Row)]) -> Result<(), String> {
        let inserted = self.insert(rows);
        self.said(inserted)
    }
}
