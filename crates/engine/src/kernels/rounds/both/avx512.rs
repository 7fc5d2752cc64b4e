//! Both hashes in one pass over the lanes of AVX-512.
//!
//! ```text
//! block ── transposed once ──┬─ words ────────────────► MD5      operation 0 │ 1 │ 2 …
//!                            └─ words, bytes swapped ──► SHA-256  round     0 │ 1 │ 2 …
//! ```
//!
//! Neither hash keeps the four vector units of Zen 5 busy by itself: the kernels of one hash start
//! 0.86 (SHA-256) and 0.67 (MD5) of the operations that could start. With a round of each in turn
//! it is 0.9. The blocks are loaded and transposed once for both.

use super::joined::{
    FIRST, Joined, SECOND, SHA256_WORDS, State, joined, parts, put_length, swapped,
};
use crate::cpu::Engine;
use crate::kernels::kernel::Kernel;
use crate::kernels::rounds;
use crate::kernels::shell::avx512::{kernel, kernel_of};
use crate::kernels::text::{Before, Text};
use crate::lanes::Lanes;
use crate::lanes::avx512::Avx512;
use crate::lanes::pair::Pair;
use crate::lanes::step::{Chosen, Tied};
use manylane_primitives::hash::md5::{self, Md5};
use manylane_primitives::hash::sha2::{self, K256, Sha256};
use manylane_primitives::hash::{Counter, Hash};
use manylane_primitives::unroll;
use manylane_primitives::word::{RotateVar, Word32};

/// Rounds of both hashes in turn.
struct InTurn;

impl<A> Text<Joined, Pair<A>> for InTurn
where
    A: Lanes<Native = u32> + Tied + Chosen + RotateVar,
{
    type Before = Inputs;

    /// The first sixteen rounds, then sixteen at a time in a loop, so that the code stays in the
    /// cache of decoded instructions. The loop chooses MD5's function, amounts and words by tables.
    #[inline(always)]
    fn compress(_: &Joined, h: &mut State<Pair<A>>, m: &[Pair<A>; 16], t: Counter<Pair<A>>) {
        let mut x = *m;
        let w = swapped(m, |word| {
            let (one, two) = word.halves();
            Pair::of(one.swapped(), two.swapped())
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

/// Prefetches the block three after the one that is computed.
struct Inputs;

impl<A: Tied> Before<Pair<A>> for Inputs {
    #[inline(always)]
    fn before_block(_: &mut [Pair<A>], inputs: &[&[u8]], at: usize, _: *const u8) {
        for input in inputs {
            A::fetch(input.as_ptr().wrapping_add(at + 192));
        }
    }
}

/// A group of lanes under way.
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
    /// The next round. Operations that are written after it are also computed after it. Left alone,
    /// the compiler would compute many rounds of one group before those of the other, to save
    /// registers.
    #[inline(always)]
    fn sha256_round<const J: usize>(&mut self, k: u32) {
        let [a, b, c, d, e, f, g, h] =
            sha2::round::<Sha256, A>(self.sha256, A::constant(k), self.w[J]);
        self.sha256 = [a.held(), b, c, d, e.held(), f, g, h];
    }
}

/// What distinguishes an operation of MD5 from others of its round.
#[derive(Clone, Copy)]
struct Operation {
    constant: u32,
    amount: u32,
    /// The number of its word of the block.
    word: usize,
}

/// The operations of MD5's four rounds.
static OPERATIONS: [Operation; 64] = {
    let mut all = [Operation { constant: 0, amount: 0, word: 0 }; 64];
    let mut t = 0;
    while t < 64 {
        let amount = md5::S[t / 16][t % 4] as u32;
        all[t] = Operation { constant: md5::T[t], amount, word: md5::k(t) };
        t += 1;
    }
    all
};

/// An operation of MD5's round 0 to 3, with the word x.
#[inline(always)]
fn operation<A: Chosen + RotateVar + Word32>(
    round: usize,
    Operation { constant, amount, .. }: Operation,
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

type Lanes16 = Avx512<u32>;
type Lanes32 = Pair<Lanes16>;

/// By messages side by side, with the nanoseconds of a call per block that were measured on Zen 5.
/// Up to sixteen messages one hash comes after the other, by the kernels that take least time.
pub static KERNELS: &[Kernel<Joined>] = &[
    Kernel::compressing(Engine::Avx512, 1, 95.0, one_by_one::<1>),
    Kernel::compressing(Engine::Avx512, 2, 170.0, one_by_one::<2>),
    Kernel::compressing(Engine::Avx512, 3, 180.0, one_by_one::<3>),
    Kernel::compressing(Engine::Avx512, 4, 198.0, one_by_one::<4>),
    Kernel::compressing(Engine::Avx512, 6, 225.0, one_by_one::<6>),
    Kernel::compressing(Engine::Avx512, 8, 261.0, one_by_one::<8>),
    Kernel::compressing(Engine::Avx512, 16, 286.0, one_by_one::<16>),
    Kernel { block_time: 310.0, ..kernel_of::<_, Lanes32, InTurn>() },
];

/// The engines that these kernels need.
pub const ENGINES: [Engine; 3] = [Engine::Bmi2, Engine::ShaNi, Engine::Avx512];

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
unsafe fn one_by_one<const LANES: usize>(
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
    // Blocks that end in the length: MD5 writes its bytes in the opposite order.
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

/// Bytes of a block.
const BLOCK: usize = 64;

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
