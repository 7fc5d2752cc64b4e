//! BLAKE (Aumasson, Henzen, Meier, Phan: SHA-3 proposal BLAKE, version 1.3, 2010), the form in the
//! final round of the SHA-3 competition, with 14 and 16 rounds. BLAKE-224 and BLAKE-256 over 32-bit
//! words, BLAKE-384 and BLAKE-512 over 64-bit words.
//!
//! ```text
//! h ──► initialise ──► round 0 ──► … ──► round 13 or 15 ──► finalise ──► h
//!         ▲  ▲ salt s,    ▲                  ▲                ▲  ▲
//!         h    counter t  m                  m                h  s
//! ```
//!
//! A round is four G on the columns of a 4 × 4 matrix, then four on its diagonals.

use super::sha2::{Sha256, Sha512};
use super::{Compress, Counter, Hash, Padded, Tail};
use crate::word::{ByteOrder, Native, Word, Word32, Word64};

/// The chaining value h_0 … h_7.
pub type State<W> = [W; 8];

/// BLAKE-224 and BLAKE-256.
#[derive(Clone, Copy, Debug)]
pub struct Blake256 {
    /// The SHA-2 of the same digest length, which lends its initial value.
    sha2: Sha256,
    salt: [u32; 4],
}

/// BLAKE-384 and BLAKE-512.
#[derive(Clone, Copy, Debug)]
pub struct Blake512 {
    /// The SHA-2 of the same digest length, which lends its initial value.
    sha2: Sha512,
    salt: [u64; 4],
}

impl Blake256 {
    /// §2.3: BLAKE-224.
    pub const BLAKE224: Self = Self { sha2: Sha256::SHA224, salt: [0; 4] };
    /// §2.1: BLAKE-256.
    pub const BLAKE256: Self = Self { sha2: Sha256::SHA256, salt: [0; 4] };
}

impl Blake512 {
    /// §2.4: BLAKE-384.
    pub const BLAKE384: Self = Self { sha2: Sha512::SHA384, salt: [0; 4] };
    /// §2.2: BLAKE-512.
    pub const BLAKE512: Self = Self { sha2: Sha512::SHA512, salt: [0; 4] };
}

/// §2.1.2: the permutations σ_0 … σ_9. Round r uses σ_{r mod 10}.
#[rustfmt::skip]
pub const SIGMA: [[usize; 16]; 10] = [
    [ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15],
    [14, 10,  4,  8,  9, 15, 13,  6,  1, 12,  0,  2, 11,  7,  5,  3],
    [11,  8, 12,  0,  5,  2, 15, 13, 10, 14,  3,  6,  7,  1,  9,  4],
    [ 7,  9,  3,  1, 13, 12, 11, 14,  2,  6,  5, 10,  4,  0, 15,  8],
    [ 9,  0,  5,  7,  2,  4, 10, 15, 14,  1, 11, 12,  6,  8,  3, 13],
    [ 2, 12,  6, 10,  0, 11,  8,  3,  4, 13,  7,  5, 15, 14,  1,  9],
    [12,  5,  1, 15, 14, 13,  4, 10,  0,  7,  6,  3,  9,  2,  8, 11],
    [13, 11,  7, 14, 12,  1,  3,  9,  5,  0, 15,  4,  8,  6,  2, 10],
    [ 6, 15, 14,  9, 11,  3,  0,  8, 12,  2, 13,  7,  1,  4, 10,  5],
    [10,  2,  8,  4,  7,  6,  1,  5, 15, 11,  9, 14,  3, 12, 13,  0],
];

/// The parameters in which the two widths differ.
pub trait Parameters: Hash {
    /// Number of rounds.
    const ROUNDS: usize;
    /// The amounts of the four rotations to the right in G.
    const ROTATIONS: [usize; 4];
    /// The constants c_0 … c_15: leading digits of π.
    const C: [Self::Native; 16];
    /// The salt s_0 … s_3.
    fn salt(&self) -> [Self::Native; 4];
}

impl Parameters for Blake256 {
    const ROUNDS: usize = 14;
    const ROTATIONS: [usize; 4] = [16, 12, 8, 7];
    /// §2.1.1.
    #[rustfmt::skip]
    const C: [u32; 16] = [
        0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344,
        0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89,
        0x452821e6, 0x38d01377, 0xbe5466cf, 0x34e90c6c,
        0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917,
    ];
    fn salt(&self) -> [u32; 4] {
        self.salt
    }
}

