//! The η_T pairing in characteristic three (Barreto, Galbraith, Ó hÉigeartaigh and Scott 2007), the
//! extension that the paper calls simple: the same loop, split in the same way.
//!
//! # Security
//!
//! **Broken: for research and teaching only.** Discrete logarithms were computed in F_3^(6·97)
//! (Hayashi, Shimoyama, Shinohara and Takagi, ASIACRYPT 2012) and in F_3^(6·509), once thought to
//! give 128 bits (Adj, Canales-Martínez, Cruz-Cortés, Menezes, Oliveira, Rivera-Zamarripa and
//! Rodríguez-Henríquez, Advances in Mathematics of Communications 12(4), 2018). Protocols take
//! BLS12-381.
//!
//! # Structure
//!
//! ```text
//! field    the contract TernaryField            parameters  which field, which curve
//! element  its plain, portable instance         planes      the polynomials below it
//! tower    F_q², F_q³ and F_q⁶                  curve       the group y² = x³ − x + b
//! eta_t    the pairing, whole and in parts
//! ```

pub mod curve;
pub mod element;
pub mod eta_t;
pub mod field;
pub mod parameters;
mod plain;
mod planes;
pub mod tower;

pub use curve::{CurveField, Point};
pub use element::Element;
pub use eta_t::pair;
pub use field::TernaryField;
pub use parameters::{Curve, Eta97, Eta509, Parameters};
pub use tower::{Cubic, Quadratic, Sextic};
