//! SHA-512 by FEAT_SHA512, one or two messages interleaved: a message takes 16 of the 32 registers.

use crate::cpu::Engine;
use crate::kernels::kernel::Kernel;
use core::arch::aarch64::*;
use core::hint::black_box;
use manylane_primitives::hash::sha2::{K512, Sha512};
use manylane_primitives::unroll;

/// Kernels for one message and for two.
pub static KERNELS: &[Kernel<Sha512>] = &[kernel::<1>(), kernel::<2>()];

const fn kernel<const STREAMS: usize>() -> Kernel<Sha512> {
    // Estimated (docs/aarch64.md): latency for one message, else the unit's throughput.
    let block_time = if STREAMS == 1 { 0.3 } else { 0.185 * STREAMS as f32 };
    Kernel::compressing(Engine::Sha512Ce, STREAMS, block_time, compress::<STREAMS>)
}

/// The working variables of a message, two to a vector: ab, cd, ef, gh.
type Pairs = [uint64x2_t; 4];

/// Two rounds (FIPS 180-4 §6.4.2 step 3) from K_t + W_t of both.
#[target_feature(enable = "neon,sha3")]
#[inline]
fn two_rounds([ab, cd, ef, gh]: Pairs, kw: uint64x2_t) -> Pairs {
    // Each of these vectors has the second word of one vector and the first word of the next.
    let (de, fg) = (vextq_u64::<1>(cd, ef), vextq_u64::<1>(ef, gh));
    let sum = vaddq_u64(gh, vextq_u64::<1>(kw, kw));
    let t1 = vsha512hq_u64(sum, fg, de);
    [vsha512h2q_u64(t1, cd, ab), ab, vaddq_u64(cd, t1), ef]
}

/// W_t and W_{t+1} from the sixteen words before them (step 1), the oldest in `w[i]`.
#[target_feature(enable = "neon,sha3")]
#[inline]
fn schedule(w: &[uint64x2_t; 8], i: usize) -> uint64x2_t {
    let w7 = vextq_u64::<1>(w[(i + 4) % 8], w[(i + 5) % 8]);
    vsha512su1q_u64(vsha512su0q_u64(w[i], w[(i + 1) % 8]), w[(i + 7) % 8], w7)
}

/// # Safety
/// The CPU must have NEON, FEAT_SHA512 and FEAT_SHA3, which Rust names together.
#[target_feature(enable = "neon,sha3")]
unsafe fn compress<const STREAMS: usize>(
    _hash: &Sha512,
    state: &mut [u64],
    _counters: &mut [u64],
    inputs: &[&[u8]],
    blocks: usize,
) {
    // `black_box` hides the address from the compiler, as in SHA-256.
    let constants = black_box(&K512);
    let zero = vdupq_n_u64(0);
    let mut h = [[zero; 4]; STREAMS];
    for s in 0..STREAMS {
        for i in 0..4 {
            let words = [state[2 * i * STREAMS + s], state[(2 * i + 1) * STREAMS + s]];
            // SAFETY: two words.
            h[s][i] = unsafe { vld1q_u64(words.as_ptr()) };
        }
    }
    for block in 0..blocks {
        let m: [&[u8; 128]; STREAMS] = std::array::from_fn(|s| &inputs[s].as_chunks().0[block]);
        let before = h;
        let mut w = [[zero; 8]; STREAMS];
        unroll!(j in 0..5 {
            unroll!(i in 0..8 {
                // SAFETY: there are 80 words, the last two of them from 16 · 4 + 2 · 7.
                let k = unsafe { vld1q_u64(constants.as_ptr().add(16 * j + 2 * i)) };
                for s in 0..STREAMS {
                    w[s][i] = if j == 0 {
                        // SAFETY: the block has 128 bytes, the last sixteen of them from 16 · 7.
                        let bytes = unsafe { vld1q_u8(m[s].as_ptr().add(16 * i)) };
                        vreinterpretq_u64_u8(vrev64q_u8(bytes))
                    } else {
                        schedule(&w[s], i)
                    };
                    h[s] = two_rounds(h[s], vaddq_u64(k, w[s][i]));
                }
            });
        });
        for s in 0..STREAMS {
            for i in 0..4 {
                h[s][i] = vaddq_u64(h[s][i], before[s][i]);
            }
        }
    }
    for s in 0..STREAMS {
        for i in 0..4 {
            let mut words = [0; 2];
            // SAFETY: two words.
            unsafe { vst1q_u64(words.as_mut_ptr(), h[s][i]) };
            state[2 * i * STREAMS + s] = words[0];
            state[(2 * i + 1) * STREAMS + s] = words[1];
        }
    }
}
