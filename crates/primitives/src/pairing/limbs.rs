//! Polynomials over F_2 as 64-bit limbs, least significant first: bit i of limb j is the
//! coefficient of z^(64j + i). Constant-time wherever the machine's integer multiplication is.
//!
//! **About 59 bits of security at m = 1223, less below: for research and teaching only**
//! (see [the module](super)).

use super::parameters::Parameters;
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
/// therefore keeps 15 bits per class, its low 60 bits. Its upper four, times a class of the other, are
/// that class with each one replaced by the four bits: no sums at all.
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

/// The most limbs of an operand of [`multiply`]: m < 2048.
pub(super) const MAX: usize = 32;

/// `out` = a · b, n limbs each, 2n limbs of product. Karatsuba, halving down to five limbs.
fn multiply(a: &[u64], b: &[u64], out: &mut [u64]) {
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

/// The most bytes of an element.
const BYTES: usize = 8 * MAX;

/// a², a = even + s · odd, s = √z: even² + z · odd², whose bits are those of `even` and `odd` in
/// turn. A reduction after the bits are spread would fold twice as many limbs.
#[inline(never)]
pub(super) fn square<P: Parameters>(a: &P::Limbs) -> P::Limbs {
    let (even, odd) = divide_by_root::<P>(*a);
    let (mut low, mut high) = ([0u8; BYTES / 2], [0u8; BYTES / 2]);
    let n = P::Limbs::LEN.div_ceil(2);
    to_bytes(&even.as_ref()[..n], &mut low);
    to_bytes(&odd.as_ref()[..n], &mut high);
    let mut pairs = [0u16; BYTES / 2];
    for ((pair, &low), &high) in pairs[..8 * n].iter_mut().zip(&low).zip(&high) {
        *pair = interleaved(low, high);
    }
    let mut square = P::Limbs::splat(0);
    for (limb, pairs) in square.as_mut().iter_mut().zip(pairs.chunks_exact(4)) {
        *limb = (0..4).fold(0, |limb, i| limb | u64::from(pairs[i]) << (16 * i));
    }
    square
}

/// √a = a_even + √z · a_odd, where √z = z^((m+1)/2) + Σ z^((e+1)/2): no reduction is needed.
#[inline(never)]
pub(super) fn square_root<P: Parameters>(a: &P::Limbs) -> P::Limbs {
    let mut pairs = [0u16; BYTES / 2];
    for (pairs, &limb) in pairs.chunks_exact_mut(4).zip(a.as_ref()) {
        for (i, pair) in pairs.iter_mut().enumerate() {
            *pair = (limb >> (16 * i)) as u16;
        }
    }
    let (mut low, mut high) = ([0u8; BYTES / 2], [0u8; BYTES / 2]);
    for ((pair, low), high) in pairs[..4 * P::Limbs::LEN].iter().zip(&mut low).zip(&mut high) {
        [*low, *high] = separated(*pair);
    }
    let (mut root, mut odd) = (P::Limbs::splat(0), P::Limbs::splat(0));
    let half = P::Limbs::LEN.div_ceil(2);
    from_bytes(&low, &mut root.as_mut()[..half]);
    from_bytes(&high, &mut odd.as_mut()[..half]);
    let odd = &odd.as_ref()[..half];
    add_shifted(root.as_mut(), odd, P::M.div_ceil(2));
    for &e in P::MIDDLE {
        add_shifted(root.as_mut(), odd, e.div_ceil(2));
    }
    root
}

/// Bits of `even` and `odd` in turn. Loops over bytes and pairs of bytes are what compilers make
/// vectors of.
#[inline(always)]
fn interleaved(even: u8, odd: u8) -> u16 {
    let x = u16::from(even) | u16::from(odd) << 8;
    let x = exchanged(x, 0x00f0, 4);
    let x = exchanged(x, 0x0c0c, 2);
    exchanged(x, 0x2222, 1)
}

/// The inverse of [`interleaved`].
#[inline(always)]
fn separated(x: u16) -> [u8; 2] {
    let x = exchanged(x, 0x2222, 1);
    let x = exchanged(x, 0x0c0c, 2);
    exchanged(x, 0x00f0, 4).to_le_bytes()
}

/// The bits of `x` at `mask` change places with those n above.
#[inline(always)]
fn exchanged(x: u16, mask: u16, n: u32) -> u16 {
    let difference = (x ^ x >> n) & mask;
    x ^ difference ^ difference << n
}

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

/// (a mod s, a div s), s = √z of degree (m + 1)/2: half a limb at a time from the top, since terms of
/// s may be as near as 32 bits.
#[inline(always)]
fn divide_by_root<P: Parameters>(mut a: P::Limbs) -> (P::Limbs, P::Limbs) {
    let a_limbs = a.as_mut();
    let n = P::Limbs::LEN;
    let degree = P::M.div_ceil(2);
    let (limbs, bits) = (degree / 64, degree % 64);
    let remainder = (1 << bits) - 1;
    for i in (limbs..n).rev() {
        for half in [u64::MAX << 32, u64::MAX >> 32] {
            let quotient = a_limbs[i] & half & if i == limbs { !remainder } else { u64::MAX };
            for &e in P::MIDDLE {
                fold(a_limbs, i, quotient, (P::M - e) / 2);
            }
        }
    }
    let mut quotient = P::Limbs::splat(0);
    for i in limbs..n {
        let above = if i + 1 < n && bits != 0 { a_limbs[i + 1] << (64 - bits) } else { 0 };
        quotient.as_mut()[i - limbs] = a_limbs[i] >> bits | above;
        a_limbs[i] = if i == limbs { a_limbs[i] & remainder } else { 0 };
    }
    (a, quotient)
}

/// `out` += a · z^n; what lies beyond `out` must be zero and is left out.
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
