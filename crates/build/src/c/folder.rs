//! The library of any primitive.

use super::cipher::Rc5Programs;
use super::hash::HashPrograms;
use crate::error::Error;
use crate::primitive::Primitive;
use manylane_emit::c::{About, Folder, Options};
use manylane_plan::Platform;
use manylane_plan::program::shape::Shape;

/// The folder of the library of a primitive.
///
/// # Errors
/// If the hash has no known form, the platform lacks a cost, or a backend refuses the program.
pub fn folder(
    primitive: Primitive,
    about: &About<'_>,
    options: &Options,
    shape: Shape,
    platform: &Platform,
) -> Result<Folder, Error> {
    match primitive {
        Primitive::Hash(hash) => {
            HashPrograms::new(hash, options.cores, shape, platform)?.folder(false, about, options)
        }
        Primitive::Hmac(hash) => {
            HashPrograms::new(hash, options.cores, shape, platform)?.folder(true, about, options)
        }
        Primitive::Rc5(params) => {
            Rc5Programs::new(params, options.cores, shape, platform)?.folder(about, options)
        }
    }
}
