//! JH of one message: each plane of 128 bits is in a register. A round computes the definition's
//! S-boxes and L once for both words of a plane, and ω is one shuffle for each plane.

use crate::cpu::Engine;
use crate::kernels::kernel::Kernel;
use crate::lanes::row::{Row, Two};
use manylane_primitives::hash::jh::{C, Jh, ROUNDS, linear, sbox, swap};
use manylane_primitives::unroll;
use manylane_primitives::word::Word;

/// The same text is compiled twice: with AVX-512 the compiler finds three-input logic for it.
pub static KERNELS: &[Kernel<Jh>] = &[
    Kernel::compressing(Engine::Avx2, 1, 0.83, compress_avx2),
    Kernel::compressing(Engine::Avx512, 1, 0.65, compress_avx512),
];

/// # Safety
/// The CPU must have the features.
#[target_feature(enable = "avx2,bmi1,bmi2,aes")]
unsafe fn compress_avx2(_: &Jh, state: &mut [u64], _: &mut [u64], inputs: &[&[u8]], blocks: usize) {
    compress(state, &inputs[0][..64 * blocks]);
}

/// # Safety
/// The CPU must have the features.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes")]
unsafe fn compress_avx512(
    _: &Jh,
    state: &mut [u64],
    _: &mut [u64],
    inputs: &[&[u8]],
    blocks: usize,
) {
    compress(state, &inputs[0][..64 * blocks]);
}

/// The planes x_0 … x_7.
type Planes = [Two; 8];

/// Indices that reverse the bytes of each word.
const REVERSAL: [[u8; 16]; 2] = [[7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8]; 2];

#[inline(always)]
fn compress(state: &mut [u64], bytes: &[u8]) {
    let zero = Two::constant(0);
    let mut x: Planes = [zero; 8];
    unroll!(j in 0..8 { x[j] = Two::load(&state[2 * j..]); });
    for block in bytes.as_chunks::<64>().0 {
        let mut m = [zero; 4];
        unroll!(j in 0..4 { m[j] = Two::load_bytes(block, 16 * j).shuffle(REVERSAL); });
        unroll!(j in 0..4 { x[j] = x[j] ^ m[j]; });
        for constants in C.as_chunks::<7>().0 {
            unroll!(r in [0 1 2 3 4 5 6] { x = round::<r>(x, &constants[r]); });
        }
        unroll!(j in 0..4 { x[4 + j] = x[4 + j] ^ m[j]; });
    }
    unroll!(j in 0..8 { x[j].store(&mut state[2 * j..]); });
}

/// The rounds are unrolled by the period of ω.
const _: () = assert!(ROUNDS.is_multiple_of(7));

/// The definition's round, `R` = r mod 7.
#[inline(always)]
fn round<const R: usize>(x: Planes, c: &[u64; 4]) -> Planes {
    let even = sbox([x[0], x[2], x[4], x[6]], Two::load(&c[..2]));
    let odd = sbox([x[1], x[3], x[5], x[7]], Two::load(&c[2..]));
    let (even, mut odd) = linear(even, odd);
    unroll!(j in 0..4 { odd[j] = exchange::<R>(odd[j]); });
    [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]]
}

/// ω: exchanges the columns that are 2^`K` apart. Columns go down from the highest bit of the first
/// word, but distances do not depend on that.
#[inline(always)]
fn exchange<const K: usize>(plane: Two) -> Two {
    if K < 3 {
        swap(plane, K)
    } else {
        plane.shuffle([const { exchange_bytes(1 << (K.saturating_sub(3))) }; 2])
    }
}

/// The bytes of a plane, `distance` apart exchanged.
const fn exchange_bytes(distance: u8) -> [u8; 16] {
    let mut indices = [0; 16];
    let mut i = 0;
    while i < 16 {
        indices[i] = i as u8 ^ distance;
        i += 1;
    }
    indices
}
