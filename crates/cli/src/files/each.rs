//! Jobs as they are done, with the progress shown meanwhile.

use crate::terminal::output::{Output, WriteError};
use crate::terminal::progress::{Progress, TICK};
use manylane_files::hashing::{Done, Hashing, Next, Options, Source};
use manylane_measure::meanwhile;
use std::ops::ControlFlow;
use std::time::Duration;

/// The events that the caller of [`drive`] gets.
pub enum Event<N> {
    /// A job is done.
    Done(Done<N>),
    /// The next job is not done yet, and what was printed is about to be shown.
    Idle,
}

/// The result of a callback: whether the run goes on, or why the output failed.
pub type Flow = Result<ControlFlow<()>, WriteError>;

/// Calls `each` with every job as it is done, in order, and shows the progress.
pub fn for_each_done<S: Source>(
    source: S,
    options: &Options,
    output: &mut Output,
    mut each: impl FnMut(Done<S::Note>, &Progress, &mut Output) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    drive(source, options, output, |event, progress, output| {
        if let Event::Done(done) = event {
            each(done, progress, output)?;
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// Calls `hear` with every job as it is done, in order, and with [`Event::Idle`] whenever the next
/// job is not done yet, until `hear` breaks off.
pub fn drive<S: Source>(
    source: S,
    options: &Options,
    output: &mut Output,
    mut hear: impl FnMut(Event<S::Note>, &Progress, &mut Output) -> Flow,
) -> Result<(), WriteError> {
    // Without a terminal, `sizes` is set only where percents are to be printed.
    let mut progress = Progress::new(options.sizes);
    let mut hashing = Hashing::start(source, options);
    loop {
        let mut next = hashing.next(Duration::ZERO);
        if matches!(next, Next::Waiting) {
            if hear(Event::Idle, &progress, output)?.is_break() {
                return Ok(());
            }
            progress.flush(output)?;
            let so_far = hashing.so_far();
            progress.set(&so_far);
            meanwhile::hashed(so_far.bytes);
            next = hashing.next(TICK);
        }
        match next {
            Next::Done(done) => {
                if hear(Event::Done(done), &progress, output)?.is_break() {
                    return Ok(());
                }
            }
            Next::Waiting => {}
            Next::End => {
                progress.set(&hashing.so_far());
                return Ok(());
            }
        }
    }
}
