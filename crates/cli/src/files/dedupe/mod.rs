//! `manylane dedupe`: groups of files that are equal.
//!
//! ```text
//!  walk ─▶ same size ─▶ same first 16 KiB ─▶ same digest ─▶ groups
//! ```
//!
//! Each step reads only files that the step before left in groups.

use crate::environment::with_environment;
use crate::files::ended::{Ended, has_changed, is_rotten};
use crate::files::recall::{self, for_each_recalled};
use crate::files::running::{OnChange, Running};
use crate::files::summary::Summary;
use crate::files::walk;
use crate::files::wanted::{Asked, By, Wanted};
use crate::measure::tuning;
use crate::terminal::output::{Output, complain};
use crate::terminal::progress::Progress;
use anyhow::bail;
use indicatif::HumanBytes;
use manylane_files::copies::{Candidates, HEAD, Row, Table, Trait, lock};
use manylane_files::hashing::{Done, Function, Functions, Input, Job, Source};
use manylane_files::known::{Answer, computed};
use manylane_files::listing::{Listing, Names, Note};
use manylane_files::lists::lines::{self, Object, hex};
use manylane_files::quote::{Charset, quote, quote_in};
use manylane_files::system::reason;
use manylane_files::system::stamp::Stamp;
use manylane_files::walk::Symlinks;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// List groups of equal files
///
/// Files are compared by size, then by their first 16 KiB, then by the digests of the whole. A file
/// of several names (hard links) is one file, and is listed by the name that is found first.
#[derive(Debug, clap::Args)]
#[command(after_long_help = with_environment(AFTER_HELP))]
#[command(mut_arg("hardlinks", |option| option.hide(true)))]
pub struct Args {
    /// Files, and folders with all below them [default: the current folder]
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,

    /// The hash that files are compared by
    #[arg(short, long, value_name = "NAME", default_value = "sha256")]
    algorithm: String,
    /// Leave out the first file of each group, so that all files listed can be removed
    #[arg(short = 'f', long)]
    omit_first: bool,
    /// End names with NUL, and groups with one more, unless --omit-first is given
    #[arg(short = '0', long, conflicts_with = "json")]
    null: bool,
    /// Print a line of JSON for each group, and one for the totals
    #[arg(long)]
    json: bool,
    /// Do not print the totals
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    walking: walk::Walking,
    #[command(flatten)]
    keeping: recall::Rules,
    #[command(flatten)]
    running: Running,
}

const AFTER_HELP: &str = "\
Examples:
  manylane dedupe                     groups of equal files, an empty line between them
  manylane dedupe --min-size 1M DIR   of large files alone
  manylane dedupe DIR --cache         keep digests, so that the next run is quicker
  manylane dedupe -f0 DIR | xargs -0 rm --     remove all files but the first of each group
  manylane dedupe --json DIR | jq -r 'select(.files).files[1:][].file'

  Empty files are left out unless --min-size 0 is given, and symbolic links unless --symlinks is.

Exit status:
  0  all files were compared, whether some are equal or not
  1  bad usage, a file that could not be read or changed meanwhile, output that failed
  2  BITROT: a file has other content than --cache knows, under the same size and times";

/// Searches the folders for equal files and prints the groups.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.walking.wants_all_names() {
        bail!(
            "--hardlinks all: the names of one file are no equal files, and removing them would \
             free nothing: leave it out"
        );
    }
    tuning::load();
    let algorithms = [args.algorithm.clone()];
    let asked = Asked { algorithms: &algorithms, length: None, key_file: None, by: By::Dedupe };
    let wanted = Wanted::all(&asked)?;
    let functions: Functions = Function::Hash(wanted[0].hash).into();
    let roots = match args.files.is_empty() {
        true => vec![".".into()],
        false => args.files.clone(),
    };
    let options = args.running.options(roots.iter().map(Path::new));
    options.check(&functions)?;
    let memory = args
        .keeping
        .open(&functions, &computed(&wanted[0].name(), roots.iter().map(|root| root.as_ref())))?;
    let mut output = Output::stdout()?;
    let (table, mut ended) = find(&args, roots, &functions)?;
    table.leave_out_unique(Trait::Size)?;
    let table = Arc::new(Mutex::new(table));
    let ignored = args.running.on_change() == OnChange::Ignore;
    let mut summary = Summary::new(&args.running);
    for what in [Trait::Head, Trait::Digest] {
        let candidates = Candidates::new(table.clone(), functions.clone(), what);
        let mut failure = Ok(());
        for_each_recalled(
            candidates,
            &memory,
            &options,
            &mut output,
            |answer, progress, output| {
                let Answer { done, known, rotten } = answer;
                let name = done.job.input.name();
                if rotten {
                    ended = ended.worse(Ended::Rotten);
                    summary.failed();
                    progress.complain(output, &is_rotten(&name))?;
                    return Ok(ControlFlow::Continue(()));
                }
                match (known, &done.job.input) {
                    (true, _) => summary.kept(),
                    (false, Input::Head(..)) => summary.read_in_part(done.seen),
                    (false, _) => summary.read(&name, done.seen),
                }
                let moving = (ignored, options.retries);
                let (set, one) = compared(done, what, moving, &lock(&table), progress, output)?;
                ended = ended.worse(one);
                failure = set;
                Ok(if failure.is_err() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                })
            },
        )?;
        failure?;
        lock(&table).leave_out_unique(what)?;
        if what == Trait::Head {
            lock(&table).digests_from_heads(HEAD)?;
        }
    }
    print(&args, &wanted[0].name(), &lock(&table), &mut output)?;
    output.finish()?;
    summary.say();
    Ok(if memory.finish(true) { ended } else { ended.worse(Ended::Bad) }.into())
}

