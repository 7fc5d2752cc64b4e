//! The request for many messages.

use crate::message::message;
use crate::names::{batch_algorithm, engine, threads};
use crate::output::Output;
use crate::refused;
use manylane::{Algorithm, Batch};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

/// A batch with a key or without, from the arguments that the functions share.
pub(crate) struct Job {
    batch: Batch<'static>,
    key: Option<PyBackedBytes>,
}

impl Job {
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

    pub(crate) fn algorithm(&self) -> Algorithm {
        self.batch.algorithm()
    }

    pub(crate) fn digest_bytes(&self) -> usize {
        self.algorithm().digest_bytes()
    }

    /// Room for the digests of so many messages, which are there: an error if memory lacks it.
    pub(crate) fn all_room(&self, messages: usize) -> PyResult<Output> {
        Output::with_all(messages.saturating_mul(self.digest_bytes()))
    }

    /// Room for the digests of so many messages, of which there may be fewer or more.
    pub(crate) fn room(&self, messages: usize) -> Output {
        Output::with_room(messages.saturating_mul(self.digest_bytes()))
    }

    pub(crate) fn run<M: AsRef<[u8]> + Sync>(
        &self,
        messages: &[M],
        out: &mut [u8],
    ) -> PyResult<()> {
        self.run_indexed(messages.len(), |i| messages[i].as_ref(), out)
    }

    fn run_indexed<'m>(
        &self,
        count: usize,
        message: impl Fn(usize) -> &'m [u8] + Sync,
        out: &mut [u8],
    ) -> PyResult<()> {
        match &self.key {
            Some(key) => self.batch.run_hmac_indexed(key, count, message, out),
            None => self.batch.run_indexed(count, message, out),
        }
        .map_err(refused)
    }

    /// Appends the digests of some messages, without Python's lock, and sees to signals.
    pub(crate) fn append<M: AsRef<[u8]> + Sync>(
        &self,
        py: Python<'_>,
        messages: &[M],
        digests: &mut Output,
    ) -> PyResult<()> {
        self.append_indexed(py, messages.len(), |i| messages[i].as_ref(), digests)
    }

    /// [`Job::append`] of `count` messages, of which message i is `message(i)`.
    pub(crate) fn append_indexed<'m>(
        &self,
        py: Python<'_>,
        count: usize,
        message: impl Fn(usize) -> &'m [u8] + Send + Sync,
        digests: &mut Output,
    ) -> PyResult<()> {
        py.check_signals()?;
        let place = digests.next(count.saturating_mul(self.digest_bytes()))?;
        // Nothing of Python is touched meanwhile.
        py.detach(|| self.run_indexed(count, message, place))
    }
}
