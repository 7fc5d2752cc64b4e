//! The plain element of F_2^m: 64-bit limbs, portable, constant-time.
//!
//! **About 59 bits of security at m = 1223, less below: for research and teaching only**
//! (see [the module](super)).

use super::decode::DecodeError;
use super::limbs;
use super::parameters::Parameters;
use crate::word::Words;
use core::fmt;
use core::ops::{Add, Mul};

// Sums, products, squares and roots stay calls: inlined wherever the pairing uses them, they gain
// nothing and compile for minutes. Results are written where they are returned: a copy of 160 bytes
// is a call of its own.

/// One element of F_2^m in ⌈m/64⌉ limbs, least significant first, of degree below m.
///
/// The time of an operation, comparison included, does not depend on the value where the machine's
/// integer multiplication takes constant time (most 64-bit CPUs; few small ones).
#[derive(Clone, Copy)]
pub struct Element<P: Parameters> {
    pub(super) limbs: P::Limbs,
}

impl<P: Parameters> Element<P> {
    /// The conditions on f under which reduction, square root and trace are right, and those on the
    /// lengths of the arrays.
    const WELL_FORMED: () = {
        assert!(P::M % 2 == 1 && P::M % 64 != 0, "m must be odd");
        assert!(P::Limbs::LEN == P::M.div_ceil(64), "Limbs must be ⌈m/64⌉ long");
        assert!(P::Product::LEN == 2 * P::Limbs::LEN, "Product must be twice as long as Limbs");
        assert!(P::Bytes::LEN == P::M.div_ceil(8), "Bytes must be ⌈m/8⌉ long");
        assert!(limbs::has_product(P::Limbs::LEN), "limbs::multiply must know ⌈m/64⌉ limbs");
        let mut i = 0;
        while i < P::MIDDLE.len() {
            assert!(P::MIDDLE[i] % 2 == 1, "the exponents of f must be odd");
            assert!(P::MIDDLE[i] + 64 <= P::M, "the exponents of f must be at most m − 64");
            assert!(i == 0 || P::MIDDLE[i] < P::MIDDLE[i - 1], "the exponents of f must descend");
            i += 1;
        }
    };

    /// 0 or 1, from the lowest bit of `bit`.
    #[inline(always)]
    pub fn from_bit(bit: u64) -> Self {
        const { Self::WELL_FORMED };
        let mut limbs = P::Limbs::splat(0);
        limbs.as_mut()[0] = bit & 1;
        Self { limbs }
    }

    /// Makes an element of limbs of degree below m.
    ///
    /// # Errors
    /// [`DecodeError::NotReduced`] if the degree is m or more.
    pub fn from_limbs(limbs: P::Limbs) -> Result<Self, DecodeError> {
        const { Self::WELL_FORMED };
        match limbs.as_ref()[P::Limbs::LEN - 1] >> (P::M % 64) {
            0 => Ok(Self { limbs }),
            _ => Err(DecodeError::NotReduced),
        }
    }

    /// The limbs, least significant first.
    #[inline(always)]
    pub fn limbs(&self) -> &P::Limbs {
        &self.limbs
    }

    /// Reads exactly ⌈m/8⌉ big-endian bytes (SEC 1 §2.3.6) of degree below m.
    ///
    /// # Errors
    /// If there are not ⌈m/8⌉ bytes, or the degree is m or more.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        if bytes.len() != P::Bytes::LEN {
            return Err(DecodeError::WrongLength { expected: P::Bytes::LEN, found: bytes.len() });
        }
        let mut limbs = P::Limbs::splat(0);
        for (i, &byte) in bytes.iter().rev().enumerate() {
            limbs.as_mut()[i / 8] |= u64::from(byte) << (8 * (i % 8));
        }
        Self::from_limbs(limbs)
    }

    /// ⌈m/8⌉ big-endian bytes (SEC 1 §2.3.5).
    pub fn to_bytes(self) -> P::Bytes {
        let mut bytes = P::Bytes::splat(0);
        for (i, byte) in bytes.as_mut().iter_mut().rev().enumerate() {
            *byte = (self.limbs.as_ref()[i / 8] >> (8 * (i % 8))) as u8;
        }
        bytes
    }

    /// Coefficient a_0, as 0 or 1. Also the trace, all exponents of f being odd.
    #[inline(always)]
    pub(super) fn bit0(self) -> u64 {
        self.limbs.as_ref()[0] & 1
    }
}

#[expect(clippy::suspicious_arithmetic_impl, reason = "addition in characteristic 2")]
impl<P: Parameters> Add for Element<P> {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        let mut sum = Self::from_bit(0);
        let terms = self.limbs.as_ref().iter().zip(other.limbs.as_ref());
        for (sum, (&a, &b)) in sum.limbs.as_mut().iter_mut().zip(terms) {
            *sum = a ^ b;
        }
        sum
    }
}

impl<P: Parameters> Mul for Element<P> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self { limbs: limbs::multiply_mod::<P>(&self.limbs, &other.limbs) }
    }
}

/// The polynomial as a hexadecimal integer, bit i for z^i.
impl<P: Parameters> fmt::Debug for Element<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.to_bytes().as_ref().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
