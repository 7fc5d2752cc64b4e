//! Counts the work of reading a text, so that tests can check that it grows no faster than the
//! text. Outside of tests nothing is counted.

#[cfg(test)]
thread_local! {
    static DONE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Notes steps of work: bytes that are looked at, comparisons, nodes that are traced.
#[inline]
pub(crate) fn add(steps: usize) {
    #[cfg(test)]
    DONE.set(DONE.get() + steps);
    #[cfg(not(test))]
    let _ = steps;
}

/// The steps that `task` takes on this thread.
#[cfg(test)]
pub(crate) fn of<T>(task: impl FnOnce() -> T) -> (usize, T) {
    let before = DONE.get();
    let done = task();
    (DONE.get() - before, done)
}
