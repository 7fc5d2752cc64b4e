//! The list that a folder is compared with, as it is read.

use crate::lists::checkfile::Parser;
use crate::lists::ledger::Ledger;
use crate::lists::manifest::{Item, ListFormat, Reader};
use crate::quote::quote;
use crate::system::os;
use crate::system::reason;
use crate::system::scratch;
use crate::walk::Key;
use anyhow::{anyhow, bail};
use manylane_engine::Algorithm;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A list as it was read.
pub struct Loaded {
    /// The files that it names.
    pub ledger: Ledger,
    /// The algorithms of the list's digests.
    pub algorithms: Vec<Algorithm>,
    /// Whether the list itself names the algorithms.
    pub names_them: bool,
}

/// Reads the list that describes a folder, with the names in it as keys. Passes `complain` the
/// message about the first line that cannot be read.
///
/// # Errors
/// If the list cannot be read, has such a line, or describes another folder.
pub fn load(
    list: &Path,
    folder: &Path,
    parser: Parser,
    complain: impl FnOnce(&str),
) -> anyhow::Result<Loaded> {
    let mut complain = Some(complain);
    let title = match list == Path::new("-") {
        true => "standard input".to_owned(),
        false => quote(list.as_os_str().as_encoded_bytes()),
    };
    let copy = copy(list, &title)?;
    let list = copy.as_ref().map_or(list, NamedTempFile::path);
    let base = base(list, folder, parser.clone())?;
    let within = Key::of(folder);
    let mut reader = Reader::open(list, parser)?;
    let ledger = Ledger::new()?;
    let (mut files, mut inside) = (0u64, 0u64);
    let mut faults = 0u64;
    while let Some(item) = reader.next_item()? {
        match item {
            Item::Comment(_) => {}
            Item::Fault(number, why) => {
                faults += 1;
                if let Some(complain) = complain.take() {
                    complain(&format!("{title}: {number}: {why}"));
                }
            }
            Item::Record(record) => {
                files += 1;
                let name = PathBuf::from(os::name_from_bytes(record.name.clone()));
                let key = Key::below(&base, &name);
                inside += u64::from(key.is_in(&within));
                if !ledger.list(&key, &record)? {
                    bail!(
                        "{title}: names {} twice, with different digests: remove the wrong one",
                        quote(&record.name)
                    );
                }
            }
        }
    }
    if files == 0 {
        bail!("{title}: no properly formatted checksum lines found");
    }
    if faults > 0 {
        let lines = if faults == 1 { "line is" } else { "lines are" };
        bail!(
            "{title}: {faults} {lines} improperly formatted, so that files may be left out; mend \
             LIST first"
        );
    }
    if inside == 0 {
        bail!(
            "{title}: none of its names ({files}) is in {}: name the folder that it describes",
            quote(folder.as_os_str().as_encoded_bytes())
        );
    }
    ledger.index()?;
    let algorithms = ledger.algorithms()?;
    let names_them = reader.form().is_some_and(|form| form != ListFormat::Gnu);
    Ok(Loaded { ledger, algorithms, names_them })
}

/// A copy of a list that can be read only once: a pipe, or for `-` standard input.
fn copy(list: &Path, title: &str) -> anyhow::Result<Option<NamedTempFile>> {
    let said = |error: io::Error| anyhow!("{title}: {}", reason(&error));
    let opened = match list == Path::new("-") {
        true => os::stdin(),
        false => File::open(list),
    };
    let mut file = opened.map_err(said)?;
    let about = file.metadata().map_err(said)?;
    if list != Path::new("-") && (about.is_file() || about.is_dir()) {
        return Ok(None);
    }
    scratch::check()?;
    let mut copy = NamedTempFile::new().map_err(said)?;
    io::copy(&mut file, &mut copy).map_err(said)?;
    Ok(Some(copy))
}

/// Returns the folder to which the names in a list are relative: the current folder if one of the
/// names then lies in DIR; otherwise DIR, or the folder that DIR is in if DIR is a file.
fn base(list: &Path, folder: &Path, parser: Parser) -> anyhow::Result<PathBuf> {
    let (here, within) = (PathBuf::new(), Key::of(folder));
    if within == Key::of(Path::new(".")) {
        return Ok(here);
    }
    let mut reader = Reader::open(list, parser)?;
    while let Some(item) = reader.next_item()? {
        if let Item::Record(record) = item
            && Key::of(Path::new(&os::name_from_bytes(record.name))).is_in(&within)
        {
            return Ok(here);
        }
    }
    let is_file = folder.metadata().is_ok_and(|about| !about.is_dir());
    let around = folder.parent().filter(|_| is_file);
    Ok(around.unwrap_or(folder).to_owned())
}
