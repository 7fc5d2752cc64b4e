//! RIPEMD-128 and RIPEMD-160, and their extensions to twice the digest, RIPEMD-256 and RIPEMD-320
//! (Dobbertin, Bosselaers, Preneel: RIPEMD-160, a strengthened version of RIPEMD, 1996).
//!
//! ```text
//!        ┌──► left line:  16 steps × 4 or 5 rounds ──┐
//! h ─────┤          256, 320: a word swaps lines     ├────► h
//!        └──► right line: 16 steps × 4 or 5 rounds ──┘
//! ```
//!
//! RIPEMD-128 and RIPEMD-160 start both lines from the same chaining value and add the two results
//! to it; RIPEMD-256 and RIPEMD-320 give each line its own half, and exchange a word after each
//! round. A longer digest is all that this buys: against collisions they are as strong as the
//! shorter ones.

use super::{Compress, Counter, Hash, Padded, Tail};
use crate::word::{ByteOrder, Word32, Words};

/// RIPEMD-128. Collisions are within reach: not for security.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ripemd128;
/// RIPEMD-160.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ripemd160;
/// RIPEMD-256: as strong as RIPEMD-128.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ripemd256;
/// RIPEMD-320: as strong as RIPEMD-160.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ripemd320;

/// The constants added in each round of the left line.
pub const K_LEFT: [u32; 5] = [0, 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xa953fd4e];
/// The constants added in each round of the right line but its last, which adds 0.
pub const K_RIGHT: [u32; 4] = [0x50a28be6, 0x5c4dd124, 0x6d703ef3, 0x7a6d76e9];

/// The permutation ρ of the message words.
pub const RHO: [usize; 16] = [7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8];

/// The shift of each round by the message word it goes with. Both lines share it.
#[rustfmt::skip]
pub const SHIFT: [[usize; 16]; 5] = [
    [11, 14, 15, 12,  5,  8,  7,  9, 11, 13, 14, 15,  6,  7,  9,  8],
    [12, 13, 11, 15,  6,  9,  9,  7, 12, 15, 11, 13,  7,  8,  7,  7],
    [13, 15, 14, 11,  7,  7,  6,  8, 13, 14, 13, 12,  5,  5,  6,  9],
    [14, 11, 12, 14,  8,  6,  5,  5, 15, 12, 15, 14,  9,  9,  8,  6],
    [15, 12, 13, 13,  9,  5,  8,  6, 14, 11, 12, 11,  8,  6,  5,  5],
];

/// r(j): the index of the message word that step j = 0..79 of the left line reads.
pub const fn r_left(j: usize) -> usize {
    rho_power(j % 16, j / 16)
}

/// r'(j): the same for the right line, whose first round reads in the order π(i) = 9i + 5 mod 16.
pub const fn r_right(j: usize) -> usize {
    rho_power((9 * (j % 16) + 5) % 16, j / 16)
}

const fn rho_power(mut i: usize, mut exponent: usize) -> usize {
    while exponent > 0 {
        i = RHO[i];
        exponent -= 1;
    }
    i
}

/// The nonlinear functions f_1 … f_5, counted from 0. The left line takes them in this order, round
/// by round; the right line in the opposite one.
#[inline(always)]
pub fn f<W: Word32>(n: usize, x: W, y: W, z: W) -> W {
    match n {
        0 => W::xor3(x, y, z),
        1 => W::ch(x, y, z),
        2 => (x | !y) ^ z,
        3 => W::ch(z, x, y),
        _ => x ^ (y | !z),
    }
}

/// The chaining variables of one line: four of them and four rounds, or five and five.
pub trait Line<W: Word32>: Words<W> {
    /// The variable that the lines exchange after each round of the double-width hashes.
    const SWAP: &'static [usize];
    /// One step with the function f_n, the word `xk` = X\[r(j)\] + K(j) and the shift `s`.
    fn step(self, n: usize, xk: W, s: usize) -> Self;
}

