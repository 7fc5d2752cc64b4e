//! Hash functions: a message is padded, cut into blocks, and folded into a chaining value.
//!
//! ```text
//!             block 0        block 1             last block
//!                │              │                   │
//! initial ──► compress ──►  compress ──► … ──►  compress ──► squeeze ──► digest
//!  value         ▲              ▲                   ▲
//!             counter        counter             counter
//! ```
//!
//! Every family fits this picture, and a backend needs no other: Merkle–Damgård hashes ignore the
//! counter and squeeze nothing; BLAKE counts message bits; Skein's counter is UBI's tweak and its
//! squeezing is the output transform; a sponge's block is as long as its rate.

mod absorber;
pub mod blake;
mod counter;
pub mod groestl;
pub mod jh;
pub mod keccak;
pub mod md5;
pub mod padding;
pub mod ripemd;
pub mod sha1;
pub mod sha2;
pub mod skein;

use crate::word::{ByteOrder, Native, Word, Words};
pub use absorber::Absorber;
pub use counter::{COUNTER_NAMES, Counter};
pub use padding::{BitOrder, LONGEST_END, MAX_BLOCK_BYTES, Padded, Tail};

/// The longest digest of a hash of any output length, in bytes: its length in bits is a number of
/// 64 bits (Skein 1.3 §3.5.2 stores it so), and its length in bytes a `usize`.
pub const MAX_DIGEST_BYTES: usize = {
    let bytes = u64::MAX / 8;
    if bytes > usize::MAX as u64 { usize::MAX } else { bytes as usize }
};

/// A hash function with its parameters (digest length, rate, salt, key): everything about it but
/// the compression, which is [`Compress`].
pub trait Hash: Clone + Send + Sync + 'static {
    /// The integer of one word.
    type Native: Native;
    /// The chaining value: `[T; n]`.
    type State<T: Copy>: Words<T>;
    /// One message block: `[T; n]`. Words beyond [`Hash::block_bytes`] are zero.
    type Block<T: Copy>: Words<T>;

    /// Order of the bytes in message words and digest words.
    const ORDER: ByteOrder;
    /// How many words of its counter `t` the compression reads, from the first on, at most
    /// four. If it reads none, `t` is never computed.
    const COUNTER_WORDS: usize = 0;
    /// Whether the last block, though full, goes through [`Hash::pad`] because it is treated
    /// otherwise than those before it (Skein).
    const HOLDS_LAST: bool = false;
    /// Whether [`Compress::squeeze`] computes something. If not, the digest is read from the
    /// chaining value.
    const SQUEEZES: bool = false;
    /// If [`Compress::squeeze`] is a call of the compression with a block of zeros: the counter of
    /// this call. A constant may have to be added (exclusive or) to the result of the call. A core
    /// then needs no output function of its own.
    const OUTPUT_COUNTER: Option<Counter<Self::Native>> = None;
    /// Whether blocks of some instances have fewer words than [`Hash::Block`].
    const SHORT_BLOCKS: bool = false;
    /// Whether one message keeps fewer than about two operations in flight (work divided by span
    /// of the compression's graph): a backend then interleaves two groups of lanes.
    const SERIAL: bool = false;
    /// How many words [`Hash::expand`] makes of a block; 0 if too little of the compression depends
    /// on the block alone to be worth keeping.
    const EXPANSION: usize = 0;
    /// Whether [`Hash::write_output`] is the default, the words in their order.
    const OUTPUT_IN_ORDER: bool = true;
    /// Whether the scalar instance reads tables at addresses that depend on the message (the S-box
    /// of Grøstl), so that it is not constant-time.
    const LOOKS_UP: bool = false;

    /// Returns which end of a message's last, incomplete byte holds its bits.
    fn bit_order(&self) -> BitOrder {
        BitOrder::MsbFirst
    }
    /// Bytes of message per compression.
    fn block_bytes(&self) -> usize {
        Self::Block::<Self::Native>::LEN * Self::Native::BYTES
    }
    /// Bytes of the digest; the default length for a hash of any output length.
    fn digest_bytes(&self) -> usize;
    /// The hash with another digest length, if it is defined for it: never for more than
    /// [`MAX_DIGEST_BYTES`].
    fn with_digest_bytes(self, _bytes: usize) -> Option<Self> {
        None
    }
    /// Bytes that one output block yields; more only for hashes of any output length.
    fn output_block_bytes(&self) -> usize {
        self.digest_bytes()
    }
    /// Whether any number of bytes can be squeezed.
    fn is_xof(&self) -> bool {
        false
    }
    /// The chaining value before the first block.
    fn initial_value(&self) -> Self::State<Self::Native>;
    /// The counter of the block that follows `blocks` whole blocks and is itself whole.
    fn counter(&self, _blocks: u64) -> Counter<Self::Native> {
        Counter::default()
    }
    /// Number of leading blocks of a message of `bytes` whole bytes that are compressed unpadded;
    /// the rest of the message goes through [`Hash::pad`].
    fn whole_blocks(&self, bytes: u64) -> u64 {
        let block = self.block_bytes() as u64;
        if Self::HOLDS_LAST { bytes.saturating_sub(1) / block } else { bytes / block }
    }
    /// Pads the rest of a message to the last blocks, each with its counter. For a message of whole
    /// bytes, the blocks begin with the tail's bytes, and all that follows depends on the message's
    /// length alone; a longer tail is never padded to fewer blocks.
    fn pad(&self, tail: &Tail, out: &mut Padded<Self::Native>);
    /// Computes the part of the compression that depends on `block` alone, [`Hash::EXPANSION`]
    /// words, for [`Compress::compress_expanded`]. This is done once for a block that many messages
    /// share, such as a padding block. Not for secrets: it may look up tables.
    fn expand(&self, _block: &Self::Block<Self::Native>, _expansion: &mut [Self::Native]) {}
    /// Leading words of an output block that [`Hash::write_output`] reads to write `bytes` bytes.
    fn output_words(&self, bytes: usize) -> usize {
        bytes.div_ceil(Self::Native::BYTES)
    }
    /// Writes the first `out.len() ≤ output_block_bytes` bytes of an output block.
    #[inline(always)]
    fn write_output(&self, block: &Self::State<Self::Native>, out: &mut [u8]) {
        write_words(block.as_ref(), Self::ORDER, out);
    }
}

