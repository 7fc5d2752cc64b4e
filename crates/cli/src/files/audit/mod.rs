//! `manylane audit`: compares a folder with a list of checksums.

mod load;
mod report;

use crate::environment::with_environment;
use crate::files::listing::{Listing, Note};
use crate::files::named_files::Names;
use crate::files::recall::{self, Answer, for_each_recalled};
use crate::files::running::Running;
use crate::files::summary::Summary;
use crate::files::walk::{self, Presence};
use crate::files::wanted::{Asked, By};
use crate::measure::tuning;
use crate::terminal::output::{Output, complain};
use anyhow::bail;
use load::load;
use manylane_files::hashing::{Done, Function, Functions, Input, Job, Mapped, Source};
use manylane_files::lists::ledger::{Ledger, Listed, State};
use manylane_files::quote::quote;
use manylane_files::system::reason;
use manylane_files::walk::Key;
use report::{Kind, Report, Shown};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// Compare a folder with a list of checksums: changed, moved, new, missing and duplicate files
///
/// LIST is of sha256sum and its like, of BSD's programs, of hashdeep, of rhash, or of this program
/// (--json). DIR is the folder that it describes.
#[derive(Debug, clap::Args)]
#[command(after_long_help = with_environment(AFTER_HELP))]
pub struct Args {
    /// The list; - is standard input
    #[arg(value_name = "LIST")]
    list: PathBuf,
    /// The folder. Names in LIST are relative to the current folder if some of them then lie in
    /// DIR, else to DIR
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,

    /// The algorithm of lines that do not name one [default: sha256]
    #[arg(short, long, value_name = "NAME")]
    algorithm: Option<String>,
    /// Bits of the digest, for hashes of any length (SHAKE, Skein) and families (sha2, sha3)
    #[arg(short, long, value_name = "BITS")]
    length: Option<usize>,
    #[command(flatten)]
    shown: Shown,
    /// Where LIST has sizes, read no file whose size differs from that in LIST, and no unlisted
    /// file whose size no listed file has
    #[arg(long)]
    by_size_first: bool,
    /// End at the first difference. A file that is not listed is then NEW, even if it was moved.
    /// With --by-size-first all sizes are looked at before any file is read
    #[arg(long)]
    fail_fast: bool,

    #[command(flatten)]
    walking: walk::Rules,
    #[command(flatten)]
    keeping: recall::Rules,
    #[command(flatten)]
    running: Running,
}

const AFTER_HELP: &str = "\
Examples:
  manylane sum -r DIR > LIST          a list of a folder
  manylane audit LIST DIR             what is different now
  manylane audit -q LIST DIR          the differences alone
  manylane audit --json LIST DIR | jq -r 'select(.status == \"missing\").file'
  manylane audit --allow new,duplicate LIST DIR    is everything still there?
  manylane audit --by-size-first --fail-fast LIST DIR    the quickest no
  manylane audit audit.hashdeep /data a list of hashdeep

Words:
  OK         as the list says
  CHANGED    other content than the list says
  BITROT     other content, although size and time of modification are those in the list, which
             `manylane sum --update` writes beside each file
  MOVED      not in the list, with the content of a listed file that is missing or has changed
  DUPLICATE  not in the list, with the content of a listed file that is there
  NEW        not in the list, with other content
  MISSING    in the list and nowhere else
  UNREADABLE could not be read, or was CHANGED while it was read

Exit status:
  0  nothing but OK and what is allowed
  1  differences, bad usage, a file or list that could not be read, output that failed
  2  BITROT";

