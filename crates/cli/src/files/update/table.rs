//! The table of files that becomes the new list.

use super::lookup::UpdateNote;
use super::told::{Counts, Telling};
use crate::files::ended::{has_changed, is_rotten, remedy};
use crate::files::listing::Note;
use crate::files::recall::Answer;
use crate::files::summary::Summary;
use crate::files::walk::{self, Presence};
use crate::terminal::output::Output;
use crate::terminal::progress::Progress;
use anyhow::bail;
use manylane_engine::Algorithm;
use manylane_files::hashing::Seen;
use manylane_files::lists::comments::Comments;
use manylane_files::lists::ledger::{Ledger, Listed, State};
use manylane_files::lists::manifest::{Record, Writer};
use manylane_files::quote::quote;
use manylane_files::system::atomic;
use manylane_files::system::reason;
use manylane_files::system::stamp::Stamp;
use manylane_files::walk::Key;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// The table, with the results for the files so far.
pub struct Table<'t> {
    pub list: &'t Path,
    pub title: &'t str,
    pub algorithms: &'t [Algorithm],
    pub writer: &'t Writer,
    pub ledger: Arc<Mutex<Ledger>>,
    pub telling: Telling,
    /// Whether files that change while they are read are taken nevertheless.
    pub takes_changing: bool,
    /// How often a file that changes while it is read is read again.
    pub retries: u32,
    pub summary: Summary,
    pub counts: Counts,
    /// Files of the list that are there, whatever was done with them.
    pub found_again: u64,
    /// Whether all arguments and the folders below them could be read.
    pub complete: bool,
    /// Whether the table has something that the list does not say.
    pub is_dirty: bool,
    /// Whether it was checked that the list can be written.
    pub is_probed: bool,
}

