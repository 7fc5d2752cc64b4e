//! Calls of the operating system that the standard library does not offer in one form for every
//! system.

use std::ffi::OsString;
use std::fs::{File, FileType, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A file as it was found when it was opened.
pub enum Opened {
    /// A regular file, with its metadata at that moment.
    Regular(File, Metadata),
    /// A pipe, a terminal or a device. Reading it may block; call [`wait`] first.
    Special(File),
}

/// The identity of a file under any of its names: its file system and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u64, pub u64);

/// Paths that lead to standard input.
const STDIN_PATHS: [&str; 3] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Whether the program was started without standard input, output or error.
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

/// Records which of standard input, output and error the program was started without.
pub fn set_closed(streams: [bool; 3]) {
    for (closed, stream) in CLOSED.iter().zip(streams) {
        closed.store(stream, Relaxed);
    }
    system::keep_closed(streams);
}

fn is_closed(stream: usize) -> bool {
    CLOSED[stream].load(Relaxed)
}

#[cfg(unix)]
mod system {
    use super::{FileId, Opened};
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::fs::{FileType, Mode, OFlags};
    use rustix::io::Errno;
    use std::ffi::OsString;
    use std::fs::{File, Metadata};
    use std::io;
    use std::os::fd::AsFd;
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    use std::os::unix::net::UnixDatagram;
    use std::path::Path;

    /// Puts a socket in place of the `/dev/null` that Rust's runtime opened for closed streams.
    /// Many paths lead to it through a descriptor (`/dev/stdin`, links to it), and reading
    /// `/dev/null` looks like an empty file, while a socket cannot be opened by a path. If no
    /// socket can be made, only the paths of [`STDIN_PATHS`](super::STDIN_PATHS) are refused.
    pub fn keep_closed([stdin, _, stderr]: [bool; 3]) {
        if !(stdin || stderr) {
            return;
        }
        let Ok(socket) = UnixDatagram::unbound() else { return };
        // Child processes that read the socket see its end, as they would with `/dev/null`.
        let _ = socket.shutdown(std::net::Shutdown::Both);
        if stdin {
            let _ = rustix::stdio::dup2_stdin(&socket);
        }
        if stderr {
            let _ = rustix::stdio::dup2_stderr(&socket);
        }
    }

    /// Opens a file for reading and returns at once, whatever it is.
    ///
    /// A plain `open` of a named pipe waits for its writer, and would keep the files that were
    /// read before it waiting too.
    pub fn open(path: &Path) -> io::Result<Opened> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let file = match rustix::fs::open(path, flags | OFlags::NONBLOCK, Mode::empty()) {
            // Another process has a lease on the file: a blocking open waits until it is given up.
            Err(Errno::AGAIN) => rustix::fs::open(path, flags, Mode::empty())?,
            other => other?,
        };
        let file = File::from(file);
        let about = file.metadata()?;
        match about.file_type() {
            kind if kind.is_file() => Ok(Opened::Regular(file, about)),
            kind if kind.is_dir() => Err(Errno::ISDIR.into()),
            _ => Ok(Opened::Special(file)),
        }
    }

    /// Waits until a special file has data to read or has ended, and makes its reads block.
    pub fn wait(file: &File) -> io::Result<()> {
        let mut fds = [PollFd::new(file, PollFlags::IN)];
        while let Err(error) = poll(&mut fds, None) {
            if error != Errno::INTR {
                return Err(error.into());
            }
        }
        let flags = rustix::fs::fcntl_getfl(file)?;
        Ok(rustix::fs::fcntl_setfl(file, flags - OFlags::NONBLOCK)?)
    }

    /// Tells the operating system that a file is going to be read from its beginning to its end.
    pub fn will_read_all(file: &File) {
        #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
        let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::Sequential);
        #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
        let _ = file;
    }

    /// Switches reads of a file to bypass the page cache, or back.
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    pub fn set_direct(file: &File, direct: bool) -> io::Result<()> {
        let mut flags = rustix::fs::fcntl_getfl(file)?;
        flags.set(OFlags::DIRECT, direct);
        Ok(rustix::fs::fcntl_setfl(file, flags)?)
    }

    /// Fails unless `direct` is false: this system cannot read past the page cache.
    #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
    pub fn set_direct(_: &File, direct: bool) -> io::Result<()> {
        if direct { Err(io::ErrorKind::Unsupported.into()) } else { Ok(()) }
    }

    /// Drops the pages of a file from `from` on from the page cache, as far as they are written.
    pub fn drop_cache(file: &File, from: u64) {
        #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
        let _ = rustix::fs::fadvise(file, from, None, rustix::fs::Advice::DontNeed);
        #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
        let _ = (file, from);
    }

    /// Standard input, under a descriptor of its own.
    pub fn stdin() -> io::Result<File> {
        Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
    }

    /// Standard output, under a descriptor of its own.
    pub fn stdout() -> io::Result<File> {
        Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
    }

    /// The error about a closed stream.
    pub fn closed() -> io::Error {
        Errno::BADF.into()
    }

    /// Whether no descriptor was left, to the process (EMFILE) or to the system (ENFILE).
    pub fn lacks_descriptors(error: &io::Error) -> bool {
        [Errno::MFILE, Errno::NFILE]
            .map(|errno| Some(errno.raw_os_error()))
            .contains(&error.raw_os_error())
    }

    /// The device and the inode.
    pub fn file_id(about: &Metadata) -> Option<FileId> {
        Some(FileId(about.dev(), about.ino()))
    }

    /// The number of the file's names (hard links).
    pub fn names(about: &Metadata) -> u64 {
        about.nlink()
    }

    /// When the inode last changed, in nanoseconds since 1970.
    pub fn changed(about: &Metadata) -> i64 {
        about.ctime().saturating_mul(1_000_000_000).saturating_add(about.ctime_nsec())
    }

    /// The regular files that standard output and standard error go to.
    pub fn output_files() -> Vec<FileId> {
        let files = [rustix::fs::fstat(io::stdout()), rustix::fs::fstat(io::stderr())];
        let regular = files
            .into_iter()
            .flatten()
            .filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
        // The types of these fields depend on the system.
        #[allow(clippy::unnecessary_cast)]
        regular.map(|stat| FileId(stat.st_dev as u64, stat.st_ino as u64)).collect()
    }

    /// The permissions with the set-user-ID, set-group-ID and sticky bits.
    pub fn mode(about: &Metadata) -> Option<u32> {
        Some(about.mode() & 0o7777)
    }

    /// The name of the kind of a file that is neither regular nor a folder nor a link.
    pub fn special_kind(kind: std::fs::FileType) -> Option<&'static str> {
        if kind.is_fifo() {
            Some("FIFO")
        } else if kind.is_socket() {
            Some("socket")
        } else {
            (kind.is_block_device() || kind.is_char_device()).then_some("device")
        }
    }

    /// A name of any bytes.
    pub fn name_from_bytes(bytes: Vec<u8>) -> OsString {
        OsString::from_vec(bytes)
    }
}

