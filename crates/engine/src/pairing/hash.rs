//! Points that anybody can make and whose discrete logarithms nobody knows.
//!
//! **About 59 bits of security: for research and teaching only** (see [the module](super)).

use super::types::Point;
use crate::api::hasher::hash;
use manylane_primitives::catalog::{Algorithm, HashId};

/// A point of the subgroup from a public message: SHAKE256 of it, 153 bytes, through
/// [`Point::from_digest`]. The time depends on the message.
///
/// # Panics
/// If the environment variable `MANYLANE_MAX_ISA` names no engine.
pub fn hash_to_point(message: &[u8]) -> Point {
    let mut digest = [0; 153];
    digest.copy_from_slice(&expanded(message, 153));
    Point::from_digest(digest).expect("one of 256 successive x has a point: half of all x do")
}

/// Returns `bytes` bytes of SHAKE256 of the message.
pub(super) fn expanded(message: &[u8], bytes: usize) -> Vec<u8> {
    let shake = Algorithm::new(HashId::Shake256).with_digest_bytes(bytes);
    hash(shake.expect("SHAKE has digests of any length"), message)
}
