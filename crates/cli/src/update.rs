//! `manylane sum --update`: a list is brought up to date with the files that it describes.
//!
//! ```text
//!  LIST ─▶ table of files ◀─ new digests ◀─ files whose size or times are not those of the table
//!               │
//!               └─▶ a file beside LIST, on the disk ─▶ renamed to LIST
//! ```
//!
//! Until the last step LIST is what it was.

use crate::atomic;
use crate::checkfile::Parser;
use crate::ended::{Ended, has_changed, is_rotten};
use crate::files::{Functions, Input, Job, Mapped, Options};
use crate::ledger::{Key, Ledger, Listed, State};
use crate::lines;
use crate::listing::{Listing, Note};
use crate::manifest::{Form, Item, Reader, Record, Writer};
use crate::named_files::Names;
use crate::output::{Output, reason};
use crate::quote::{Charset, quote, quote_in};
use crate::recall::{self, Answer, for_each_recalled};
use crate::running::{OnChange, Running};
use crate::stamp::{Settling, Stamp};
use crate::summary::Summary;
use crate::walk::{self, Presence};
use crate::wanted::{self, Wanted};
use anyhow::bail;
use manylane_engine::Algorithm;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The options of an update.
pub struct Updating {
    pub list: PathBuf,
    /// Whether files that seem unchanged are read too.
    pub rehash: bool,
    /// Whether files that are gone stay in the list.
    pub keep_missing: bool,
    /// The form that the list is to have.
    pub form: Option<Form>,
    /// Whether algorithms were asked for.
    pub named: bool,
    pub files: Vec<OsString>,
    /// A file of names, and the byte that ends each.
    pub files_from: Option<(OsString, u8)>,
    /// With --recursive.
    pub walking: Option<walk::Rules>,
    pub keeping: recall::Rules,
    pub running: Running,
    pub json: bool,
    pub quiet: bool,
}

/// The list before it is brought up to date.
struct Old {
    ledger: Ledger,
    form: Option<Form>,
    /// Comments before the first file.
    comments: Vec<u8>,
    /// The file itself, if there was one.
    stamp: Option<Stamp>,
}

/// What goes with a job.
struct Met {
    note: Note,
    listed: Option<Listed>,
    /// The file, if it is as the list says.
    kept: Option<PathBuf>,
    /// Why the table could not be read.
    failed: Option<String>,
}

/// Numbers of files by what was done with them.
#[derive(Default)]
struct Counts {
    kept: u64,
    new: u64,
    updated: u64,
    removed: u64,
    failed: u64,
    rotten: u64,
}

