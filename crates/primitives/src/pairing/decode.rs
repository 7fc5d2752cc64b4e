//! The reasons for which bytes do not encode an element, point or value.

use core::fmt;

/// Why bytes are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Not as many bytes as the form has.
    WrongLength {
        /// Bytes of the form.
        expected: usize,
        /// Bytes given.
        found: usize,
    },
    /// The first byte of a point is not 00, 02, 03 or 04.
    UnknownTag(u8),
    /// A field element of degree m or more.
    NotReduced,
    /// No point of the curve has these coordinates, or this x.
    NotOnCurve,
    /// A point of the curve whose order does not divide r.
    NotInSubgroup,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongLength { expected, found } => {
                write!(f, "wrong length: {found} bytes, where the encoding has {expected}")
            }
            Self::UnknownTag(tag) => {
                write!(f, "unknown form {tag:#04x}: a point starts with 00, 02, 03 or 04")
            }
            Self::NotReduced => f.write_str("not reduced: a coordinate has bits from z^m on"),
            Self::NotOnCurve => f.write_str("not on the curve y² + y = x³ + x + b"),
            Self::NotInSubgroup => {
                f.write_str("not in the subgroup of order r: clear the cofactor before encoding")
            }
        }
    }
}

impl core::error::Error for DecodeError {}
