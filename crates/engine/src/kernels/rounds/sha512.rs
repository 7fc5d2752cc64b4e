//! SHA-512 of one message: the schedule of two blocks at a time in vectors, the rounds in general
//! registers, in an order of instructions that no compiler keeps.
//!
//! ```text
//! for each two blocks:
//!     for each 16 rounds:
//!         for each 2 rounds:  W + K of both blocks, 16 rounds ahead    2 words × 2 blocks per ymm
//!                             two turns of the first block
//!     80 turns of the second
//! ```
//!
//! A round is 23 operations on five ports, but rotations have two of these, and e of the next round
//! waits for three of them. So this chain must find its ports free: Σ₀ and Maj of one round, for
//! which nothing waits, go between e and the Σ₁ that needs it. The order was found by measuring;
//! the compiler's orders, and that of the definition, take a tenth to a fifth more time.
//!
//! The compiler puts the vectors' instructions between the pieces of assembly, 25 in a row, and
//! while those are decoded no operation of a round begins. On Zen 3 the rounds of a block take 494
//! cycles alone and 700 beside such rows. On AVX2 the assembly has the vectors' instructions one by
//! one between those of the rounds: 545 cycles. AVX-512 has half as many and leaves them to the
//! compiler.

use crate::cpu::Engine;
use crate::kernels::kernel::Kernel;
use crate::lanes::avx2::Avx2;
use core::arch::asm;
use core::arch::x86_64::__m256i;
use core::num::Wrapping;
use manylane_primitives::hash::sha2::{Functions, K512, Sha512, State, schedule};
use manylane_primitives::unroll;
use manylane_primitives::word::{ByteOrder, Word};

/// The same text is compiled twice: with AVX-512 the compiler finds rotations and three-input logic
/// for it.
pub static KERNELS: &[Kernel<Sha512>] = &[
    Kernel::compressing(Engine::Avx2, 1, 0.75, compress_avx2),
    #[cfg(feature = "all-kernels")]
    Kernel::compressing(Engine::Avx512, 1, 0.7, compress_avx512),
];

/// # Safety
/// The CPU must have AVX2, BMI1 and BMI2.
#[target_feature(enable = "avx2,bmi1,bmi2")]
unsafe fn compress_avx2(
    _: &Sha512,
    state: &mut [u64],
    _: &mut [u64],
    inputs: &[&[u8]],
    blocks: usize,
) {
    compress::<true>(state, &inputs[0][..128 * blocks]);
}

/// # Safety
/// The CPU must have AVX-512 F, BW, DQ and VL, AVX2, BMI1 and BMI2.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2")]
unsafe fn compress_avx512(
    _: &Sha512,
    state: &mut [u64],
    _: &mut [u64],
    inputs: &[&[u8]],
    blocks: usize,
) {
    compress::<false>(state, &inputs[0][..128 * blocks]);
}

type W = Wrapping<u64>;

/// K_t + W_t of sixteen rounds: in row i words 2i and 2i + 1 of the first block, then of the
/// second.
type Sums = [[u64; 4]; 8];

/// With `BESIDE`, the schedule's instructions stand between those of the rounds, one by one.
#[inline(always)]
fn compress<const BESIDE: bool>(state: &mut [u64], bytes: &[u8]) {
    let mut h: State<W> = std::array::from_fn(|i| Wrapping(state[i]));
    let mut sums = [[[0; 4]; 8]; 5];
    for pair in bytes.chunks(256) {
        let (first, second) = pair.split_at(128);
        // The last block also takes the place of the block after it.
        let beside = if second.is_empty() { first } else { second };
        let mut w = [Avx2::<u64>::constant(0); 8];
        unroll!(i in 0..8 {
            w[i] = Avx2::load_halves([first, beside], 16 * i, ByteOrder::Big);
            (w[i] + Avx2::twice([K512[2 * i], K512[2 * i + 1]])).store_row(&mut sums[0][i]);
        });
        let mut turn = Turn::before(h);
        for group in 0..4 {
            unroll!(i in 0..8 {
                let [w16, w14, w8] = [w[i], w[(i + 1) % 8], w[(i + 4) % 8]];
                let [w6, w2] = [w[(i + 5) % 8], w[(i + 7) % 8]];
                if BESIDE {
                    // SAFETY: AVX2 and BMI2 are there below the shells.
                    unsafe {
                        let words = [w16, w14, w8, w6];
                        let (next, sum) = turn.beside_sigma0::<{ 2 * i }>(&sums[group], words);
                        (turn, w[i]) = next.beside_sigma1::<{ 2 * i + 1 }>(&sums[group], sum, w2);
                    }
                } else {
                    w[i] = schedule::<Sha512, _>(w2, w8.across(w6), w16.across(w14), w16);
                    turn = turn.next::<{ 2 * i }, 0>(&sums[group]);
                    turn = turn.next::<{ 2 * i + 1 }, 0>(&sums[group]);
                }
                let t = 16 * (group + 1) + 2 * i;
                (w[i] + Avx2::twice([K512[t], K512[t + 1]])).store_row(&mut sums[group + 1][i]);
            });
        }
        unroll!(t in 0..16 { turn = turn.next::<t, 0>(&sums[4]); });
        add(&mut h, turn.end());
        if !second.is_empty() {
            let mut turn = Turn::before(h);
            for sums in &sums {
                unroll!(t in 0..16 { turn = turn.next::<t, 1>(sums); });
            }
            add(&mut h, turn.end());
        }
    }
    for (word, h) in state.iter_mut().zip(h) {
        *word = h.0;
    }
}

