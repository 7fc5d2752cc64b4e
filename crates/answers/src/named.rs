//! Names of primitives that are explained and planned, and of those that programs are written for.

use anyhow::bail;
use manylane_build::Primitive;
use manylane_engine::Algorithm;
use manylane_files::names::{self, Named};
use manylane_graph::part::Subject;
use manylane_nearest::nearest;

/// The primitive that a name stands for: a hash, HMAC with a hash, or a cipher.
///
/// # Errors
/// If there is none, or the name is that of the pairing.
pub fn primitive(name: &str) -> anyhow::Result<Primitive> {
    if let Ok(Named::Hmac(hash)) = names::parse(name) {
        return Ok(Primitive::Hmac(hash));
    }
    Ok(match subject(name)? {
        Subject::Hash(hash) => Primitive::Hash(hash),
        Subject::Rc5(params) => Primitive::Rc5(params),
    })
}

/// The primitive that a name stands for, if programs are written for it.
///
/// # Errors
/// If there is none, or no programs are written for it.
pub fn emitted(name: &str) -> anyhow::Result<Primitive> {
    let primitive = primitive(name)?;
    primitive.check(name)?;
    Ok(primitive)
}

/// The hash or the cipher whose parts a name stands for.
///
/// # Errors
/// If there is none, or the name is that of HMAC or of the pairing: says what to ask for.
pub fn subject(name: &str) -> anyhow::Result<Subject> {
    let lower = name.to_lowercase();
    if lower == "rc5" {
        return Ok(Subject::Rc5(Default::default()));
    }
    if lower.starts_with("rc5") {
        return Ok(Subject::Rc5(lower.parse()?));
    }
    if names::is_pairing(name) {
        bail!("eta-t is a pairing: manylane explain eta-t, or manylane plan eta-t --threads 2,4,8");
    }
    match names::parse(name) {
        Ok(Named::Hash(hash)) => Ok(Subject::Hash(hash)),
        Ok(Named::Hmac(hash)) => Err(hmac(hash)),
        Err(names::Error::Unknown(name, near)) if near.is_empty() => {
            let near = nearest(&name, ["rc5", "eta-t"]);
            Err(names::Error::Unknown(name, near).into())
        }
        Err(error) => Err(error.into()),
    }
}

/// The error that HMAC has no parts of its own: it is explained as a message only.
fn hmac(hash: Algorithm) -> anyhow::Error {
    let block = hash.id().entry().shape.block_bytes;
    anyhow::anyhow!(
        "hmac-{hash} is {hash} twice, one after the other: over a block of {block} bytes made from \
         the key and the message, then over another and the digest.\nAsk for both at once: \
         manylane explain hmac-{hash} --part message --length N; or for each: manylane explain \
         {hash} --part message --length {} for the second, {block} more than the message for the \
         first. Both at once are planned by manylane plan hmac-{hash} --on PLATFORM",
        block + hash.digest_bytes(),
    )
}