/// The computation of a [`Hash`] over one kind of word.
pub trait Compress<W: Word<Native = <Self as Hash>::Native>>: Hash {
    /// Folds one block `m`, whose counter is `t`, into the chaining value `h`.
    fn compress(&self, h: Self::State<W>, m: &Self::Block<W>, t: Counter<W>) -> Self::State<W>;

    /// [`Compress::compress`] of the public block, the same in every lane, whose
    /// [expansion](Hash::expand) is given. Called only if there is one.
    #[inline(always)]
    fn compress_expanded(
        &self,
        h: Self::State<W>,
        _expansion: &[<Self as Hash>::Native],
        _t: Counter<W>,
    ) -> Self::State<W> {
        h
    }

    /// The counter of the next whole block. Called only if [`Hash::COUNTER_WORDS`] is not 0.
    #[inline(always)]
    fn next_counter(&self, t: Counter<W>) -> Counter<W> {
        t
    }

    /// The output block of number `index`. `h` is the last chaining value, or what the call for
    /// `index - 1` left in it.
    #[inline(always)]
    fn squeeze(&self, h: &mut Self::State<W>, _index: u64) -> Self::State<W> {
        *h
    }
}

/// Serialises as many of `words` as `out` holds; the last one may be cut.
#[inline(always)]
pub fn write_words<N: Native>(words: &[N], order: ByteOrder, out: &mut [u8]) {
    let mut chunks = out.chunks_exact_mut(N::BYTES);
    let mut words = words.iter();
    for (chunk, word) in (&mut chunks).zip(&mut words) {
        word.write(chunk, order);
    }
    let rest = chunks.into_remainder();
    if let (false, Some(word)) = (rest.is_empty(), words.next()) {
        let mut bytes = [0; 8];
        word.write(&mut bytes, order);
        rest.copy_from_slice(&bytes[..rest.len()]);
    }
}