impl Table<'_> {
    pub fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().expect("no holder of the lock panics")
    }

    /// Takes a file that was read or looked up.
    ///
    /// # Errors
    /// If the table fails, the list cannot be written, or standard output cannot.
    pub fn take(
        &mut self,
        answer: Answer<UpdateNote>,
        progress: &Progress,
        output: &mut Output,
    ) -> anyhow::Result<()> {
        let Answer { done, known, rotten } = answer;
        let changed = done.has_changed() && !self.takes_changing;
        let UpdateNote { note, listed, kept, failed } = done.job.note;
        if let Some(why) = failed {
            bail!("{why}");
        }
        let name = done.job.input.name();
        match (note, done.digests) {
            (Note::Later, _) => Ok(()),
            (Note::Remark(remark), _) => Ok(progress.complain(output, &remark)?),
            (Note::Complaint(complaint), _) => {
                self.complete = false;
                self.counts.failed += 1;
                self.summary.failed();
                Ok(progress.complain(output, &complaint)?)
            }
            _ if kept.is_some() => {
                self.counts.kept += 1;
                self.summary.kept();
                self.mark(&listed, State::Good)
            }
            // A file that vanished since it was found is gone.
            (_, Err(error)) if error.kind() == io::ErrorKind::NotFound && listed.is_some() => {
                Ok(())
            }
            (_, Err(error)) => {
                let remedy = remedy(&error, &done.job.input);
                let why = format!("{}: {}{remedy}", quote(&name), reason(&error));
                self.fail(&listed, &why, progress, output)
            }
            (_, Ok(_)) if changed => {
                let why = has_changed(&name, self.retries);
                self.fail(&listed, &why, progress, output)
            }
            (_, Ok(digests)) => {
                match known {
                    true => self.summary.kept(),
                    false => self.summary.read(&name, done.seen),
                }
                let record = self.record(name, digests, done.seen);
                // A name that the form cannot hold is found now. Found when the list is written, it
                // would cost all other files their new digests.
                if let Err(why) = self.writer.record(&record, &mut Vec::new()) {
                    let why = format!("{}: {why}", quote(&record.name));
                    return self.fail(&listed, &why, progress, output);
                }
                let differs = listed.as_ref().is_some_and(|old| differ(&old.record, &record));
                let has_same_times = || {
                    let both = listed.as_ref().zip(done.seen);
                    both.is_some_and(|(old, seen)| same_times(&old.record, &seen.stamp))
                };
                if rotten || differs && has_same_times() {
                    self.refuse(&listed, &record.name, progress, output)
                } else {
                    self.enter(&record, listed.is_some().then_some(differs), output)
                }
            }
        }
    }

    /// Says that a file's content is another one under the same size and times; the list keeps what
    /// it says of it.
    fn refuse(
        &mut self,
        listed: &Option<Listed>,
        name: &[u8],
        progress: &Progress,
        output: &mut Output,
    ) -> anyhow::Result<()> {
        self.counts.rotten += 1;
        progress.complain(output, &is_rotten(name))?;
        self.telling.file(name, "BITROT", output)?;
        self.mark(listed, State::Other)
    }

    /// Puts the new record of a file into the table and prints its line; `differs` says whether its
    /// digests differ from those of the list, if it is listed.
    fn enter(
        &mut self,
        record: &Record,
        differs: Option<bool>,
        output: &mut Output,
    ) -> anyhow::Result<()> {
        self.put(record)?;
        let (count, word) = match differs {
            None => (&mut self.counts.new, Some("NEW")),
            Some(true) => (&mut self.counts.updated, Some("CHANGED")),
            Some(false) => (&mut self.counts.kept, None),
        };
        *count += 1;
        self.found_again += u64::from(differs.is_some());
        word.map_or(Ok(()), |word| Ok(self.telling.file(&record.name, word, output)?))
    }

    /// Counts a file that has no digest and says why; the list keeps what it says of it.
    fn fail(
        &mut self,
        listed: &Option<Listed>,
        why: &str,
        progress: &Progress,
        output: &mut Output,
    ) -> anyhow::Result<()> {
        self.counts.failed += 1;
        self.summary.failed();
        progress.complain(output, why)?;
        self.mark(listed, State::Other)
    }

    fn mark(&mut self, listed: &Option<Listed>, state: State) -> anyhow::Result<()> {
        self.found_again += u64::from(listed.is_some());
        listed.as_ref().map_or(Ok(()), |listed| self.lock().mark(listed.id, state))
    }

    /// The record of a file in the new list. Times are left out if they would not show the next
    /// change: if the file was modified within the tick of the clock in which it was read, or has
    /// another size than the system says.
    fn record(&self, name: Vec<u8>, digests: Vec<Vec<u8>>, seen: Option<Seen>) -> Record {
        let settled =
            seen.filter(|seen| seen.fits_size && seen.stamp.unsettled(seen.begin).is_none());
        Record {
            name,
            digests: self.algorithms.iter().copied().zip(digests).collect(),
            size: seen.map(|seen| seen.stamp.size),
            times: settled.map(|seen| (seen.stamp.modified, seen.stamp.changed)),
        }
    }

    /// Puts the present record of a file into the table.
    fn put(&mut self, record: &Record) -> anyhow::Result<()> {
        self.probe()?;
        self.is_dirty = true;
        let path = PathBuf::from(manylane_files::system::os::name_from_bytes(record.name.clone()));
        let (key, ledger) = (Key::of(&path), self.lock());
        ledger.put(&key, record)?;
        let id = ledger.find(&key)?.map(|listed| listed.id);
        id.map_or(Ok(()), |id| ledger.mark(id, State::Good))
    }

    /// Tries, once, whether the list can be written, since otherwise hours of hashing would be
    /// lost.
    pub fn probe(&mut self) -> anyhow::Result<()> {
        match std::mem::replace(&mut self.is_probed, true) {
            true => Ok(()),
            false => atomic::probe(self.list),
        }
    }

    /// Takes out the files that are gone from the folders that were walked.
    ///
    /// # Errors
    /// If all files of the list are gone; if the table or standard output fails.
    pub fn remove_gone(
        &mut self,
        roots: &[Key],
        walking: &walk::Rules,
        output: &mut Output,
    ) -> anyhow::Result<()> {
        let gone = mark_gone(&self.lock(), roots, walking)?;
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
        self.counts.removed = gone;
        let ledger = self.lock();
        ledger.for_each(Some(State::Missing), false, |listed| {
            Ok(self.telling.file(&listed.record.name, "REMOVED", output)?)
        })?;
        ledger.remove(State::Missing)
    }

    /// Writes the list in the place of the old one, if that is still what was `read`.
    ///
    /// # Errors
    /// If it is not, or cannot be written.
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

/// Whether a digest that both have is another one.
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
fn mark_gone(ledger: &Ledger, roots: &[Key], walking: &walk::Rules) -> anyhow::Result<u64> {
    let mut gone = 0;
    ledger.for_each(Some(State::Unmet), false, |listed| {
        let is_gone =
            || matches!(walking.presence(&listed.key.path()), Presence::Gone | Presence::Replaced);
        if roots.iter().any(|root| listed.key.is_in(root)) && is_gone() {
            gone += 1;
            ledger.mark(listed.id, State::Missing)?;
        }
        Ok(())
    })?;
    Ok(gone)
}
