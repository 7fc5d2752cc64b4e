//! The kind of an entry of a folder.

use crate::system::os;
use std::fs::FileType;

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Folder,
    /// A symbolic link.
    Link,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A block or character device.
    Device,
    /// Something that the system has no word for.
    Other,
}

impl EntryKind {
    const ALL: [Self; 7] =
        [Self::File, Self::Folder, Self::Link, Self::Fifo, Self::Socket, Self::Device, Self::Other];

    /// Translates the system's type.
    pub fn of(kind: FileType) -> Self {
        if kind.is_file() {
            Self::File
        } else if kind.is_dir() {
            Self::Folder
        } else if kind.is_symlink() {
            Self::Link
        } else {
            match os::special_kind(kind) {
                Some("FIFO") => Self::Fifo,
                Some("socket") => Self::Socket,
                Some(_) => Self::Device,
                None => Self::Other,
            }
        }
    }

    /// The word for a file that is neither a regular file nor a folder nor a link.
    pub fn special(self) -> Option<&'static str> {
        match self {
            Self::Fifo => Some("FIFO"),
            Self::Socket => Some("socket"),
            Self::Device => Some("device"),
            Self::File | Self::Folder | Self::Link | Self::Other => None,
        }
    }

    /// The number of this kind in a temporary file.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The kind with this number.
    pub fn from_number(number: u8) -> Self {
        Self::ALL[usize::from(number).min(Self::ALL.len() - 1)]
    }
}
