//! The progress of a command that runs other programs.

use crate::terminal::progress::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// The progress: a line on a terminal, nothing elsewhere.
pub struct Bar(ProgressBar);

impl Bar {
    /// A line of progress over `count` programs; hidden unless standard error is a terminal.
    pub fn new(count: usize) -> Self {
        if !Progress::is_shown() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::stderr());
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} {pos}/{len} {elapsed} {wide_msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// Names the program that runs now.
    pub fn say(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    /// Counts a program that has ended.
    pub fn done(&self) {
        self.0.inc(1);
    }

    /// Removes the line from the terminal.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}
