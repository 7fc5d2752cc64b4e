//! The types that callers hold.
//!
//! ```text
//! hasher   one message in pieces        group   several messages in pieces
//! hmac     the same under a key         key     its two blocks
//! batch    many messages at once        messages, part   those of a batch, and of one thread
//! scattered  messages in segments or begun by hashers, digests at a stride
//! work     how full the lanes of a batch are
//! rows     many of one length           chains  each the digest of the one before
//! keys     HMAC under many keys         derive  keys from passwords and from keys
//! tree     levels of digests            resources  engine and threads of these
//! both     SHA-256 and MD5 of the same messages in one pass
//! ```

pub(crate) mod batch;
pub(crate) mod both;
pub(crate) mod chains;
pub(crate) mod derive;
pub(crate) mod group;
pub(crate) mod hasher;
pub(crate) mod hmac;
mod key;
pub(crate) mod keys;
mod messages;
mod part;
mod resources;
pub(crate) mod rows;
mod scattered;
pub mod tree;
pub(crate) mod work;
