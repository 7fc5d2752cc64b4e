//! Which of the files below directories are taken.

use super::Entry;
use super::glob;
use super::linked::Linked;
use crate::quote::quote;
use crate::system::os;
use anyhow::{anyhow, bail};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::fs;
use std::io;
use std::path::Path;

/// What some editors put before the first line of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What is left out below directories.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Globs, as in a .gitignore, of what is left out.
    pub exclude: Vec<String>,
    /// Globs of the files that are taken, if there are any.
    pub include: Vec<String>,
    /// Whether .git and what .gitignore files say is left out.
    pub gitignore: bool,
    /// Whether names that begin with a dot are left out.
    pub no_hidden: bool,
    /// Whether walks stay on one file system.
    pub one_file_system: bool,
    /// The greatest depth of an entry.
    pub max_depth: Option<usize>,
    /// The fewest bytes of a regular file.
    pub min_size: Option<u64>,
    /// The most bytes of a regular file.
    pub max_size: Option<u64>,
    /// What becomes of symbolic links.
    pub symlinks: Symlinks,
    /// Whether a file of several names is taken once.
    pub once: bool,
}

/// What becomes of symbolic links below a directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Symlinks {
    /// Links to files are hashed as the files, links to directories are left out
    #[default]
    Files,
    /// Directories that links lead to are walked too
    Follow,
    /// All links are left out
    Skip,
    /// The path that a link holds is hashed, wherever it leads. --check fails such lines, as it
    /// follows links; audit takes them with this option
    Hash,
}

/// The state of a file that a list names and a walk did not find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// The file is there, and the rules of the walk leave it out.
    LeftOut,
    /// Something else has its name, such as a directory.
    Replaced,
    /// Nothing has its name.
    Gone,
    /// It cannot be told, because a directory of the path cannot be read.
    Unknown,
}

impl Rules {
    /// Looks for a file that a walk with these rules did not find.
    pub fn presence(&self, path: &Path) -> Presence {
        let of = |error: &io::Error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Presence::Gone,
            _ => Presence::Unknown,
        };
        match path.symlink_metadata() {
            Err(error) => of(&error),
            Ok(about) if about.is_file() => Presence::LeftOut,
            Ok(about) if !about.is_symlink() => Presence::Replaced,
            Ok(_) if matches!(self.symlinks, Symlinks::Hash | Symlinks::Skip) => Presence::LeftOut,
            Ok(_) => match path.metadata() {
                Ok(about) if about.is_file() => Presence::LeftOut,
                Ok(_) => Presence::Replaced,
                Err(error) => of(&error),
            },
        }
    }
}

/// The treatment of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A file is hashed, a directory walked.
    Take,
    /// A file is left out, and a directory with all below it.
    Leave,
}

/// Judges the entries of walks, in the order in which they are found.
pub struct Judge {
    rules: Rules,
    exclude: Gitignore,
    include: Gitignore,
    /// The .gitignore files of the directories that the walk is in, with their depths.
    ignored: Vec<(usize, Gitignore)>,
    /// Files with several names that were found.
    linked: Linked,
}

impl Judge {
    /// Makes the judge of walks by these rules.
    ///
    /// # Errors
    /// If a glob is malformed.
    pub fn new(rules: Rules) -> anyhow::Result<Self> {
        let exclude = globs("exclude", &rules.exclude)?;
        let include = globs("include", &rules.include)?;
        Ok(Self { rules, exclude, include, ignored: Vec::new(), linked: Linked::default() })
    }

    /// Judges an entry at `depth` below an argument; `below` is its path from there.
    pub fn judge(&mut self, entry: &Entry, depth: usize, below: &Path) -> Verdict {
        let is_dir = entry.is_folder();
        if depth > 0 && !self.takes(entry, depth, below, is_dir) {
            return Verdict::Leave;
        }
        if is_dir {
            if self.rules.max_depth.is_some_and(|most| depth >= most) {
                return Verdict::Leave;
            }
            self.enter(entry.path(), depth);
        }
        Verdict::Take
    }

