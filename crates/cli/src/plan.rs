//! `manylane plan`.

pub use manylane_answers::plan::Args;

use crate::terminal::bar::Bar;
use crate::terminal::output::{self, complain};
use manylane_answers::{Listener, plan};
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Prints the plan, with progress on a terminal while it is made.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::default();
    output::print(&plan::answer(args, &terminal)?.written()?)?;
    Ok(ExitCode::SUCCESS)
}

/// Shows progress and complaints on standard error while a plan is made.
#[derive(Default)]
struct Terminal(Mutex<Option<Bar>>);

impl Terminal {
    /// The progress line of the present search, if there is one.
    fn bar(&self) -> MutexGuard<'_, Option<Bar>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Terminal {
    fn searches(&self, what: &str) {
        self.bar().get_or_insert_with(|| Bar::new(1)).say(what);
    }

    fn found(&self) {
        if let Some(bar) = self.bar().take() {
            bar.clear();
        }
    }

    fn complain(&self, message: &str) {
        complain(message);
    }
}
