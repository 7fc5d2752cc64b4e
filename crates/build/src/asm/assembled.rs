//! The program in assembly of any primitive.

use super::cipher::of_cipher;
use super::program::Assembly;
use super::search::of_hash;
use super::shape::Search;
use crate::error::Error;
use crate::primitive::Primitive;
use manylane_emit::asm::Cores;

/// Plans, writes and assembles a primitive.
///
/// # Errors
/// If no assembly is written for it.
pub fn assembled(
    primitive: Primitive,
    cores: Cores,
    search: &Search,
    prefix: &str,
) -> Result<Box<dyn Assembly>, Error> {
    Ok(match primitive {
        Primitive::Hash(hash) => Box::new(of_hash(hash, false, cores, search, prefix)?),
        Primitive::Hmac(hash) => Box::new(of_hash(hash, true, cores, search, prefix)?),
        Primitive::Rc5(params) => Box::new(of_cipher(params, cores, search, prefix)?),
    })
}
