//! MD5 of one message: operations of eight or nine instructions each, on whose critical path are
//! only those that need the newest b.
//!
//! From one b to the next G and H take four cycles and F and I five: 288 in all for the 64
//! operations. The terms (b ∧ d) and (c ∧ ¬d) of G have no bit in common, so they may be added one
//! after the other, and the second term, which does not depend on b, is added first.

use crate::cpu::Engine;
use crate::kernels::kernel::Kernel;
use core::arch::asm;
use manylane_primitives::hash::md5::{Md5, S, State, T, k};
use manylane_primitives::unroll;

/// The kernel for one message.
pub static KERNELS: &[Kernel<Md5>] = &[Kernel::compressing(Engine::Bmi2, 1, 0.89, compress)];

/// # Safety
/// The CPU must have BMI1 and BMI2.
#[target_feature(enable = "bmi1,bmi2")]
unsafe fn compress(_: &Md5, state: &mut [u32], _: &mut [u32], inputs: &[&[u8]], blocks: usize) {
    let mut h: State<u32> = std::array::from_fn(|i| state[i]);
    for block in &inputs[0].as_chunks::<64>().0[..blocks] {
        let mut s = h;
        unroll!(t in 0..16 { s = operation::<t>(s, block); });
        unroll!(t in 0..16 { s = operation::<{ 16 + t }>(s, block); });
        unroll!(t in 0..16 { s = operation::<{ 32 + t }>(s, block); });
        unroll!(t in 0..16 { s = operation::<{ 48 + t }>(s, block); });
        unroll!(i in 0..4 { h[i] = h[i].wrapping_add(s[i]); });
    }
    state.copy_from_slice(&h);
}

/// The definition's `round`.
#[inline(always)]
fn operation<const OP: usize>([a, b, c, d]: State<u32>, block: &[u8; 64]) -> State<u32> {
    let mut sum = a;
    // `function` adds F, G, H or I of b, c, d to a.
    macro_rules! operation {
        ($($function:literal),*) => {
            // SAFETY: reads word k of the block; no other memory. BMI1 is there below the shell.
            unsafe {
                asm!(
                    "add {a:e}, dword ptr [{block} + {at}]",
                    "add {a:e}, {constant}",
                    $($function),*,
                    "rol {a:e}, {s}",
                    "add {a:e}, {b:e}",
                    a = inout(reg) sum,
                    b = in(reg) b,
                    c = in(reg) c,
                    d = in(reg) d,
                    p = out(reg) _,
                    block = in(reg) block,
                    at = const 4 * k(OP),
                    constant = const T[OP] as i32,
                    s = const S[OP / 16][OP % 4],
                    options(pure, readonly, nostack)
                );
            }
        };
    }
    match OP / 16 {
        // d ⊕ (b ∧ (c ⊕ d))
        0 => operation!(
            "mov {p:e}, {c:e}",
            "xor {p:e}, {d:e}",
            "and {p:e}, {b:e}",
            "xor {p:e}, {d:e}",
            "add {a:e}, {p:e}"
        ),
        // (c ∧ ¬d) + (b ∧ d)
        1 => operation!(
            "andn {p:e}, {d:e}, {c:e}",
            "add {a:e}, {p:e}",
            "mov {p:e}, {d:e}",
            "and {p:e}, {b:e}",
            "add {a:e}, {p:e}"
        ),
        // b ⊕ (c ⊕ d)
        2 => operation!(
            "mov {p:e}, {c:e}",
            "xor {p:e}, {d:e}",
            "xor {p:e}, {b:e}",
            "add {a:e}, {p:e}"
        ),
        // c ⊕ (b ∨ ¬d)
        _ => operation!(
            "mov {p:e}, {d:e}",
            "not {p:e}",
            "or {p:e}, {b:e}",
            "xor {p:e}, {c:e}",
            "add {a:e}, {p:e}"
        ),
    }
    [d, sum, b, c]
}
