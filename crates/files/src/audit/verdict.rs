//! The verdict on a file that was found.

use crate::hashing::Seen;
use crate::lists::ledger::{Listed, State};
use std::io;

/// The verdict of an audit on a file.
// The documentation of a value would be printed by --help, where the words are explained already.
#[expect(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum VerdictKind {
    /// As the list says.
    #[cfg_attr(feature = "clap", value(skip))]
    Ok,
    Changed,
    /// Other content under the size and time of modification of the list.
    #[cfg_attr(feature = "clap", value(skip))]
    Bitrot,
    Moved,
    Duplicate,
    New,
    Missing,
    /// The file could not be read, or changed while it was read.
    #[cfg_attr(feature = "clap", value(skip))]
    Unreadable,
}

impl VerdictKind {
    /// All, in the order of the totals.
    pub const ALL: [Self; 8] = [
        Self::Ok,
        Self::Changed,
        Self::Bitrot,
        Self::Moved,
        Self::Duplicate,
        Self::New,
        Self::Missing,
        Self::Unreadable,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Changed => "CHANGED",
            Self::Bitrot => "BITROT",
            Self::Moved => "MOVED",
            Self::Duplicate => "DUPLICATE",
            Self::New => "NEW",
            Self::Missing => "MISSING",
            Self::Unreadable => "UNREADABLE",
        }
    }
}

impl VerdictKind {
    /// The verdict by size alone: on a listed file whose size differs, or on a file that is not
    /// listed and whose size no listed file has.
    pub fn by_size(listed: Option<&Listed>) -> Self {
        if listed.is_some() { Self::Changed } else { Self::New }
    }

    /// The state of a listed file with this verdict.
    pub fn state(self) -> State {
        match self {
            Self::Ok => State::Good,
            Self::Unreadable => State::Unread,
            _ => State::Other,
        }
    }
}

/// The verdict on a file that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A final verdict.
    Kind(VerdictKind),
    /// None yet: the file is listed, and was removed after the walk found it.
    Gone,
    /// None yet: the file is not listed, and may be a copy of a listed one.
    Unlisted,
}

impl Verdict {
    /// The verdict on a file with these digests; `rotten` says that the cache knows another content
    /// under the same size and times.
    pub fn of(
        digests: &io::Result<Vec<Vec<u8>>>,
        listed: Option<&Listed>,
        seen: Option<&Seen>,
        (changed, rotten): (bool, bool),
    ) -> Self {
        match (digests, listed) {
            _ if changed => Self::Kind(VerdictKind::Unreadable),
            (Err(error), Some(_)) if error.kind() == io::ErrorKind::NotFound => Self::Gone,
            (Err(_), _) => Self::Kind(VerdictKind::Unreadable),
            (Ok(digests), Some(Listed { record, .. })) => {
                let same = record.digests.iter().map(|(_, digest)| digest).eq(digests);
                let then = record.size.zip(record.times);
                let then = then.map(|(size, (modified, _))| (size, modified));
                let now = seen.map(|seen| (seen.stamp.size, seen.stamp.modified));
                Self::Kind(match same {
                    true => VerdictKind::Ok,
                    false if rotten || then.is_some() && then == now => VerdictKind::Bitrot,
                    false => VerdictKind::Changed,
                })
            }
            (Ok(_), None) => Self::Unlisted,
        }
    }
}
