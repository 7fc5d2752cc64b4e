//! The calls of the compression function that hashing a message makes, computed by the definition.
//! They are test vectors for everything that is made from the graph of the compression.

use crate::trace::{Traceable, Visitor, visit};
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::cipher::rc5::{Magic, initialize};
use manylane_primitives::cipher::{BlockCipher, Rc5, Rc5Params};
use manylane_primitives::hash::{
    Counter, LONGEST_END, Padded, Scalar, Tail, fold, lift, lower, read_words,
};
use manylane_primitives::word::Native;

/// One call of the compression function, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The chaining value before.
    pub h: Vec<u64>,
    /// The block: as many words as the compression's graph has inputs `m`.
    pub m: Vec<u64>,
    /// The counter; empty if the hash has none.
    pub t: Vec<u64>,
    /// The chaining value after.
    pub out: Vec<u64>,
}

impl Call {
    /// The values of the inputs of [`trace::compression`](crate::trace::compression).
    pub fn inputs(&self) -> Vec<u64> {
        [&self.h[..], &self.m, &self.t].concat()
    }
}

/// The calls for a message, one per padded block.
///
/// ```
/// use manylane_graph::calls::calls;
/// let calls = calls("sha256".parse().unwrap(), b"abc");
/// assert_eq!(calls.len(), 1);
/// assert_eq!(calls[0].m[0], 0x61626380);
/// assert_eq!(calls[0].out[0], 0xba7816bf);
/// ```
pub fn calls(algorithm: Algorithm, message: &[u8]) -> Vec<Call> {
    struct Calls<'m>(&'m [u8]);
    impl Visitor for Calls<'_> {
        type Output = Vec<Call>;
        fn visit<H: Traceable>(self, hash: &H) -> Vec<Call> {
            of_message(hash, self.0)
        }
    }
    visit(algorithm, Calls(message))
}

/// The digest of a message, by the definition.
pub fn digest(algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
    struct Digest<'m>(&'m [u8]);
    impl Visitor for Digest<'_> {
        type Output = Vec<u8>;
        fn visit<H: Traceable>(self, hash: &H) -> Vec<u8> {
            let mut out = vec![0; hash.digest_bytes()];
            manylane_primitives::hash::digest(hash, self.0, &mut out);
            out
        }
    }
    visit(algorithm, Digest(message))
}

/// A keyed function by its definition: key and data to result.
pub type Keyed<'f> = &'f dyn Fn(&[u8], &[u8]) -> Vec<u8>;

/// HMAC of a message under a key, by the definition.
///
/// # Panics
/// If the digest is longer than a block.
pub fn hmac(algorithm: Algorithm, key: &[u8], message: &[u8]) -> Vec<u8> {
    struct Hmac<'m>(&'m [u8], &'m [u8]);
    impl Visitor for Hmac<'_> {
        type Output = Vec<u8>;
        fn visit<H: Traceable>(self, hash: &H) -> Vec<u8> {
            let mut out = vec![0; hash.digest_bytes()];
            manylane_primitives::mac::hmac::hmac(hash, self.0, self.1, &mut out);
            out
        }
    }
    visit(algorithm, Hmac(key, message))
}

/// The table of RC5 before the key is mixed in, as numbers below 2^w.
pub fn rc5_table(params: Rc5Params) -> Vec<u64> {
    fn table<N: Magic>(params: Rc5Params) -> Vec<u64> {
        let mut table = vec![N::default().scalar(); params.table_words()];
        initialize(&mut table);
        values(&table.into_iter().map(N::from_scalar).collect::<Vec<_>>())
    }
    match params.word_bits() {
        8 => table::<u8>(params),
        16 => table::<u16>(params),
        32 => table::<u32>(params),
        _ => table::<u64>(params),
    }
}

/// RC5 under a key, by the definition.
///
/// # Panics
/// If the key does not have the parameters' length.
pub fn rc5(params: Rc5Params, key: &[u8]) -> Box<dyn BlockCipher> {
    fn keyed<N: Magic>(params: Rc5Params, key: &[u8]) -> Box<dyn BlockCipher> {
        assert_eq!(key.len(), params.key_bytes(), "a key of {params}");
        Box::new(Rc5::<N>::new(params.rounds(), key).expect("parameters in their bounds"))
    }
    match params.word_bits() {
        8 => keyed::<u8>(params, key),
        16 => keyed::<u16>(params, key),
        32 => keyed::<u32>(params, key),
        _ => keyed::<u64>(params, key),
    }
}

fn of_message<H: Traceable>(hash: &H, message: &[u8]) -> Vec<Call> {
    let block_bytes = hash.block_bytes();
    let whole = hash.whole_blocks(message.len() as u64) as usize;
    let (body, rest) = message.split_at(whole * block_bytes);
    let mut end = [0; LONGEST_END];
    let mut padded: Padded<'_, H::Native> = Padded::new(&mut end);
    hash.pad(&Tail { bytes: rest, total_bits: 8 * message.len() as u128 }, &mut padded);
    let body = body.chunks_exact(block_bytes);
    let counted = body.enumerate().map(|(i, block)| (block, hash.counter(i as u64)));
    let end = padded.bytes.chunks_exact(block_bytes).zip(padded.counters);
    let mut h: H::State<H::Native> = hash.initial_value();
    let call = |(block, t): (&[u8], Counter<H::Native>)| {
        let m: H::Block<H::Native> = read_words(block, H::ORDER);
        let before = values(h.as_ref());
        let mut words = lift::<H, Scalar<H>>(&h);
        fold(hash, &mut words, block, t);
        h = lower::<H>(&words);
        let block_words = block_bytes / H::Native::BYTES;
        Call {
            h: before,
            m: values(&m.as_ref()[..block_words]),
            t: values(&t.words()[..H::COUNTER_WORDS]),
            out: values(h.as_ref()),
        }
    };
    counted.chain(end.take(padded.blocks)).map(call).collect()
}

fn values<N: Native>(words: &[N]) -> Vec<u64> {
    words.iter().map(|word| word.number()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::run_main;
    use crate::ir::Module;
    use crate::trace::compression;
    use manylane_primitives::catalog::HashId;

    /// Each call's result is the next one's chaining value, and what the graph makes of the inputs.
    #[test]
    fn calls_follow_each_other_and_the_graph() {
        let message: Vec<u8> = (0..300).map(|i| (i * 7 + i / 256) as u8).collect();
        for id in HashId::ALL {
            let algorithm = Algorithm::from(*id);
            let calls = calls(algorithm, &message);
            let graph = compression(algorithm);
            for pair in calls.windows(2) {
                assert_eq!(pair[0].out, pair[1].h, "{algorithm}");
            }
            let module = Module::of(graph);
            for call in &calls {
                assert_eq!(run_main(&module, &call.inputs()), call.out, "{algorithm}");
            }
        }
    }
}
