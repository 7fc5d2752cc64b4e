//! Polynomials over F_2 as 64-bit limbs, least significant first: bit i of limb j is the
//! coefficient of z^(64j + i). Constant-time wherever the machine's integer multiplication is.
//!
//! **About 59 bits of security at m = 1223, less below: for research and teaching only**
//! (see [the module](super)).

use super::five::{columns_of_five, terms_of_five};
use super::parameters::Parameters;
use super::rows;
use crate::word::Words;

/// Every fourth bit, from bit 0.
const HOLES: u64 = 0x1111_1111_1111_1111;

/// Bits 2, 3, 6, 7 …
const ODD_PAIRS: u128 = (u128::MAX / 5) << 2;

/// Bits 1, 3, 5 …
const ODD_BITS: u128 = (u128::MAX / 3) << 1;

/// Bits of `yes` at the mask, of `no` elsewhere.
#[inline(always)]
fn select(mask: u128, yes: u128, no: u128) -> u128 {
    no ^ (yes ^ no) & mask
}

/// Bits 0, 4, 8 …; 1, 5, 9 …; 2, 6, 10 …; 3, 7, 11 … of `x`.
#[inline(always)]
fn classes(x: u64) -> [u64; 4] {
    [x & HOLES, x & (HOLES << 1), x & (HOLES << 2), x & (HOLES << 3)]
}

/// The product x(z) · y(z), of degree at most 126.
///
/// An integer multiplication of operands with three zeros after each bit: coefficients are sums of
/// at most 15 ones, which the three zeros hold, and their parity is bit 0 of each. One operand
/// therefore keeps 15 bits per class, its low 60 bits. Its upper four, times a class of the other,
/// are that class with each 1 replaced by the four bits: nothing is added up.
#[inline(always)]
fn carry_less(x: u64, y: u64) -> u128 {
    let y4 = classes(y);
    let x4 = classes(x & (u64::MAX >> 4));
    // Sum i + j mod 4 of the products of classes: right at the bits of its class.
    let mut sums = [0; 4];
    for i in 0..4 {
        for j in 0..4 {
            sums[(i + j) % 4] ^= u128::from(x4[i]) * u128::from(y4[j]);
        }
    }
    let even = select(ODD_PAIRS, sums[2], sums[0]);
    let odd = select(ODD_PAIRS, sums[3], sums[1]);
    let product = select(ODD_BITS, odd, even);
    let upper = u128::from(x >> 60);
    let times = |j: usize| u128::from(y4[j]) * upper;
    product ^ (times(0) ^ times(1) ^ times(2) ^ times(3)) << 60
}

/// The most limbs of an operand of [`multiply`].
pub(super) const MAX: usize = 20;

/// Whether [`multiply`] takes operands of n limbs.
pub(super) const fn has_product(n: usize) -> bool {
    matches!(n, 1..=6 | MAX)
}

/// `out` = a · b, n limbs each, 2n limbs of product.
fn multiply(a: &[u64], b: &[u64], out: &mut [u64]) {
    match a.len() {
        1 => pairwise::<1>(a, b, out),
        2 => pairwise::<2>(a, b, out),
        3 => pairwise::<3>(a, b, out),
        4 => pairwise::<4>(a, b, out),
        5 => five(a, b, out),
        6 => halves::<3>(a, b, out),
        MAX => rows::multiply(a, b, out),
        n => unreachable!("no products of {n} limbs: see has_product"),
    }
}

/// 2H limbs by three products of H: a₀b₁ + a₁b₀ = (a₀ + a₁)(b₀ + b₁) + a₀b₀ + a₁b₁. Loops of a
/// known length are worth a tenth of the time.
#[inline(never)]
fn halves<const H: usize>(a: &[u64], b: &[u64], out: &mut [u64]) {
    let (a, b, out) = (a.as_chunks::<H>().0, b.as_chunks::<H>().0, out.as_chunks_mut().0);
    let mut middle = [[0; H]; 2];
    multiply(&sum(&a[0], &a[1]), &sum(&b[0], &b[1]), middle.as_flattened_mut());
    multiply(&a[0], &b[0], out[..2].as_flattened_mut());
    multiply(&a[1], &b[1], out[2..].as_flattened_mut());
    let inner = sum(&out[1], &out[2]);
    out[1] = sum(&sum(&inner, &out[0]), &middle[0]);
    out[2] = sum(&sum(&inner, &out[3]), &middle[1]);
}

