//! The calls of the engine that compute the functions of a file.

use super::function::{Function, Functions};
use super::stream::Hash;
use manylane_engine::{Algorithm, Both, BothGroup, Engine, Error, Group, Hasher};

/// A call of the engine that computes one of the functions of a file, or two in one pass, with
/// their indices among these functions.
#[derive(Clone)]
pub enum Call {
    One(Function, usize),
    Both(Both, [usize; 2]),
}

impl Functions {
    /// The calls that compute the functions on this engine, or with `None` on the best ones.
    pub(super) fn calls(&self, engine: Option<Engine>) -> Vec<Call> {
        let mut calls = Vec::with_capacity(self.len());
        let mut together = [usize::MAX; 2];
        if engine.is_none()
            && self.len() > 1
            && let Some(both) = Both::here()
            && let [Some(first), Some(second)] = both
                .hashes()
                .map(|hash| self.iter().position(|f| *f == Function::Hash(Algorithm::new(hash))))
        {
            together = [first, second];
            calls.push(Call::Both(both, together));
        }
        let others = self.iter().enumerate().filter(|(at, _)| !together.contains(at));
        calls.extend(others.map(|(at, function)| Call::One(function.clone(), at)));
        calls
    }
}

impl Call {
    /// Whether both calls compute the same functions, whatever the indices of these.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::One(one, _), Self::One(other, _)) => one == other,
            (Self::Both(..), Self::Both(..)) => true,
            _ => false,
        }
    }

    /// Puts the digests of whole messages in the places of the functions, message by message.
    pub fn run(
        &self,
        engine: Option<Engine>,
        messages: &[&[u8]],
        digests: &mut [Vec<Vec<u8>>],
    ) -> Result<(), Error> {
        let mut all = Vec::new();
        let bytes = match self {
            Self::One(function, _) => {
                all = function.of_all(engine, messages)?;
                function.digest_bytes()
            }
            Self::Both(both, _) => {
                all.resize(messages.len() * both.digest_bytes(), 0);
                both.run(messages, &mut all)?;
                both.digest_bytes()
            }
        };
        for (digest, digests) in all.chunks_exact(bytes).zip(digests) {
            self.put(digest, digests);
        }
        Ok(())
    }

    /// Puts what the call computed of one message in the places of the functions.
    pub fn put(&self, digest: &[u8], digests: &mut [Vec<u8>]) {
        match self {
            Self::One(_, at) => digests[*at] = digest.to_vec(),
            Self::Both(both, at) => {
                let first_bytes = Algorithm::new(both.hashes()[0]).digest_bytes();
                let (first, second) = digest.split_at(first_bytes);
                digests[at[0]] = first.to_vec();
                digests[at[1]] = second.to_vec();
            }
        }
    }

    /// `members` messages that arrive in pieces, side by side.
    pub fn members(&self, engine: Option<Engine>, members: usize) -> Result<Members, Error> {
        Ok(match self {
            Self::One(function, _) => Members::One(function.group(engine, members)?),
            Self::Both(both, _) => Members::Both(Box::new(both.group(members)?), None),
        })
    }
}

/// Messages that arrive in pieces, hashed by one call.
pub enum Members {
    One(Group),
    /// Beside the group, the message that left it, if one did: its number and the hashers that
    /// continue it.
    Both(Box<BothGroup>, Option<(usize, [Hasher; 2])>),
}

impl Members {
    /// Appends a piece to each message.
    pub fn update(&mut self, pieces: &[&[u8]]) {
        match self {
            Self::One(group) => group.update(pieces),
            Self::Both(group, _) => group.update(pieces),
        }
    }

    /// The hashers of a message that is the only one to grow from now on. If the call computes two
    /// functions, there are two hashers, which can run on two threads.
    pub fn alone(&mut self, count: usize, member: usize) -> Vec<Hash<'_>> {
        match self {
            Self::One(group) => vec![Box::new(move |piece| {
                let mut pieces = vec![&[][..]; count];
                pieces[member] = piece;
                group.update(&pieces);
            })],
            Self::Both(group, apart) => {
                let (_, hashers) = apart.insert((member, group.apart(member)));
                let hashers = hashers.iter_mut();
                hashers.map(|hasher| -> Hash { Box::new(|piece| hasher.update(piece)) }).collect()
            }
        }
    }

    /// Returns what the call computes of a message, and begins another in its place.
    pub fn finalize(&mut self, member: usize) -> Vec<u8> {
        match self {
            Self::One(group) => {
                let digest = group.finalize(member);
                group.reset(member);
                digest
            }
            Self::Both(group, apart) => {
                let digests = match apart.take_if(|(left, _)| *left == member) {
                    Some((_, hashers)) => hashers.map(|hasher| hasher.finalize()).concat(),
                    None => group.finalize(member),
                };
                group.reset(member);
                digests
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manylane_engine::{HashId, hash};

    fn functions(hashes: &[HashId]) -> Functions {
        hashes.iter().map(|&hash| Function::new(hash.into(), None)).collect()
    }

    const SETS: [&[HashId]; 5] = [
        &[HashId::Sha256],
        &[HashId::Md5, HashId::Sha256],
        &[HashId::Sha256, HashId::Sha1, HashId::Md5],
        &[HashId::Sha1, HashId::Md5],
        &[HashId::Md5, HashId::Blake256, HashId::Sha256, HashId::Sha512],
    ];

    #[test]
    fn digests_come_in_the_order_of_the_functions() {
        let messages: Vec<Vec<u8>> = (0..70).map(|i| vec![i as u8; 37 * i]).collect();
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        for hashes in SETS {
            let functions = functions(hashes);
            let mut digests = vec![vec![Vec::new(); hashes.len()]; messages.len()];
            for call in functions.calls(None) {
                call.run(None, &messages, &mut digests).unwrap();
            }
            for (message, digests) in messages.iter().zip(digests) {
                let expected: Vec<_> = hashes.iter().map(|&id| hash(id, message)).collect();
                assert_eq!(digests, expected, "{hashes:?}, {} bytes", message.len());
            }
        }
    }

    /// A message that goes on after the others have ended, whatever its position in a block.
    #[test]
    fn a_message_alone_goes_on() {
        for hashes in SETS {
            for begun in [0, 1, 64, 100, 1000] {
                let functions = functions(hashes);
                let mut digests = vec![Vec::new(); hashes.len()];
                for call in functions.calls(None) {
                    let mut members = call.members(None, 3).unwrap();
                    members.update(&[&[1; 500], &vec![2; begun], &[3; 70]]);
                    for hash in &mut members.alone(3, 1) {
                        hash(&[2; 77]);
                        hash(&[]);
                        hash(&[2; 200]);
                    }
                    call.put(&members.finalize(1), &mut digests);
                    // Its place is free again, and the others have what they had.
                    members.update(&[&[], b"abc", b""]);
                    let mut next = digests.clone();
                    call.put(&members.finalize(1), &mut next);
                    call.put(&members.finalize(2), &mut next);
                    let at = match call {
                        Call::One(_, at) => vec![at],
                        Call::Both(_, at) => at.to_vec(),
                    };
                    for at in at {
                        assert_eq!(next[at], hash(hashes[at], &[3; 70]));
                    }
                }
                let message = vec![2; begun + 277];
                let expected: Vec<_> = hashes.iter().map(|&id| hash(id, &message)).collect();
                assert_eq!(digests, expected, "{hashes:?}, {begun} bytes before");
            }
        }
    }
}
