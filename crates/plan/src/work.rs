//! Counts what the reading of a text does, for tests that this grows as the text does. A program
//! counts nothing.

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
