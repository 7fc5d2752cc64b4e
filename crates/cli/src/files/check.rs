//! `manylane sum --check`: checks that files still have the checksums in a list.

use crate::files::each::for_each_done;
use crate::files::summary::Summary;
use crate::files::wanted::Wanted;
use crate::terminal::output::{Output, WriteError, complain};
use crate::terminal::paint::{Paint, Shade};
use crate::terminal::progress::Progress;
use manylane_engine::{Algorithm, HashId};
use manylane_files::hashing::{Done, Function, Input, Job, Key, Options, Source};
use manylane_files::lists::checkfile::{Entry, Fault, Faults, Line, Parser, stated_hash};
use manylane_files::lists::lines;
use manylane_files::lists::list_lines::ListLines;
use manylane_files::names::Named;
use manylane_files::quote::{Charset, quote, quote_in};
use manylane_files::system::os;
use manylane_files::system::reason;
use manylane_primitives::catalog::Security;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The options of `--check`: which faults it overlooks, and what it prints.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Rules {
    /// Do not complain about missing files
    #[arg(long, help_heading = CHECKING)]
    pub ignore_missing: bool,
    /// Do not print OK for each good file
    #[arg(long, help_heading = CHECKING, overrides_with_all = ["status", "warn"])]
    pub quiet: bool,
    /// Print nothing; the exit status tells
    #[arg(long, help_heading = CHECKING, overrides_with_all = ["quiet", "warn"])]
    pub status: bool,
    /// Fail for improperly formatted lines too
    #[arg(long, help_heading = CHECKING)]
    pub strict: bool,
    /// Warn about each improperly formatted line
    #[arg(short, long, help_heading = CHECKING, overrides_with_all = ["quiet", "status"])]
    pub warn: bool,
}

const CHECKING: &str = "With --check";

/// How lists are checked.
#[derive(Clone, Copy, Debug)]
pub struct CheckOptions {
    /// The faults that are overlooked, and what is printed.
    pub rules: Rules,
    /// Whether statuses are lines of JSON.
    pub json: bool,
    /// Whether a change of a file while it is read is ignored.
    pub ignored: bool,
}

/// Checks every list; `false` if anything was wrong.
pub fn run(
    lists: &[OsString],
    checks: CheckOptions,
    wanted: &Wanted,
    options: &Options,
    summary: &mut Summary,
    output: &mut Output,
) -> anyhow::Result<bool> {
    // One parser for all lists, as in coreutils: the first untagged line of all decides.
    let parser = Arc::new(Mutex::new(wanted.parser()));
    let charset = Charset::of_locale();
    let paint = Paint::of_stdout();
    let warned = Vec::new();
    let mut check = Check { checks, wanted, options, summary, parser, warned, charset, paint };
    let mut good = true;
    for name in lists {
        good &= check.list(name, output)?;
    }
    Ok(good)
}

/// The state that all lists share.
struct Check<'a> {
    checks: CheckOptions,
    wanted: &'a Wanted,
    options: &'a Options,
    summary: &'a mut Summary,
    parser: Arc<Mutex<Parser>>,
    /// The hashes for which a warning was printed.
    warned: Vec<HashId>,
    /// The character set of status lines.
    charset: Charset,
    paint: Paint,
}

/// Totals over the lines of a list.
#[derive(Default)]
struct Tally {
    /// The list's name where statuses are lines of JSON.
    json: Option<Vec<u8>>,
    /// The character set of status lines.
    charset: Charset,
    paint: Paint,
    ignored: bool,
    /// How often a file that changes while it is read is read again.
    retries: u32,
    formatted: bool,
    matched: bool,
    malformed: u64,
    faults: Faults,
    unread: u64,
    mismatched: u64,
    /// The first listed name that is a directory, and the number of such names.
    directory: String,
    directories: u64,
    /// The list itself could not be read to its end.
    broken: bool,
}

