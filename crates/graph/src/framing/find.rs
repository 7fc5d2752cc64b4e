//! Finds the framing of a hash by evaluating its definition on probes, and checks the result.

use super::{Closing, Counter, Counting, Framed, Framing, Length, Padding, StateByte, Unit, split};
use crate::trace::{Traceable, Visitor, numbered_bytes, visit};
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::hash::{LONGEST_END, Padded, Scalar, Tail, fold, lift, lower};
use manylane_primitives::word::{ByteOrder, Native, Words};

/// An error: the hash has padding, a counter or an output that [`Framing`] cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{algorithm}: its {what} has no known form; graph/src/framing says which there are")]
pub struct Error {
    /// The hash.
    pub algorithm: String,
    /// The part that has no known form.
    pub what: &'static str,
}

/// The framing of a hash.
///
/// # Errors
/// If a part of it has no known form: padding, counter, output function, or a digest that takes
/// more than one output block.
///
/// ```
/// use manylane_graph::framing::framing;
/// let sha256 = framing("sha256".parse().unwrap()).unwrap();
/// assert_eq!((sha256.padding.first, sha256.padding.room), (0x80, 55));
/// assert!(sha256.counter.is_none() && sha256.closing.is_none());
/// ```
pub fn framing(algorithm: Algorithm) -> Result<Framing, Error> {
    struct Find;
    impl Visitor for Find {
        type Output = Result<Framing, &'static str>;
        fn visit<H: Traceable>(self, hash: &H) -> Self::Output {
            if hash.digest_bytes() > hash.output_block_bytes() {
                return Err("output of more than one block");
            }
            find(hash, hash.digest_bytes())
        }
    }
    visit(algorithm, Find).map_err(|what| Error { algorithm: algorithm.to_string(), what })
}

/// The framing of a hash if its digest is the first `bytes` bytes of its output, at most one output
/// block.
pub(super) fn find<H: Traceable>(hash: &H, bytes: usize) -> Result<Framing, &'static str> {
    let mut framing = Framing {
        word_bits: 8 * H::Native::BYTES as u32,
        block_bytes: hash.block_bytes(),
        order: H::ORDER,
        initial: values(&hash.initial_value()),
        padding: Padding { first: 0, last: 0, length: None, room: 0, holds_last: H::HOLDS_LAST },
        counter: None,
        closing: closing(hash)?,
        digest: digest_places(hash, bytes)?,
    };
    if H::COUNTER_WORDS > 0 {
        let counter = counters(hash).find(|counter| {
            let framing = Framing { counter: Some(*counter), ..framing.clone() };
            (0..4).all(|i| framing.whole_counter(i) == words_of(hash.counter(i)))
        });
        framing.counter = Some(counter.ok_or("counter")?);
    }
    let forms = paddings(hash).flat_map(|padding| {
        // Only the padded end shows whether the counter is zero for a block without message.
        let framing = Framing { padding, ..framing.clone() };
        [false, true].map(|zero| {
            let counter = framing.counter.map(|counter| Counting {
                zero_without_message: zero,
                last: last_flags(hash, &counter),
                ..counter
            });
            Framing { counter, ..framing.clone() }
        })
    });
    forms.into_iter().find(|framing| agrees(hash, framing)).ok_or("padding")
}

/// The padded end of a message: `rest` after `before` whole blocks.
fn padded_end<H: Traceable>(hash: &H, before: u64, rest: &[u8]) -> Vec<Framed> {
    let total_bits = 8 * (u128::from(before) * hash.block_bytes() as u128 + rest.len() as u128);
    let mut end = [0; LONGEST_END];
    let mut padded: Padded<'_, H::Native> = Padded::new(&mut end);
    hash.pad(&Tail { bytes: rest, total_bits }, &mut padded);
    let blocks = padded.bytes.chunks_exact(hash.block_bytes()).zip(padded.counters);
    let framed = |(block, counter): (&[u8], Counter<H::Native>)| Framed {
        bytes: block.to_vec(),
        counter: words_of(counter),
    };
    blocks.take(padded.blocks).map(framed).collect()
}

/// Paddings that agree with the definition about an empty message.
fn paddings<H: Traceable>(hash: &H) -> impl Iterator<Item = Padding> {
    let block = hash.block_bytes();
    let empty = padded_end(hash, 0, &[]);
    let most = if H::HOLDS_LAST { block } else { block - 1 };
    let room = (0..=most).take_while(|&n| padded_end(hash, 0, &vec![0; n]).len() == 1).count();
    let (room, end) = (room.saturating_sub(1), empty[0].bytes.clone());
    let fields = [8, 16].into_iter().flat_map(|bytes| {
        let orders = [ByteOrder::Big, ByteOrder::Little].into_iter();
        let units = [Unit::Bits, Unit::Bytes, Unit::Blocks];
        orders.flat_map(move |order| units.map(|unit| Length { bytes, order, unit }))
    });
    std::iter::once(None).chain(fields.map(Some)).map(move |length| {
        let last = end[block - length.map_or(0, |length| length.bytes) - 1];
        Padding { first: end[0], last, length, room, holds_last: H::HOLDS_LAST }
    })
}