    fn takes(&mut self, entry: &Entry, depth: usize, below: &Path, is_dir: bool) -> bool {
        let name = entry.file_name().as_encoded_bytes();
        let hidden = self.rules.no_hidden && name.starts_with(b".");
        if hidden
            || self.exclude.matched(below, is_dir).is_ignore()
            || self.rules.gitignore && self.is_ignored(entry, depth, is_dir)
        {
            return false;
        }
        if is_dir {
            return true;
        }
        if !self.rules.include.is_empty() && !self.include.matched(below, false).is_ignore() {
            return false;
        }
        if entry.is_link() && self.rules.symlinks == Symlinks::Skip {
            return false;
        }
        self.takes_file(entry)
    }

    /// Judges a regular file by its size and by its other names.
    fn takes_file(&mut self, entry: &Entry) -> bool {
        let Rules { min_size, max_size, once, .. } = &self.rules;
        if min_size.is_none() && max_size.is_none() && !*once {
            return true;
        }
        if entry.is_link() && self.rules.symlinks == Symlinks::Hash {
            return true;
        }
        // A file whose size cannot be read is taken, so that its error is reported.
        let Ok(about) = entry.path().metadata() else { return true };
        if !about.is_file() {
            return true;
        }
        let fits = min_size.is_none_or(|least| about.len() >= least)
            && max_size.is_none_or(|most| about.len() <= most);
        let mut is_new = || os::file_id(&about).is_none_or(|id| self.linked.insert(id));
        fits && (!*once || os::names(&about) < 2 || is_new())
    }

    fn is_ignored(&mut self, entry: &Entry, depth: usize, is_dir: bool) -> bool {
        self.ignored.retain(|(of, _)| *of < depth);
        let matched = |(_, ignored): &(usize, Gitignore)| {
            let found = ignored.matched(entry.path(), is_dir);
            (!found.is_none()).then(|| found.is_ignore())
        };
        // The innermost .gitignore with a matching rule decides.
        entry.file_name() == ".git" || self.ignored.iter().rev().find_map(matched).unwrap_or(false)
    }

    /// Reads the .gitignore of a directory. A file that cannot be read is ignored, as git does.
    fn enter(&mut self, directory: &Path, depth: usize) {
        self.ignored.retain(|(of, _)| *of < depth);
        let file = directory.join(".gitignore");
        if self.rules.gitignore && file.is_file() {
            let Ok(lines) = fs::read(&file) else { return };
            let mut builder = GitignoreBuilder::new(directory);
            for line in lines.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&lines).split(|&b| b == b'\n')
            {
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                let line = str::from_utf8(line).ok().and_then(glob::translated);
                // What git cannot read matches nothing.
                let _ = line.map(|line| builder.add_line(Some(file.clone()), &line).map(drop));
            }
            self.ignored.extend(builder.build().ok().map(|found| (depth, found)));
        }
    }
}

/// Compiles the globs of an option.
fn globs(option: &str, globs: &[String]) -> anyhow::Result<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    builder.allow_unclosed_class(false);
    for glob in globs {
        let name = quote(glob.as_bytes());
        if glob.trim_end().is_empty() {
            bail!("--{option} {name}: a GLOB without characters matches nothing");
        }
        if glob.starts_with('#') {
            bail!(
                "--{option} {name}: is a comment, as in a .gitignore, and matches nothing: write \
                 \\ before #"
            );
        }
        let Some(glob) = glob::translated(glob) else {
            bail!("--{option} {name}: a [ that no ] closes, or an unknown class: write \\[")
        };
        builder.add_line(None, &glob).map_err(|error| anyhow!("--{option}: {error}"))?;
    }
    builder.build().map_err(|error| anyhow!("--{option}: {error}"))
}