#[cfg(not(unix))]
mod system {
    use super::{FileId, Opened};
    use std::ffi::OsString;
    use std::fs::{File, FileType, Metadata};
    use std::io;
    use std::path::Path;

    /// Does nothing: this system opens nothing in place of closed streams.
    pub fn keep_closed(_: [bool; 3]) {}

    /// Opens a file for reading. What is no regular file counts as special.
    pub fn open(path: &Path) -> io::Result<Opened> {
        let file = File::open(path)?;
        let about = file.metadata()?;
        if about.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(match about.is_file() {
            true => Opened::Regular(file, about),
            false => Opened::Special(file),
        })
    }

    /// Does nothing: reads of special files wait by themselves.
    pub fn wait(_: &File) -> io::Result<()> {
        Ok(())
    }

    /// Does nothing: the system takes no advice.
    pub fn will_read_all(_: &File) {}

    /// Fails unless `direct` is false: this system cannot read past the page cache.
    pub fn set_direct(_: &File, direct: bool) -> io::Result<()> {
        if direct { Err(io::ErrorKind::Unsupported.into()) } else { Ok(()) }
    }

    /// Does nothing: the system takes no advice.
    pub fn drop_cache(_: &File, _: u64) {}

    /// Standard input, under a handle of its own.
    #[cfg(windows)]
    pub fn stdin() -> io::Result<File> {
        use std::os::windows::io::AsHandle;
        Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
    }

    /// Standard output, under a handle of its own.
    #[cfg(windows)]
    pub fn stdout() -> io::Result<File> {
        use std::os::windows::io::AsHandle;
        Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
    }

    /// The error about a closed stream.
    pub fn closed() -> io::Error {
        io::ErrorKind::BrokenPipe.into()
    }

    /// Always false: no error is known that says so.
    pub fn lacks_descriptors(_: &io::Error) -> bool {
        false
    }

