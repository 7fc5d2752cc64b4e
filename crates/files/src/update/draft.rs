//! The new list, as far as it is known.

use crate::hashing::Seen;
use crate::lists::comments::Comments;
use crate::lists::ledger::{Ledger, Listed, State};
use crate::lists::manifest::{Record, Writer};
use crate::quote::quote;
use crate::system::atomic;
use crate::system::os;
use crate::system::stamp::Stamp;
use crate::walk::{Key, Presence, Rules};
use anyhow::bail;
use manylane_engine::Algorithm;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// How a file's new record differs from that of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The list has no record of the file.
    New,
    /// No digest differs.
    Kept,
    /// A digest differs.
    Changed,
    /// The content differs although size and times are the same.
    Rotten,
}

impl Change {
    /// Compares the records. `rotten` says that the cache has another digest under the same times.
    pub fn of(listed: Option<&Listed>, record: &Record, seen: Option<Seen>, rotten: bool) -> Self {
        let differs = listed.is_some_and(|old| differ(&old.record, record));
        let has_same_times = || {
            let both = listed.zip(seen);
            both.is_some_and(|(old, seen)| same_times(&old.record, &seen.stamp))
        };
        match listed {
            _ if rotten || differs && has_same_times() => Self::Rotten,
            None => Self::New,
            Some(_) if differs => Self::Changed,
            Some(_) => Self::Kept,
        }
    }
}

/// The new list, with the results for the files so far.
pub struct Draft<'t> {
    /// The file of the list.
    pub list: &'t Path,
    /// Its name in messages.
    pub title: &'t str,
    /// What is computed of each file.
    pub algorithms: &'t [Algorithm],
    /// Writes the form that the list is to have.
    pub writer: &'t Writer,
    ledger: Arc<Mutex<Ledger>>,
    /// Files of the list that are there, whatever was done with them.
    found_again: u64,
    /// Whether the new list differs from the file, which must then be written.
    is_dirty: bool,
    /// Whether it was checked that the list can be written.
    is_probed: bool,
}

impl<'t> Draft<'t> {
    /// A draft with the files of the old list. `is_dirty` says that the list is to be written even
    /// if no file has changed.
    ///
    /// # Errors
    /// If the list must be written and cannot be.
    pub fn new(
        (list, title): (&'t Path, &'t str),
        algorithms: &'t [Algorithm],
        writer: &'t Writer,
        ledger: Arc<Mutex<Ledger>>,
        is_dirty: bool,
    ) -> anyhow::Result<Self> {
        let mut draft = Self {
            list,
            title,
            algorithms,
            writer,
            ledger,
            found_again: 0,
            is_dirty,
            is_probed: false,
        };
        if is_dirty {
            draft.probe()?;
        }
        Ok(draft)
    }

