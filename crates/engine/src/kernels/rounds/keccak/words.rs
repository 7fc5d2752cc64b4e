//! Keccak of one message on plain words: the state [in memory](super::lanes), where blocks are
//! added to it.

use super::lanes::keccak_f;
use core::num::Wrapping;
use manylane_primitives::hash::Hash;
use manylane_primitives::hash::keccak::{Keccak, State};

type Words = State<Wrapping<u64>>;

/// # Safety
/// The CPU must have BMI1 and BMI2.
#[target_feature(enable = "bmi1,bmi2")]
pub unsafe fn compress(
    hash: &Keccak,
    state: &mut [u64],
    _: &mut [u64],
    inputs: &[&[u8]],
    blocks: usize,
) {
    let rate = hash.block_bytes();
    let mut a = load(state);
    for block in inputs[0][..rate * blocks].chunks_exact(rate) {
        for (word, bytes) in a.iter_mut().zip(block.as_chunks::<8>().0) {
            *word ^= u64::from_le_bytes(*bytes);
        }
        keccak_f::<_, true>(&mut a);
    }
    store(&a, state);
}

/// # Safety
/// The CPU must have BMI1 and BMI2.
#[target_feature(enable = "bmi1,bmi2")]
pub unsafe fn squeeze(_: &Keccak, state: &mut [u64], index: u64, out: &mut [u64]) {
    if index > 0 {
        let mut a = load(state);
        keccak_f::<_, true>(&mut a);
        store(&a, state);
    }
    out.copy_from_slice(state);
}

#[inline(always)]
fn load(state: &[u64]) -> Words {
    let mut a = [Wrapping(0); 25];
    for (a, &word) in a.iter_mut().zip(state) {
        a.0 = word;
    }
    a
}

#[inline(always)]
fn store(a: &Words, state: &mut [u64]) {
    for (word, a) in state.iter_mut().zip(a) {
        *word = a.0;
    }
}