impl Check<'_> {
    fn list(&mut self, name: &OsString, output: &mut Output) -> anyhow::Result<bool> {
        let is_stdin = name == "-";
        let title = quote(if is_stdin { b"standard input" } else { name.as_encoded_bytes() });
        let opened = if is_stdin { os::stdin() } else { os::open_patiently(Path::new(name)) };
        let file = match opened {
            Ok(file) => file,
            Err(error) => {
                output.flush()?;
                complain(&format!("{title}: {}", reason(&error)));
                return Ok(false);
            }
        };
        let list = List {
            lines: ListLines::new(file),
            is_stdin,
            parser: self.parser.clone(),
            hash: self.wanted.hash,
            key: self.wanted.key.clone(),
            is_asked: self.wanted.named,
            own: None,
            ended: false,
        };
        let CheckOptions { rules, json, ignored } = self.checks;
        let json = json.then(|| name.as_encoded_bytes().to_vec());
        let (charset, paint) = (self.charset, self.paint);
        let retries = self.options.retries;
        let mut tally = Tally { json, charset, paint, ignored, retries, ..Tally::default() };
        for_each_done(list, self.options, output, |done, progress, output| match done.job.note {
            Note::Malformed(number, fault) => {
                tally.malformed += 1;
                if let Some(list) = &tally.json
                    && !rules.status
                {
                    let why = fault.to_string();
                    let members = [
                        ("line", number.into()),
                        ("status", "malformed".into()),
                        ("error", why.into()),
                    ];
                    output.write(&lines::json(&[("list", list)], members))?;
                }
                tally.faults.add(fault, number);
                if rules.warn {
                    let tag = self.wanted.tag();
                    let what =
                        format!("{title}: {number}: improperly formatted {tag} checksum line");
                    progress.complain(output, &what)?;
                }
                Ok(())
            }
            Note::Broken(why) => {
                tally.broken = true;
                progress.complain(output, &format!("{title}: {why}"))
            }
            Note::Entry { .. } => {
                self.warn_of(&done.job.functions[0], progress, output)?;
                self.count(&done);
                tally.entry(rules, done, progress, output)
            }
        })?;
        output.flush()?;
        Ok(tally.sum_up(rules, &title))
    }

    /// Counts a file for the summary. A missing file does not count with --ignore-missing.
    fn count(&mut self, done: &Done<Note>) {
        let CheckOptions { rules, ignored, .. } = self.checks;
        match &done.digests {
            Err(error) if rules.ignore_missing && error.kind() == io::ErrorKind::NotFound => {}
            Ok(_) if ignored || !done.has_changed() => {
                self.summary.read(&done.job.input.name(), done.seen);
            }
            _ => self.summary.failed(),
        }
    }

    /// Warns once of a hash that is no longer to be trusted, unless --algorithm named it.
    fn warn_of(
        &mut self,
        function: &Function,
        progress: &Progress,
        output: &mut Output,
    ) -> Result<(), WriteError> {
        let (Function::Hash(hash) | Function::Hmac(hash, _)) = function;
        let id = hash.id();
        if self.checks.rules.status || self.wanted.is_named() || self.warned.contains(&id) {
            return Ok(());
        }
        let entry = id.entry();
        let what = match entry.security {
            Security::Standard | Security::Finalist => return Ok(()),
            Security::Aged(why) => format!("is outdated ({why})"),
            Security::Broken(why) => format!("is broken ({why})"),
        };
        self.warned.push(id);
        let name = entry.name;
        let warning =
            format!("WARNING: {} {what}; -a {name} checks without this warning", entry.title);
        progress.complain(output, &warning)
    }
}

impl Tally {
    /// Compares a file with its line, and prints the status.
    fn entry(
        &mut self,
        rules: Rules,
        done: Done<Note>,
        progress: &Progress,
        output: &mut Output,
    ) -> Result<(), WriteError> {
        let changed = done.has_changed() && !self.ignored;
        let Note::Entry { digest, name } = done.job.note else { return Ok(()) };
        self.formatted = true;
        let bytes = name;
        let name = quote_in(self.charset, &bytes);
        let verdict = match done.digests {
            Err(error) if rules.ignore_missing && error.kind() == io::ErrorKind::NotFound => {
                return Ok(());
            }
            Err(error) => {
                self.unread += 1;
                progress.complain(output, &format!("{name}: {}", reason(&error)))?;
                if error.kind() == io::ErrorKind::IsADirectory {
                    if self.directories == 0 {
                        self.directory.clone_from(&name);
                    }
                    self.directories += 1;
                }
                "FAILED open or read"
            }
            Ok(_) if changed => {
                self.unread += 1;
                progress
                    .complain(output, &crate::files::ended::has_changed(&bytes, self.retries))?;
                "CHANGED"
            }
            Ok(now) if now != [digest] => {
                self.mismatched += 1;
                "FAILED"
            }
            Ok(_) => {
                self.matched = true;
                if rules.quiet {
                    return Ok(());
                }
                "OK"
            }
        };
        if rules.status {
            return Ok(());
        }
        if let Some(list) = &self.json {
            let algorithm = match &done.job.functions[0] {
                Function::Hash(hash) => Named::Hash(*hash),
                Function::Hmac(hash, _) => Named::Hmac(*hash),
            };
            let status = match verdict {
                "OK" => "ok",
                "FAILED" => "failed",
                "CHANGED" => "changed",
                _ => "unreadable",
            };
            let members = [("algorithm", algorithm.name().into()), ("status", status.into())];
            let names = [("list", &list[..]), ("file", &bytes[..])];
            return output.write(&lines::json(&names, members));
        }
        // As coreutils since 9.11: no byte of a list reaches a terminal as a control character.
        let shade = if verdict == "OK" { Shade::Good } else { Shade::Bad };
        let verdict = self.paint.word(verdict, shade);
        output.write(format!("{name}: {verdict}\n").as_bytes())
    }

