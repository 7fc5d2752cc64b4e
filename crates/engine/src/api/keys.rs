//! HMAC under many keys, each with messages of its own.

use super::how::{How, how};
use super::key::{inner_block, outer_block, padded_key};
use crate::drive::layout::State;
use crate::drive::starts::{self, Started};
use crate::error::Error;
use crate::kernels::kernel::MAX_LANES;
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;
use crate::select::visit::{Visit, try_visit};
use manylane_primitives::catalog::Algorithm;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// HMAC (FIPS 198-1) under many keys: the two blocks of each key are hashed once, side by side, and
/// every message starts from its key's chaining values.
///
/// ```
/// use manylane::{HashId, Hmac, HmacKeys};
///
/// let keys = HmacKeys::new(HashId::Sha256, &["a key", "another key"])?;
/// let mut tags = [0; 3 * 32];
/// // Two messages under the second key, one under the first.
/// keys.run(&[1, 0, 1], &["x", "y", "z"], &mut tags)?;
/// let mut alone = Hmac::new(HashId::Sha256, b"a key")?;
/// alone.update(b"y");
/// assert_eq!(tags[32..64], alone.finalize());
/// # Ok::<(), manylane::Error>(())
/// ```
///
/// Memory: two chaining values for each key, and up to two digests for each of 1,024 messages. It
/// is not cleared after use.
#[derive(Clone)]
pub struct HmacKeys<'p> {
    algorithm: Algorithm,
    how: How<'p>,
    states: Arc<dyn AnyStates>,
}

how!(HmacKeys);

impl HmacKeys<'_> {
    /// The keys, each of any length.
    ///
    /// # Errors
    /// If the hash's digest is longer than its block.
    pub fn new<K: AsRef<[u8]>>(algorithm: impl Into<Algorithm>, keys: &[K]) -> Result<Self, Error> {
        Self::with(algorithm.into(), How::default(), keys)
    }

    pub(crate) fn with<'p, K: AsRef<[u8]>>(
        algorithm: Algorithm,
        how: How<'p>,
        keys: &[K],
    ) -> Result<HmacKeys<'p>, Error> {
        let mut padded = padded_key(algorithm, &[])?;
        padded.clear();
        for key in keys {
            padded.extend_from_slice(&padded_key(algorithm, key.as_ref())?);
        }
        let states = try_visit(algorithm, Make { padded: &padded, how })?;
        Ok(HmacKeys { algorithm, how, states })
    }

    /// The hash below.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Number of keys.
    pub fn count(&self) -> usize {
        self.states.count()
    }

    /// Writes the tag of each message to `out`, one after the other: message i is authenticated
    /// under key number `keys[i]`.
    ///
    /// # Errors
    /// If there are not as many messages as numbers of keys, a number is not below
    /// [`HmacKeys::count`], `out` has another length than the tags together, or the engine cannot
    /// serve.
    pub fn run<M: AsRef<[u8]> + Sync>(
        &self,
        keys: &[usize],
        messages: &[M],
        out: &mut [u8],
    ) -> Result<(), Error> {
        let count = keys.len();
        if messages.len() != count {
            let given = messages.len();
            return Err(Error::FieldLength { what: "messages", given, count, bytes: 1 });
        }
        let digest = self.algorithm.digest_bytes();
        let needed = count.saturating_mul(digest);
        if out.len() != needed {
            return Err(Error::OutputLength { given: out.len(), messages: count, digest, needed });
        }
        if let Some(&key) = keys.iter().find(|key| **key >= self.count()) {
            return Err(Error::NoKey { key, keys: self.count() });
        }
        self.states.run(&self.how, keys, &|i| messages[i].as_ref(), out)
    }
}

impl fmt::Debug for HmacKeys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HmacKeys")
            .field("algorithm", &self.algorithm)
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}

/// What [`States`] of any hash do.
trait AnyStates: Send + Sync {
    fn count(&self) -> usize;
    fn run<'m>(
        &self,
        how: &How,
        keys: &[usize],
        message: &(dyn Fn(usize) -> &'m [u8] + Sync),
        out: &mut [u8],
    ) -> Result<(), Error>;
}

