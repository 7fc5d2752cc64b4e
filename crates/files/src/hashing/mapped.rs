//! A source whose jobs are changed by a function before they are hashed.

use super::job::{Job, Source};

/// The jobs of a source, after a function was applied to each.
pub struct Mapped<S, F> {
    source: S,
    map: F,
}

impl<S: Source, N: Send + 'static, F: FnMut(Job<S::Note>) -> Job<N> + Send + 'static> Mapped<S, F> {
    /// Applies `map` to every job of `source` as it is found.
    pub fn new(source: S, map: F) -> Self {
        Self { source, map }
    }
}

impl<S: Source, N: Send + 'static, F: FnMut(Job<S::Note>) -> Job<N> + Send + 'static> Source
    for Mapped<S, F>
{
    type Note = N;

    fn next(&mut self) -> Option<Job<N>> {
        self.source.next().map(&mut self.map)
    }

    fn may_wait(&self) -> bool {
        self.source.may_wait()
    }
}
