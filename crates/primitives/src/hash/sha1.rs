//! SHA-1 (FIPS 180-4). **Broken**: collisions have been made. For old checksums, not for security.

use super::{Compress, Counter, Hash, Padded, Tail};
use crate::word::{ByteOrder, Word32};
use core::num::Wrapping;

/// SHA-1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sha1;

/// The five working variables a … e, or the hash value H_0 … H_4.
pub type State<W> = [W; 5];

/// §4.2.1: K_t of the rounds 20i … 20i + 19.
pub const K: [u32; 4] = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];

/// (4.1): f_t, t = 0..79.
#[inline(always)]
pub fn f<W: Word32>(t: usize, x: W, y: W, z: W) -> W {
    match t / 20 {
        0 => W::ch(x, y, z),
        2 => W::maj(x, y, z),
        _ => W::xor3(x, y, z),
    }
}

/// Round t = 0..79 of §6.1.2, step 3, from K_t and W_t. The unit that hardware merges and
/// pipelines.
#[inline(always)]
pub fn round<W: Word32>(t: usize, [a, b, c, d, e]: State<W>, kt: W, wt: W) -> State<W> {
    let kw = crate::step!(Injection, "K + W", 0, [wt], kt + wt);
    let temp = e + kw + f(t, b, c, d) + a.rotl(5);
    [temp, a, b.rotl(30), c, d]
}

/// W_t of step 1 for t ≥ 16, from four of the sixteen words before it.
#[inline(always)]
pub fn schedule<W: Word32>(wt3: W, wt8: W, wt14: W, wt16: W) -> W {
    (W::xor3(wt3, wt8, wt14) ^ wt16).rotl(1)
}

/// §6.1.2: folds the block `m` into `h`.
///
/// `w` is a window of sixteen words: W_t overwrites W_{t-16}.
#[inline(always)]
pub fn compress<W: Word32>(h: State<W>, m: &[W; 16]) -> State<W> {
    let mut w = *m;
    let mut s = h;
    macro_rules! twenty {
        ($i:literal) => {
            crate::unroll!(j in 0..20 {
                const T: usize = 20 * $i + j;
                if T >= 16 {
                    w[T % 16] = crate::step!(Schedule, "schedule", T, w, schedule(
                        w[(T + 13) % 16], w[(T + 8) % 16], w[(T + 2) % 16], w[T % 16]));
                }
                s = crate::step!(Round, "round", T, s, round(
                    T, s, W::constant(K[$i]), w[T % 16],
                ));
            });
        };
    }
    twenty!(0);
    twenty!(1);
    twenty!(2);
    twenty!(3);
    crate::unroll!(i in 0..5 { s[i] = h[i] + s[i]; });
    s
}

/// Step 1 for all t, and of step 3 the sums K_t + W_t.
fn expand(m: &[u32; 16], sums: &mut [u32]) {
    let mut w = m.map(Wrapping);
    for (t, sum) in sums.iter_mut().enumerate() {
        if t >= 16 {
            w[t % 16] = schedule(w[(t + 13) % 16], w[(t + 8) % 16], w[(t + 2) % 16], w[t % 16]);
        }
        *sum = (Wrapping(K[t / 20]) + w[t % 16]).0;
    }
}

/// The rounds of [`compress`], over the sums that [`expand`] made.
#[inline(always)]
fn compress_expanded<W: Word32>(h: State<W>, sums: &[u32]) -> State<W> {
    assert!(sums.len() == 80);
    let mut s = h;
    macro_rules! twenty {
        ($i:literal) => {
            crate::unroll!(j in 0..20 {
                const T: usize = 20 * $i + j;
                s = round(T, s, W::constant(sums[T]), W::constant(0));
            });
        };
    }
    twenty!(0);
    twenty!(1);
    twenty!(2);
    twenty!(3);
    crate::unroll!(i in 0..5 { s[i] = h[i] + s[i]; });
    s
}

impl Hash for Sha1 {
    type Native = u32;
    type State<T: Copy> = [T; 5];
    type Block<T: Copy> = [T; 16];
    const ORDER: ByteOrder = ByteOrder::Big;
    const EXPANSION: usize = 80;

    fn digest_bytes(&self) -> usize {
        20
    }
    /// §5.3.1.
    fn initial_value(&self) -> State<u32> {
        [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
    }
    /// §5.1.1.
    #[inline(always)]
    fn pad(&self, tail: &Tail, out: &mut Padded<u32>) {
        out.strengthen(tail, 64, 8, ByteOrder::Big);
    }
    fn expand(&self, m: &[u32; 16], sums: &mut [u32]) {
        expand(m, sums);
    }
}

impl<W: Word32> Compress<W> for Sha1 {
    #[inline(always)]
    fn compress(&self, h: State<W>, m: &[W; 16], _t: Counter<W>) -> State<W> {
        compress(h, m)
    }
    #[inline(always)]
    fn compress_expanded(&self, h: State<W>, sums: &[u32], _t: Counter<W>) -> State<W> {
        compress_expanded(h, sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::digest;
    use hex_literal::hex;

    fn sha1(message: &[u8]) -> [u8; 20] {
        let mut out = [0; 20];
        digest(&Sha1, message, &mut out);
        out
    }

    /// The examples of the secure hashing page that FIPS 180-4 refers to, and the million 'a' of
    /// FIPS 180-2 §A.3.
    #[test]
    fn examples_of_the_standard() {
        assert_eq!(sha1(b"abc"), hex!("a9993e364706816aba3e25717850c26c9cd0d89d"));
        assert_eq!(
            sha1(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            hex!("84983e441c3bd26ebaae4aa1f95129e5e54670f1")
        );
        assert_eq!(
            sha1(&std::vec![b'a'; 1_000_000]),
            hex!("34aa973cd4c4daa4f61eeb2bdbad27316534016f")
        );
    }
}
