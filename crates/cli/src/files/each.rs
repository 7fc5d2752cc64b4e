//! Jobs as they are done, with the progress shown meanwhile.

use super::{Done, Hashing, Next, Options, Source};
use crate::output::{Output, WriteError};
use crate::progress::{Progress, TICK};
use std::time::Duration;

/// Calls `each` with every job as it is done, in order, and shows the progress.
pub fn for_each_done<S: Source>(
    source: S,
    options: &Options,
    output: &mut Output,
    mut each: impl FnMut(Done<S::Note>, &Progress, &mut Output) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let mut progress = Progress::new();
    let mut hashing = Hashing::start(source, options);
    loop {
        let mut next = hashing.next(Duration::ZERO);
        if matches!(next, Next::Waiting) {
            progress.flush(output)?;
            progress.set(&hashing.so_far());
            next = hashing.next(TICK);
        }
        match next {
            Next::Done(done) => each(done, &progress, output)?,
            Next::Waiting => {}
            Next::End => return Ok(()),
        }
    }
}
