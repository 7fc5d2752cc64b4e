//! SHA-2 (FIPS 180-4): SHA-224 and SHA-256 over 32-bit words, SHA-384, SHA-512, SHA-512/224 and
//! SHA-512/256 over 64-bit words.

use super::{Compress, Counter, Hash, Padded, Tail};
use crate::word::{ByteOrder, Native, Word, Word32, Word64};

/// The eight working variables a … h, or the hash value H_0 … H_7.
pub type State<W> = [W; 8];

/// §4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
#[rustfmt::skip]
pub const K256: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// §4.2.3: the first 64 bits of the fractional parts of the cube roots of the first 80 primes.
#[rustfmt::skip]
pub const K512: [u64; 80] = [
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
];

/// §4.1.2 and §4.1.3: the functions of the two widths differ in their amounts only.
///
/// The choice is made by the type of the algorithm, so that each amount is a constant.
pub trait Functions<W: Word> {
    /// (4.4), (4.10) Σ₀
    fn big_sigma0(x: W) -> W;
    /// (4.5), (4.11) Σ₁
    fn big_sigma1(x: W) -> W;
    /// (4.6), (4.12) σ₀
    fn small_sigma0(x: W) -> W;
    /// (4.7), (4.13) σ₁
    fn small_sigma1(x: W) -> W;
}

#[rustfmt::skip]
impl<W: Word32> Functions<W> for Sha256 {
    #[inline(always)] fn big_sigma0(x: W) -> W   { W::xor3(x.rotr(2), x.rotr(13), x.rotr(22)) }
    #[inline(always)] fn big_sigma1(x: W) -> W   { W::xor3(x.rotr(6), x.rotr(11), x.rotr(25)) }
    #[inline(always)] fn small_sigma0(x: W) -> W { W::xor3(x.rotr(7), x.rotr(18), x >> 3) }
    #[inline(always)] fn small_sigma1(x: W) -> W { W::xor3(x.rotr(17), x.rotr(19), x >> 10) }
}

#[rustfmt::skip]
impl<W: Word64> Functions<W> for Sha512 {
    #[inline(always)] fn big_sigma0(x: W) -> W   { W::xor3(x.rotr(28), x.rotr(34), x.rotr(39)) }
    #[inline(always)] fn big_sigma1(x: W) -> W   { W::xor3(x.rotr(14), x.rotr(18), x.rotr(41)) }
    #[inline(always)] fn small_sigma0(x: W) -> W { W::xor3(x.rotr(1), x.rotr(8), x >> 7) }
    #[inline(always)] fn small_sigma1(x: W) -> W { W::xor3(x.rotr(19), x.rotr(61), x >> 6) }
}

/// Round t of §6.2.2 or §6.4.2, step 3, from K_t and W_t. The unit that hardware merges and
/// pipelines.
#[inline(always)]
pub fn round<F: Functions<W>, W: Word>(
    [a, b, c, d, e, f, g, h]: State<W>,
    kt: W,
    wt: W,
) -> State<W> {
    let kw = crate::step!(Injection, "K + W", 0, [wt], kt + wt);
    let t1 = h + kw + W::ch(e, f, g) + F::big_sigma1(e);
    let t2 = F::big_sigma0(a) + W::maj(a, b, c);
    [t1 + t2, a, b, c, d + t1, e, f, g]
}

/// W_t of step 1 for t ≥ 16, from the sixteen words before it.
#[inline(always)]
pub fn schedule<F: Functions<W>, W: Word>(wt2: W, wt7: W, wt15: W, wt16: W) -> W {
    F::small_sigma1(wt2) + wt7 + F::small_sigma0(wt15) + wt16
}

/// §6.2.2 and §6.4.2: folds the block `m` into `h` by `K.len()` rounds.
///
/// `w` is a window of sixteen words: W_t overwrites W_{t-16}.
#[inline(always)]
fn compress<F: Functions<W>, W: Word>(h: State<W>, m: &[W; 16], k: &[W::Native]) -> State<W> {
    let mut w = *m;
    let mut s = h;
    crate::unroll!(j in 0..16 {
        s = crate::step!(Round, "round", j, s, round::<F, W>(s, W::constant(k[j]), w[j]));
    });
    let mut t = 16;
    while t < k.len() {
        crate::unroll!(j in 0..16 {
            w[j] = crate::step!(Schedule, "schedule", t + j, w, schedule::<F, W>(
                w[(j + 14) % 16], w[(j + 9) % 16], w[(j + 1) % 16], w[j]));
            s = crate::step!(Round, "round", t + j, s, round::<F, W>(
                s, W::constant(k[t + j]), w[j],
            ));
        });
        t += 16;
    }
    crate::unroll!(i in 0..8 { s[i] = h[i] + s[i]; });
    s
}

/// Step 1 for all t, and of step 3 the sums K_t + W_t.
fn expand<F: Functions<N::Scalar>, N: Native>(m: &[N; 16], k: &[N], sums: &mut [N]) {
    let mut w = m.map(N::scalar);
    for (t, (sum, kt)) in sums.iter_mut().zip(k).enumerate() {
        if t >= 16 {
            w[t % 16] =
                schedule::<F, _>(w[(t + 14) % 16], w[(t + 9) % 16], w[(t + 1) % 16], w[t % 16]);
        }
        *sum = N::from_scalar(kt.scalar() + w[t % 16]);
    }
}