impl Parameters for Blake512 {
    const ROUNDS: usize = 16;
    const ROTATIONS: [usize; 4] = [32, 25, 16, 11];
    /// §2.2.1.
    #[rustfmt::skip]
    const C: [u64; 16] = [
        0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89,
        0x452821e638d01377, 0xbe5466cf34e90c6c, 0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917,
        0x9216d5d98979fb1b, 0xd1310ba698dfb5ac, 0x2ffd72dbd01adfb7, 0xb8e1afed6a267e96,
        0xba7c9045f12c7f99, 0x24a19947b3916cf7, 0x0801f2e2858efc16, 0x636920d871574e69,
    ];
    fn salt(&self) -> [u64; 4] {
        self.salt
    }
}

/// §2.1.2: G_i(a, b, c, d), where x = m_j ⊕ c_k and y = m_k ⊕ c_j, j = σ_r(2i), k = σ_r(2i + 1).
#[inline(always)]
pub fn g<P: Parameters, W: Word<Native = P::Native>>([a, b, c, d]: [W; 4], x: W, y: W) -> [W; 4] {
    let [r0, r1, r2, r3] = P::ROTATIONS;
    let a = a + x + b;
    let d = (d ^ a).rotr(r0);
    let c = c + d;
    let b = (b ^ c).rotr(r1);
    let a = a + y + b;
    let d = (d ^ a).rotr(r2);
    let c = c + d;
    let b = (b ^ c).rotr(r3);
    [a, b, c, d]
}

/// The words that rounds take from a block.
pub trait Injection<P, W> {
    /// x and y of G_i in round r.
    fn injected(&self, r: usize, i: usize) -> [W; 2];
}

impl<P: Parameters, W: Word<Native = P::Native>> Injection<P, W> for [W; 16] {
    #[inline(always)]
    fn injected(&self, r: usize, i: usize) -> [W; 2] {
        let (j, k) = (SIGMA[r % 10][2 * i], SIGMA[r % 10][2 * i + 1]);
        crate::step!(
            Injection,
            "m ^ c",
            0,
            [self[j], self[k]],
            with_constants::<P, W>([self[j], self[k]], j, k)
        )
    }
}

/// x = m_j ⊕ c_k and y = m_k ⊕ c_j.
#[inline(always)]
pub fn with_constants<P: Parameters, W: Word<Native = P::Native>>(
    [m_j, m_k]: [W; 2],
    j: usize,
    k: usize,
) -> [W; 2] {
    [m_j ^ W::constant(P::C[k]), m_k ^ W::constant(P::C[j])]
}

/// x and y of every G of a public block, by rounds.
impl<P: Parameters, W: Word<Native = P::Native>> Injection<P, W> for [[P::Native; 16]] {
    #[inline(always)]
    fn injected(&self, r: usize, i: usize) -> [W; 2] {
        [W::constant(self[r][2 * i]), W::constant(self[r][2 * i + 1])]
    }
}

/// §2.1.2: round r over the matrix `v`: G_0 … G_3 on columns, G_4 … G_7 on diagonals.
#[inline(always)]
pub fn round<P: Parameters, W: Word<Native = P::Native>>(
    r: usize,
    mut v: [W; 16],
    m: &(impl Injection<P, W> + ?Sized),
) -> [W; 16] {
    crate::unroll!(i in 0..8 {
        // Row n of a diagonal is n places further right.
        const TURN: usize = i / 4;
        const A: usize = i % 4;
        const B: usize = 4 + (i + TURN) % 4;
        const C: usize = 8 + (i + 2 * TURN) % 4;
        const D: usize = 12 + (i + 3 * TURN) % 4;
        let mut abcd = [v[A], v[B], v[C], v[D]];
        [v[A], v[B], v[C], v[D]] = crate::step!(Part, "g", i, abcd, {
            let [x, y] = m.injected(r, i);
            g::<P, W>(abcd, x, y)
        });
    });
    v
}

