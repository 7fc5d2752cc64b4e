//! Names of primitives that programs are written for.

use crate::explain;
use manylane_build::Primitive;
use manylane_files::names::{self, Named};
use manylane_graph::part::Subject;

/// The primitive of a name.
///
/// # Errors
/// If none has it, or no programs are written for it.
pub fn primitive(name: &str) -> anyhow::Result<Primitive> {
    let primitive = match names::parse(name) {
        Ok(Named::Hmac(hash)) => Primitive::Hmac(hash),
        Ok(Named::Hash(hash)) => Primitive::Hash(hash),
        Err(_) => match explain::subject(name)? {
            Subject::Hash(hash) => Primitive::Hash(hash),
            Subject::Rc5(params) => Primitive::Rc5(params),
        },
    };
    primitive.check(name)?;
    Ok(primitive)
}
