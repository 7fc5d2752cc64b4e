//! JH with 42 rounds (submission document of 16 January 2011): JH-224, JH-256, JH-384 and JH-512,
//! by the document's bit-slice description.
//!
//! The 1024-bit state is eight planes x_0 … x_7 of 128 bits, each held as two words. In column i of
//! the planes, x_0, x_2, x_4, x_6 are the bits of one 4-bit element and x_1, x_3, x_5, x_7 those of
//! the other one that L mixes it with. Where the definition permutes elements by P_8, the planes of
//! odd number exchange columns 2^(r mod 7) apart: the partners of the next round meet, though not
//! where P_8 would have put them, so the round constants are put where the elements are.

use super::{Compress, Counter, Hash, Padded, Tail, write_words};
use crate::word::{ByteOrder, Word64};

/// Word 2j + i holds columns 64i … 64i + 63 of plane x_j, the first one most significant.
pub type State<W> = [W; 16];

/// The number of rounds of E_8.
pub const ROUNDS: usize = 42;

/// The S-boxes S_0 and S_1. A bit of the round constant chooses.
pub const S: [[u8; 16]; 2] = [
    [9, 0, 4, 11, 13, 12, 3, 15, 1, 10, 2, 6, 7, 5, 8, 14],
    [3, 12, 6, 13, 5, 7, 1, 9, 15, 2, 0, 4, 11, 10, 14, 8],
];

/// L on two elements: D = B ⊕ 2·A, C = A ⊕ 2·D, over GF(2^4) modulo x^4 + x + 1.
const fn l([a, b]: [u8; 2]) -> [u8; 2] {
    const fn double(a: u8) -> u8 {
        (a << 1) ^ ((a >> 3) * 0b10011)
    }
    let d = b ^ double(a);
    [a ^ double(d), d]
}

/// The place from which P_d = φ_d ∘ P'_d ∘ π_d takes the element that it puts at place `i`.
const fn p_source(d: usize, i: usize) -> usize {
    let half = 1 << (d - 1);
    // φ_d exchanges neighbours in the second half; P'_d puts even places first, odd ones second.
    let i = if i < half { 2 * i } else { 2 * ((i ^ 1) - half) + 1 };
    // π_d exchanges the last two of four.
    if i & 2 == 0 { i } else { i ^ 1 }
}

/// The round constants as the definition numbers them: element i of C_r is bits 4i … 4i + 3.
///
/// C_0 is the fractional part of √2; C_r = R_6(C_{r-1}) with S_0 throughout.
const fn elements_of_constants() -> [[u8; 64]; ROUNDS] {
    const SQRT2: [u64; 4] =
        [0x6a09e667f3bcc908, 0xb2fb1366ea957d3e, 0x3adec17512775099, 0xda2f590b0667322a];
    let mut c = [[0; 64]; ROUNDS];
    let mut i = 0;
    while i < 64 {
        c[0][i] = (SQRT2[i / 16] >> (60 - 4 * (i % 16))) as u8 & 15;
        i += 1;
    }
    let mut r = 1;
    while r < ROUNDS {
        let mut i = 0;
        while i < 64 {
            let from = p_source(6, i);
            let (a, b) = (c[r - 1][from & !1], c[r - 1][from | 1]);
            c[r][i] = l([S[0][a as usize], S[0][b as usize]])[from & 1];
            i += 1;
        }
        r += 1;
    }
    c
}

/// The round constants for the planes: for the even planes (two words), then the odd ones.
pub const C: [[u64; 4]; ROUNDS] = constants();

/// Follows every element through the rounds and puts its constant bit where it is.
const fn constants() -> [[u64; 4]; ROUNDS] {
    let elements = elements_of_constants();
    let mut c = [[0; 4]; ROUNDS];
    // The place of element i is 128 · (parity of the planes) + column. At first the elements are
    // where E_8 groups the bits.
    let mut places = [0; 256];
    let mut i = 0;
    while i < 256 {
        places[i] = 128 * (i & 1) + i / 2;
        i += 1;
    }
    let mut r = 0;
    while r < ROUNDS {
        let mut next = [0; 256];
        let mut i = 0;
        while i < 256 {
            let bit = (elements[r][i / 4] >> (3 - i % 4)) as u64 & 1;
            c[r][places[i] / 64] |= bit << (63 - places[i] % 64);
            let from = places[p_source(8, i)];
            next[i] = from ^ (from / 128) << (r % 7);
            i += 1;
        }
        places = next;
        r += 1;
    }
    c
}

