//! Block ciphers.

pub mod modes;
pub mod rc5;

pub use modes::BlockCipher;
pub use rc5::{Rc5, Rc5Params};
