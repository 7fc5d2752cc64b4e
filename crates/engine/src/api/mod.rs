//! What callers hold.
//!
//! ```text
//! hasher   one message in pieces        group   several messages in pieces
//! hmac     the same under a key         key     its two blocks
//! batch    many messages at once        messages, part   those of a batch, and of one thread
//! work     how full the lanes of a batch are
//! ```

pub(crate) mod batch;
pub(crate) mod group;
pub(crate) mod hasher;
pub(crate) mod hmac;
mod key;
mod messages;
mod part;
pub(crate) mod work;
