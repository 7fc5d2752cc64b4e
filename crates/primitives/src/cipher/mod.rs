//! Block ciphers.
