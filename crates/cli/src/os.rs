//! What the standard library does not say in the same words on every system.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;

/// A file as it was found when it was opened.
pub enum Opened {
    /// A regular file and its size in bytes at that moment.
    Regular(File, u64),
    /// A pipe, a terminal, a device: reading it may wait, and one must [`wait`] before it.
    Special(File),
}

#[cfg(unix)]
mod system {
    use super::Opened;
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::fs::{FileType, Mode, OFlags};
    use rustix::io::Errno;
    use std::ffi::OsString;
    use std::fs::File;
    use std::io;
    use std::os::fd::AsFd;
    use std::os::unix::ffi::OsStringExt;
    use std::path::Path;

    /// Opens a file for reading and returns at once, whatever it is.
    ///
    /// A plain `open` of a named pipe waits for its writer, and would keep the files that were
    /// read before it waiting too.
    pub fn open(path: &Path) -> io::Result<Opened> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let file = match rustix::fs::open(path, flags | OFlags::NONBLOCK, Mode::empty()) {
            // A lease on the file is to be broken first.
            Err(Errno::AGAIN) => rustix::fs::open(path, flags, Mode::empty())?,
            other => other?,
        };
        let stat = rustix::fs::fstat(&file)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(Opened::Regular(file.into(), stat.st_size as u64)),
            FileType::Directory => Err(Errno::ISDIR.into()),
            _ => Ok(Opened::Special(file.into())),
        }
    }

    /// Waits until a special file has something to read or has ended, and makes its reads wait.
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

    pub fn stdin() -> io::Result<File> {
        Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
    }

    pub fn stdout() -> io::Result<File> {
        Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
    }

    pub fn name_from_bytes(bytes: Vec<u8>) -> OsString {
        OsString::from_vec(bytes)
    }
}

#[cfg(not(unix))]
mod system {
    use super::Opened;
    use std::ffi::OsString;
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub fn open(path: &Path) -> io::Result<Opened> {
        let file = File::open(path)?;
        let about = file.metadata()?;
        if about.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(match about.is_file() {
            true => Opened::Regular(file, about.len()),
            false => Opened::Special(file),
        })
    }

    pub fn wait(_: &File) -> io::Result<()> {
        Ok(())
    }

    pub fn will_read_all(_: &File) {}

    #[cfg(windows)]
    pub fn stdin() -> io::Result<File> {
        use std::os::windows::io::AsHandle;
        Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
    }

    #[cfg(windows)]
    pub fn stdout() -> io::Result<File> {
        use std::os::windows::io::AsHandle;
        Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
    }

    pub fn name_from_bytes(bytes: Vec<u8>) -> OsString {
        String::from_utf8_lossy(&bytes).into_owned().into()
    }
}

/// Opens a file for reading without waiting for anyone. A directory is an error.
pub fn open(path: &Path) -> io::Result<Opened> {
    system::open(path)
}

/// Waits until a [special](Opened::Special) file can be read.
pub fn wait(file: &File) -> io::Result<()> {
    system::wait(file)
}

/// Advises the operating system that all of the file will be read.
pub fn will_read_all(file: &File) {
    system::will_read_all(file);
}

/// Standard input, unbuffered.
pub fn stdin() -> io::Result<File> {
    system::stdin()
}

/// Standard output, unbuffered.
pub fn stdout() -> io::Result<File> {
    system::stdout()
}

/// The file name that these bytes spell.
pub fn name_from_bytes(bytes: Vec<u8>) -> OsString {
    system::name_from_bytes(bytes)
}
