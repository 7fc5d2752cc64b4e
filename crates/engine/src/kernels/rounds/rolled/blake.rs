//! BLAKE rolled into loops of one round.

use super::Rolled;
use super::stored::Stored;
use crate::kernels::text::{Before, Text};
use crate::lanes::Lanes;
use core::marker::PhantomData;
use manylane_primitives::hash::Counter;
use manylane_primitives::hash::blake::{
    self, Blake256, Blake512, Injection, Parameters, SIGMA, State,
};
use manylane_primitives::{step, unroll};

macro_rules! rolled {
    ($hash:ty, $native:ty) => {
        impl<L: Lanes<Native = $native>, B: Before<L>> Text<$hash, L> for Rolled<B> {
            type Before = B;

            #[inline(always)]
            fn compress(hash: &$hash, h: &mut State<L>, m: &[L; 16], t: Counter<L>) {
                *h = compress::<$hash, L>(*h, &Block::of(m), salt(hash), t.t);
            }

            #[inline(always)]
            fn compress_expanded(
                hash: &$hash,
                h: State<L>,
                expansion: &[$native],
                t: Counter<L>,
            ) -> State<L> {
                let rounds = expansion.as_chunks::<16>().0;
                assert!(rounds.len() == <$hash>::ROUNDS);
                compress::<$hash, L>(h, rounds, salt(hash), t.t)
            }
        }
    };
}

rolled!(Blake256, u32);
rolled!(Blake512, u64);

#[inline(always)]
fn salt<P: Parameters, L: Lanes<Native = P::Native>>(hash: &P) -> [L; 4] {
    let (salt, mut words) = (hash.salt(), [L::constant(P::Native::default()); 4]);
    unroll!(i in 0..4 { words[i] = L::constant(salt[i]); });
    words
}

/// §2.1.2, §2.2.2, with the rounds as a loop.
#[inline(always)]
fn compress<P: Parameters, L: Lanes<Native = P::Native>>(
    h: State<L>,
    m: &(impl Injection<P, L> + ?Sized),
    s: [L; 4],
    t: [L; 2],
) -> State<L> {
    let mut v = blake::initialised::<P, L>(h, s, t);
    for r in 0..P::ROUNDS {
        v = step!(Round, "round", r, v, blake::round::<P, L>(r, v, m));
    }
    blake::finalised(h, v, s)
}

/// The words of a block, each in up to 32 lanes.
struct Block<P: Parameters, L>(Stored<P::Native, { 16 * 32 }>, PhantomData<L>);

impl<P: Parameters, L: Lanes<Native = P::Native>> Block<P, L> {
    #[inline(always)]
    fn of(m: &[L; 16]) -> Self {
        const { assert!(L::LANES <= 32) };
        let mut words = Stored::new();
        // SAFETY: there is room for 16 words.
        unroll!(i in 0..16 { unsafe { words.set(i, m[i]) }; });
        Self(words, PhantomData)
    }
}

impl<P: Parameters, L: Lanes<Native = P::Native>> Injection<P, L> for Block<P, L> {
    #[inline(always)]
    fn injected(&self, r: usize, i: usize) -> [L; 2] {
        let (j, k) = (SIGMA[r % 10][2 * i], SIGMA[r % 10][2 * i + 1]);
        // SAFETY: `of` has set words 0 to 15, and σ has no others.
        let words = unsafe { [self.0.at(j), self.0.at(k)] };
        blake::with_constants::<P, L>(words, j, k)
    }
}
