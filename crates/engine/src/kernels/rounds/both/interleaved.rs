//! Rounds of two hashes, interleaved, over two groups of the lanes of AVX-512.
//!
//! ```text
//! block ── transposed once ──┬─ words ────────────────► MD5      operation 0 │ 1 │ 2 …
//!                            └─ words, bytes swapped ──► SHA-256  round     0 │ 1 │ 2 …
//! ```
//!
//! Neither hash keeps the four vector units of Zen 5 busy by itself: the kernels of one hash start
//! 0.86 (SHA-256) and 0.67 (MD5) of the operations that could start, interleaved rounds 0.9. The
//! blocks are loaded and transposed once for both.

use super::joined::{Joined, SHA256_WORDS, State, joined, parts, put_length, swapped};
use crate::kernels::text::{Before, Text};
use crate::lanes::Lanes;
use crate::lanes::pair::Pair;
use crate::lanes::step::{Chosen, SwapBytes, Tied};
use manylane_primitives::hash::Counter;
use manylane_primitives::hash::md5;
use manylane_primitives::hash::sha2::{self, K256, Sha256};
use manylane_primitives::unroll;
use manylane_primitives::word::{RotateVar, Word32};

/// The rounds of both hashes alternate.
pub struct Interleaved;

impl<A> Text<Joined, Pair<A>> for Interleaved
where
    A: Lanes<Native = u32> + Tied + Chosen + SwapBytes + RotateVar,
{
    type Before = Inputs;

    /// Sixteen rounds at a time in a loop, so that the code stays in the cache of decoded
    /// instructions. The loop chooses MD5's functions by masks, and amounts and words by a table.
    #[inline(always)]
    fn compress(_: &Joined, h: &mut State<Pair<A>>, m: &[Pair<A>; 16], t: Counter<Pair<A>>) {
        let mut x = *m;
        let w = swapped(m, |word| {
            let (one, two) = word.halves();
            Pair::of(one.swap_bytes(), two.swap_bytes())
        });
        put_length(&mut x, &w, t);
        let mut groups =
            [Group::of(h, &w, |pair| pair.halves().0), Group::of(h, &w, |pair| pair.halves().1)];
        let [one, two] = &mut groups;
        for round in 0..4 {
            let (k, operations) =
                (&K256.as_chunks::<16>().0[round], &OPERATIONS.as_chunks::<16>().0[round]);
            unroll!(j in 0..16 {
                let (x_one, x_two) = x[operations[j].word % 16].halves();
                one.sha256_round::<j>(k[j]);
                one.md5 = operation(round, operations[j], one.md5, x_one);
                two.sha256_round::<j>(k[j]);
                two.md5 = operation(round, operations[j], two.md5, x_two);
                if round < 3 {
                    one.schedule::<j>();
                    two.schedule::<j>();
                }
            });
        }
        let (one, two) = (joined(one.sha256, one.md5), joined(two.sha256, two.md5));
        unroll!(i in [0 1 2 3 4 5 6 7 8 9 10 11] { h[i] = h[i] + Pair::of(one[i], two[i]); });
    }
}

/// Bytes of a block, and of a cache line.
const BLOCK: usize = 64;

/// Prefetches, for each input, the third block after the one that is computed.
pub struct Inputs;

impl<A: Tied> Before<Pair<A>> for Inputs {
    #[inline(always)]
    fn before_block(_: &mut [Pair<A>], inputs: &[&[u8]], at: usize, _: *const u8) {
        for input in inputs {
            A::prefetch(input.as_ptr().wrapping_add(at + 3 * BLOCK));
        }
    }
}

/// The working variables of a group of lanes, and the last 16 words of SHA-256's message schedule.
struct Group<A> {
    sha256: [A; SHA256_WORDS],
    md5: md5::State<A>,
    w: [A; 16],
}

impl<A: Lanes<Native = u32> + Tied> Group<A> {
    #[inline(always)]
    fn of(h: &State<Pair<A>>, m: &[Pair<A>; 16], half: impl Fn(Pair<A>) -> A) -> Self {
        let zero = A::constant(0);
        let (mut state, mut w) = ([zero; 12], [zero; 16]);
        unroll!(i in [0 1 2 3 4 5 6 7 8 9 10 11] { state[i] = half(h[i]); });
        unroll!(i in 0..16 { w[i] = half(m[i]); });
        let (sha256, md5) = parts(&state);
        Self { sha256, md5, w }
    }
    #[inline(always)]
    fn schedule<const J: usize>(&mut self) {
        let w = &mut self.w;
        w[J] =
            sha2::schedule::<Sha256, A>(w[(J + 14) % 16], w[(J + 9) % 16], w[(J + 1) % 16], w[J]);
    }
    /// The next round. The new words a and e are [held](Tied::held), so that the rounds of both
    /// groups are computed in the order of the text: to save registers, the compiler would compute
    /// many rounds of one group before those of the other.
    #[inline(always)]
    fn sha256_round<const J: usize>(&mut self, k: u32) {
        let [a, b, c, d, e, f, g, h] =
            sha2::round::<Sha256, A>(self.sha256, A::constant(k), self.w[J]);
        self.sha256 = [a.held(), b, c, d, e.held(), f, g, h];
    }
}

/// What distinguishes an operation of MD5 from others of its round.
#[derive(Clone, Copy)]
struct Md5Operation {
    constant: u32,
    amount: u32,
    /// The number of its word of the block.
    word: usize,
}

/// The operations of MD5's four rounds.
static OPERATIONS: [Md5Operation; 64] = {
    let mut all = [Md5Operation { constant: 0, amount: 0, word: 0 }; 64];
    let mut t = 0;
    while t < 64 {
        let amount = md5::S[t / 16][t % 4] as u32;
        all[t] = Md5Operation { constant: md5::T[t], amount, word: md5::k(t) };
        t += 1;
    }
    all
};

/// An operation of MD5's round 0 to 3, with the word x.
#[inline(always)]
fn operation<A: Chosen + RotateVar + Word32>(
    round: usize,
    Md5Operation { constant, amount, .. }: Md5Operation,
    [a, b, c, d]: md5::State<A>,
    x: A,
) -> md5::State<A> {
    // F, G, H and I of b, c and d.
    let f = A::ternary_if::<0b1100_1010>(round == 0, b, c, d);
    let f = A::ternary_if::<0b1110_0100>(round == 1, f, c, d);
    let f = A::ternary_if::<0b1001_0110>(round == 2, f, c, d);
    let f = A::ternary_if::<0b0011_1001>(round == 3, f, c, d);
    let sum = a + (x + A::constant(constant)) + f;
    [d, b + sum.rotl_var(A::constant(amount)), b, c]
}