/// The rounds of [`compress`], over the sums that [`expand`] made.
#[inline(always)]
fn compress_expanded<F: Functions<W>, W: Word>(h: State<W>, sums: &[W::Native]) -> State<W> {
    let mut s = h;
    for sums in sums.as_chunks::<16>().0 {
        crate::unroll!(j in 0..16 {
            s = round::<F, W>(s, W::constant(sums[j]), W::constant(Default::default()));
        });
    }
    crate::unroll!(i in 0..8 { s[i] = h[i] + s[i]; });
    s
}

macro_rules! sha2 {
    ($name:ident, $native:ty, $bound:ident, $k:ident, $length_bytes:literal) => {
        impl Hash for $name {
            type Native = $native;
            type State<T: Copy> = [T; 8];
            type Block<T: Copy> = [T; 16];
            const ORDER: ByteOrder = ByteOrder::Big;
            const EXPANSION: usize = $k.len();

            fn digest_bytes(&self) -> usize {
                self.digest_bytes
            }
            fn initial_value(&self) -> State<$native> {
                self.initial_value
            }
            /// §5.1.
            #[inline(always)]
            fn pad(&self, tail: &Tail, out: &mut Padded<$native>) {
                out.strengthen(tail, self.block_bytes(), $length_bytes, ByteOrder::Big);
            }
            fn expand(&self, m: &[$native; 16], sums: &mut [$native]) {
                expand::<Self, $native>(m, &$k, sums);
            }
        }

        impl<W: $bound> Compress<W> for $name {
            #[inline(always)]
            fn compress(&self, h: State<W>, m: &[W; 16], _t: Counter<W>) -> State<W> {
                compress::<Self, W>(h, m, &$k)
            }
            #[inline(always)]
            fn compress_expanded(&self, h: State<W>, sums: &[$native], _t: Counter<W>) -> State<W> {
                compress_expanded::<Self, W>(h, sums)
            }
        }
    };
}

/// SHA-224 and SHA-256.
#[derive(Clone, Copy, Debug)]
pub struct Sha256 {
    initial_value: State<u32>,
    digest_bytes: usize,
}

/// SHA-384, SHA-512, SHA-512/224 and SHA-512/256.
#[derive(Clone, Copy, Debug)]
pub struct Sha512 {
    initial_value: State<u64>,
    digest_bytes: usize,
}

sha2!(Sha256, u32, Word32, K256, 8);
sha2!(Sha512, u64, Word64, K512, 16);

/// §5.3: the initial hash values.
#[rustfmt::skip]
impl Sha256 {
    /// §5.3.2.
    pub const SHA224: Self = Self { digest_bytes: 28, initial_value: [
        0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
        0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
    ]};
    /// §5.3.3.
    pub const SHA256: Self = Self { digest_bytes: 32, initial_value: [
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    ]};
}

#[rustfmt::skip]
impl Sha512 {
    /// §5.3.4.
    pub const SHA384: Self = Self { digest_bytes: 48, initial_value: [
        0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
        0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
    ]};
    /// §5.3.5.
    pub const SHA512: Self = Self { digest_bytes: 64, initial_value: [
        0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
        0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
    ]};
    /// §5.3.6.1.
    pub const SHA512_224: Self = Self { digest_bytes: 28, initial_value: [
        0x8c3d37c819544da2, 0x73e1996689dcd4d6, 0x1dfab7ae32ff9c82, 0x679dd514582f9fcf,
        0x0f6d2b697bd44da8, 0x77e36f7304c48942, 0x3f9d85a86a1d36c8, 0x1112e6ad91d692a1,
    ]};
    /// §5.3.6.2.
    pub const SHA512_256: Self = Self { digest_bytes: 32, initial_value: [
        0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
        0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2,
    ]};
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::digest;
    use hex_literal::hex;

    fn check<H>(hash: H, message: &[u8], expected: &[u8])
    where
        H: Compress<<<H as Hash>::Native as crate::word::Native>::Scalar>,
    {
        let mut out = std::vec![0; hash.digest_bytes()];
        digest(&hash, message, &mut out);
        assert_eq!(out, expected);
    }

    /// The examples of the secure hashing page that FIPS 180-4 refers to: "abc".
    #[test]
    fn abc() {
        check(
            Sha256::SHA224,
            b"abc",
            &hex!("23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        );
        check(
            Sha256::SHA256,
            b"abc",
            &hex!("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        );
        check(
            Sha512::SHA384,
            b"abc",
            &hex!(
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded163\
                 1a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
            ),
        );
        check(
            Sha512::SHA512,
            b"abc",
            &hex!(
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                 2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        );
        check(
            Sha512::SHA512_224,
            b"abc",
            &hex!("4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa"),
        );
        check(
            Sha512::SHA512_256,
            b"abc",
            &hex!("53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        );
    }

    /// §5.3.6: the initial values of SHA-512/t are themselves made by a modified SHA-512.
    #[test]
    fn truncated_initial_values_follow_from_the_generation_function() {
        for (name, hash) in
            [("SHA-512/224", Sha512::SHA512_224), ("SHA-512/256", Sha512::SHA512_256)]
        {
            let generator = Sha512 {
                initial_value: Sha512::SHA512.initial_value.map(|h| h ^ 0xa5a5a5a5a5a5a5a5),
                digest_bytes: 64,
            };
            let mut out = [0; 64];
            digest(&generator, name.as_bytes(), &mut out);
            let derived: State<u64> = crate::hash::read_words(&out, ByteOrder::Big);
            assert_eq!(derived, hash.initial_value, "{name}: {derived:#018x?}");
        }
    }
}