/// FIPS 180-4 §6.4.2 step 4.
#[inline(always)]
fn add(h: &mut State<W>, s: State<W>) {
    unroll!(i in 0..8 { h[i] += s[i]; });
}

/// A round that has begun: a … h have the values before it, except that h holds T₁ and d still
/// lacks Σ₁; Σ₀ and Maj are not added yet.
#[derive(Clone, Copy)]
struct Turn {
    variables: State<W>,
    /// Σ₁(e).
    sigma: W,
    /// b ⊕ c: a ⊕ b of the round before.
    bc: W,
    /// a ⊕ b.
    ab: W,
}

/// The instructions that end a round and begin the next, number `$t` of the sixteen of `$sums`, of
/// block `$block`; after every second instruction, one of `$v…`: an instruction of vectors, or
/// nothing.
///
/// The next round renames the words: it has this round's h for its a, a for its b, …, and g for its
/// h. Names with dashes are the next round's.
macro_rules! next {
    (
        $turn:expr, $sums:expr, $t:expr, $block:expr,
        [
            $v1:literal $v2:literal $v3:literal $v4:literal $v5:literal $v6:literal
            $v7:literal $v8:literal $v9:literal $v10:literal $v11:literal $v12:literal
        ]
        $(, $($operands:tt)*)?
    ) => {{
        let turn: Turn = $turn;
        let sums: &Sums = $sums;
        let [a, b, c, d, e, f, g, h] = turn.variables.map(|word| word.0);
        let (mut next_d, mut next_e, mut next_h, mut next_a) = (c, d, g, h);
        let (mut sigma, mut xor) = (turn.sigma.0, turn.bc.0);
        // SAFETY: reads word `$t` of the block, which is within `sums`; no other memory. BMI2 is
        // there below the shells.
        unsafe {
            asm!(
                "add {d}, {s}", // e′ = d + T₁
                "rorx {p}, {a}, 34",
                $v1,
                "and {x}, {y}", // Maj = b ⊕ ((a ⊕ b) ∧ (b ⊕ c))
                "rorx {s}, {a}, 28",
                $v2,
                "rorx {q}, {a}, 39",
                "add {g}, qword ptr [{sums} + {at}]", // T₁′ = h′ + K + W
                $v3,
                "xor {s}, {p}",
                "mov {p}, {e}",
                $v4,
                "xor {x}, {b}",
                "xor {p}, {f}", // Ch′ = g′ ⊕ (e′ ∧ (f′ ⊕ g′))
                $v5,
                "and {p}, {d}",
                "add {h}, {x}", // a′ = T₁ + Maj
                $v6,
                "xor {s}, {q}", // Σ₀
                "xor {p}, {f}",
                $v7,
                "add {g}, {p}", // T₁′ += Ch′
                "rorx {q}, {d}, 14",
                $v8,
                "add {h}, {s}", // a′ += Σ₀
                "rorx {s}, {d}, 18",
                $v9,
                "rorx {p}, {d}, 41",
                "xor {s}, {q}",
                $v10,
                "mov {x}, {h}",
                "xor {x}, {a}", // a′ ⊕ b′
                $v11,
                "add {c}, {g}", // d′ += T₁′, without
                "xor {s}, {p}", // Σ₁′,
                $v12,
                "add {g}, {s}", // T₁′ with it
                a = in(reg) a,
                b = in(reg) b,
                c = inout(reg) next_d,
                d = inout(reg) next_e,
                e = in(reg) e,
                f = in(reg) f,
                g = inout(reg) next_h,
                h = inout(reg) next_a,
                s = inout(reg) sigma,
                x = inout(reg) xor,
                y = in(reg) turn.ab.0,
                p = out(reg) _,
                q = out(reg) _,
                sums = in(reg) sums,
                at = const 32 * ($t / 2) + 16 * $block + 8 * ($t % 2),
                $($($operands)*)?
                options(pure, readonly, nostack)
            );
        }
        Turn {
            variables: [next_a, a, b, next_d, next_e, e, f, next_h].map(Wrapping),
            sigma: Wrapping(sigma),
            bc: turn.ab,
            ab: Wrapping(xor),
        }
    }};
}

