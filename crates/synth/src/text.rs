//! Reads text files of folders that somebody else may have filled.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The most bytes of a file in a core's folder. The largest emitted ones have some millions.
const MOST: u64 = 64 << 20;

/// Reads the text of a regular file. A pipe would be waited for, and a device may have no end.
///
/// # Errors
/// If it is something else, is larger than any file of a core, or cannot be read.
pub fn read_text(file: &Path) -> io::Result<String> {
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::other("is no regular file"));
    }
    let mut text = String::new();
    File::open(file)?.take(MOST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST {
        let why = format!("is larger than {} MiB, which no file of a core is", MOST >> 20);
        return Err(io::Error::other(why));
    }
    Ok(text)
}
