//! Temporary files and databases, for what may be larger than memory and what programs print.

use super::limits;
use anyhow::{Context, anyhow};
use rusqlite::{Connection, ErrorCode};
use std::fs::File;
use std::io;

/// Makes a temporary database of this schema. Up to 12 MB of it are in memory, the rest is in a
/// file that disappears with the program.
///
/// # Errors
/// If there is no place for it.
pub fn database(schema: &str) -> anyhow::Result<Connection> {
    limits::survive_file_limits();
    // The empty name stands for a temporary file.
    let database = Connection::open("").map_err(said)?;
    let settings = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; \
                    PRAGMA cache_size = -12000; PRAGMA temp_store = FILE; \
                    PRAGMA locking_mode = EXCLUSIVE;";
    database.execute_batch(settings).map_err(said)?;
    database.execute_batch(schema).map_err(said)?;
    Ok(database)
}

/// Makes a temporary file that disappears with the program, in the folder of the temporary
/// databases.
///
/// # Errors
/// If there is no place for it.
pub fn file() -> io::Result<File> {
    limits::survive_file_limits();
    match std::env::var_os("SQLITE_TMPDIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => tempfile::tempfile_in(folder),
        None => tempfile::tempfile(),
    }
}

/// Checks that there is a place for temporary files, which receive the output of compilers and
/// other tools. Without it each of these tools would seem to fail at its start.
///
/// # Errors
/// If there is none.
pub fn check() -> anyhow::Result<()> {
    limits::survive_file_limits();
    let folder = std::env::temp_dir();
    let why = || format!("no temporary file in {}; set TMPDIR to a folder", folder.display());
    tempfile::tempfile().map(drop).with_context(why)
}

/// Explains a failure of a temporary database.
pub fn said(error: rusqlite::Error) -> anyhow::Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => anyhow!(
            "no space for the temporary table of names; SQLITE_TMPDIR names another folder for it"
        ),
        _ => anyhow!("the temporary table of names: {error}"),
    }
}