/// Counters that agree with the definition about the second of many blocks.
fn counters<H: Traceable>(hash: &H) -> impl Iterator<Item = Counting> {
    let counters = [0, 1].map(|i| words_of(hash.counter(i)));
    let block = hash.block_bytes() as u128;
    [(Unit::Bits, 8), (Unit::Bytes, 1)].into_iter().map(move |(unit, scale)| {
        // The bits of the counters of the first and second block that are not their counts.
        let flags = |i: usize| {
            let bits = 8 * H::Native::BYTES as u32;
            let [t0, t1] = counters[i].t;
            let number = u128::from(t1) << bits | u128::from(t0);
            let count = block * scale * (i as u128 + 1);
            Counter { f: counters[i].f, ..split(number.wrapping_sub(count), bits) }
        };
        let (words, always) = (H::COUNTER_WORDS, flags(1));
        let (first, last) = (difference(flags(0), always), Counter::default());
        Counting { words, unit, zero_without_message: false, always, first, last }
    })
}

/// The flags in the counter of a last block that are not set for another block with the same amount
/// of message.
fn last_flags<H: Traceable>(hash: &H, counting: &Counting) -> Counter<u64> {
    let end = padded_end(hash, 1, &[1]);
    let bits = 8 * H::Native::BYTES as u32;
    difference(end[0].counter, counting.of(hash.block_bytes() as u128 + 1, bits, false, false))
}

/// Whether a framing agrees with the definition: for messages of every length up to three blocks
/// and one byte, and for the ends of much longer messages.
fn agrees<H: Traceable>(hash: &H, framing: &Framing) -> bool {
    let block = hash.block_bytes();
    let message: Vec<u8> = (0..=3 * block).map(|i| (i * 89 + i / 251 + 1) as u8).collect();
    let as_defined = |length: usize| {
        let message = &message[..length];
        let whole = hash.whole_blocks(length as u64) as usize;
        let (body, rest) = message.split_at(whole * block);
        let body = body.chunks_exact(block).enumerate().map(|(i, bytes)| Framed {
            bytes: bytes.to_vec(),
            counter: words_of(hash.counter(i as u64)),
        });
        let defined: Vec<Framed> = body.chain(padded_end(hash, whole as u64, rest)).collect();
        framing.blocks(message) == defined
    };
    let is_long_right = |before: u64, rest: usize| {
        framing.whole_counter(before) == words_of(hash.counter(before))
            && framing.end(before, &message[..rest]) == padded_end(hash, before, &message[..rest])
    };
    (0..=3 * block + 1).all(as_defined)
        && [1 << 24, 0x0123_4567_89ab, 1 << 63]
            .into_iter()
            .all(|before| [1, 2, block - 1].into_iter().all(|rest| is_long_right(before, rest)))
        && [0, 1, block, 2 * block + 1].into_iter().all(|length| {
            let mut digest = vec![0; framing.digest.len()];
            manylane_primitives::hash::digest(hash, &message[..length], &mut digest);
            framed_digest(hash, framing, &message[..length]) == digest
        })
}

/// The digest as a framing makes it around the compression.
fn framed_digest<H: Traceable>(hash: &H, framing: &Framing, message: &[u8]) -> Vec<u8> {
    let mut h: H::State<H::Native> = hash.initial_value();
    for Framed { bytes, counter } in framing.blocks(message) {
        h = call(hash, h, &bytes, counter);
    }
    if let Some(closing) = &framing.closing {
        h = call(hash, h, &vec![0; framing.block_bytes], closing.counter);
    }
    framing.digest_of(&values(&h))
}

/// One call of the compression.
pub(super) fn call<H: Traceable>(
    hash: &H,
    h: H::State<H::Native>,
    block: &[u8],
    counter: Counter<u64>,
) -> H::State<H::Native> {
    let mut h = lift::<H, Scalar<H>>(&h);
    fold(hash, &mut h, block, counter.map(H::Native::of_number));
    lower::<H>(&h)
}

fn closing<H: Traceable>(hash: &H) -> Result<Option<Closing>, &'static str> {
    let states: Vec<H::State<H::Native>> = (1..5).map(|seed| state::<H>(seed)).collect();
    let squeezed =
        |h: &H::State<H::Native>| values(&lower::<H>(&hash.squeeze(&mut lift::<H, _>(h), 0)));
    if states.iter().all(|h| squeezed(h) == values(h)) {
        return Ok(None);
    }
    let zeros = vec![0; hash.block_bytes()];
    let counter = words_of(H::OUTPUT_COUNTER.ok_or("output function")?);
    let differences = |h: &H::State<H::Native>| -> Vec<u64> {
        let called = values(&call(hash, *h, &zeros, counter));
        squeezed(h).iter().zip(&called).map(|(a, b)| a ^ b).collect()
    };
    let xor = differences(&states[0]);
    let same = states.iter().all(|h| differences(h) == xor);
    same.then_some(Some(Closing { counter, xor })).ok_or("output function")
}

