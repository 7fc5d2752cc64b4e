//! The product of two polynomials over F_2 of 20 limbs, eight integer multiplications at a time.
//! Constant-time wherever the machine's multiplication is.
//!
//! **About 59 bits of security at m = 1223, less below: for research and teaching only**
//! (see [the module](super)).
//!
//! ```text
//! 20 limbs → 10 rows of 8 words → 39 rows to multiply, Karatsuba's terms → 5 blocks of 8 rows
//!          → transposed, 8 words of 8 rows → 27 to multiply, Karatsuba's terms → products of words
//! ```
//! and back. Words have 16 bits and each step is a loop over the words of a row, of which compilers
//! make vectors even for the oldest 64-bit CPUs. For operands of one block, [`limbs`](super::limbs)
//! is faster.

use super::five::{columns_of_five, terms_of_five};
use core::array::from_fn;
use core::hint::black_box;
use core::ops::BitXor;

/// 128 coefficients, or word i of eight polynomials.
type Row = [u16; LANES];

/// A product of two rows.
type Wide = [u16; 2 * LANES];

/// Eight rows.
type Block = [u16; LANES * LANES];

/// The polynomials in a block, and the words of each.
const LANES: usize = 8;

/// Blocks of rows to multiply: three times 13 rows, and one that stays zero.
const BLOCKS: usize = 5;

/// Words to multiply in a row.
const TERMS: usize = 27;

/// `out` = a · b, 20 limbs each, 40 limbs of product.
pub(super) fn multiply(a: &[u64], b: &[u64], out: &mut [u64]) {
    let mut spare = CacheLine([[0; LANES * LANES]; BLOCKS]);
    let mut a_blocks = CacheLine([[0; LANES * LANES]; BLOCKS]);
    let mut b_blocks = CacheLine([[0; LANES * LANES]; BLOCKS]);
    split(a, &mut spare.0, &mut a_blocks.0);
    split(b, &mut spare.0, &mut b_blocks.0);
    let mut rows = CacheLine([[[0; 2 * LANES]; LANES]; BLOCKS]);
    let mut products = CacheLine([[[0; LANES]; 2]; TERMS]);
    for ((a, b), rows) in a_blocks.0.iter().zip(&b_blocks.0).zip(&mut rows.0) {
        carry_less(&evaluate(a).0, &evaluate(b).0, &mut products.0);
        interpolate(&products.0, rows);
    }
    join(rows.0.as_flattened(), out);
}

/// Starts at a cache line: vectors that straddle two lines cost a tenth of the time.
#[repr(align(64))]
struct CacheLine<T>(T);

/// The rows to multiply, in transposed blocks: the lower five rows, the upper five, their sums.
#[inline(never)]
fn split(limbs: &[u64], spare: &mut [Block; BLOCKS], out: &mut [Block; BLOCKS]) {
    let mut halves = [[[0; LANES]; 5]; 2];
    let words = halves.as_flattened_mut().as_flattened_mut().as_chunks_mut::<4>().0;
    for (words, limb) in words.iter_mut().zip(limbs) {
        *words = from_fn(|i| (limb >> (16 * i)) as u16);
    }
    let [low, high] = &halves;
    let both = from_fn(|i| sum(&low[i], &high[i]));
    let rows = spare.as_flattened_mut().as_chunks_mut::<LANES>().0;
    for (part, rows) in [*low, *high, both].into_iter().zip(rows.as_chunks_mut::<13>().0) {
        *rows = terms_of_five(part.map(Sum)).map(|Sum(term)| term);
    }
    interleave(spare, out);
    interleave(out, spare);
    interleave(spare, out);
}

/// Takes elements from the two halves of each block in turn. Three times this transposes the block.
#[inline(never)]
fn interleave(blocks: &[Block], out: &mut [Block]) {
    for (block, out) in blocks.iter().zip(out) {
        let (low, high) = block.split_at(LANES * LANES / 2);
        for ((out, &low), &high) in out.as_chunks_mut().0.iter_mut().zip(low).zip(high) {
            *out = [low, high];
        }
    }
}

/// A row as a summand.
#[derive(Clone, Copy)]
struct Sum(Row);

impl BitXor for Sum {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(sum(&self.0, &other.0))
    }
}

/// a + b.
#[inline(always)]
fn sum<const N: usize>(a: &[u16; N], b: &[u16; N]) -> [u16; N] {
    let mut sum = [0; N];
    for i in 0..N {
        sum[i] = a[i] ^ b[i];
    }
    sum
}

/// The inverse of [`split`], but for the transposition, for products.
#[inline(never)]
fn join(products: &[Wide], out: &mut [u64]) {
    let mut parts = [[[0; LANES]; 10]; 3];
    for (part, products) in parts.iter_mut().zip(products.as_chunks::<13>().0) {
        let mut columns = [[0; 2 * LANES]; 9];
        for i in 0..2 * LANES {
            let words = columns_of_five(from_fn(|k| products[k][i]));
            for k in 0..9 {
                columns[k][i] = words[k];
            }
        }
        let halves = columns.as_flattened().as_chunks::<LANES>().0;
        part[0] = halves[0];
        for i in 1..9 {
            part[i] = sum(&halves[2 * i - 1], &halves[2 * i]);
        }
        part[9] = halves[17];
    }
    let [low, high, both] = &parts;
    let mut rows = [[0; LANES]; 20];
    for i in 0..5 {
        let inner = sum(&low[5 + i], &high[i]);
        rows[i] = low[i];
        rows[5 + i] = sum(&sum(&inner, &low[i]), &both[i]);
        rows[10 + i] = sum(&sum(&inner, &high[5 + i]), &both[5 + i]);
        rows[15 + i] = high[5 + i];
    }
    for (limb, words) in out.iter_mut().zip(rows.as_flattened().as_chunks::<4>().0) {
        *limb = (0..4).fold(0, |limb, i| limb | u64::from(words[i]) << (16 * i));
    }
}

