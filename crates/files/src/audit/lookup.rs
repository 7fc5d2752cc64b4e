//! Looks up the record of a file that was found, before the file is read.

use crate::hashing::{Function, Input, Job};
use crate::listing::Note;
use crate::lists::ledger::{Ledger, Listed};
use crate::walk::Key;
use std::path::{Path, PathBuf};

/// The note that accompanies a job of an audit.
pub struct AuditNote {
    /// The note of the listing.
    pub note: Note,
    /// The record of the file in the list, if there is one.
    pub listed: Option<Listed>,
    /// The file, if its size alone shows that its content differs.
    pub other_size: Option<PathBuf>,
    /// The reason for which the table of the list could not be read.
    pub failed: Option<String>,
}

/// Looks up the record of a file that was found. With `by_size`, a file whose size alone shows that
/// its content differs is not read.
pub fn look_up(mut job: Job<Note>, ledger: &Ledger, by_size: bool) -> Job<AuditNote> {
    let mut found = AuditNote { note: Note::File, listed: None, other_size: None, failed: None };
    if let Input::Path(path) | Input::Found(path) | Input::Link(path) = &job.input {
        match look(path, ledger, by_size.then_some(&job.input)) {
            Ok((listed, other_size)) => {
                found.listed = listed;
                found.other_size = other_size.then(|| path.clone());
            }
            Err(error) => found.failed = Some(error.to_string()),
        }
        if let Some(listed) = &found.listed {
            let digests = listed.record.digests.iter();
            job.functions = digests.map(|(hash, _)| Function::Hash(*hash)).collect();
        }
        if found.other_size.is_some() || found.failed.is_some() {
            job.input = Input::Nothing;
        }
    }
    let Job { input, functions, note } = job;
    Job { input, functions, note: AuditNote { note, ..found } }
}

fn look(
    path: &Path,
    ledger: &Ledger,
    by_size: Option<&Input>,
) -> anyhow::Result<(Option<Listed>, bool)> {
    let listed = ledger.find(&Key::of(path))?;
    let sized = by_size.and_then(Input::whole_file);
    let size = sized.and_then(|path| path.metadata().ok().filter(|about| about.is_file()));
    let Some(size) = size.map(|about| about.len()) else { return Ok((listed, false)) };
    let other = match &listed {
        Some(listed) => listed.record.size.is_some_and(|then| then != size),
        None => !ledger.has_size(size)?,
    };
    Ok((listed, other))
}
