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
//! those of the compiler, and the plain one, take a tenth to a fifth more time.

use crate::cpu::Engine;
use crate::kernels::kernel::Kernel;
use crate::lanes::avx2::Avx2;
use core::arch::asm;
use core::num::Wrapping;
use manylane_primitives::hash::sha2::{Functions, K512, Sha512, State, schedule};
use manylane_primitives::unroll;
use manylane_primitives::word::{ByteOrder, Word};

/// The same text is compiled twice: with AVX-512 the compiler finds rotations and three-input logic
/// for it.
pub static KERNELS: &[Kernel<Sha512>] = &[
    Kernel::compressing(Engine::Avx2, 1, 0.75, compress_avx2),
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
    compress(state, &inputs[0][..128 * blocks]);
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
    compress(state, &inputs[0][..128 * blocks]);
}

type W = Wrapping<u64>;

/// K_t + W_t of sixteen rounds: in row i words 2i and 2i + 1 of the first block, then of the
/// second.
type Sums = [[u64; 4]; 8];

#[inline(always)]
fn compress(state: &mut [u64], bytes: &[u8]) {
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
                w[i] = schedule::<Sha512, _>(
                    w[(i + 7) % 8],
                    w[(i + 4) % 8].across(w[(i + 5) % 8]),
                    w[i].across(w[(i + 1) % 8]),
                    w[i],
                );
                let t = 16 * (group + 1) + 2 * i;
                (w[i] + Avx2::twice([K512[t], K512[t + 1]])).store_row(&mut sums[group + 1][i]);
                turn = turn.next::<{ 2 * i }, 0>(&sums[group]);
                turn = turn.next::<{ 2 * i + 1 }, 0>(&sums[group]);
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

    /// Ends this round and begins the next, number `T` of the sixteen of `sums`, of block `BLOCK`.
    ///
    /// Of this round's names, the next has h for its a, a for its b, …, and g for its h. Dashes are
    /// the next round's.
    #[inline(always)]
    fn next<const T: usize, const BLOCK: usize>(self, sums: &Sums) -> Self {
        const { assert!(T < 16 && BLOCK < 2) };
        let [a, b, c, d, e, f, g, h] = self.variables.map(|word| word.0);
        let (mut next_d, mut next_e, mut next_h, mut next_a) = (c, d, g, h);
        let (mut sigma, mut xor) = (self.sigma.0, self.bc.0);
        // SAFETY: reads word T of the block, which is within `sums`; no other memory. BMI2 is there
        // below the shells.
        unsafe {
            asm!(
                "add {d}, {s}",                     // e′ = d + T₁
                "rorx {p}, {a}, 34",
                "and {x}, {y}",                     // Maj = b ⊕ ((a ⊕ b) ∧ (b ⊕ c))
                "rorx {s}, {a}, 28",
                "rorx {q}, {a}, 39",
                "add {g}, qword ptr [{sums} + {at}]", // T₁′ = h′ + K + W
                "xor {s}, {p}",
                "mov {p}, {e}",
                "xor {x}, {b}",
                "xor {p}, {f}",                     // Ch′ = g′ ⊕ (e′ ∧ (f′ ⊕ g′))
                "and {p}, {d}",
                "add {h}, {x}",                     // a′ = T₁ + Maj
                "xor {s}, {q}",                     // Σ₀
                "xor {p}, {f}",
                "add {g}, {p}",                     // T₁′ += Ch′
                "rorx {q}, {d}, 14",
                "add {h}, {s}",                     // a′ += Σ₀
                "rorx {s}, {d}, 18",
                "rorx {p}, {d}, 41",
                "xor {s}, {q}",
                "mov {x}, {h}",
                "xor {x}, {a}",                     // a′ ⊕ b′
                "add {c}, {g}",                     // d′ += T₁′, without
                "xor {s}, {p}",                     // Σ₁′,
                "add {g}, {s}",                     // T₁′ with it
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
                y = in(reg) self.ab.0,
                p = out(reg) _,
                q = out(reg) _,
                sums = in(reg) sums,
                at = const 32 * (T / 2) + 16 * BLOCK + 8 * (T % 2),
                options(pure, readonly, nostack)
            );
        }
        Self {
            variables: [next_a, a, b, next_d, next_e, e, f, next_h].map(Wrapping),
            sigma: Wrapping(sigma),
            bc: self.ab,
            ab: Wrapping(xor),
        }
    }
}
