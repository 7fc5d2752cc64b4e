//! The summary at the end: the numbers of files and bytes, the rate, and the slowest files.

use crate::files::running::Running;
use crate::terminal::output::complain;
use indicatif::{HumanBytes, HumanCount};
use manylane_files::hashing::Seen;
use manylane_files::quote::quote;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

/// The totals of a run.
pub struct Summary {
    shown: bool,
    begin: Instant,
    read: u64,
    bytes: u64,
    kept: u64,
    failed: u64,
    /// The number of slowest files to name, and these files so far, the fastest of them on top.
    most: usize,
    slowest: BinaryHeap<Reverse<(Duration, u64, Vec<u8>)>>,
}

impl Summary {
    /// Totals of nothing yet.
    pub fn new(running: &Running) -> Self {
        let most = running.slowest.unwrap_or(0);
        let shown = running.summary;
        let (begin, slowest) = (Instant::now(), BinaryHeap::new());
        Self { shown, begin, read: 0, bytes: 0, kept: 0, failed: 0, most, slowest }
    }

    /// Counts a file that was read.
    pub fn read(&mut self, name: &[u8], seen: Option<Seen>) {
        self.read += 1;
        let Some(Seen { stamp, read, took, .. }) = seen else { return };
        self.bytes += read;
        let is_slow = || self.slowest.peek().is_none_or(|Reverse((least, ..))| took > *least);
        if self.slowest.len() < self.most || self.most > 0 && is_slow() {
            self.slowest.push(Reverse((took, stamp.size, name.to_owned())));
            if self.slowest.len() > self.most {
                self.slowest.pop();
            }
        }
    }

    /// Counts a file whose digest is there: `known` without reading it, or because it was read.
    pub fn hashed(&mut self, known: bool, name: &[u8], seen: Option<Seen>) {
        if known { self.kept() } else { self.read(name, seen) }
    }

    /// Counts the bytes of a file of which only a part was read.
    pub fn read_in_part(&mut self, seen: Option<Seen>) {
        self.bytes += seen.map_or(0, |seen| seen.read);
    }

    /// Counts a file whose digest was known without reading it.
    pub fn kept(&mut self) {
        self.kept += 1;
    }

    /// Counts a file that has no digest.
    pub fn failed(&mut self) {
        self.failed += 1;
    }

    /// Prints the totals and the slowest files on standard error, where they were asked for.
    pub fn say(self) {
        if self.shown {
            let seconds = self.begin.elapsed().as_secs_f64();
            let rate = (self.bytes as f64 / seconds.max(1e-9)) as u64;
            let mut line = format!(
                "{} read, {} in {seconds:.1} s, {}/s",
                files(self.read),
                HumanBytes(self.bytes),
                HumanBytes(rate)
            );
            if self.kept > 0 {
                line += &format!("; {} known without reading", files(self.kept));
            }
            if self.failed > 0 {
                line += &format!("; {} without a digest", files(self.failed));
            }
            complain(&line);
        }
        for Reverse((took, size, name)) in self.slowest.into_sorted_vec() {
            let (seconds, size) = (took.as_secs_f64(), HumanBytes(size));
            complain(&format!("{seconds:.3} s for {size}: {}", quote(&name)));
        }
    }
}

/// `1 file`, `2 files`.
pub fn files(count: u64) -> String {
    let files = if count == 1 { "file" } else { "files" };
    format!("{} {files}", HumanCount(count))
}
