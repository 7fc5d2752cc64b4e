//! Digests of any length: how the output goes on after its first block.
//!
//! ```text
//!  sponge    last chaining value ─┬─► f(·, 0) ─┬─► f(·, 0) ─► …     a block from each
//!  counted   last chaining value ─┬─► f(·, 0)  ├─► f(·, 1)  ├─► …   a block from each result
//! ```
//!
//! Every step of either kind is a call of the compression function f, so that no other function is
//! needed.

use super::find::{call, find, state, values};
use super::{Closing, Counter, Error, Framing};
use crate::trace::{Traceable, Visitor, visit};
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::hash::{lift, lower};
use manylane_primitives::word::Native;

/// A hash with the continuation of its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The parts around the compression; its digest is the first output block.
    pub framing: Framing,
    /// Bytes of the digest.
    pub digest_bytes: usize,
    /// Whether the digest may have any length, with the same initial value for all lengths.
    pub is_xof: bool,
    /// How the output goes on after the first block; `None` if it cannot.
    pub more: Option<More>,
}

/// How the next output block is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum More {
    /// From the chaining value of the output block before, by a call with a block of zeros.
    Chained,
    /// From the last chaining value, by the closing call with the block's number as its first word.
    Counted,
}

/// The framing of a hash, whatever the length of its digest.
///
/// # Errors
/// As for [`framing`](super::framing), except that the digest may have any length; and if the
/// output goes on in another way than those of [`More`].
///
/// ```
/// use manylane_graph::framing::{More, stream};
/// let shake = stream("shake128".parse().unwrap()).unwrap();
/// assert_eq!((shake.framing.digest.len(), shake.more), (168, Some(More::Chained)));
/// ```
pub fn stream(algorithm: Algorithm) -> Result<Stream, Error> {
    struct Find;
    impl Visitor for Find {
        type Output = Result<Stream, &'static str>;
        fn visit<H: Traceable>(self, hash: &H) -> Self::Output {
            let bytes = match hash.is_xof() {
                true => hash.output_block_bytes(),
                false => hash.digest_bytes().min(hash.output_block_bytes()),
            };
            let framing = find(hash, bytes)?;
            let goes_on = hash.is_xof() || hash.digest_bytes() > bytes;
            let more = match goes_on {
                true => Some(more(hash, &framing).ok_or("output after the first block")?),
                false => None,
            };
            Ok(Stream { framing, digest_bytes: hash.digest_bytes(), is_xof: hash.is_xof(), more })
        }
    }
    visit(algorithm, Find).map_err(|what| Error { algorithm: algorithm.to_string(), what })
}

/// The form of continuation that agrees with the definition, on consecutive blocks and on blocks of
/// high numbers.
fn more<H: Traceable>(hash: &H, framing: &Framing) -> Option<More> {
    let zeros = vec![0; framing.block_bytes];
    let is_chained = || {
        let mut defined = lift::<H, _>(&state::<H>(1));
        let mut h = state::<H>(1);
        (0..4).all(|i| {
            let block = values(&lower::<H>(&hash.squeeze(&mut defined, i)));
            h = if i == 0 { h } else { call(hash, h, &zeros, Counter::default()) };
            block == values(&h)
        })
    };
    let is_counted = |closing: &Closing| {
        [0, 1, 2, 3, 255, 256, 1 << 31].into_iter().all(|i: u64| {
            let mut block = zeros.clone();
            let mut number = [0; 8];
            H::Native::of_number(i).write(&mut number, H::ORDER);
            block[..H::Native::BYTES].copy_from_slice(&number[..H::Native::BYTES]);
            let called = values(&call(hash, state::<H>(2), &block, closing.counter));
            let defined = hash.squeeze(&mut lift::<H, _>(&state::<H>(2)), i);
            let xored = called.iter().zip(&closing.xor).map(|(a, b)| a ^ b);
            values(&lower::<H>(&defined)).into_iter().eq(xored)
        })
    };
    match &framing.closing {
        None => is_chained().then_some(More::Chained),
        Some(closing) => is_counted(closing).then_some(More::Counted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::framing::framing;
    use manylane_primitives::catalog::HashId;

    fn of(name: &str) -> Stream {
        stream(name.parse().unwrap()).unwrap()
    }

    #[test]
    fn digests_of_one_block_are_framed_as_before() {
        for id in HashId::ALL {
            let algorithm = Algorithm::from(*id);
            let stream = stream(algorithm).unwrap();
            assert_eq!(stream.digest_bytes, algorithm.digest_bytes());
            if !stream.is_xof {
                assert_eq!((stream.framing, stream.more), (framing(algorithm).unwrap(), None));
            }
        }
    }

    #[test]
    fn long_digests_go_on() {
        for (name, block, more) in [
            ("shake128", 168, Some(More::Chained)),
            ("shake256-1096", 136, Some(More::Chained)),
            ("skein512-512", 64, None),
            ("skein512-520", 64, Some(More::Counted)),
            ("skein256-65536", 32, Some(More::Counted)),
        ] {
            let stream = of(name);
            assert_eq!((stream.framing.digest.len(), stream.more), (block, more), "{name}");
        }
    }
}