/// Both S-boxes on 64 elements, most significant bits first: S_1 where `c` is 1, else S_0.
#[inline(always)]
pub fn sbox<W: Word64>([x0, x1, x2, x3]: [W; 4], c: W) -> [W; 4] {
    let x0 = W::chi(x0, x2, c);
    let t = c ^ (x0 & x1);
    let x0 = W::chi(x0, x3, x2);
    let x3 = W::chi(!x3, x1, x2);
    let x1 = x1 ^ (x0 & x2);
    let x2 = W::chi(x2, x3, x0);
    let x0 = x0 ^ (x1 | x3);
    let x3 = x3 ^ (x1 & x2);
    [x0, x1 ^ (t & x0), x2 ^ t, x3]
}

/// L on 64 pairs of elements (the even planes, the odd planes).
#[inline(always)]
pub fn linear<W: Word64>([a0, a1, a2, a3]: [W; 4], [b0, b1, b2, b3]: [W; 4]) -> ([W; 4], [W; 4]) {
    let (d0, d1, d2, d3) = (b0 ^ a1, b1 ^ a2, W::xor3(b2, a0, a3), b3 ^ a0);
    ([a0 ^ d1, a1 ^ d2, W::xor3(a2, d0, d3), a3 ^ d0], [d0, d1, d2, d3])
}

/// ω within a word: exchanges the columns that are 2^`k` apart, 0 ≤ k ≤ 5. With k = 6 the two words
/// of a plane change places.
#[inline(always)]
pub fn swap<W: Word64>(x: W, k: usize) -> W {
    match k {
        0..5 => swap_bits(x, k),
        5 => x.rotl(32),
        _ => x,
    }
}

/// Exchanges the bits of a word that are 2^`k` apart, 0 ≤ k < 5.
#[inline(always)]
fn swap_bits<W: Word64>(x: W, k: usize) -> W {
    const LOW: [u64; 5] = [
        0x5555555555555555,
        0x3333333333333333,
        0x0f0f0f0f0f0f0f0f,
        0x00ff00ff00ff00ff,
        0x0000ffff0000ffff,
    ];
    W::ch(W::constant(LOW[k]), x >> (1 << k), x << (1 << k))
}

/// A round on the columns of one word: S-boxes, L, and ω as far as it stays within the word.
#[inline(always)]
fn half<W: Word64>(
    r_mod_7: usize,
    even: [W; 4],
    odd: [W; 4],
    [c_even, c_odd]: [W; 2],
) -> ([W; 4], [W; 4]) {
    let (even, mut odd) = linear(sbox(even, c_even), sbox(odd, c_odd));
    crate::unroll!(j in 0..4 { odd[j] = swap(odd[j], r_mod_7); });
    (even, odd)
}

/// Round r of E_8, from r mod 7 and C_r. The unit that hardware pipelines.
#[inline(always)]
pub fn round<W: Word64>(r_mod_7: usize, x: State<W>, c: [W; 4]) -> State<W> {
    let mut y = x;
    crate::unroll!(i in [0 1] {
        let mut even = [x[i], x[4 + i], x[8 + i], x[12 + i]];
        let odd = [x[2 + i], x[6 + i], x[10 + i], x[14 + i]];
        let (even, odd) = crate::step!(Part, "half", i, even, half(
            r_mod_7, even, odd, [c[i], c[2 + i]],
        ));
        // With k = 6 the odd planes' words change places.
        let to = if r_mod_7 == 6 { 1 - i } else { i };
        crate::unroll!(j in 0..4 {
            y[4 * j + i] = even[j];
            y[4 * j + 2 + to] = odd[j];
        });
    });
    y
}

/// The bijective function E_8.
#[inline(always)]
pub fn e8<W: Word64>(mut x: State<W>) -> State<W> {
    let constants = &C;
    let mut r = 0;
    while r < ROUNDS {
        crate::unroll!(i in [0 1 2 3 4 5 6] {
            let c = constants[r + i];
            let c = [W::constant(c[0]), W::constant(c[1]), W::constant(c[2]), W::constant(c[3])];
            x = crate::step!(Round, "round", r + i, x, round(i, x, c));
        });
        r += 7;
    }
    x
}

/// The compression function F_8: the block `m` is added to the first half of the state before E_8,
/// to the second half after it.
#[inline(always)]
pub fn compress<W: Word64>(mut h: State<W>, m: &[W; 8]) -> State<W> {
    crate::unroll!(i in 0..8 { h[i] = h[i] ^ m[i]; });
    h = e8(h);
    crate::unroll!(i in 0..8 { h[8 + i] = h[8 + i] ^ m[i]; });
    h
}

