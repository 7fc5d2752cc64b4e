//! Chains: each message contains the digest of the one before.

use super::resources::{Resources, with_resources};
use super::rows::{AnyRows, check_fields, prepare};
use crate::drive::{chains, rows};
use crate::error::Error;
use crate::kernels::kernel::MAX_LANES;
use manylane_primitives::catalog::Algorithm;
use std::fmt;
use std::ops::Range;

/// Many chains of hashes, side by side in lanes. Step number j of a chain replaces its state:
///
/// ```text
/// state ← first bytes of H(prefix ‖ address with j written into it ‖ state ‖ suffix)
/// ```
///
/// Chains may have different numbers of steps: a lane whose chain ends takes the next one. Between
/// steps the state stays in its lane.
///
/// A WOTS+ or LMS signature is such a batch, and so are iterated hashes:
///
/// ```
/// use manylane::{Chains, HashId, hash};
///
/// let mut states = [*b"one state of 32 bytes ..........", *b"and another one ................"];
/// Chains::new(HashId::Sha256).run(&[], &[0..2, 0..1000], states.as_flattened_mut())?;
/// let once = hash(HashId::Sha256, b"one state of 32 bytes ..........");
/// assert_eq!(states[0], hash(HashId::Sha256, &once)[..]);
/// # Ok::<(), manylane::Error>(())
/// ```
///
/// Memory beyond the caller's: the blocks of each lane, at most 64 KiB per thread for messages of
/// up to 1,000 bytes. It is not cleared after use.
#[derive(Clone)]
pub struct Chains<'p> {
    algorithm: Algorithm,
    resources: Resources<'p>,
    fields: rows::Fields,
    counter: Option<(usize, usize)>,
}

with_resources!(Chains);

impl Chains<'_> {
    /// Chains whose messages are their states alone, on this thread and the best engines of this
    /// CPU.
    pub fn new(algorithm: impl Into<Algorithm>) -> Self {
        let algorithm = algorithm.into();
        let bytes = algorithm.digest_bytes();
        let fields = rows::Fields { input: bytes, output: bytes, ..Default::default() };
        Self { algorithm, resources: Resources::default(), fields, counter: None }
    }

    /// The bytes with which every message begins.
    #[must_use]
    pub fn prefix(mut self, prefix: &[u8]) -> Self {
        self.fields.prefix = prefix.to_vec();
        self
    }

    /// The bytes with which every message ends.
    #[must_use]
    pub fn suffix(mut self, suffix: &[u8]) -> Self {
        self.fields.suffix = suffix.to_vec();
        self
    }

    /// Length in bytes of each chain's address, which is between the prefix and the state.
    #[must_use]
    pub fn address_bytes(mut self, bytes: usize) -> Self {
        self.fields.address = bytes;
        self
    }

    /// Writes the number of each step into the `bytes` bytes of the address from byte `at` on, the
    /// most significant byte first. Without this all steps of a chain have one address.
    #[must_use]
    pub fn counter(mut self, at: usize, bytes: usize) -> Self {
        self.counter = Some((at, bytes));
        self
    }

    /// Length in bytes of the state, which is the first bytes of each digest; by default the whole
    /// digest.
    #[must_use]
    pub fn state_bytes(mut self, bytes: usize) -> Self {
        (self.fields.input, self.fields.output) = (bytes, bytes);
        self
    }

    /// Takes chain i through the steps whose numbers are in range i. `states` has the states one
    /// after the other, `addresses` the addresses; an empty range leaves its state unchanged.
    ///
    /// # Errors
    /// If states, addresses and ranges are not as many, the counter does not lie in the address or
    /// cannot hold the number of a step, a state is empty or longer than a digest, a message does
    /// not fit in memory, or the engine cannot serve.
    pub fn run(
        &self,
        addresses: &[u8],
        steps: &[Range<u64>],
        states: &mut [u8],
    ) -> Result<(), Error> {
        self.check(addresses, steps, states)?;
        let hasher = prepare(self.algorithm, self.resources, &self.fields)?;
        let all = steps.iter().map(|steps| steps.end.saturating_sub(steps.start));
        let work = all.fold(0, u64::saturating_add).saturating_mul(hasher.message_bytes() as u64);
        let rows::Fields { address, output, .. } = self.fields;
        let counter = self.counter;
        self.resources.share(
            steps.len(),
            MAX_LANES,
            work,
            &|i| i * output,
            states,
            &|range, states| {
                let addresses = &addresses[range.start * address..range.end * address];
                let part = chains::Chains { addresses, steps: &steps[range], counter };
                hasher.again().follow(part, states);
            },
        );
        Ok(())
    }

    /// Prepares these chains for many calls on the calling thread.
    ///
    /// # Errors
    /// If a message does not fit in memory or the engine cannot serve.
    pub fn prepare(&self) -> Result<PreparedChains, Error> {
        let mut chains = Chains::new(self.algorithm);
        (chains.fields, chains.counter) = (self.fields.clone(), self.counter);
        let hasher = prepare(self.algorithm, self.resources, &self.fields)?;
        Ok(PreparedChains { chains, hasher })
    }

    fn check(&self, addresses: &[u8], steps: &[Range<u64>], states: &[u8]) -> Result<(), Error> {
        let fields = rows::Fields { input: 0, ..self.fields.clone() };
        let count = check_fields(self.algorithm, &fields, addresses, &[], ("states", states))?;
        if count != steps.len() {
            let (what, given, of) = ("ranges of steps", steps.len(), "states");
            return Err(Error::Count { what, given, of, count });
        }
        if let Some((at, bytes)) = self.counter {
            let last = steps.iter().filter(|steps| !steps.is_empty()).map(|steps| steps.end - 1);
            let last = last.max().unwrap_or(0);
            let fits = bytes > 0 && (bytes >= 8 || last >> (8 * bytes) == 0);
            let lies = at.checked_add(bytes).is_some_and(|end| end <= self.fields.address);
            if !fits || !lies || bytes > 8 {
                return Err(Error::Counter { at, bytes, address: self.fields.address, last });
            }
        }
        Ok(())
    }
}

/// [`Chains`] prepared for many calls on one thread: what does not change from call to call is
/// computed once. This pays for calls of few chains, which take less time than the preparation.
pub struct PreparedChains {
    chains: Chains<'static>,
    hasher: Box<dyn AnyRows>,
}

impl PreparedChains {
    /// See [`Chains::run`].
    ///
    /// # Errors
    /// The errors of [`Chains::run`] that concern lengths and counters.
    pub fn run(
        &mut self,
        addresses: &[u8],
        steps: &[Range<u64>],
        states: &mut [u8],
    ) -> Result<(), Error> {
        self.chains.check(addresses, steps, states)?;
        let counter = self.chains.counter;
        self.hasher.follow(chains::Chains { addresses, steps, counter }, states);
        Ok(())
    }
}

impl fmt::Debug for PreparedChains {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedChains").field("chains", &self.chains).finish_non_exhaustive()
    }
}

impl fmt::Debug for Chains<'_> {
    /// Shows no constant field, which may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chains")
            .field("algorithm", &self.algorithm)
            .field("resources", &self.resources)
            .field("counter", &self.counter)
            .finish_non_exhaustive()
    }
}
