//! The C interface of `manylane`, which `include/manylane.h` declares.
//!
//! ```text
//! status      results of calls, the text of the last error; no panic crosses the border
//! borrow      pointers and lengths to slices, checked
//! names       algorithms and engines by name
//! hasher      one message in pieces          hmac   the same under a key
//! batch       many messages at once          group  many messages in pieces
//! rc5         a block cipher
//! ```
//!
//! Every function checks its pointers for null and its lengths for sense before it does anything,
//! and answers with a [`manylane_status`](status::manylane_status). There is no computation here.
// The types are called as C calls them.
#![allow(non_camel_case_types)]
#![deny(unsafe_op_in_unsafe_fn)]

pub mod batch;
mod borrow;
pub mod group;
pub mod hasher;
pub mod hmac;
pub mod names;
pub mod rc5;
pub mod status;