/// JH-224, JH-256, JH-384 and JH-512.
#[derive(Clone, Copy, Debug)]
pub struct Jh {
    initial_value: State<u64>,
    digest_bytes: usize,
}

/// The initial hash values H^(0).
#[rustfmt::skip]
impl Jh {
    /// JH-224.
    pub const JH224: Self = Self { digest_bytes: 28, initial_value: [
        0x2dfedd62f99a98ac, 0xae7cacd619d634e7, 0xa4831005bc301216, 0xb86038c6c9661494,
        0x66d9899f2580706f, 0xce9ea31b1d9b1adc, 0x11e8325f7b366e10, 0xf994857f02fa06c1,
        0x1b4f1b5cd8c840b3, 0x97f6a17f6e738099, 0xdcdf93a5adeaa3d3, 0xa431e8dec9539a68,
        0x22b4a98aec86a1e4, 0xd574ac959ce56cf0, 0x15960deab5ab2bbf, 0x9611dcf0dd64ea6e,
    ]};
    /// JH-256.
    pub const JH256: Self = Self { digest_bytes: 32, initial_value: [
        0xeb98a3412c20d3eb, 0x92cdbe7b9cb245c1, 0x1c93519160d4c7fa, 0x260082d67e508a03,
        0xa4239e267726b945, 0xe0fb1a48d41a9477, 0xcdb5ab26026b177a, 0x56f024420fff2fa8,
        0x71a396897f2e4d75, 0x1d144908f77de262, 0x277695f776248f94, 0x87d5b6574780296c,
        0x5c5e272dac8e0d6c, 0x518450c657057a0f, 0x7be4d367702412ea, 0x89e3ab13d31cd769,
    ]};
    /// JH-384.
    pub const JH384: Self = Self { digest_bytes: 48, initial_value: [
        0x481e3bc6d813398a, 0x6d3b5e894ade879b, 0x63faea68d480ad2e, 0x332ccb21480f8267,
        0x98aec84d9082b928, 0xd455ea3041114249, 0x36f555b2924847ec, 0xc7250a93baf43ce1,
        0x569b7f8a27db454c, 0x9efcbd496397af0e, 0x589fc27d26aa80cd, 0x80c08b8c9deb2eda,
        0x8a7981e8f8d5373a, 0xf43967adddd17a71, 0xa9b4d3bda475d394, 0x976c3fba9842737f,
    ]};
    /// JH-512.
    pub const JH512: Self = Self { digest_bytes: 64, initial_value: [
        0x6fd14b963e00aa17, 0x636a2e057a15d543, 0x8a225e8d0c97ef0b, 0xe9341259f2b3c361,
        0x891da0c1536f801e, 0x2aa9056bea2b6d80, 0x588eccdb2075baa6, 0xa90f3a76baf83bf7,
        0x0169e60541e34a69, 0x46b58a8e2e6fe65a, 0x1047a7d0c1843c24, 0x3b6e71b12d5ac199,
        0xcf57f6ec9db1f856, 0xa706887c5716b156, 0xe3c2fcdfe68517fb, 0x545a4678cc8cdd4b,
    ]};
}

impl Hash for Jh {
    type Native = u64;
    type State<T: Copy> = [T; 16];
    type Block<T: Copy> = [T; 8];
    const ORDER: ByteOrder = ByteOrder::Big;
    const OUTPUT_IN_ORDER: bool = false;

    fn digest_bytes(&self) -> usize {
        self.digest_bytes
    }
    fn initial_value(&self) -> State<u64> {
        self.initial_value
    }
    /// A 1 bit, zeros, the length in bits as a 128-bit integer: never less than one block, so that
    /// a message that ends within a block is followed by a block without message bits.
    fn pad(&self, tail: &Tail, out: &mut Padded<u64>) {
        out.blocks = if tail.bytes.is_empty() { 1 } else { 2 };
        let end = 64 * out.blocks;
        tail.write_with_one_bit(&mut out.bytes[..end]);
        out.bytes[end - 16..end].copy_from_slice(&tail.total_bits.to_be_bytes());
    }
    fn output_words(&self, _bytes: usize) -> usize {
        16
    }
    /// The last bytes of the state.
    fn write_output(&self, state: &State<u64>, out: &mut [u8]) {
        let mut bytes = [0; 128];
        write_words(state, Self::ORDER, &mut bytes);
        out.copy_from_slice(&bytes[128 - self.digest_bytes..][..out.len()]);
    }
}