    /// Locks the ledger of the files, which the thread that finds files also reads.
    ///
    /// # Panics
    /// If a holder of the lock panicked.
    pub fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().expect("no holder of the lock panics")
    }

    /// Whether the new list differs from the file, which must then be written.
    pub fn is_dirty(&self) -> bool {
        self.is_dirty
    }

    /// Notes what became of a listed file.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn mark(&mut self, listed: Option<&Listed>, state: State) -> anyhow::Result<()> {
        self.found_again += u64::from(listed.is_some());
        listed.map_or(Ok(()), |listed| self.lock().mark(listed.id, state))
    }

    /// The record of a file in the new list. Times are left out if they would not show the next
    /// change: if the file was modified within the tick of the clock in which it was read, or has
    /// another size than the system says.
    pub fn record(&self, name: Vec<u8>, digests: Vec<Vec<u8>>, seen: Option<Seen>) -> Record {
        let settled =
            seen.filter(|seen| seen.fits_size && seen.stamp.unsettled(seen.begin).is_none());
        Record {
            name,
            digests: self.algorithms.iter().copied().zip(digests).collect(),
            size: seen.map(|seen| seen.stamp.size),
            times: settled.map(|seen| (seen.stamp.modified, seen.stamp.changed)),
        }
    }

    /// Puts the new record of a file into the list, in place of the old one if it `is_listed`.
    ///
    /// # Errors
    /// If the list or the ledger cannot be written.
    pub fn put(&mut self, record: &Record, is_listed: bool) -> anyhow::Result<()> {
        self.probe()?;
        self.found_again += u64::from(is_listed);
        self.is_dirty = true;
        let path = PathBuf::from(os::name_from_bytes(record.name.clone()));
        let (key, ledger) = (Key::of(&path), self.lock());
        ledger.put(&key, record)?;
        let id = ledger.find(&key)?.map(|listed| listed.id);
        id.map_or(Ok(()), |id| ledger.mark(id, State::Good))
    }

    /// Checks, once, that the list can be written. Otherwise hours of hashing would be lost.
    fn probe(&mut self) -> anyhow::Result<()> {
        match std::mem::replace(&mut self.is_probed, true) {
            true => Ok(()),
            false => atomic::probe(self.list),
        }
    }

    /// Marks the files that are gone from the folders that were walked, and counts them.
    ///
    /// # Errors
    /// If all files of the list are gone, or the list cannot be written.
    pub fn mark_gone(&mut self, roots: &[Key], rules: &Rules) -> anyhow::Result<u64> {
        let gone = mark_gone(&self.lock(), roots, rules)?;
        let title = self.title;
        if gone > 0 && self.found_again == 0 {
            let left = match gone {
                1 => "the file that it names there is gone".to_owned(),
                _ => format!("none of the {gone} files that it names there is left"),
            };
            bail!(
                "{title}: {left}: is a disk not mounted? Nothing was changed; remove {title} to \
                 begin anew, or give --keep-missing"
            );
        }
        if gone > 0 {
            self.probe()?;
        }
        Ok(gone)
    }

    /// Replaces the file of the list, if its stamp is still the one that was `read`.
    ///
    /// # Errors
    /// If the stamp has changed, or the file cannot be written.
    pub fn write(&self, read: Option<Stamp>, mut comments: Comments) -> anyhow::Result<()> {
        let (list, title, writer, ledger) = (self.list, self.title, self.writer, self.lock());
        let check = || {
            let now = fs::metadata(list).ok().map(|about| Stamp::of(&about));
            if now != read {
                bail!(
                    "{title}: another program has written it meanwhile; nothing was changed, run \
                     again"
                );
            }
            Ok(())
        };
        check()?;
        if !writer.takes_comments() {
            comments = Comments::default();
        }
        atomic::replace(list, |file| {
            let mut text = comments.head();
            writer.begin(&mut text);
            writer.name_hash(&mut text);
            ledger.for_each(None, true, |listed| {
                text.extend(comments.take_before(&listed.record.name));
                if let Err(why) = writer.record(&listed.record, &mut text) {
                    bail!("{title}: {}: {why}", quote(&listed.record.name));
                }
                file.write_all(&text)?;
                text.clear();
                Ok(())
            })?;
            text.extend(comments.end());
            file.write_all(&text)?;
            check()
        })
    }
}

/// Whether the two records have different digests of one algorithm.
fn differ(old: &Record, new: &Record) -> bool {
    let other = |(of, digest): &(Algorithm, Vec<u8>)| {
        new.digests.iter().any(|(algorithm, now)| algorithm == of && now != digest)
    };
    old.digests.iter().any(other)
}

/// Whether a file has the size and the time of modification that the list says.
fn same_times(old: &Record, now: &Stamp) -> bool {
    let modified = old.times.map(|(modified, _)| modified);
    old.size == Some(now.size) && modified == Some(now.modified)
}

/// Marks the files of the list that are gone from the folders that were walked, and counts them.
fn mark_gone(ledger: &Ledger, roots: &[Key], rules: &Rules) -> anyhow::Result<u64> {
    let mut gone = 0;
    ledger.for_each(Some(State::Unmet), false, |listed| {
        let is_gone =
            || matches!(rules.presence(&listed.key.path()), Presence::Gone | Presence::Replaced);
        if roots.iter().any(|root| listed.key.is_in(root)) && is_gone() {
            gone += 1;
            ledger.mark(listed.id, State::Missing)?;
        }
        Ok(())
    })?;
    Ok(gone)
}
