//! SHA-2 rolled into loops of 16 rounds.

use super::Rolled;
use crate::kernels::text::{Before, Text};
use crate::lanes::Lanes;
use manylane_primitives::hash::Counter;
use manylane_primitives::hash::sha2::{self, Functions, K256, K512, Sha256, Sha512};
use manylane_primitives::{step, unroll};

impl<L: Lanes<Native = u32>, B: Before<L>> Text<Sha256, L> for Rolled<B> {
    type Before = B;

    #[inline(always)]
    fn compress(_: &Sha256, h: &mut [L; 8], m: &[L; 16], _: Counter<L>) {
        *h = compress_sha2::<Sha256, L>(*h, m, &K256);
    }
}

impl<L: Lanes<Native = u64>, B: Before<L>> Text<Sha512, L> for Rolled<B> {
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
