//! Skein in turns of eight rounds.

use super::InTurns;
use super::stored::Stored;
use crate::kernels::text::{Before, Text};
use crate::lanes::Lanes;
use manylane_primitives::hash::Counter;
use manylane_primitives::hash::skein::{
    C240, OUTPUT_TWEAK, Skein, Subkeys, eight_rounds, last_subkey, rounds, subkey_word,
};
use manylane_primitives::unroll;

impl<L: Lanes<Native = u64>, B: Before<L>, const N: usize> Text<Skein<N>, L> for InTurns<B> {
    type Before = B;

    #[inline(always)]
    fn compress(_: &Skein<N>, h: &mut [L; N], m: &[L; N], t: Counter<L>) {
        let mut subkeys =
            InMemory { k: Stored::new(), t: [t.t[0], t.t[1], t.t[0] ^ t.t[1], t.t[0]] };
        subkeys.fill(h);
        let mut v = *m;
        let mut d = 0;
        while d < rounds(N) {
            B::only_first(&mut v, h[0]);
            v = eight_rounds(d, v, &subkeys);
            d += 8;
        }
        v = last_subkey(v, &subkeys);
        unroll!(i in 0..16 { if i < N { h[i] = v[i] ^ m[i]; } });
    }

    /// §3.5.3: the output transformation is the compression of the index.
    #[inline(always)]
    fn squeeze(hash: &Skein<N>, h: &mut [L; N], index: u64) -> [L; N] {
        let (mut out, mut m) = (*h, [L::constant(0); N]);
        m[0] = L::constant(index);
        Self::compress(hash, &mut out, &m, OUTPUT_TWEAK.constant());
        out
    }
}

/// The most words of an extended key that are stored, each in [`MAX_LANES`] lanes.
const MAX_WORDS: usize = 2 * 16 + 1;
const MAX_LANES: usize = 16;

/// The extended key from k_0 to k_N and again to k_{N-1}, and the extended tweak.
struct InMemory<L, const N: usize> {
    k: Stored<u64, { MAX_WORDS * MAX_LANES }>,
    t: [L; 4],
}

impl<L: Lanes<Native = u64>, const N: usize> InMemory<L, N> {
    #[inline(always)]
    fn fill(&mut self, key: &[L; N]) {
        const { assert!(2 * N < MAX_WORDS && L::LANES <= MAX_LANES) };
        let mut last = L::constant(C240);
        unroll!(i in 0..16 { if i < N {
            last = last ^ key[i];
            // SAFETY: there is room for 2 N + 1 words.
            unsafe {
                self.k.set(i, key[i]);
                self.k.set(N + 1 + i, key[i]);
            }
        } });
        // SAFETY: as above.
        unsafe { self.k.set(N, last) };
    }
}

impl<L: Lanes<Native = u64>, const N: usize> Subkeys<L, N> for InMemory<L, N> {
    #[inline(always)]
    fn word(&self, s: usize, i: usize) -> L {
        // SAFETY: `fill` set 2 N + 1 words, and i < N.
        let k = unsafe { self.k.at(s % (N + 1) + i) };
        subkey_word::<L, N>(s, i, k, [self.t[s % 3], self.t[s % 3 + 1]])
    }
}
