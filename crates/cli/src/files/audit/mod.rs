//! `manylane audit`: compares a folder with a list of checksums.

mod report;

use crate::environment::with_environment;
use crate::files::recall::{self, for_each_recalled};
use crate::files::running::Running;
use crate::files::summary::Summary;
use crate::files::walk;
use crate::files::wanted::{Asked, By, Wanted};
use crate::measure::tuning;
use crate::terminal::output::{Output, complain};
use crate::terminal::progress;
use anyhow::bail;
use manylane_files::audit::{AuditNote, Loaded, Verdict, VerdictKind, load, look_up};
use manylane_files::hashing::{Done, Function, Functions, Input, Mapped, Source};
use manylane_files::known::{Answer, computed};
use manylane_files::listing::{Listing, Names, Note};
use manylane_files::lists::ledger::{Ledger, Listed, State};
use manylane_files::quote::quote;
use manylane_files::system::reason;
use manylane_files::walk::Key;
use manylane_files::walk::{Presence, Symlinks};
use report::{Report, Shown};
use std::ops::ControlFlow;
use std::path::PathBuf;
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
    walking: walk::Walking,
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

/// Loads the list, hashes the folder's files and prints what differs.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    tuning::load();
    let algorithms: Vec<String> = args.algorithm.iter().cloned().collect();
    let asked =
        Asked { algorithms: &algorithms, length: args.length, key_file: None, by: By::Audit };
    if args.shown.status {
        progress::hide();
    }
    args.keeping.refuse_other_caches()?;
    let parser = Wanted::list_parser(&Wanted::all(&asked)?);
    let Loaded { ledger, algorithms, names_them } =
        load(&args.list, &args.folder, parser, complain)?;
    let functions: Functions = algorithms.iter().map(|hash| Function::Hash(*hash)).collect();
    let mut options = args.running.options([&*args.folder]);
    options.check(&functions)?;
    let memory = args.keeping.open(
        &functions,
        &computed("an audit", [args.list.as_os_str(), args.folder.as_os_str()]),
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
                progress.complain(output, &complaint.to_string())?;
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
    let differ = report.count(VerdictKind::Ok) == 0 && report.count(VerdictKind::Changed) > 0;
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
    Ok(match report.count(VerdictKind::Bitrot) {
        0 if good => ExitCode::SUCCESS,
        0 => ExitCode::FAILURE,
        _ => ExitCode::from(crate::files::ended::ROTTEN),
    })
}

impl Args {
    /// The files of the folder.
    fn listing(&self, functions: Functions) -> anyhow::Result<Listing> {
        let names = Names::Arguments(vec![self.folder.clone().into_os_string()].into_iter());
        let listing = Listing::new(names, Some(self.walking.rules(Symlinks::Files)), functions)?;
        let own = self.keeping.files().chain([&*self.list]);
        Ok(listing.without(own).regular())
    }
}

/// The first file that fails by its size alone, and its verdict. No file is read.
fn first_of_other_size(
    mut found: Listing,
    ledger: &Ledger,
    report: &Report,
) -> anyhow::Result<Option<(PathBuf, VerdictKind)>> {
    while let Some(job) = found.next() {
        let AuditNote { listed, other_size, failed, .. } = look_up(job, ledger, true).note;
        if let Some(why) = failed {
            bail!("{why}");
        }
        let kind = VerdictKind::by_size(listed.as_ref());
        if let Some(path) = other_size.filter(|_| report.is_failure(kind)) {
            return Ok(Some((path, kind)));
        }
    }
    Ok(None)
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
            let kind = VerdictKind::by_size(listed.as_ref());
            if let Some(Listed { id, .. }) = listed {
                ledger.mark(id, State::Other)?;
            }
            return report.say(path.as_os_str().as_encoded_bytes(), kind, None, output);
        }
        None if matches!(job.input, Input::Nothing | Input::Stdin) => return Ok(()),
        None => job.input,
    };
    let name = input.name();
    summary.hashed(known, &name, seen);
    let verdict = Verdict::of(&digests, listed.as_ref(), seen.as_ref(), (changed, rotten));
    let kind = match verdict {
        Verdict::Kind(kind) => kind,
        Verdict::Gone => return Ok(()),
        Verdict::Unlisted if fail_fast => VerdictKind::New,
        Verdict::Unlisted => {
            let digests = job.functions.iter().zip(digests?).map(|(function, digest)| {
                let (Function::Hash(hash) | Function::Hmac(hash, _)) = function;
                (*hash, digest)
            });
            return ledger.found(&name, &digests.collect::<Vec<_>>());
        }
    };
    if kind == VerdictKind::Unreadable {
        summary.failed();
    }
    if let Some(Listed { id, .. }) = listed {
        ledger.mark(id, kind.state())?;
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
    let rules = args.walking.rules(Symlinks::Files);
    ledger.for_each(Some(State::Unmet), false, |listed| {
        let name = &listed.record.name;
        if !listed.key.is_in(&within) {
            outside += 1;
            return Ok(());
        }
        match rules.presence(&listed.key.path()) {
            Presence::LeftOut => outside += 1,
            Presence::Gone => ledger.mark(listed.id, State::Missing)?,
            Presence::Replaced => {
                ledger.mark(listed.id, State::Other)?;
                report.say(name, VerdictKind::Changed, None, output)?;
            }
            Presence::Unknown => {
                ledger.mark(listed.id, State::Unread)?;
                report.say(name, VerdictKind::Unreadable, None, output)?;
            }
        }
        Ok(())
    })?;
    ledger.for_each_found(|name, same| match same {
        None => report.say(name, VerdictKind::New, None, output),
        Some((id, state, other)) => {
            let moved = matches!(state, State::Missing | State::Other);
            if moved {
                ledger.mark(id, State::Moved)?;
            }
            report.say(
                name,
                if moved { VerdictKind::Moved } else { VerdictKind::Duplicate },
                Some(&other),
                output,
            )
        }
    })?;
    let mut first = true;
    ledger.for_each(Some(State::Missing), false, |listed| {
        match args.fail_fast && !std::mem::take(&mut first) {
            true => Ok(()),
            false => report.say(&listed.record.name, VerdictKind::Missing, None, output),
        }
    })?;
    Ok(outside)
}
