//! Lists of files with their digests, in the formats of several programs.
//!
//! [`Reader`] takes lists apart, [`Writer`] makes them. Lists that `manylane sum --update` writes
//! also have the size and times of each file, by which the next run knows which files to read
//! again.

mod read;
mod write;

pub use read::{Item, Reader};
pub use write::Writer;

use manylane_engine::Algorithm;

/// The form of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum ListFormat {
    /// Lines of sha256sum and its like: digest and name
    Gnu,
    /// BSD's lines, which name the algorithm
    Bsd,
    /// hashdeep's lines: size, digests and name
    Hashdeep,
    /// A line of JSON for each file
    Json,
}

/// A file of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Its name, without escapes.
    pub name: Vec<u8>,
    /// Its digests.
    pub digests: Vec<(Algorithm, Vec<u8>)>,
    /// Its size in bytes, if the list says it.
    pub size: Option<u64>,
    /// When it was modified and when its inode changed, in nanoseconds since 1970, if the list
    /// says it.
    pub times: Option<(i64, i64)>,
}

/// Nanoseconds as seconds with nine decimal places.
pub fn seconds(nanoseconds: i64) -> String {
    let (sign, value) = (if nanoseconds < 0 { "-" } else { "" }, nanoseconds.unsigned_abs());
    format!("{sign}{}.{:09}", value / 1_000_000_000, value % 1_000_000_000)
}

/// The nanoseconds that [`seconds`] wrote.
pub fn from_seconds(text: &str) -> Option<i64> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(text) => (true, text),
        None => (false, text),
    };
    let (whole, places) = text.split_once('.')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if places.len() != 9 || !digits(places) || !digits(whole) {
        return None;
    }
    let value: i64 =
        whole.parse::<i64>().ok()?.checked_mul(1_000_000_000)?.checked_add(places.parse().ok()?)?;
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_written() {
        for time in [0, 1, -1, 1_700_000_000_123_456_789, -5_000_000_000, i64::MAX, i64::MIN + 1] {
            assert_eq!(from_seconds(&seconds(time)), Some(time));
        }
        assert_eq!(seconds(-1), "-0.000000001");
        for wrong in ["", "1", "1.5", "1.0000000000", "+1.000000000", "a.000000000", "1.00000000x"]
        {
            assert_eq!(from_seconds(wrong), None, "{wrong}");
        }
    }
}
