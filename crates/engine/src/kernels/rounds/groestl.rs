//! Grøstl of one message: P and Q side by side, a row of both in a register, so that a round is the
//! definition's MixBytes once for both. No address depends on the message.
//!
//! ```text
//!              low half             high half
//! xmm, N = 8:  row i of P           row i of Q            8 columns each
//! ymm, N = 16: row i of P           row i of Q           16 columns each
//! ```

use crate::cpu::Engine;
use crate::kernels::kernel::Kernel;
use crate::kernels::shell::avx512_gfni as lanes;
use crate::lanes::avx512::{Avx512, Gfni};
use crate::lanes::row::{Four, Products, Row, Two};
use manylane_primitives::hash::groestl::Permutation::{P, Q};
use manylane_primitives::hash::groestl::{
    Groestl, Groestl256, Groestl512, Rows, round_constant, rounds, shift,
};
use manylane_primitives::unroll;

/// Grøstl-224 and -256.
pub static KERNELS_256: &[Kernel<Groestl256>] = &[
    avx2::kernel::<Two, 8>(0.6),
    avx512_gfni::kernel::<Two<Gfni>, 8>(0.23),
    lanes::kernel::<_, Avx512<u64, Gfni>>(),
];
/// Grøstl-384 and -512.
pub static KERNELS_512: &[Kernel<Groestl512>] = &[
    avx2::kernel::<Four, 16>(0.21),
    avx512_gfni::kernel::<Four<Gfni>, 16>(0.11),
    lanes::kernel::<_, Avx512<u64, Gfni>>(),
];

/// Two functions that enable features and do nothing but inline their body.
macro_rules! shell {
    ($name:ident, $engine:expr, $features:literal) => {
        mod $name {
            use super::*;

            /// # Safety
            /// The CPU must have the features.
            #[target_feature(enable = $features)]
            unsafe fn compress<R: Row + Products, const N: usize>(
                _: &Groestl<N>,
                state: &mut [u64],
                _: &mut [u64],
                inputs: &[&[u8]],
                blocks: usize,
            ) {
                super::compress::<R, N>(state, &inputs[0][..8 * N * blocks]);
            }

            /// # Safety
            /// The CPU must have the features.
            #[target_feature(enable = $features)]
            unsafe fn squeeze<R: Row + Products, const N: usize>(
                _: &Groestl<N>,
                state: &mut [u64],
                _: u64,
                out: &mut [u64],
            ) {
                super::squeeze::<R, N>(state, out);
            }

            /// The kernel of this shell, for states of N columns.
            pub(super) const fn kernel<R: Row + Products, const N: usize>(
                block_time: f32,
            ) -> Kernel<Groestl<N>> {
                Kernel {
                    engine: $engine,
                    lanes: 1,
                    block_time,
                    compress: compress::<R, N>,
                    digest: None,
                    digests: None,
                    squeeze: squeeze::<R, N>,
                    compress_expanded: None,
                    write: None,
                    write_ends: None,
                }
            }
        }
    };
}

shell!(avx2, Engine::Avx2, "avx2,bmi1,bmi2,aes");
shell!(
    avx512_gfni,
    Engine::Avx512Gfni,
    "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,gfni"
);

/// f(h, m) = P(h ⊕ m) ⊕ Q(m) ⊕ h, block after block. Of h, the low half counts.
#[inline(always)]
fn compress<R: Row + Products, const N: usize>(state: &mut [u64], bytes: &[u8]) {
    let mut h = load::<R, N>(state);
    let low = R::load(if N == 8 { &[!0, 0] } else { &[!0, !0, 0, 0] });
    for block in bytes.chunks_exact(8 * N) {
        let mut a = transpose::<R>(block);
        unroll!(i in 0..8 { a[i] = a[i] ^ (h[i] & low); });
        let b = permute::<R, N>(a);
        unroll!(i in 0..8 { h[i] = R::xor3(b[i], b[i].turn(), h[i]); });
    }
    store::<R, N>(h, state);
}

/// P(x) ⊕ x; what Q gives is not used.
#[inline(always)]
fn squeeze<R: Row + Products, const N: usize>(state: &[u64], out: &mut [u64]) {
    let x = load::<R, N>(state);
    let mut sum = permute::<R, N>(x);
    unroll!(i in 0..8 { sum[i] = sum[i] ^ x[i]; });
    store::<R, N>(sum, out);
}

/// Takes a state's rows into the low half.
#[inline(always)]
fn load<R: Row + Products, const N: usize>(state: &[u64]) -> Rows<R> {
    let mut rows = [R::constant(0); 8];
    unroll!(i in 0..8 {
        rows[i] = if N == 8 {
            R::load(&[state[i], 0])
        } else {
            R::load(&[state[i], state[8 + i], 0, 0])
        };
    });
    rows
}

/// Writes the low half back to a state: the inverse of [`load`].
#[inline(always)]
fn store<R: Row + Products, const N: usize>(rows: Rows<R>, state: &mut [u64]) {
    unroll!(i in 0..8 {
        let mut words = [0; 4];
        rows[i].store(&mut words);
        state[i] = words[0];
        if N == 16 {
            state[8 + i] = words[1];
        }
    });
}

