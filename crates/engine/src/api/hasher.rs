//! Hashers of an [`Algorithm`] chosen at run time, and one-shot functions.

use super::batch::hash_many;
use crate::cpu::Engine;
use crate::drive::saved;
use crate::drive::stream::{self, Stream};
use crate::error::Error;
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;
use crate::select::visit::{Visit, try_visit, visit};
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::hash::digest_bits;
use std::any::Any;
use std::fmt;
use std::io;

/// The digest of `message`.
///
/// ```
/// let md5 = manylane::HashId::Md5;
/// assert_eq!(manylane::hash(md5, b"abc")[..3], [0x90, 0x01, 0x50]);
/// ```
///
/// # Panics
/// If the environment variable `MANYLANE_MAX_ISA` names no engine.
pub fn hash(algorithm: impl Into<Algorithm>, message: &[u8]) -> Vec<u8> {
    let algorithm = algorithm.into();
    let mut digest = vec![0; algorithm.digest_bytes()];
    hash_many(algorithm, &[message], &mut digest).unwrap_or_else(|error| panic!("{error}"));
    digest
}

/// The digest of the first `bits` bits of `message`, computed by the definition.
///
/// If the last byte is incomplete, the message has its most significant bits; with SHA-3 and SHAKE,
/// by FIPS 202, its least significant bits.
///
/// # Panics
/// If `message` has fewer than `bits` bits.
pub fn hash_bits(algorithm: impl Into<Algorithm>, message: &[u8], bits: u64) -> Vec<u8> {
    bits_of(algorithm.into(), message, bits)
}

/// The engines of this CPU that compute `algorithm`, each once.
///
/// # Errors
/// If `MANYLANE_MAX_ISA` names no engine.
pub fn engines(algorithm: impl Into<Algorithm>) -> Result<Vec<Engine>, Error> {
    engines_of(algorithm.into())
}

// The functions below are not generic over `impl Into<Algorithm>`, so that what they instantiate,
// kernels and all, is compiled once, here, and not again in every crate that calls.

fn bits_of(algorithm: Algorithm, message: &[u8], bits: u64) -> Vec<u8> {
    struct Bits<'m>(&'m [u8], u64);
    impl Visit for Bits<'_> {
        type Output = Vec<u8>;
        fn visit<H: Runs>(self, hash: H) -> Vec<u8> {
            let mut out = vec![0; hash.digest_bytes()];
            digest_bits(&hash, self.0, self.1, &mut out);
            out
        }
    }
    visit(algorithm, Bits(message, bits))
}

fn engines_of(algorithm: Algorithm) -> Result<Vec<Engine>, Error> {
    struct Engines;
    impl Visit for Engines {
        type Output = Result<Vec<Engine>, Error>;
        fn visit<H: Runs>(self, _: H) -> Self::Output {
            Ok(Choice::<H>::new(None)?.engines())
        }
    }
    try_visit(algorithm, Engines)
}

fn stream_of(algorithm: Algorithm, engine: Option<Engine>) -> Result<Box<dyn AnyStream>, Error> {
    struct Make(Option<Engine>);
    impl Visit for Make {
        type Output = Result<Box<dyn AnyStream>, Error>;
        fn visit<H: Runs>(self, hash: H) -> Self::Output {
            Ok(Box::new(Stream::on(hash, self.0)?))
        }
    }
    try_visit(algorithm, Make(engine))
}

/// The operations of a [`Stream`] of any hash.
trait AnyStream: Send + Sync {
    fn update(&mut self, bytes: &[u8]);
    fn finalize_into(&self, out: &mut [u8]);
    fn reader(&self) -> Box<dyn AnyReader>;
    fn reset(&mut self);
    fn save(&self, algorithm: Algorithm) -> Vec<u8>;
    fn restore(&mut self, algorithm: Algorithm, saved: &[u8]) -> Result<(), Error>;
    fn engine(&self) -> Engine;
    fn boxed_clone(&self) -> Box<dyn AnyStream>;
    fn as_any(&self) -> &dyn Any;
}

