//! SHA-1 rolled into loops of five rounds, after which the five words of the state are back in
//! their places.

use super::Rolled;
use super::stored::Stored;
use crate::kernels::text::{Before, Text};
use crate::lanes::Lanes;
use manylane_primitives::hash::Counter;
use manylane_primitives::hash::sha1::{self, Sha1};
use manylane_primitives::{step, unroll};

impl<L: Lanes<Native = u32>, B: Before<L>> Text<Sha1, L> for Rolled<B> {
    type Before = B;

    /// FIPS 180-4 §6.1.2.
    #[inline(always)]
    fn compress(_: &Sha1, h: &mut [L; 5], m: &[L; 16], _: Counter<L>) {
        const { assert!(L::LANES <= 32) };
        let mut w = Schedule(Stored::new());
        // SAFETY: there are 80 words.
        unroll!(t in 0..16 { unsafe { w.0.set(t, m[t]) }; });
        let mut s = *h;
        macro_rules! twenty {
            ($i:literal) => {
                let k = L::constant(sha1::K[$i]);
                for turn in 0..4 {
                    unroll!(j in 0..5 {
                        let t = 20 * $i + 5 * turn + j;
                        // SAFETY: round t sets word t + 16 up to word 75; words 76 to 79 are set
                        // before the last twenty rounds.
                        let wt = unsafe { w.0.at(t) };
                        if $i < 3 {
                            // SAFETY: as above.
                            unsafe { w.extend(t, wt) };
                        }
                        s = step!(Round, "round", t, s, { sha1::round(20 * $i, s, k, wt) });
                    });
                }
            };
        }
        twenty!(0);
        twenty!(1);
        twenty!(2);
        unroll!(j in 0..4 {
            // SAFETY: words up to 75 are set, and step j sets 76 + j; step 3 reads word 76.
            unsafe { w.extend::<L>(60 + j, w.0.at(60 + j)) };
        });
        twenty!(3);
        unroll!(i in 0..5 { h[i] = h[i] + s[i]; });
    }

    /// [`Self::compress`] over the sums W_t + K_t.
    #[inline(always)]
    fn compress_expanded(_: &Sha1, h: [L; 5], sums: &[u32], _: Counter<L>) -> [L; 5] {
        let sums = sums.as_chunks::<5>().0;
        assert!(sums.len() == 16);
        let mut s = h;
        macro_rules! twenty {
            ($i:literal) => {
                for turn in 4 * $i..4 * $i + 4 {
                    unroll!(j in 0..5 {
                        s = sha1::round(20 * $i, s, L::constant(sums[turn][j]), L::constant(0));
                    });
                }
            };
        }
        twenty!(0);
        twenty!(1);
        twenty!(2);
        twenty!(3);
        unroll!(i in 0..5 { s[i] = h[i] + s[i]; });
        s
    }
}

/// The words W_t, in up to 32 lanes.
struct Schedule(Stored<u32, { 80 * 32 }>);

impl Schedule {
    /// Sets W_{t+16} from W_t, which is given, and later words.
    ///
    /// # Safety
    /// There are 80 words, and those from t + 1 to t + 15 must have been set.
    #[inline(always)]
    unsafe fn extend<L: Lanes<Native = u32>>(&mut self, t: usize, wt: L) {
        // SAFETY: by the caller.
        unsafe {
            let w = &self.0;
            let next: L = sha1::schedule(w.at(t + 13), w.at(t + 8), w.at(t + 2), wt);
            self.0.set(t + 16, next);
        }
    }
}
