//! SHA-1 by FEAT_SHA1, one to four messages interleaved.

use crate::cpu::Engine;
use crate::kernels::kernel::Kernel;
use core::arch::aarch64::*;
use manylane_primitives::hash::sha1::{K, Sha1};
use manylane_primitives::unroll;

/// Kernels for one to four messages.
pub static KERNELS: &[Kernel<Sha1>] = &[kernel::<1>(), kernel::<2>(), kernel::<3>(), kernel::<4>()];

const fn kernel<const STREAMS: usize>() -> Kernel<Sha1> {
    // Estimated (docs/aarch64.md): latency for one message, else the unit's throughput.
    let block_time = if STREAMS == 1 { 0.24 } else { 0.21 * STREAMS as f32 };
    Kernel::compressing(Engine::ShaCe, STREAMS, block_time, compress::<STREAMS>)
}

/// Four words W_t … W_{t+3} from the sixteen before them (FIPS 180-4 §6.1.2 step 1).
#[target_feature(enable = "neon,sha2")]
#[inline]
fn schedule(w16: uint32x4_t, w12: uint32x4_t, w8: uint32x4_t, w4: uint32x4_t) -> uint32x4_t {
    vsha1su1q_u32(vsha1su0q_u32(w16, w12, w8), w4)
}

/// # Safety
/// The CPU must have NEON, FEAT_SHA1 and FEAT_SHA256, which Rust names together.
#[target_feature(enable = "neon,sha2")]
unsafe fn compress<const STREAMS: usize>(
    _hash: &Sha1,
    state: &mut [u32],
    _counters: &mut [u32],
    inputs: &[&[u8]],
    blocks: usize,
) {
    let zero = vdupq_n_u32(0);
    let mut abcd = [zero; STREAMS];
    let mut e = [0; STREAMS];
    for s in 0..STREAMS {
        let words: [u32; 4] = std::array::from_fn(|i| state[i * STREAMS + s]);
        // SAFETY: four words.
        abcd[s] = unsafe { vld1q_u32(words.as_ptr()) };
        e[s] = state[4 * STREAMS + s];
    }
    for block in 0..blocks {
        let m: [&[u8; 64]; STREAMS] = std::array::from_fn(|s| &inputs[s].as_chunks().0[block]);
        let before = (abcd, e);
        let mut w = [[zero; 4]; STREAMS];
        unroll!(group in 0..20 {
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
                let kw = vaddq_u32(vdupq_n_u32(K[group / 5]), w[group % 4]);
                // After four rounds E is A from before them, rotated.
                let next_e = vsha1h_u32(vgetq_lane_u32::<0>(abcd[s]));
                abcd[s] = match group / 5 {
                    0 => vsha1cq_u32(abcd[s], e[s], kw),
                    2 => vsha1mq_u32(abcd[s], e[s], kw),
                    _ => vsha1pq_u32(abcd[s], e[s], kw),
                };
                e[s] = next_e;
            }
        });
        for s in 0..STREAMS {
            abcd[s] = vaddq_u32(abcd[s], before.0[s]);
            e[s] = e[s].wrapping_add(before.1[s]);
        }
    }
    for s in 0..STREAMS {
        let mut words = [0; 5];
        // SAFETY: the first four of five words.
        unsafe { vst1q_u32(words.as_mut_ptr(), abcd[s]) };
        words[4] = e[s];
        for (i, word) in words.into_iter().enumerate() {
            state[i * STREAMS + s] = word;
        }
    }
}
