//! Hashes in turns of a few rounds, for kernels that should have little code.
//!
//! ```text
//! SHA-2
//! definition   16 rounds │ 16 words of the schedule, 16 rounds │ … │ 16 words, 16 rounds
//! in turns     16 rounds, 16 words │ 16 rounds, 16 words │ … │ 16 rounds
//!
//! Skein-1024
//! definition   80 rounds
//! in turns     8 rounds │ … │ 8 rounds
//! ```
//!
//! A loop over the turns of SHA-2 contains 16 rounds once, the definition's code twice: for two
//! groups of lanes it has 11 KiB of instructions instead of 17. On Zen 5 so long a kernel does not
//! stay in the cache of decoded instructions if padding, transposition and the driver run between
//! two short calls. All rounds of Skein-1024 are 4,400 instructions of AVX2, more than that cache
//! has room for on any core; in turns they take 0.83 of the time on Zen 3. AVX-512, which needs
//! fewer instructions for a rotation, has room for them.

use crate::kernels::text::{Before, Nothing, Text};
use crate::lanes::Lanes;
use core::marker::PhantomData;
use manylane_primitives::hash::Counter;
use manylane_primitives::hash::sha2::{self, Functions, K256, K512, Sha256, Sha512};
use manylane_primitives::hash::skein::{OUTPUT_TWEAK, Skein1024, threefish_in_turns};
use manylane_primitives::{step, unroll};

/// The definition's operations in such turns, with `B` before each block.
pub(crate) struct InTurns<B = Nothing>(PhantomData<B>);

impl<L: Lanes<Native = u32>, B: Before<L>> Text<Sha256, L> for InTurns<B> {
    type Before = B;

    #[inline(always)]
    fn compress(_: &Sha256, h: &mut [L; 8], m: &[L; 16], _: Counter<L>) {
        *h = compress_sha2::<Sha256, L>(*h, m, &K256);
    }
}

impl<L: Lanes<Native = u64>, B: Before<L>> Text<Sha512, L> for InTurns<B> {
    type Before = B;

    #[inline(always)]
    fn compress(_: &Sha512, h: &mut [L; 8], m: &[L; 16], _: Counter<L>) {
        *h = compress_sha2::<Sha512, L>(*h, m, &K512);
    }
}

/// FIPS 180-4 §6.2.2 and §6.4.2. W_{t+16} follows W_t as soon as the rounds have used it.
#[inline(always)]
fn compress_sha2<F: Functions<L>, L: Lanes>(h: [L; 8], m: &[L; 16], k: &[L::Native]) -> [L; 8] {
    let mut w = *m;
    let mut s = h;
    let mut t = 0;
    loop {
        macro_rules! four_rounds {
            ($($j:literal)*) => {
                $( s = step!(Round, "round", t + $j, s, {
                    sha2::round::<F, L>(s, L::constant(k[t + $j]), w[$j])
                }); )*
                if t + 16 < k.len() { $(
                    w[$j] = sha2::schedule::<F, L>(
                        w[($j + 14) % 16], w[($j + 9) % 16], w[($j + 1) % 16], w[$j]);
                )* }
            };
        }
        four_rounds!(0 1 2 3);
        four_rounds!(4 5 6 7);
        four_rounds!(8 9 10 11);
        four_rounds!(12 13 14 15);
        t += 16;
        if t == k.len() {
            break;
        }
    }
    unroll!(i in 0..8 { s[i] = h[i] + s[i]; });
    s
}

impl<L: Lanes<Native = u64>, B: Before<L>> Text<Skein1024, L> for InTurns<B> {
    type Before = B;

    #[inline(always)]
    fn compress(_: &Skein1024, h: &mut [L; 16], m: &[L; 16], t: Counter<L>) {
        let v = threefish_in_turns(*h, t.t, *m);
        unroll!(i in 0..16 { h[i] = v[i] ^ m[i]; });
    }

    /// §3.5.3: the output transformation is the compression of the index.
    #[inline(always)]
    fn squeeze(hash: &Skein1024, h: &mut [L; 16], index: u64) -> [L; 16] {
        let (mut out, mut m) = (*h, [L::constant(0); 16]);
        m[0] = L::constant(index);
        Self::compress(hash, &mut out, &m, OUTPUT_TWEAK.constant());
        out
    }
}