    /// Always `None`: files have no identity here.
    pub fn file_id(_: &Metadata) -> Option<FileId> {
        None
    }

    /// Always 1: other names are not known.
    pub fn names(_: &Metadata) -> u64 {
        1
    }

    /// Always 0: the time is not known.
    pub fn changed(_: &Metadata) -> i64 {
        0
    }

    /// Always empty: it is not known which files these are.
    pub fn output_files() -> Vec<FileId> {
        Vec::new()
    }

    /// Always `None`: files have no permissions of this form.
    pub fn mode(_: &Metadata) -> Option<u32> {
        None
    }

    /// No kind is known.
    pub fn special_kind(_: FileType) -> Option<&'static str> {
        None
    }

    /// A name of bytes that should be UTF-8; others are replaced.
    pub fn name_from_bytes(bytes: Vec<u8>) -> OsString {
        String::from_utf8_lossy(&bytes).into_owned().into()
    }
}

/// Opens a file for reading without waiting for anyone. A directory is an error.
pub fn open(path: &Path) -> io::Result<Opened> {
    refuse_closed_stdin(path)?;
    system::open(path)
}

/// Opens a file for reading, and waits for the writer of a named pipe.
///
/// # Errors
/// If it cannot be opened, or leads to a standard input that the program was started without.
pub fn open_patiently(path: &Path) -> io::Result<File> {
    refuse_closed_stdin(path)?;
    File::open(path)
}

/// Reads a file to its end, or its first `most` bytes.
///
/// # Errors
/// As [`open_patiently`], or if it cannot be read.
pub fn read_at_most(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_patiently(path)?.take(most as u64).read_to_end(&mut content)?;
    Ok(content)
}

/// Refuses a path to a closed standard input, in whose place Rust's runtime opened an empty file.
fn refuse_closed_stdin(path: &Path) -> io::Result<()> {
    let leads_there = STDIN_PATHS.iter().any(|name| path == Path::new(name));
    if is_closed(0) && leads_there { Err(system::closed()) } else { Ok(()) }
}

/// Waits until a [special](Opened::Special) file can be read.
pub fn wait(file: &File) -> io::Result<()> {
    system::wait(file)
}

/// Advises the operating system that all of the file will be read.
pub fn will_read_all(file: &File) {
    system::will_read_all(file);
}

/// Switches reads of a file to bypass the page cache, or back.
///
/// # Errors
/// If the file system cannot bypass it.
pub fn set_direct(file: &File, direct: bool) -> io::Result<()> {
    system::set_direct(file, direct)
}

/// Drops a file's bytes from `from` on from the page cache, where the system can.
pub fn drop_cache(file: &File, from: u64) {
    system::drop_cache(file, from);
}

/// Standard input, unbuffered.
///
/// # Errors
/// If the program was started without it.
pub fn stdin() -> io::Result<File> {
    if is_closed(0) { Err(system::closed()) } else { system::stdin() }
}

/// Standard output, unbuffered.
///
/// # Errors
/// If the program was started without it.
pub fn stdout() -> io::Result<File> {
    if is_closed(1) { Err(system::closed()) } else { system::stdout() }
}

/// Whether a file could not be opened because too many files are open.
pub fn lacks_descriptors(error: &io::Error) -> bool {
    system::lacks_descriptors(error)
}

/// The identity of a file, where the system has one.
pub fn file_id(about: &Metadata) -> Option<FileId> {
    system::file_id(about)
}

/// The target of a symbolic link, as bytes.
pub fn link_target(path: &Path) -> io::Result<Vec<u8>> {
    Ok(std::fs::read_link(path)?.into_os_string().into_encoded_bytes())
}

/// Returns the number of a file's names, where the system states it.
pub fn names(about: &Metadata) -> u64 {
    system::names(about)
}

/// When a file's inode last changed, in nanoseconds since 1970; 0 where the system does not say.
pub fn changed(about: &Metadata) -> i64 {
    system::changed(about)
}

/// The regular files that standard output and standard error are written to.
pub fn output_files() -> Vec<FileId> {
    system::output_files()
}

/// The word for a file that is no regular file, directory or link: a FIFO, a socket or a device.
pub fn special_kind(kind: FileType) -> Option<&'static str> {
    system::special_kind(kind)
}

/// The permission bits of a file, where there are such.
pub fn mode(about: &Metadata) -> Option<u32> {
    system::mode(about)
}

/// The file name that these bytes spell.
pub fn name_from_bytes(bytes: Vec<u8>) -> OsString {
    system::name_from_bytes(bytes)
}
