//! Progress on standard error, and Ctrl-C.

use crate::terminal::output::complain;
use indicatif::{ProgressBar, ProgressStyle};
use manylane_files::system::signals;
use manylane_synth::{Event, Watch};
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The progress: what runs and how much is done. On a terminal it is a line that changes, elsewhere
/// a line now and then.
pub struct Bar {
    bar: ProgressBar,
    state: Mutex<State>,
    stop: Arc<AtomicBool>,
}

/// The contents of the line.
struct State {
    running: Vec<String>,
    done: usize,
    /// How many results are wanted; while shapes are planned, nothing.
    results: Option<usize>,
    /// When the next line is due; never on a terminal, which has the bar.
    due: Option<Instant>,
}

/// Time from one line to the next. Work that takes less time prints no line.
const PAUSE: Duration = Duration::from_secs(15);

impl Bar {
    /// The progress while shapes are planned. From now on Ctrl-C sets the flag of [`stop`] instead
    /// of ending this program.
    pub fn planning() -> Self {
        Self::new(None)
    }

    /// The progress while `results` results are made. From now on Ctrl-C sets the flag of [`stop`]
    /// instead of ending this program.
    pub fn building(results: usize) -> Self {
        Self::new(Some(results))
    }

    fn new(results: Option<usize>) -> Self {
        let (bar, template) = match results {
            Some(results) => {
                (ProgressBar::new(results as u64), "{bar:20} {pos}/{len} {elapsed} {wide_msg}")
            }
            None => (ProgressBar::new_spinner(), "{spinner} {elapsed} {wide_msg}"),
        };
        // The bar shows nothing where standard error is no terminal.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let due = (!stderr().is_terminal()).then(|| Instant::now() + PAUSE);
        let state = State { running: Vec::new(), done: 0, results, due };
        Self { bar, state: Mutex::new(state), stop: stop().clone() }
    }
}

/// The flag that says whether to stop. From the first call on, signals set it. There is one flag
/// for all, so that no signal is missed between planning and building.
pub(crate) fn stop() -> &'static Arc<AtomicBool> {
    static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    STOP.get_or_init(|| signals::flag(signals::ENDING_OR_HANGUP))
}

impl State {
    fn note(&mut self, event: Event<'_>) {
        match event {
            Event::Planned(shapes) => self.done = shapes,
            Event::Begins(what) => self.running.push(what.to_owned()),
            Event::Ends(what) => {
                if let Some(place) = self.running.iter().position(|running| running == what) {
                    self.running.remove(place);
                }
                self.done += 1;
            }
            Event::Skipped(count) => self.done += count,
        }
    }

    /// The text of the line beside the bar.
    fn message(&self) -> String {
        match self.results {
            None => format!("planning: {} shapes so far", self.done),
            Some(_) => self.running.join(", "),
        }
    }

    /// The next line for an output that is no terminal, if it is due.
    fn line(&mut self, now: Instant) -> Option<String> {
        let due = self.due.filter(|due| *due <= now)?;
        self.due = Some(due.max(now) + PAUSE);
        let message = self.message();
        Some(match self.results {
            None => message,
            Some(results) => format!("{} of {results} results; now {message}", self.done),
        })
    }
}

impl Watch for Bar {
    fn stop(&self) -> bool {
        // Tools that run ask this again and again, so this also reports the progress.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = state.line(Instant::now()) {
            complain(&line);
        }
        self.stop.load(Ordering::Relaxed)
    }

    fn event(&self, event: Event<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.note(event);
        self.bar.set_position(state.done as u64);
        self.bar.set_message(state.message());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(results: Option<usize>, begin: Instant) -> State {
        State { running: Vec::new(), done: 0, results, due: Some(begin + PAUSE) }
    }

    #[test]
    fn a_line_is_said_now_and_then_and_no_oftener() {
        let begin = Instant::now();
        let mut planning = state(None, begin);
        planning.note(Event::Planned(3));
        assert_eq!(planning.line(begin + PAUSE / 2), None);
        assert_eq!(planning.line(begin + PAUSE).as_deref(), Some("planning: 3 shapes so far"));
        planning.note(Event::Planned(4));
        assert_eq!(planning.line(begin + PAUSE), None);
        assert!(planning.line(begin + 2 * PAUSE).is_some());
        // On a terminal the bar shows this.
        planning.due = None;
        assert_eq!(planning.line(begin + 9 * PAUSE), None);
    }

    #[test]
    fn a_line_tells_what_is_done_and_what_runs() {
        let begin = Instant::now();
        let mut building = state(Some(8), begin);
        building.note(Event::Skipped(2));
        building.note(Event::Begins("yosys md5"));
        building.note(Event::Begins("yosys sha1"));
        building.note(Event::Ends("yosys md5"));
        let said = building.line(begin + PAUSE).unwrap();
        assert_eq!(said, "3 of 8 results; now yosys sha1");
    }
}
