//! F_2^1223 in ten 128-bit limbs, f = z^1223 + z^255 + 1: the same text for one element per vector
//! and for four.
//!
//! No closures, which a compiler may leave outside the shell's features, and no loops that it may
//! leave rolled up.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).

use super::lanes::LIMBS;
use super::limb::{Limb, Limbs};

/// Limbs of half an element.
pub(super) const HALF: usize = LIMBS / 2;

/// (a_i + a_j)(b_i + b_j), the words a_i and b_i being those of p_i: both sums are one addition.
#[inline(always)]
fn cross<V: Limb>(p: &[V; HALF], i: usize, j: usize) -> V {
    let sum = V::xor(p[i], p[j]);
    V::cross_product(sum, sum)
}

/// Five words of a by five of b, Σ a_i b_j z^(128 (i + j)): by 13 products where three terms are
/// added at once, else by 15, which take fewer additions. In xmm registers the 13 gain a fiftieth
/// on Zen 5, where a product is as dear as four additions, and lose a tenth on Sapphire Rapids.
#[inline(always)]
fn five<V: Limb>(p: &[V; HALF]) -> [V; 9] {
    if V::ADDS_THREE { thirteen(p) } else { fifteen(p) }
}

/// With d_i = a_i b_i, a_i b_j + a_j b_i is [`cross`] + d_i + d_j: column k takes every d_i that
/// has a partner k − i. With the definition's 25 products a pairing takes longer.
#[inline(always)]
fn fifteen<V: Limb>(p: &[V; HALF]) -> [V; 9] {
    let [d0, d1, d2] =
        [V::cross_product(p[0], p[0]), V::cross_product(p[1], p[1]), V::cross_product(p[2], p[2])];
    let [d3, d4] = [V::cross_product(p[3], p[3]), V::cross_product(p[4], p[4])];
    let [d01, d34] = [V::xor(d0, d1), V::xor(d3, d4)];
    let [d012, d234] = [V::xor(d01, d2), V::xor(d2, d34)];
    [
        d0,
        V::xor(d01, cross(p, 0, 1)),
        V::xor(d012, cross(p, 0, 2)),
        V::xor3(V::xor(d012, d3), cross(p, 0, 3), cross(p, 1, 2)),
        V::xor3(V::xor(d012, d34), cross(p, 0, 4), cross(p, 1, 3)),
        V::xor3(V::xor(d1, d234), cross(p, 1, 4), cross(p, 2, 3)),
        V::xor(d234, cross(p, 2, 4)),
        V::xor(d34, cross(p, 3, 4)),
        d4,
    ]
}

/// P. L. Montgomery, "Five, six, and seven-term Karatsuba-like formulae" (2005), mod 2. A number
/// names the terms of a sum: d023 = (a_0 + a_2 + a_3)(b_0 + b_2 + b_3).
#[inline(always)]
fn thirteen<V: Limb>(&[p0, p1, p2, p3, p4]: &[V; HALF]) -> [V; 9] {
    let [p01, p04, p34] = [V::xor(p0, p1), V::xor(p0, p4), V::xor(p3, p4)];
    let [p023, p124, p0134] = [V::xor3(p0, p2, p3), V::xor3(p1, p2, p4), V::xor(p01, p34)];
    let [p0124, p0234, all] = [V::xor(p124, p0), V::xor(p023, p4), V::xor(p0134, p2)];
    let [d0, d1] = [V::cross_product(p0, p0), V::cross_product(p1, p1)];
    let [d3, d4] = [V::cross_product(p3, p3), V::cross_product(p4, p4)];
    let [d01, d34] = [V::cross_product(p01, p01), V::cross_product(p34, p34)];
    let [d04, d0134] = [V::cross_product(p04, p04), V::cross_product(p0134, p0134)];
    let [d023, d124] = [V::cross_product(p023, p023), V::cross_product(p124, p124)];
    let [d0124, d0234] = [V::cross_product(p0124, p0124), V::cross_product(p0234, p0234)];
    let all = V::cross_product(all, all);
    let [c1, c7] = [V::xor3(d0, d1, d01), V::xor3(d3, d4, d34)];
    let [lower, upper] = [V::xor3(d01, d04, d0124), V::xor3(d34, d04, d0234)];
    let [ends, most] = [V::xor(d0, d4), V::xor(d0134, all)];
    [
        d0,
        c1,
        V::xor3(ends, lower, d124),
        V::xor3(d4, upper, most),
        V::xor3(V::xor3(c1, c7, d023), d124, all),
        V::xor3(d0, lower, most),
        V::xor3(ends, upper, d023),
        c7,
        d4,
    ]
}

