//! What can go wrong before hashing starts; hashing itself is total.

/// A request that cannot be met.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No engine of that name exists.
    #[error("no engine is named `{name}`; there are: {engines}")]
    UnknownEngine {
        /// What was asked for.
        name: String,
        /// Every engine.
        engines: String,
    },
    /// The engine exists, but this CPU lacks it or `MANYLANE_MAX_ISA` forbids it.
    #[error(
        "engine `{engine}` cannot run here (the CPU lacks it or MANYLANE_MAX_ISA forbids it); \
         available: {available}"
    )]
    EngineUnavailable {
        /// What was asked for.
        engine: &'static str,
        /// What there is.
        available: String,
    },
    /// The engine runs here but has no kernel for the primitive.
    #[error("engine `{engine}` does not compute {primitive}; engines that do: {available}")]
    EngineLacksPrimitive {
        /// What was asked for.
        engine: &'static str,
        /// The hash.
        primitive: String,
        /// Engines of this CPU that have it.
        available: String,
    },
    /// Kernels are compiled for the hashes of the catalogue only.
    #[error("{primitive} is not in the catalogue: no kernels are compiled for it")]
    NotInCatalogue {
        /// The hash's type.
        primitive: String,
    },
    /// The environment variable `MANYLANE_MAX_ISA` names no engine.
    #[error("MANYLANE_MAX_ISA is `{name}`, which is no engine; set it to one of: {engines}")]
    UnknownMaxIsa {
        /// The variable's value.
        name: String,
        /// Every engine.
        engines: String,
    },
    /// The output buffer has the wrong length.
    #[error(
        "the output has {given} bytes where {messages} digests of {digest} bytes need {}",
        *messages as u128 * *digest as u128
    )]
    OutputLength {
        /// Bytes given.
        given: usize,
        /// Number of messages.
        messages: usize,
        /// Bytes per digest.
        digest: usize,
        /// Bytes needed; `usize::MAX` if there are more.
        needed: usize,
    },
    /// Two lists of a call differ in length.
    #[error("{given} {what} for {count} {of}: {count} needed, one for each")]
    Count {
        /// The elements of the first list, in the plural.
        what: &'static str,
        /// The number of these elements.
        given: usize,
        /// The elements of the other list, in the plural.
        of: &'static str,
        /// The number of those elements.
        count: usize,
    },
    /// A field of many messages, chains or keys has the wrong length.
    #[error(
        "{what}: {given} given, {} needed for {count} of {bytes} each",
        *count as u128 * *bytes as u128
    )]
    FieldLength {
        /// The name of the field.
        what: &'static str,
        /// Bytes or elements given.
        given: usize,
        /// Number of messages, chains or keys.
        count: usize,
        /// Bytes or elements for each.
        bytes: usize,
    },
    /// More or fewer bytes of a digest are to be kept than there are.
    #[error("{given} bytes of a digest of {digest} bytes; keep 1 to {digest}")]
    OutputBytes {
        /// Bytes to be kept.
        given: usize,
        /// Bytes of the digest.
        digest: usize,
    },
    /// The counter of a chain does not lie in its address or does not hold all numbers.
    #[error(
        "a counter of {bytes} bytes at byte {at} of an address of {address} bytes, for steps up to \
         number {last}; it has 1 to 8 bytes, lies in the address and holds every number"
    )]
    Counter {
        /// Where it begins.
        at: usize,
        /// Its bytes.
        bytes: usize,
        /// Bytes of the address.
        address: usize,
        /// The greatest number of a step.
        last: u64,
    },
    /// There is no key of that number.
    #[error("key number {key} of {keys} keys, which are counted from 0")]
    NoKey {
        /// What was asked for.
        key: usize,
        /// How many there are.
        keys: usize,
    },
    /// There is no leaf of that number.
    #[error("leaf number {leaf} of {leaves} leaves, which are counted from 0")]
    NoLeaf {
        /// What was asked for.
        leaf: usize,
        /// How many there are.
        leaves: usize,
    },
    /// There is no hasher of that number.
    #[error("hasher number {hasher} of {hashers} hashers, which are counted from 0")]
    NoHasher {
        /// What was asked for.
        hasher: usize,
        /// How many there are.
        hashers: usize,
    },
    /// A hasher computes another algorithm than the batch that goes on from it.
    #[error("a hasher of {given} has begun a message of {needed}")]
    OtherAlgorithm {
        /// The hasher's.
        given: String,
        /// The batch's.
        needed: String,
    },
    /// Digests would overlap.
    #[error("a stride of {stride} bytes for digests of {bytes}; it has at least as many")]
    Stride {
        /// Bytes from one digest to the next.
        stride: usize,
        /// Bytes of a digest.
        bytes: usize,
    },
    /// A derived key cannot have this length.
    #[error("keys of {given} bytes; they have 1 to {most}")]
    KeyBytes {
        /// What was asked for.
        given: usize,
        /// The longest.
        most: u64,
    },
    /// These parameters define no tree.
    #[error("no such tree: {what}")]
    Tree {
        /// What is wrong, or the rule that all trees obey.
        what: &'static str,
    },
    /// These parameters define no one-time password.
    #[error(
        "one-time passwords of {digits} digits from tags of {digest} bytes; they have 1 to 9 \
         digits, and tags 20 bytes or more"
    )]
    OneTime {
        /// Digits asked for.
        digits: u32,
        /// Bytes of a tag.
        digest: usize,
    },
    /// What was asked for does not fit in memory.
    #[error("{bytes} bytes are more memory than there is")]
    Memory {
        /// Bytes needed.
        bytes: u128,
    },
    /// RC5's parameters are out of bounds.
    #[error(transparent)]
    Rc5(#[from] manylane_primitives::cipher::rc5::ParamsError),
    /// A key has another length than its cipher was made for.
    #[error("a key has {given} bytes where the cipher was made for {needed}")]
    KeyLength {
        /// Bytes given.
        given: usize,
        /// Bytes needed.
        needed: usize,
    },
    /// A mode of operation refuses its input.
    #[error(transparent)]
    Mode(#[from] manylane_primitives::cipher::modes::Error),
    /// HMAC is not defined over this hash.
    #[error(
        "HMAC over {hash} is not defined: its digest of {digest_bytes} bytes is longer than its \
         block of {block_bytes}; choose a shorter digest"
    )]
    HmacUndefined {
        /// The hash.
        hash: String,
        /// Bytes of its digest.
        digest_bytes: usize,
        /// Bytes of its block.
        block_bytes: usize,
    },
    /// The bytes given are not the saved state of a hasher, or are that of another algorithm.
    #[error("this is no saved state of the hasher: {reason}; hash the message from its beginning")]
    SavedState {
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    /// Returns the error with `title` as the name of the primitive.
    pub(crate) fn naming(mut self, title: &str) -> Self {
        if let Self::EngineLacksPrimitive { primitive, .. } = &mut self {
            *primitive = title.into();
        }
        self
    }
}

/// An empty list with room for `count` elements, or [`Error::Memory`].
pub(crate) fn try_with_capacity<T>(count: usize) -> Result<Vec<T>, Error> {
    let mut list = Vec::new();
    let refused = |_| Error::Memory { bytes: count as u128 * size_of::<T>() as u128 };
    list.try_reserve_exact(count).map_err(refused)?;
    Ok(list)
}
