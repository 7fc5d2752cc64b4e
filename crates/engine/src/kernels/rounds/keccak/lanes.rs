//! Keccak over lanes, plane by plane.
//!
//! In the definition's order all rotations of ρ come one after the other, and all logic of χ comes
//! after them. On AVX-512 rotations have one port, so that the other port idles while they run.
//! Here the five words of each plane of the result go through θ, ρ, π and χ together: rotations and
//! logic alternate, and the ports are busy in 0.96 of the cycles instead of 0.88.
//!
//! Where there are 16 registers, most of the 25 words of the state are in memory. Left alone, the
//! compiler loads each of them long before it is needed and spills it again, so that a round of
//! 188 operations on AVX2 takes 124 more for the stack. Therefore the state stays in an array, and
//! each word is read where it is needed and nowhere else.

use crate::kernels::rounds::memory;
use crate::kernels::text::{Nothing, Text};
use crate::lanes::Lanes;
use manylane_primitives::hash::Counter;
use manylane_primitives::hash::keccak::{Keccak, RC, RHO, State};
use manylane_primitives::unroll;

/// The definition's operations, plane by plane. The words of the state are in registers, or in
/// memory except for the last plane.
pub struct PlaneByPlane<const IN_MEMORY: bool>;

impl<L: Lanes<Native = u64>, const IN_MEMORY: bool> Text<Keccak, L> for PlaneByPlane<IN_MEMORY> {
    type Before = Nothing;

    #[inline(always)]
    fn compress(_: &Keccak, h: &mut State<L>, m: &[L; 21], _: Counter<L>) {
        for (word, &m) in h.iter_mut().zip(m) {
            *word = *word ^ m;
        }
        keccak_f::<L, IN_MEMORY>(h);
    }

    #[inline(always)]
    fn squeeze(_: &Keccak, h: &mut State<L>, index: u64) -> State<L> {
        if index > 0 {
            keccak_f::<L, IN_MEMORY>(h);
        }
        *h
    }
}

/// Five lanes of one y.
type PlaneOf<L> = [L; 5];

/// The definition's `keccak_f`.
#[inline(always)]
pub fn keccak_f<L: Lanes<Native = u64>, const IN_MEMORY: bool>(a: &mut State<L>) {
    /// Rounds in one piece. Words in memory are back in their places after four rounds, so that a
    /// loop over pieces of four moves nothing; words in registers gain from longer pieces.
    const fn at_once(in_memory: bool) -> usize {
        if in_memory { 4 } else { 8 }
    }
    let mut last = [a[20], a[21], a[22], a[23], a[24]];
    for rc in RC.chunks_exact(const { at_once(IN_MEMORY) }) {
        unroll!(i in 0..8 {
            if i < const { at_once(IN_MEMORY) } {
                last = round::<L, IN_MEMORY, { i % 4 }>(a, last, L::constant(rc[i]));
            }
        });
    }
    [a[20], a[21], a[22], a[23], a[24]] = last;
}

/// Where A[x, y] is after a number of rounds of which only the remainder by 4 counts.
///
/// A plane of the result takes the places of the five words that it is computed from, one of each
/// sheet. If (x, y) is at (x, cx + dy), then π and these places give c′ = c + d and d′ = 2d, and
/// after four rounds c = 0 and d = 1 again.
const fn place(round: usize, x: usize, y: usize) -> usize {
    let (c, d) = [(0, 1), (1, 2), (3, 4), (2, 3)][round % 4];
    x + 5 * ((c * x + d * y) % 5)
}

/// FIPS 202 §3.2: word x of plane y is χ of words that π brings from A[x + 3y, x]. The last plane
/// of the state is `last`, and that of the result is returned.
#[inline(always)]
fn round<L: Lanes<Native = u64>, const IN_MEMORY: bool, const ROUND: usize>(
    a: &mut State<L>,
    last: PlaneOf<L>,
    rc: L,
) -> PlaneOf<L> {
    let read = match IN_MEMORY {
        true => memory::read::<L>,
        false => |word: &L| *word,
    };
    let mut c = last;
    unroll!(x in 0..5 {
        let first = L::xor3(
            read(&a[const { place(ROUND, x, 0) }]),
            read(&a[const { place(ROUND, x, 1) }]),
            read(&a[const { place(ROUND, x, 2) }]),
        );
        c[x] = L::xor3(first, read(&a[const { place(ROUND, x, 3) }]), last[x]);
    });
    let mut rotated = c;
    unroll!(x in 0..5 { rotated[x] = c[x].rotl(1); });
    let mut plane = last;
    unroll!(y in 0..5 {
        let mut b = last;
        unroll!(x in 0..5 {
            const SHEET: usize = (x + 3 * y) % 5;
            let word = match x {
                4 => last[SHEET],
                _ => read(&a[const { place(ROUND, SHEET, x) }]),
            };
            let sum = L::xor3(c[(SHEET + 4) % 5], rotated[(SHEET + 1) % 5], word);
            b[x] = if SHEET + 5 * x == 0 { sum } else { sum.rotl(RHO[SHEET + 5 * x]) };
        });
        unroll!(x in 0..5 {
            plane[x] = L::chi(b[x], b[(x + 1) % 5], b[(x + 2) % 5]);
        });
        if y == 0 && IN_MEMORY {
            plane[0] = plane[0] ^ rc;
        }
        if y < 4 {
            unroll!(x in 0..5 { a[const { place(ROUND + 1, x, y) }] = plane[x]; });
        }
    });
    // A word in registers takes ι last, so that nothing of this round waits for the constant.
    if !IN_MEMORY {
        a[0] = a[0] ^ rc;
    }
    plane
}
