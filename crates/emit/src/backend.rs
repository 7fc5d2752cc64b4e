//! The interface of every emitter: a backend checks a planned program, then writes it into a
//! folder.
//!
//! ```text
//!  planner ──► Program ──► Backend::check ──► Backend::emit ──► Folder ──► the disk
//!                          what cannot be      relative paths,
//!                          expressed, and      each once
//!                          the remedy
//! ```
//!
//! Programs of processors and programs of hardware are different values
//! ([`HardwareProgram`](manylane_plan::hardware::HardwareProgram) says why), so a backend names the
//! one that it takes. Everything else that it needs (names, languages, known answers) is in the
//! backend's own value.

use crate::{c, rtl};

/// An emitter.
pub trait Backend {
    /// The planned program that it takes.
    type Program;

    /// Its description in [`BACKENDS`].
    fn description(&self) -> &'static Description;

    /// Says whether the program can be emitted. It never panics on a program that a planner gave.
    ///
    /// # Errors
    /// The first thing that cannot be expressed: with the backend, the node or the function, and
    /// the remedy.
    fn check(&self, program: &Self::Program) -> Result<(), Error>;

    /// Writes a program into a folder.
    ///
    /// # Errors
    /// The errors of [`Backend::check`], and a path that the folder does not take.
    fn emit(&self, program: &Self::Program, out: &mut Folder) -> Result<(), Error>;
}

/// The description of a backend for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// Its name: that of its folder here, and of `manylane emit NAME`.
    pub name: &'static str,
    /// What it writes.
    pub writes: &'static str,
}

/// All backends.
pub const BACKENDS: [Description; 3] = [RTL, C, ASM];

/// Hardware.
pub(crate) const RTL: Description =
    Description { name: "rtl", writes: "Verilog-2001, SystemVerilog or VHDL-2008, with benches" };

/// C for microcontrollers.
pub(crate) const C: Description =
    Description { name: "c", writes: "a freestanding C99 library, for one core and two" };

/// Assembly for two unlike cores.
pub(crate) const ASM: Description =
    Description { name: "asm", writes: "assembly for the S12X's CPU and XGATE, with S-records" };

/// The reasons for which nothing was emitted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The program has something that the backend has no text for.
    #[error("{backend}: {place}: {problem}; {remedy}")]
    Program {
        /// The backend's name.
        backend: &'static str,
        /// The node, or the function or the rule that is concerned.
        place: String,
        /// What is wrong with it.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The backend `rtl` cannot write a core for the program.
    #[error(transparent)]
    Rtl(#[from] rtl::Error),
    /// The backend `c` cannot write a library for the program.
    #[error(transparent)]
    C(#[from] c::Error),
    /// The backend `asm` cannot write assembly for the program.
    #[error(transparent)]
    Asm(#[from] crate::asm::Error),
    /// A path that the folder does not take.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// Files to be written: a path relative to the folder, and bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder {
    files: Vec<(String, Vec<u8>)>,
}

/// A path that a folder does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FolderError {
    /// The path leads out of the folder, or means something else on another system.
    #[error(
        "{path:?} is no path inside a folder; paths are names joined by `/`, without `..`, `.`, \
         `\\` \
         and `:`"
    )]
    Outside {
        /// The path.
        path: String,
    },
    /// The folder has a file of this path already. Some file systems do not tell upper case from
    /// lower case.
    #[error(
        "{path:?} is written twice, the first time as {before:?}; give one of them another name"
    )]
    Twice {
        /// The path.
        path: String,
        /// The path of the earlier file.
        before: String,
    },
    /// A file where another one needs a folder.
    #[error(
        "{file:?} is a file, and {path:?} would be inside of it; give one of them another name"
    )]
    Inside {
        /// The file.
        file: String,
        /// The path below it.
        path: String,
    },
}

