//! BLAKE-512 of one message on plain words; vectors prepare the words of the block that rounds add.
//!
//! ```text
//! vectors   m ⊕ c of rounds 0 … 9, in the order of the rounds ─► memory
//! words                               G_0 … G_7 of a round, a loop over the rounds
//! ```
//!
//! The vectors take no port from the words, and only the first round waits for them. All rounds are
//! the same instructions, because their differences are in memory: with the vectors' part the code
//! has 4 KiB.

use super::terms::Terms;
use crate::lanes::avx2::{Avx2, rows::Row};
use core::arch::asm;
use core::num::Wrapping;
use manylane_primitives::hash::blake::{Blake512, Parameters};
use manylane_primitives::hash::{Compress, Counter};
use manylane_primitives::unroll;

/// Folds the blocks in `bytes`.
#[inline(always)]
pub fn compress(hash: &Blake512, state: &mut [u64], counters: &mut [u64], bytes: &[u8]) {
    type R = Avx2<u64>;
    let (s, c) = (hash.salt(), Blake512::C);
    let mut terms = Terms([[0; 16]; 10]);
    for block in bytes.as_chunks::<128>().0 {
        let m = R::read_block::<4>(block);
        unroll!(r in [0 1 2 3 4 5 6 7 8 9] { terms.prepare::<Blake512, R, 4, r>(m); });
        terms.keep_in_memory();
        let mut v = [0; 16];
        v[..8].copy_from_slice(&state[..8]);
        unroll!(i in 0..4 {
            v[8 + i] = s[i] ^ c[i];
            v[12 + i] = counters[i / 2] ^ c[4 + i];
        });
        for rounds in [&terms.0[..], &terms.0[..Blake512::ROUNDS - 10]] {
            for terms in rounds {
                v = round(v, terms);
            }
        }
        unroll!(i in 0..8 { state[i] = state[i] ^ s[i % 4] ^ v[i] ^ v[8 + i]; });
        let t = Counter { t: [counters[0], counters[1]], f: [0; 2] };
        counters.copy_from_slice(
            &hash.next_counter(t.constant::<Wrapping<u64>>()).t.map(|word| word.0),
        );
    }
}

/// The definition's round.
#[inline(always)]
fn round(mut v: [u64; 16], terms: &[u64; 16]) -> [u64; 16] {
    macro_rules! g {
        ($a:literal $b:literal $c:literal $d:literal, $x:literal) => {
            [v[$a], v[$b], v[$c], v[$d]] = g::<$x>([v[$a], v[$b], v[$c], v[$d]], terms);
        };
    }
    g!(0 4 8 12, 0);
    g!(1 5 9 13, 1);
    g!(2 6 10 14, 2);
    g!(3 7 11 15, 3);
    // A diagonal's terms are in the place of its b.
    g!(0 5 10 15, 9);
    g!(1 6 11 12, 10);
    g!(2 7 8 13, 11);
    g!(3 4 9 14, 8);
    v
}

/// G, whose x is term `X`: twelve instructions, each of which waits for the one before it, and two
/// that add the terms of the block. LLVM puts these two on the critical path.
#[inline(always)]
fn g<const X: usize>([mut a, mut b, mut c, mut d]: [u64; 4], terms: &[u64; 16]) -> [u64; 4] {
    const { assert!(X + 4 < 16) };
    // SAFETY: reads two of the terms; no other memory.
    unsafe {
        asm!(
            "add {a}, [{terms} + {x}]",
            "add {a}, {b}",
            "xor {d}, {a}",
            "ror {d}, {r0}",
            "add {c}, {d}",
            "xor {b}, {c}",
            "ror {b}, {r1}",
            "add {a}, [{terms} + {y}]",
            "add {a}, {b}",
            "xor {d}, {a}",
            "ror {d}, {r2}",
            "add {c}, {d}",
            "xor {b}, {c}",
            "ror {b}, {r3}",
            a = inout(reg) a,
            b = inout(reg) b,
            c = inout(reg) c,
            d = inout(reg) d,
            terms = in(reg) terms,
            x = const 8 * X,
            y = const 8 * (X + 4),
            r0 = const Blake512::ROTATIONS[0],
            r1 = const Blake512::ROTATIONS[1],
            r2 = const Blake512::ROTATIONS[2],
            r3 = const Blake512::ROTATIONS[3],
            options(pure, readonly, nostack)
        );
    }
    [a, b, c, d]
}
