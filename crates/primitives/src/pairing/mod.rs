//! The η_T pairing over supersingular curves in characteristic two (Barreto, Galbraith,
//! Ó hÉigeartaigh and Scott 2007), as computed by Aranha, López and Hankerson, "High-speed parallel
//! software implementation of the η_T pairing".
//!
//! # Security
//!
//! **Broken: for research, teaching and the arithmetic of F_2^m only.** Discrete logarithms in
//! fields of small characteristic are easy (Joux 2013; Barbulescu, Gaudry, Joux and Thomé 2014);
//! this very curve over F_2^1223, designed for 128 bits, has about 59 bits of security (Granger,
//! Kleinjung and Zumbrägel, CRYPTO 2014), and the smaller ones have less. Protocols take BLS12-381.
//!
//! # Structure
//!
//! ```text
//! field       the contract BinaryField             parameters  which field, which curve
//! element     its plain, portable instance         limbs       the polynomials below it, and
//!                                                  rows        long ones, for vectors
//! quartic     F_q⁴ over any BinaryField            encoding    bytes, strictly; hashing to points
//! curve       the group, in constant time          eta_t       Algorithms 5 and 6
//! continuant  the same in two products a factor    tables      Algorithms 1 to 3, by tables
//! miller      Algorithm 4, an independent check    ternary     the pairing over F_3^m
//! ```
//!
//! Everything but `encoding`, `miller`, `tables`, `ternary` and what is below the elements is
//! generic over [`BinaryField`]: the same text computes one pairing, one per lane, or a graph of
//! field operations.
//!
//! # The paper's misprints
//!
//! - The distortion map is ψ(x, y) = (x + s², y + s x + t), not (x² + s, …), which is off the
//!   curve.
//! - The order is N = 2^m + 1 + ν 2^((m+1)/2), the final exponent (2^2m − 1)(2^m + 1 − ν
//!   2^((m+1)/2)): the signs are opposite where the paper prints ± twice.
//! - Karatsuba multiplies A₁B₁ by z^(2⌈m/2⌉), not z^m.
//! - Algorithm 3, line 11, reads t\[9\], not m\[9\].

pub mod continuant;
pub mod curve;
mod decode;
pub mod element;
pub mod encoding;
pub mod eta_t;
pub mod field;
mod five;
mod limbs;
pub mod miller;
pub mod parameters;
mod plain;
pub mod quartic;
mod rows;
pub mod tables;
pub mod ternary;

pub use curve::{CurveField, Point};
pub use decode::DecodeError;
pub use element::Element;
pub use eta_t::{pair, pair_product};
pub use field::BinaryField;
pub use parameters::{Curve, Eta271, Eta379, Eta1223, Parameters};
pub use quartic::{Line, Quadratic, Quartic};
