//! The digests of files as `sum` prints them: as lines, as a list in some other form, or as JSON.

use crate::files::ended::{Ended, has_changed, is_rotten, remedy};
use crate::files::running::{OnChange, Running};
use crate::files::summary::Summary;
use crate::terminal::output::{Output, WriteError};
use crate::terminal::progress::Progress;
use manylane_engine::Algorithm;
use manylane_files::hashing::{Done, Options};
use manylane_files::known::Answer;
use manylane_files::listing::Note;
use manylane_files::lists::lines::{self, Object, Style};
use manylane_files::lists::manifest::{Record, Writer};
use manylane_files::quote::quote;
use manylane_files::system::os::{self, FileId};
use manylane_files::system::reason;

/// How the digests of a file are written.
pub enum Form<'p> {
    /// A line for each digest.
    Lines(&'p [Style]),
    /// A record of a list, with the algorithms of the digests.
    List(Writer, Vec<Algorithm>),
    /// A line of JSON, with the names of the digests.
    Json(Vec<String>),
}

/// The printing of files as they are done, with what is said of them at the end.
pub struct Printing<'p> {
    form: Form<'p>,
    /// Whether a file without digests is a line of JSON too.
    json: bool,
    /// Whether a change of a file while it is read is ignored.
    ignored: bool,
    /// How often a file that changed was read again.
    retries: u32,
    /// The files that the output goes to. A named file is compared with these by its open
    /// descriptor, so no path is looked up again.
    outputs: Vec<FileId>,
    summary: Summary,
    ended: Ended,
    line: Vec<u8>,
}

impl<'p> Printing<'p> {
    /// Begins to print; `json` says whether a file without digests is a line of JSON too.
    pub fn new(form: Form<'p>, json: bool, running: &Running, options: &Options) -> Self {
        Self {
            form,
            json,
            ignored: running.on_change() == OnChange::Ignore,
            retries: options.retries,
            outputs: os::output_files(),
            summary: Summary::new(running),
            ended: Ended::Good,
            line: Vec::new(),
        }
    }

    /// Prints the header of the list, if its form has one.
    pub fn begin(&mut self, output: &mut Output) -> Result<(), WriteError> {
        let Form::List(writer, _) = &self.form else { return Ok(()) };
        writer.begin(&mut self.line);
        output.write(&self.line)
    }

    /// Prints a file that is done, or complains of it.
    pub fn answer(
        &mut self,
        answer: Answer<Note>,
        progress: &Progress,
        output: &mut Output,
    ) -> Result<(), WriteError> {
        let Answer { done, known, rotten } = answer;
        let name = done.job.input.name();
        let is_output = self.is_output(&done);
        let changed = done.has_changed() && !self.ignored && !is_output;
        match (done.digests, done.job.note) {
            (_, Note::Later) => Ok(()),
            (_, Note::Remark(remark)) => progress.complain(output, &remark),
            (_, Note::Complaint(complaint)) => {
                self.ended = self.ended.worse(Ended::Bad);
                let error = complaint.to_string();
                match &complaint.path {
                    Some(path) => {
                        let name = path.as_os_str().as_encoded_bytes();
                        self.failed(name, (&error, &complaint.why), progress, output)
                    }
                    None => progress.complain(output, &error),
                }
            }
            (Err(error), _) => {
                self.ended = self.ended.worse(Ended::Bad);
                let (reason, remedy) = (reason(&error), remedy(&error, &done.job.input));
                let error = format!("{}: {reason}{remedy}", quote(&name));
                self.failed(&name, (&error, &reason), progress, output)
            }
            (Ok(_), Note::File) if changed => {
                self.ended = self.ended.worse(Ended::Bad);
                let error = has_changed(&name, self.retries);
                self.failed(&name, (&error, "changed while it was read"), progress, output)
            }
            (Ok(_), _) if rotten => {
                self.ended = Ended::Rotten;
                let why = "bitrot: content changed, size and times did not";
                self.failed(&name, (&is_rotten(&name), why), progress, output)
            }
            (Ok(digests), Note::File) => {
                self.summary.hashed(known, &name, done.seen);
                let size = done.seen.map(|seen| seen.stamp.size);
                self.digests(&name, size, digests, progress, output)?;
                match is_output {
                    true => progress.complain(output, &goes_there(&name)),
                    false => Ok(()),
                }
            }
        }
    }

    /// Prints the summary and returns how the run ended.
    pub fn end(self) -> Ended {
        self.summary.say();
        self.ended
    }

    /// Whether the output goes to this file.
    fn is_output(&self, done: &Done<Note>) -> bool {
        let id = done.seen.and_then(|seen| seen.stamp.id);
        id.is_some_and(|id| self.outputs.contains(&id))
    }

    /// Reports a file without digests: `error` on standard error, `why` as JSON.
    fn failed(
        &mut self,
        name: &[u8],
        (error, why): (&str, &str),
        progress: &Progress,
        output: &mut Output,
    ) -> Result<(), WriteError> {
        self.summary.failed();
        if self.json {
            output.write(&lines::json(&[("file", name)], [("error", why.into())]))?;
        }
        progress.complain(output, error)
    }

    /// Prints the digests of a file.
    fn digests(
        &mut self,
        name: &[u8],
        size: Option<u64>,
        digests: Vec<Vec<u8>>,
        progress: &Progress,
        output: &mut Output,
    ) -> Result<(), WriteError> {
        self.line.clear();
        match &self.form {
            Form::List(writer, hashes) => {
                let digests = hashes.iter().copied().zip(digests).collect();
                let record = Record { name: name.to_owned(), digests, size, times: None };
                if let Err(why) = writer.record(&record, &mut self.line) {
                    self.ended = self.ended.worse(Ended::Bad);
                    progress.complain(output, &format!("{}: {why}", quote(name)))?;
                    self.line.clear();
                }
            }
            Form::Json(keys) => {
                let digests = digests.iter().map(|digest| lines::hex(digest).into());
                let digests: Object = keys.iter().cloned().zip(digests).collect();
                self.line = lines::json(&[("file", name)], [("digests", digests.into())]);
            }
            Form::Lines(styles) => {
                for (style, digest) in styles.iter().zip(digests) {
                    style.line(&digest, name, &mut self.line);
                }
            }
        }
        output.write(&self.line)
    }
}

/// The message about a file that is hashed, as coreutils does, although the output goes to it.
fn goes_there(name: &[u8]) -> String {
    format!("{}: the output goes there, so this checksum will not be its own", quote(name))
}