/// Keys of a hash.
pub(crate) struct States<H: Runs> {
    hash: H,
    /// Their blocks, one after the other, where a hash holds the last block back, else nothing.
    inner_blocks: Vec<u8>,
    /// The chaining values after them.
    pub inner: Vec<State<H>>,
    pub outer: Vec<State<H>>,
}

impl<H: Runs> States<H> {
    /// The states of keys that were padded to a block each, and lie one after the other.
    pub fn new(hash: &H, choice: &Choice<H>, padded: &[u8]) -> Self {
        let [mut inner, mut outer] = [Vec::new(), Vec::new()];
        let mut inner_blocks = inner_block(padded);
        starts::after_first(hash, choice, &inner_blocks, &mut inner);
        starts::after_first(hash, choice, &outer_block(padded), &mut outer);
        if !H::HOLDS_LAST {
            inner_blocks = Vec::new();
        }
        Self { hash: hash.clone(), inner_blocks, inner, outer }
    }

    /// Writes the tags of the messages, the first of which is under the key of number `key(0)`.
    pub fn tags<'m>(
        &self,
        choice: &Choice<H>,
        key: &dyn Fn(usize) -> usize,
        count: usize,
        message: &dyn Fn(usize) -> &'m [u8],
        out: &mut [u8],
    ) {
        let bytes = self.hash.digest_bytes();
        let mut digests = vec![0; count.min(starts::WINDOW) * bytes];
        for begin in (0..count).step_by(starts::WINDOW) {
            let count = starts::WINDOW.min(count - begin);
            let out = &mut out[begin * bytes..][..count * bytes];
            let (key, message) = (|i| key(begin + i), |i| message(begin + i));
            let digests = &mut digests[..count * bytes];
            let (states, blocks) = (&self.inner, &self.inner_blocks);
            let inner = Under { count, states, blocks, key: &key, message: &message };
            starts::run(&self.hash, choice, &inner, digests);
            let digest = |i: usize| &digests[i * bytes..][..bytes];
            // A digest is never empty, so that no block of a key is the last.
            let states = &self.outer;
            let outer = Under { count, states, blocks: &[], key: &key, message: &digest };
            starts::run(&self.hash, choice, &outer, out);
        }
    }
}

/// Messages after the blocks of keys.
struct Under<'a, 'm, H: Runs> {
    count: usize,
    states: &'a [State<H>],
    blocks: &'a [u8],
    key: &'a dyn Fn(usize) -> usize,
    message: &'a dyn Fn(usize) -> &'m [u8],
}

impl<H: Runs> Started<H> for Under<'_, '_, H> {
    fn count(&self) -> usize {
        self.count
    }
    fn message(&self, index: usize) -> &[u8] {
        (self.message)(index)
    }
    fn state(&self, index: usize) -> State<H> {
        self.states[(self.key)(index)]
    }
    fn block(&self, index: usize) -> &[u8] {
        let bytes = self.blocks.len() / self.states.len();
        &self.blocks[(self.key)(index) * bytes..][..bytes]
    }
}

impl<H: Runs> AnyStates for States<H> {
    fn count(&self) -> usize {
        self.inner.len()
    }
    fn run<'m>(
        &self,
        how: &How,
        keys: &[usize],
        message: &(dyn Fn(usize) -> &'m [u8] + Sync),
        out: &mut [u8],
    ) -> Result<(), Error> {
        let choice = Choice::new(how.engine)?;
        let bytes = self.hash.digest_bytes();
        let blocks = |i| (message(i).len() + 4 * self.hash.block_bytes()) as u64;
        let work = (0..keys.len()).map(blocks).fold(0, u64::saturating_add);
        how.share(keys.len(), MAX_LANES, work, &|i| i * bytes, out, &|range: Range<usize>, out| {
            let (key, message) =
                (|i: usize| keys[range.start + i], |i: usize| message(range.start + i));
            self.tags(&choice, &key, range.len(), &message, out);
        });
        Ok(())
    }
}

struct Make<'a, 'p> {
    padded: &'a [u8],
    how: How<'p>,
}

impl Visit for Make<'_, '_> {
    type Output = Result<Arc<dyn AnyStates>, Error>;
    fn visit<H: Runs>(self, hash: H) -> Self::Output {
        let choice = Choice::new(self.how.engine)?;
        Ok(Arc::new(States::new(&hash, &choice, self.padded)))
    }
}