/// §2.1.2, §2.2.2: folds the block `m` into `h` under the salt `s` and the counter `t`.
#[inline(always)]
pub fn compress<P: Parameters, W: Word<Native = P::Native>>(
    h: State<W>,
    m: &(impl Injection<P, W> + ?Sized),
    s: [W; 4],
    t: [W; 2],
) -> State<W> {
    let mut v = initialised::<P, W>(h, s, t);
    macro_rules! rounds {
        ($($r:literal)*) => {
            crate::unroll!(r in [$($r)*] {
                v = crate::step!(Round, "round", r, v, round::<P, W>(r, v, m));
            });
        };
    }
    rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13);
    if P::ROUNDS == 16 {
        rounds!(14 15);
    }
    finalised(h, v, s)
}

/// §2.1.2, §2.2.2, Initialization: the matrix before round 0.
#[inline(always)]
pub fn initialised<P: Parameters, W: Word<Native = P::Native>>(
    h: State<W>,
    s: [W; 4],
    t: [W; 2],
) -> [W; 16] {
    let mut v = [h[0]; 16];
    crate::unroll!(i in 0..8 {
        const T: usize = i % 4 / 2;
        v[i] = h[i];
        v[8 + i] = if i < 4 { s[i % 4] } else { t[T] } ^ W::constant(P::C[i]);
    });
    v
}

/// §2.1.2, §2.2.2, Finalization: the next chaining value, from the matrix after all rounds.
#[inline(always)]
pub fn finalised<W: Word>(h: State<W>, v: [W; 16], s: [W; 4]) -> State<W> {
    let mut new = h;
    crate::unroll!(i in 0..8 {
        new[i] = W::xor3(h[i] ^ s[i % 4], v[i], v[8 + i]);
    });
    new
}

macro_rules! blake {
    ($name:ident, $native:ty, $bound:ident) => {
        impl $name {
            /// The function under a salt s_0 … s_3 (0 unless set).
            pub const fn with_salt(self, salt: [$native; 4]) -> Self {
                Self { salt, ..self }
            }

            #[inline(always)]
            fn salt_words<W: $bound>(&self) -> [W; 4] {
                let mut s = [W::constant(0); 4];
                crate::unroll!(i in 0..4 { s[i] = W::constant(self.salt[i]); });
                s
            }

            /// Bits of one block.
            const BLOCK_BITS: $native = 16 * <$native>::BITS as $native;
        }

        impl Hash for $name {
            type Native = $native;
            type State<T: Copy> = [T; 8];
            type Block<T: Copy> = [T; 16];
            const ORDER: ByteOrder = ByteOrder::Big;
            const COUNTER_WORDS: usize = 2;
            const EXPANSION: usize = 16 * <Self as Parameters>::ROUNDS;

            fn digest_bytes(&self) -> usize {
                self.sha2.digest_bytes()
            }
            fn initial_value(&self) -> State<$native> {
                self.sha2.initial_value()
            }
            /// §2.1.3: the number of message bits up to the end of the block.
            fn counter(&self, blocks: u64) -> Counter<$native> {
                Counter::count((u128::from(blocks) + 1) * u128::from(Self::BLOCK_BITS))
            }
            /// §2.1.3, §2.2.3: a 1 bit, zeros, a 1 bit (BLAKE-256, BLAKE-512) or a 0 bit
            /// (BLAKE-224, BLAKE-384), the length in two words. Both single bits are always
            /// written, even where they share a byte. A block without message bits has the counter
            /// 0.
            fn pad(&self, tail: &Tail, out: &mut Padded<$native>) {
                let block = self.block_bytes();
                let length_bytes = block / 8;
                let tail_bits = 8 * tail.bytes.len() - (8 - tail.odd_bits()) % 8;
                out.blocks = if tail_bits + 2 + 8 * length_bytes <= 8 * block { 1 } else { 2 };
                let end = out.blocks * block;
                let length_at = end - length_bytes;
                tail.write_with_one_bit(&mut out.bytes[..end]);
                out.bytes[length_at - 1] |= u8::from(self.digest_bytes() == block / 2);
                out.bytes[length_at..end]
                    .copy_from_slice(&tail.total_bits.to_be_bytes()[16 - length_bytes..]);
                let counted = if tail_bits > 0 { tail.total_bits } else { 0 };
                out.counters = [Counter::count(counted), Counter::default()];
            }
            fn expand(&self, m: &[$native; 16], expansion: &mut [$native]) {
                let m = m.map(<$native>::scalar);
                for (n, xy) in expansion.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                    *xy = Injection::<Self, _>::injected(&m, n / 8, n % 8).map(|word| word.0);
                }
            }
        }

        impl<W: $bound> Compress<W> for $name {
            #[inline(always)]
            fn compress(&self, h: State<W>, m: &[W; 16], t: Counter<W>) -> State<W> {
                compress::<Self, W>(h, m, self.salt_words(), t.t)
            }
            #[inline(always)]
            fn compress_expanded(
                &self,
                h: State<W>,
                expansion: &[$native],
                t: Counter<W>,
            ) -> State<W> {
                let rounds = expansion.as_chunks::<16>().0;
                assert!(rounds.len() == <Self as Parameters>::ROUNDS);
                compress::<Self, W>(h, rounds, self.salt_words(), t.t)
            }

            /// The addition of a block carries exactly when it clears the top bit of t_0.
            #[inline(always)]
            fn next_counter(&self, Counter { t: [t0, t1], f }: Counter<W>) -> Counter<W> {
                let sum = t0 + W::constant(Self::BLOCK_BITS);
                let carry = (t0 & !sum) >> (<$native>::BITS as usize - 1);
                Counter { t: [sum, t1 + carry], f }
            }
        }
    };
}

