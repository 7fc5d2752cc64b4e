//! Cryptographic primitives, each written once, in its own standard's words, over any [`Word`].
//!
//! The same text is a scalar implementation (over [`core::num::Wrapping`]), a SIMD implementation
//! (over a vector whose every element belongs to another message) and a dependency graph (over a
//! word that records what is done to it). This crate knows none of those machines: it holds the
//! contract ([`word`]), the primitives ([`hash`], [`cipher`], [`mac`], [`pairing`]) and the list of
//! them ([`catalog`]).
//!
//! The pairing is written in the same way over elements of a field,
//! [`BinaryField`](pairing::BinaryField).
//!
//! A [`Word`] cannot be compared, branched on or used as an index, so a branch or table look-up
//! that depends on a secret does not compile.
//!
//! The features are the families of hash functions. They decide which entries the
//! [catalogue](catalog) has, and so what is made from it: `md5`, `sha1`, `sha2`, `sha3` (with
//! Keccak and SHAKE), `ripemd`, `blake`, `groestl`, `jh`, `skein`; all are on by default. The
//! definitions are here without them too.
#![no_std]
#![forbid(unsafe_code)]
// A build for RC5 alone has no hash.
#![cfg_attr(not(feature = "default"), allow(unused))]

#[cfg(test)]
extern crate std;

#[macro_use]
mod macros;
pub mod catalog;
pub mod cipher;
pub mod family;
pub mod hash;
pub mod mac;
pub mod pairing;
pub mod word;

pub use word::Word;
