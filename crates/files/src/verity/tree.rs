//! Files that are written: trees, headers and descriptors.

use super::data::{Data, of_file, title};
use super::parameters::TreeParameters;
use crate::system::os;
use anyhow::bail;
use manylane_engine::tree::VerityBlock;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

/// A file to be written, and whether an existing one may be replaced.
#[derive(Clone, Copy, Debug)]
pub struct Target<'t> {
    /// Its name.
    pub path: &'t Path,
    /// Whether a file of this name is replaced.
    pub force: bool,
}

impl<'t> Target<'t> {
    /// The file that an option names.
    pub fn of(path: Option<&'t Path>, force: bool) -> Option<Self> {
        path.map(|path| Self { path, force })
    }
}

/// A new file, which gets its name when it is whole.
pub struct TreeFile<'t> {
    target: &'t Target<'t>,
    /// Whether no file had this name before.
    is_new: bool,
    made: NamedTempFile,
    block_bytes: u64,
    /// Byte at which each level begins in the file, level 0 first.
    levels: Vec<u64>,
    written: io::Result<()>,
}

impl<'t> TreeFile<'t> {
    /// Makes a temporary file for something that is computed from the data.
    pub fn create(target: &'t Target<'t>, data: &Data) -> anyhow::Result<Self> {
        refuse_existing(data, target)?;
        let folder = match target.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = Builder::new();
        builder.prefix(".manylane-");
        // The file gets the usual permissions of new files, not those of a temporary one.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let made = builder.tempfile_in(folder).map_err(|error| of_file(target.path, &error))?;
        let is_new = target.path.symlink_metadata().is_err();
        Ok(Self { target, is_new, made, block_bytes: 0, levels: Vec::new(), written: Ok(()) })
    }

    /// Begins the tree over `blocks` blocks of data with the header that precedes it.
    pub fn begin(&mut self, form: &TreeParameters, blocks: u64, header: &[u8]) {
        self.block_bytes = form.block_bytes as u64;
        let slot = form.algorithm.digest_bytes().next_power_of_two() as u64;
        let (mut counts, mut count) = (Vec::new(), blocks);
        while count > 1 {
            count = count.div_ceil(self.block_bytes / slot);
            counts.push(count);
        }
        // The highest level comes first in the file.
        let above = |level: usize| counts[level + 1..].iter().sum::<u64>();
        let begin = |level| header.len() as u64 + above(level) * self.block_bytes;
        self.levels = (0..counts.len()).map(begin).collect();
        self.write_at(0, header);
    }

    /// Writes a block of digests to its place. An error is reported when the file is finished.
    pub fn write(&mut self, block: VerityBlock) {
        // A file that grows while it is read may give blocks of more levels.
        if let Some(level) = self.levels.get(block.level).copied() {
            self.write_at(level + block.index * self.block_bytes, block.bytes);
        }
    }

    /// Writes bytes to their place. An error is reported when the file is finished.
    pub fn write_at(&mut self, at: u64, bytes: &[u8]) {
        if self.written.is_ok() {
            let there = self.made.seek(SeekFrom::Start(at));
            self.written = there.and_then(|_| self.made.write_all(bytes));
        }
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> anyhow::Result<()> {
        self.complete()?;
        self.publish()
    }

    /// Returns the first error of writing, before the file gets its name.
    fn complete(&mut self) -> anyhow::Result<()> {
        let written = std::mem::replace(&mut self.written, Ok(()));
        written.map_err(|error| of_file(self.target.path, &error))
    }

    fn publish(self) -> anyhow::Result<()> {
        let Self { target, made, .. } = self;
        let in_target = |error: io::Error| of_file(target.path, &error);
        match target.force {
            true => made.persist(target.path).map_err(|error| in_target(error.error))?,
            false => made.persist_noclobber(target.path).map_err(|error| in_target(error.error))?,
        };
        Ok(())
    }
}

/// Gives the files their names once all are complete. If one cannot get its name, those that are
/// new are removed.
pub fn finish_all<'t>(files: impl IntoIterator<Item = TreeFile<'t>>) -> anyhow::Result<()> {
    let mut files: Vec<_> = files.into_iter().collect();
    files.iter_mut().try_for_each(TreeFile::complete)?;
    let mut new = Vec::new();
    for file in files {
        let (path, is_new) = (file.target.path, file.is_new);
        if let Err(error) = file.publish() {
            new.into_iter().for_each(|path: &Path| _ = std::fs::remove_file(path));
            return Err(error);
        }
        new.extend(is_new.then_some(path));
    }
    Ok(())
}

/// Refuses to write over a file that may not be replaced, over the data, and over anything but a
/// regular file.
fn refuse_existing(data: &Data, target: &Target) -> anyhow::Result<()> {
    let path = target.path;
    let Ok(found) = std::fs::metadata(path) else { return Ok(()) };
    if !found.is_file() {
        bail!("{}: is no regular file; name a new one", title(path));
    }
    let id = os::file_id(&found);
    if id.is_some() && id == data.file.metadata().ok().as_ref().and_then(os::file_id) {
        bail!("{}: is the data, {}; name another file", title(path), title(data.name));
    }
    match target.force {
        true => Ok(()),
        false => bail!("{}: exists already; name another, or say --force", title(path)),
    }
}
