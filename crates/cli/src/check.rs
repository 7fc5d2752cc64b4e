//! `manylane sum --check`: do the files still have the checksums in a list?

use crate::checkfile::{Entry, Line, Parser};
use crate::files::{Done, Function, Input, Job, Key, Options, Source};
use crate::output::{Output, WriteError, complain, reason};
use crate::progress::Progress;
use crate::quote::{escape_into, quote};
use crate::sum::{Args, for_each_done};
use crate::{names, os};
use manylane_engine::Algorithm;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The longest line that may be good, in bytes: a digest, a name, and room to spare.
const MAX_LINE: u64 = 1 << 20;

/// Checks every list; `false` if anything was wrong.
pub fn run(
    args: &Args,
    hash: Algorithm,
    key: Option<Key>,
    options: &Options,
    output: &mut Output,
) -> anyhow::Result<bool> {
    // One parser for all lists, as in coreutils: the first untagged line of all decides.
    let parser = Parser::new(hash, args.any_length(hash)).keyed(key.is_some());
    let parser = Arc::new(Mutex::new(parser));
    let mut good = true;
    for name in args.lists() {
        good &= check_list(args, &name, (hash, &key), &parser, options, output)?;
    }
    Ok(good)
}

/// What the lines of a list added up to.
#[derive(Default)]
struct Tally {
    formatted: bool,
    matched: bool,
    malformed: u64,
    unread: u64,
    mismatched: u64,
    /// The list itself could not be read to its end.
    broken: bool,
}

fn check_list(
    args: &Args,
    name: &OsString,
    (hash, key): (Algorithm, &Option<Key>),
    parser: &Arc<Mutex<Parser>>,
    options: &Options,
    output: &mut Output,
) -> anyhow::Result<bool> {
    let is_stdin = name == "-";
    let title = quote(if is_stdin { b"standard input" } else { name.as_encoded_bytes() });
    let opened = if is_stdin { os::stdin() } else { File::open(Path::new(name)) };
    let file = match opened {
        Ok(file) => file,
        Err(error) => {
            output.flush()?;
            complain(&format!("{title}: {}", reason(&error)));
            return Ok(false);
        }
    };
    let ready = file.metadata().is_ok_and(|about| about.is_file());
    let list = List {
        lines: BufReader::with_capacity(64 * 1024, file),
        ready,
        is_stdin,
        number: 0,
        parser: parser.clone(),
        hash,
        key: key.clone(),
        ended: false,
    };
    let mut tally = Tally::default();
    for_each_done(list, options, output, |done, progress, output| match done.job.note {
        Note::Malformed(number) => {
            tally.malformed += 1;
            if args.warn {
                let tag = names::tag(hash, key.is_some());
                let what = format!("{title}: {number}: improperly formatted {tag} checksum line");
                progress.complain(output, &what)?;
            }
            Ok(())
        }
        Note::Broken(error) => {
            tally.broken = true;
            progress.complain(output, &format!("{title}: {}", reason(&error)))
        }
        Note::Entry { .. } => tally.entry(args, done, progress, output),
    })?;
    output.flush()?;
    Ok(tally.sum_up(args, &title))
}

impl Tally {
    /// Compares and prints.
    fn entry(
        &mut self,
        args: &Args,
        done: Done<Note>,
        progress: &Progress,
        output: &mut Output,
    ) -> Result<(), WriteError> {
        let Note::Entry { digest, name } = done.job.note else { return Ok(()) };
        self.formatted = true;
        let verdict = match done.digest {
            Err(error) if args.ignore_missing && error.kind() == io::ErrorKind::NotFound => {
                return Ok(());
            }
            Err(error) => {
                self.unread += 1;
                progress.complain(output, &format!("{}: {}", quote(&name), reason(&error)))?;
                "FAILED open or read"
            }
            Ok(now) if now != digest => {
                self.mismatched += 1;
                "FAILED"
            }
            Ok(_) => {
                self.matched = true;
                if args.quiet {
                    return Ok(());
                }
                "OK"
            }
        };
        if args.status {
            return Ok(());
        }
        // As coreutils 9.1 does: a line feed makes it escape, and then all three are.
        let mut line = Vec::with_capacity(name.len() + 24);
        if name.contains(&b'\n') {
            line.push(b'\\');
            escape_into(&name, &mut line);
        } else {
            line.extend_from_slice(&name);
        }
        line.extend_from_slice(format!(": {verdict}\n").as_bytes());
        output.write(&line)
    }

    /// Warns, and says whether all is well.
    fn sum_up(&self, args: &Args, title: &str) -> bool {
        if self.broken {
            return false;
        }
        if !self.formatted {
            complain(&format!("{title}: no properly formatted checksum lines found"));
            return false;
        }
        if !args.status {
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
            if args.ignore_missing && !self.matched {
                complain(&format!("{title}: no file was verified"));
            }
        }
        self.matched
            && self.mismatched == 0
            && self.unread == 0
            && (!args.strict || self.malformed == 0)
    }
}

/// What a line of a list means for its checker.
enum Note {
    Entry { digest: Vec<u8>, name: Vec<u8> },
    Malformed(u64),
    Broken(io::Error),
}

/// The jobs that a list of checksums describes.
struct List {
    lines: BufReader<File>,
    /// Reading never waits.
    ready: bool,
    is_stdin: bool,
    /// Of the last line, from 1.
    number: u64,
    parser: Arc<Mutex<Parser>>,
    hash: Algorithm,
    key: Option<Key>,
    ended: bool,
}

impl List {
    fn note(&self, note: Note) -> Job<Note> {
        Job { input: Input::Nothing, function: Function::Hash(self.hash), note }
    }

    fn job(&self, Entry { algorithm, digest, name, .. }: Entry) -> Job<Note> {
        let input = match &name[..] {
            b"-" => Input::Stdin,
            _ => Input::Path(os::name_from_bytes(name.clone()).into()),
        };
        let function = Function::new(algorithm, self.key.as_ref());
        Job { input, function, note: Note::Entry { digest, name } }
    }

    /// Reads a line with its end, or as much of it as may be good; `false` after the last.
    fn read_line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        line.clear();
        (&mut self.lines).take(MAX_LINE).read_until(b'\n', line)?;
        if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
            self.lines.skip_until(b'\n')?;
            // Longer than any good line: a NUL makes it a bad one.
            line.push(0);
        }
        Ok(!line.is_empty())
    }
}

impl Source for List {
    type Note = Note;

    fn next(&mut self) -> Option<Job<Note>> {
        let mut line = Vec::new();
        while !self.ended {
            match self.read_line(&mut line) {
                Ok(true) => self.number += 1,
                Ok(false) => break,
                Err(error) => {
                    self.ended = true;
                    return Some(self.note(Note::Broken(error)));
                }
            }
            let parsed = self.parser.lock().expect("the parser never panics").line(&line);
            match parsed {
                Line::Nothing => {}
                Line::Entry(entry) if !(self.is_stdin && entry.name == b"-") => {
                    return Some(self.job(entry));
                }
                Line::Entry(_) | Line::Malformed => {
                    return Some(self.note(Note::Malformed(self.number)));
                }
            }
        }
        self.ended = true;
        None
    }

    fn may_wait(&self) -> bool {
        !self.ready && !self.lines.buffer().contains(&b'\n')
    }
}
