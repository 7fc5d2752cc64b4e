//! Message authentication codes.

pub mod hmac;

pub use hmac::{Hmac, hmac};
