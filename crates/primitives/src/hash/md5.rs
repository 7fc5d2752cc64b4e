//! MD5 (RFC 1321). **Broken**: collisions take seconds. For old checksums, not for security.

use super::{Compress, Counter, Hash, Padded, Tail};
use crate::word::{ByteOrder, Word32};

/// MD5.
#[derive(Clone, Copy, Debug, Default)]
pub struct Md5;

/// The four buffer words A, B, C, D.
pub type State<W> = [W; 4];

/// §3.4: `T[i]` = ⌊2^32 · |sin(i + 1)|⌋, i counted from 0.
#[rustfmt::skip]
pub const T: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];

/// §3.4: the shift amounts of each round, used in turn.
pub const S: [[usize; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// §3.4: the auxiliary functions.
mod functions {
    use crate::word::Word32;

    /// F(X, Y, Z) = XY ∨ ¬X Z.
    #[inline(always)]
    pub fn f<W: Word32>(x: W, y: W, z: W) -> W {
        W::ch(x, y, z)
    }
    /// G(X, Y, Z) = XZ ∨ Y ¬Z.
    #[inline(always)]
    pub fn g<W: Word32>(x: W, y: W, z: W) -> W {
        W::ch(z, x, y)
    }
    /// H(X, Y, Z) = X ⊕ Y ⊕ Z.
    #[inline(always)]
    pub fn h<W: Word32>(x: W, y: W, z: W) -> W {
        W::xor3(x, y, z)
    }
    /// I(X, Y, Z) = Y ⊕ (X ∨ ¬Z).
    #[inline(always)]
    pub fn i<W: Word32>(x: W, y: W, z: W) -> W {
        y ^ (x | !z)
    }
}
use functions::{f, g, h, i};

/// The index k of the word X\[k\] that operation t = 0..63 reads.
#[inline(always)]
pub const fn k(t: usize) -> usize {
    match t / 16 {
        0 => t,
        1 => (5 * t + 1) % 16,
        2 => (3 * t + 5) % 16,
        _ => (7 * t) % 16,
    }
}

/// Operation t = 0..63 of §3.4: a = b + ((a + function(b,c,d) + X\[k\] + T\[t\]) <<< s), after
/// which the names move on by one place.
#[inline(always)]
pub fn round<W: Word32>(t: usize, [a, b, c, d]: State<W>, xk: W) -> State<W> {
    let function = match t / 16 {
        0 => f(b, c, d),
        1 => g(b, c, d),
        2 => h(b, c, d),
        _ => i(b, c, d),
    };
    let xt = crate::step!(Injection, "X + T", 0, [xk], xk + W::constant(T[t]));
    let sum = a + xt + function;
    [d, b + sum.rotl(S[t / 16][t % 4]), b, c]
}

/// §3.4: processes the 16-word block `x`.
#[inline(always)]
pub fn compress<W: Word32>(h: State<W>, x: &[W; 16]) -> State<W> {
    let mut s = h;
    macro_rules! sixteen {
        ($round:literal) => {
            crate::unroll!(j in 0..16 {
                const T: usize = 16 * $round + j;
                s = crate::step!(Round, "round", T, s, round(T, s, x[k(T)]));
            });
        };
    }
    sixteen!(0);
    sixteen!(1);
    sixteen!(2);
    sixteen!(3);
    [h[0] + s[0], h[1] + s[1], h[2] + s[2], h[3] + s[3]]
}

impl Hash for Md5 {
    type Native = u32;
    type State<T: Copy> = [T; 4];
    type Block<T: Copy> = [T; 16];
    const ORDER: ByteOrder = ByteOrder::Little;
    const SERIAL: bool = true;

    fn digest_bytes(&self) -> usize {
        16
    }
    /// §3.3.
    fn initial_value(&self) -> [u32; 4] {
        [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]
    }
    /// §3.1, §3.2.
    #[inline(always)]
    fn pad(&self, tail: &Tail, out: &mut Padded<u32>) {
        out.strengthen(tail, 64, 8, ByteOrder::Little);
    }
}

impl<W: Word32> Compress<W> for Md5 {
    #[inline(always)]
    fn compress(&self, h: State<W>, m: &[W; 16], _t: Counter<W>) -> State<W> {
        compress(h, m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::digest;
    use hex_literal::hex;

    fn md5(message: &[u8]) -> [u8; 16] {
        let mut out = [0; 16];
        digest(&Md5, message, &mut out);
        out
    }

    /// RFC 1321 §A.5.
    #[test]
    fn test_suite_of_the_standard() {
        assert_eq!(md5(b""), hex!("d41d8cd98f00b204e9800998ecf8427e"));
        assert_eq!(md5(b"abc"), hex!("900150983cd24fb0d6963f7d28e17f72"));
        assert_eq!(
            md5(
                b"12345678901234567890123456789012345678901234567890123456789012345678901234567890"
            ),
            hex!("57edf4a22be3c955ac49da2e2107b67a")
        );
    }
}
