//! HMAC under many keys, each with messages of its own.

use super::batch::{check_bytes, check_count};
use super::key::{KeyBlocks, check_defined, inner_block, outer_block, padded_keys};
use super::resources::{Resources, with_resources};
use crate::cpu::Engine;
use crate::drive::layout::State;
use crate::drive::longest::WINDOW;
use crate::drive::starts::{self, Started};
use crate::error::Error;
use crate::kernels::kernel::MAX_LANES;
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;
use crate::select::visit::{Visit, try_visit};
use manylane_primitives::catalog::Algorithm;
use smallvec::{SmallVec, smallvec};
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
    resources: Resources<'p>,
    states: Arc<dyn AnyStates>,
}

with_resources!(HmacKeys);

impl HmacKeys<'_> {
    /// Computes the chaining values of the keys, each of any length.
    ///
    /// # Errors
    /// If the hash's digest is longer than its block.
    pub fn new<K: AsRef<[u8]>>(algorithm: impl Into<Algorithm>, keys: &[K]) -> Result<Self, Error> {
        Self::with(algorithm.into(), Resources::default(), keys)
    }

    /// Computes the chaining values of the keys on an engine and threads that were chosen.
    pub(crate) fn with<'p, K: AsRef<[u8]>>(
        algorithm: Algorithm,
        resources: Resources<'p>,
        keys: &[K],
    ) -> Result<HmacKeys<'p>, Error> {
        let states = states(algorithm, resources.engine, keys.len(), &|i| keys[i].as_ref())?;
        Ok(HmacKeys { algorithm, resources, states })
    }

    /// The hash that HMAC uses.
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
    /// If there are not as many messages as numbers in `keys`, a number is not below
    /// [`HmacKeys::count`], `out` is not as long as all tags together, or the engine cannot serve.
    pub fn run<M: AsRef<[u8]> + Sync>(
        &self,
        keys: &[usize],
        messages: &[M],
        out: &mut [u8],
    ) -> Result<(), Error> {
        let count = keys.len();
        check_count("messages", messages.len(), "numbers of keys", count)?;
        let digest = self.algorithm.digest_bytes();
        check_bytes(digest, count, out)?;
        if let Some(&key) = keys.iter().find(|key| **key >= self.count()) {
            return Err(Error::NoKey { key, keys: self.count() });
        }
        let Self { resources, states, .. } = self;
        // An engine that cannot serve is an error before anything is written.
        states.tags(resources.engine, &|i| i, 0, &|_| &[], &mut [])?;
        let block = self.algorithm.id().entry().shape.block_bytes;
        let blocks = messages.iter().map(|message| (message.as_ref().len() + 4 * block) as u64);
        let work = blocks.fold(0, u64::saturating_add);
        resources.share(
            count,
            MAX_LANES,
            work,
            &|i| i * digest,
            out,
            &|range: Range<usize>, out| {
                let key = |i: usize| keys[range.start + i];
                let message = |i: usize| messages[range.start + i].as_ref();
                states
                    .tags(resources.engine, &key, range.len(), &message, out)
                    .expect("the engine serves");
            },
        );
        Ok(())
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

/// Keys of any hash.
pub(crate) trait AnyStates: Send + Sync {
    /// Number of keys.
    fn count(&self) -> usize;
    /// Writes the tags of `count` messages, the first of which is under the key of number `key(0)`.
    fn tags<'m>(
        &self,
        engine: Option<Engine>,
        key: &dyn Fn(usize) -> usize,
        count: usize,
        message: &dyn Fn(usize) -> &'m [u8],
        out: &mut [u8],
    ) -> Result<(), Error>;
    /// Applies HMAC to each tag `times` times and XORs the results ([`starts::iterate`]).
    fn iterate(
        &self,
        engine: Option<Engine>,
        key: &dyn Fn(usize) -> usize,
        times: u32,
        tags: &mut [u8],
    ) -> Result<(), Error>;
}

/// Keys of a hash.
struct States<H: Runs> {
    hash: H,
    /// The blocks of the keys, one after the other, for a hash that holds the last block back;
    /// empty for others.
    inner_blocks: KeyBlocks,
    /// The chaining values after the inner blocks, one for each key.
    inner: Vec<State<H>>,
    outer: Vec<State<H>>,
}

impl<H: Runs> AnyStates for States<H> {
    fn count(&self) -> usize {
        self.inner.len()
    }

    fn tags<'m>(
        &self,
        engine: Option<Engine>,
        key: &dyn Fn(usize) -> usize,
        count: usize,
        message: &dyn Fn(usize) -> &'m [u8],
        out: &mut [u8],
    ) -> Result<(), Error> {
        let choice = Choice::new(engine)?;
        let bytes = self.hash.digest_bytes();
        let mut digests: SmallVec<[u8; 256]> = smallvec![0; count.min(WINDOW) * bytes];
        for begin in (0..count).step_by(WINDOW) {
            let count = WINDOW.min(count - begin);
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
        Ok(())
    }

    fn iterate(
        &self,
        engine: Option<Engine>,
        key: &dyn Fn(usize) -> usize,
        times: u32,
        tags: &mut [u8],
    ) -> Result<(), Error> {
        let states = |i: usize| [self.inner[key(i)], self.outer[key(i)]];
        starts::iterate(&self.hash, Choice::new(engine)?, &states, times, tags);
        Ok(())
    }
}

/// The keys whose blocks are in memory at a time.
const AT_ONCE: usize = 4 * MAX_LANES;

/// The states of `count` keys of any lengths.
///
/// # Errors
/// If the hash's digest is longer than its block, or the engine cannot serve.
pub(crate) fn states<'k>(
    algorithm: Algorithm,
    engine: Option<Engine>,
    count: usize,
    key: &dyn Fn(usize) -> &'k [u8],
) -> Result<Arc<dyn AnyStates>, Error> {
    struct Make<'a, 'k>(Algorithm, Option<Engine>, usize, &'a dyn Fn(usize) -> &'k [u8]);
    impl Visit for Make<'_, '_> {
        type Output = Result<Arc<dyn AnyStates>, Error>;
        fn visit<H: Runs>(self, hash: H) -> Self::Output {
            let Self(algorithm, engine, count, key) = self;
            let choice = Choice::new(engine)?;
            let [mut inner, mut outer] = [0, 1].map(|_| Vec::with_capacity(count));
            let kept = if H::HOLDS_LAST { count * hash.block_bytes() } else { 0 };
            let mut inner_blocks = KeyBlocks::with_room(kept);
            for begin in (0..count).step_by(AT_ONCE) {
                let padded = padded_keys(algorithm, (begin..count.min(begin + AT_ONCE)).map(key))?;
                let blocks = inner_block(&padded);
                starts::after_first(&hash, choice, &blocks, &mut inner);
                starts::after_first(&hash, choice, &outer_block(&padded), &mut outer);
                if H::HOLDS_LAST {
                    inner_blocks.append(&blocks);
                }
            }
            Ok(Arc::new(States { hash, inner_blocks, inner, outer }))
        }
    }
    check_defined(algorithm)?;
    try_visit(algorithm, Make(algorithm, engine, count, key))
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
    fn state(&self, index: usize) -> &State<H> {
        &self.states[(self.key)(index)]
    }
    fn block(&self, index: usize) -> &[u8] {
        let bytes = self.blocks.len() / self.states.len();
        &self.blocks[(self.key)(index) * bytes..][..bytes]
    }
}
