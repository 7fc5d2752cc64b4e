//! A file that is replaced whole or not at all.

use crate::quote::quote;
use crate::system::limits;
use crate::system::reason;
use anyhow::{anyhow, bail};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// The end of the names of files that are not complete yet.
const UNFINISHED: &str = ".unfinished";

/// The beginning of the name of the temporary file that a file of this name is written to.
pub fn beginning(name: &OsStr) -> OsString {
    let mut beginning = OsString::from(".");
    // The longest name that file systems take has 255 bytes.
    beginning.push(if name.len() > 200 { OsStr::new("list") } else { name });
    beginning.push(".");
    beginning
}

/// Whether this is the name of an incomplete file; `beginning` is the result of [`beginning`] for
/// the file's final name.
pub fn is_unfinished(name: &OsStr, beginning: &OsStr) -> bool {
    let (name, beginning) = (name.as_encoded_bytes(), beginning.as_encoded_bytes());
    let random =
        name.strip_prefix(beginning).and_then(|end| end.strip_suffix(UNFINISHED.as_bytes()));
    random.is_some_and(|random| !random.is_empty() && random.iter().all(u8::is_ascii_alphanumeric))
}

/// Removes the incomplete files that killed runs left in a folder. Runs that are still writing hold
/// a lock on their files.
fn remove_unfinished(folder: &Path, beginning: &OsStr) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file
            && is_unfinished(&entry.file_name(), beginning)
            && File::options()
                .write(true)
                .open(entry.path())
                .is_ok_and(|file| file.try_lock().is_ok())
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The error of a file that cannot be replaced.
fn said(file: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!("{}: {}", quote(file.as_os_str().as_encoded_bytes()), reason(error))
}

/// The file to be replaced.
struct ReplacedFile {
    /// The file itself; the name that was given may be a link to it.
    target: PathBuf,
    /// The metadata of the file that is there now, if there is one.
    old: Option<fs::Metadata>,
    folder: PathBuf,
    beginning: OsString,
}

impl ReplacedFile {
    fn of(file: &Path) -> anyhow::Result<Self> {
        // A link stays, and the file that it leads to is replaced.
        let target = match fs::canonicalize(file) {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => end_of_links(file),
            Err(error) => return Err(said(file, &error)),
        };
        let old = match fs::metadata(&target) {
            Ok(old) if !old.is_file() => {
                let name = quote(file.as_os_str().as_encoded_bytes());
                bail!("{name}: is no regular file, which alone can be replaced; name another")
            }
            Ok(old) => {
                // A file that may not be written may not be replaced either.
                let opened = File::options().write(true).open(&target);
                opened.map_err(|error| said(file, &error))?;
                Some(old)
            }
            Err(_) => None,
        };
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let beginning = beginning(target.file_name().unwrap_or_default());
        Ok(Self { target, old, folder, beginning })
    }

    /// A hidden file beside the one to be replaced.
    fn temporary(&self, file: &Path) -> anyhow::Result<NamedTempFile> {
        let mut builder = Builder::new();
        builder.prefix(&self.beginning).suffix(UNFINISHED);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = self.old.as_ref().map_or(0o666, |old| old.permissions().mode() & 0o7777);
            builder.permissions(fs::Permissions::from_mode(mode));
        }
        builder.tempfile_in(&self.folder).map_err(|error| {
            if error.kind() == io::ErrorKind::NotFound {
                return said(file, &error);
            }
            let name = quote(file.as_os_str().as_encoded_bytes());
            let folder = quote(self.folder.as_os_str().as_encoded_bytes());
            let why = reason(&error);
            anyhow!("{name}: cannot be written, as {folder} takes no new file: {why}")
        })
    }
}

