//! Names of primitives that are planned, and of those that programs are written for.

use crate::explain;
use manylane_build::Primitive;
use manylane_files::names::{self, Named};
use manylane_graph::part::Subject;

/// The primitive that a name stands for.
pub fn primitive(name: &str) -> anyhow::Result<Primitive> {
    if let Ok(Named::Hmac(hash)) = names::parse(name) {
        return Ok(Primitive::Hmac(hash));
    }
    Ok(match explain::subject(name)? {
        Subject::Hash(hash) => Primitive::Hash(hash),
        Subject::Rc5(params) => Primitive::Rc5(params),
    })
}

/// The primitive that a name stands for, if programs are written for it.
pub fn emitted(name: &str) -> anyhow::Result<Primitive> {
    let primitive = primitive(name)?;
    primitive.check(name)?;
    Ok(primitive)
}