impl<H: Runs> AnyStream for Stream<H> {
    fn update(&mut self, bytes: &[u8]) {
        Self::update(self, bytes);
    }
    fn finalize_into(&self, out: &mut [u8]) {
        Self::finalize_into(self, out);
    }
    fn reader(&self) -> Box<dyn AnyReader> {
        Box::new(self.clone().into_reader())
    }
    fn reset(&mut self) {
        Self::reset(self);
    }
    fn save(&self, algorithm: Algorithm) -> Vec<u8> {
        let mut saved = vec![0; self.saved_bytes()];
        Self::save(self, algorithm, &mut saved);
        saved
    }
    fn restore(&mut self, algorithm: Algorithm, saved: &[u8]) -> Result<(), Error> {
        Self::restore(self, algorithm, saved)
    }
    fn engine(&self) -> Engine {
        Self::engine(self)
    }
    fn boxed_clone(&self) -> Box<dyn AnyStream> {
        Box::new(self.clone())
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

trait AnyReader: Send + Sync {
    fn read(&mut self, out: &mut [u8]);
}

impl<H: Runs> AnyReader for stream::Reader<H> {
    fn read(&mut self, out: &mut [u8]) {
        Self::read(self, out);
    }
}

/// A hasher: `update` any number of times, then `finalize`.
///
/// ```
/// use manylane::{HashId, Hasher, hash};
///
/// let mut hasher = Hasher::new(HashId::Sha3_256);
/// hasher.update(b"a");
/// hasher.update(b"bc");
/// assert_eq!(hasher.finalize(), hash(HashId::Sha3_256, b"abc"));
/// ```
pub struct Hasher {
    algorithm: Algorithm,
    stream: Box<dyn AnyStream>,
}

impl Hasher {
    /// A hasher on the best engine of this CPU.
    ///
    /// # Panics
    /// If the environment variable `MANYLANE_MAX_ISA` names no engine.
    pub fn new(algorithm: impl Into<Algorithm>) -> Self {
        Self::on(algorithm, None).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A hasher on this engine, or with `None` on the best one.
    ///
    /// # Errors
    /// If the engine cannot run here or does not compute this hash.
    pub fn on(
        algorithm: impl Into<Algorithm>,
        engine: impl Into<Option<Engine>>,
    ) -> Result<Self, Error> {
        let algorithm = algorithm.into();
        Ok(Self { algorithm, stream: stream_of(algorithm, engine.into())? })
    }

    /// A hasher that goes on with a stream of the algorithm.
    pub(super) fn of<H: Runs>(algorithm: Algorithm, stream: Stream<H>) -> Self {
        Self { algorithm, stream: Box::new(stream) }
    }

    /// The algorithm that it computes.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The engine it runs on.
    pub fn engine(&self) -> Engine {
        self.stream.engine()
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, bytes: &[u8]) {
        self.stream.update(bytes);
    }

    /// The digest of the bytes that were appended so far. The message can be continued. An output
    /// too long for memory can be read in pieces by [`Hasher::finalize_xof`].
    pub fn finalize(&self) -> Vec<u8> {
        let mut digest = vec![0; self.algorithm.digest_bytes()];
        self.finalize_into(&mut digest);
        digest
    }

    /// Writes the digest to `digest`, without an allocation. See [`Hasher::finalize`].
    ///
    /// # Panics
    /// If the length of `digest` is not [`Algorithm::digest_bytes`].
    pub fn finalize_into(&self, digest: &mut [u8]) {
        assert_eq!(digest.len(), self.algorithm.digest_bytes(), "bytes of {}", self.algorithm);
        self.stream.finalize_into(digest);
    }

    /// The output for the bytes that were appended so far, as a stream: endless for SHAKE, as long
    /// as the digest for other hashes.
    pub fn finalize_xof(&self) -> XofReader {
        let endless = self.algorithm.id().entry().shape.extendable;
        let left = (!endless).then_some(self.algorithm.digest_bytes() as u64);
        XofReader { reader: self.stream.reader(), left }
    }

    /// The stream of this hasher, if its hash has the type `H`.
    pub(super) fn stream<H: Runs>(&self) -> Option<&Stream<H>> {
        self.stream.as_any().downcast_ref()
    }

    /// Begins a new message.
    pub fn reset(&mut self) {
        self.stream.reset();
    }

    /// The state of an unfinished message in less than 512 bytes. [`Hasher::restore`] continues
    /// from them: in another process, on another CPU, in any later version that reads this form.
    ///
    /// The bytes reveal as much of the message as its digest does, and contain its last bytes.
    ///
    /// ```
    /// use manylane::{HashId, Hasher, hash};
    ///
    /// let mut hasher = Hasher::new(HashId::Sha512);
    /// hasher.update(b"one half, ");
    /// let saved = hasher.save();
    /// let mut later = Hasher::restore(&saved)?;
    /// later.update(b"the other");
    /// assert_eq!(later.finalize(), hash(HashId::Sha512, b"one half, the other"));
    /// # Ok::<(), manylane::Error>(())
    /// ```
    pub fn save(&self) -> Vec<u8> {
        self.stream.save(self.algorithm)
    }

    /// The hasher that [`Hasher::save`] saved, of the same algorithm, on the best engine of this
    /// CPU.
    ///
    /// # Errors
    /// If the bytes are not a saved state, are cut or damaged, or have a version that is not read
    /// here. A check value of 64 bits finds damage but no forgery: whoever can write the bytes can
    /// choose the digest.
    pub fn restore(saved: &[u8]) -> Result<Self, Error> {
        Self::restore_on(saved, None)
    }

    /// [`Hasher::restore`] on this engine, or with `None` on the best one.
    ///
    /// # Errors
    /// As [`Hasher::restore`], or if the engine cannot run here or does not compute the hash.
    pub fn restore_on(saved: &[u8], engine: impl Into<Option<Engine>>) -> Result<Self, Error> {
        let mut hasher = Self::on(saved::algorithm(saved)?, engine)?;
        hasher.stream.restore(hasher.algorithm, saved)?;
        Ok(hasher)
    }
}

impl Clone for Hasher {
    fn clone(&self) -> Self {
        Self { algorithm: self.algorithm, stream: self.stream.boxed_clone() }
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher")
            .field("algorithm", &self.algorithm)
            .field("engine", &self.engine())
            .finish_non_exhaustive()
    }
}

impl io::Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The output of a hash, read in pieces.
pub struct XofReader {
    reader: Box<dyn AnyReader>,
    /// Bytes to come; `None` where the output has no end.
    left: Option<u64>,
}

impl fmt::Debug for XofReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("XofReader").field("left", &self.left).finish_non_exhaustive()
    }
}

impl io::Read for XofReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.left.map_or(out.len(), |left| out.len().min(left.min(1 << 30) as usize));
        self.reader.read(&mut out[..count]);
        self.left = self.left.map(|left| left - count as u64);
        Ok(count)
    }
}
