//! The options that say which of the files below a directory are hashed.

use clap::ValueEnum;
use manylane_files::walk::{Rules, Symlinks};

/// What is left out below directories.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(id = "walking")]
pub struct Walking {
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
    one_file_system: bool,
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
    symlinks: Option<Symlinks>,
    /// Which names of a file with several are hashed [default: all]
    #[arg(long, value_enum, value_name = "HOW", help_heading = WALKING)]
    hardlinks: Option<Hardlinks>,
}

const WALKING: &str = "Below directories";

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

impl Walking {
    /// The first of the given options that has an effect on walks alone.
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

    /// The rules of a walk; `symlinks` is what becomes of symbolic links unless --symlinks says
    /// otherwise.
    pub fn rules(&self, symlinks: Symlinks) -> Rules {
        Rules {
            exclude: self.exclude.clone(),
            include: self.include.clone(),
            gitignore: self.gitignore,
            no_hidden: self.no_hidden,
            one_file_system: self.one_file_system,
            max_depth: self.max_depth,
            min_size: self.min_size,
            max_size: self.max_size,
            symlinks: self.symlinks.unwrap_or(symlinks),
            once: self.hardlinks == Some(Hardlinks::Once),
        }
    }

    /// The fewest bytes of a file that `dedupe` compares: 1 unless --min-size says otherwise, since
    /// all empty files are equal.
    pub fn least_size(&self) -> u64 {
        self.min_size.unwrap_or(1)
    }
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
