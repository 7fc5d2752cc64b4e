//! Bytes of points and of pairing values, and hashing to the curve. Decoding is strict: every value
//! has one encoding of each form, and each fault has its error. Encodings are public: whether one
//! is valid shows in the time.
//!
//! **About 59 bits of security at m = 1223, less below: for research and teaching only**
//! (see [the module](super)).
//!
//! Points are written as in SEC 1 §2.3.3, n = ⌈m/8⌉: `00` for ∞; `02` or `03`, then x in n bytes,
//! the lowest bit of the tag being that of y; or `04`, x, y.

use super::curve::{Point, right_side};
use super::decode::DecodeError;
use super::element::Element;
use super::field::BinaryField;
use super::parameters::Curve;
use super::quartic::Quartic;
use crate::word::Words;

/// How a point is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// x and one bit of y: 1 + n bytes.
    Compressed,
    /// x and y: 1 + 2n bytes.
    Uncompressed,
}

/// ∞ equals ∞ and nothing else.
impl<C: Curve> PartialEq for Point<Element<C>> {
    fn eq(&self, other: &Self) -> bool {
        let [dx, dy] = [self.x + other.x, self.y + other.y].map(|d| d.is_zero());
        let same = self.infinite.choose(Element::one(), dx.choose(dy, Element::zero()));
        self.infinite == other.infinite && same == Element::one()
    }
}

impl<C: Curve> Eq for Point<Element<C>> {}

impl<C: Curve> Point<Element<C>> {
    /// The bytes of an uncompressed point: the longest encoding.
    pub const MAX_BYTES: usize = 1 + 2 * C::Bytes::LEN;

    /// Writes the point to the start of `out` and gives that part: one byte for ∞.
    ///
    /// # Panics
    /// If `out` is shorter than the encoding.
    pub fn encode(self, form: Form, out: &mut [u8]) -> &[u8] {
        let n = C::Bytes::LEN;
        let bytes = match form {
            _ if self.infinite == Element::one() => 1,
            Form::Compressed => 1 + n,
            Form::Uncompressed => 1 + 2 * n,
        };
        let out = &mut out[..bytes];
        let (tag, coordinates) = out.split_at_mut(1);
        tag[0] = match form {
            _ if bytes == 1 => 0,
            Form::Compressed => 2 | self.y.bit0() as u8,
            Form::Uncompressed => 4,
        };
        for (bytes, coordinate) in coordinates.chunks_exact_mut(n).zip([self.x, self.y]) {
            bytes.copy_from_slice(coordinate.to_bytes().as_ref());
        }
        out
    }

    /// Reads a point of the subgroup in either form. ∞ is one: a protocol that cannot have it must
    /// ask [`Point::is_infinite`].
    ///
    /// # Errors
    /// As [`Point::decode_on_curve`], and [`DecodeError::NotInSubgroup`] if the order of the point
    /// does not divide r.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let point = Self::decode_on_curve(bytes)?;
        match point.in_subgroup() == Element::one() {
            true => Ok(point),
            false => Err(DecodeError::NotInSubgroup),
        }
    }

    /// Reads a point of the curve in either form, its order unchecked.
    ///
    /// # Errors
    /// If the tag is unknown, the length is not that of the form, a coordinate has degree m or
    /// more, or the point is not on the curve.
    pub fn decode_on_curve(bytes: &[u8]) -> Result<Self, DecodeError> {
        let n = C::Bytes::LEN;
        let (&tag, coordinates) =
            bytes.split_first().ok_or(DecodeError::WrongLength { expected: 1 + n, found: 0 })?;
        let expected = match tag {
            0 => 1,
            2 | 3 => 1 + n,
            4 => 1 + 2 * n,
            _ => return Err(DecodeError::UnknownTag(tag)),
        };
        if bytes.len() != expected {
            return Err(DecodeError::WrongLength { expected, found: bytes.len() });
        }
        if tag == 0 {
            return Ok(Self::infinity());
        }
        let x = Element::from_bytes(&coordinates[..n])?;
        if tag != 4 {
            return Self::from_x(x, tag & 1 == 1).ok_or(DecodeError::NotOnCurve);
        }
        let point = Self::new(x, Element::from_bytes(&coordinates[n..])?);
        match point.on_curve() == Element::one() {
            true => Ok(point),
            false => Err(DecodeError::NotOnCurve),
        }
    }

    /// The point of the curve with this x, if there is one, and this coefficient y_0.
    pub fn from_x(x: Element<C>, y0: bool) -> Option<Self> {
        let right = right_side(x);
        let y = right.half_trace();
        let flip = Element::from_bit(y.bit0() ^ u64::from(y0));
        (right.trace() == Element::zero()).then(|| Self::new(x, y + flip))
    }

    /// A point of the subgroup from ⌈m/8⌉ uniform bytes, the digest of something public. The bytes
    /// are an integer, which is counted up to the first x that has a point outside the small
    /// subgroups; this point, the one with y_0 = 0, is multiplied by the cofactor. The time depends
    /// on the digest.
    ///
    /// Bits from z^m on are ignored, so that any digest will do. None if 256 successive x have no
    /// such point, which does not happen to a digest; it does to small integers where b = 1, since
    /// x³ is then not reduced and the trace of x³ + x + 1 is 1.
    pub fn from_digest(digest: C::Bytes) -> Option<Self> {
        let mut bytes = digest;
        for _ in 0..256 {
            bytes.as_mut()[0] &= 0xff >> (8 * C::Bytes::LEN - C::M);
            let x = Element::from_bytes(bytes.as_ref()).ok()?;
            let point = Self::from_x(x, false).map(Self::clear_cofactor);
            if point.is_some_and(|point| point.infinite == Element::zero()) {
                return point;
            }
            for byte in bytes.as_mut().iter_mut().rev() {
                *byte = byte.wrapping_add(1);
                if *byte != 0 {
                    break;
                }
            }
        }
        None
    }
}

impl<C: Curve> Quartic<Element<C>> {
    /// The bytes of an element of F_q⁴.
    pub const BYTES: usize = 4 * C::Bytes::LEN;

    /// Writes c_0, c_1, c_2, c_3 to the start of `out` and gives that part.
    ///
    /// # Panics
    /// If `out` is shorter than [`Self::BYTES`].
    pub fn encode(self, out: &mut [u8]) -> &[u8] {
        let out = &mut out[..Self::BYTES];
        for (bytes, coefficient) in out.chunks_exact_mut(C::Bytes::LEN).zip(self.0) {
            bytes.copy_from_slice(coefficient.to_bytes().as_ref());
        }
        out
    }

    /// Reads any element of F_q⁴.
    ///
    /// # Errors
    /// If there are not [`Self::BYTES`] bytes, or a coefficient has degree m or more.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        if bytes.len() != Self::BYTES {
            return Err(DecodeError::WrongLength { expected: Self::BYTES, found: bytes.len() });
        }
        let mut coefficients = [Element::zero(); 4];
        for (c, bytes) in coefficients.iter_mut().zip(bytes.chunks_exact(C::Bytes::LEN)) {
            *c = Element::from_bytes(bytes)?;
        }
        Ok(Self(coefficients))
    }
}