/// a + b.
#[inline(always)]
fn sum<const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    core::array::from_fn(|i| a[i] ^ b[i])
}

/// Five limbs by 13 products, where [`pairwise`] takes 15.
#[inline(never)]
fn five(a: &[u64], b: &[u64], out: &mut [u64]) {
    let (a, b) = (terms_of_five(a.as_chunks().0[0]), terms_of_five(b.as_chunks().0[0]));
    let mut products = [0; 13];
    for i in 0..13 {
        products[i] = carry_less(a[i], b[i]);
    }
    let mut carry = 0;
    for (out, column) in out[..9].iter_mut().zip(columns_of_five(products)) {
        *out = carry ^ column as u64;
        carry = (column >> 64) as u64;
    }
    out[9] = carry;
}

/// N limbs by N(N + 1)/2 products: a_i b_j + a_j b_i = (a_i + a_j)(b_i + b_j) + a_i b_i + a_j b_j.
#[inline(never)]
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

/// a · b mod f.
#[inline(never)]
pub(super) fn multiply_mod<P: Parameters>(a: &P::Limbs, b: &P::Limbs) -> P::Limbs {
    let mut product = P::Product::splat(0);
    multiply(a.as_ref(), b.as_ref(), product.as_mut());
    reduce::<P>(product.as_mut());
    let mut reduced = P::Limbs::splat(0);
    reduced.as_mut().copy_from_slice(&product.as_ref()[..P::Limbs::LEN]);
    reduced
}

/// a becomes a². With a = even + s · odd, s = √z, that is even² + z · odd², whose bits are those of
/// `even` and `odd` in turn. A reduction after the bits are spread would fold twice as many limbs.
#[inline(never)]
pub(super) fn square<P: Parameters>(a: &mut P::Limbs) {
    let [mut even, mut odd] = divide_by_root::<P>(a);
    let half = P::Limbs::LEN.div_ceil(2);
    for (even, odd) in even.as_mut()[..half].iter_mut().zip(odd.as_mut()) {
        exchange::<1>(even, odd);
        exchange::<2>(even, odd);
        exchange::<4>(even, odd);
    }
    let (mut low, mut high, mut bytes) = ([0; BYTES / 2], [0; BYTES / 2], [0; BYTES]);
    to_bytes(&even.as_ref()[..half], &mut low);
    to_bytes(&odd.as_ref()[..half], &mut high);
    for i in 0..8 * half {
        bytes[2 * i] = low[i];
        bytes[2 * i + 1] = high[i];
    }
    from_bytes(&bytes, a.as_mut());
}

/// a becomes √a = a_even + √z · a_odd, √z = z^((m+1)/2) + Σ z^((e+1)/2): no reduction is needed.
#[inline(never)]
pub(super) fn square_root<P: Parameters>(a: &mut P::Limbs) {
    // These are arrays of pairs of bytes because compilers vectorise those, but not arrays of
    // bytes.
    let (mut pairs, mut low, mut high) = ([0; BYTES / 2], [0; BYTES / 2], [0; BYTES / 2]);
    for (pairs, &limb) in pairs.chunks_exact_mut(4).zip(a.as_ref()) {
        for (i, pair) in pairs.iter_mut().enumerate() {
            *pair = (limb >> (16 * i)) as u16;
        }
    }
    for ((pair, low), high) in pairs[..4 * P::Limbs::LEN].iter().zip(&mut low).zip(&mut high) {
        [*low, *high] = pair.to_le_bytes();
    }
    let (mut root, mut odd) = (P::Limbs::splat(0), P::Limbs::splat(0));
    let half = P::Limbs::LEN.div_ceil(2);
    from_bytes(&low, &mut root.as_mut()[..half]);
    from_bytes(&high, &mut odd.as_mut()[..half]);
    for (even, odd) in root.as_mut()[..half].iter_mut().zip(odd.as_mut()) {
        exchange::<4>(even, odd);
        exchange::<2>(even, odd);
        exchange::<1>(even, odd);
    }
    let odd = &odd.as_ref()[..half];
    add_shifted(root.as_mut(), odd, P::M.div_ceil(2));
    for &e in P::MIDDLE {
        add_shifted(root.as_mut(), odd, e.div_ceil(2));
    }
    *a = root;
}

