//! HMAC (RFC 2104, FIPS 198-1): one message in pieces, or many messages under one key.

use super::batch::Batch;
use super::key::{inner_block, keyed_streams, outer_block, padded_key};
use super::work::Work;
use crate::cpu::Engine;
use crate::drive::stream::Stream;
use crate::error::Error;
use crate::kernels::runs::Runs;
use crate::select::visit::{Visit, try_visit};
use manylane_primitives::catalog::Algorithm;
use std::fmt;
use std::ops::Range;

/// A keyed hasher: `update` any number of times, then `finalize` or `verify`.
///
/// ```
/// use manylane::{HashId, Hmac};
///
/// let mut hmac = Hmac::new(HashId::Sha256, b"key")?;
/// hmac.update(b"message");
/// let tag = hmac.finalize();
/// assert!(hmac.verify(&tag));
/// # Ok::<(), manylane::Error>(())
/// ```
pub struct Hmac {
    algorithm: Algorithm,
    streams: Box<dyn AnyKeyed>,
}

/// The operations of a [`KeyedHash`] of any hash.
trait AnyKeyed: Send + Sync {
    fn update(&mut self, bytes: &[u8]);
    fn finalize_into(&self, tag: &mut [u8]);
    fn reset(&mut self);
    fn boxed_clone(&self) -> Box<dyn AnyKeyed>;
}

#[derive(Clone)]
struct KeyedHash<H: Runs> {
    /// The state after the key's inner block, from which every message starts.
    start: Stream<H>,
    inner: Stream<H>,
    /// The state after the key's outer block.
    outer: Stream<H>,
}

impl<H: Runs> AnyKeyed for KeyedHash<H> {
    fn update(&mut self, bytes: &[u8]) {
        self.inner.update(bytes);
    }
    fn finalize_into(&self, tag: &mut [u8]) {
        self.inner.finalize_into(tag);
        self.outer.finalize_over(tag);
    }
    fn reset(&mut self) {
        self.inner.resume(&self.start);
    }
    fn boxed_clone(&self) -> Box<dyn AnyKeyed> {
        Box::new(self.clone())
    }
}

fn keyed(
    algorithm: Algorithm,
    padded_key: &[u8],
    engine: Option<Engine>,
) -> Result<Box<dyn AnyKeyed>, Error> {
    struct Make<'k>(&'k [u8], Option<Engine>);
    impl Visit for Make<'_> {
        type Output = Result<Box<dyn AnyKeyed>, Error>;
        fn visit<H: Runs>(self, hash: H) -> Self::Output {
            let Self(padded_key, engine) = self;
            let [start, outer] = keyed_streams(hash, padded_key, engine)?;
            Ok(Box::new(KeyedHash { inner: start.clone(), start, outer }))
        }
    }
    try_visit(algorithm, Make(padded_key, engine))
}

impl Hmac {
    /// The fewest bytes of a truncated tag (RFC 2104 §5) that [`Hmac::verify`] accepts.
    pub const LEAST_CUT_TAG: usize = 4;

    /// HMAC under `key`, of any length, on the best engine of this CPU.
    ///
    /// # Errors
    /// If the hash's digest is longer than its block.
    pub fn new(algorithm: impl Into<Algorithm>, key: &[u8]) -> Result<Self, Error> {
        Self::on(algorithm, key, None)
    }

    /// HMAC on this engine, or with `None` on the best one.
    ///
    /// # Errors
    /// As [`Hmac::new`], or if the engine cannot run here or does not compute this hash.
    pub fn on(
        algorithm: impl Into<Algorithm>,
        key: &[u8],
        engine: impl Into<Option<Engine>>,
    ) -> Result<Self, Error> {
        let algorithm = algorithm.into();
        let key = padded_key(algorithm, key)?;
        Ok(Self { algorithm, streams: keyed(algorithm, &key, engine.into())? })
    }

    /// The hash that HMAC uses.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, bytes: &[u8]) {
        self.streams.update(bytes);
    }

    /// The tag of the bytes that were appended so far. The message can be continued.
    pub fn finalize(&self) -> Vec<u8> {
        let mut tag = vec![0; self.algorithm.digest_bytes()];
        self.streams.finalize_into(&mut tag);
        tag
    }

    /// Writes the tag to `tag`, without an allocation. See [`Hmac::finalize`].
    ///
    /// # Panics
    /// If the length of `tag` is not [`Algorithm::digest_bytes`].
    pub fn finalize_into(&self, tag: &mut [u8]) {
        assert_eq!(tag.len(), self.algorithm.digest_bytes(), "bytes of {}", self.algorithm);
        self.streams.finalize_into(tag);
    }

    /// Whether `tag` is the message's tag or the first bytes of this tag, at least
    /// [`Hmac::LEAST_CUT_TAG`] of them (a whole tag may be shorter). The time does not depend on
    /// where the tags differ.
    #[must_use = "an answer that nobody reads authenticates nothing"]
    pub fn verify(&self, tag: &[u8]) -> bool {
        let whole = self.finalize();
        let cut = (Self::LEAST_CUT_TAG..whole.len()).contains(&tag.len());
        if !cut && tag.len() != whole.len() {
            return false;
        }
        let difference = tag.iter().zip(&whole).fold(0, |all, (a, b)| all | (a ^ b));
        std::hint::black_box(difference) == 0
    }

    /// Begins a new message under the same key.
    pub fn reset(&mut self) {
        self.streams.reset();
    }
}