impl Folder {
    /// A folder without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    ///
    /// # Errors
    /// If the path leads out of the folder, or collides with one in the folder.
    pub fn add(
        &mut self,
        path: impl Into<String>,
        content: impl Into<Vec<u8>>,
    ) -> Result<(), FolderError> {
        let path = path.into();
        let is_name = |name: &str| {
            !["", ".", ".."].contains(&name)
                && !name.contains(|c: char| c.is_control() || ['\\', ':'].contains(&c))
        };
        if !path.split('/').all(is_name) {
            return Err(FolderError::Outside { path });
        }
        let lower = path.to_lowercase();
        for (before, _) in &self.files {
            let other = before.to_lowercase();
            if other == lower {
                return Err(FolderError::Twice { path, before: before.clone() });
            }
            if is_below(&lower, &other) {
                return Err(FolderError::Inside { file: before.clone(), path });
            }
            if is_below(&other, &lower) {
                return Err(FolderError::Inside { file: path, path: before.clone() });
            }
        }
        self.files.push((path, content.into()));
        Ok(())
    }

    /// Adds several files.
    ///
    /// # Errors
    /// The errors of [`Folder::add`]. The files before the refused one have been added.
    pub fn add_all(
        &mut self,
        files: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), FolderError> {
        files.into_iter().try_for_each(|(path, text)| self.add(path, text))
    }

    /// The files, in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, content)| (&path[..], &content[..]))
    }

    /// The path and the content of a file.
    pub fn file(&self, path: &str) -> Option<(&str, &[u8])> {
        self.files().find(|(known, _)| *known == path)
    }

    /// The content of a file, if it is text.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.file(path).and_then(|(_, content)| str::from_utf8(content).ok())
    }
}

/// Whether a path lies below the folder `folder`.
fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn folders_take_paths_inside_of_them_once() {
        let mut folder = Folder::new();
        folder.add("rtl/core.v", "module").unwrap();
        folder.add("README.md", vec![0xff]).unwrap();
        folder.add("rtl/core.vh", "").unwrap();
        for outside in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../x",
            "a/../b",
            "./a",
            "a/.",
            "a//b",
            "a/",
            "C:/x",
            "a\\b",
            "a\nb",
            "a\0",
        ] {
            let error = folder.add(outside, "").unwrap_err();
            assert_eq!(error, FolderError::Outside { path: outside.to_owned() });
            assert!(error.to_string().contains("without `..`"), "{error}");
        }
        let twice = folder.add("rtl/CORE.v", "").unwrap_err();
        assert_eq!(
            twice.to_string(),
            "\"rtl/CORE.v\" is written twice, the first time as \"rtl/core.v\"; give one of them \
             another name"
        );
        for (path, file, inside) in
            [("README.md/x", "README.md", "README.md/x"), ("rtl", "rtl", "rtl/core.v")]
        {
            let error = folder.add(path, "").unwrap_err();
            let (file, path) = (file.to_owned(), inside.to_owned());
            assert_eq!(error, FolderError::Inside { file, path });
        }
        let paths: Vec<&str> = folder.files().map(|(path, _)| path).collect();
        assert_eq!(paths, ["rtl/core.v", "README.md", "rtl/core.vh"]);
        assert_eq!((folder.text("rtl/core.v"), folder.text("README.md")), (Some("module"), None));
        assert_eq!(folder.file("README.md"), Some(("README.md", &[0xff][..])));
        assert_eq!(folder.file("none"), None);
    }

    /// The folders of `src` are one for each backend, `prove`, and the two cores that `asm` uses.
    #[test]
    fn every_backend_has_a_line() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let entries = std::fs::read_dir(source).unwrap().map(|entry| entry.unwrap());
        let folders = entries.filter(|entry| entry.file_type().unwrap().is_dir());
        let names: BTreeSet<String> =
            folders.map(|folder| folder.file_name().into_string().unwrap()).collect();
        let lines = BACKENDS.iter().map(|line| line.name.to_owned());
        let others = ["prove", "cpu12x", "xgate"].map(str::to_owned);
        assert_eq!(lines.chain(others).collect::<BTreeSet<_>>(), names);
    }
}
