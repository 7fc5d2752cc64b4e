//! BLAKE of one message on plain words; vectors prepare the words of the block that rounds add.
//!
//! ```text
//! vectors   m ⊕ c of each round, in the order of the round ─► memory
//! words                               G_0 … G_7 of a round, a loop over the rounds
//! ```
//!
//! The vectors take no port from the words, and only the first round waits for them. All rounds are
//! the same instructions, because their differences are in memory: with the vectors' part the code
//! has 4 KiB.
//!
//! The loop over the rounds is written in instructions. LLVM orders G so that its operations wait
//! for terms, and stores words at the end of a round that the next round waits for: a round took 37
//! cycles with G alone in instructions. On Zen 5 it takes 27 now, where G's operations, each of
//! which waits for the one before it, take 24 for columns and diagonals. There are 14 registers for
//! the 16 words of v and the address of the terms. Row c is on the stack, because G needs its words
//! last; the processor renames words of the stack as it does registers.

use super::terms::prepare;
use crate::kernels::kernel::N;
use crate::lanes::avx2::rows::MatrixRow;
use core::arch::asm;
use core::mem::offset_of;
use manylane_primitives::hash::blake::{Blake256, Blake512, Parameters};
use manylane_primitives::hash::{Compress, Counter, Scalar};
use manylane_primitives::unroll;
use manylane_primitives::word::Native;

/// The number of different rounds: round 10 has the terms of round 0.
const DIFFERENT: usize = 10;

/// What the rounds of a block take from memory: the terms of each round, and row c of v.
#[repr(C, align(64))]
pub struct RoundInputs<W> {
    terms: [[W; 16]; DIFFERENT],
    row_c: [W; 4],
}

/// Folds the blocks in `bytes`, each of which is `K` registers.
#[inline(always)]
pub fn compress<P, R, const K: usize>(
    hash: &P,
    state: &mut [N<P>],
    counters: &mut [N<P>],
    bytes: &[u8],
) where
    P: Parameters<Native: Mix> + Compress<Scalar<P>>,
    R: MatrixRow<Native = N<P>>,
{
    let xor = |a: N<P>, b: N<P>| Native::from_scalar(a.scalar() ^ b.scalar());
    let (s, k) = (hash.salt(), P::C);
    let zero = N::<P>::default();
    let mut t = Counter { t: [counters[0], counters[1]], f: [zero; 2] }.constant();
    let mut prepared = RoundInputs { terms: [[zero; 16]; DIFFERENT], row_c: [zero; 4] };
    let mut h: [N<P>; 8] = core::array::from_fn(|i| state[i]);
    for block in bytes.chunks_exact(32 * K) {
        let m = R::read_block::<K>(block);
        unroll!(r in [0 1 2 3 4 5 6 7 8 9] {
            prepare::<P, R, K, r>(m, &mut prepared.terms[r]);
        });
        let words = t.t.map(Native::from_scalar);
        let (mut a, mut b, mut d) = ([zero; 4], [zero; 4], [zero; 4]);
        unroll!(i in 0..4 {
            (a[i], b[i]) = (h[i], h[4 + i]);
            prepared.row_c[i] = xor(s[i], k[i]);
            d[i] = xor(words[i / 2], k[4 + i]);
        });
        let [ac, bd] = Mix::rounds([a, b, d], &prepared);
        unroll!(i in 0..4 {
            h[i] = xor(xor(h[i], s[i]), ac[i]);
            h[4 + i] = xor(xor(h[4 + i], s[i]), bd[i]);
        });
        t = hash.next_counter(t);
    }
    state[..8].copy_from_slice(&h);
    counters.copy_from_slice(&t.t.map(Native::from_scalar));
}

/// A word whose rounds are written in instructions.
pub trait Mix: Native {
    /// Computes all rounds from rows a, b and d, and from row c in memory. Returns a ⊕ c and b ⊕ d.
    fn rounds(rows: [[Self; 4]; 3], prepared: &RoundInputs<Self>) -> [[Self; 4]; 2];
}

/// Four Gs side by side up to the first rotation. Each has the numbers of its words of a, b and d,
/// and the number of the term x. `$r` is the width of the registers.
macro_rules! first_steps {
    ($r:literal: $($a:literal $b:literal $d:literal $x:literal)*) => {
        concat!(
            $("add {a", $a, $r, "}, [{at} + {w} * ", $x, "]\n",)*
            $("add {a", $a, $r, "}, {b", $b, $r, "}\n",)*
            $("xor {d", $d, $r, "}, {a", $a, $r, "}\n",)*
            $("ror {d", $d, $r, "}, {r0}\n",)*
        )
    };
}

