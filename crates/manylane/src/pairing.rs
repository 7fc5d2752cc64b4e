//! The η_T pairing over F_2^1223, on the best engine of this CPU.
//!
//! # Security
//!
//! **About 59 bits: broken, for research and teaching only.** Discrete logarithms in fields of
//! small characteristic are easy, and for this very curve, designed for 128 bits, their cost was
//! computed (Granger, Kleinjung and Zumbrägel, CRYPTO 2014). Protocols take BLS12-381.
//!
//! # One pairing, and many
//!
//! e takes two points of a group of prime order r to a value, and e(aP, bQ) = e(P, Q)^ab:
//!
//! ```
//! use manylane::pairing::{Pairing, Value, hash_to_point};
//!
//! let pairing = Pairing::new()?;
//! let [p, q] = [b"one point", b"the other"].map(|name| hash_to_point(name));
//! let value = pairing.pair(p, q);
//! assert_eq!(pairing.pair(p.multiply(&[3]), q), value.square() * value);
//!
//! // Many first arguments with many second ones: one pass over lanes and threads.
//! let values = pairing.pair_many(&[(p, q), (q, p)]);
//! assert_eq!(values, [value, value]);
//!
//! // A product costs one final exponentiation: e(P, Q) e(−P, Q) = 1.
//! assert_eq!(pairing.pair_product(&[(p, q), (-p, q)]), Value::one());
//!
//! // One first argument with many second ones.
//! let prepared = pairing.prepare(p);
//! assert_eq!(pairing.pair_prepared(&prepared, q), value);
//! # Ok::<(), manylane::Error>(())
//! ```
//!
//! [`Pairing::threads`] shares one pairing, or many, over threads; [`Pairing::on`] forces an
//! engine.
//!
//! # Bytes
//!
//! Points are written as in SEC 1 §2.3.3, in 154 bytes ([`Form::Compressed`]) or 307
//! ([`Form::Uncompressed`]), values in 612. Decoding is strict, and each fault has its error:
//!
//! ```
//! use manylane::pairing::{DecodeError, Form, Point, hash_to_point};
//!
//! let point = hash_to_point(b"a point");
//! let mut bytes = [0; Point::MAX_BYTES];
//! let bytes = point.encode(Form::Compressed, &mut bytes);
//! assert_eq!(Point::decode(bytes), Ok(point));
//!
//! let error = |bytes: &[u8]| Point::decode(bytes).unwrap_err();
//! assert_eq!(error(&bytes[1..]), DecodeError::UnknownTag(bytes[1]));
//! assert_eq!(error(&bytes[..9]), DecodeError::WrongLength { expected: 154, found: 9 });
//! assert_eq!(error(&[[2; 1].as_slice(), &[0xff; 153]].concat()), DecodeError::NotReduced);
//! assert_eq!(error(&[[4; 1].as_slice(), &[1; 306]].concat()), DecodeError::NotOnCurve);
//! // (0, 0) is a point of the curve, of order 5.
//! assert_eq!(error(&[[4; 1].as_slice(), &[0; 306]].concat()), DecodeError::NotInSubgroup);
//! ```

#[cfg(feature = "ternary")]
pub mod ternary {
    //! The η_T pairing in characteristic three, over F_3^97 and F_3^509, on the portable engine and
    //! threads. Feature `ternary`.
    //!
    //! # Security
    //!
    //! **Broken: for research and teaching only.** Discrete logarithms were computed in F_3^(6·97)
    //! (Hayashi and others, ASIACRYPT 2012) and F_3^(6·509) (Adj and others, 2018). Protocols take
    //! BLS12-381.
    //!
    //! ```
    //! use manylane::pairing::ternary::{Eta97, hash_to_point, pair};
    //! use std::num::NonZeroUsize;
    //!
    //! let [p, q] = [b"one point", b"the other"].map(|name| hash_to_point::<Eta97>(name));
    //! let [one, two] = [1, 2].map(|threads| NonZeroUsize::new(threads).unwrap());
    //! let value = pair(p, q, one);
    //! assert_eq!(pair(p, q, two), value);
    //! // e(2P, Q) = e(P, Q)².
    //! assert_eq!(pair(p + p, q, one), value * value);
    //! ```

    pub use manylane_engine::pairing::ternary::{
        Cubic, Curve, Element, Eta97, Eta509, Pair, Parameters, Point, Quadratic, Ring, Sextic,
        TernaryField, hash_to_point, pair, pair_many, pair_product,
    };
}

pub use manylane_engine::pairing::{
    DecodeError, Element, Eta1223, FACTORS, Form, Operation, Pairing, Point, Prepared, Shares,
    Value, hash_to_point,
};
pub use manylane_primitives::pairing::BinaryField;
pub use manylane_primitives::pairing::curve::scalar_bits;
