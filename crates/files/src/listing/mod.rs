//! The files that arguments name, and those below directories.

mod names;

pub use names::Names;

use crate::hashing::{Functions, Input, Job, Source};
use crate::quote::quote;
use crate::system::limits::Patience;
use crate::system::os::{self, FileId};
use crate::walk::{self, Entry, EntryKind, Judge, Own, Rules, Symlinks, Verdict};
use std::fmt;
use std::path::{Path, PathBuf};

/// The data that accompany a job.
pub enum Note {
    /// A file to be printed.
    File,
    /// No file: something to complain of.
    Complaint(Complaint),
    /// No file: something to mention.
    Remark(String),
    /// No file: a directory could not be opened yet, and is tried again when other files were
    /// closed.
    Later,
}

/// A complaint of what cannot be read or named.
pub struct Complaint {
    /// Its path, if it has one.
    pub path: Option<PathBuf>,
    /// Why it is not taken, without the path.
    pub why: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", quote(path.as_os_str().as_encoded_bytes()))?;
        }
        f.write_str(&self.why)
    }
}

/// How the files below a directory are found.
struct Recursion {
    judge: Judge,
    symlinks: Symlinks,
    one_file_system: bool,
}

/// The entries of a directory and all below it.
struct Walk {
    entries: walk::Walk,
    /// The argument that the directory is or lies below.
    root: PathBuf,
    /// The depth of the directory below the argument.
    depth: usize,
}

/// The files that the arguments name and, if the listing is recursive, those below directories.
pub struct Listing {
    names: Names,
    recursion: Option<Recursion>,
    functions: Functions,
    /// The walks below the last argument. The second and later ones are for directories that could
    /// not be opened at first because descriptors were lacking.
    walks: Vec<Walk>,
    /// Whether the last directory could not be opened for want of descriptors.
    lacking: bool,
    patience: Patience,
    /// The regular files that standard output and standard error are written to.
    outputs: Vec<FileId>,
    /// The program's own files, which walks leave out.
    own: Own,
    skipped: Skipped,
    /// Whether a special file is read where an argument names it.
    reads_special: bool,
}

impl Listing {
    /// The files of `names`. With `rules`, the listing is recursive.
    ///
    /// # Errors
    /// If a glob of the rules is malformed.
    pub fn new(names: Names, rules: Option<Rules>, functions: Functions) -> anyhow::Result<Self> {
        let recursion = |rules: Rules| -> anyhow::Result<Recursion> {
            let (symlinks, one_file_system) = (rules.symlinks, rules.one_file_system);
            Ok(Recursion { judge: Judge::new(rules)?, symlinks, one_file_system })
        };
        Ok(Self {
            names,
            recursion: rules.map(recursion).transpose()?,
            functions,
            walks: Vec::new(),
            lacking: false,
            patience: Patience::default(),
            outputs: os::output_files(),
            own: Own::default(),
            skipped: Skipped::default(),
            reads_special: true,
        })
    }

