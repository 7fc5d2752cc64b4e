//! The block cipher RC5.
//!
//! ```text
//! one_key, many_keys   what callers hold
//!      │ select         the kernel of an engine
//! kernel               shells, a table of them for each engine
//!      │ inlined
//! message, keyed       the blocks of a message side by side; messages with a key each
//! ```

mod kernel;
mod keyed;
mod many_keys;
mod message;
mod one_key;
mod select;

pub use kernel::CipherWord;
pub use keyed::Keyed;
pub use many_keys::Rc5Keys;
pub use one_key::Rc5;
