//! Size and times of a file, which tell without reading it whether it may have changed.

use crate::system::os::{self, FileId};
use std::fs::Metadata;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The identity, size and times of a file at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The identity of the file, where the system has one.
    pub id: Option<FileId>,
    /// Size in bytes.
    pub size: u64,
    /// When its content was last modified, in nanoseconds since 1970. Programs can set it.
    pub modified: i64,
    /// When its inode last changed, in nanoseconds since 1970; 0 where the system keeps no such
    /// time. Programs cannot set it.
    pub changed: i64,
}

/// The beginning of the message about a file whose stamp did not stay the same.
pub const CHANGED: &str = "CHANGED while it was read";

/// The longest time between two ticks of the clock of a local file system. A file that was modified
/// within the last tick can be modified again without a difference in its times.
const TICK: Duration = Duration::from_millis(20);
/// The same for file systems whose times are whole seconds: two seconds at worst (FAT).
const COARSE_TICK: Duration = Duration::from_secs(2);

impl Stamp {
    /// The stamp from the system's metadata of a file.
    pub fn of(about: &Metadata) -> Self {
        let modified = about.modified().map_or(0, nanoseconds);
        let (size, changed) = (about.len(), os::changed(about));
        Self { id: os::file_id(about), size, modified, changed }
    }

    /// Whether size and time of modification are the same. Programs that change a file's content
    /// change one of them; renaming the file or changing its mode changes neither.
    pub fn same_content(&self, other: &Self) -> bool {
        (self.size, self.modified) == (other.size, other.modified)
    }

    /// Whether size and both times are the same. The identity of the file does not matter.
    pub fn same_times(&self, other: &Self) -> bool {
        self.same_content(other) && self.changed == other.changed
    }

    /// Whether the file of `about` was made after this stamp was taken, where the system says when
    /// files were made. It is then another file, which got the inode number of a deleted one.
    pub fn is_older_than(&self, about: &Metadata) -> bool {
        about.created().is_ok_and(|made| nanoseconds(made) > self.changed.max(self.modified))
    }

    /// How long to wait from `now` until another change of the file would show in its times.
    /// Nothing if the times are old enough, as they mostly are.
    pub fn unsettled(&self, now: SystemTime) -> Option<Duration> {
        let last = self.modified.max(self.changed);
        let is_coarse = [self.modified, self.changed].iter().all(|time| time % 1_000_000_000 == 0);
        let tick = if is_coarse { COARSE_TICK } else { TICK };
        let settled = last.saturating_add(tick.as_nanos() as i64);
        let left = settled.saturating_sub(nanoseconds(now));
        (left > 0).then(|| Duration::from_nanos(left as u64))
    }
}

/// Waits, for a limited time, until the clocks of file systems tick. Otherwise a run that reads a
/// file that was just modified could not tell later whether it was modified again.
pub struct Settling(Duration);

impl Default for Settling {
    fn default() -> Self {
        Self(Self::IN_ALL)
    }
}

impl Settling {
    /// The longest wait for one file, and for all files of a run.
    const LONGEST: Duration = Duration::from_millis(25);
    const IN_ALL: Duration = Duration::from_millis(500);

    /// Waits until the next modification of a file would show in its times, if that is soon.
    pub fn wait(&mut self, stamp: &Stamp) {
        if let Some(wait) = stamp.unsettled(SystemTime::now())
            && wait <= Self::LONGEST.min(self.0)
        {
            self.0 -= wait;
            std::thread::sleep(wait);
        }
    }
}

/// Nanoseconds since 1970, as far as 64 bits reach.
pub fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |time| -time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_files_are_unsettled() {
        let now = UNIX_EPOCH + Duration::from_millis(1_700_000_000_010);
        let at = |modified: i64, changed: i64| Stamp { id: None, size: 0, modified, changed };
        let milli = 1_000_000;
        let this = nanoseconds(now);
        assert_eq!(at(this - 30 * milli, this - 20 * milli).unsettled(now), None);
        let left = at(this - 30 * milli, this - 5 * milli).unsettled(now);
        assert_eq!(left, Some(Duration::from_millis(15)));
        // Whole seconds are the times of a coarse clock.
        let second = 1_700_000_000_000 * milli;
        assert_eq!(at(second, second).unsettled(now), Some(Duration::from_millis(1990)));
        assert_eq!(at(second - 2_000 * milli, 0).unsettled(now), None);
        // This is a clock that was set back.
        assert!(at(i64::MAX, 0).unsettled(now).is_some());
        assert_eq!(nanoseconds(UNIX_EPOCH - Duration::from_secs(1)), -1_000_000_000);
    }
}