impl Clone for Hmac {
    fn clone(&self) -> Self {
        Self { algorithm: self.algorithm, streams: self.streams.boxed_clone() }
    }
}

impl fmt::Debug for Hmac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hmac").field("algorithm", &self.algorithm()).finish_non_exhaustive()
    }
}

/// Messages whose inner digests are held at a time.
const HELD_DIGESTS: usize = 16 * 1024;

impl Batch<'_> {
    /// Writes the HMAC tag of each message under `key` to `out`, one after the other. The key's
    /// two blocks are hashed once. A [prefix](Batch::prefix) comes after the key.
    ///
    /// Memory beyond the tags: the digests of up to 16,384 messages, less than 3 MiB, more than
    /// [`Batch::run`] takes.
    ///
    /// # Errors
    /// As [`Batch::run`], or if the hash's digest is longer than its block.
    pub fn run_hmac<M: AsRef<[u8]> + Sync>(
        &self,
        key: &[u8],
        messages: &[M],
        out: &mut [u8],
    ) -> Result<(), Error> {
        self.run_hmac_indexed(key, messages.len(), |i| messages[i].as_ref(), out)
    }

    /// [`Batch::run_hmac`] of `count` messages, of which message i is `message(i)`, as
    /// [`Batch::run_indexed`] takes them.
    ///
    /// # Errors
    /// As [`Batch::run_hmac`].
    pub fn run_hmac_indexed<'m>(
        &self,
        key: &[u8],
        count: usize,
        message: impl Fn(usize) -> &'m [u8] + Sync,
        out: &mut [u8],
    ) -> Result<(), Error> {
        self.run_hmac_listed(key, count, |range| range.map(&message), out)
    }

    /// [`Batch::run_hmac`] of `count` messages, of which `list` gives those of a range, as
    /// [`Batch::run_listed`] takes them.
    ///
    /// # Errors
    /// As [`Batch::run_hmac`].
    ///
    /// # Panics
    /// As [`Batch::run_listed`].
    pub fn run_hmac_listed<'m, I: Iterator<Item = &'m [u8]>>(
        &self,
        key: &[u8],
        count: usize,
        list: impl Fn(Range<usize>) -> I + Sync,
        out: &mut [u8],
    ) -> Result<(), Error> {
        let digest = self.algorithm().digest_bytes();
        self.check_output(count, out)?;
        let [inner, outer] = self.inner_and_outer(key)?;
        let mut digests = vec![0; count.min(HELD_DIGESTS) * digest];
        for (window, out) in out.chunks_mut(HELD_DIGESTS * digest).enumerate() {
            let digests = &mut digests[..out.len()];
            let (first, count) = (window * HELD_DIGESTS, out.len() / digest);
            inner.run_listed(count, |of| list(first + of.start..first + of.end), digests)?;
            outer.run_indexed(count, |i| &digests[i * digest..][..digest], out)?;
        }
        Ok(())
    }

    /// Counts what [`Batch::run_hmac`] computes, as [`Batch::work`] does; the key's blocks are not
    /// counted.
    ///
    /// # Errors
    /// As [`Batch::work`], or if the hash's digest is longer than its block.
    pub fn work_hmac<M: AsRef<[u8]> + Sync>(&self, messages: &[M]) -> Result<Work, Error> {
        let [inner, outer] = self.inner_and_outer(&[])?;
        let digest = vec![0; self.algorithm().digest_bytes()];
        messages.chunks(HELD_DIGESTS).try_fold(Work::default(), |work, messages| {
            let digests = vec![&digest; messages.len()];
            Ok(work.and(inner.work(messages)?).and(outer.work(&digests)?))
        })
    }

    /// The batches of the inner hash and of the outer one, after the key.
    fn inner_and_outer(&self, key: &[u8]) -> Result<[Self; 2], Error> {
        let key = padded_key(self.algorithm(), key)?;
        let inner = self.clone().prefix(&[&inner_block(&key)[..], self.prefix_bytes()].concat());
        Ok([inner, self.clone().prefix(&outer_block(&key))])
    }
}