impl<W: Word64> Compress<W> for Jh {
    #[inline(always)]
    fn compress(&self, h: State<W>, m: &[W; 8], _t: Counter<W>) -> State<W> {
        compress(h, m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::digest;
    use core::num::Wrapping;
    use hex_literal::hex;

    const ALL: [Jh; 4] = [Jh::JH224, Jh::JH256, Jh::JH384, Jh::JH512];

    /// ShortMsgKAT of the submission, Len = 0.
    #[test]
    fn empty_message() {
        let expected: [&[u8]; 4] = [
            &hex!("2c99df889b019309051c60fecc2bd285a774940e43175b76b2626630"),
            &hex!("46e64619c18bb0a92a5e87185a47eef83ca747b8fcc8e1412921357e326df434"),
            &hex!(
                "2fe5f71b1b3290d3c017fb3c1a4d02a5cbeb03a0476481e2\
                 5082434a881994b0ff99e078d2c16b105ad069b569315328"
            ),
            &hex!(
                "90ecf2f76f9d2c8017d979ad5ab96b87d58fc8fc4b83060f3f900774faa2c8fa\
                 be69c5f4ff1ec2b61d6b316941cedee117fb04b1f4c5bc1b919ae841c50eec4f"
            ),
        ];
        for (hash, expected) in ALL.iter().zip(expected) {
            let mut out = std::vec![0; hash.digest_bytes()];
            digest(hash, b"", &mut out);
            assert_eq!(out, expected);
        }
    }

    /// H^(-1) is the digest's length in bits, two bytes, then zeros; H^(0) = F_8(H^(-1), 0).
    #[test]
    fn initial_values_follow_from_the_digest_length() {
        for hash in ALL {
            let mut before = [Wrapping(0); 16];
            before[0] = Wrapping((8 * hash.digest_bytes as u64) << 48);
            let derived = compress(before, &[Wrapping(0); 8]).map(|word| word.0);
            assert_eq!(derived, hash.initial_value, "{}: {derived:#018x?}", hash.digest_bytes);
        }
    }

    /// The first and the last constant of the document's table for the bit-slice implementation.
    #[test]
    fn constants_are_those_of_the_bit_slice_table() {
        assert_eq!(
            C[0],
            [0x72d5dea2df15f867, 0x7b84150ab7231557, 0x81abd6904d5a87f6, 0x4e9f4fc5c3d12b40]
        );
        assert_eq!(
            C[41],
            [0x35b49831db411570, 0xea1e0fbbedcd549b, 0x9ad063a151974072, 0xf6759dbf91476fe2]
        );
    }

    /// The definition: E_8 groups the bits of `a` into 256 elements, runs R_8 on them, and undoes
    /// the grouping.
    fn e8_by_definition(a: [u64; 16]) -> [u64; 16] {
        let bit = |i: usize| (a[i / 64] >> (63 - i % 64)) as u8 & 1;
        let place = |i: usize, k: usize| i / 2 + 128 * (i % 2) + 256 * k;
        let mut q: [u8; 256] =
            core::array::from_fn(|i| (0..4).fold(0, |element, k| 2 * element + bit(place(i, k))));
        for c in elements_of_constants() {
            for i in 0..256 {
                q[i] = S[usize::from(c[i / 4] >> (3 - i % 4) & 1)][usize::from(q[i])];
            }
            for pair in q.as_chunks_mut().0 {
                *pair = l(*pair);
            }
            q = core::array::from_fn(|i| q[p_source(8, i)]);
        }
        let mut b = [0; 16];
        for (i, element) in q.into_iter().enumerate() {
            for k in 0..4 {
                let to = place(i, k);
                b[to / 64] |= u64::from(element >> (3 - k) & 1) << (63 - to % 64);
            }
        }
        b
    }

    /// A state without symmetry, and seven of its images.
    #[test]
    fn planes_agree_with_the_definition() {
        let mut state: [u64; 16] = core::array::from_fn(|i| C[i][i % 4]);
        for _ in 0..8 {
            let by_definition = e8_by_definition(state);
            state = e8(state.map(Wrapping)).map(|word| word.0);
            assert_eq!(state, by_definition);
        }
    }

    /// The bit-slice form of the S-boxes, on all 32 inputs at once.
    #[test]
    fn sbox_is_the_table() {
        let input = |bit: usize| (0..32).fold(0u64, |w, i| w | (i as u64 >> bit & 1) << i);
        let x = [input(3), input(2), input(1), input(0)].map(Wrapping);
        let y = sbox(x, Wrapping(input(4)));
        for i in 0..32 {
            let output = y.iter().fold(0, |out, plane| 2 * out + (plane.0 >> i & 1) as u8);
            assert_eq!(output, S[i / 16][i % 16], "S_{}({})", i / 16, i % 16);
        }
    }
}
