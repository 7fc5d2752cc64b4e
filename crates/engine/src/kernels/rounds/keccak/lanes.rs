//! Keccak over lanes, plane by plane.
//!
//! In the definition's order all rotations of ρ come one after the other, and all logic of χ comes
//! after them. On AVX-512 rotations have one port, so that the other port idles while they run.
//! Here the five words of each plane of the result go through θ, ρ, π and χ together: rotations and
//! logic alternate, and the ports are busy in 0.96 of the cycles instead of 0.88.

use crate::kernels::text::Text;
use crate::lanes::Lanes;
use manylane_primitives::hash::Counter;
use manylane_primitives::hash::keccak::{Keccak, RC, RHO, State};
use manylane_primitives::unroll;

/// The definition's operations in that order.
pub struct PlaneByPlane;

impl<L: Lanes<Native = u64>> Text<Keccak, L> for PlaneByPlane {
    #[inline(always)]
    fn compress(_: &Keccak, mut h: State<L>, m: &[L; 21], _: Counter<L>) -> State<L> {
        for (word, &m) in h.iter_mut().zip(m) {
            *word = *word ^ m;
        }
        keccak_f(h)
    }

    #[inline(always)]
    fn squeeze(_: &Keccak, h: &mut State<L>, index: u64) -> State<L> {
        if index > 0 {
            *h = keccak_f(*h);
        }
        *h
    }
}

#[inline(always)]
fn keccak_f<L: Lanes<Native = u64>>(mut a: State<L>) -> State<L> {
    for rc in RC.as_chunks::<8>().0 {
        unroll!(i in 0..8 { a = round(a, L::constant(rc[i])); });
    }
    a
}

/// FIPS 202 §3.2: word x of plane y is χ of words that π brings from A[x + 3y, x].
#[inline(always)]
fn round<L: Lanes<Native = u64>>(a: State<L>, rc: L) -> State<L> {
    let mut c = [rc; 5];
    unroll!(x in 0..5 {
        c[x] = L::xor3(L::xor3(a[x], a[x + 5], a[x + 10]), a[x + 15], a[x + 20]);
    });
    let mut rotated = c;
    unroll!(x in 0..5 { rotated[x] = c[x].rotl(1); });
    let mut result = a;
    unroll!(y in 0..5 {
        let mut b = [rc; 5];
        unroll!(x in 0..5 {
            const SHEET: usize = (x + 3 * y) % 5;
            const FROM: usize = SHEET + 5 * x;
            let sum = L::xor3(c[(SHEET + 4) % 5], rotated[(SHEET + 1) % 5], a[FROM]);
            b[x] = if FROM == 0 { sum } else { sum.rotl(RHO[FROM]) };
        });
        unroll!(x in 0..5 {
            result[x + 5 * y] = L::chi(b[x], b[(x + 1) % 5], b[(x + 2) % 5]);
        });
    });
    result[0] = result[0] ^ rc;
    result
}
