//! Looks up the record of a file that was found, before the file is read.

use crate::hashing::{Input, Job};
use crate::listing::Note;
use crate::lists::ledger::{Ledger, Listed};
use crate::system::stamp::{Settling, Stamp};
use crate::walk::Key;
use manylane_engine::Algorithm;
use std::path::PathBuf;

/// The data that accompany a job.
pub struct UpdateNote {
    /// The note of the listing.
    pub note: Note,
    /// The record of the file in the list, if there is one.
    pub listed: Option<Listed>,
    /// The file, if it need not be read because it is as the list says.
    pub kept: Option<PathBuf>,
    /// The reason for which the table could not be read.
    pub failed: Option<String>,
}

/// Looks up the record of a file. A file whose size and times are those of the list, and whose
/// record has a digest of each algorithm, is not read unless `rehash` asks for it.
pub fn look_up(
    mut job: Job<Note>,
    ledger: &Ledger,
    algorithms: &[Algorithm],
    rehash: bool,
    settling: &mut Settling,
) -> Job<UpdateNote> {
    let mut found = UpdateNote { note: Note::File, listed: None, kept: None, failed: None };
    if let Input::Path(path) | Input::Found(path) | Input::Link(path) = &job.input {
        match ledger.find(&Key::of(path)) {
            Ok(listed) => found.listed = listed,
            Err(error) => found.failed = Some(error.to_string()),
        }
        let about = match job.input {
            Input::Link(_) => path.symlink_metadata(),
            _ => path.metadata(),
        };
        if let Some(now) = about.ok().filter(|about| !about.is_dir()).map(|about| Stamp::of(&about))
        {
            let is_kept = !rehash
                && found.listed.as_ref().is_some_and(|Listed { record, .. }| {
                    record.size == Some(now.size)
                        && record.times == Some((now.modified, now.changed))
                        && algorithms
                            .iter()
                            .all(|hash| record.digests.iter().any(|(of, _)| of == hash))
                });
            match is_kept {
                true => found.kept = Some(path.clone()),
                false => settling.wait(&now),
            }
        }
        if found.kept.is_some() || found.failed.is_some() {
            job.input = Input::Nothing;
        }
    }
    let Job { input, functions, note } = job;
    Job { input, functions, note: UpdateNote { note, ..found } }
}
