//! The request for many messages.

use crate::message::message;
use crate::names::{batch_algorithm, engine, threads};
use crate::output::Output;
use crate::refused::refused;
use manylane::{Algorithm, Batch};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::ops::Range;

/// A batch with a key or without, from the arguments that the functions share.
pub(crate) struct Job {
    batch: Batch<'static>,
    key: Option<PyBackedBytes>,
}

impl Job {
    /// Checks the arguments; one that the engine or the hash refuses is an error of Python's.
    pub(crate) fn new(
        name: &str,
        count: Option<usize>,
        prefix: Option<&Bound<'_, PyAny>>,
        key: Option<&Bound<'_, PyAny>>,
        on: Option<&str>,
    ) -> PyResult<Self> {
        let mut batch =
            Batch::new(batch_algorithm(name)?).engine(engine(on)?).threads(threads(count)?);
        if let Some(prefix) = prefix {
            batch = batch.prefix(&message(prefix)?);
        }
        let job = Self { batch, key: key.map(message).transpose()? };
        // A request that the engine or the hash refuses is an error before a message is read.
        job.run::<&[u8]>(&[], &mut [])?;
        Ok(job)
    }

    /// The algorithm that was named.
    pub(crate) fn algorithm(&self) -> Algorithm {
        self.batch.algorithm()
    }

    /// Bytes of each digest or tag.
    pub(crate) fn digest_bytes(&self) -> usize {
        self.algorithm().digest_bytes()
    }

    /// Room for the digests of exactly so many messages; an error if there is no memory for it.
    pub(crate) fn all_room(&self, messages: usize) -> PyResult<Output> {
        Output::with_all(messages.saturating_mul(self.digest_bytes()))
    }

    /// Room for the digests of about so many messages: there may be fewer or more.
    pub(crate) fn room(&self, messages: usize) -> Output {
        Output::with_room(messages.saturating_mul(self.digest_bytes()))
    }

    /// Computes the digests or tags of messages into `out`, one after the other.
    pub(crate) fn run<M: AsRef<[u8]> + Sync>(
        &self,
        messages: &[M],
        out: &mut [u8],
    ) -> PyResult<()> {
        self.run_listed(messages.len(), |range| messages[range].iter().map(M::as_ref), out)
    }

    fn run_listed<'m, I: Iterator<Item = &'m [u8]>>(
        &self,
        count: usize,
        list: impl Fn(Range<usize>) -> I + Sync,
        out: &mut [u8],
    ) -> PyResult<()> {
        match &self.key {
            Some(key) => self.batch.run_hmac_listed(key, count, list, out),
            None => self.batch.run_listed(count, list, out),
        }
        .map_err(refused)
    }

    /// Appends the digests of some messages, without Python's lock, and handles signals.
    pub(crate) fn append<M: AsRef<[u8]> + Sync>(
        &self,
        py: Python<'_>,
        messages: &[M],
        digests: &mut Output,
    ) -> PyResult<()> {
        let list = |range: Range<usize>| messages[range].iter().map(M::as_ref);
        self.append_listed(py, messages.len(), list, digests)
    }

    /// [`Job::append`] of `count` messages; `list` returns the messages of a range of indices.
    pub(crate) fn append_listed<'m, I: Iterator<Item = &'m [u8]>>(
        &self,
        py: Python<'_>,
        count: usize,
        list: impl Fn(Range<usize>) -> I + Send + Sync,
        digests: &mut Output,
    ) -> PyResult<()> {
        py.check_signals()?;
        let place = digests.next(count.saturating_mul(self.digest_bytes()))?;
        // Nothing of Python is touched meanwhile.
        py.detach(|| self.run_listed(count, list, place))
    }
}
