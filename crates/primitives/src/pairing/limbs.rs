//! Polynomials over F_2 as 64-bit limbs, least significant first: bit i of limb j is the
//! coefficient of z^(64j + i). Constant-time wherever the machine's integer multiplication is.
//!
//! **About 59 bits of security at m = 1223, less below: for research and teaching only**
//! (see [the module](super)).

use super::parameters::Parameters;
use crate::word::Words;

/// Every fourth bit, from bit 0.
const HOLES: u64 = 0x1111_1111_1111_1111;

/// Bits 0, 4, 8 …; 1, 5, 9 …; 2, 6, 10 …; 3, 7, 11 … of `x`.
#[inline(always)]
fn classes(x: u64) -> [u64; 4] {
    [x & HOLES, x & (HOLES << 1), x & (HOLES << 2), x & (HOLES << 3)]
}

/// The product x(z) · y(z), of degree at most 126.
///
/// An integer multiplication of operands with three zeros after each bit: coefficients are sums of
/// at most 15 ones, which the three zeros hold, and their parity is bit 0 of each. One operand
/// therefore keeps 15 bits per class, its low 60 bits. Its upper four, times a class of the other, are
/// that class with each one replaced by the four bits: no sums at all.
#[inline(always)]
fn carry_less(x: u64, y: u64) -> u128 {
    let y4 = classes(y);
    let x4 = classes(x & (u64::MAX >> 4));
    let times = |i: usize, j: usize| u128::from(x4[i]) * u128::from(y4[j]);
    let mut product = 0;
    for k in 0..4 {
        // Classes i + j ≡ k mod 4.
        let sum =
            times(0, k) ^ times(1, (k + 3) % 4) ^ times(2, (k + 2) % 4) ^ times(3, (k + 1) % 4);
        let holes = u128::from(HOLES) << 64 | u128::from(HOLES);
        product ^= sum & (holes << k);
    }
    let upper = u128::from(x >> 60);
    let times = |j: usize| u128::from(y4[j]) * upper;
    product ^ (times(0) ^ times(1) ^ times(2) ^ times(3)) << 60
}

/// The most limbs of an operand of [`multiply`]: m < 2048.
pub(super) const MAX: usize = 32;

/// `out` = a · b, n limbs each, 2n limbs of product. Karatsuba, halving down to five limbs.
pub(super) fn multiply(a: &[u64], b: &[u64], out: &mut [u64]) {
    match a.len() {
        1 => pairwise::<1>(a, b, out),
        2 => pairwise::<2>(a, b, out),
        3 => pairwise::<3>(a, b, out),
        4 => pairwise::<4>(a, b, out),
        5 => pairwise::<5>(a, b, out),
        n => {
            let h = n.div_ceil(2);
            let (mut a01, mut b01, mut middle) = ([0; MAX / 2], [0; MAX / 2], [0; MAX]);
            let (a01, b01, middle) = (&mut a01[..h], &mut b01[..h], &mut middle[..2 * h]);
            sum_of_halves(a, a01);
            sum_of_halves(b, b01);
            multiply(a01, b01, middle);
            multiply(&a[..h], &b[..h], &mut out[..2 * h]);
            multiply(&a[h..], &b[h..], &mut out[2 * h..]);
            add(middle, &out[..2 * h]);
            add(middle, &out[2 * h..]);
            add(&mut out[h..], middle);
        }
    }
}

/// `out` += a; a limb that either has not is left out.
#[inline(always)]
fn add(out: &mut [u64], a: &[u64]) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out ^= a;
    }
}

/// `out` = low half of a + high half.
#[inline(always)]
fn sum_of_halves(a: &[u64], out: &mut [u64]) {
    let (low, high) = a.split_at(out.len());
    out.copy_from_slice(low);
    add(out, high);
}

/// N limbs by N(N + 1)/2 products: a_i b_j + a_j b_i = (a_i + a_j)(b_i + b_j) + a_i b_i + a_j b_j.
#[inline(always)]
fn pairwise<const N: usize>(a: &[u64], b: &[u64], out: &mut [u64]) {
    let (a, b) = (&a[..N], &b[..N]);
    let mut squares = [0; N];
    for i in 0..N {
        squares[i] = carry_less(a[i], b[i]);
    }
    let mut carry = 0;
    for (k, out) in out[..2 * N - 1].iter_mut().enumerate() {
        let mut column = 0;
        for i in k.saturating_sub(N - 1)..=k / 2 {
            let j = k - i;
            column ^= match i == j {
                true => squares[i],
                false => carry_less(a[i] ^ a[j], b[i] ^ b[j]) ^ squares[i] ^ squares[j],
            };
        }
        *out = carry ^ column as u64;
        carry = (column >> 64) as u64;
    }
    out[2 * N - 1] = carry;
}