/// The path at the end of a chain of symbolic links that leads to no file; `file` itself if it is
/// no link.
fn end_of_links(file: &Path) -> PathBuf {
    /// As many links as Linux follows.
    const MOST: usize = 40;
    let mut target = file.to_owned();
    for _ in 0..MOST {
        let Ok(next) = fs::read_link(&target) else { break };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    target
}

/// Checks everything that [`replace`] needs before it writes.
///
/// # Errors
/// If writing would fail: a message with the name of the file and the reason.
pub fn probe(file: &Path) -> anyhow::Result<()> {
    ReplacedFile::of(file)?.temporary(file).map(drop)
}

/// Writes a temporary file beside the file of this name, and renames it when its bytes are on the
/// disk. If anything fails before that, the file of this name is unchanged. A program that is
/// killed meanwhile leaves a hidden file, which the next run removes.
///
/// # Errors
/// If the file cannot be written: a message with its name and the reason.
pub fn replace(
    file: &Path,
    write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let said = |error: io::Error| said(file, &error);
    let place = ReplacedFile::of(file)?;
    remove_unfinished(&place.folder, &place.beginning);
    limits::survive_file_limits();
    let mut temporary = place.temporary(file)?;
    let ReplacedFile { target, old, folder, .. } = place;
    // Not every file system has locks. Without a lock another run may remove the file, and this run
    // then fails.
    let _ = temporary.as_file().try_lock();
    {
        let mut writer = BufWriter::with_capacity(64 * 1024, temporary.as_file_mut());
        write(&mut writer).map_err(|error| match error.downcast::<io::Error>() {
            Ok(error) => said(error),
            Err(error) => error,
        })?;
        writer.flush().map_err(said)?;
    }
    if let Some(old) = &old {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            // Only the superuser may give files away; others keep what they write.
            let _ = fchown(temporary.as_file(), Some(old.uid()), Some(old.gid()));
        }
        // The creation mask may have removed permissions that the old file has.
        temporary.as_file().set_permissions(old.permissions()).map_err(said)?;
    }
    temporary.as_file().sync_all().map_err(said)?;
    temporary.persist(&target).map_err(|error| said(error.error))?;
    // The name is on the disk only after its folder has been synchronised, which not every file
    // system can do.
    if let Ok(folder) = File::open(&folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Writes a whole file, or leaves the one of this name unchanged. Anything but a regular file, such
/// as a pipe, is written directly.
///
/// # Errors
/// If the file cannot be written: a message with its name and the reason.
pub fn write_file(file: &Path, text: impl AsRef<[u8]>) -> anyhow::Result<()> {
    match fs::metadata(file) {
        Ok(found) if !found.is_file() => fs::write(file, text).map_err(|error| said(file, &error)),
        _ => replace(file, |writer| Ok(writer.write_all(text.as_ref())?)),
    }
}

/// Checks everything that [`write_file`] needs of a file before it writes.
///
/// # Errors
/// If writing would fail: a message with the name of the file and the reason.
pub fn probe_file(file: &Path) -> anyhow::Result<()> {
    match fs::metadata(file) {
        Ok(found) if !found.is_file() && !found.is_dir() => Ok(()),
        _ => probe(file),
    }
}

/// Refuses options that name standard output for a file, and two options that name one file.
///
/// # Errors
/// If there is such an option: a message with its name and the remedy.
pub fn check_outputs<'o>(
    outputs: impl IntoIterator<Item = (&'o str, Option<&'o Path>)>,
) -> anyhow::Result<()> {
    let mut known: Vec<(&str, PathBuf)> = Vec::new();
    for (option, file) in outputs.into_iter().filter_map(|(option, file)| Some((option, file?))) {
        if file == "-" {
            bail!(
                "{option} -: standard output has the answer; name a file, ./- for one of that name"
            );
        }
        let place = resolved(file);
        if let Some((other, _)) = known.iter().find(|(_, known)| *known == place) {
            let name = quote(file.as_os_str().as_encoded_bytes());
            bail!("{name}: is the file of both {other} and {option}; name two files");
        }
        known.push((option, place));
    }
    Ok(())
}

/// A path that is the same for all names of a file, which need not exist yet.
fn resolved(file: &Path) -> PathBuf {
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    fs::canonicalize(file).unwrap_or_else(|_| match (absolute.parent(), absolute.file_name()) {
        (Some(folder), Some(name)) => {
            fs::canonicalize(folder).map_or_else(|_| absolute.clone(), |folder| folder.join(name))
        }
        _ => absolute,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_or_left() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("list");
        replace(&file, |writer| Ok(writer.write_all(b"one")?)).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"one");
        let failed = replace(&file, |writer| {
            writer.write_all(b"half")?;
            Err(io::Error::from(io::ErrorKind::StorageFull).into())
        });
        assert!(failed.unwrap_err().to_string().contains("list: "));
        assert_eq!(fs::read(&file).unwrap(), b"one");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        // Files that a killed run left are removed. A file that another run still writes stays, and
        // so does every other file.
        let left = ["list.abc123.unfinished", "list.abc123", "other.abc123.unfinished"];
        for name in left {
            fs::write(folder.path().join(format!(".{name}")), "half").unwrap();
        }
        let busy = fs::File::create(folder.path().join(".list.busy.unfinished")).unwrap();
        busy.lock().unwrap();
        replace(&file, |writer| Ok(writer.write_all(b"two")?)).unwrap();
        let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        let kept = [".list.abc123", ".list.busy.unfinished", ".other.abc123.unfinished", "list"];
        assert_eq!(names, kept);
        let message = replace(folder.path(), |_| Ok(())).unwrap_err().to_string();
        assert!(message.contains("is no regular file"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_modes_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("list"), folder.path().join("link"));
        fs::write(&file, "one").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o606)).unwrap();
        symlink("list", &link).unwrap();
        replace(&link, |writer| Ok(writer.write_all(b"two")?)).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o606);
        // Links that lead to no file: the file at their end is made.
        fs::create_dir(folder.path().join("below")).unwrap();
        symlink("below/second", folder.path().join("first")).unwrap();
        symlink("made", folder.path().join("below/second")).unwrap();
        replace(&folder.path().join("first"), |writer| Ok(writer.write_all(b"new")?)).unwrap();
        assert!(folder.path().join("first").symlink_metadata().unwrap().is_symlink());
        let made = folder.path().join("below/made");
        assert!(made.symlink_metadata().unwrap().is_file());
        assert_eq!(fs::read(made).unwrap(), b"new");
    }
}