    /// Prints the warnings of a list; `false` if anything was wrong.
    fn sum_up(&self, rules: Rules, title: &str) -> bool {
        if !rules.status {
            for fault in self.faults.messages() {
                complain(&format!("{title}: {fault}"));
            }
            if self.directories > 0 {
                let name = &self.directory;
                let others = match self.directories - 1 {
                    0 => String::new(),
                    1 => " (and 1 other)".to_owned(),
                    others => format!(" (and {others} others)"),
                };
                complain(&format!(
                    "{title}: {name}{others} is a directory, whose digest --tree makes and --check \
                     does not: compare it with what `manylane sum --tree {name}` prints"
                ));
            }
        }
        if self.broken {
            return false;
        }
        if !self.formatted {
            complain(&format!("{title}: no properly formatted checksum lines found"));
            return false;
        }
        if !rules.status {
            for (count, one, more) in [
                (self.malformed, "line is improperly formatted", "lines are improperly formatted"),
                (self.unread, "listed file could not be read", "listed files could not be read"),
                (
                    self.mismatched,
                    "computed checksum did NOT match",
                    "computed checksums did NOT match",
                ),
            ] {
                if count > 0 {
                    complain(&format!("WARNING: {count} {}", if count == 1 { one } else { more }));
                }
            }
            if rules.ignore_missing && !self.matched {
                complain(&format!("{title}: no file was verified"));
            }
        }
        self.matched
            && self.mismatched == 0
            && self.unread == 0
            && (!rules.strict || self.malformed == 0)
    }
}

/// The meaning of a line of a list.
enum Note {
    Entry {
        digest: Vec<u8>,
        name: Vec<u8>,
    },
    /// The line's number, and why it is not taken.
    Malformed(u64, Fault),
    /// Why the list cannot be read any further.
    Broken(String),
}

/// The jobs that a list of checksums describes.
struct List {
    lines: ListLines,
    is_stdin: bool,
    parser: Arc<Mutex<Parser>>,
    hash: Algorithm,
    key: Option<Key>,
    /// Whether the user named the hash: comments in the list then decide nothing.
    is_asked: bool,
    /// The parser of the lines after a comment of our own that states their hash.
    own: Option<Parser>,
    ended: bool,
}

impl List {
    /// Parses a line. If the user named no hash, a comment of our own that states one decides the
    /// hash of the lines after it.
    ///
    /// # Errors
    /// If the hash that a comment of our own states is unknown.
    fn parse(&mut self, line: &[u8]) -> Result<Line, String> {
        let mut shared = self.parser.lock().expect("the parser never panics");
        if !self.is_asked
            && self.key.is_none()
            && let Some(hash) = stated_hash(line)?
        {
            self.own.get_or_insert_with(|| shared.clone()).set_algorithm(hash);
        }
        Ok(self.own.as_mut().unwrap_or(&mut shared).line(line))
    }

    fn note(&self, note: Note) -> Job<Note> {
        Job { input: Input::Nothing, functions: Function::Hash(self.hash).into(), note }
    }

    /// The last job of a list that cannot be read any further; it says why.
    fn broken(&mut self, why: String) -> Job<Note> {
        self.ended = true;
        self.note(Note::Broken(why))
    }

    fn job(&self, Entry { algorithm, digest, name, .. }: Entry) -> Job<Note> {
        let input = match &name[..] {
            b"-" => Input::Stdin,
            _ => Input::Path(os::name_from_bytes(name.clone()).into()),
        };
        let functions = Function::new(algorithm, self.key.as_ref()).into();
        Job { input, functions, note: Note::Entry { digest, name } }
    }
}

impl Source for List {
    type Note = Note;

    fn next(&mut self) -> Option<Job<Note>> {
        let mut line = Vec::new();
        while !self.ended {
            match self.lines.next(&mut line) {
                Ok(true) => {}
                Ok(false) => break,
                Err(why) => return Some(self.broken(why)),
            }
            let number = self.lines.number();
            let parsed = match self.parse(&line) {
                Ok(parsed) => parsed,
                Err(why) => return Some(self.broken(format!("{number}: {why}"))),
            };
            match parsed {
                Line::Nothing => {}
                Line::Entry(entry) if !(self.is_stdin && entry.name == b"-") => {
                    return Some(self.job(entry));
                }
                // Standard input cannot be both the list and a file that it names.
                Line::Entry(_) => {
                    return Some(self.note(Note::Malformed(number, Fault::Unclear)));
                }
                Line::Malformed(fault) => {
                    let fault = match fault {
                        Fault::Unclear => Fault::of_other_form(&line).unwrap_or(Fault::Unclear),
                        fault => fault,
                    };
                    return Some(self.note(Note::Malformed(number, fault)));
                }
            }
        }
        self.ended = true;
        None
    }

    fn may_wait(&self) -> bool {
        self.lines.may_wait()
    }
}
