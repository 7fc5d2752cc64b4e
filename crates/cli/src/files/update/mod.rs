//! `manylane sum --update`: a list is brought up to date with the files that it describes.
//!
//! ```text
//!  LIST ─▶ table of files ◀─ new digests ◀─ files whose size or times are not those of the table
//!               │
//!               └─▶ a file beside LIST, on the disk ─▶ renamed to LIST
//! ```
//!
//! LIST does not change before the last step.

mod table;
mod told;

use crate::files::ended::Ended;
use crate::files::recall::{self, for_each_recalled};
use crate::files::running::{OnChange, Running};
use crate::files::summary::Summary;
use crate::files::wanted::{self, Wanted};
use crate::terminal::output::{Output, complain};
use crate::terminal::paint::Paint;
use anyhow::bail;
use manylane_engine::Algorithm;
use manylane_files::hashing::{Function, Functions, Mapped, Options, Source};
use manylane_files::known::{Memory, computed};
use manylane_files::listing::{Listing, Names};
use manylane_files::lists::ledger::Ledger;
use manylane_files::lists::manifest::{ListFormat, Writer};
use manylane_files::quote::quote;
use manylane_files::system::stamp::Settling;
use manylane_files::update::{Draft, Old, UpdateNote, look_up};
use manylane_files::walk::Key;
use manylane_files::walk::Rules;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use table::Table;
use told::{Counts, Telling};

/// The options of an update.
pub struct Updating {
    /// The list that is brought up to date.
    pub list: PathBuf,
    /// Whether files that seem unchanged are read too.
    pub rehash: bool,
    /// Whether files that are gone stay in the list.
    pub keep_missing: bool,
    /// The form that the list is to have.
    pub form: Option<ListFormat>,
    /// Whether algorithms were asked for.
    pub named: bool,
    /// The arguments: files and folders.
    pub files: Vec<OsString>,
    /// A file of names, and the byte that ends each.
    pub files_from: Option<(OsString, u8)>,
    /// The rules of the walk; nothing without --recursive.
    pub walking: Option<Rules>,
    /// The options that say what is remembered between runs.
    pub keeping: recall::Rules,
    /// Threads, engine and order of reading.
    pub running: Running,
    /// Whether a line of JSON is printed for each file.
    pub json: bool,
    /// Whether nothing is printed for files.
    pub quiet: bool,
}

/// Brings the list up to date.
///
/// # Errors
/// If the list cannot be read or written, or something fails that is not the fault of one file.
pub fn run(
    updating: Updating,
    wanted: &[Wanted],
    options: &Options,
    output: &mut Output,
) -> anyhow::Result<Ended> {
    if wanted.iter().any(|one| one.key.is_some()) {
        bail!("--update keeps lists of hashes, not of HMAC: leave it out");
    }
    let title = quote(updating.list.as_os_str().as_encoded_bytes());
    let old = Old::read(&updating.list, &title, Wanted::list_parser(wanted))?;
    let asked = wanted.iter().map(|one| one.hash).collect();
    let algorithms = old.algorithms(asked, updating.named, &title)?;
    let form = old.next_form(updating.form, updating.json, &algorithms, &title)?;
    let converted = old.form.is_some_and(|old| old != form);
    let functions: Functions = algorithms.iter().map(|hash| Function::Hash(*hash)).collect();
    let memory = updating.memory(&functions, wanted)?;
    let ledger = Arc::new(Mutex::new(old.ledger));
    let source = updating.source(functions, &algorithms, ledger.clone())?;
    let writer = Writer::new(form, &algorithms);
    let is_dirty = old.stamp.is_none() || converted;
    let mut table = Table {
        draft: Draft::new((&updating.list, &title), &algorithms, &writer, ledger, is_dirty)?,
        telling: Telling { json: updating.json, quiet: updating.quiet, paint: Paint::of_stdout() },
        takes_changing: updating.running.on_change() == OnChange::Ignore,
        retries: options.retries,
        summary: Summary::new(&updating.running),
        counts: Counts::default(),
        complete: true,
    };
    let mut failure = None;
    for_each_recalled(source, &memory, options, output, |answer, progress, output| {
        failure = table.take(answer, progress, output).err();
        Ok(if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    if let Some(error) = failure {
        return Err(error);
    }
    if table.complete && !updating.keep_missing {
        let roots: Vec<Key> = updating.files.iter().map(|file| Key::of(Path::new(file))).collect();
        table.remove_gone(&roots, &updating.walking.clone().unwrap_or_default(), output)?;
    }
    output.flush()?;
    if old.stamp.is_none() && table.counts.new == 0 && table.counts.failed > 0 {
        complain(&format!("{title}: is not made, as nothing was hashed"));
    } else if table.draft.is_dirty() || table.counts.removed > 0 {
        table.draft.write(old.stamp, old.comments)?;
    }
    table.telling.totals(table.counts, output)?;
    output.flush()?;
    table.summary.say();
    let kept = memory.finish(true);
    Ok(match (table.counts.rotten, kept && table.complete && table.counts.failed == 0) {
        (0, good) => good.into(),
        _ => Ended::Rotten,
    })
}

impl Updating {
    /// Opens what is remembered between runs.
    fn memory(&self, functions: &Functions, wanted: &[Wanted]) -> anyhow::Result<Memory> {
        let list = self.list.clone().into_os_string();
        let names = self.files_from.as_ref().map(|(file, _)| file);
        let files = [&list].into_iter().chain(&self.files).chain(names).map(OsString::as_os_str);
        self.keeping.open(functions, &computed(&wanted::all_names(wanted), files))
    }

    /// The files to be read, each with what the list says of it.
    fn source(
        &self,
        functions: Functions,
        algorithms: &[Algorithm],
        ledger: Arc<Mutex<Ledger>>,
    ) -> anyhow::Result<impl Source<Note = UpdateNote> + use<>> {
        let names = match &self.files_from {
            Some((file, end)) => Names::listed(file, *end)?,
            None => Names::Arguments(self.files.clone().into_iter()),
        };
        let own: Vec<&Path> = self.keeping.files().chain([&*self.list]).collect();
        let listing = Listing::new(names, self.walking.clone(), functions)?.without(own);
        let (rehash, all) = (self.rehash, algorithms.to_owned());
        let mut settling = Settling::default();
        Ok(Mapped::new(listing, move |job| {
            let ledger = ledger.lock().expect("no holder of the lock panics");
            look_up(job, &ledger, &all, rehash, &mut settling)
        }))
    }
}