/// Brings the list up to date.
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
    let old = read(&updating.list, &title, Wanted::list_parser(wanted))?;
    let algorithms = algorithms(&old, &updating, wanted, &title)?;
    let form = updating.form.or(old.form).unwrap_or(match (updating.json, algorithms.len()) {
        (true, _) => Form::Json,
        (false, 1) => Form::Gnu,
        (false, _) => Form::Bsd,
    });
    if form == Form::Gnu && algorithms.len() > 1 {
        bail!("{title}: lines of coreutils hold one digest: give --format bsd");
    }
    let converted = old.form.is_some_and(|old| old != form);
    let functions: Functions =
        algorithms.iter().map(|hash| crate::files::Function::Hash(*hash)).collect();
    let memory = updating.keeping.open(
        &functions,
        &recall::computed(
            &wanted::all_names(wanted),
            [&updating.list.clone().into_os_string()]
                .into_iter()
                .chain(&updating.files)
                .chain(updating.files_from.as_ref().map(|(file, _)| file))
                .map(OsString::as_os_str),
        ),
    )?;
    let roots: Vec<Key> = updating.files.iter().map(|file| Key::of(Path::new(file))).collect();
    let names = match &updating.files_from {
        Some((file, end)) => Names::listed(file, *end)?,
        None => Names::Arguments(updating.files.clone().into_iter()),
    };
    let own: Vec<&Path> = updating.keeping.files().chain([&*updating.list]).collect();
    let listing = Listing::new(names, updating.walking.clone(), functions)?.without(own);
    let Old { ledger, comments, stamp: old_stamp, .. } = old;
    let ledger = Arc::new(Mutex::new(ledger));
    let (looking, rehash, all) = (ledger.clone(), updating.rehash, algorithms.clone());
    let mut settling = Settling::new();
    let source = Mapped::new(listing, move |job| {
        let ledger = looking.lock().expect("no holder of the lock panics");
        meet(job, &ledger, &all, rehash, &mut settling)
    });
    let walking = updating.walking.clone().unwrap_or_default();
    let ignored = updating.running.on_change() == OnChange::Ignore;
    let mut summary = Summary::new(&updating.running);
    let mut counts = Counts::default();
    let mut complete = true;
    let mut dirty = false;
    let mut failure = None;
    // Checked first, because a list that cannot be written would lose hours of hashing.
    let mut is_writable = old_stamp.is_none() || converted;
    if is_writable {
        atomic::probe(&updating.list)?;
    }
    let say = |name: &[u8], word: &str, output: &mut Output| match (updating.json, updating.quiet) {
        (_, true) => Ok(()),
        (true, _) => {
            let status = [("status", word.to_ascii_lowercase().into())];
            output.write(&lines::json(&[("file", name)], status))
        }
        _ => {
            let name = quote_in(Charset::of_locale(), name);
            output.write(format!("{name}: {word}\n").as_bytes())
        }
    };
    for_each_recalled(source, &memory, options, output, |answer, progress, output| {
        let Answer { done, known, rotten } = answer;
        let changed = done.has_changed() && !ignored;
        let Met { note, listed, kept, failed } = done.job.note;
        if let Some(why) = failed {
            failure = Some(anyhow::anyhow!("{why}"));
            return Ok(ControlFlow::Break(()));
        }
        let ledger = ledger.lock().expect("no holder of the lock panics");
        let mark = |listed: &Option<Listed>, state| match listed {
            Some(listed) => ledger.mark(listed.id, state),
            None => Ok(()),
        };
        let name = done.job.input.name();
        match (note, done.digests) {
            (Note::Later, _) => {}
            (Note::Remark(remark), _) => progress.complain(output, &remark)?,
            (Note::Complaint(complaint), _) => {
                complete = false;
                progress.complain(output, &complaint)?;
            }
            _ if kept.is_some() => {
                counts.kept += 1;
                summary.kept();
                failure = mark(&listed, State::Good).err();
            }
            (_, Err(error)) => {
                // A file that vanished since it was found is gone.
                if error.kind() != io::ErrorKind::NotFound || listed.is_none() {
                    counts.failed += 1;
                    summary.failed();
                    failure = mark(&listed, State::Other).err();
                    let reason = reason(&error);
                    progress.complain(output, &format!("{}: {reason}", quote(&name)))?;
                }
            }
            (_, Ok(_)) if changed => {
                counts.failed += 1;
                summary.failed();
                failure = mark(&listed, State::Other).err();
                progress.complain(output, &has_changed(&name))?;
            }
            (_, Ok(digests)) => {
                match known {
                    true => summary.kept(),
                    false => summary.read(&name, done.seen),
                }
                let path = PathBuf::from(crate::os::name_from_bytes(name.clone()));
                let now =
                    done.seen.map(|seen| (seen.stamp, seen.stamp.unsettled(seen.begin).is_none()));
                let record = Record {
                    name: name.clone(),
                    digests: algorithms.iter().copied().zip(digests).collect(),
                    size: now.map(|(stamp, _)| stamp.size),
                    times: now
                        .filter(|(_, settled)| *settled)
                        .map(|(stamp, _)| (stamp.modified, stamp.changed)),
                };
                let differs = listed.as_ref().is_some_and(|old| differ(&old.record, &record));
                let same_times = listed.as_ref().zip(now).is_some_and(|(old, (now, _))| {
                    let times = old.record.times.map(|(modified, _)| modified);
                    old.record.size == Some(now.size) && times == Some(now.modified)
                });
                if rotten || differs && same_times {
                    counts.rotten += 1;
                    failure = mark(&listed, State::Other).err();
                    progress.complain(output, &is_rotten(&name))?;
                    say(&name, "BITROT", output)?;
                } else {
                    let key = Key::of(&path);
                    let mut put = || -> anyhow::Result<()> {
                        if !std::mem::replace(&mut is_writable, true) {
                            atomic::probe(&updating.list)?;
                        }
                        ledger.put(&key, &record)?;
                        let id = ledger.find(&key)?.map(|listed| listed.id);
                        id.map_or(Ok(()), |id| ledger.mark(id, State::Good))
                    };
                    failure = put().err();
                    dirty = true;
                    if failure.is_some() {
                        return Ok(ControlFlow::Break(()));
                    }
                    match &listed {
                        None => {
                            counts.new += 1;
                            say(&name, "NEW", output)?;
                        }
                        Some(_) if differs => {
                            counts.updated += 1;
                            say(&name, "CHANGED", output)?;
                        }
                        Some(_) => counts.kept += 1,
                    }
                }
            }
        }
        Ok(if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    if let Some(error) = failure {
        return Err(error);
    }
    let ledger = ledger.lock().expect("no holder of the lock panics");
    if complete && !updating.keep_missing {
        let gone = mark_gone(&ledger, &roots, &walking)?;
        let found = counts.kept + counts.new + counts.updated + counts.failed + counts.rotten;
        if gone > 0 && found == 0 {
            let left = match gone {
                1 => "the file that it names there is gone".to_owned(),
                _ => format!("none of the {gone} files that it names there is left"),
            };
            bail!(
                "{title}: {left}: is a disk not mounted? Nothing was changed; remove {title} to \
                 begin anew, or give --keep-missing"
            );
        }
        if gone > 0 && !is_writable {
            atomic::probe(&updating.list)?;
        }
        counts.removed = gone;
        ledger.for_each(Some(State::Missing), false, |listed| {
            Ok(say(&listed.record.name, "REMOVED", output)?)
        })?;
        ledger.remove(State::Missing)?;
    }
    output.flush()?;
    if dirty || converted || counts.removed > 0 || old_stamp.is_none() {
        let writer = Writer::new(form, &algorithms);
        write(&updating.list, &title, old_stamp, &comments, &ledger, &writer)?;
    }
    if !updating.quiet {
        let Counts { kept, new, updated, removed, failed, rotten } = counts;
        if updating.json {
            let totals = serde_json::json!({"kept": kept, "new": new, "changed": updated,
                "removed": removed, "failed": failed, "bitrot": rotten});
            output.write(&lines::json(&[], [("summary", totals)]))?;
        } else {
            let mut line =
                format!("SUMMARY: {kept} kept, {new} NEW, {updated} CHANGED, {removed} REMOVED");
            for (count, word) in [(failed, "without a digest"), (rotten, "BITROT")] {
                if count > 0 {
                    line += &format!(", {count} {word}");
                }
            }
            output.write((line + "\n").as_bytes())?;
        }
    }
    output.flush()?;
    summary.say();
    let kept = memory.finish(true);
    Ok(match (counts.rotten, kept && complete && counts.failed == 0) {
        (0, good) => good.into(),
        _ => Ended::Rotten,
    })
}

/// Reads the list, if there is one.
fn read(list: &Path, title: &str, parser: Parser) -> anyhow::Result<Old> {
    let ledger = Ledger::new()?;
    let about = match fs::metadata(list) {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Old { ledger, form: None, comments: Vec::new(), stamp: None });
        }
        Err(error) => bail!("{title}: {}", reason(&error)),
    };
    if !about.is_file() {
        bail!("{title}: is no regular file, which alone can be replaced; name another");
    }
    let mut reader = Reader::open(list, parser)?;
    let mut comments = Vec::new();
    while let Some(item) = reader.next()? {
        match item {
            Item::Comment(line) => comments.extend(line),
            Item::Fault(number, why) => bail!(
                "{title}: {number}: {why}; mend this line or take it out first, as a new list \
                 would lose it"
            ),
            Item::Record(record) => {
                let path = PathBuf::from(crate::os::name_from_bytes(record.name.clone()));
                if !ledger.list(&Key::of(&path), &record)? {
                    bail!(
                        "{title}: names {} twice, with different digests: remove the wrong one",
                        quote(&record.name)
                    );
                }
            }
        }
    }
    Ok(Old { ledger, form: reader.form(), comments, stamp: Some(Stamp::of(&about)) })
}

