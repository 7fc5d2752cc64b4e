//! Algorithms and engines by name.

use crate::refused::refused;
use manylane::{Algorithm, Engine, HashId, Security};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

/// The name as hashlib spells it: `sha3_256`, `shake_128`.
pub(crate) fn spelled(algorithm: Algorithm) -> String {
    let name = algorithm.to_string().replace('-', "_");
    match algorithm.id().entry().shape.extendable {
        true => name.replacen("shake", "shake_", 1),
        false => name,
    }
}

/// The algorithm of a name; hashlib's, OpenSSL's and the standards' spellings are understood.
pub(crate) fn algorithm(name: &str) -> PyResult<Algorithm> {
    name.parse().map_err(|error| refused(format!("unsupported hash `{name}`: {error}")))
}

/// The algorithm of a name for many messages, whose digests lie in an array of Arrow.
pub(crate) fn batch_algorithm(name: &str) -> PyResult<Algorithm> {
    let algorithm = algorithm(name)?;
    match algorithm.digest_bytes() {
        bytes if bytes > i32::MAX as usize => Err(refused(format!(
            "`{name}`: its digests have {bytes} bytes each; name a length up to {} bytes, or hash \
             one message at a time by new()",
            i32::MAX
        ))),
        _ => Ok(algorithm),
    }
}

/// The engine of a name.
pub(crate) fn engine(name: Option<&str>) -> PyResult<Option<Engine>> {
    name.map(|name| name.parse().map_err(refused)).transpose()
}

/// The argument `threads`, of any size.
pub(crate) fn thread_count(threads: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    threads.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(threads.py()) {
            let text = format!("threads={threads}: give 1 or more, or None for one for each CPU");
            return refused(text);
        }
        error
    })
}

/// The threads of a batch: those asked for, or one for each CPU.
pub(crate) fn threads(count: Option<usize>) -> PyResult<usize> {
    match count {
        Some(0) => Err(refused("threads=0: give 1 or more, or None for one for each CPU")),
        Some(count) => Ok(count),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// Every hash: (name, title, standard, digest bytes, block bytes, why not to use it or None).
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn algorithms()
-> Vec<(String, &'static str, &'static str, usize, usize, Option<&'static str>)> {
    let row = |&id: &HashId| {
        let entry = id.entry();
        let warning = match entry.security {
            Security::Aged(why) | Security::Broken(why) => Some(why),
            Security::Standard | Security::Finalist => None,
        };
        let shape = entry.shape;
        let name = spelled(id.into());
        (name, entry.title, entry.standard, shape.digest_bytes, shape.block_bytes, warning)
    };
    HashId::ALL.iter().map(row).collect()
}

/// The names of the engines of this CPU that compute an algorithm.
///
/// >>> import manylane
/// >>> found = manylane.engines("sha256")
/// >>> "scalar" in found
/// True
/// >>> manylane.new("sha256", b"abc", engine=found[-1]).hexdigest()[:8]
/// 'ba7816bf'
#[pyfunction]
pub(crate) fn engines(name: &str) -> PyResult<Vec<&'static str>> {
    let engines = manylane::engines(algorithm(name)?).map_err(refused)?;
    Ok(engines.into_iter().map(Engine::name).collect())
}
