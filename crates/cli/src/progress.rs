//! A line on the terminal while work lasts.

use crate::output::{Output, WriteError, complain};
use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Work this short shows nothing.
const QUIET: Duration = Duration::from_secs(1);
/// How long to wait for a result before the line moves.
pub const TICK: Duration = Duration::from_millis(100);

/// Shows how far the work is: on standard error, if that is a terminal and the work lasts.
pub struct Progress {
    begin: Instant,
    /// Files to be done, if they are counted.
    files: Option<u64>,
    bar: Option<ProgressBar>,
    shown: bool,
}

impl Progress {
    pub fn new(files: Option<u64>) -> Self {
        Self { begin: Instant::now(), files, bar: None, shown: stderr().is_terminal() }
    }

    /// Says that so many files and bytes are done.
    pub fn set(&mut self, (files, bytes): (u64, u64)) {
        if !self.shown || self.begin.elapsed() < QUIET {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{spinner} {msg}");
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        });
        let files = match self.files {
            Some(total) => format!("{files} of {total} files"),
            None => format!("{files} files"),
        };
        // Of all the time, so that the figure settles.
        let rate = bytes as f64 / self.begin.elapsed().as_secs_f64();
        let (bytes, rate) = (HumanBytes(bytes), HumanBytes(rate as u64));
        bar.set_message(format!("{files}, {bytes}, {rate}/s"));
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
