//! Opening a database of the program's own, and telling it from others' files.

use super::store::Row;
use crate::quote::quote;
use crate::system::reason;
use crate::system::{atomic, limits};
use anyhow::{anyhow, bail};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A kind of database.
pub struct DatabaseKind {
    /// Its name in messages.
    pub title: &'static str,
    /// SQLite's field for telling kinds of databases apart.
    pub application: i32,
    /// The version of the tables; others are refused.
    pub version: i32,
    /// Makes the tables.
    pub schema: &'static str,
    /// The remedy if a database of this kind cannot be used.
    pub remedy: &'static str,
    /// The remedy if the fault is not in the file but in its location, such as a disk.
    pub elsewhere: &'static str,
    /// The remedy for a file that is no database of this kind and must not be removed.
    pub foreign: &'static str,
    /// Whether concurrent runs share the database; otherwise one run at a time has it.
    pub shared: bool,
}

/// How long a run waits for others that write the same database.
const BUSY: Duration = Duration::from_secs(60);
/// How long a run waits before it repeats a request for which SQLite itself does not wait.
const PAUSE: Duration = Duration::from_millis(2);
/// The first bytes of every database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Refuses a file that is no database of this kind, or a damaged one.
///
/// # Errors
/// If the file exists and is not of this kind, is damaged, or cannot be read.
pub fn refuse_others(file: &Path, kind: &DatabaseKind) -> anyhow::Result<()> {
    let name = quote(file.as_os_str().as_encoded_bytes());
    let DatabaseKind { title, remedy, foreign, .. } = kind;
    // Opening a pipe would wait for its writer.
    if fs::metadata(file).is_ok_and(|about| !about.is_file()) {
        bail!("{name}: is no {title} but another kind of file; {foreign}");
    }
    match File::open(file) {
        Ok(mut found) => {
            let about = found.metadata()?;
            let mut header = [0; 100];
            // SQLite itself would write over a short file.
            let is_database = found.read_exact(&mut header).is_ok() && header.starts_with(MAGIC);
            if about.len() > 0 && !is_database {
                bail!("{name}: is no {title} of manylane; {foreign}");
            }
            if is_database && is_cut(file, &header, about.len()) {
                bail!("{name}: this {title} is damaged: its end is missing; {remedy}");
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => bail!("{name}: {}", reason(&error)),
    }
    Ok(())
}

/// Opens a database, and makes it if there is none.
///
/// # Errors
/// If the file is not of this kind, is damaged, or cannot be read and written.
pub fn open(file: &Path, kind: &DatabaseKind) -> anyhow::Result<Connection> {
    refuse_others(file, kind)?;
    let name = quote(file.as_os_str().as_encoded_bytes());
    let DatabaseKind { title, remedy, foreign, .. } = kind;
    limits::survive_file_limits();
    // To SQLite some names have a special meaning, but absolute paths never do.
    let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let said = |error: rusqlite::Error| match error.sqlite_error_code() {
        // SQLite does not say why it cannot open the file, but the probe does.
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) => match atomic::probe(file) {
            Err(why) => anyhow!("{why}; {foreign}"),
            Ok(()) => anyhow!("{name}: {}", explain(&error, file, kind)),
        },
        _ => anyhow!("{name}: {}", explain(&error, file, kind)),
    };
    let mut database = Connection::open_with_flags(&path, flags).map_err(said)?;
    if kind.shared {
        database.busy_timeout(BUSY).map_err(said)?;
    } else {
        database.busy_timeout(Duration::ZERO).map_err(said)?;
        database.pragma_update(None, "locking_mode", "exclusive").map_err(said)?;
    }
    let begun = database.transaction_with_behavior(TransactionBehavior::Immediate);
    let transaction = begun.map_err(said)?;
    let field = |name: &str| transaction.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let tables = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = transaction.query_row(tables, [], |row| row.get(0)).map_err(said)?;
    let (application, version) =
        (field("application_id").map_err(said)?, field("user_version").map_err(said)?);
    if tables == 0 && application == 0 {
        transaction.execute_batch(kind.schema).map_err(said)?;
        transaction.pragma_update(None, "application_id", kind.application).map_err(said)?;
        transaction.pragma_update(None, "user_version", kind.version).map_err(said)?;
    } else if application != kind.application {
        bail!("{name}: is another program's database, no {title} of manylane; {foreign}");
    } else if version != kind.version {
        bail!("{name}: is a {title} of another version of manylane ({version}); {remedy}");
    }
    transaction.commit().map_err(said)?;
    write_ahead(&database, kind).map_err(said)?;
    database.pragma_update(None, "synchronous", "NORMAL").map_err(said)?;
    Ok(database)
}

/// Switches to the write-ahead log: readers and one writer at a time do not wait for each other,
/// and a commit that was cut off is as if it had never begun. File systems that cannot do this keep
/// the default mode.
///
/// The switch needs exclusive access, which SQLite requests only once, whatever its timeout. So
/// runs that begin together have to repeat the request.
fn write_ahead(database: &Connection, kind: &DatabaseKind) -> rusqlite::Result<()> {
    let deadline = Instant::now() + BUSY;
    loop {
        let mode = database.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()));
        match mode {
            Err(error) if kind.shared && is_busy(&error) && Instant::now() < deadline => {
                std::thread::sleep(PAUSE);
            }
            mode => return mode,
        }
    }
}

