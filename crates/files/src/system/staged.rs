//! Writes a folder of files as a whole or not at all.
//!
//! ```text
//!  new folder      files ──► .manylane-NAME beside it ──► renamed; NAME is drawn at random
//!  one with files  files and links to the others ──► .manylane-NAME ──► exchanged, old one removed
//! ```
//!
//! Until the last step, the folder of this name is unchanged, however the program ends. After an
//! error or a signal that can be caught, the temporary folder is removed.

use crate::quote::quote;
use crate::system::{reason, signals};
use anyhow::{anyhow, bail};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::{Builder, TempDir};

/// The location of a folder that will be written, checked before anything is computed.
#[derive(Debug)]
pub struct OutputFolder {
    /// The path as the user wrote it.
    named: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// No folder yet: `existing` is the innermost folder of the path that exists, `first` the path
    /// of the entry to be made in it, and `rest` the path from `first` to the folder.
    New { existing: PathBuf, first: PathBuf, rest: PathBuf },
    /// A folder, without links in its path, and whether it has files.
    Existing { folder: PathBuf, has_files: bool },
}

/// A folder that is being written.
#[derive(Debug)]
pub struct Staged<'p> {
    place: &'p OutputFolder,
    temporary: TempDir,
    /// The folder that holds the files until [`Staged::publish`].
    folder: PathBuf,
    /// Whether the temporary folder is inside the folder to be filled, because that folder cannot
    /// be replaced.
    inside: bool,
    files: Vec<PathBuf>,
    stop: Arc<AtomicBool>,
}

/// The beginning of the name of a folder that is being written; random characters follow.
const PREFIX: &str = ".manylane-";

fn text(path: &Path) -> String {
    quote(path.as_os_str().as_encoded_bytes())
}

/// Makes a message of an error at this path.
pub fn failed_at(path: &Path) -> impl Fn(io::Error) -> anyhow::Error {
    move |error| anyhow!("{}: {}", text(path), reason(&error))
}

impl OutputFolder {
    /// Finds the location of a folder. With `force` it may be a folder that has files.
    ///
    /// # Errors
    /// If the path is no folder, or one that has files.
    pub fn new(named: &Path, force: bool) -> anyhow::Result<Self> {
        let said = || text(named);
        if named == OsStr::new("-") {
            bail!(
                "-: there are several files to write, which standard output cannot take; name a \
                 folder, ./- for one of that name"
            );
        }
        let kind = match fs::metadata(named) {
            Ok(found) if !found.is_dir() => bail!("{}: is a file; name a folder", said()),
            Ok(_) => Self::existing(named)?,
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed_at(named)(error));
            }
            Err(_) if fs::symlink_metadata(named).is_ok() => {
                bail!("{}: is a link to nothing; name a folder", said())
            }
            Err(_) => Self::missing(named)?,
        };
        if let Kind::Existing { has_files: true, .. } = kind
            && !force
        {
            bail!(
                "{}: has files already; name another folder, or say --force to write over them",
                said()
            );
        }
        Ok(Self { named: named.to_owned(), kind })
    }

    fn existing(named: &Path) -> anyhow::Result<Kind> {
        let look = || -> io::Result<Kind> {
            let folder = fs::canonicalize(named)?;
            let has_files = fs::read_dir(&folder)?.next().is_some();
            Ok(Kind::Existing { folder, has_files })
        };
        look().map_err(failed_at(named))
    }

    fn missing(named: &Path) -> anyhow::Result<Kind> {
        let absolute = std::path::absolute(named).map_err(failed_at(named))?;
        let existing = absolute.ancestors().find(|folder| fs::metadata(folder).is_ok());
        let existing = existing.unwrap_or(Path::new("/")).to_owned();
        let missing = absolute.strip_prefix(&existing).unwrap_or(named);
        if missing.components().any(|part| part == Component::ParentDir) {
            // Where `..` leads is known only if the folder before it exists.
            fs::create_dir_all(named).map_err(failed_at(named))?;
            return Self::existing(named);
        }
        let mut parts = missing.components();
        let first = parts.next().map(|first| existing.join(first)).unwrap_or_default();
        Ok(Kind::New { existing, first, rest: parts.as_path().to_owned() })
    }

    /// Begins to fill the folder. From now on a signal ends the program only after the temporary
    /// folder was removed.
    ///
    /// # Errors
    /// If nothing can be written at its location.
    pub fn stage(&self) -> anyhow::Result<Staged<'_>> {
        let stop = signals::flag(signals::ENDING);
        let (temporary, inside, rest) = match &self.kind {
            Kind::New { existing, rest, .. } => {
                let failed = |error: io::Error| match error.kind() {
                    // `existing` is there, so this error comes from a file system in which nobody
                    // can make folders.
                    io::ErrorKind::NotFound => {
                        anyhow!("{}: takes no new folders; name another place", text(existing))
                    }
                    _ => failed_at(existing)(error),
                };
                (temporary(existing).map_err(failed)?, false, rest.as_path())
            }
            Kind::Existing { folder, .. } => match beside(folder) {
                Some(temporary) => (temporary, false, Path::new("")),
                None => {
                    let inside = temporary(folder).map_err(failed_at(&self.named))?;
                    (inside, true, Path::new(""))
                }
            },
        };
        let folder = temporary.path().join(rest);
        fs::create_dir_all(&folder).map_err(failed_at(&self.named))?;
        Ok(Staged { place: self, temporary, folder, inside, files: Vec::new(), stop })
    }
}

