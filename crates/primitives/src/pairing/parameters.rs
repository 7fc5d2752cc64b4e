//! Which field and which curve: public parameters, and the three sets this crate defines.
//!
//! **About 59 bits of security at m = 1223, less below: for research and teaching only**
//! (see [the module](super)).
//!
//! The curves are y² + y = x³ + x + b over F_2^m, b ∈ {0, 1}, m odd: supersingular, of order
//! N = 2^m + 1 + ν 2^((m+1)/2), ν = ±1, and embedding degree 4. All signs and constants of the
//! pairing follow from m mod 8 and b:
//!
//! | m mod 8 | α | β | δ |
//! |---|---|---|---|
//! | 1 | 1 | b | b |
//! | 3 | 0 | b | 1 − b |
//! | 5 | 1 | 1 − b | 1 − b |
//! | 7 | 0 | 1 − b | b |
//!
//! and ν = (−1)^δ. The paper prints ± where ν stands, in N and in the final exponent alike; in the
//! final exponent it is −ν.

use crate::word::Words;
use core::fmt::Debug;

/// A field F_2^m by its polynomial f(z) = z^m + Σ z^e + 1, the sum over [`Parameters::MIDDLE`].
///
/// Fields are chosen so that the formulas stay short, which the compiler checks when arithmetic is
/// instantiated: m and every e are odd, so that √z = z^((m+1)/2) + Σ z^((e+1)/2) and the trace of a
/// is its coefficient a_0; and m − e ≥ 64, so that a limb never folds into itself.
pub trait Parameters: Copy + Eq + Debug + Send + Sync + 'static {
    /// m, the degree of f. Odd, no multiple of 64.
    const M: usize;
    /// The exponents of f between m and 0, descending.
    const MIDDLE: &'static [usize];
    /// An element: ⌈m/64⌉ limbs.
    type Limbs: Words<u64>;
    /// A product before reduction: twice as many limbs.
    type Product: Words<u64>;
    /// A serialized element: ⌈m/8⌉ bytes.
    type Bytes: Words<u8>;
}

/// A curve y² + y = x³ + x + b over the field of its [`Parameters`], with its subgroup.
pub trait Curve: Parameters {
    /// b.
    const B: bool;
    /// r, the order of the subgroup: big-endian bytes. Odd.
    const ORDER: &'static [u8];
    /// N / r: big-endian bytes.
    const COFACTOR: &'static [u8];

    /// α of Algorithm 5.
    const ALPHA: bool = Self::M % 4 == 1;
    /// β of Algorithm 5.
    const BETA: bool = Self::B ^ (Self::M % 8 >= 5);
    /// δ of Algorithm 5.
    const DELTA: bool = delta(Self::M, Self::B);
    /// ν = +1, where N = 2^m + 1 + ν 2^((m+1)/2).
    const NU_IS_POSITIVE: bool = !Self::DELTA;
}

/// δ, by m mod 8 and b.
const fn delta(m: usize, b: bool) -> bool {
    b ^ (m % 8 == 3 || m % 8 == 5)
}

/// r = N / `cofactor` for the curve of m and b, as `BYTES` big-endian bytes.
///
/// # Panics
/// If the cofactor does not divide the order or r is longer than `BYTES`.
pub const fn subgroup_order<const BYTES: usize>(m: usize, b: bool, cofactor: u64) -> [u8; BYTES] {
    let half = m.div_ceil(2);
    let mut r = [0; BYTES];
    let mut remainder: u64 = 0;
    // The bits of N; where ν = −1, 2^m − 2^half is a run of ones from half to m − 1.
    let mut i = m + 1;
    while i > 0 {
        i -= 1;
        let bit = i == 0 || if !delta(m, b) { i == m || i == half } else { half <= i && i < m };
        remainder = 2 * remainder + bit as u64;
        if remainder >= cofactor {
            remainder -= cofactor;
            r[BYTES - 1 - i / 8] |= 1 << (i % 8);
        }
    }
    assert!(remainder == 0, "the cofactor does not divide the order");
    r
}

macro_rules! curve {
    (
        $(#[$doc:meta])* $name:ident,
        m = $m:literal, middle = [$($e:literal),+], limbs = $limbs:literal, bytes = $bytes:literal,
        b = $b:literal, cofactor = $cofactor:literal, order_bytes = $order_bytes:literal
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name;

        impl Parameters for $name {
            const M: usize = $m;
            const MIDDLE: &'static [usize] = &[$($e),+];
            type Limbs = [u64; $limbs];
            type Product = [u64; 2 * $limbs];
            type Bytes = [u8; $bytes];
        }

        impl Curve for $name {
            const B: bool = $b;
            const ORDER: &'static [u8] = &subgroup_order::<$order_bytes>($m, $b, $cofactor);
            const COFACTOR: &'static [u8] = &u64::to_be_bytes($cofactor);
        }
    };
}

curve! {
    /// The paper's: y² + y = x³ + x over F_2^1223, f = z^1223 + z^255 + 1,
    /// N = 2^1223 + 2^612 + 1 = 5 r, r a prime of 1221 bits.
    Eta1223,
    m = 1223, middle = [255], limbs = 20, bytes = 153,
    b = false, cofactor = 5, order_bytes = 153
}

curve! {
    /// y² + y = x³ + x + 1 over F_2^379, f = z^379 + z^315 + z^301 + z^287 + 1,
    /// N = r = 2^379 + 2^190 + 1, prime.
    Eta379,
    m = 379, middle = [315, 301, 287], limbs = 6, bytes = 48,
    b = true, cofactor = 1, order_bytes = 48
}

curve! {
    /// y² + y = x³ + x over F_2^271, f = z^271 + z^201 + 1,
    /// N = 2^271 + 2^136 + 1 = 487805 r, r a prime of 253 bits.
    Eta271,
    m = 271, middle = [201], limbs = 5, bytes = 34,
    b = false, cofactor = 487_805, order_bytes = 32
}
