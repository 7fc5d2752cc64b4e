//! One hash after the other, by the kernels of each that take least time for so many messages.

use super::joined::{FIRST, Joined, SECOND, SHA256_WORDS};
use crate::kernels::kernel::Kernel;
use crate::kernels::rounds;
use crate::kernels::shell::avx512::kernel;
use crate::lanes::Lanes;
use crate::lanes::avx512::Avx512;
use crate::lanes::pair::Pair;
use manylane_primitives::hash::Hash;
use manylane_primitives::hash::md5::Md5;
use manylane_primitives::hash::sha2::Sha256;

type Lanes16 = Avx512<u32>;
type Lanes32 = Pair<Lanes16>;

/// Bytes of a block.
const BLOCK: usize = 64;

/// The kernels of each hash for so many messages.
const fn kernels_for(lanes: usize) -> (Kernel<Sha256>, Kernel<Md5>) {
    let sha256 = match lanes {
        1 => rounds::sha256::KERNELS[0],
        2 => rounds::sha256::KERNELS[1],
        3 => rounds::sha256::KERNELS[2],
        4 | 8 => rounds::sha256::KERNELS[3],
        6 => rounds::sha256::KERNELS[5],
        _ => kernel::<_, Lanes16>(),
    };
    (sha256, if lanes <= 2 { rounds::md5::KERNELS[0] } else { kernel::<_, Lanes32>() })
}

/// One hash after the other.
///
/// # Safety
/// The CPU must have the engines.
pub unsafe fn hash_after_hash<const LANES: usize>(
    _: &Joined,
    state: &mut [u32],
    counters: &mut [u32],
    inputs: &[&[u8]],
    blocks: usize,
) {
    let (of_sha256, of_md5) = const { kernels_for(LANES) };
    let (sha256, md5) = state.split_at_mut(SHA256_WORDS * LANES);
    fold(&FIRST, &of_sha256, sha256, inputs, blocks);
    if counters.iter().all(|&counter| counter == 0) {
        return fold(&SECOND, &of_md5, md5, inputs, blocks);
    }
    // In blocks that end in the length, MD5 has the bytes of the length in the opposite order.
    let mut own = [[0; BLOCK]; LANES];
    for i in 0..blocks {
        for ((block, input), &counter) in own.iter_mut().zip(inputs).zip(&*counters) {
            block.copy_from_slice(&input[i * BLOCK..][..BLOCK]);
            if counter != 0 {
                block[BLOCK - size_of::<u64>()..].reverse();
            }
        }
        fold(&SECOND, &of_md5, md5, &own.each_ref().map(|block| &block[..]), 1);
    }
}

/// Folds blocks into the chaining values of as many messages as there are inputs, by calls of a
/// kernel of any number of lanes. Idle lanes have the first message.
fn fold<H: Hash<Native = u32>>(
    hash: &H,
    kernel: &Kernel<H>,
    state: &mut [u32],
    inputs: &[&[u8]],
    blocks: usize,
) {
    let (all, lanes) = (inputs.len(), kernel.lanes);
    if lanes == all {
        return kernel.compress(hash, state, &mut [], inputs, blocks);
    }
    let mut wide = [0; SHA256_WORDS * Lanes32::LANES];
    let wide = &mut wide[..Kernel::<H>::STATE * lanes];
    for first in (0..all).step_by(lanes) {
        let count = lanes.min(all - first);
        let mut some = [inputs[0]; Lanes32::LANES];
        some[..count].copy_from_slice(&inputs[first..][..count]);
        for (wide, narrow) in wide.chunks_exact_mut(lanes).zip(state.chunks_exact(all)) {
            wide[..count].copy_from_slice(&narrow[first..][..count]);
        }
        kernel.compress(hash, wide, &mut [], &some[..lanes], blocks);
        for (wide, narrow) in wide.chunks_exact(lanes).zip(state.chunks_exact_mut(all)) {
            narrow[first..][..count].copy_from_slice(&wide[..count]);
        }
    }
}