/// The note that accompanies a job of an audit.
struct AuditNote {
    note: Note,
    /// The record of the file in the list, if there is one.
    listed: Option<Listed>,
    /// The file, if its size alone shows that its content differs.
    other_size: Option<PathBuf>,
    /// The reason for which the table of the list could not be read.
    failed: Option<String>,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    tuning::load();
    let algorithms: Vec<String> = args.algorithm.iter().cloned().collect();
    let asked =
        Asked { algorithms: &algorithms, length: args.length, key_file: None, by: By::Audit };
    args.keeping.refuse_other_caches()?;
    let (ledger, algorithms, names_them) = load(&args.list, &args.folder, &asked)?;
    let functions: Functions = algorithms.iter().map(|hash| Function::Hash(*hash)).collect();
    let mut options = args.running.options([&*args.folder]);
    options.check(&functions)?;
    let memory = args.keeping.open(
        &functions,
        &recall::computed("an audit", [args.list.as_os_str(), args.folder.as_os_str()]),
    )?;
    let listing = args.listing(functions.clone())?;
    let ledger = Arc::new(Mutex::new(ledger));
    let (looking, by_size) = (ledger.clone(), args.by_size_first);
    let source = Mapped::new(listing, move |job| {
        look_up(job, &looking.lock().expect("no holder of the lock panics"), by_size)
    });
    // The sizes of files that are not read are not needed.
    options.sizes &= !args.by_size_first;
    let mut output = Output::stdout()?;
    let mut report = Report::new(args.shown.clone());
    let mut summary = Summary::new(&args.running);
    if args.fail_fast && args.by_size_first {
        let found = args.listing(functions)?;
        let ledger = ledger.lock().expect("no holder of the lock panics");
        if let Some((path, kind)) = first_of_other_size(found, &ledger, &report)? {
            report.say(path.as_os_str().as_encoded_bytes(), kind, None, &mut output)?;
            report.sum_up(0, &mut output)?;
            output.finish()?;
            summary.say();
            _ = memory.finish(true);
            return Ok(ExitCode::FAILURE);
        }
    }
    let mut failure = None;
    let mut incomplete = false;
    for_each_recalled(source, &memory, &options, &mut output, |answer, progress, output| {
        match &answer.done.job.note {
            AuditNote { note: Note::Later, .. } => return Ok(ControlFlow::Continue(())),
            AuditNote { note: Note::Remark(_), .. } if args.shown.status => {}
            AuditNote { note: Note::Remark(remark), .. } => progress.complain(output, remark)?,
            AuditNote { note: Note::Complaint(complaint), .. } => {
                incomplete = true;
                progress.complain(output, complaint)?;
            }
            _ => {}
        }
        if let (Some(_), Err(error)) = (answer.done.job.input.whole_file(), &answer.done.digests) {
            let name = answer.done.job.input.name();
            progress.complain(output, &format!("{}: {}", quote(&name), reason(error)))?;
        } else if answer.done.has_changed() {
            let name = answer.done.job.input.name();
            progress.complain(output, &crate::files::ended::has_changed(&name, options.retries))?;
        }
        let ledger = ledger.lock().expect("no holder of the lock panics");
        let judged = judge(answer, &ledger, args.fail_fast, &mut report, &mut summary, output);
        if let Err(error) = judged {
            failure = Some(error);
            return Ok(ControlFlow::Break(()));
        }
        let enough = args.fail_fast && (incomplete || report.has_failed());
        Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    if let Some(error) = failure {
        return Err(error);
    }
    let ledger = ledger.lock().expect("no holder of the lock panics");
    let mut outside = 0;
    if !(args.fail_fast && (incomplete || report.has_failed())) {
        outside = absent(&ledger, &args, &mut report, &mut output)?;
    }
    report.sum_up(outside, &mut output)?;
    output.finish()?;
    let differ = report.count(Kind::Ok) == 0 && report.count(Kind::Changed) > 0;
    let is_doubtful = !names_them && args.algorithm.is_none() && !args.fail_fast;
    if differ && is_doubtful && !args.shown.status {
        complain(
            "no file has the digest that LIST says: is LIST of another hash? BLAKE3's digests \
             (b3sum) have as many digits as SHA-256's and are not computed here; -a names others",
        );
    }
    summary.say();
    let kept = memory.finish(true);
    let good = kept && !incomplete && !report.has_failed();
    Ok(match report.count(Kind::Bitrot) {
        0 if good => ExitCode::SUCCESS,
        0 => ExitCode::FAILURE,
        _ => ExitCode::from(crate::files::ended::ROTTEN),
    })
}

impl Args {
    /// The files of the folder.
    fn listing(&self, functions: Functions) -> anyhow::Result<Listing> {
        let names = Names::Arguments(vec![self.folder.clone().into_os_string()].into_iter());
        let listing = Listing::new(names, Some(self.walking.clone()), functions)?;
        let own = self.keeping.files().chain([&*self.list]);
        Ok(listing.without(own).regular())
    }
}

/// The first file whose size alone is a failure. None is read.
fn first_of_other_size(
    mut found: Listing,
    ledger: &Ledger,
    report: &Report,
) -> anyhow::Result<Option<(PathBuf, Kind)>> {
    while let Some(job) = found.next() {
        let AuditNote { listed, other_size, failed, .. } = look_up(job, ledger, true).note;
        if let Some(why) = failed {
            bail!("{why}");
        }
        let kind = if listed.is_some() { Kind::Changed } else { Kind::New };
        if let Some(path) = other_size.filter(|_| report.is_failure(kind)) {
            return Ok(Some((path, kind)));
        }
    }
    Ok(None)
}

/// Looks up the record of a file that was found.
fn look_up(mut job: Job<Note>, ledger: &Ledger, by_size: bool) -> Job<AuditNote> {
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

/// Reports on a file that was found.
fn judge(
    answer: Answer<AuditNote>,
    ledger: &Ledger,
    fail_fast: bool,
    report: &mut Report,
    summary: &mut Summary,
    output: &mut Output,
) -> anyhow::Result<()> {
    let Answer { done, known, rotten } = answer;
    let changed = done.has_changed();
    let Done { job, digests, seen } = done;
    let AuditNote { listed, other_size, failed, .. } = job.note;
    if let Some(why) = failed {
        bail!("{why}");
    }
    let input = match other_size {
        Some(path) => {
            let kind = if listed.is_some() { Kind::Changed } else { Kind::New };
            if let Some(Listed { id, .. }) = listed {
                ledger.mark(id, State::Other)?;
            }
            return report.say(path.as_os_str().as_encoded_bytes(), kind, None, output);
        }
        None if matches!(job.input, Input::Nothing | Input::Stdin) => return Ok(()),
        None => job.input,
    };
    let name = input.name();
    match known {
        true => summary.kept(),
        false => summary.read(&name, seen),
    }
    let kind = match (&digests, &listed) {
        _ if changed => Kind::Unreadable,
        (Err(error), Some(_)) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        (Err(_), _) => Kind::Unreadable,
        (Ok(digests), Some(Listed { record, .. })) => {
            let same = record.digests.iter().map(|(_, digest)| digest).eq(digests);
            let then = record.size.zip(record.times).map(|(size, (modified, _))| (size, modified));
            let now = seen.map(|seen| (seen.stamp.size, seen.stamp.modified));
            match same {
                true => Kind::Ok,
                false if rotten || then.is_some() && then == now => Kind::Bitrot,
                false => Kind::Changed,
            }
        }
        (Ok(_), None) if fail_fast => Kind::New,
        (Ok(digests), None) => {
            let digests = job.functions.iter().zip(digests).map(|(function, digest)| {
                let (Function::Hash(hash) | Function::Hmac(hash, _)) = function;
                (*hash, digest.clone())
            });
            return ledger.found(&name, &digests.collect::<Vec<_>>());
        }
    };
    if kind == Kind::Unreadable {
        summary.failed();
    }
    if let Some(Listed { id, .. }) = listed {
        let state = match kind {
            Kind::Ok => State::Good,
            Kind::Unreadable => State::Unread,
            _ => State::Other,
        };
        ledger.mark(id, state)?;
    }
    report.say(&name, kind, None, output)
}

/// Reports on listed files that were not found, and says where unlisted files came from. Returns
/// the number of listed files that lie outside the folder.
fn absent(
    ledger: &Ledger,
    args: &Args,
    report: &mut Report,
    output: &mut Output,
) -> anyhow::Result<u64> {
    let (within, mut outside) = (Key::of(&args.folder), 0);
    ledger.for_each(Some(State::Unmet), false, |listed| {
        let name = &listed.record.name;
        if !listed.key.is_in(&within) {
            outside += 1;
            return Ok(());
        }
        match args.walking.presence(&listed.key.path()) {
            Presence::LeftOut => outside += 1,
            Presence::Gone => ledger.mark(listed.id, State::Missing)?,
            Presence::Replaced => {
                ledger.mark(listed.id, State::Other)?;
                report.say(name, Kind::Changed, None, output)?;
            }
            Presence::Unknown => {
                ledger.mark(listed.id, State::Unread)?;
                report.say(name, Kind::Unreadable, None, output)?;
            }
        }
        Ok(())
    })?;
    ledger.for_each_found(|name, same| match same {
        None => report.say(name, Kind::New, None, output),
        Some((id, state, other)) => {
            let moved = matches!(state, State::Missing | State::Other);
            if moved {
                ledger.mark(id, State::Moved)?;
            }
            report.say(
                name,
                if moved { Kind::Moved } else { Kind::Duplicate },
                Some(&other),
                output,
            )
        }
    })?;
    let mut first = true;
    ledger.for_each(Some(State::Missing), false, |listed| {
        match args.fail_fast && !std::mem::take(&mut first) {
            true => Ok(()),
            false => report.say(&listed.record.name, Kind::Missing, None, output),
        }
    })?;
    Ok(outside)
}
