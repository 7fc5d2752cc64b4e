//! SHA-256 and MD5 of the same messages, as one hash.

use manylane_primitives::hash::md5::{self, Md5};
use manylane_primitives::hash::sha2::Sha256;
use manylane_primitives::hash::{Compress, Counter, Hash, Padded, Tail, write_words};
use manylane_primitives::unroll;
use manylane_primitives::word::{ByteOrder, Word32};

/// The digest of SHA-256 and that of MD5, one after the other, as one hash.
///
/// The two hashes pad a message alike but for the order of the bytes in its length. The padding
/// here is that of SHA-256. The counter's first word, all ones for the block that ends in the
/// length and 0 for every other, says where MD5 needs the other order.
#[derive(Clone, Copy, Debug)]
pub struct Joined;

/// The hash whose digest comes first.
pub const FIRST: Sha256 = Sha256::SHA256;
/// The hash whose digest comes second.
pub const SECOND: Md5 = Md5;

/// Words of the first hash's chaining value.
pub const SHA256_WORDS: usize = 8;
/// The chaining value of SHA-256, then that of MD5.
pub type State<W> = [W; 12];

impl Hash for Joined {
    type Native = u32;
    type State<T: Copy> = State<T>;
    type Block<T: Copy> = [T; 16];
    const ORDER: ByteOrder = Md5::ORDER;
    const COUNTER_WORDS: usize = 1;
    const OUTPUT_IN_ORDER: bool = false;

    fn digest_bytes(&self) -> usize {
        FIRST.digest_bytes() + SECOND.digest_bytes()
    }
    fn initial_value(&self) -> State<u32> {
        joined(FIRST.initial_value(), SECOND.initial_value())
    }
    #[inline(always)]
    fn pad(&self, tail: &Tail, out: &mut Padded<u32>) {
        FIRST.pad(tail, out);
        out.counters[out.blocks - 1].t[0] = u32::MAX;
    }
    fn write_output(&self, block: &State<u32>, out: &mut [u8]) {
        let (sha256, md5) = block.split_at(SHA256_WORDS);
        let (first, second) = out.split_at_mut(out.len().min(FIRST.digest_bytes()));
        write_words(sha256, Sha256::ORDER, first);
        write_words(md5, Md5::ORDER, second);
    }
}

/// Joins the two chaining values.
#[inline(always)]
pub fn joined<T: Copy>([a, b, c, d, e, f, g, h]: [T; SHA256_WORDS], md5: [T; 4]) -> State<T> {
    [a, b, c, d, e, f, g, h, md5[0], md5[1], md5[2], md5[3]]
}

/// The two chaining values.
#[inline(always)]
pub fn parts<T: Copy>(&[a, b, c, d, e, f, g, h, i, j, k, l]: &State<T>) -> ([T; 8], [T; 4]) {
    ([a, b, c, d, e, f, g, h], [i, j, k, l])
}

/// Puts the length into MD5's block `x` as MD5 writes it, least significant byte first, if the
/// counter says that the block has the length. `w` is SHA-256's block.
#[inline(always)]
pub fn put_length<W: Word32>(x: &mut [W; 16], w: &[W; 16], t: Counter<W>) {
    x[14] = W::ch(t.t[0], w[15], x[14]);
    x[15] = W::ch(t.t[0], w[14], x[15]);
}

/// SHA-256's block: the words of `m` with their bytes reversed. The library's `map` would not be
/// inlined into functions that enable instructions.
#[inline(always)]
pub fn swapped<W: Copy>(m: &[W; 16], swap_bytes: impl Fn(W) -> W) -> [W; 16] {
    let mut w = *m;
    unroll!(i in 0..16 { w[i] = swap_bytes(w[i]); });
    w
}

impl<W: Word32> Compress<W> for Joined {
    #[inline(always)]
    fn compress(&self, h: State<W>, m: &[W; 16], t: Counter<W>) -> State<W> {
        let (sha256, md5) = parts(&h);
        let mut x = *m;
        let middle = W::constant(0x00ff_00ff);
        let w = swapped(m, |word| W::ch(middle, word.rotl(8), word.rotr(8)));
        put_length(&mut x, &w, t);
        joined(FIRST.compress(sha256, &w, t), md5::compress(md5, &x))
    }
}
