//! Many messages of one length, made of fields.

use super::batch::hash_many;
use super::resources::{Resources, with_resources};
use crate::cpu::Engine;
use crate::drive::{chains, rows};
use crate::error::{self, Error};
use crate::kernels::kernel::MAX_LANES;
use crate::kernels::runs::Runs;
use crate::select::plan::FEWEST;
use crate::select::visit::{Visit, try_visit};
use manylane_primitives::catalog::Algorithm;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The length of a message, in bytes, above which memory for its blocks is tried first.
const LARGE: usize = 1 << 20;

/// The most bytes of a message that [`Rows::run_few`] puts together in memory.
const MOST_WRITTEN: usize = 1024;

/// Digests of many messages `prefix ‖ address ‖ input ‖ suffix`, whose fields have fixed lengths,
/// side by side in lanes: nodes of trees, keyed hashes of addresses, records.
///
/// The whole blocks of the prefix are hashed once and the padding is made once, so that a message
/// costs little more than its compressions.
///
/// ```
/// use manylane::{HashId, Rows, hash};
///
/// let inputs = b"the first record the second one..";
/// let mut digests = [0; 2 * 32];
/// let rows = Rows::new(HashId::Sha256).prefix(b"record ").input_bytes(16);
/// rows.run(&[], &inputs[..32], &mut digests)?;
/// assert_eq!(digests[32..], hash(HashId::Sha256, b"record  the second one."));
/// # Ok::<(), manylane::Error>(())
/// ```
///
/// Memory beyond the caller's: the blocks of each lane. It is not cleared after use.
#[derive(Clone)]
pub struct Rows<'p> {
    algorithm: Algorithm,
    resources: Resources<'p>,
    fields: rows::Fields,
}

with_resources!(Rows);

impl<'p> Rows<'p> {
    /// Computes on this engine and these threads.
    pub(crate) fn resources(mut self, resources: Resources<'p>) -> Self {
        self.resources = resources;
        self
    }

    /// Rows without any field, on this thread and the best engines of this CPU.
    pub fn new(algorithm: impl Into<Algorithm>) -> Self {
        let algorithm = algorithm.into();
        let fields = rows::Fields { output: algorithm.digest_bytes(), ..Default::default() };
        Self { algorithm, resources: Resources::default(), fields }
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

    /// Length in bytes of each message's address.
    #[must_use]
    pub fn address_bytes(mut self, bytes: usize) -> Self {
        self.fields.address = bytes;
        self
    }

    /// Length in bytes of each message's input.
    #[must_use]
    pub fn input_bytes(mut self, bytes: usize) -> Self {
        self.fields.input = bytes;
        self
    }

    /// Sets how many bytes of each digest are kept, from its first; by default all.
    #[must_use]
    pub fn output_bytes(mut self, bytes: usize) -> Self {
        self.fields.output = bytes;
        self
    }

    /// Writes the digest of each message to `out`, one after the other. `addresses` and `inputs`
    /// have those of all messages in the same order, one after the other.
    ///
    /// # Errors
    /// If addresses, inputs and output are not those of the same number of messages, no byte or
    /// more than a digest has is kept, a message does not fit in memory, or the engine cannot
    /// serve.
    pub fn run(&self, addresses: &[u8], inputs: &[u8], out: &mut [u8]) -> Result<(), Error> {
        let count =
            check_fields(self.algorithm, &self.fields, addresses, inputs, ("digests", out))?;
        if count <= FEWEST && self.takes_few() {
            return self.run_few(count, addresses, inputs, out);
        }
        let hasher = prepare(self.algorithm, self.resources, &self.fields)?;
        let work = (count as u64).saturating_mul(hasher.message_bytes() as u64);
        let rows::Fields { address, input, output, .. } = self.fields;
        self.resources.share(count, MAX_LANES, work, &|i| i * output, out, &|range, out| {
            let of = |bytes: usize| range.start * bytes..range.end * bytes;
            hasher.again().run(&addresses[of(address)], &inputs[of(input)], out);
        });
        Ok(())
    }

    /// Bytes of a message.
    fn message_bytes(&self) -> usize {
        let rows::Fields { prefix, address, input, suffix, .. } = &self.fields;
        [*address, *input, suffix.len()].into_iter().fold(prefix.len(), usize::saturating_add)
    }

    /// Whether [`Rows::run_few`] can hash these rows.
    pub(crate) fn takes_few(&self) -> bool {
        let block = self.algorithm.id().entry().shape.block_bytes;
        let short = self.fields.prefix.len() < block && self.message_bytes() <= MOST_WRITTEN;
        short && self.resources.engine.is_none()
    }

    /// [`Rows::run`] of at most [`FEWEST`] messages without preparing anything, which takes longer
    /// than they do.
    fn run_few(
        &self,
        count: usize,
        addresses: &[u8],
        inputs: &[u8],
        out: &mut [u8],
    ) -> Result<(), Error> {
        let rows::Fields { prefix, address, input, suffix, output } = &self.fields;
        let length = self.message_bytes();
        let mut written: SmallVec<[u8; 512]> = SmallVec::new();
        // Inputs that nothing precedes or follows are the messages.
        let bytes = if *input == length {
            inputs
        } else {
            for index in 0..count {
                written.extend_from_slice(prefix);
                written.extend_from_slice(&addresses[index * address..][..*address]);
                written.extend_from_slice(&inputs[index * input..][..*input]);
                written.extend_from_slice(suffix);
            }
            &written
        };
        let mut messages: [&[u8]; FEWEST] = [&[]; FEWEST];
        for (index, message) in messages[..count].iter_mut().enumerate() {
            *message = &bytes[index * length..][..length];
        }
        let messages = &messages[..count];
        let digest = self.algorithm.digest_bytes();
        if *output == digest {
            return hash_many(self.algorithm, messages, out);
        }
        let mut digests: SmallVec<[u8; 512]> = smallvec![0; count * digest];
        hash_many(self.algorithm, messages, &mut digests)?;
        for (out, digest) in out.chunks_exact_mut(*output).zip(digests.chunks_exact(digest)) {
            out.copy_from_slice(&digest[..*output]);
        }
        Ok(())
    }
}

impl std::fmt::Debug for Rows<'_> {
    /// Shows the lengths of the constant fields, not the fields, which may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rows")
            .field("algorithm", &self.algorithm)
            .field("resources", &self.resources)
            .finish_non_exhaustive()
    }
}

