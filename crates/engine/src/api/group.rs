//! Several messages that arrive in pieces, hashed or authenticated side by side.

use super::key::{keyed_streams, padded_key};
use crate::cpu::Engine;
use crate::drive::stream::{Stream, update_many};
use crate::error::{self, Error};
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;
use crate::select::visit::{Visit, try_visit};
use manylane_primitives::catalog::Algorithm;
use std::fmt;

/// The operations of a row of [`Stream`]s of any hash.
pub(super) trait AnyGroup: Send + Sync {
    fn update(&mut self, pieces: &[&[u8]]);
    fn finalize_into(&self, member: usize, out: &mut [u8]);
    fn reset(&mut self, member: usize);
}

/// The messages of a group, all of one hash or HMAC under one key.
pub(super) struct Streams<H: Runs> {
    choice: &'static Choice<H>,
    /// Where each message starts.
    start: Stream<H>,
    streams: Vec<Stream<H>>,
    /// For HMAC: the outer hash after the key.
    outer: Option<Stream<H>>,
}

impl<H: Runs> Streams<H> {
    /// `members` messages, all continued from `start`.
    pub fn new(
        choice: &'static Choice<H>,
        start: Stream<H>,
        outer: Option<Stream<H>>,
        members: usize,
    ) -> Result<Self, Error> {
        let mut streams = error::try_with_capacity(members)?;
        streams.resize(members, start.clone());
        Ok(Self { choice, start, streams, outer })
    }

    /// The messages.
    pub fn streams(&self) -> &[Stream<H>] {
        &self.streams
    }
}

impl<H: Runs> AnyGroup for Streams<H> {
    fn update(&mut self, pieces: &[&[u8]]) {
        update_many(self.choice, &mut self.streams, pieces);
    }
    fn finalize_into(&self, member: usize, out: &mut [u8]) {
        self.streams[member].finalize_into(out);
        if let Some(outer) = &self.outer {
            outer.finalize_over(out);
        }
    }
    fn reset(&mut self, member: usize) {
        self.streams[member].resume(&self.start);
    }
}

/// Several hashers of one algorithm whose messages arrive in pieces and are hashed side by side.
///
/// A group is for messages too long to hold in memory: each call takes a piece of every message.
pub struct Group {
    algorithm: Algorithm,
    members: usize,
    streams: Box<dyn AnyGroup>,
}

impl Group {
    /// A group of `members` hashers on this engine, or with `None` on the best engines.
    ///
    /// # Errors
    /// If the engine cannot run here or does not compute this hash, or if the hashers, each of less
    /// than 1 KiB, do not fit in memory.
    pub fn new(
        algorithm: impl Into<Algorithm>,
        members: usize,
        engine: impl Into<Option<Engine>>,
    ) -> Result<Self, Error> {
        let algorithm = algorithm.into();
        Ok(Self { algorithm, members, streams: group_of(algorithm, members, None, engine.into())? })
    }

    /// A group of `members` messages that are authenticated by HMAC under one key.
    ///
    /// # Errors
    /// As [`Group::new`], or if the hash's digest is longer than its block.
    pub fn hmac(
        algorithm: impl Into<Algorithm>,
        key: &[u8],
        members: usize,
        engine: impl Into<Option<Engine>>,
    ) -> Result<Self, Error> {
        let (algorithm, engine) = (algorithm.into(), engine.into());
        let key = padded_key(algorithm, key)?;
        Ok(Self {
            algorithm,
            members,
            streams: group_of(algorithm, members, Some(&key[..]), engine)?,
        })
    }

    /// Number of hashers.
    pub fn members(&self) -> usize {
        self.members
    }

    /// Appends `pieces[i]` to the message of member i; an empty piece changes nothing.
    ///
    /// # Panics
    /// If there are not as many pieces as members.
    pub fn update(&mut self, pieces: &[&[u8]]) {
        assert_eq!(pieces.len(), self.members, "one piece for each member");
        self.streams.update(pieces);
    }

    /// The digest or tag of the bytes that were appended to the message of `member` so far. The
    /// message can be continued.
    ///
    /// # Panics
    /// If `member` is not below [`Group::members`].
    pub fn finalize(&self, member: usize) -> Vec<u8> {
        let mut digest = vec![0; self.algorithm.digest_bytes()];
        self.streams.finalize_into(member, &mut digest);
        digest
    }

    /// Begins a new message for `member`.
    ///
    /// # Panics
    /// If `member` is not below [`Group::members`].
    pub fn reset(&mut self, member: usize) {
        self.streams.reset(member);
    }
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group")
            .field("algorithm", &self.algorithm)
            .field("members", &self.members)
            .finish_non_exhaustive()
    }
}

/// Makes the streams of a group. `padded_key` is the padded key of an HMAC; a plain hash has none.
fn group_of(
    algorithm: Algorithm,
    members: usize,
    padded_key: Option<&[u8]>,
    engine: Option<Engine>,
) -> Result<Box<dyn AnyGroup>, Error> {
    struct Make<'k>(usize, Option<&'k [u8]>, Option<Engine>);
    impl Visit for Make<'_> {
        type Output = Result<Box<dyn AnyGroup>, Error>;
        fn visit<H: Runs>(self, hash: H) -> Self::Output {
            let Self(members, padded_key, engine) = self;
            let (start, outer) = match padded_key {
                Some(key) => {
                    let [inner, outer] = keyed_streams(hash, key, engine)?;
                    (inner, Some(outer))
                }
                None => (Stream::on(hash, engine)?, None),
            };
            Ok(Box::new(Streams::new(Choice::new(engine)?, start, outer, members)?))
        }
    }
    try_visit(algorithm, Make(members, padded_key, engine))
}