/// Reads the whole words of `bytes`; the words of the result beyond these are zero.
///
/// # Panics
/// If `bytes` has more whole words than the array.
pub fn read_words<N: Native, A: Words<N>>(bytes: &[u8], order: ByteOrder) -> A {
    let mut words = A::splat(N::default());
    let count = bytes.len() / N::BYTES;
    for (word, chunk) in words.as_mut()[..count].iter_mut().zip(bytes.chunks_exact(N::BYTES)) {
        *word = N::read(chunk, order);
    }
    words
}

/// The word over which a definition is computed as it stands.
pub type Scalar<H> = <<H as Hash>::Native as Native>::Scalar;

/// The chaining value as constant words.
pub fn lift<H: Hash, W: Word<Native = H::Native>>(state: &H::State<H::Native>) -> H::State<W> {
    let mut words = H::State::<W>::splat(W::constant(H::Native::default()));
    for (word, value) in words.as_mut().iter_mut().zip(state.as_ref()) {
        *word = W::constant(*value);
    }
    words
}

/// The values of scalar words.
pub fn lower<H: Hash>(state: &H::State<Scalar<H>>) -> H::State<H::Native> {
    let mut natives = H::State::<H::Native>::splat(H::Native::default());
    for (native, word) in natives.as_mut().iter_mut().zip(state.as_ref()) {
        *native = H::Native::from_scalar(*word);
    }
    natives
}

/// Folds one block of bytes, whose counter is `t`, into `h`.
pub fn fold<H: Compress<Scalar<H>>>(
    hash: &H,
    h: &mut H::State<Scalar<H>>,
    block: &[u8],
    t: Counter<H::Native>,
) {
    let natives: H::Block<H::Native> = read_words(block, H::ORDER);
    let mut m = H::Block::splat(H::Native::default().scalar());
    for (word, native) in m.as_mut().iter_mut().zip(natives.as_ref()) {
        *word = native.scalar();
    }
    *h = hash.compress(*h, &m, t.constant());
}

/// Pads `tail`, folds its blocks into `h`, and fills `out` with output blocks.
pub(crate) fn finish<H: Compress<Scalar<H>>>(
    hash: &H,
    mut h: H::State<Scalar<H>>,
    tail: &Tail,
    out: &mut [u8],
) {
    assert!(
        hash.is_xof() || out.len() <= hash.digest_bytes(),
        "{} bytes of a digest that has {}",
        out.len(),
        hash.digest_bytes()
    );
    let block_bytes = hash.block_bytes();
    let mut bytes = [0; LONGEST_END];
    let mut padded = Padded::new(&mut bytes);
    hash.pad(tail, &mut padded);
    for i in 0..padded.blocks {
        fold(hash, &mut h, &padded.bytes[i * block_bytes..][..block_bytes], padded.counters[i]);
    }
    for (i, chunk) in out.chunks_mut(hash.output_block_bytes()).enumerate() {
        let block = hash.squeeze(&mut h, i as u64);
        hash.write_output(&lower::<H>(&block), chunk);
    }
}

/// Digest of a message of `bits` bits, computed by the definition over scalar words and nothing
/// else: the reference against which every engine is tested. `out` may have any length if the hash
/// is extendable, else at most [`Hash::digest_bytes`].
///
/// # Panics
/// If `message` is shorter than `bits` bits, or `out` is too long.
pub fn digest_bits<H: Compress<Scalar<H>>>(hash: &H, message: &[u8], bits: u64, out: &mut [u8]) {
    assert!(
        bits.div_ceil(8) <= message.len() as u64,
        "{bits} bits of a message of {} bytes",
        message.len()
    );
    let block_bytes = hash.block_bytes();
    let body = hash.whole_blocks(bits / 8) as usize;
    let body = if H::HOLDS_LAST && !bits.is_multiple_of(8) {
        (bits / 8) as usize / block_bytes
    } else {
        body
    };
    let mut h = lift::<H, _>(&hash.initial_value());
    for (i, block) in message[..body * block_bytes].chunks_exact(block_bytes).enumerate() {
        fold(hash, &mut h, block, hash.counter(i as u64));
    }
    let rest = &message[body * block_bytes..bits.div_ceil(8) as usize];
    finish(hash, h, &Tail { bytes: rest, total_bits: u128::from(bits) }, out);
}

