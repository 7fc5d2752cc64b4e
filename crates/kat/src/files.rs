//! Where the vectors are: the folder that `MANYLANE_VECTORS` names, else `../shared/vectors` beside
//! the workspace.
//!
//! Without it a reader says on stderr which file it skips and gives no records, so that the crates
//! can be tested by anyone. Where `CI` or `MANYLANE_REQUIRE_VECTORS` is set it panics instead.

use crate::Error;
use flate2::read::MultiGzDecoder;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The folder of vectors, or nothing (see the [module](self)).
pub fn folder() -> Option<PathBuf> {
    find("the test vectors")
}

/// The content of `file`, a path relative to the [`folder`], with `.gz` or without: whichever of
/// the two is there is read, and decompressed.
pub fn read(file: &str) -> Result<Option<Vec<u8>>, Error> {
    match find(file) {
        None => Ok(None),
        Some(folder) => read_in(&folder, file)
            .map(Some)
            .map_err(|source| Error::Read { file: file.into(), source }),
    }
}

/// The records of `file`, none if it is skipped.
///
/// # Panics
/// If the file is there but cannot be read.
pub(crate) fn load<T: Default>(
    file: &str,
    parse: impl FnOnce(&str, &[u8]) -> Result<T, Error>,
) -> T {
    match read(file).and_then(|content| content.map(|bytes| parse(file, &bytes)).transpose()) {
        Ok(records) => records.unwrap_or_default(),
        Err(error) => panic!("{error}"),
    }
}

/// As [`load`], for files of text.
pub(crate) fn load_text<T: Default>(
    file: &str,
    parse: impl FnOnce(&str, &str) -> Result<T, Error>,
) -> T {
    load(file, |file, bytes| match std::str::from_utf8(bytes) {
        Ok(text) => parse(file, text),
        Err(error) => {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
            Err(Error::line(file, line, "not UTF-8"))
        }
    })
}

fn find(wanted: &str) -> Option<PathBuf> {
    let folder = env::var_os("MANYLANE_VECTORS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors"),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    let missing = format!("no folder {} (set MANYLANE_VECTORS)", folder.display());
    if is_set(env::var_os("CI")) || is_set(env::var_os("MANYLANE_REQUIRE_VECTORS")) {
        panic!("{wanted}: {missing}");
    }
    eprintln!("skipped {wanted}: {missing}");
    None
}

fn is_set(variable: Option<OsString>) -> bool {
    variable.is_some_and(|value| !value.is_empty() && value != "0" && value != "false")
}

fn read_in(folder: &Path, file: &str) -> io::Result<Vec<u8>> {
    let plain = folder.join(file.strip_suffix(".gz").unwrap_or(file));
    if plain.is_file() {
        return fs::read(plain);
    }
    let mut compressed = plain.into_os_string();
    compressed.push(".gz");
    let mut content = Vec::new();
    MultiGzDecoder::new(fs::File::open(compressed)?).read_to_end(&mut content)?;
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    #[test]
    fn compressed_files_are_found_by_either_name() {
        let folder = env::temp_dir().join(format!("manylane-kat-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("plain.txt"), b"plain").unwrap();
        let file = fs::File::create(folder.join("small.txt.gz")).unwrap();
        let mut encoder = GzEncoder::new(file, Compression::best());
        encoder.write_all(b"small").unwrap();
        encoder.finish().unwrap();
        for (name, content) in [
            ("plain.txt", "plain"),
            ("plain.txt.gz", "plain"),
            ("small.txt", "small"),
            ("small.txt.gz", "small"),
        ] {
            assert_eq!(read_in(&folder, name).unwrap(), content.as_bytes(), "{name}");
        }
        assert!(read_in(&folder, "absent.txt").is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn variables_are_switches() {
        for (value, set) in
            [(None, false), (Some(""), false), (Some("0"), false), (Some("false"), false)]
                .into_iter()
                .chain([(Some("1"), true), (Some("true"), true)])
        {
            assert_eq!(is_set(value.map(OsString::from)), set, "{value:?}");
        }
    }
}