/// Turns a block's columns into rows, each of them in both halves.
#[inline(always)]
fn transpose<R: Row>(block: &[u8]) -> Rows<R> {
    // The bytes of columns 2j and 2j + 1 alternate, then pairs of bytes of four columns, then fours
    // of eight columns.
    const PAIR: [u8; 16] = [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15];
    let mut pairs = [R::constant(0); 4];
    unroll!(j in 0..4 { pairs[j] = R::load_bytes(block, 16 * j).shuffle([PAIR; 2]); });
    let [left, lower_left] = pairs[0].interleave_16(pairs[1]);
    let [right, lower_right] = pairs[2].interleave_16(pairs[3]);
    let [r01, r23] = left.interleave_32(right);
    let [r45, r67] = lower_left.interleave_32(lower_right);
    let ([r0, r1], [r2, r3]) = (r01.twice(), r23.twice());
    let ([r4, r5], [r6, r7]) = (r45.twice(), r67.twice());
    [r0, r1, r2, r3, r4, r5, r6, r7]
}

/// P of the low half and Q of the high half.
#[inline(always)]
fn permute<R: Row + Products, const N: usize>(mut a: Rows<R>) -> Rows<R> {
    let first = const { &first_constants::<N>() };
    unroll!(i in 0..8 { a[i] = a[i] ^ R::load(&first[i]); });
    let constants = const { &next_constants::<N>() };
    for [even, odd] in constants[..rounds(N)].as_chunks().0 {
        a = round::<R, N>(a, even);
        a = round::<R, N>(a, odd);
    }
    a
}

/// What follows AddRoundConstant in a round of P and of Q, and AddRoundConstant of the next round.
#[inline(always)]
fn round<R: Row + Products, const N: usize>(mut a: Rows<R>, next: &Constants) -> Rows<R> {
    let indices = const { &shifts::<N>() };
    // SubBytes and ShiftBytes commute; the shuffle goes with that of SubBytes.
    unroll!(i in 0..8 { a[i] = a[i].shuffle(indices[i]).sub_bytes(); });
    mix_bytes(a, next)
}

/// The definition's MixBytes with two differences: 4·x and 2·y do not wait for each other, and the
/// round constant is added before the multiplication by 4, where it becomes part of another sum.
#[inline(always)]
fn mix_bytes<R: Row + Products>(a: Rows<R>, quarters: &Constants) -> Rows<R> {
    let (mut t, mut x, mut y, mut b) = (a, a, a, a);
    unroll!(i in 0..8 { t[i] = a[i] ^ a[(i + 1) % 8]; });
    unroll!(i in 0..8 { x[i] = R::xor3(t[i], t[(i + 3) % 8], R::load(&quarters[(i + 5) % 8])); });
    unroll!(i in 0..8 { y[i] = R::xor3(t[i], t[(i + 2) % 8], a[(i + 6) % 8]); });
    unroll!(i in 0..8 {
        b[i] = R::four_and_two(x[(i + 3) % 8], y[(i + 7) % 8]) ^ y[(i + 4) % 8];
    });
    b
}

/// What a round adds to each row of P and Q, in as many words as a register has.
type Constants = [[u64; 4]; 8];

/// AddRoundConstant of round r.
const fn round_constants<const N: usize>(r: usize) -> Constants {
    let mut rows = [[0; 4]; 8];
    let mut half = 0;
    while half < N / 8 {
        let mut i = 0;
        while i < 8 {
            rows[i][N / 8 + half] = !0;
            i += 1;
        }
        let c = round_constant(r, 8 * half);
        rows[0][half] = c;
        rows[7][N / 8 + half] = !c;
        half += 1;
    }
    rows
}

/// AddRoundConstant of round 0.
const fn first_constants<const N: usize>() -> Constants {
    round_constants::<N>(0)
}

/// Entry r is a quarter of the constant that round r + 1 adds. No round follows the last.
const fn next_constants<const N: usize>() -> [Constants; 14] {
    let mut all = [[[0; 4]; 8]; 14];
    let mut r = 0;
    while r + 1 < rounds(N) {
        let rows = round_constants::<N>(r + 1);
        let mut i = 0;
        while i < 8 {
            let mut k = 0;
            while k < 4 {
                all[r][i][k] = halve(halve(rows[i][k]));
                k += 1;
            }
            i += 1;
        }
        r += 1;
    }
    all
}

/// Each byte divided by x in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1, which makes odd bytes even.
const fn halve(bytes: u64) -> u64 {
    let odd = bytes & 0x0101_0101_0101_0101;
    // 0x8d is the half of the modulus without its 1.
    ((bytes ^ odd) >> 1) ^ (odd * 0x8d)
}

/// The half of every byte doubles to the byte.
const _: () = {
    let mut byte = 0;
    while byte < 256 {
        let half = halve(byte) & 0xff;
        assert!((half << 1 & 0xff) ^ ((half >> 7) * 0x1b) == byte);
        byte += 1;
    }
};

/// ShiftBytes of each row as a shuffle of the bytes of P and Q.
const fn shifts<const N: usize>() -> [[[u8; 16]; 2]; 8] {
    let mut all = [[[0; 16]; 2]; 8];
    let mut i = 0;
    while i < 8 {
        let mut j = 0;
        while j < N {
            let p = ((j + shift(P, N, i)) % N) as u8;
            let q = ((j + shift(Q, N, i)) % N) as u8;
            if N == 8 {
                all[i][0][j] = p;
                all[i][0][8 + j] = 8 + q;
            } else {
                all[i][0][j] = p;
                all[i][1][j] = q;
            }
            j += 1;
        }
        i += 1;
    }
    all
}