/// Returns the number of messages for which addresses, inputs and output have the right lengths.
/// `output` is the name of the output in errors.
pub(crate) fn check_fields(
    algorithm: Algorithm,
    fields: &rows::Fields,
    addresses: &[u8],
    inputs: &[u8],
    (output, out): (&'static str, &[u8]),
) -> Result<usize, Error> {
    let digest = algorithm.digest_bytes();
    if fields.output == 0 || fields.output > digest {
        return Err(Error::OutputBytes { given: fields.output, digest });
    }
    let count = out.len() / fields.output;
    let lengths = [
        (output, out.len(), fields.output),
        ("addresses", addresses.len(), fields.address),
        ("inputs", inputs.len(), fields.input),
    ];
    for (what, given, bytes) in lengths {
        if count.checked_mul(bytes) != Some(given) {
            return Err(Error::FieldLength { what, given, count, bytes });
        }
    }
    Ok(count)
}

/// [`Rows`] prepared for many calls on one thread: what does not change from call to call is
/// computed once. This pays for calls of few messages, which take less time than the preparation.
pub struct PreparedRows {
    algorithm: Algorithm,
    fields: rows::Fields,
    hasher: Box<dyn AnyRows>,
}

impl Rows<'_> {
    /// Prepares these rows for many calls on the calling thread.
    ///
    /// # Errors
    /// If a message does not fit in memory or the engine cannot serve.
    pub fn prepare(&self) -> Result<PreparedRows, Error> {
        let hasher = prepare(self.algorithm, self.resources, &self.fields)?;
        Ok(PreparedRows { algorithm: self.algorithm, fields: self.fields.clone(), hasher })
    }
}

impl PreparedRows {
    /// See [`Rows::run`].
    ///
    /// # Errors
    /// The errors of [`Rows::run`] that concern the lengths.
    pub fn run(&mut self, addresses: &[u8], inputs: &[u8], out: &mut [u8]) -> Result<(), Error> {
        check_fields(self.algorithm, &self.fields, addresses, inputs, ("digests", out))?;
        self.hasher.run(addresses, inputs, out);
        Ok(())
    }
}

impl std::fmt::Debug for PreparedRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PreparedRows").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}

/// Rows of any hash with room for their lanes.
pub(crate) trait AnyRows: Send + Sync {
    /// A copy of these rows for another thread, which allocates lanes of its own.
    fn again(&self) -> Box<dyn AnyRows>;
    /// Number of bytes of each message that are compressed.
    fn message_bytes(&self) -> usize;
    /// Hashes as many messages as `out` has places for.
    fn run(&mut self, addresses: &[u8], inputs: &[u8], out: &mut [u8]);
    /// Takes chains through their steps.
    fn follow(&mut self, part: chains::Chains, states: &mut [u8]);
}

struct OfHash<H: Runs> {
    rows: Arc<rows::RowHash<H>>,
    scratch: Option<rows::Scratch<H>>,
}

impl<H: Runs> AnyRows for OfHash<H> {
    fn again(&self) -> Box<dyn AnyRows> {
        Box::new(Self { rows: self.rows.clone(), scratch: None })
    }
    fn message_bytes(&self) -> usize {
        self.rows.template.len()
    }
    fn run(&mut self, addresses: &[u8], inputs: &[u8], out: &mut [u8]) {
        self.rows.run(&mut self.scratch, addresses, inputs, out);
    }
    fn follow(&mut self, part: chains::Chains, states: &mut [u8]) {
        chains::run(&self.rows, &mut self.scratch, part, states);
    }
}

/// Prepares messages of these fields for the hash of `algorithm`.
pub(crate) fn prepare(
    algorithm: Algorithm,
    resources: Resources,
    fields: &rows::Fields,
) -> Result<Box<dyn AnyRows>, Error> {
    struct Make<'a>(Option<Engine>, &'a rows::Fields);
    impl Visit for Make<'_> {
        type Output = Result<Box<dyn AnyRows>, Error>;
        fn visit<H: Runs>(self, hash: H) -> Self::Output {
            let rows = rows::RowHash::new(hash, self.0, self.1)?;
            Ok(Box::new(OfHash { rows: Arc::new(rows), scratch: None }))
        }
    }
    let rows::Fields { prefix, suffix, .. } = fields;
    let lengths = [prefix.len(), fields.address, fields.input, suffix.len()];
    let bytes = lengths.into_iter().fold(0, usize::saturating_add);
    if bytes > LARGE {
        // The message with its padding, and what is padded.
        error::try_with_capacity::<u8>(bytes.saturating_mul(2))?;
    }
    try_visit(algorithm, Make(resources.engine, fields))
}