/// What is computed: the algorithms of the list, and those that were asked for.
fn algorithms(
    old: &Old,
    updating: &Updating,
    wanted: &[Wanted],
    title: &str,
) -> anyhow::Result<Vec<Algorithm>> {
    let listed = old.ledger.algorithms()?;
    let asked: Vec<Algorithm> = wanted.iter().map(|one| one.hash).collect();
    if listed.is_empty() {
        return Ok(asked);
    }
    if !updating.named {
        return Ok(listed);
    }
    if let Some(lost) = listed.iter().find(|listed| !asked.contains(listed)) {
        bail!(
            "{title}: has digests of {lost}, which -a leaves out and which would be lost: leave -a \
             out, add {lost} to it, or name another list"
        );
    }
    Ok(asked)
}

/// Whether a digest that both have is another one.
fn differ(old: &Record, new: &Record) -> bool {
    let other = |(of, digest): &(Algorithm, Vec<u8>)| {
        new.digests.iter().any(|(algorithm, now)| algorithm == of && now != digest)
    };
    old.digests.iter().any(other)
}

/// Looks up what the list says of a file that was found.
fn meet(
    mut job: Job<Note>,
    ledger: &Ledger,
    algorithms: &[Algorithm],
    rehash: bool,
    settling: &mut Settling,
) -> Job<Met> {
    let mut met = Met { note: Note::File, listed: None, kept: None, failed: None };
    if let Input::Path(path) | Input::Link(path) = &job.input {
        match ledger.find(&Key::of(path)) {
            Ok(listed) => met.listed = listed,
            Err(error) => met.failed = Some(error.to_string()),
        }
        let about = match job.input {
            Input::Path(_) => path.metadata(),
            _ => path.symlink_metadata(),
        };
        if let Some(now) = about.ok().filter(|about| !about.is_dir()).map(|about| Stamp::of(&about))
        {
            let is_kept = !rehash
                && met.listed.as_ref().is_some_and(|Listed { record, .. }| {
                    record.size == Some(now.size)
                        && record.times == Some((now.modified, now.changed))
                        && algorithms
                            .iter()
                            .all(|hash| record.digests.iter().any(|(of, _)| of == hash))
                });
            match is_kept {
                true => met.kept = Some(path.clone()),
                false => settling.wait(&now),
            }
        }
        if met.kept.is_some() || met.failed.is_some() {
            job.input = Input::Nothing;
        }
    }
    let Job { input, functions, note } = job;
    Job { input, functions, note: Met { note, ..met } }
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

/// Writes the list in the place of the old one, if that is still what was read.
fn write(
    list: &Path,
    title: &str,
    read: Option<Stamp>,
    comments: &[u8],
    ledger: &Ledger,
    writer: &Writer,
) -> anyhow::Result<()> {
    let check = || {
        let now = fs::metadata(list).ok().map(|about| Stamp::of(&about));
        if now != read {
            bail!(
                "{title}: another program has written it meanwhile; nothing was changed, run again"
            );
        }
        Ok(())
    };
    check()?;
    atomic::replace(list, |file| {
        let mut text = comments.to_owned();
        writer.begin(&mut text);
        ledger.for_each(None, true, |listed| {
            if let Err(why) = writer.record(&listed.record, &mut text) {
                bail!("{title}: {}: {why}", quote(&listed.record.name));
            }
            file.write_all(&text)?;
            text.clear();
            Ok(())
        })?;
        file.write_all(&text)?;
        check()
    })
}
