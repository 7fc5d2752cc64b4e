//! One digest for a folder.
//!
//! The digest is that of a text with a line for each entry below the folder, in the order of their
//! paths; docs/sum.md defines the text. It depends on names, kinds, contents, the targets of links
//! and, if asked for, modes. It does not depend on the file system, its order or its times.

use crate::hashing::{Function, Functions, Input, Job, Source};
use crate::lists::lines::hex;
use crate::quote::quote;
use crate::system::os::{self, FileId};
use crate::system::reason;
use crate::walk::{self, EntryKind, Judge, Own, Rules, Symlinks, Verdict};
use manylane_engine::{Engine, Hasher};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// The beginning of the text, which the options follow that change the digest.
const TITLE: &str = "manylane tree 1";

/// How trees are hashed.
#[derive(Clone, Debug)]
pub struct TreeOptions {
    /// What is left out.
    pub rules: Rules,
    /// Whether modes count.
    pub modes: bool,
    /// The program's own files, which are left out.
    pub own: Own,
}

/// The hashers of a folder's text, one for each function.
pub struct Digests(Vec<Hasher>);

impl Digests {
    /// Begins the text of a folder.
    ///
    /// # Errors
    /// If this CPU lacks the engine.
    pub fn new(
        functions: &Functions,
        trees: &TreeOptions,
        engine: Option<Engine>,
    ) -> anyhow::Result<Self> {
        let mut hashers = Vec::with_capacity(functions.len());
        for function in functions.iter() {
            let (Function::Hash(hash) | Function::Hmac(hash, _)) = function;
            let mut hasher = Hasher::on(*hash, engine)?;
            let modes = if trees.modes { " modes" } else { "" };
            hasher.update(format!("{TITLE} {hash}{modes}\n").as_bytes());
            hashers.push(hasher);
        }
        Ok(Self(hashers))
    }

    /// Adds the line of an entry with its digests, one for each function.
    pub fn add(&mut self, entry: &Entry, digests: &[Vec<u8>]) {
        for (at, hasher) in self.0.iter_mut().enumerate() {
            hasher.update(&entry.line(digests.get(at).map(Vec::as_slice)));
        }
    }

    /// The digests of the folder.
    pub fn finalize(&self) -> Vec<Vec<u8>> {
        self.0.iter().map(Hasher::finalize).collect()
    }
}

/// The note that accompanies a job of a walk.
pub enum Note {
    /// An entry.
    Entry(Entry),
    /// No entry: something to mention.
    Remark(String),
    /// No entry: something to complain of.
    Complaint(String),
}

/// An entry below the folder.
pub struct Entry {
    kind: u8,
    /// The permission bits, if they count.
    mode: Option<u32>,
    /// The path below the folder, with `/` between its parts.
    path: Vec<u8>,
}

impl Entry {
    /// `KIND [MODE] DIGEST LENGTH:PATH`. The length keeps paths with line feeds apart.
    fn line(&self, digest: Option<&[u8]>) -> Vec<u8> {
        let mode = self.mode.map_or_else(String::new, |mode| format!(" {mode:04o}"));
        let digest = digest.map_or_else(|| "-".to_owned(), hex);
        let mut line = vec![self.kind];
        line.extend(format!("{mode} {digest} {}:", self.path.len()).bytes());
        line.extend(&self.path);
        line.push(b'\n');
        line
    }
}

/// Looks whether there is a folder to be hashed.
///
/// # Errors
/// Why there is none, without its name.
pub fn expect_folder(path: &Path) -> Result<(), String> {
    match path.metadata() {
        Ok(about) if about.is_dir() => Ok(()),
        Ok(_) => Err("is no folder, and --tree is for folders: leave it out".to_owned()),
        Err(error) => Err(reason(&error)),
    }
}

/// The entries below a folder, in the order of their paths part by part.
pub struct Walk {
    entries: walk::Walk,
    judge: Judge,
    links: Symlinks,
    root: PathBuf,
    modes: bool,
    own: Own,
    /// The regular files that standard output and standard error are written to.
    outputs: Vec<FileId>,
    functions: Functions,
}

