//! A line on the terminal while work lasts.

use crate::terminal::output::{Output, WriteError, complain};
use indicatif::{FormattedDuration, HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use manylane_files::hashing::SoFar;
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Work that takes less time than this shows no line.
const QUIET: Duration = Duration::from_secs(1);
/// How long to wait for a result before the line moves.
pub const TICK: Duration = Duration::from_millis(100);

/// Whether this run shows no progress.
static HIDDEN: AtomicBool = AtomicBool::new(false);

/// Shows no progress from now on: for options with which nothing is printed.
pub fn hide() {
    HIDDEN.store(true, Ordering::Relaxed);
}

/// Shows how far the work is: on standard error, if that is a terminal and the work lasts.
pub struct Progress {
    begin: Instant,
    bar: Option<ProgressBar>,
    /// The percent that was printed last, where percents are printed.
    percent: Option<u64>,
}

impl Progress {
    /// With `percents`, where there is no terminal, prints a line whenever one more percent is
    /// done.
    pub fn new(percents: bool) -> Self {
        let percent = (percents && !Self::is_shown()).then_some(0);
        Self { begin: Instant::now(), bar: None, percent }
    }

    /// Whether standard error is a terminal that can go back to the beginning of a line.
    pub fn is_shown() -> bool {
        !HIDDEN.load(Ordering::Relaxed)
            && stderr().is_terminal()
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }

    /// Shows how much is done.
    pub fn set(&mut self, so_far: &SoFar) {
        if let Some(printed) = &mut self.percent {
            let percent = share(so_far);
            if so_far.all_known && percent > *printed {
                *printed = percent;
                complain(&line(so_far, self.begin.elapsed()));
            }
            return;
        }
        if self.begin.elapsed() < QUIET || !Self::is_shown() {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{spinner} {wide_msg}");
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        });
        bar.set_message(line(so_far, self.begin.elapsed()));
        bar.tick();
    }

    /// Writes out what was printed, beside the line and not through it.
    pub fn flush(&self, output: &mut Output) -> Result<(), WriteError> {
        match &self.bar {
            Some(bar) => bar.suspend(|| output.flush()),
            None => output.flush(),
        }
    }

    /// Complains, beside the line and after what was printed.
    pub fn complain(&self, output: &mut Output, message: &str) -> Result<(), WriteError> {
        self.flush(output)?;
        match &self.bar {
            Some(bar) => bar.suspend(|| complain(message)),
            None => complain(message),
        }
        Ok(())
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The share of the known bytes that is done, in percent.
fn share(SoFar { bytes, known_bytes, .. }: &SoFar) -> u64 {
    let percent = 100 * u128::from(*bytes.min(known_bytes)) / u128::from(*known_bytes.max(&1));
    percent as u64
}

/// The text of the line. While files are still being found, or if there is a pipe among them, the
/// total is unknown, so neither the share that is done nor the time left is shown.
fn line(so_far: &SoFar, elapsed: Duration) -> String {
    let SoFar { files, bytes, known_files, known_bytes, all_known, untold } = *so_far;
    // The rate is the mean over all the time, so that the figure settles.
    let rate = bytes as f64 / elapsed.as_secs_f64();
    let (done, known) = (HumanBytes(bytes), HumanBytes(known_bytes));
    let per_second = HumanBytes(rate as u64);
    if !all_known {
        return format!(
            "{files} of {known_files} files found so far, {done} of {known}, {per_second}/s"
        );
    }
    if untold {
        return format!("{files} of {known_files} files, {done}, {per_second}/s");
    }
    // Files that grow may be longer than was known.
    let left = known_bytes.saturating_sub(bytes);
    let percent = share(so_far);
    let mut line =
        format!("{files} of {known_files} files, {done} of {known} ({percent} %), {per_second}/s");
    if left > 0 && bytes > 0 {
        let seconds = (left as f64 / rate).ceil() as u64;
        line += &format!(", {} left", FormattedDuration(Duration::from_secs(seconds)));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_bytes_share_rate_and_time_left() {
        let mut so_far = SoFar {
            files: 2,
            bytes: 1 << 30,
            known_files: 9,
            known_bytes: 4 << 30,
            all_known: true,
            untold: false,
        };
        let at = |so_far: &SoFar| line(so_far, Duration::from_secs(4));
        assert_eq!(
            at(&so_far),
            "2 of 9 files, 1.00 GiB of 4.00 GiB (25 %), 256.00 MiB/s, 00:00:12 left"
        );
        so_far.untold = true;
        assert_eq!(at(&so_far), "2 of 9 files, 1.00 GiB, 256.00 MiB/s");
        so_far = SoFar { all_known: false, untold: false, ..so_far };
        assert_eq!(at(&so_far), "2 of 9 files found so far, 1.00 GiB of 4.00 GiB, 256.00 MiB/s");
        // The first case is a file that grew; in the second nothing is done yet.
        so_far = SoFar { bytes: 5 << 30, all_known: true, ..so_far };
        assert!(at(&so_far).ends_with("(100 %), 1.25 GiB/s"), "{}", at(&so_far));
        so_far = SoFar { bytes: 0, ..so_far };
        assert!(at(&so_far).ends_with("(0 %), 0 B/s"), "{}", at(&so_far));
        so_far.known_bytes = 0;
        assert!(at(&so_far).ends_with("(0 %), 0 B/s"), "{}", at(&so_far));
    }
}
