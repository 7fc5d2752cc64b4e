//! Which field and which curve: public parameters.
//!
//! **Broken: for research and teaching only** (see [the module](super)).
//!
//! The curves are y² = x³ − x + b over F_3^m, b = ±1, m coprime to 6: supersingular, of order
//! N = 3^m + 1 + μ b 3^((m+1)/2) and embedding degree 6, where μ = 1 for m ≡ ±1 mod 12, else −1.

use crate::word::Words;
use core::fmt::Debug;

/// ± x^e: the exponent, and whether the sign is +.
pub type Term = (usize, bool);

/// A field F_3^m by its polynomial f(x) = x^m + Σ ± x^e, the sum over [`Parameters::TERMS`].
pub trait Parameters: Copy + Eq + Debug + Send + Sync + 'static {
    /// m, the degree of f. No multiple of 64.
    const M: usize;
    /// The terms of f below x^m. m − e ≥ 64, so that a limb never folds into itself.
    const TERMS: &'static [Term];
    /// x^(1/3) and x^(2/3).
    const ROOTS: [&'static [Term]; 2];
    /// Half of an element: ⌈m/64⌉ limbs.
    type Limbs: Words<u64> + Send + Sync;
    /// Half of a product before reduction: twice as many limbs.
    type Product: Words<u64>;
    /// Half of a cube before reduction: three times as many limbs.
    type Cube: Words<u64>;
}

/// A curve y² = x³ − x + b over the field of its [`Parameters`], with its subgroup.
pub trait Curve: Parameters {
    /// b = 1, else −1.
    const B_IS_POSITIVE: bool;
    /// r, the order of the subgroup: big-endian bytes.
    const ORDER: &'static [u8];
    /// N / r.
    const COFACTOR: u8;

    /// μ b = 1.
    const MU_B_IS_POSITIVE: bool = mu_b_is_positive(Self::M, Self::B_IS_POSITIVE);
}

const fn mu_b_is_positive(m: usize, b_is_positive: bool) -> bool {
    (m % 12 == 1 || m % 12 == 11) == b_is_positive
}

/// r = N / `cofactor` for the curve of m and b, as `BYTES` big-endian bytes.
///
/// # Panics
/// If the cofactor does not divide N, or N is longer than `BYTES`.
const fn subgroup_order<const BYTES: usize>(
    m: usize,
    b_is_positive: bool,
    cofactor: u8,
) -> [u8; BYTES] {
    let (mut n, small) = (power_of_three::<BYTES>(m), power_of_three::<BYTES>(m.div_ceil(2)));
    // N, from the least byte on.
    let mut carry = 1;
    let mut i = BYTES;
    while i > 0 {
        i -= 1;
        let sign = if mu_b_is_positive(m, b_is_positive) { 1 } else { -1 };
        let sum = n[i] as i32 + sign * small[i] as i32 + carry;
        n[i] = sum.rem_euclid(256) as u8;
        carry = sum.div_euclid(256);
    }
    let mut remainder = 0;
    while i < BYTES {
        let value = remainder << 8 | n[i] as u32;
        n[i] = (value / cofactor as u32) as u8;
        remainder = value % cofactor as u32;
        i += 1;
    }
    assert!(carry == 0 && remainder == 0, "the cofactor does not divide the order");
    n
}

const fn power_of_three<const BYTES: usize>(exponent: usize) -> [u8; BYTES] {
    let mut power = [0; BYTES];
    power[BYTES - 1] = 1;
    let mut k = 0;
    while k < exponent {
        let (mut i, mut carry) = (BYTES, 0);
        while i > 0 {
            i -= 1;
            let value = 3 * power[i] as u32 + carry;
            power[i] = value as u8;
            carry = value >> 8;
        }
        assert!(carry == 0, "the power is longer than its bytes");
        k += 1;
    }
    power
}

macro_rules! curve {
    (
        $(#[$doc:meta])* $name:ident, m = $m:literal, terms = $terms:expr, roots = $roots:expr,
        limbs = $limbs:literal, b_is_positive = $b:literal, cofactor = $cofactor:literal,
        order_bytes = $order_bytes:literal
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name;

        impl Parameters for $name {
            const M: usize = $m;
            const TERMS: &'static [Term] = &$terms;
            const ROOTS: [&'static [Term]; 2] = $roots;
            type Limbs = [u64; $limbs];
            type Product = [u64; 2 * $limbs];
            type Cube = [u64; 3 * $limbs];
        }

        impl Curve for $name {
            const B_IS_POSITIVE: bool = $b;
            const ORDER: &'static [u8] = &subgroup_order::<$order_bytes>($m, $b, $cofactor);
            const COFACTOR: u8 = $cofactor;
        }
    };
}

curve! {
    /// y² = x³ − x + 1 over F_3^97, f = x^97 + x^16 − 1, N = 3^97 + 3^49 + 1 = 7 r, r a prime of
    /// 151 bits. Of the trinomials, the one with the shortest cube roots.
    Eta97,
    m = 97,
    terms = [(16, true), (0, false)],
    roots = [&[(65, true), (38, false), (11, true)], &[(33, true), (6, true)]],
    limbs = 2, b_is_positive = true, cofactor = 7, order_bytes = 20
}

curve! {
    /// y² = x³ − x + 1 over F_3^509, f = x^509 − x^318 − x^191 + x^127 + 1,
    /// N = 3^509 − 3^255 + 1 = 7 r, r a prime of 804 bits.
    Eta509,
    m = 509,
    terms = [(318, false), (191, false), (127, true), (0, true)],
    roots = [
        &[(467, true), (361, true), (276, false), (255, true), (170, true), (85, true)],
        &[(234, false), (128, true), (43, false)],
    ],
    limbs = 8, b_is_positive = true, cofactor = 7, order_bytes = 101
}