impl Walk {
    /// The entries below this folder.
    ///
    /// # Errors
    /// If a glob of the rules is malformed.
    pub fn new(root: &Path, trees: &TreeOptions, functions: Functions) -> anyhow::Result<Self> {
        let TreeOptions { rules, modes, own } = trees.clone();
        let links = rules.symlinks;
        let follows = links == Symlinks::Follow;
        let entries = walk::Walk::new(root, follows, rules.one_file_system);
        let judge = Judge::new(rules)?;
        let (root, outputs) = (root.to_owned(), os::output_files());
        Ok(Self { entries, judge, links, root, modes, own, outputs, functions })
    }

    fn no_entry(&self, note: Note) -> Job<Note> {
        Job { input: Input::Nothing, functions: self.functions.clone(), note }
    }

    /// Whether the output goes to this file, or to the target of this link where links count as
    /// files.
    fn is_output(&self, found: &walk::Entry) -> bool {
        let is_file = match found.kind() {
            EntryKind::File => true,
            EntryKind::Link => matches!(self.links, Symlinks::Files | Symlinks::Follow),
            _ => false,
        };
        let id = || os::file_id(&found.path().metadata().ok()?);
        is_file && !self.outputs.is_empty() && id().is_some_and(|id| self.outputs.contains(&id))
    }

    fn job(&self, found: walk::Entry) -> Job<Note> {
        let below = found.path().strip_prefix(&self.root).unwrap_or(found.path());
        let parts = below.components().map(|part| part.as_os_str().as_encoded_bytes());
        let path = parts.collect::<Vec<_>>().join(&b'/');
        let mut kind = found.kind();
        let mut about = found.metadata().map_err(|error| error.complaint());
        if kind == EntryKind::Link && self.links == Symlinks::Files {
            // A link to a file counts as that file; any other link counts as a link.
            let target = found.path().metadata().ok().filter(Metadata::is_file);
            if let Some(target) = target {
                kind = EntryKind::of(target.file_type());
                about = Ok(target);
            }
        }
        let mode = match about {
            Ok(about) if self.modes && kind != EntryKind::Link => os::mode(&about),
            Err(why) if self.modes => {
                return self.no_entry(Note::Complaint(why));
            }
            _ => None,
        };
        let entry = Entry { kind: letter(kind), mode, path };
        let input = match entry.kind {
            b'f' => Input::Found(found.into_path()),
            b'l' => Input::Link(found.into_path()),
            _ => Input::Nothing,
        };
        Job { input, functions: self.functions.clone(), note: Note::Entry(entry) }
    }
}

impl Source for Walk {
    type Note = Note;

    fn next(&mut self) -> Option<Job<Self::Note>> {
        loop {
            let found = match self.entries.next()? {
                Ok(found) => found,
                Err(error) => return Some(self.no_entry(Note::Complaint(error.complaint()))),
            };
            let below = found.path().strip_prefix(&self.root).unwrap_or(found.path());
            if found.depth() > 0 && self.own.contains(found.path()) {
                continue;
            }
            match self.judge.judge(&found, found.depth(), below) {
                Verdict::Leave => self.entries.skip_folder(),
                Verdict::Take if found.depth() == 0 => {}
                Verdict::Take if self.is_output(&found) => {
                    let name = quote(found.path().as_os_str().as_encoded_bytes());
                    let remark = format!("{name}: skipped, since the output goes there");
                    return Some(self.no_entry(Note::Remark(remark)));
                }
                Verdict::Take => return Some(self.job(found)),
            }
        }
    }
}

/// The letter of a kind, as find's -type has it.
fn letter(kind: EntryKind) -> u8 {
    match kind {
        EntryKind::File => b'f',
        EntryKind::Folder => b'd',
        EntryKind::Link => b'l',
        EntryKind::Fifo => b'p',
        EntryKind::Socket => b's',
        EntryKind::Device | EntryKind::Other => b'c',
    }
}

#[cfg(test)]
mod tests {
    use super::Entry;

    #[test]
    fn lines_are_those_of_the_definition() {
        let entry = |kind, mode| Entry { kind, mode, path: b"a/b\n".to_vec() };
        assert_eq!(entry(b'f', None).line(Some(&[0xab, 1])), b"f ab01 4:a/b\n\n");
        assert_eq!(entry(b'd', Some(0o755)).line(None), b"d 0755 - 4:a/b\n\n");
    }
}
