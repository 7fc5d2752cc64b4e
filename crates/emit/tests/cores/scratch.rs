//! Folders for what simulators and tools write.

use std::path::PathBuf;

/// Where the running test has its files of this title: tests run side by side, some on the same
/// core.
pub fn folder(title: &str) -> PathBuf {
    let test = std::thread::current().name().unwrap_or_default().replace("::", "-");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test).join(title);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
