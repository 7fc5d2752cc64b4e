//! The files that may have copies, in a temporary database, so that memory does not depend on their
//! number.

use crate::system::os::{self, FileId};
use crate::system::scratch::{self, said};
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};

/// A file that may have copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its number in the table.
    pub id: i64,
    /// Its name.
    pub path: PathBuf,
    /// Bytes.
    pub size: u64,
}

/// A property by which two files are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// The number of bytes.
    Size,
    /// The digest of the first bytes.
    Head,
    /// The digest of the whole file.
    Digest,
}

/// The files that may have copies.
pub struct Table(Connection);

const SCHEMA: &str = "
    CREATE TABLE file (id INTEGER PRIMARY KEY, name BLOB NOT NULL, device INTEGER, inode INTEGER,
        size INTEGER NOT NULL, head BLOB, digest BLOB, UNIQUE (device, inode));
    BEGIN;";

impl Table {
    /// An empty table.
    ///
    /// # Errors
    /// If there is no place for temporary files.
    pub fn new() -> anyhow::Result<Self> {
        Ok(Self(scratch::database(SCHEMA)?))
    }

    /// Adds a file, unless the table has it under another name.
    ///
    /// # Errors
    /// If the table cannot be written.
    pub fn add(&self, path: &Path, id: Option<FileId>, size: u64) -> anyhow::Result<()> {
        let insert = "INSERT OR IGNORE INTO file (name, device, inode, size) VALUES (?, ?, ?, ?)";
        let mut insert = self.0.prepare_cached(insert).map_err(said)?;
        let (device, inode) = id.map(|FileId(device, inode)| (device as i64, inode as i64)).unzip();
        let name = path.as_os_str().as_encoded_bytes();
        insert.execute(params![name, device, inode, size as i64]).map_err(said)?;
        Ok(())
    }

    /// The next files, at most 256, with numbers above `after`; only those of more than `more_than`
    /// bytes, if that is given.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn some(&self, after: i64, more_than: Option<u64>) -> anyhow::Result<Vec<Candidate>> {
        let query =
            "SELECT id, name, size FROM file WHERE id > ? AND size > ? ORDER BY id LIMIT 256";
        let mut query = self.0.prepare_cached(query).map_err(said)?;
        let least = more_than.map_or(-1, |bytes| bytes as i64);
        let rows = query.query_map([after, least], |row| {
            let path = os::name_from_bytes(row.get(1)?).into();
            Ok(Candidate { id: row.get(0)?, path, size: row.get::<_, i64>(2)? as u64 })
        });
        rows.map_err(said)?.collect::<rusqlite::Result<_>>().map_err(said)
    }

    /// Enters a file's head or digest.
    ///
    /// # Errors
    /// If the table cannot be written.
    pub fn set(&self, id: i64, what: Trait, value: &[u8]) -> anyhow::Result<()> {
        let column = what.column();
        let update = format!("UPDATE file SET {column} = ? WHERE id = ?");
        let mut update = self.0.prepare_cached(&update).map_err(said)?;
        update.execute(params![value, id]).map_err(said)?;
        Ok(())
    }

    /// Takes the digest of the head for that of the file, for each file of at most `most` bytes.
    ///
    /// # Errors
    /// If the table cannot be written.
    pub fn digests_from_heads(&self, most: u64) -> anyhow::Result<()> {
        let update = "UPDATE file SET digest = head WHERE size <= ?";
        self.0.execute(update, [most as i64]).map_err(said)?;
        Ok(())
    }

    /// Removes the files without an equal one, and those whose property is not known.
    ///
    /// # Errors
    /// If the table cannot be written.
    pub fn leave_out_unique(&self, what: Trait) -> anyhow::Result<()> {
        let columns = match what {
            Trait::Size => "size",
            _ => &format!("size, {}", what.column()),
        };
        let delete = format!(
            "CREATE INDEX by_{0} ON file ({columns}); \
             DELETE FROM file WHERE {0} IS NULL; \
             DELETE FROM file WHERE ({columns}) IN \
                 (SELECT {columns} FROM file GROUP BY {columns} HAVING count(*) = 1);",
            what.column()
        );
        self.0.execute_batch(&delete).map_err(said)
    }

    /// Calls `each` with every group of files that are equal: size, digest and names. Groups are in
    /// the order of their first files.
    ///
    /// # Errors
    /// If the table cannot be read, and those of `each`.
    pub fn for_each_group(
        &self,
        mut each: impl FnMut(u64, &[u8], &[Vec<u8>]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let query = "SELECT min(id) OVER (PARTITION BY size, digest) AS first, name, size, digest \
                     FROM file ORDER BY first, id";
        let mut query = self.0.prepare(query).map_err(said)?;
        let mut rows = query.query([]).map_err(said)?;
        let mut group: Option<(i64, u64, Vec<u8>)> = None;
        let mut names: Vec<Vec<u8>> = Vec::new();
        while let Some(row) = rows.next().map_err(said)? {
            let first: i64 = row.get(0).map_err(said)?;
            if let Some((of, size, digest)) = &group
                && *of != first
            {
                each(*size, digest, &names)?;
                names.clear();
                group = None;
            }
            if group.is_none() {
                let size: i64 = row.get(2).map_err(said)?;
                group = Some((first, size as u64, row.get(3).map_err(said)?));
            }
            names.push(row.get(1).map_err(said)?);
        }
        match group {
            Some((_, size, digest)) => each(size, &digest, &names),
            None => Ok(()),
        }
    }
}

impl Trait {
    fn column(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Head => "head",
            Self::Digest => "digest",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_equal_is_left() {
        let table = Table::new().unwrap();
        for (at, (name, size)) in
            [("a", 1), ("b", 9), ("c", 9), ("d", 9), ("e", 1), ("f", 5)].into_iter().enumerate()
        {
            table.add(Path::new(name), Some(FileId(1, at as u64)), size).unwrap();
        }
        // The same file under another name.
        table.add(Path::new("g"), Some(FileId(1, 1)), 9).unwrap();
        assert_eq!(table.some(0, None).unwrap().len(), 6);
        table.leave_out_unique(Trait::Size).unwrap();
        let names = |after, more| -> Vec<String> {
            let some = table.some(after, more).unwrap();
            some.iter().map(|file| file.path.display().to_string()).collect()
        };
        assert_eq!(names(0, None), ["a", "b", "c", "d", "e"]);
        for (id, head) in [(1, b"x"), (2, b"y"), (3, b"y"), (4, b"y"), (5, b"x")] {
            table.set(id, Trait::Head, head).unwrap();
        }
        table.leave_out_unique(Trait::Head).unwrap();
        table.digests_from_heads(4).unwrap();
        assert_eq!(names(0, Some(4)), ["b", "c", "d"]);
        // Nothing is known of c.
        for id in [2, 4] {
            table.set(id, Trait::Digest, b"z").unwrap();
        }
        table.leave_out_unique(Trait::Digest).unwrap();
        let mut groups = Vec::new();
        let each = |size, digest: &[u8], names: &[Vec<u8>]| {
            groups.push((size, digest.to_vec(), names.concat()));
            Ok(())
        };
        table.for_each_group(each).unwrap();
        let group = |size, digest: &[u8], names: &[u8]| (size, digest.to_vec(), names.to_vec());
        assert_eq!(groups, [group(1, b"x", b"ae"), group(9, b"z", b"bd")]);
    }
}