impl Staged<'_> {
    /// Returns the folder that holds the files until [`Staged::publish`].
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes files, given as paths relative to the folder with their contents.
    ///
    /// # Errors
    /// If one cannot be written.
    pub fn write<'f>(
        &mut self,
        files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
    ) -> anyhow::Result<()> {
        for (name, content) in files {
            let path = self.folder.join(name);
            let written = || {
                path.parent().map_or(Ok(()), fs::create_dir_all)?;
                fs::write(&path, content)
            };
            written().map_err(failed_at(&self.place.named.join(name)))?;
            self.files.push(name.into());
        }
        Ok(())
    }

    /// Whether a signal was caught. Then nothing is left to do: dropping this value removes what
    /// was written.
    pub fn is_interrupted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Moves the folder to its final location.
    ///
    /// # Errors
    /// If another program has taken the location, whose content then stays as it is.
    pub fn publish(self) -> anyhow::Result<()> {
        let named = &self.place.named;
        match &self.place.kind {
            Kind::New { first, .. } => {
                fs::rename(self.temporary.path(), first).map_err(failed_at(named))?;
                self.gone();
            }
            Kind::Existing { folder, .. } if self.inside => self.move_files(folder)?,
            Kind::Existing { folder, has_files } => {
                fs::set_permissions(&self.folder, fs::metadata(folder)?.permissions())
                    .map_err(failed_at(named))?;
                if *has_files {
                    carry(folder, &self.folder, named)?;
                    // The temporary folder now has the old files, and is removed.
                    exchange(&self.folder, folder).map_err(failed_at(named))?;
                } else {
                    fs::rename(&self.folder, folder).map_err(failed_at(named))?;
                    self.gone();
                }
            }
        }
        Ok(())
    }

    /// Stops the removal of the temporary folder, which has its final name now.
    fn gone(self) {
        let _ = self.temporary.keep();
    }

    /// Moves the files one by one, after checks that each can be moved.
    fn move_files(&self, folder: &Path) -> anyhow::Result<()> {
        for file in &self.files {
            let path = folder.join(file);
            if path.is_dir() {
                bail!(
                    "{}: is a folder in place of a file; move it away",
                    text(&self.place.named.join(file))
                );
            }
            path.parent()
                .map_or(Ok(()), fs::create_dir_all)
                .map_err(failed_at(&self.place.named.join(file)))?;
        }
        let folders: BTreeSet<&Path> = self.files.iter().filter_map(|file| file.parent()).collect();
        for inside in folders {
            let tried = Builder::new().prefix(PREFIX).tempfile_in(folder.join(inside));
            tried.map_err(failed_at(&self.place.named.join(inside)))?;
        }
        for file in &self.files {
            fs::rename(self.folder.join(file), folder.join(file))
                .map_err(failed_at(&self.place.named.join(file)))?;
        }
        Ok(())
    }
}

/// Makes a temporary folder with the permissions of a new one.
fn temporary(parent: &Path) -> io::Result<TempDir> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    builder.tempdir_in(parent)
}

/// Makes a temporary folder that can replace this one: with the same parent, which must be
/// writable, and the same file system and owner. The current folder of this process is not
/// replaced.
fn beside(folder: &Path) -> Option<TempDir> {
    let current = std::env::current_dir().and_then(fs::canonicalize).ok()?;
    if current.starts_with(folder) {
        return None;
    }
    let temporary = temporary(folder.parent()?).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let of = |path: &Path| fs::metadata(path).map(|of| (of.dev(), of.uid(), of.gid())).ok();
        if of(folder)? != of(temporary.path())? {
            return None;
        }
    }
    Some(temporary)
}

/// The kind of an entry of a folder, or nothing if there is none.
fn kind(path: &Path) -> io::Result<Option<FileType>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found.file_type())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Links those files of the old folder into the new one that the new one lacks.
fn carry(old: &Path, new: &Path, named: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(old).map_err(failed_at(named))? {
        let entry = entry.map_err(failed_at(named))?;
        let (from, to) = (entry.path(), new.join(entry.file_name()));
        let name = named.join(entry.file_name());
        let was = entry.file_type().map_err(failed_at(&name))?;
        let failed = failed_at(&name);
        match kind(&to).map_err(&failed)? {
            None if was.is_dir() => {
                fs::create_dir(&to).map_err(&failed)?;
                carry(&from, &to, &name)?;
                let permissions = fs::metadata(&from).map_err(&failed)?.permissions();
                fs::set_permissions(&to, permissions).map_err(&failed)?;
            }
            // On a file system without links the file is copied.
            None => fs::hard_link(&from, &to)
                .or_else(|_| fs::copy(&from, &to).map(drop))
                .map_err(&failed)?,
            Some(is) if was.is_dir() && is.is_dir() => carry(&from, &to, &name)?,
            Some(_) if was.is_dir() => {
                bail!("{}: is a folder in place of a file; move it away", text(&name))
            }
            Some(is) if is.is_dir() => {
                bail!("{}: is a file in place of a folder; move it away", text(&name))
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Exchanges two folders, atomically where the system can.
fn exchange(new: &Path, old: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
    }
    // Between the two renames no folder has this name, but both folders are complete.
    let aside = new.with_extension("old");
    fs::rename(old, &aside)?;
    fs::rename(new, old)?;
    fs::rename(&aside, new)
}