impl Turn {
    /// A round that would end in `h`, with Σ₁ = 0 and b = c.
    #[inline(always)]
    fn before([a, b, c, d, e, f, g, h]: State<W>) -> Self {
        let t1 = a - c - <Sha512 as Functions<W>>::big_sigma0(b);
        let zero = Wrapping(0);
        Self { variables: [b, c, d, e, f, g, h, t1], sigma: zero, bc: zero, ab: b ^ c }
    }

    /// Returns the state after the round.
    #[inline(always)]
    fn end(self) -> State<W> {
        let [a, b, c, d, e, f, g, h] = self.variables;
        let maj = b ^ (self.ab & self.bc);
        let sigma0 = <Sha512 as Functions<W>>::big_sigma0(a);
        [h + maj + sigma0, a, b, c, d + self.sigma, e, f, g]
    }

    /// The next round, number `T` of the sixteen of `sums`, of block `BLOCK`.
    #[inline(always)]
    fn next<const T: usize, const BLOCK: usize>(self, sums: &Sums) -> Self {
        const { assert!(T < 16 && BLOCK < 2) };
        next!(self, sums, T, BLOCK, ["" "" "" "" "" "" "" "" "" "" "" ""])
    }

    /// Round `T` of the first block beside part of the schedule, for two words of both blocks:
    /// W_{t-7} + σ₀(W_{t-15}) + W_{t-16}. `words` are W_{t-16}, W_{t-14}, W_{t-8} and W_{t-6},
    /// each with the word after it.
    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn beside_sigma0<const T: usize>(
        self,
        sums: &Sums,
        words: [Avx2<u64>; 4],
    ) -> (Self, Avx2<u64>) {
        const { assert!(T < 16) };
        let [w16, w14, w8, w6] = words.map(Avx2::<u64>::register);
        let sum: __m256i;
        let turn = next!(
            self, sums, T, 0,
            [
                "vpalignr {v}, {w14}, {w16}, 8" // W_{t-15}
                "vpalignr {sum}, {w6}, {w8}, 8" // W_{t-7}
                "vpsrlq {u}, {v}, 1"
                "vpsllq {w}, {v}, 63"
                "vpaddq {sum}, {sum}, {w16}"
                "vpxor {u}, {u}, {w}"
                "vpshufb {w}, {v}, {right}" // >>> 8
                "vpsrlq {v}, {v}, 7"
                "vpxor {u}, {u}, {w}"
                "vpxor {u}, {u}, {v}"
                "vpaddq {sum}, {sum}, {u}"
                ""
            ],
            w16 = in(ymm_reg) w16,
            w14 = in(ymm_reg) w14,
            w8 = in(ymm_reg) w8,
            w6 = in(ymm_reg) w6,
            right = in(ymm_reg) Avx2::<u64>::one_byte_right().register(),
            sum = out(ymm_reg) sum,
            u = out(ymm_reg) _,
            v = out(ymm_reg) _,
            w = out(ymm_reg) _,
        );
        (turn, Avx2::<u64>::of(sum))
    }

    /// Round `T` of the first block beside the rest of the schedule for the same two words:
    /// σ₁(W_{t-2}) is added to the sum that [`Self::beside_sigma0`] began.
    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn beside_sigma1<const T: usize>(
        self,
        sums: &Sums,
        sum: Avx2<u64>,
        w2: Avx2<u64>,
    ) -> (Self, Avx2<u64>) {
        const { assert!(T < 16) };
        let mut sum = sum.register();
        let turn = next!(
            self, sums, T, 0,
            [
                "vpsrlq {u}, {w2}, 19"
                "vpsllq {v}, {w2}, 45"
                "vpsrlq {w}, {w2}, 61"
                "vpxor {u}, {u}, {v}"
                "vpsllq {v}, {w2}, 3"
                "vpxor {u}, {u}, {w}"
                "vpsrlq {w}, {w2}, 6"
                "vpxor {u}, {u}, {v}"
                "vpxor {u}, {u}, {w}"
                "vpaddq {sum}, {sum}, {u}"
                ""
                ""
            ],
            w2 = in(ymm_reg) w2.register(),
            sum = inout(ymm_reg) sum,
            u = out(ymm_reg) _,
            v = out(ymm_reg) _,
            w = out(ymm_reg) _,
        );
        (turn, Avx2::<u64>::of(sum))
    }
}
