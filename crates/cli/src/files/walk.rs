//! Which of the files below a directory are hashed.

use clap::ValueEnum;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use manylane_files::quote::quote;
use manylane_files::system::os;
use manylane_files::walk::{Entry, Linked};
use std::io;
use std::path::Path;

/// What is left out below directories.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(id = "walking")]
pub struct Rules {
    /// Leave out what matches, directories with all below them. As in a .gitignore: a GLOB without
    /// / is for names at any depth, one with / for paths below the FILE, one that ends with / for
    /// directories
    #[arg(long, value_name = "GLOB", help_heading = WALKING)]
    exclude: Vec<String>,
    /// Hash only files that match; directories are all walked
    #[arg(long, value_name = "GLOB", help_heading = WALKING)]
    include: Vec<String>,
    /// Leave out .git and what .gitignore files say, those above FILE excepted
    #[arg(long, help_heading = WALKING)]
    gitignore: bool,
    /// Leave out files and directories whose names begin with a dot
    #[arg(long, help_heading = WALKING)]
    no_hidden: bool,
    /// Stay on the file system of each FILE
    #[arg(long, help_heading = WALKING)]
    pub one_file_system: bool,
    /// Walk no deeper: with 1 only the entries of each FILE, with 0 no directory at all
    #[arg(long, value_name = "N", help_heading = WALKING)]
    max_depth: Option<usize>,
    /// Leave out regular files of fewer bytes; K, M, G and T are powers of 1024
    #[arg(long, value_name = "BYTES", help_heading = WALKING, value_parser = bytes)]
    min_size: Option<u64>,
    /// Leave out regular files of more bytes
    #[arg(long, value_name = "BYTES", help_heading = WALKING, value_parser = bytes)]
    max_size: Option<u64>,
    /// What becomes of symbolic links [default: files; hash with --tree; skip for dedupe]
    #[arg(long, value_enum, value_name = "HOW", help_heading = WALKING)]
    pub symlinks: Option<Symlinks>,
    /// Which names of a file with several are hashed [default: all]
    #[arg(long, value_enum, value_name = "HOW", help_heading = WALKING)]
    hardlinks: Option<Hardlinks>,
}

const WALKING: &str = "Below directories";

/// What becomes of symbolic links below a directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
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

/// Which names of one file are hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Hardlinks {
    /// Each
    All,
    /// The first that is found
    Once,
}

/// Reads a number of bytes.
pub fn bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.char_indices().next_back() {
        Some((at, 'K' | 'k')) => (&text[..at], 10),
        Some((at, 'M' | 'm')) => (&text[..at], 20),
        Some((at, 'G' | 'g')) => (&text[..at], 30),
        Some((at, 'T' | 't')) => (&text[..at], 40),
        _ => (text, 0),
    };
    let number: Option<u64> = digits.parse().ok();
    number
        .and_then(|number| number.checked_mul(1 << shift))
        .ok_or_else(|| "a number of bytes is wanted, such as 4096, 64K or 1G".to_owned())
}

