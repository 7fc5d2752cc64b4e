//! A core's folder as it stands now, whoever has edited it, for a proof of its text.

use crate::text::read_text;
use manylane_emit::prove::text::{Fault, Source};
use manylane_emit::rtl::Datasheet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Where the hardware's text is.
const RTL: &str = "rtl";

/// A fault of a file.
fn wrong(file: &str, why: &str) -> Fault {
    Fault { file: Some(file.to_owned()), ..of_folder(why.to_owned()) }
}

/// A fault of the folder itself.
fn of_folder(why: String) -> Fault {
    Fault { file: None, line: None, signal: None, why }
}

/// The datasheet, and the version of manylane that made the folder, if it says so.
///
/// # Errors
/// If it is missing or damaged.
pub fn datasheet(folder: &Path) -> Result<(Datasheet, Option<String>), Fault> {
    let text = match read_text(&folder.join(Datasheet::FILE)) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            let why = "has no core.json: name a folder that `manylane emit rtl` wrote";
            return Err(of_folder(why.to_owned()));
        }
        Err(error) => {
            return Err(wrong(Datasheet::FILE, &format!("{error}; emit the core again")));
        }
    };
    Datasheet::read(&text).map_err(|error| {
        let why = format!("is damaged, or of another version; emit the core again: {error}");
        wrong(Datasheet::FILE, &why)
    })
}

/// The files of a folder's hardware: these, and no other.
///
/// # Errors
/// If one of them is missing or is no text, or the folder has others.
pub fn hardware(folder: &Path, wanted: &[String]) -> Result<Vec<Source>, Fault> {
    let in_rtl = |error: io::Error| of_folder(format!("{RTL}: {error}"));
    let rtl = folder.join(RTL);
    if !fs::symlink_metadata(&rtl).map_err(in_rtl)?.is_dir() {
        let why = "is no folder of its own: a proof is about files in the core's folder";
        return Err(of_folder(format!("{RTL} {why}")));
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(&rtl).map_err(in_rtl)? {
        let name = entry.map_err(in_rtl)?.file_name();
        found.push(format!("{RTL}/{}", name.to_string_lossy()));
    }
    found.sort();
    if let Some(other) = found.iter().find(|file| !wanted.contains(file)) {
        return Err(wrong(other, "does not belong to the core: take it away"));
    }
    let read = |file: &String| {
        let path = folder.join(file);
        let unread = |error: io::Error| wrong(file, &format!("{error}; emit the core again"));
        let about = fs::symlink_metadata(&path).map_err(unread)?;
        if !about.is_file() {
            return Err(wrong(file, "is no regular file: a proof is about files in the folder"));
        }
        let text = match read_text(&path) {
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                return Err(wrong(file, "is no text in UTF-8; emit the core again"));
            }
            other => other.map_err(unread)?,
        };
        if text.trim().is_empty() {
            return Err(wrong(file, "is empty; emit the core again"));
        }
        Ok(Source { file: file.clone(), text })
    };
    wanted.iter().map(read).collect()
}
