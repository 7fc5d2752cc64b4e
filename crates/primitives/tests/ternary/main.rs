//! The η_T pairing in characteristic three against plain polynomials, plain integers and Miller's
//! algorithm.

mod common;
mod curve;
mod eta_t;
mod field;