impl<W: Word32> Line<W> for [W; 4] {
    const SWAP: &'static [usize] = &[0, 1, 2, 3];
    #[inline(always)]
    fn step(self, n: usize, xk: W, s: usize) -> Self {
        let [a, b, c, d] = self;
        let t = (a + xk + f(n, b, c, d)).rotl(s);
        [d, t, b, c]
    }
}

impl<W: Word32> Line<W> for [W; 5] {
    const SWAP: &'static [usize] = &[1, 3, 0, 2, 4];
    #[inline(always)]
    fn step(self, n: usize, xk: W, s: usize) -> Self {
        let [a, b, c, d, e] = self;
        let t = (a + xk + f(n, b, c, d)).rotl(s) + e;
        [e, t, b, c.rotl(10), d]
    }
}

/// All rounds of both lines, step beside step.
#[inline(always)]
fn lines<const DOUBLE: bool, W: Word32, L: Line<W>>(
    mut left: L,
    mut right: L,
    x: &[W; 16],
) -> (L, L) {
    macro_rules! sixteen {
        ($round:literal) => {
            crate::unroll!(i in 0..16 {
                const J: usize = 16 * $round + i;
                const R: usize = r_left(J);
                const R_RIGHT: usize = r_right(J);
                let mirrored = L::LEN - 1 - $round;
                let k_right = if mirrored == 0 { 0 } else { K_RIGHT[$round % 4] };
                left = crate::step!(Round, "left", J, left, left.step(
                    $round, x[R] + W::constant(K_LEFT[$round]), SHIFT[$round][R]));
                right = crate::step!(Round, "right", J, right, right.step(
                    mirrored, x[R_RIGHT] + W::constant(k_right), SHIFT[$round][R_RIGHT]));
            });
            if DOUBLE {
                let v = L::SWAP[$round];
                core::mem::swap(&mut left.as_mut()[v], &mut right.as_mut()[v]);
            }
        };
    }
    sixteen!(0);
    sixteen!(1);
    sixteen!(2);
    sixteen!(3);
    if L::LEN == 5 {
        sixteen!(4);
    }
    (left, right)
}

/// RIPEMD-128 and RIPEMD-160: folds the block `x` into `h`.
#[inline(always)]
pub fn compress<W: Word32, L: Line<W>>(h: L, x: &[W; 16]) -> L {
    let n = L::LEN;
    let (left, right) = lines::<false, W, L>(h, h, x);
    let (old, left, right) = (h.as_ref(), left.as_ref(), right.as_ref());
    let mut new = h;
    crate::unroll!(i in 0..5 {
        if i < n {
            new.as_mut()[i] = old[(i + 1) % n] + left[(i + 2) % n] + right[(i + 3) % n];
        }
    });
    new
}

/// RIPEMD-256 and RIPEMD-320: folds the block `x` into `h`, the left line's half before the right
/// line's.
#[inline(always)]
pub fn compress_double<W: Word32, L: Line<W>, H: Words<W>>(h: H, x: &[W; 16]) -> H {
    let n = L::LEN;
    let mut new = h;
    let (mut left, mut right) = (L::splat(h.as_ref()[0]), L::splat(h.as_ref()[0]));
    crate::unroll!(i in 0..5 {
        if i < n {
            left.as_mut()[i] = h.as_ref()[i];
            right.as_mut()[i] = h.as_ref()[n + i];
        }
    });
    let (left, right) = lines::<true, W, L>(left, right, x);
    crate::unroll!(i in 0..5 {
        if i < n {
            new.as_mut()[i] = h.as_ref()[i] + left.as_ref()[i];
            new.as_mut()[n + i] = h.as_ref()[n + i] + right.as_ref()[i];
        }
    });
    new
}

