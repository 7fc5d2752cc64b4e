//! Skein rolled into loops of eight rounds.

use super::Rolled;
use super::stored::Stored;
use crate::kernels::text::{Before, Text};
use crate::lanes::Lanes;
use manylane_primitives::hash::Counter;
use manylane_primitives::hash::skein::{
    C240, OUTPUT_TWEAK, Skein, Subkeys, eight_rounds, last_subkey, rounds, subkey_word,
};
use manylane_primitives::unroll;

impl<L: Lanes<Native = u64>, B: Before<L>, const N: usize> Text<Skein<N>, L> for Rolled<B> {
    type Before = B;

    #[inline(always)]
    fn compress(_: &Skein<N>, h: &mut [L; N], m: &[L; N], t: Counter<L>) {
        let subkeys = InMemory::of(h, t.t);
        let mut v = *m;
        let mut d = 0;
        while d < rounds(N) {
            B::keep_position_in_first(&mut v, h[0]);
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
const MAX_WORDS: usize = 2 * 16;
const MAX_LANES: usize = 16;

/// The extended key k_0 … k_N followed by k_0 … k_{N-2} again, so that the words of every subkey
/// lie in a row, and likewise the extended tweak followed by t_0.
struct InMemory<L, const N: usize> {
    k: Stored<u64, { MAX_WORDS * MAX_LANES }>,
    t: [L; 4],
}

impl<L: Lanes<Native = u64>, const N: usize> InMemory<L, N> {
    #[inline(always)]
    fn of(key: &[L; N], [t0, t1]: [L; 2]) -> Self {
        const { assert!(2 * N <= MAX_WORDS && L::LANES <= MAX_LANES) };
        let mut k = Stored::new();
        let mut last = L::constant(C240);
        unroll!(i in 0..8 { if i < N / 2 {
            last = L::xor3(last, key[2 * i], key[2 * i + 1]);
        } });
        unroll!(i in 0..16 { if i < N {
            // SAFETY: there is room for 2 N words.
            unsafe {
                k.set(i, key[i]);
                if i < N - 1 {
                    k.set(N + 1 + i, key[i]);
                }
            }
        } });
        // SAFETY: as above.
        unsafe { k.set(N, last) };
        Self { k, t: [t0, t1, t0 ^ t1, t0] }
    }
}

impl<L: Lanes<Native = u64>, const N: usize> Subkeys<L, N> for InMemory<L, N> {
    #[inline(always)]
    fn word(&self, s: usize, i: usize) -> L {
        assert!(i < N);
        // SAFETY: `of` has set words 0 to 2 N - 1, and this is one of them.
        let k = unsafe { self.k.at(s % (N + 1) + i) };
        subkey_word::<L, N>(s, i, k, [self.t[s % 3], self.t[s % 3 + 1]])
    }
}