/// The rest of four Gs, one after the other. Each has the numbers of its words of a, b, c and d,
/// and the number of the term y.
macro_rules! other_steps {
    ($r:literal: $($a:literal $b:literal $c:literal $d:literal $y:literal)*) => {
        concat!($(
            "mov {c", $r, "}, [rsp + 8 * ", $c, "]\n",
            "add {c", $r, "}, {d", $d, $r, "}\n",
            "xor {b", $b, $r, "}, {c", $r, "}\n",
            "ror {b", $b, $r, "}, {r1}\n",
            "add {a", $a, $r, "}, [{at} + {w} * ", $y, "]\n",
            "add {a", $a, $r, "}, {b", $b, $r, "}\n",
            "xor {d", $d, $r, "}, {a", $a, $r, "}\n",
            "ror {d", $d, $r, "}, {r2}\n",
            "add {c", $r, "}, {d", $d, $r, "}\n",
            "xor {b", $b, $r, "}, {c", $r, "}\n",
            "ror {b", $b, $r, "}, {r3}\n",
            "mov [rsp + 8 * ", $c, "], {c", $r, "}\n",
        )*)
    };
}

/// Copies row c to the stack. The register `at` still has the address of the prepared data.
macro_rules! take_row_c {
    ($r:literal: $($c:literal)*) => {
        concat!($(
            "mov {c", $r, "}, [{at} + {first} + {w} * ", $c, "]\n",
            "mov [rsp + 8 * ", $c, "], {c", $r, "}\n",
        )*)
    };
}

/// a ⊕ c and b ⊕ d.
macro_rules! sums {
    ($r:literal: $($i:literal)*) => {
        concat!($(
            "xor {a", $i, $r, "}, [rsp + 8 * ", $i, "]\n",
            "xor {b", $i, $r, "}, {d", $i, $r, "}\n",
        )*)
    };
}

macro_rules! mix {
    ($word:ty, $hash:ty, $r:literal) => {
        impl Mix for $word {
            #[inline(always)]
            fn rounds(
                [mut a, mut b, d]: [[Self; 4]; 3],
                prepared: &RoundInputs<Self>,
            ) -> [[Self; 4]; 2] {
                const { assert!(DIFFERENT < <$hash>::ROUNDS && <$hash>::ROUNDS < 2 * DIFFERENT) };
                const FIRST: usize = offset_of!(RoundInputs<$word>, row_c);
                const EACH: usize = size_of::<[$word; 16]>();
                let at: *const RoundInputs<Self> = prepared;
                // SAFETY: reads the terms of the hash's rounds and row c, and leaves the stack as
                // it was.
                unsafe {
                    asm!(
                        "sub rsp, 48",
                        "mov [rsp + 32], {c:r}",
                        "mov [rsp + 40], {c:r}",
                        take_row_c!($r: 0 1 2 3),
                        "2:",
                        first_steps!($r: 0 0 0 0  1 1 1 1  2 2 2 2  3 3 3 3),
                        other_steps!($r: 0 0 0 0 4  1 1 1 1 5  2 2 2 2 6  3 3 3 3 7),
                        // A diagonal's terms are in the place of its b.
                        first_steps!($r: 0 1 3 9  1 2 0 10  2 3 1 11  3 0 2 8),
                        other_steps!($r: 0 1 2 3 13  1 2 3 0 14  2 3 0 1 15  3 0 1 2 12),
                        "add {at}, {each}",
                        "cmp {at}, [rsp + 40]",
                        "jne 2b",
                        // Once more from the first round on, as far as the last one.
                        "cmp {at}, [rsp + 32]",
                        "jne 3f",
                        "lea {c:r}, [{at} + {to_last}]",
                        "sub {at}, {to_first}",
                        "mov [rsp + 40], {c:r}",
                        "jmp 2b",
                        "3:",
                        sums!($r: 0 1 2 3),
                        "add rsp, 48",
                        a0 = inout(reg) a[0],
                        a1 = inout(reg) a[1],
                        a2 = inout(reg) a[2],
                        a3 = inout(reg) a[3],
                        b0 = inout(reg) b[0],
                        b1 = inout(reg) b[1],
                        b2 = inout(reg) b[2],
                        b3 = inout(reg) b[3],
                        d0 = inout(reg) d[0] => _,
                        d1 = inout(reg) d[1] => _,
                        d2 = inout(reg) d[2] => _,
                        d3 = inout(reg) d[3] => _,
                        at = inout(reg) at => _,
                        c = inout(reg) at.byte_add(DIFFERENT * EACH) => _,
                        w = const size_of::<Self>(),
                        each = const EACH,
                        to_first = const DIFFERENT * EACH,
                        to_last = const (<$hash>::ROUNDS as isize - 2 * DIFFERENT as isize)
                            * EACH as isize,
                        first = const FIRST,
                        r0 = const <$hash>::ROTATIONS[0],
                        r1 = const <$hash>::ROTATIONS[1],
                        r2 = const <$hash>::ROTATIONS[2],
                        r3 = const <$hash>::ROTATIONS[3],
                        options(readonly),
                    );
                }
                [a, b]
            }
        }
    };
}

mix!(u32, Blake256, ":e");
mix!(u64, Blake512, ":r");
