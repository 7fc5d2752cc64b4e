//! Skein-512 of one message: MIX in three instructions, and sums in the order of the definition.
//!
//! Skein-1024 of four messages: the definition, [rolled](super::rolled) into a loop.
//!
//! LLVM moves the sums of key words across the subkeys and delays rotations. Here a round is twelve
//! instructions and a subkey eleven, in an order that adds no waits to the critical path.

use crate::cpu::Engine;
use crate::kernels::kernel::Kernel;
use crate::kernels::rounds::rolled::Rolled;
use crate::kernels::shell::avx2;
use crate::lanes::avx2::Avx2;
use core::arch::asm;
use core::num::Wrapping;
use manylane_primitives::hash::skein::{
    KeySchedule, OUTPUT_TWEAK, Skein512, Skein1024, Subkeys, pi, rotation, rounds,
};
use manylane_primitives::hash::{Compress, Counter, read_words};
use manylane_primitives::unroll;
use manylane_primitives::word::ByteOrder;

/// The kernel of Skein-512 for one message.
pub static KERNELS_512: &[Kernel<Skein512>] =
    &[Kernel { squeeze, ..Kernel::compressing(Engine::Bmi2, 1, 0.72, compress) }];

/// The kernel of Skein-1024 for four messages.
pub static KERNELS_1024: &[Kernel<Skein1024>] =
    &[Kernel { block_time: 1.4, ..avx2::kernel_of::<Skein1024, Avx2<u64>, Rolled>() }];

type W = Wrapping<u64>;
type Words = [W; 8];

/// # Safety
/// The CPU must have BMI1 and BMI2.
#[target_feature(enable = "bmi1,bmi2")]
unsafe fn compress(
    hash: &Skein512,
    state: &mut [u64],
    counters: &mut [u64],
    inputs: &[&[u8]],
    blocks: usize,
) {
    let mut h: Words = std::array::from_fn(|i| Wrapping(state[i]));
    let mut t = Counter { t: [counters[0], counters[1]], f: [0; 2] }.constant();
    for block in &inputs[0].as_chunks::<64>().0[..blocks] {
        let m = read_words::<u64, [u64; 8]>(block, ByteOrder::Little).map(Wrapping);
        let v = threefish(&KeySchedule::new(h, t.t), m);
        unroll!(i in 0..8 { h[i] = v[i] ^ m[i]; });
        t = hash.next_counter(t);
    }
    for (word, h) in state.iter_mut().zip(h) {
        *word = h.0;
    }
    counters.copy_from_slice(&t.t.map(|word| word.0));
}

/// §3.5.3: the output transformation is the compression of the index.
///
/// # Safety
/// The CPU must have BMI1 and BMI2.
#[target_feature(enable = "bmi1,bmi2")]
unsafe fn squeeze(hash: &Skein512, state: &mut [u64], index: u64, out: &mut [u64]) {
    let mut block = [0; 64];
    block[..8].copy_from_slice(&index.to_le_bytes());
    out.copy_from_slice(state);
    // SAFETY: the same features.
    unsafe { compress(hash, out, &mut { OUTPUT_TWEAK.t }, &[&block], 1) };
}

/// The definition's `threefish`.
#[inline(always)]
fn threefish(schedule: &KeySchedule<W>, mut v: Words) -> Words {
    macro_rules! eight_rounds {
        ($($turn:literal)*) => { $(
            v = add_subkey(v, schedule, 2 * $turn);
            v = round::<3>(round::<2>(round::<1>(round::<0>(v))));
            v = add_subkey(v, schedule, 2 * $turn + 1);
            v = round::<7>(round::<6>(round::<5>(round::<4>(v))));
        )* };
    }
    eight_rounds!(0 1 2 3 4 5 6 7 8);
    add_subkey(v, schedule, rounds(8) / 4)
}

#[inline(always)]
fn add_subkey(mut v: Words, schedule: &KeySchedule<W>, s: usize) -> Words {
    unroll!(i in 0..8 {
        let mut k = Subkeys::<W, 8>::word(schedule, s, i);
        if matches!(i, 5..8) {
            k = in_register(k);
        }
        v[i] = in_register(v[i] + k);
    });
    v
}

/// The definition's `round`.
#[inline(always)]
fn round<const D: usize>(mut v: Words) -> Words {
    [v[0], v[1]] = mix::<D, 0>([v[0], v[1]]);
    [v[2], v[3]] = mix::<D, 1>([v[2], v[3]]);
    [v[4], v[5]] = mix::<D, 2>([v[4], v[5]]);
    [v[6], v[7]] = mix::<D, 3>([v[6], v[7]]);
    let f = v;
    unroll!(i in 0..8 { v[i] = f[pi(8, i)]; });
    v
}

/// MIX of round d and pair j.
#[inline(always)]
fn mix<const D: usize, const J: usize>([x0, x1]: [W; 2]) -> [W; 2] {
    let (mut y0, y1): (u64, u64);
    y0 = x0.0;
    // SAFETY: registers only. BMI2 is there below the shells.
    unsafe {
        asm!(
            "rorx {y1}, {x1}, {right}",
            "add {y0}, {x1}",
            "xor {y1}, {y0}",
            y0 = inout(reg) y0,
            x1 = in(reg) x1.0,
            y1 = out(reg) y1,
            right = const 64 - rotation(8, D, J),
            options(pure, nomem, nostack)
        );
    }
    [Wrapping(y0), Wrapping(y1)]
}

/// Returns the word unchanged and hides from the compiler how it was computed.
#[inline(always)]
fn in_register(word: W) -> W {
    let mut word = word.0;
    // SAFETY: no instruction at all; the register keeps its value.
    unsafe {
        asm!("/* {0} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags));
    }
    Wrapping(word)
}