/// Eight words by 27 products of words, Karatsuba thrice, in every lane.
#[inline(never)]
fn evaluate(words: &Block) -> CacheLine<[Row; TERMS]> {
    let (mut fours, mut twos, mut ones) = ([0; 96], [0; 144], CacheLine([[0; LANES]; TERMS]));
    halve::<32>(words, &mut fours);
    halve::<16>(&fours, &mut twos);
    halve::<LANES>(&twos, ones.0.as_flattened_mut());
    ones
}

/// The lower half, the upper half and their sum of every 2N.
#[inline(always)]
fn halve<const N: usize>(a: &[u16], out: &mut [u16]) {
    let (a, out) = (a.as_chunks::<N>().0.as_chunks().0, out.as_chunks_mut().0.as_chunks_mut().0);
    for ([low, high], out) in a.iter().zip(out) {
        *out = [*low, *high, sum(low, high)];
    }
}

/// The inverse of [`evaluate`] and of the transposition, for products.
#[inline(never)]
fn interpolate(products: &[[Row; 2]; TERMS], out: &mut [Wide; LANES]) {
    let (mut twos, mut fours, mut eights) = ([0; 288], [0; 192], [[0; LANES * LANES]; 2]);
    combine::<LANES>(products.as_flattened().as_flattened(), &mut twos);
    combine::<16>(&twos, &mut fours);
    combine::<32>(&fours, eights.as_flattened_mut());
    let low = in_turn(&in_turn(&in_turn(&eights[0])));
    let high = in_turn(&in_turn(&in_turn(&eights[1])));
    let halves = low.as_chunks::<LANES>().0.iter().zip(high.as_chunks::<LANES>().0);
    for (out, (low, high)) in out.iter_mut().zip(halves) {
        out[..LANES].copy_from_slice(low);
        out[LANES..].copy_from_slice(high);
    }
}

/// a₀b₁ + a₁b₀ = (a₀ + a₁)(b₀ + b₁) + a₀b₀ + a₁b₁ for every three products, 2N each.
#[inline(always)]
fn combine<const N: usize>(products: &[u16], out: &mut [u16]) {
    let products = products.as_chunks::<N>().0.as_chunks::<6>().0;
    let out = out.as_chunks_mut::<N>().0.as_chunks_mut::<4>().0;
    for (products, out) in products.iter().zip(out) {
        for i in 0..N {
            let inner = products[1][i] ^ products[2][i];
            out[0][i] = products[0][i];
            out[1][i] = inner ^ products[0][i] ^ products[4][i];
            out[2][i] = inner ^ products[3][i] ^ products[5][i];
            out[3][i] = products[3][i];
        }
    }
}

/// [`interleave`] between registers: compilers vectorise neither function in the other's place.
#[inline(always)]
fn in_turn(block: &Block) -> Block {
    let mut out = [0; LANES * LANES];
    for i in 0..LANES * LANES / 2 {
        out[2 * i] = block[i];
        out[2 * i + 1] = block[LANES * LANES / 2 + i];
    }
    out
}

/// Bits 0, 3 … 15; 1, 4 … 13; 2, 5 … 14.
const CLASSES: [u16; 3] = [0x9249, 0x2492, 0x4924];

/// Products of words, low half and high half.
///
/// An integer multiplication of operands with two zeros after each bit: coefficients are sums of at
/// most six ones, which three bits hold, and their parity is bit 0 of each.
#[inline(never)]
fn carry_less(a: &[Row; TERMS], b: &[Row; TERMS], products: &mut [[Row; 2]; TERMS]) {
    // `black_box` hides that the factors are below 2^15: for such factors compilers choose a slower
    // multiplication.
    let classes = black_box(CLASSES);
    for ((a, b), [low, high]) in a.iter().zip(b).zip(products) {
        for i in 0..LANES {
            [low[i], high[i]] = carry_less_word(&classes, a[i], b[i]);
        }
    }
}

/// One product of [`carry_less`].
#[inline(always)]
fn carry_less_word(classes: &[u16; 3], a: u16, b: u16) -> [u16; 2] {
    let (a, b) = (classes.map(|class| a & class), classes.map(|class| b & class));
    // Sum i + j mod 3 of the products of classes: right at the bits of its class.
    let (mut low, mut high) = ([0; 3], [0; 3]);
    for i in 0..3 {
        for j in 0..3 {
            low[(i + j) % 3] ^= a[i].wrapping_mul(b[j]);
            high[(i + j) % 3] ^= ((u32::from(a[i]) * u32::from(b[j])) >> 16) as u16;
        }
    }
    // Bit 16, the lowest of the upper half, is of class 1.
    let select =
        |x: [u16; 3], first| (0..3).fold(0, |all, i| all | x[(first + i) % 3] & CLASSES[i]);
    [select(low, 0), select(high, 1)]
}
