//! The Python module `manylane._manylane`, which the package `manylane` shows to users.
//!
//! ```text
//! message   bytes of Python that can be read without its lock
//! names     algorithms by name, as hashlib spells them
//! hasher    one message in pieces
//! hmac      one message in pieces, under a key
//! job       what is asked for of many messages
//! many      many messages: sequences, arrays, iterators
//! capsules  objects that export Arrow's capsules
//! chunks    rows of arrays of Arrow, one array after the other
//! column    Arrow columns
//! rows      rows of tables
//! files     files by their paths
//! text      digests as text
//! output    the memory that digests are written to
//! digests   what many digests are given as
//! answers   explanations and plans, as the program prints them
//! refused   errors of the library's as those of Python
//! ```

#![deny(unsafe_op_in_unsafe_fn)]

mod answers;
mod capsules;
mod chunks;
mod column;
mod digests;
mod files;
mod hasher;
mod hmac;
mod job;
mod many;
mod message;
mod names;
mod output;
mod refused;
mod rows;
mod text;

use pyo3::prelude::*;

/// An allocator that keeps freed memory for the next call. The C library's gives large blocks back
/// to the system, and to get them again takes half as long as to hash the short messages in them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Hashes of many messages, columns and files at once.
#[pymodule]
mod _manylane {
    #[pymodule_export]
    use super::answers::printed;
    #[pymodule_export]
    use super::column::hash_array;
    #[pymodule_export]
    use super::digests::{_digests, Digests};
    #[pymodule_export]
    use super::files::hash_files;
    #[pymodule_export]
    use super::hasher::Hash;
    #[pymodule_export]
    use super::hmac::Hmac;
    #[pymodule_export]
    use super::many::hash_many;
    #[pymodule_export]
    use super::names::{algorithms, engines};
    #[pymodule_export]
    use super::rows::hash_rows;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::hasher::add_constructors(module)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