    /// Leaves out the program's own files.
    pub fn without<'p>(mut self, own: impl IntoIterator<Item = &'p Path>) -> Self {
        self.own = Own::new(own);
        self
    }

    /// Makes no jobs of special files, not even of those that an argument names.
    pub fn regular(mut self) -> Self {
        self.reads_special = false;
        self
    }

    fn job(&self, input: Input, note: Note) -> Job<Note> {
        Job { input, functions: self.functions.clone(), note }
    }

    /// The next entry below the last argument that the rules take, directories among them.
    fn next_entry(&mut self) -> Option<Result<Entry, walk::Error>> {
        while let Some(walk) = self.walks.last_mut() {
            match walk.entries.next() {
                None => _ = self.walks.pop(),
                Some(Err(error)) if error.lacks_descriptors() && self.patience.pause() => {
                    let (root, depth) = (walk.root.clone(), walk.depth + error.depth());
                    let entries = self.walk_below(error.path());
                    self.walks.push(Walk { entries, root, depth });
                    self.lacking = true;
                    return Some(Err(error));
                }
                Some(found) => {
                    self.lacking = false;
                    // An entry below the directory shows that the directory could be opened.
                    if found.as_ref().is_ok_and(|entry| entry.depth() > 0) {
                        self.patience.restore();
                    }
                    let (Ok(entry), Some(recursion)) = (&found, &mut self.recursion) else {
                        return Some(found);
                    };
                    let below = entry.path().strip_prefix(&walk.root).unwrap_or(entry.path());
                    let depth = walk.depth + entry.depth();
                    match recursion.judge.judge(entry, depth, below) {
                        Verdict::Take => return Some(found),
                        Verdict::Leave => walk.entries.skip_folder(),
                    }
                }
            }
        }
        None
    }

    fn walk_below(&self, path: &Path) -> walk::Walk {
        let recursion = self.recursion.as_ref();
        let follows = recursion.is_some_and(|how| how.symlinks == Symlinks::Follow);
        walk::Walk::new(path, follows, recursion.is_some_and(|how| how.one_file_system))
    }

    /// The job of an entry, if it has one: regular files, links to them, and whatever an argument
    /// names. A pipe that a walk finds is left out, because reading it could take for ever.
    fn entry(&mut self, entry: Entry) -> Option<Job<Note>> {
        let path = entry.path();
        let kind = entry.kind();
        if entry.depth() > 0 && self.own.contains(path) {
            return None;
        }
        let hashes_links =
            self.recursion.as_ref().is_some_and(|how| how.symlinks == Symlinks::Hash);
        if kind == EntryKind::Link && hashes_links && entry.depth() > 0 {
            return Some(self.job(Input::Link(entry.into_path()), Note::File));
        }
        // A dangling link becomes a job like a file, so that its error is reported.
        let kind = match kind {
            EntryKind::Link => path.metadata().ok().map(|about| EntryKind::of(about.file_type())),
            _ => Some(kind),
        };
        match kind {
            Some(EntryKind::Folder) => None,
            Some(kind) if kind != EntryKind::File && entry.depth() > 0 => {
                self.skipped.count(kind);
                None
            }
            _ => self.file(entry),
        }
    }

    /// The job of a file, if it is not where the output goes.
    fn file(&self, entry: Entry) -> Option<Job<Note>> {
        Some(match self.is_output(entry.path()) {
            false if entry.depth() > 0 => self.job(Input::Found(entry.into_path()), Note::File),
            false => self.job(Input::Path(entry.into_path()), Note::File),
            true => {
                let name = quote(entry.path().as_os_str().as_encoded_bytes());
                let remark = format!("{name}: skipped, since the output goes there");
                self.job(Input::Nothing, Note::Remark(remark))
            }
        })
    }

    fn is_output(&self, path: &Path) -> bool {
        let id = || os::file_id(&path.metadata().ok()?);
        !self.outputs.is_empty() && id().is_some_and(|id| self.outputs.contains(&id))
    }
}

impl Source for Listing {
    type Note = Note;

    fn next(&mut self) -> Option<Job<Note>> {
        loop {
            while let Some(found) = self.next_entry() {
                let job = match found {
                    Ok(entry) => self.entry(entry),
                    Err(_) if self.lacking => Some(self.job(Input::Nothing, Note::Later)),
                    Err(error) => {
                        let (path, why) = (Some(error.path().to_owned()), error.why());
                        Some(self.job(Input::Nothing, Note::Complaint(Complaint { path, why })))
                    }
                };
                if job.is_some() {
                    return job;
                }
            }
            let name = match self.names.next_name() {
                Some(Ok(name)) => name,
                Some(Err(why)) => {
                    let complaint = Complaint { path: None, why };
                    return Some(self.job(Input::Nothing, Note::Complaint(complaint)));
                }
                None => {
                    let remark = std::mem::take(&mut self.skipped).remark(self.reads_special)?;
                    return Some(self.job(Input::Nothing, Note::Remark(remark)));
                }
            };
            if name == "-" && !self.names.are_files() {
                return Some(self.job(Input::Stdin, Note::File));
            }
            let path = PathBuf::from(name);
            if self.recursion.is_none() {
                return Some(self.job(Input::Path(path), Note::File));
            }
            let entries = self.walk_below(&path);
            self.walks.push(Walk { entries, root: path, depth: 0 });
        }
    }

    /// Workers finish and close their open files before they ask for the directory again.
    fn may_wait(&self) -> bool {
        self.lacking || self.walks.is_empty() && self.names.may_wait()
    }
}

/// The kinds of special files that were skipped below directories, with their numbers.
#[derive(Default)]
struct Skipped(Vec<(&'static str, u64)>);

impl Skipped {
    /// Counts an entry if it is a special file.
    fn count(&mut self, kind: EntryKind) {
        let Some(kind) = kind.special() else { return };
        match self.0.iter_mut().find(|(name, _)| *name == kind) {
            Some((_, count)) => *count += 1,
            None => self.0.push((kind, 1)),
        }
    }

    /// One line about all skipped files. If special files are `read` when an argument names them,
    /// it says so.
    fn remark(mut self, read: bool) -> Option<String> {
        self.0.sort_unstable();
        let name = |&(kind, count): &(&str, u64)| match count {
            1 => format!("1 {kind}"),
            _ => format!("{count} {kind}s"),
        };
        let names: Vec<String> = self.0.iter().map(name).collect();
        let names = names.join(", ");
        // A socket cannot be opened by its name.
        let readable = read && self.0.iter().any(|(kind, _)| *kind != "socket");
        let remedy = if readable { ": name them to have them read" } else { "" };
        (!names.is_empty()).then(|| format!("skipped {names}{remedy}"))
    }
}