/// All files that are to be compared.
fn find(
    args: &Args,
    roots: Vec<OsString>,
    functions: &Functions,
) -> anyhow::Result<(Table, Ended)> {
    let walking = args.walking.rules(Symlinks::Skip);
    let names = Names::Arguments(roots.into_iter());
    let listing = Listing::new(names, Some(walking), functions.clone())?;
    let mut listing = listing.without(args.keeping.files()).regular();
    let table = Table::new()?;
    let mut ended = Ended::Good;
    while let Some(Job { input, note, .. }) = listing.next() {
        match note {
            Note::Complaint(complaint) => {
                ended = Ended::Bad;
                complain(&complaint.to_string());
            }
            Note::Remark(remark) => complain(&remark),
            _ => {}
        }
        let path = match input {
            Input::Path(path) | Input::Found(path) => path,
            Input::Stdin => {
                ended = Ended::Bad;
                complain("-: files alone are compared, not standard input; ./- is a file's name");
                continue;
            }
            _ => continue,
        };
        match path.metadata() {
            // An argument named it, since walks yield regular files only.
            Ok(about) if !about.is_file() => {
                ended = Ended::Bad;
                let name = quote(path.as_os_str().as_encoded_bytes());
                complain(&format!("{name}: is no regular file, which alone are compared"));
            }
            Ok(about) if about.len() < args.walking.least_size() => {}
            Ok(about) => {
                let Stamp { id, size, .. } = Stamp::of(&about);
                table.add(&path, id, size)?;
            }
            Err(error) => {
                ended = Ended::Bad;
                let name = quote(path.as_os_str().as_encoded_bytes());
                complain(&format!("{name}: {}", reason(&error)));
            }
        }
    }
    Ok((table, ended))
}

/// Enters the result for a file into the table. Returns whether the table could be written, and how
/// the run ends because of this file. `ignored` says whether a file that changes while it is read
/// is taken nevertheless, `retries` how often such a file was read again.
fn compared(
    done: Done<Row>,
    what: Trait,
    (ignored, retries): (bool, u32),
    table: &Table,
    progress: &Progress,
    output: &mut Output,
) -> Result<(anyhow::Result<()>, Ended), crate::terminal::output::WriteError> {
    let name = done.job.input.name();
    let has_moved = done.has_changed() && !ignored;
    let (id, size) = match done.job.note {
        Ok(row) => row,
        Err(why) => return Ok((Err(anyhow::anyhow!("{why}")), Ended::Bad)),
    };
    let complaint = match &done.digests {
        Err(error) => format!("{}: {}", quote(&name), reason(error)),
        Ok(_) if has_moved || done.seen.is_none_or(|seen| seen.stamp.size != size) => {
            has_changed(&name, retries)
        }
        Ok(digests) => return Ok((table.set(id, what, &digests.concat()), Ended::Good)),
    };
    progress.complain(output, &complaint)?;
    Ok((Ok(()), Ended::Bad))
}

/// Prints the groups.
fn print(args: &Args, algorithm: &str, table: &Table, output: &mut Output) -> anyhow::Result<()> {
    let charset = Charset::of_locale();
    let (mut groups, mut copies, mut bytes) = (0u64, 0u64, 0u64);
    let first = usize::from(args.omit_first);
    table.for_each_group(|size, digest, names| {
        groups += 1;
        copies += names.len() as u64 - 1;
        bytes += size * (names.len() as u64 - 1);
        let mut text = Vec::new();
        if args.json {
            let files = names[first..].iter().map(|name| lines::object(&[("file", name)]).into());
            let mut members = Object::new();
            members.insert("size".into(), size.into());
            members.insert("algorithm".into(), algorithm.into());
            members.insert("digest".into(), hex(digest).into());
            members.insert("files".into(), files.collect::<Vec<serde_json::Value>>().into());
            text = lines::json_object(&[], members);
        } else {
            let end = if args.null { 0 } else { b'\n' };
            if groups > 1 && !args.omit_first {
                text.push(end);
            }
            for name in &names[first..] {
                match args.null {
                    true => text.extend(name),
                    false => text.extend(quote_in(charset, name).bytes()),
                }
                text.push(end);
            }
        }
        Ok(output.write(&text)?)
    })?;
    if args.json {
        let totals = serde_json::json!({"groups": groups, "copies": copies, "bytes": bytes});
        output.write(&lines::json(&[], [("summary", totals)]))?;
    } else if !args.quiet {
        output.flush()?;
        let bytes = HumanBytes(bytes);
        complain(&format!("groups: {groups}, copies: {copies}, size of the copies: {bytes}"));
    }
    Ok(())
}
