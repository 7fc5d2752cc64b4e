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
///
/// ```
/// use manylane_build::Primitive;
/// use manylane_build::asm::{Search, assembled};
/// use manylane_emit::asm::Cores;
///
/// let md5 = Primitive::Hash("md5".parse()?);
/// let program = assembled(md5, Cores::Cpu, &Search::default(), "md5")?;
/// let (hashed, is_right) = program.run(b"a message")?;
/// assert!(is_right && hashed.cycles > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
