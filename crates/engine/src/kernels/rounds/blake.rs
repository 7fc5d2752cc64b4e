//! BLAKE of one message: a row of the matrix v in a register, so that a round is the definition's G
//! twice, on columns and on diagonals.
//!
//! ```text
//! for each block:
//!     for each round:  G on columns   turn a, c, d   G on diagonals   turn back
//!                      m ⊕ c of one round of the next block            to memory
//! ```
//!
//! For diagonals row b is not rotated, because the end of G waits for b; meanwhile the other three
//! rows are rotated. The words of the next block are put in the order of its rounds while this
//! block is computed, a few in each round: done at once, this work would delay the rounds, which
//! keep only one or two operations in flight.
//!
//! Each operation of G waits for the operation before it. On Zen 5 a vector operation takes two
//! cycles and the same operation on a word takes one, so that [`words`] are faster there.

mod terms;
mod words;

use crate::cpu::Engine;
use crate::kernels::kernel::{Kernel, N};
use crate::lanes::avx2::{Avx2, rows::MatrixRow};
use manylane_primitives::hash::blake::{Blake256, Blake512, Parameters, g};
use manylane_primitives::hash::{Compress, Counter, Scalar};
use manylane_primitives::unroll;
use manylane_primitives::word::Native;
use terms::{Terms, prepare};

/// A kernel for each of the two engines.
macro_rules! kernels {
    ($avx2:expr, $avx2_time:literal, $avx512:expr, $avx512_time:literal) => {
        &[
            Kernel::compressing(Engine::Avx2, 1, $avx2_time, $avx2),
            Kernel::compressing(Engine::Avx512, 1, $avx512_time, $avx512),
        ]
    };
}
/// The same text is compiled twice: with AVX-512 the compiler finds rotations and shuffles of two
/// registers.
macro_rules! rows {
    ($native:ty, $registers:literal, $avx2_time:literal, $avx512_time:literal) => {
        kernels!(
            compress_avx2::<_, Avx2<$native>, $registers>,
            $avx2_time,
            compress_avx512::<_, Avx2<$native>, $registers>,
            $avx512_time
        )
    };
}
/// The kernels on plain words. Their time is a share of that of the definition on words.
macro_rules! words {
    ($native:ty, $registers:literal) => {
        kernels!(
            compress_on_words::<_, Avx2<$native>, $registers>,
            0.8,
            compress_on_words::<_, Avx2<$native>, $registers>,
            0.8
        )
    };
}

/// BLAKE-224 and BLAKE-256 of one message, a row of the matrix in a register.
pub static KERNELS_256: &[Kernel<Blake256>] = rows!(u32, 2, 0.86, 0.69);
/// BLAKE-384 and BLAKE-512 of one message, a row of the matrix in a register.
pub static KERNELS_512: &[Kernel<Blake512>] = rows!(u64, 4, 0.9, 0.72);
/// The definition on words has 8 and 12 KiB of instructions and takes 1.05 to 1.85 times as long as
/// these, depending on where a build places it. AVX-512 has nothing for them: its shell was 3 %
/// slower.
pub static ON_ZEN5_256: &[Kernel<Blake256>] = words!(u32, 2);
/// As [`ON_ZEN5_256`], for BLAKE-384 and BLAKE-512.
pub static ON_ZEN5_512: &[Kernel<Blake512>] = words!(u64, 4);

/// A shell: a function that enables features and inlines [`compress`].
macro_rules! shell {
    ($name:ident, $features:literal) => {
        /// # Safety
        /// The CPU must have the features.
        #[target_feature(enable = $features)]
        unsafe fn $name<P, R, const K: usize>(
            hash: &P,
            state: &mut [N<P>],
            counters: &mut [N<P>],
            inputs: &[&[u8]],
            blocks: usize,
        ) where
            P: Parameters + Compress<Scalar<P>>,
            R: MatrixRow<Native = N<P>>,
        {
            compress::<P, R, K>(hash, state, counters, &inputs[0][..32 * K * blocks]);
        }
    };
}

shell!(compress_avx2, "avx2,bmi1,bmi2,aes");
shell!(compress_avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes");

/// # Safety
/// The CPU must have AVX2, BMI1, BMI2 and AES-NI.
#[target_feature(enable = "avx2,bmi1,bmi2,aes")]
unsafe fn compress_on_words<P, R, const K: usize>(
    hash: &P,
    state: &mut [N<P>],
    counters: &mut [N<P>],
    inputs: &[&[u8]],
    blocks: usize,
) where
    P: Parameters<Native: words::Mix> + Compress<Scalar<P>>,
    R: MatrixRow<Native = N<P>>,
{
    words::compress::<P, R, K>(hash, state, counters, &inputs[0][..32 * K * blocks]);
}

/// A block, and what a round adds of it, is `K` registers.
#[inline(always)]
fn compress<P, R, const K: usize>(hash: &P, state: &mut [N<P>], counters: &mut [N<P>], bytes: &[u8])
where
    P: Parameters + Compress<Scalar<P>>,
    R: MatrixRow<Native = N<P>>,
{
    let constants = [R::load_row(&P::C), R::load_row(&P::C[4..])];
    let s = R::load_row(&hash.salt());
    let mut h = [R::load_row(state), R::load_row(&state[4..])];
    let zero = N::<P>::default();
    let mut t = Counter { t: [counters[0], counters[1]], f: [zero; 2] }.constant();
    let mut terms = Terms([[P::C[0]; 16]; 10]);
    let mut blocks = bytes.chunks_exact(32 * K).peekable();
    if let Some(block) = blocks.peek() {
        let m = R::read_block::<K>(block);
        unroll!(r in [0 1 2 3 4 5 6 7 8 9] { prepare::<P, R, K, r>(m, &mut terms.0[r]); });
    }
    while let Some(block) = blocks.next() {
        // After the last block this reads the block again; the result is not used.
        let next = R::read_block::<K>(blocks.peek().unwrap_or(&block));
        terms.keep_in_memory();
        let [t0, t1] = t.t.map(Native::from_scalar);
        let mut v = [h[0], h[1], s ^ constants[0], R::load_row(&[t0, t0, t1, t1]) ^ constants[1]];
        unroll!(r in 0..16 {
            if r < P::ROUNDS {
                v = round::<P, R>(v, &terms.0[r % 10]);
            }
            if (P::ROUNDS - 10..P::ROUNDS).contains(&r) {
                prepare::<P, R, K, { r % 10 }>(next, &mut terms.0[r % 10]);
            }
        });
        h = [R::xor3(h[0] ^ s, v[0], v[2]), R::xor3(h[1] ^ s, v[1], v[3])];
        t = hash.next_counter(t);
    }
    h[0].store_row(state);
    h[1].store_row(&mut state[4..]);
    counters.copy_from_slice(&t.t.map(Native::from_scalar));
}

/// The definition's round. `terms` are one row of [`Terms`].
#[inline(always)]
fn round<P: Parameters, R: MatrixRow<Native = P::Native>>(
    v: [R; 4],
    terms: &[P::Native; 16],
) -> [R; 4] {
    let [a, b, c, d] = g::<P, R>(v, R::load_row(terms), R::load_row(&terms[4..]));
    let v = [a.turn::<3>(), b, c.turn::<1>(), d.turn::<2>()];
    let [a, b, c, d] = g::<P, R>(v, R::load_row(&terms[8..]), R::load_row(&terms[12..]));
    [a.turn::<1>(), b, c.turn::<3>(), d.turn::<2>()]
}
