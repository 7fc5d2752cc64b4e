//! Digests in extended attributes of the files themselves: they go where the files go.
//!
//! The attribute `user.manylane.sha256` holds `2 SIZE SECONDS.NANOSECONDS HEX CHECK`: the version,
//! the file's size and time of modification when it was read, the digest, and a check value over
//! these. The time at which the inode changed cannot be among them, as writing the attribute
//! changes it. An attribute that is damaged or of another version is ignored and replaced.

use super::store::{Row, Store, check};
use crate::lists::lines::hex;
use crate::lists::manifest::{from_seconds, seconds};
use crate::system::stamp::Stamp;
use std::path::{Path, PathBuf};

const PREFIX: &str = "user.manylane.";
const VERSION: &str = "2";

/// The store that keeps digests in the attributes of the hashed files.
pub struct Attributes {
    /// The algorithms whose attributes are looked for.
    algorithms: Vec<String>,
    /// The number of files in which no attribute could be set, and why not in the first of them.
    refused: u64,
    why: String,
}

impl Attributes {
    /// A store for digests of these algorithms.
    pub fn new(algorithms: Vec<String>) -> Self {
        Self { algorithms, refused: 0, why: String::new() }
    }

    fn value(row: &Row) -> String {
        let Row { stamp, digest, .. } = row;
        let fields =
            format!("{VERSION} {} {} {}", stamp.size, seconds(stamp.modified), hex(digest));
        let check = Self::check(&row.algorithm, &fields);
        format!("{fields} {check}")
    }

    /// The check value of an attribute, over its algorithm and its fields.
    fn check(algorithm: &str, fields: &str) -> String {
        hex(&check(&format!("{algorithm} {fields}")))
    }

    fn parse(algorithm: &str, value: &[u8], now: &Stamp) -> Option<Row> {
        let (fields, check) = std::str::from_utf8(value).ok()?.rsplit_once(' ')?;
        let mut words = fields.split(' ');
        if words.next()? != VERSION || check != Self::check(algorithm, fields) {
            return None;
        }
        let size = words.next()?.parse().ok()?;
        let modified = from_seconds(words.next()?)?;
        let digest = crate::lists::lines::from_hex(words.next()?.as_bytes())?;
        let stamp = Stamp { id: now.id, size, modified, changed: now.changed };
        Some(Row { algorithm: algorithm.to_owned(), stamp, digest })
    }
}

impl Store for Attributes {
    fn find(&mut self, path: &Path, stamp: &Stamp) -> Result<Vec<Row>, String> {
        let read = |algorithm: &String| {
            let value = system::get(path, &format!("{PREFIX}{algorithm}"))?;
            Self::parse(algorithm, &value, stamp)
        };
        Ok(self.algorithms.iter().filter_map(read).collect())
    }

    fn keep(&mut self, rows: &[(PathBuf, Row)]) -> Result<(), String> {
        for (path, row) in rows {
            // The file may have been replaced since it was hashed.
            let same = path.metadata().is_ok_and(|now| Stamp::of(&now).same_content(&row.stamp));
            let name = format!("{PREFIX}{}", row.algorithm);
            if let (true, Err(error)) = (same, system::set(path, &name, &Self::value(row))) {
                self.refused += 1;
                if self.refused == 1 {
                    self.why = crate::system::reason(&error);
                }
            }
        }
        Ok(())
    }

    fn remark(&self) -> Option<String> {
        let (refused, why) = (self.refused, &self.why);
        let digests = if refused == 1 { "digest" } else { "digests" };
        (refused > 0).then(|| format!("{refused} {digests} could not be kept in attributes: {why}"))
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
mod system {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    use std::io;
    use std::path::Path;

    /// Longer than any value that this program writes: digests have at most 8 KiB.
    const LONGEST: usize = 20 << 10;

    /// Reads an attribute; `None` if there is none or it cannot be read.
    pub fn get(path: &Path, name: &str) -> Option<Vec<u8>> {
        // Most digests are short.
        let mut value = vec![0; 256];
        let length = match getxattr(path, name, &mut value[..]) {
            Err(rustix::io::Errno::RANGE) => {
                value.resize(LONGEST, 0);
                getxattr(path, name, &mut value[..])
            }
            other => other,
        };
        value.truncate(length.ok()?);
        Some(value)
    }

    /// Writes an attribute, in place of one of the same name.
    pub fn set(path: &Path, name: &str, value: &str) -> io::Result<()> {
        Ok(setxattr(path, name, value.as_bytes(), XattrFlags::empty())?)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod system {
    use std::io;
    use std::path::Path;

    /// No attribute is read on this system.
    pub fn get(_: &Path, _: &str) -> Option<Vec<u8>> {
        None
    }

    /// Fails: no attribute is written on this system.
    pub fn set(_: &Path, _: &str, _: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_attributes_are_ignored() {
        let file = std::env::current_exe().unwrap().metadata().unwrap();
        let stamp = Stamp::of(&file);
        let row = Row { algorithm: "md5".into(), stamp, digest: vec![0x5a; 16] };
        let value = Attributes::value(&row).into_bytes();
        let read = Attributes::parse("md5", &value, &row.stamp).unwrap();
        assert_eq!((read.stamp, &read.digest), (row.stamp, &row.digest));
        assert!(Attributes::parse("sha1", &value, &row.stamp).is_none());
        for place in 0..value.len() {
            let mut damaged = value.clone();
            damaged[place] ^= 1;
            assert!(Attributes::parse("md5", &damaged, &row.stamp).is_none(), "byte {place}");
            assert!(Attributes::parse("md5", &value[..place], &row.stamp).is_none());
        }
    }
}