blake!(Blake256, u32, Word32);
blake!(Blake512, u64, Word64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::digest;
    use core::num::Wrapping;
    use hex_literal::hex;

    fn check<H>(hash: H, message: &[u8], expected: &[u8])
    where
        H: Compress<<<H as Hash>::Native as crate::word::Native>::Scalar>,
    {
        let mut out = std::vec![0; hash.digest_bytes()];
        digest(&hash, message, &mut out);
        assert_eq!(out, expected);
    }

    /// Appendix C: one zero byte, and 72 or 144 of them.
    #[test]
    #[rustfmt::skip]
    fn examples_of_the_proposal() {
        check(Blake256::BLAKE224, &[0; 1],
            &hex!("4504cb0314fb2a4f7a692e696e487912fe3f2468fe312c73a5278ec5"));
        check(Blake256::BLAKE224, &[0; 72],
            &hex!("f5aa00dd1cb847e3140372af7b5c46b4888d82c8c0a917913cfb5d04"));
        check(Blake256::BLAKE256, &[0; 1],
            &hex!("0ce8d4ef4dd7cd8d62dfded9d4edb0a774ae6a41929a74da23109e8f11139c87"));
        check(Blake256::BLAKE256, &[0; 72],
            &hex!("d419bad32d504fb7d44d460c42c5593fe544fa4c135dec31e21bd9abdcc22d41"));
        check(Blake512::BLAKE384, &[0; 1],
            &hex!("10281f67e135e90ae8e882251a355510a719367ad70227b1"
                  "37343e1bc122015c29391e8545b5272d13a7c2879da3d807"));
        check(Blake512::BLAKE384, &[0; 144],
            &hex!("0b9845dd429566cdab772ba195d271effe2d0211f16991d7"
                  "66ba749447c5cde569780b2daa66c4b224a2ec2e5d09174c"));
        check(Blake512::BLAKE512, &[0; 1],
            &hex!("97961587f6d970faba6d2478045de6d1fabd09b61ae50932054d52bc29d31be4"
                  "ff9102b9f69e2bbdb83be13d4b9c06091e5fa0b48bd081b634058be0ec49beb3"));
        check(Blake512::BLAKE512, &[0; 144],
            &hex!("313717d608e9cf758dcb1eb0f0c3cf9fc150b2d500fb33f51c52afc99d358a2f"
                  "1374b8a38bba7974e7f6ef79cab16f22ce1e649d6e01ad9589c213045d545dde"));
    }

    /// No published example has a salt or fills t_1: these come from an independent implementation
    /// over bit strings.
    #[test]
    #[rustfmt::skip]
    fn salt_and_high_counter() {
        check(Blake256::BLAKE256.with_salt([1, 2, 3, 4]), &[0; 1],
            &hex!("bca9240bbfdcf363e1209a7759932ac35dff70b52ba4f5c6ccf49869916c5c64"));
        check(Blake512::BLAKE512.with_salt([1, 2, 3, 4]), &[0; 1],
            &hex!("031a22df94457332c650659c4dc356f3873bc9355ab4e865b8e29465cd925051"
                  "180a92eb7e995e6577e49ae886c68f57311ebfe6998cae044813008fa3be9751"));
        let h = [1, 2, 3, 4, 5, 6, 7, 0x8000_0000].map(Wrapping);
        let m = core::array::from_fn(|i| Wrapping(0x1111_1111 * i as u32));
        let counted = |bits| Counter::<u32>::count(bits).constant();
        let last_below = Blake256::BLAKE256.compress(h, &m, counted(0xffff_fe00));
        let next = Blake256::BLAKE256.compress(h, &m, counted(1 << 32));
        assert_eq!(last_below.map(|h| h.0), [
            0x4fe3_71e7, 0xc65e_e953, 0x0f78_0024, 0x8b51_f21e,
            0xd56b_4cbb, 0x46f6_7ac8, 0xc64e_d972, 0x7f2b_e2b8,
        ]);
        assert_eq!(next.map(|h| h.0), [
            0xa466_664c, 0x34b6_75a9, 0xeac6_13b7, 0xe38e_c5eb,
            0x8d8c_bca5, 0xe217_6888, 0x1a86_7dd5, 0x6079_83e1,
        ]);
    }

    #[test]
    fn counter_carries_from_t0_into_t1() {
        let next = |t: [u32; 2]| {
            let before = Counter { t, f: [0; 2] }.constant::<Wrapping<u32>>();
            Blake256::BLAKE256.next_counter(before).t.map(|t| t.0)
        };
        assert_eq!(next([0, 0]), [0x200, 0]);
        assert_eq!(next([0x7fff_fe00, 0]), [0x8000_0000, 0]);
        assert_eq!(next([0x8000_0000, 0]), [0x8000_0200, 0]);
        assert_eq!(next([0xffff_fc00, 0]), [0xffff_fe00, 0]);
        assert_eq!(next([0xffff_fe00, 0]), [0, 1]);
        assert_eq!(next([0xffff_fe00, 6]), [0, 7]);
        let next = |t: [u64; 2]| {
            let before = Counter { t, f: [0; 2] }.constant::<Wrapping<u64>>();
            Blake512::BLAKE512.next_counter(before).t.map(|t| t.0)
        };
        assert_eq!(next([0xffff_ffff_ffff_fc00, 6]), [0, 7]);
        assert_eq!(next([0xffff_ffff_ffff_f800, 6]), [0xffff_ffff_ffff_fc00, 6]);
    }

    /// `counter` and `next_counter` are the same count, across 2^32 bits too.
    #[test]
    fn counters_agree() {
        for first in [0, 4, (1 << 23) - 3] {
            let mut t = Blake256::BLAKE256.counter(first);
            for blocks in first + 1..first + 6 {
                t = Blake256::BLAKE256.next_counter(t.map(Wrapping)).map(|t| t.0);
                assert_eq!(t, Blake256::BLAKE256.counter(blocks));
            }
        }
    }

    /// §2.1.3: the counter is that of the message bits, and 0 where there are none.
    #[test]
    fn padded_blocks_count_message_bits() {
        let counters = |tail_bytes: usize, total_bits: u128| {
            let mut bytes = [0; 128];
            let mut out = Padded::new(&mut bytes);
            let tail = [0xff; 64];
            Blake256::BLAKE256.pad(&Tail { bytes: &tail[..tail_bytes], total_bits }, &mut out);
            (out.blocks, out.counters.map(|counter| counter.t))
        };
        assert_eq!(counters(0, 0), (1, [[0, 0], [0, 0]]));
        assert_eq!(counters(0, 512), (1, [[0, 0], [0, 0]]));
        assert_eq!(counters(55, 440), (1, [[440, 0], [0, 0]]));
        assert_eq!(counters(56, 446), (1, [[446, 0], [0, 0]]));
        assert_eq!(counters(56, 447), (2, [[447, 0], [0, 0]]));
        assert_eq!(counters(56, 448), (2, [[448, 0], [0, 0]]));
        assert_eq!(counters(64, (1 << 32) + 511), (2, [[511, 1], [0, 0]]));
    }
}
