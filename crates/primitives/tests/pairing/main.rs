//! Tests of the pairing: laws on every curve, the paper's algorithms against each other, and the
//! published vectors. Each law is one body, run for all fields.

mod common;
mod curve;
mod encoding;
mod eta_t;
mod field;
mod quartic;
mod tables;
mod vectors;