/// Whether an error says that somebody else has locked the database.
fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Returns a row that was read, if column `at` has its check value.
pub fn checked(found: Row, row: &rusqlite::Row, at: usize) -> rusqlite::Result<Row> {
    let check: Vec<u8> = row.get(at)?;
    match found.check() == check {
        true => Ok(found),
        false => Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT),
            None,
        )),
    }
}

/// Whether a database is shorter than its header says (SQLite's file format, §1.3), and no journal
/// beside it can have the rest.
fn is_cut(file: &Path, header: &[u8; 100], bytes: u64) -> bool {
    let number = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|i| header[at + i]));
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 1 << 16,
        page => u64::from(page),
    };
    // The header's number of pages is valid only if it was written with the last change.
    let pages = if number(24) == number(92) { u64::from(number(28)) } else { 0 };
    let has_journal = ["-wal", "-journal"].iter().any(|end| {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        fs::metadata(name).is_ok_and(|about| about.len() > 0)
    });
    bytes < pages * page && !has_journal
}

/// Explains an error of the database in this file, with a remedy if the file itself is at fault.
pub fn explain(error: &rusqlite::Error, file: &Path, kind: &DatabaseKind) -> String {
    let DatabaseKind { title, remedy, .. } = kind;
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt) => format!("this {title} is damaged; {remedy}"),
        Some(ErrorCode::NotADatabase) => format!("is no {title} of manylane; {remedy}"),
        _ if is_busy(error) => match kind.shared {
            true => "another program has kept it locked for too long".to_owned(),
            false => format!("another run is using this {title}; wait for its end"),
        },
        Some(ErrorCode::DiskFull) => "No space left on device".to_owned(),
        Some(ErrorCode::ReadOnly) => "cannot be written".to_owned(),
        // SQLite reports a limit on the size of files like a faulty disk.
        Some(ErrorCode::SystemIoFailure) => match limits::file_bytes() {
            Some(most) if largest(file).saturating_add(STEP) > most => format!(
                "File too large: a file may have {most} bytes here; raise the limit, ulimit -f"
            ),
            _ => format!("{error}; if the disk is in order, {}", kind.elsewhere),
        },
        _ => error.to_string(),
    }
}

/// The most bytes by which SQLite extends one of its files at a time.
const STEP: u64 = 1 << 16;

/// Bytes of the largest file of a database.
fn largest(file: &Path) -> u64 {
    let sizes = ["", "-wal", "-shm", "-journal"].map(|end| {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        fs::metadata(name).map_or(0, |about| about.len())
    });
    sizes.into_iter().max().unwrap_or(0)
}

/// Removes a database with the files that SQLite keeps beside it.
pub fn remove(file: &Path) -> std::io::Result<()> {
    for end in ["-wal", "-shm"] {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        let _ = fs::remove_file(PathBuf::from(name));
    }
    fs::remove_file(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: DatabaseKind = DatabaseKind {
        title: "database",
        application: 1,
        version: 1,
        schema: "CREATE TABLE t (a)",
        remedy: "",
        elsewhere: "",
        foreign: "",
        shared: true,
    };

    /// One run switches the mode after another has begun to write, as happens if both create the
    /// database.
    #[test]
    fn a_switch_of_mode_waits_for_a_writer() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new");
        let writer = Connection::open(&file).unwrap();
        writer.execute_batch("CREATE TABLE t (a); BEGIN IMMEDIATE").unwrap();
        std::thread::scope(|scope| {
            let switching = scope.spawn(|| {
                let database = Connection::open(&file).unwrap();
                database.busy_timeout(BUSY).unwrap();
                write_ahead(&database, &KIND)
            });
            std::thread::sleep(Duration::from_millis(200));
            assert!(!switching.is_finished(), "{:?}", switching.join());
            writer.execute_batch("COMMIT").unwrap();
            switching.join().unwrap().unwrap();
        });
        let other = Connection::open(&file).unwrap();
        let mode = other.pragma_query_value(None, "journal_mode", |row| row.get::<_, String>(0));
        assert_eq!(mode.unwrap(), "wal");
    }
}
