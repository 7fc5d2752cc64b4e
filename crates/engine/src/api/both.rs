//! Two hashes of the same messages in one pass.

use super::batch::{Options, run_on};
use super::group::{AnyGroup, Streams};
use super::hasher::Hasher;
use super::messages::Messages;
use crate::cpu::Engine;
use crate::drive::stream::Stream;
use crate::error::Error;
use crate::kernels::rounds::both::{FIRST, HASHES, Joined, SECOND, kernels, parts};
use crate::select::choice::Choice;
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_primitives::hash::Hash;
use std::fmt;
use std::sync::OnceLock;

/// SHA-256 and MD5 of the same messages in one pass over their bytes, for CPUs on which this takes
/// less time than one hash after the other.
///
/// A digest is that of SHA-256, 32 bytes, and that of MD5, 16 bytes, one after the other. **MD5 is
/// broken**: it is for old checksums, not for security.
///
/// ```
/// use manylane::{Both, HashId, hash};
///
/// if let Some(both) = Both::here() {
///     let mut digests = [0; 2 * 48];
///     both.run(&["one message", "another"], &mut digests)?;
///     assert_eq!(digests[..32], hash(HashId::Sha256, b"one message"));
///     assert_eq!(digests[32..48], hash(HashId::Md5, b"one message"));
/// }
/// # Ok::<(), manylane::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Both(&'static Choice<Joined>);

impl Both {
    /// The pass over both hashes on this CPU; `None` where one pass takes no less time than one
    /// hash after the other.
    pub fn here() -> Option<Self> {
        static CHOICE: OnceLock<Option<Choice<Joined>>> = OnceLock::new();
        let make = || {
            HASHES?;
            let kernels = kernels(Engine::available().ok()?);
            (!kernels.is_empty()).then(|| Choice::among(kernels.to_vec(), 1.0))
        };
        CHOICE.get_or_init(make).as_ref().map(Self)
    }

    /// The hashes that are computed, in the order of their digests.
    pub fn hashes(self) -> [HashId; 2] {
        HASHES.expect("without them there are no kernels")
    }

    /// Bytes of both digests.
    pub fn digest_bytes(self) -> usize {
        Joined.digest_bytes()
    }

    /// Writes both digests of each message to `out`, one after the other in the messages' order.
    ///
    /// # Errors
    /// If `out` is not as long as all digests together.
    pub fn run<M: AsRef<[u8]> + Sync>(self, messages: &[M], out: &mut [u8]) -> Result<(), Error> {
        super::batch::check_bytes(self.digest_bytes(), messages.len(), out)?;
        Messages::with(messages, |messages| {
            run_on(&Joined, self.0, &Options::DEFAULT, &messages, out)
        })
    }

    /// `members` messages that arrive in pieces, side by side.
    ///
    /// # Errors
    /// If they do not fit in memory.
    pub fn group(self, members: usize) -> Result<BothGroup, Error> {
        let start = Stream::with(Joined, self.0);
        Ok(BothGroup(Streams::new(self.0, start, None, members)?))
    }
}

/// Several messages that arrive in pieces, of which [`Both`] hashes are computed side by side.
pub struct BothGroup(Streams<Joined>);

impl BothGroup {
    /// Appends `pieces[i]` to the message of member i; an empty piece changes nothing.
    ///
    /// # Panics
    /// If there are not as many pieces as members.
    pub fn update(&mut self, pieces: &[&[u8]]) {
        assert_eq!(pieces.len(), self.0.streams().len(), "one piece for each member");
        self.0.update(pieces);
    }

    /// Both digests of the bytes that were appended to the message of `member` so far. The message
    /// can be continued.
    ///
    /// # Panics
    /// If there is no such member.
    pub fn finalize(&self, member: usize) -> Vec<u8> {
        let mut digests = vec![0; Joined.digest_bytes()];
        self.0.finalize_into(member, &mut digests);
        digests
    }

    /// Begins a new message for `member`.
    ///
    /// # Panics
    /// If there is no such member.
    pub fn reset(&mut self, member: usize) {
        self.0.reset(member);
    }

    /// A hasher for each of [`Both::hashes`] that goes on with the message of `member`.
    ///
    /// # Panics
    /// If there is no such member.
    pub fn apart(&self, member: usize) -> [Hasher; 2] {
        let (start, rest) = self.0.streams()[member].checkpoint();
        let (of_first, of_second) = parts(&start.state);
        let mut first = Stream::new(FIRST);
        first.take_up(of_first, start.blocks, rest);
        let mut second = Stream::new(SECOND);
        second.take_up(of_second, start.blocks, rest);
        let [name_of_first, name_of_second] =
            HASHES.expect("without them there is no group").map(Algorithm::new);
        [Hasher::of(name_of_first, first), Hasher::of(name_of_second, second)]
    }
}

impl fmt::Debug for Both {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Both").field(&self.hashes()).finish()
    }
}

impl fmt::Debug for BothGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BothGroup").field("members", &self.0.streams().len()).finish()
    }
}
