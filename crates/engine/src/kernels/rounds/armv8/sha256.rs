//! SHA-256 by FEAT_SHA256, one to four messages interleaved.

use crate::cpu::Engine;
use crate::kernels::kernel::Kernel;
use core::arch::aarch64::*;
use core::hint::black_box;
use manylane_primitives::hash::sha2::{K256, Sha256};
use manylane_primitives::unroll;

/// Kernels for one to four messages.
pub static KERNELS: &[Kernel<Sha256>] =
    &[kernel::<1>(), kernel::<2>(), kernel::<3>(), kernel::<4>()];

const fn kernel<const STREAMS: usize>() -> Kernel<Sha256> {
    // Estimated (docs/aarch64.md): latency for one message, else the unit's throughput.
    let block_time = if STREAMS == 1 { 0.11 } else { 0.09 * STREAMS as f32 };
    Kernel::compressing(Engine::ShaCe, STREAMS, block_time, compress::<STREAMS>)
}

/// Four words W_t … W_{t+3} from the sixteen before them (FIPS 180-4 §6.2.2 step 1).
#[target_feature(enable = "neon,sha2")]
#[inline]
fn schedule(w16: uint32x4_t, w12: uint32x4_t, w8: uint32x4_t, w4: uint32x4_t) -> uint32x4_t {
    vsha256su1q_u32(vsha256su0q_u32(w16, w12), w8, w4)
}

/// # Safety
/// The CPU must have NEON, FEAT_SHA1 and FEAT_SHA256, which Rust names together.
#[target_feature(enable = "neon,sha2")]
unsafe fn compress<const STREAMS: usize>(
    _hash: &Sha256,
    state: &mut [u32],
    _counters: &mut [u32],
    inputs: &[&[u8]],
    blocks: usize,
) {
    // `black_box` hides the address of the constants from the compiler. Otherwise the compiler
    // would make a constant of each vector, each with an additional instruction for its address.
    let constants = black_box(&K256);
    let zero = vdupq_n_u32(0);
    let mut abcd = [zero; STREAMS];
    let mut efgh = [zero; STREAMS];
    for s in 0..STREAMS {
        let words: [u32; 8] = std::array::from_fn(|i| state[i * STREAMS + s]);
        // SAFETY: two times four words.
        unsafe {
            abcd[s] = vld1q_u32(words.as_ptr());
            efgh[s] = vld1q_u32(words.as_ptr().add(4));
        }
    }
    for block in 0..blocks {
        let m: [&[u8; 64]; STREAMS] = std::array::from_fn(|s| &inputs[s].as_chunks().0[block]);
        let before = (abcd, efgh);
        let mut w = [[zero; 4]; STREAMS];
        unroll!(group in 0..16 {
            // SAFETY: there are 64 words, the last four of them from 4 · 15.
            let k = unsafe { vld1q_u32(constants.as_ptr().add(4 * group)) };
            for s in 0..STREAMS {
                let w = &mut w[s];
                w[group % 4] = if group < 4 {
                    // SAFETY: the block has 64 bytes, the last sixteen of them from 16 · 3.
                    let bytes = unsafe { vld1q_u8(m[s].as_ptr().add(16 * group)) };
                    vreinterpretq_u32_u8(vrev32q_u8(bytes))
                } else {
                    schedule(
                        w[group % 4],
                        w[(group + 1) % 4],
                        w[(group + 2) % 4],
                        w[(group + 3) % 4],
                    )
                };
                let kw = vaddq_u32(k, w[group % 4]);
                (abcd[s], efgh[s]) = (
                    vsha256hq_u32(abcd[s], efgh[s], kw),
                    vsha256h2q_u32(efgh[s], abcd[s], kw),
                );
            }
        });
        for s in 0..STREAMS {
            abcd[s] = vaddq_u32(abcd[s], before.0[s]);
            efgh[s] = vaddq_u32(efgh[s], before.1[s]);
        }
    }
    for s in 0..STREAMS {
        let mut words = [0; 8];
        // SAFETY: two times four words.
        unsafe {
            vst1q_u32(words.as_mut_ptr(), abcd[s]);
            vst1q_u32(words.as_mut_ptr().add(4), efgh[s]);
        }
        for (i, word) in words.into_iter().enumerate() {
            state[i * STREAMS + s] = word;
        }
    }
}