/// Digest of a message of whole bytes by the definition. See [`digest_bits`].
///
/// # Panics
/// If `out` is too long.
pub fn digest<H: Compress<Scalar<H>>>(hash: &H, message: &[u8], out: &mut [u8]) {
    digest_bits(hash, message, message.len() as u64 * 8, out);
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::word::Word32;
    use std::panic::catch_unwind;

    /// A length that no digest has is refused.
    #[test]
    #[cfg_attr(panic = "abort", ignore = "a panic ends the process")]
    fn lengths_that_cannot_be_are_refused() {
        for (bytes, bits, out) in [(2, 17, 32), (0, 1, 32), (3, u64::MAX, 32), (3, 24, 33)] {
            let digest =
                || digest_bits(&sha2::Sha256::SHA256, &[0; 3][..bytes], bits, &mut [0; 33][..out]);
            assert!(catch_unwind(digest).is_err(), "{bits} bits of {bytes} bytes, {out} of digest");
        }
        let mut long = [0; 33];
        digest(&keccak::Keccak::SHAKE128, b"of any length", &mut long);
        // With a `usize` of 32 bits no length is too long.
        if let Some(longer) = MAX_DIGEST_BYTES.checked_add(1) {
            assert!(catch_unwind(|| skein::Skein256::new(longer)).is_err());
            assert!(catch_unwind(|| skein::Skein256::keyed(b"key", usize::MAX)).is_err());
        }
    }

    /// A hash of no worth with every trait that MD5 and SHA-2 lack: a counter with a flag, a last
    /// block that is held back, an output transform.
    #[derive(Clone)]
    pub(crate) struct Toy;

    impl Hash for Toy {
        type Native = u32;
        type State<T: Copy> = [T; 4];
        type Block<T: Copy> = [T; 8];
        const ORDER: ByteOrder = ByteOrder::Little;
        const COUNTER_WORDS: usize = 3;
        const HOLDS_LAST: bool = true;
        const SQUEEZES: bool = true;

        fn digest_bytes(&self) -> usize {
            15
        }
        fn initial_value(&self) -> [u32; 4] {
            [1, 2, 3, 4]
        }
        fn counter(&self, blocks: u64) -> Counter<u32> {
            Counter::count(32 * (u128::from(blocks) + 1))
        }
        fn pad(&self, tail: &Tail, out: &mut Padded<u32>) {
            out.bytes[..tail.bytes.len()].copy_from_slice(tail.bytes);
            out.blocks = 1;
            out.counters[0] = Counter { f: [u32::MAX, 0], ..Counter::count(tail.total_bits / 8) };
        }
    }

    impl<W: Word32> Compress<W> for Toy {
        fn compress(&self, h: [W; 4], m: &[W; 8], Counter { t, f }: Counter<W>) -> [W; 4] {
            let mut h = [h[0] ^ t[0], h[1] + f[0], h[2], h[3]];
            for &word in m {
                h = [h[1].rotl(7) + word, h[2] ^ h[0], h[3] + h[1].rotl(3), h[0] ^ word];
            }
            h
        }
        fn next_counter(&self, Counter { t: [t0, t1], f }: Counter<W>) -> Counter<W> {
            Counter { t: [t0 + W::constant(32), t1], f }
        }
        fn squeeze(&self, h: &mut [W; 4], _index: u64) -> [W; 4] {
            [h[3], h[2] + h[3], h[1], h[0]]
        }
    }
}