/// Five limbs of a by five of b, whose low words are in `low` and whose high words in `high`.
///
/// A limb is lo + hi z^64, and a product of limbs
/// lo·lo + ((lo + hi)(lo + hi) + lo·lo + hi·hi) z^64 + hi·hi z^128: three planes of five words by
/// five, each at its own distance, so that no product is shifted before all are summed.
#[inline(always)]
pub(super) fn half<V: Limb>(low: &[V; HALF], high: &[V; HALF]) -> [V; 10] {
    let zero = V::splat([0, 0]);
    let mut both = [zero; HALF];
    for i in 0..HALF {
        both[i] = V::xor(low[i], high[i]);
    }
    let (low, high, middle) = (five(low), five(high), five(&both));
    let mut out = [zero; 10];
    let mut below = zero;
    for k in 0..10 {
        let above = if k < 9 { V::xor3(middle[k], low[k], high[k]) } else { zero };
        let shifted = V::bytes_from::<8>(above, below);
        below = above;
        out[k] = match k {
            0 => V::xor(low[0], shifted),
            9 => V::xor(high[8], shifted),
            _ => V::xor3(low[k], high[k - 1], shifted),
        };
    }
    out
}

/// a · b before reduction: Karatsuba over halves of five limbs. A word of a and the same word of b
/// share a vector, which halves the additions and the registers.
#[inline(always)]
pub(super) fn product<V: Limb>(a: &Limbs<V>, b: &Limbs<V>) -> [V; 20] {
    let zero = V::splat([0, 0]);
    let (mut low, mut high) = ([[zero; HALF]; 3], [[zero; HALF]; 3]);
    for i in 0..HALF {
        low[0][i] = V::low_words(a[i], b[i]);
        high[0][i] = V::high_words(a[i], b[i]);
        low[1][i] = V::low_words(a[i + HALF], b[i + HALF]);
        high[1][i] = V::high_words(a[i + HALF], b[i + HALF]);
        low[2][i] = V::xor(low[0][i], low[1][i]);
        high[2][i] = V::xor(high[0][i], high[1][i]);
    }
    let p0 = half(&low[0], &high[0]);
    let p1 = half(&low[1], &high[1]);
    merge(p0, p1, half(&low[2], &high[2]))
}

/// The product from those of the low halves, of the high halves and of their sums.
#[inline(always)]
pub(super) fn merge<V: Limb>(p0: [V; 10], p1: [V; 10], p01: [V; 10]) -> [V; 20] {
    let mut out = [p0[0]; 20];
    for k in 0..HALF {
        let inner = V::xor(p0[k + HALF], p1[k]);
        out[k] = p0[k];
        out[k + HALF] = V::xor3(inner, p0[k], p01[k]);
        out[k + 2 * HALF] = V::xor3(inner, p01[k + HALF], p1[k + HALF]);
        out[k + 3 * HALF] = p1[k + HALF];
    }
    out
}