/// Bit i of `x` to bit 2i.
#[inline(always)]
fn spread(x: u32) -> u64 {
    let mut x = u64::from(x);
    x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
    x = (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    x = (x | x << 2) & 0x3333_3333_3333_3333;
    (x | x << 1) & 0x5555_5555_5555_5555
}

/// Bit 2i of `x` to bit i; the odd bits are dropped.
#[inline(always)]
fn gather(x: u64) -> u64 {
    let mut x = x & 0x5555_5555_5555_5555;
    x = (x | x >> 1) & 0x3333_3333_3333_3333;
    x = (x | x >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    x = (x | x >> 4) & 0x00ff_00ff_00ff_00ff;
    x = (x | x >> 8) & 0x0000_ffff_0000_ffff;
    (x | x >> 16) & 0xffff_ffff
}

/// `out` = a² before reduction: a zero after each coefficient.
#[inline(always)]
pub(super) fn square(a: &[u64], out: &mut [u64]) {
    for (out, &a) in out.chunks_exact_mut(2).zip(a) {
        out[0] = spread(a as u32);
        out[1] = spread((a >> 32) as u32);
    }
}

/// √a = a_even + √z · a_odd, where √z = z^((m+1)/2) + Σ z^((e+1)/2): no reduction is needed.
#[inline(always)]
pub(super) fn square_root<P: Parameters>(a: &P::Limbs) -> P::Limbs {
    let a = a.as_ref();
    let (mut even, mut odd) = (P::Limbs::splat(0), P::Limbs::splat(0));
    for (i, pair) in a.chunks(2).enumerate() {
        let (low, high) = (pair[0], pair.get(1).copied().unwrap_or(0));
        even.as_mut()[i] = gather(low) | gather(high) << 32;
        odd.as_mut()[i] = gather(low >> 1) | gather(high >> 1) << 32;
    }
    let half = P::Limbs::LEN.div_ceil(2);
    for &e in [P::M].iter().chain(P::MIDDLE) {
        add_shifted(even.as_mut(), &odd.as_ref()[..half], e.div_ceil(2));
    }
    even
}

/// `out` += a · z^n; what lies beyond `out` must be zero and is left out.
#[inline(always)]
fn add_shifted(out: &mut [u64], a: &[u64], n: usize) {
    let (limbs, bits) = (n / 64, n % 64);
    for (i, &a) in a.iter().enumerate() {
        if let Some(out) = out.get_mut(limbs + i) {
            *out ^= a << bits;
        }
        if bits != 0
            && let Some(out) = out.get_mut(limbs + i + 1)
        {
            *out ^= a >> (64 - bits);
        }
    }
}

/// `product` mod f, of degree below m. Algorithm 2 of the paper for any f: each limb from the top
/// folds into two limbs per term, at distance m − e.
#[inline(always)]
pub(super) fn reduce<P: Parameters>(mut product: P::Product) -> P::Limbs {
    let c = product.as_mut();
    let n = P::Limbs::LEN;
    for i in (n..2 * n).rev() {
        let t = c[i];
        fold(c, i, t, P::M);
        for &e in P::MIDDLE {
            fold(c, i, t, P::M - e);
        }
    }
    // The top limb holds coefficients from z^m on.
    let excess = c[n - 1] >> (P::M % 64);
    c[n - 1] ^= excess << (P::M % 64);
    c[0] ^= excess;
    for &e in P::MIDDLE {
        c[e / 64] ^= excess << (e % 64);
        if e % 64 != 0 {
            c[e / 64 + 1] ^= excess >> (64 - e % 64);
        }
    }
    let mut limbs = P::Limbs::splat(0);
    limbs.as_mut().copy_from_slice(&c[..n]);
    limbs
}

/// Adds t · z^(64i − distance).
#[inline(always)]
fn fold(c: &mut [u64], i: usize, t: u64, distance: usize) {
    let (limbs, bits) = (distance / 64, distance % 64);
    c[i - limbs] ^= t >> bits;
    if bits != 0 {
        c[i - limbs - 1] ^= t << (64 - bits);
    }
}