/// Finds each byte of the digest in a state whose bytes all differ.
fn digest_places<H: Traceable>(hash: &H, length: usize) -> Result<Vec<StateByte>, &'static str> {
    let bytes = H::Native::BYTES;
    if H::State::<H::Native>::LEN * bytes > 256 {
        return Err("chaining value of more than 256 bytes");
    }
    let h = numbered_bytes::<H>();
    let mut digest = vec![0; length];
    hash.write_output(&h, &mut digest);
    let place = |&n: &u8| StateByte { word: usize::from(n) / bytes, byte: usize::from(n) % bytes };
    Ok(digest.iter().map(place).collect())
}

/// A chaining value in which no words are alike.
pub(super) fn state<H: Traceable>(seed: u64) -> H::State<H::Native> {
    let mut h = H::State::<H::Native>::splat(H::Native::default());
    for (i, word) in h.as_mut().iter_mut().enumerate() {
        *word = H::Native::of_number(
            ((seed << 32) | (i as u64 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        );
    }
    h
}

/// The words as numbers.
pub(super) fn values<N: Native>(words: &impl AsRef<[N]>) -> Vec<u64> {
    words.as_ref().iter().map(|word| word.number()).collect()
}

/// The values of a counter's words.
fn words_of<N: Native>(counter: Counter<N>) -> Counter<u64> {
    counter.map(N::number)
}

/// The bits in which two counters differ.
fn difference(one: Counter<u64>, other: Counter<u64>) -> Counter<u64> {
    let (one, other) = (one.words(), other.words());
    Counter::from_words(std::array::from_fn(|i| one[i] ^ other[i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use manylane_primitives::catalog::HashId;

    fn of(name: &str) -> Framing {
        framing(name.parse().unwrap()).unwrap()
    }

    #[test]
    fn every_hash_has_a_framing() {
        for id in HashId::ALL {
            let algorithm = Algorithm::from(*id);
            let framing = framing(algorithm).unwrap();
            assert_eq!(framing.digest.len(), algorithm.digest_bytes(), "{algorithm}");
        }
    }

    /// What the standards say of their padding.
    #[test]
    fn paddings_of_the_standards() {
        let length = |bytes, order, unit| Some(Length { bytes, order, unit });
        let padding = |name: &str| {
            let Padding { first, last, length, room, holds_last } = of(name).padding;
            (first, last, length, room, holds_last)
        };
        let (big, little) = (ByteOrder::Big, ByteOrder::Little);
        assert_eq!(padding("md5"), (0x80, 0, length(8, little, Unit::Bits), 55, false));
        assert_eq!(padding("sha512"), (0x80, 0, length(16, big, Unit::Bits), 111, false));
        assert_eq!(padding("blake256"), (0x80, 1, length(8, big, Unit::Bits), 55, false));
        assert_eq!(padding("blake224"), (0x80, 0, length(8, big, Unit::Bits), 55, false));
        assert_eq!(padding("sha3-256"), (0x06, 0x80, None, 135, false));
        assert_eq!(padding("shake128"), (0x1f, 0x80, None, 167, false));
        assert_eq!(padding("groestl512"), (0x80, 0, length(8, big, Unit::Blocks), 119, false));
        assert_eq!(padding("jh256"), (0x80, 0, length(16, big, Unit::Bits), 0, false));
        assert_eq!(padding("skein256"), (0, 0, None, 32, true));
    }

    #[test]
    fn counters_and_closing_calls() {
        let blake = of("blake512").counter.unwrap();
        assert_eq!((blake.unit, blake.zero_without_message), (Unit::Bits, true));
        let none = Counter::splat(0);
        assert_eq!((blake.always, blake.first, blake.last), (none, none, none));
        let skein = of("skein512");
        let counter = skein.counter.unwrap();
        assert_eq!((counter.unit, counter.zero_without_message), (Unit::Bytes, false));
        let tweak = |t0, t1| Counter { t: [t0, t1], f: [0; 2] };
        let [message, first, last] = [48 << 56, 1 << 62, 1 << 63].map(|flags| tweak(0, flags));
        assert_eq!((counter.always, counter.first, counter.last), (message, first, last));
        let closing = skein.closing.unwrap();
        assert_eq!((closing.counter, closing.xor), (tweak(8, 0xff << 56), vec![0; 8]));
        let groestl = of("groestl256").closing.unwrap();
        assert_eq!(groestl.counter, none);
        assert!(groestl.xor.iter().any(|&word| word != 0));
    }

    /// A digest of any length, and one that no single output block holds.
    #[test]
    fn long_output_is_an_error() {
        let shake: Algorithm = "shake128".parse().unwrap();
        assert_eq!(framing(shake.with_digest_bytes(168).unwrap()).unwrap().digest.len(), 168);
        let error = framing(shake.with_digest_bytes(169).unwrap()).unwrap_err().to_string();
        assert!(error.contains("output of more than one block has no known form"), "{error}");
    }
}