/// Twenty limbs mod f. With c = c_low + z^1223 h, c = c_low + h + z^255 h: h is c ≫ 1223 (nine
/// limbs, a word and 7 bits), z^255 h is c ≫ 968 (seven limbs and nine bytes) from bit 255 on.
#[inline(always)]
pub(super) fn reduce<V: Limb>(mut c: [V; 20]) -> Limbs<V> {
    for k in [9, 10, 11] {
        c[k] = V::xor(c[k], V::bytes_from::<9>(c[k + 8], c[k + 7]));
    }
    let mut out = [c[0]; LIMBS];
    for k in 0..LIMBS {
        let h = V::shift_right::<7, 57>(c[k + 10], V::bytes_from::<8>(c[k + 10], c[k + 9]));
        let folded = V::bytes_from::<9>(c[k + 8], c[k + 7]);
        out[k] = match k {
            0 => V::xor(c[0], h),
            1 => V::xor3(c[1], h, V::and(folded, V::splat([0, 1 << 63]))),
            9 => V::xor(V::and(c[9], V::splat([u64::MAX, 0x7f])), h),
            _ => V::xor3(c[k], h, folded),
        };
    }
    out
}

/// a · b mod f.
#[inline(always)]
pub(super) fn multiply<V: Limb>(a: &Limbs<V>, b: &Limbs<V>) -> Limbs<V> {
    reduce(product(a, b))
}

/// a² mod f = even² + z · odd², where a = even + (z^612 + z^128) odd: see [`square_root`], whose
/// inverse this is. Folding before bits are spread folds half as many.
#[inline(always)]
pub(super) fn square<V: Limb>(a: &Limbs<V>) -> Limbs<V> {
    let (mut even, mut odd) = ([a[0]; HALF], [a[0]; HALF]);
    for k in 0..HALF {
        odd[k] = from_bit_100(a[k + HALF], a[k + HALF - 1]);
    }
    // odd · z^128 reaches beyond z^612 once more.
    odd[0] = V::xor(odd[0], from_bit_100(odd[HALF - 1], odd[HALF - 2]));
    for k in 1..HALF {
        even[k] = V::xor(a[k], odd[k - 1]);
    }
    even[HALF - 1] = V::and(even[HALF - 1], V::splat([u64::MAX, (1 << 36) - 1]));
    let mut out = *a;
    for k in 0..HALF {
        [out[2 * k], out[2 * k + 1]] = V::interleave(even[k], odd[k]);
    }
    out
}

/// 128 bits of `low` and `high` in a row, from bit 100 on: 612 bits are four limbs and 100 bits.
#[inline(always)]
fn from_bit_100<V: Limb>(high: V, low: V) -> V {
    V::shift_right::<36, 28>(high, V::bytes_from::<8>(high, low))
}

/// √a = a_even + √z · a_odd, √z = z^612 + z^128.
#[inline(always)]
pub(super) fn square_root<V: Limb>(a: &Limbs<V>) -> Limbs<V> {
    let zero = V::splat([0, 0]);
    let (mut even, mut odd) = ([zero; LIMBS + 1], [zero; HALF + 1]);
    let low_nibbles = V::splat([0x0f0f_0f0f_0f0f_0f0f; 2]);
    let high_nibbles = V::splat([0xf0f0_f0f0_f0f0_f0f0; 2]);
    for k in 0..HALF {
        let x = a[2 * k].even_bits_first().even_bytes_first();
        let y = a[2 * k + 1].even_bits_first().even_bytes_first();
        let (x, y) = (V::low_words(x, y), V::high_words(x, y));
        even[k] = V::or(V::and(x, low_nibbles), V::and(y.left_4(), high_nibbles));
        odd[k] = V::or(V::and(x.right_4(), low_nibbles), V::and(y, high_nibbles));
    }
    // 612 bits are four limbs, one word and 36 bits: two words less 28.
    for k in 0..=HALF {
        let below = if k == 0 { zero } else { odd[k - 1] };
        let above = V::bytes_from::<8>(odd[k], below);
        let shifted = V::shift_right::<28, 36>(above, below);
        even[k + 4] = V::xor(even[k + 4], shifted);
    }
    for k in 0..HALF {
        even[k + 1] = V::xor(even[k + 1], odd[k]);
    }
    let mut root = [zero; LIMBS];
    root.copy_from_slice(&even[..LIMBS]);
    root
}
