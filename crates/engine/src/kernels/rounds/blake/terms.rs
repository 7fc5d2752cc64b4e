//! The terms m ⊕ c of a block that the rounds of BLAKE add, prepared in vectors.

use crate::lanes::avx2::rows::MatrixRow;
use core::arch::asm;
use manylane_primitives::hash::blake::{Parameters, SIGMA};
use manylane_primitives::unroll;
use manylane_primitives::word::Native;

/// The terms m ⊕ c of a block for each of the ten different rounds, in the order in which a round
/// adds them: x of the four columns, y of the columns, x of the diagonals, y of the diagonals. The
/// term of a diagonal is at the index that the diagonal's b has in its row.
#[repr(align(64))]
pub struct Terms<N>(pub [[N; 16]; 10]);

impl<N: Native> Terms<N> {
    /// Keeps the terms in memory. The compiler would hold them in registers, into which they do not
    /// fit.
    #[inline(always)]
    pub fn keep_in_memory(&mut self) {
        // SAFETY: no instruction at all.
        unsafe { asm!("/* {0} */", in(reg) self, options(nostack, preserves_flags)) };
    }
}

/// Puts the 16 terms of round `ROUND` of the block `m` to the beginning of `out`. Panics if `out`
/// is shorter.
#[inline(always)]
pub fn prepare<P, R, const K: usize, const ROUND: usize>(m: [R; K], out: &mut [P::Native])
where
    P: Parameters,
    R: MatrixRow<Native = P::Native>,
{
    let of_words = const { &pieces::<K>(0) };
    let of_constants = const { &pieces::<K>(1) };
    let mut c = m;
    unroll!(i in 0..4 { if i < K { c[i] = R::load(&P::C[16 / K * i..]); } });
    unroll!(i in 0..4 {
        if i < K {
            let sum = R::pick(m, &of_words[ROUND][i]) ^ R::pick(c, &of_constants[ROUND][i]);
            sum.store(&mut out[16 / K * i..]);
        }
    });
}

/// Numbers of the word and of the constant in term `i` of round `r`. The diagonal that begins in
/// column n has its b in column n + 1 mod 4, so its term stands there too.
const fn term(r: usize, i: usize) -> [usize; 2] {
    let g = if i < 8 { i % 4 } else { 4 + (i + 3) % 4 };
    let second = i / 4 % 2;
    [SIGMA[r][2 * g + second], SIGMA[r][2 * g + 1 - second]]
}

/// The places, among the 16 words, of each 32 bits of the terms' message words (`of` = 0) or
/// constants (`of` = 1).
const fn pieces<const K: usize>(of: usize) -> [[[u32; 8]; K]; 10] {
    let width = K / 2;
    let mut all = [[[0; 8]; K]; 10];
    let mut i = 0;
    while i < 80 * K {
        let (r, piece) = (i / (8 * K), i % (8 * K));
        let number = term(r, piece / width)[of];
        all[r][piece / 8][piece % 8] = (width * number + piece % width) as u32;
        i += 1;
    }
    all
}
