//! A file that is replaced whole or not at all.

use crate::output::reason;
use crate::quote::quote;
use anyhow::{anyhow, bail};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::Builder;

/// Writes a file beside the one of this name and renames it when its bytes are on the disk.
/// Whatever goes wrong before that, the name has what it had.
///
/// # Errors
/// If it cannot be written: its name and why.
pub fn replace(
    file: &Path,
    write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let said = |error: io::Error| {
        let name = quote(file.as_os_str().as_encoded_bytes());
        anyhow!("{name}: {}", reason(&error))
    };
    // A link keeps its place, and what it leads to is replaced.
    let target = match fs::canonicalize(file) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => file.to_owned(),
        Err(error) => return Err(said(error)),
    };
    let old = match fs::metadata(&target) {
        Ok(old) if !old.is_file() => {
            let name = quote(file.as_os_str().as_encoded_bytes());
            bail!("{name}: is no regular file, which alone can be replaced; name another")
        }
        Ok(old) => {
            // A file that must not be written is not to be replaced either.
            File::options().write(true).open(&target).map_err(said)?;
            Some(old)
        }
        Err(_) => None,
    };
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut builder = Builder::new();
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(target.file_name().unwrap_or_default());
    // The longest name that file systems take has 255 bytes.
    if prefix.len() > 200 {
        prefix = ".list".into();
    }
    prefix.push(".");
    builder.prefix(&prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = old.as_ref().map_or(0o666, |old| old.permissions().mode() & 0o7777);
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    let mut temporary = builder.tempfile_in(&folder).map_err(said)?;
    {
        let mut writer = BufWriter::with_capacity(64 * 1024, temporary.as_file_mut());
        write(&mut writer).map_err(|error| match error.downcast::<io::Error>() {
            Ok(error) => said(error),
            Err(error) => error,
        })?;
        writer.flush().map_err(said)?;
    }
    if let Some(old) = &old {
        // The creation mask took bits away that the old file has.
        temporary.as_file().set_permissions(old.permissions()).map_err(said)?;
    }
    temporary.as_file().sync_all().map_err(said)?;
    temporary.persist(&target).map_err(|error| said(error.error))?;
    // The name itself is on the disk once its folder is; not every file system can be asked.
    if let Ok(folder) = File::open(&folder) {
        let _ = folder.sync_all();
    }
    Ok(())
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
    }
}
