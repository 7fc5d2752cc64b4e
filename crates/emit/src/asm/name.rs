//! The prefix with which all names of a program begin.

use super::Error;
use crate::c;

/// Whether the names of a program can begin with this prefix: C on the CPU calls them.
///
/// # Errors
/// If they cannot; the error says why.
pub fn check_prefix(name: &str) -> Result<(), Error> {
    c::check_prefix(name).map_err(|wrong| match wrong {
        c::Error::Name { name, why } => Error::Name { name, why },
        other => Error::Name { name: name.to_owned(), why: other.to_string() },
    })
}

/// The prefix of the names of the hash in HMAC.
pub fn hash_prefix(prefix: &str) -> String {
    format!("{prefix}_hash")
}
