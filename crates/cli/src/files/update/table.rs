//! Tells what becomes of each file of a list.

use super::told::{Counts, Telling};
use crate::files::ended::{has_changed, is_rotten, remedy};
use crate::files::summary::Summary;
use crate::terminal::output::Output;
use crate::terminal::progress::Progress;
use anyhow::bail;
use manylane_files::known::Answer;
use manylane_files::listing::Note;
use manylane_files::lists::ledger::{Listed, State};
use manylane_files::lists::manifest::Record;
use manylane_files::quote::quote;
use manylane_files::system::reason;
use manylane_files::update::{Change, Draft, UpdateNote};
use manylane_files::walk::{Key, Rules};
use std::io;

/// The list that is being updated, and the results for the files so far.
pub struct Table<'t> {
    /// The new list, as far as it is written.
    pub draft: Draft<'t>,
    /// How the changes are printed.
    pub telling: Telling,
    /// Whether files that change while they are read are taken nevertheless.
    pub takes_changing: bool,
    /// How often a file that changes while it is read is read again.
    pub retries: u32,
    /// The totals of the run.
    pub summary: Summary,
    /// Numbers of files by what was done with them.
    pub counts: Counts,
    /// Whether all arguments and the folders below them could be read.
    pub complete: bool,
}

impl Table<'_> {
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
                Ok(progress.complain(output, &complaint.to_string())?)
            }
            _ if kept.is_some() => {
                self.counts.kept += 1;
                self.summary.kept();
                self.draft.mark(listed.as_ref(), State::Good)
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
                self.summary.hashed(known, &name, done.seen);
                let record = self.draft.record(name, digests, done.seen);
                // A name that the list's form cannot hold is refused here: an error when the list
                // is written would lose the new digests of all other files.
                if let Err(why) = self.draft.writer.record(&record, &mut Vec::new()) {
                    let why = format!("{}: {why}", quote(&record.name));
                    return self.fail(&listed, &why, progress, output);
                }
                match Change::of(listed.as_ref(), &record, done.seen, rotten) {
                    Change::Rotten => self.refuse(&listed, &record.name, progress, output),
                    change => self.enter(&record, change, output),
                }
            }
        }
    }

    /// Reports a file whose content changed under the same size and times. Its record in the list
    /// stays as it is.
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
        self.draft.mark(listed.as_ref(), State::Other)
    }

    /// Takes the new record of a file into the list and prints its line.
    fn enter(
        &mut self,
        record: &Record,
        change: Change,
        output: &mut Output,
    ) -> anyhow::Result<()> {
        self.draft.put(record, change != Change::New)?;
        let (count, word) = match change {
            Change::New => (&mut self.counts.new, Some("NEW")),
            Change::Changed => (&mut self.counts.updated, Some("CHANGED")),
            Change::Kept | Change::Rotten => (&mut self.counts.kept, None),
        };
        *count += 1;
        word.map_or(Ok(()), |word| Ok(self.telling.file(&record.name, word, output)?))
    }

    /// Counts and reports a file without a digest. Its record in the list stays as it is.
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
        self.draft.mark(listed.as_ref(), State::Other)
    }

    /// Takes out the files that are gone from the folders that were walked.
    ///
    /// # Errors
    /// If all files of the list are gone; if the table or standard output fails.
    pub fn remove_gone(
        &mut self,
        roots: &[Key],
        rules: &Rules,
        output: &mut Output,
    ) -> anyhow::Result<()> {
        self.counts.removed = self.draft.mark_gone(roots, rules)?;
        let ledger = self.draft.lock();
        ledger.for_each(Some(State::Missing), false, |listed| {
            Ok(self.telling.file(&listed.record.name, "REMOVED", output)?)
        })?;
        ledger.remove(State::Missing)
    }
}
