//! `manylane sum --tree`: one digest for a folder.

use crate::files::ended::{Ended, has_changed, is_rotten};
use crate::files::recall::for_each_recalled;
use crate::files::summary::Summary;
use crate::terminal::output::{Output, complain};
use manylane_files::hashing::{Functions, Options};
use manylane_files::known::{Answer, Memory};
use manylane_files::quote::quote;
use manylane_files::system::reason;
use manylane_files::tree::{self, Digests, Note, TreeOptions, Walk};
use std::ops::ControlFlow;
use std::path::Path;

/// The digests of a folder, one for each function, or why there are none.
pub type Digested = Result<Vec<Vec<u8>>, String>;

/// The digests of the tree below a folder, one for each function, or why there are none: it is no
/// folder, or something below it could not be read; this has been reported. `takes_changing` says
/// whether files may change while they are read.
///
/// # Errors
/// If a glob of the rules is malformed, or the output fails.
pub fn digests(
    root: &Path,
    functions: &Functions,
    trees: &TreeOptions,
    takes_changing: bool,
    (memory, options): (&Memory, &Options),
    (summary, output): (&mut Summary, &mut Output),
) -> anyhow::Result<(Ended, Digested)> {
    if let Err(why) = tree::expect_folder(root) {
        output.flush()?;
        complain(&format!("{}: {why}", quote(root.as_os_str().as_encoded_bytes())));
        summary.failed();
        return Ok((Ended::Bad, Err(why)));
    }
    let walk = Walk::new(root, trees, functions.clone())?;
    let mut text = Digests::new(functions, trees, options.engine)?;
    let mut ended = Ended::Good;
    for_each_recalled(walk, memory, options, output, |answer, progress, output| {
        let Answer { done, known, rotten } = answer;
        let changed = done.has_changed() && !takes_changing;
        let name = done.job.input.name();
        let entry = match done.job.note {
            Note::Entry(entry) => entry,
            Note::Remark(remark) => {
                progress.complain(output, &remark)?;
                return Ok(ControlFlow::Continue(()));
            }
            Note::Complaint(complaint) => {
                ended = ended.worse(Ended::Bad);
                progress.complain(output, &complaint)?;
                return Ok(ControlFlow::Continue(()));
            }
        };
        let is_file = done.job.input.whole_file().is_some();
        match (known, is_file) {
            (true, _) => summary.kept(),
            (false, true) => summary.read(&name, done.seen),
            _ => {}
        }
        let complaint = match &done.digests {
            Err(error) => Some((format!("{}: {}", quote(&name), reason(error)), Ended::Bad)),
            Ok(_) if changed => Some((has_changed(&name, options.retries), Ended::Bad)),
            Ok(_) if rotten => Some((is_rotten(&name), Ended::Rotten)),
            Ok(_) => None,
        };
        if let Some((complaint, status)) = complaint {
            ended = ended.worse(status);
            summary.failed();
            progress.complain(output, &complaint)?;
            return Ok(ControlFlow::Continue(()));
        }
        text.add(&entry, &done.digests.unwrap_or_default());
        Ok(ControlFlow::Continue(()))
    })?;
    Ok((
        ended,
        match ended {
            Ended::Good => Ok(text.finalize()),
            _ => Err("something below it could not be read, or changed".to_owned()),
        },
    ))
}