/// In each 2N bits the upper N of `even` change places with the lower N of `odd`. After calls with
/// N = 1, 2 and 4, the bytes of `even` and `odd`, taken alternately, hold the bits of `even` and
/// `odd` alternately; calls with N = 4, 2 and 1 undo this.
#[inline(always)]
fn exchange<const N: u32>(even: &mut u64, odd: &mut u64) {
    // N ones, N zeros, N ones …
    let mask = u64::MAX / ((1 << N) + 1);
    let difference = (*even >> N ^ *odd) & mask;
    *even ^= difference << N;
    *odd ^= difference;
}

/// The most bytes of an element.
const BYTES: usize = 8 * MAX;

/// Little-endian bytes of limbs.
#[inline(always)]
fn to_bytes(limbs: &[u64], bytes: &mut [u8]) {
    for (bytes, limb) in bytes.chunks_exact_mut(8).zip(limbs) {
        bytes.copy_from_slice(&limb.to_le_bytes());
    }
}

/// The inverse of [`to_bytes`].
#[inline(always)]
fn from_bytes(bytes: &[u8], limbs: &mut [u64]) {
    for (limb, bytes) in limbs.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *limb = u64::from_le_bytes(*bytes);
    }
}

/// (a mod s, a div s), s = √z = z^d (1 + D), D = Σ z^((e+1)/2 − d): a div s is a z^−d over 1 + D
/// without its fraction, and 1 over 1 + D is (1 + D)(1 + D²)(1 + D⁴) … where D^n = Σ z^(n ((e+1)/2
/// − d)) for these n.
#[inline(always)]
fn divide_by_root<P: Parameters>(a: &P::Limbs) -> [P::Limbs; 2] {
    let degree = P::M.div_ceil(2);
    let half = P::Limbs::LEN.div_ceil(2);
    let (mut quotient, mut rest) = (P::Limbs::splat(0), P::Limbs::splat(0));
    add_shifted_down(&mut quotient.as_mut()[..half], a.as_ref(), degree);
    let mut n = 1;
    // MIDDLE descends.
    while n * (degree - P::MIDDLE[0].div_ceil(2)) < P::M - degree {
        let before = quotient;
        for &e in P::MIDDLE {
            let shift = n * (degree - e.div_ceil(2));
            add_shifted_down(&mut quotient.as_mut()[..half], &before.as_ref()[..half], shift);
        }
        n *= 2;
    }
    let low = &mut rest.as_mut()[..half];
    low.copy_from_slice(&a.as_ref()[..half]);
    for &e in P::MIDDLE {
        add_shifted(low, &quotient.as_ref()[..half], e.div_ceil(2));
    }
    low[half - 1] &= u64::MAX >> (64 * half - degree);
    [rest, quotient]
}

/// `out` += a div z^n; what lies beyond `out` must be zero and is left out.
#[inline(always)]
fn add_shifted_down(out: &mut [u64], a: &[u64], n: usize) {
    let (limbs, bits) = (n / 64, n % 64);
    for (out, &a) in out.iter_mut().zip(a.iter().skip(limbs)) {
        *out ^= a >> bits;
    }
    if bits != 0 {
        for (out, &a) in out.iter_mut().zip(a.iter().skip(limbs + 1)) {
            *out ^= a << (64 - bits);
        }
    }
}

/// `out` += a · z^n; what lies beyond `out` is left out.
#[inline(always)]
fn add_shifted(out: &mut [u64], a: &[u64], n: usize) {
    let (limbs, bits) = (n / 64, n % 64);
    for (out, &a) in out[limbs..].iter_mut().zip(a) {
        *out ^= a << bits;
    }
    if bits != 0 {
        for (out, &a) in out[limbs + 1..].iter_mut().zip(a) {
            *out ^= a >> (64 - bits);
        }
    }
}

/// `product` mod f, of degree below m. Algorithm 2 of the paper for any f: each limb from the top
/// folds into two limbs per term, at distance m − e.
#[inline(always)]
fn reduce<P: Parameters>(c: &mut [u64]) {
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
}

/// Adds t · z^(64i − distance), which is no fraction.
#[inline(always)]
fn fold(c: &mut [u64], i: usize, t: u64, distance: usize) {
    let (limbs, bits) = (distance / 64, distance % 64);
    c[i - limbs] ^= t >> bits;
    if bits != 0 && i > limbs {
        c[i - limbs - 1] ^= t << (64 - bits);
    }
}