macro_rules! ripemd {
    ($name:ident, $words:literal, $compress:expr, $initial_value:expr) => {
        impl Hash for $name {
            type Native = u32;
            type State<T: Copy> = [T; $words];
            type Block<T: Copy> = [T; 16];
            const ORDER: ByteOrder = ByteOrder::Little;

            fn digest_bytes(&self) -> usize {
                4 * $words
            }
            fn initial_value(&self) -> [u32; $words] {
                $initial_value
            }
            /// As MD4: RFC 1320 §3.1, §3.2.
            #[inline(always)]
            fn pad(&self, tail: &Tail, out: &mut Padded<u32>) {
                out.strengthen(tail, 64, 8, ByteOrder::Little);
            }
        }

        impl<W: Word32> Compress<W> for $name {
            #[inline(always)]
            fn compress(&self, h: [W; $words], m: &[W; 16], _t: Counter<W>) -> [W; $words] {
                $compress(h, m)
            }
        }
    };
}

ripemd!(Ripemd128, 4, compress, [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]);
ripemd!(Ripemd160, 5, compress, [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
#[rustfmt::skip]
ripemd!(Ripemd256, 8, compress_double::<W, [W; 4], _>, [
    0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
    0x76543210, 0xfedcba98, 0x89abcdef, 0x01234567,
]);
#[rustfmt::skip]
ripemd!(Ripemd320, 10, compress_double::<W, [W; 5], _>, [
    0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0,
    0x76543210, 0xfedcba98, 0x89abcdef, 0x01234567, 0x3c2d1e0f,
]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::digest;
    use core::num::Wrapping;
    use hex_literal::hex;

    fn check<H: Compress<Wrapping<u32>, Native = u32>>(hash: H, message: &[u8], expected: &[u8]) {
        let mut out = std::vec![0; hash.digest_bytes()];
        digest(&hash, message, &mut out);
        assert_eq!(out, expected);
    }

    /// The examples on the designers' page.
    #[test]
    #[rustfmt::skip]
    fn examples_of_the_designers() {
        check(Ripemd128, b"", &hex!("cdf26213a150dc3ecb610f18f6b38b46"));
        check(Ripemd160, b"", &hex!("9c1185a5c5e9fc54612808977ee8f548b2258d31"));
        check(Ripemd256, b"",
            &hex!("02ba4c4e5f8ecd1877fc52d64d30e37a2d9774fb1e5d026380ae0168e3c5522d"));
        check(Ripemd320, b"",
            &hex!("22d65d5661536cdc75c1fdf5c6de7b41b9f27325ebc61e85\
                   57177d705a0ec880151c3a32a00899b8"));
        check(Ripemd128, b"abc", &hex!("c14a12199c66e4ba84636b0f69144c77"));
        check(Ripemd160, b"abc", &hex!("8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"));
        check(Ripemd256, b"abc",
            &hex!("afbd6e228b9d8cbbcef5ca2d03e6dba10ac0bc7dcbe4680e1e42d2e975459b65"));
        check(Ripemd320, b"abc",
            &hex!("de4c01b3054f8930a79d09ae738e92301e5a17085beffdc1\
                   b8d116713e74f82fa942d64cdbc4682d"));
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        check(Ripemd128, two_blocks, &hex!("a1aa0689d0fafa2ddc22e88b49133a06"));
        check(Ripemd160, two_blocks, &hex!("12a053384a9c0c88e405a06c27dcf49ada62eb2b"));
        check(Ripemd256, two_blocks,
            &hex!("3843045583aac6c8c8d9128573e7a9809afb2a0f34ccc36ea9e72f16f6368e3f"));
        check(Ripemd320, two_blocks,
            &hex!("d034a7950cf722021ba4b84df769a5de2060e259df4c9bb4\
                   a4268c0e935bbc7470a969c9d072a1ac"));
    }

    /// Each line reads every message word once in each round.
    #[test]
    fn word_orders_are_permutations() {
        for order in [r_left, r_right] {
            for round in 0..5 {
                let words = (0..16).fold(0, |seen, i| seen | 1 << order(16 * round + i));
                assert_eq!(words, 0xffff);
            }
        }
    }
}