impl Rules {
    /// The first option that was given and walks alone obey.
    pub fn given(&self) -> Option<&'static str> {
        [
            ("exclude", !self.exclude.is_empty()),
            ("include", !self.include.is_empty()),
            ("gitignore", self.gitignore),
            ("no-hidden", self.no_hidden),
            ("one-file-system", self.one_file_system),
            ("max-depth", self.max_depth.is_some()),
            ("min-size", self.min_size.is_some()),
            ("max-size", self.max_size.is_some()),
            ("symlinks", self.symlinks.is_some()),
            ("hardlinks", self.hardlinks.is_some()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
    }

    /// Whether `--hardlinks all` was given, and is not the default of a command.
    pub fn wants_all_names(&self) -> bool {
        self.hardlinks == Some(Hardlinks::All)
    }

    /// Returns the treatment of symbolic links.
    pub fn symlinks(&self) -> Symlinks {
        self.symlinks.unwrap_or_default()
    }

    /// These rules with another default for symbolic links.
    pub fn with_symlinks(&self, default: Symlinks) -> Self {
        Self { symlinks: Some(self.symlinks.unwrap_or(default)), ..self.clone() }
    }

    /// The fewest bytes of a file that `dedupe` compares: 1 unless --min-size says otherwise, since
    /// all empty files are equal.
    pub fn least_size(&self) -> u64 {
        self.min_size.unwrap_or(1)
    }
}

/// The state of a file that a list names and a walk did not find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// The file, which the rules of the walk leave out.
    LeftOut,
    /// Something else by its name, such as a directory.
    Replaced,
    /// Nothing.
    Gone,
    /// Nobody can tell, because a directory on the way cannot be read.
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
            Ok(_) if matches!(self.symlinks(), Symlinks::Hash | Symlinks::Skip) => {
                Presence::LeftOut
            }
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

    /// Judges an entry at this depth below an argument, of which `below` is the path.
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
        if entry.is_link() && self.rules.symlinks() == Symlinks::Skip {
            return false;
        }
        self.takes_file(entry)
    }

    /// Judges a regular file by its size and by its other names.
    fn takes_file(&mut self, entry: &Entry) -> bool {
        let Rules { min_size, max_size, hardlinks, .. } = &self.rules;
        let once = *hardlinks == Some(Hardlinks::Once);
        if min_size.is_none() && max_size.is_none() && !once {
            return true;
        }
        if entry.is_link() && self.rules.symlinks() == Symlinks::Hash {
            return true;
        }
        // A file that cannot be asked for its size is left to be complained of.
        let Ok(about) = entry.path().metadata() else { return true };
        if !about.is_file() {
            return true;
        }
        let fits = min_size.is_none_or(|least| about.len() >= least)
            && max_size.is_none_or(|most| about.len() <= most);
        let mut is_new = || os::file_id(&about).is_none_or(|id| self.linked.insert(id));
        fits && (!once || os::names(&about) < 2 || is_new())
    }

    fn is_ignored(&mut self, entry: &Entry, depth: usize, is_dir: bool) -> bool {
        self.ignored.retain(|(of, _)| *of < depth);
        let matched = |(_, ignored): &(usize, Gitignore)| {
            let found = ignored.matched(entry.path(), is_dir);
            (!found.is_none()).then(|| found.is_ignore())
        };
        // The file nearest to the entry decides.
        entry.file_name() == ".git" || self.ignored.iter().rev().find_map(matched).unwrap_or(false)
    }

    /// Reads the .gitignore of a directory. A file that cannot be read is ignored, as git does.
    fn enter(&mut self, directory: &Path, depth: usize) {
        self.ignored.retain(|(of, _)| *of < depth);
        let file = directory.join(".gitignore");
        if self.rules.gitignore && file.is_file() {
            let mut builder = GitignoreBuilder::new(directory);
            builder.add(file);
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
            anyhow::bail!("--{option} {name}: a GLOB without characters matches nothing");
        }
        if glob.starts_with('#') {
            anyhow::bail!(
                "--{option} {name}: is a comment, as in a .gitignore, and matches nothing: write \
                 \\ before #"
            );
        }
        builder.add_line(None, glob).map_err(|error| anyhow::anyhow!("--{option}: {error}"))?;
    }
    builder.build().map_err(|error| anyhow::anyhow!("--{option}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_bytes() {
        for (text, number) in [
            ("0", Some(0)),
            ("4096", Some(4096)),
            ("64K", Some(64 << 10)),
            ("3g", Some(3 << 30)),
            ("16777216T", None),
            ("", None),
            ("K", None),
            ("-1", None),
            ("1.5M", None),
            ("1é", None),
        ] {
            assert_eq!(bytes(text).ok(), number, "{text}");
        }
    }
}
