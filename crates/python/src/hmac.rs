//! HMAC of one message in pieces: objects shaped as those of hmac.

use crate::hasher::LONG;
use crate::message::{message, pieces};
use crate::names::{algorithm, engine, spelled};
use crate::refused::refused;
use crate::text::hex;
use manylane::Algorithm;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use std::sync::Mutex;

/// HMAC of one message, shaped as those of `hmac`.
///
/// >>> import manylane
/// >>> manylane.hmac.new(b"key", b"message", "sha256").hexdigest()[:16]
/// '6e9ef29b75fffc5b'
/// >>> manylane.hmac.HMAC(b"key", b"message", manylane.sha256).name
/// 'hmac-sha256'
#[pyclass(module = "manylane.hmac", name = "HMAC", frozen, subclass)]
pub(crate) struct Hmac {
    /// None until `__init__` has run: a derived class calls it with other arguments than its own.
    hmac: Mutex<Option<manylane::Hmac>>,
}

impl Hmac {
    /// Runs `work` on the state, which is locked like that of `Hash`.
    fn with<T>(&self, py: Python<'_>, work: impl FnOnce(&mut manylane::Hmac) -> T) -> PyResult<T> {
        let mut hmac = self.hmac.lock_py_attached(py).map_err(|_| failed())?;
        Ok(work(hmac.as_mut().ok_or_else(unmade)?))
    }

    fn algorithm(&self, py: Python<'_>) -> PyResult<Algorithm> {
        self.with(py, |hmac| hmac.algorithm())
    }
}

fn failed() -> PyErr {
    refused("a thread that used the HMAC has failed")
}

fn unmade() -> PyErr {
    PyRuntimeError::new_err("the HMAC has no key yet: call HMAC.__init__ first")
}

/// The algorithm that a `digestmod` means: its name, a function such as `hashlib.sha256`, whose
/// hashes have that name, or a module with such a function `new`.
fn meant(digestmod: Option<&Bound<'_, PyAny>>) -> PyResult<Algorithm> {
    let missing = || PyTypeError::new_err("digestmod is missing: give the name of an algorithm");
    let digestmod = digestmod.ok_or_else(missing)?;
    if let Ok(name) = digestmod.cast::<PyString>() {
        return match name.is_empty()? {
            true => Err(missing()),
            false => algorithm(&name.to_cow()?),
        };
    }
    let hash = match digestmod.is_callable() {
        true => digestmod.call0()?,
        false => digestmod.call_method0("new")?,
    };
    let name = hash.getattr("name").map_err(|_| {
        PyTypeError::new_err("digestmod makes objects without a name: give that of the algorithm")
    })?;
    algorithm(&name.extract::<String>()?)
}

#[pymethods]
impl Hmac {
    #[new]
    #[pyo3(
        signature = (*_arguments, **_options),
        text_signature = "(key, msg=None, digestmod=None, *, engine=None)"
    )]
    fn new(_arguments: &Bound<'_, PyTuple>, _options: Option<&Bound<'_, PyDict>>) -> Self {
        Self { hmac: Mutex::new(None) }
    }

    #[pyo3(signature = (key, msg = None, digestmod = None, *, engine = None))]
    fn __init__(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        msg: Option<&Bound<'_, PyAny>>,
        digestmod: Option<&Bound<'_, PyAny>>,
        engine: Option<&str>,
    ) -> PyResult<()> {
        let algorithm = meant(digestmod)?;
        let key = message(key)?;
        let engine = self::engine(engine)?;
        let made = manylane::Hmac::on(algorithm, &key, engine).map_err(refused)?;
        *self.hmac.lock_py_attached(py).map_err(|_| failed())? = Some(made);
        match msg {
            Some(msg) => self.update(py, msg),
            None => Ok(()),
        }
    }

    /// Appends bytes to the message.
    fn update(&self, py: Python<'_>, msg: &Bound<'_, PyAny>) -> PyResult<()> {
        pieces(msg, |piece| {
            if piece.len() < LONG {
                return self.with(py, |hmac| hmac.update(piece));
            }
            // Python's lock is released first, for the same reason as where a hash is updated.
            py.detach(|| {
                let mut hmac = self.hmac.lock().ok()?;
                Some(hmac.as_mut().map(|hmac| hmac.update(piece)))
            })
            .ok_or_else(failed)?
            .ok_or_else(unmade)
        })
    }

    /// The tag of what was appended so far. The HMAC can go on.
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.with(py, |hmac| hmac.finalize())?))
    }

    /// The tag in hexadecimal digits.
    fn hexdigest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        hex(py, &self.with(py, |hmac| hmac.finalize())?)
    }

    /// Another HMAC under the same key, of the same class, that goes on from the same message.
    fn copy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        let py = slf.py();
        let state = slf.get().with(py, |hmac| hmac.clone())?;
        let class = slf.get_type();
        let made = class.call_method1("__new__", (&class,))?.cast_into::<Self>()?;
        *made.get().hmac.lock_py_attached(py).map_err(|_| failed())? = Some(state);
        Ok(made)
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        Self::copy(slf)
    }

    /// The name, as hmac spells it: `hmac-sha256`.
    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("hmac-{}", spelled(self.algorithm(py)?)))
    }

    /// Bytes of the tag.
    #[getter]
    fn digest_size(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.algorithm(py)?.digest_bytes())
    }

    /// Bytes of a block of the hash.
    #[getter]
    fn block_size(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.algorithm(py)?.id().entry().shape.block_bytes)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<{} manylane.hmac.HMAC>", self.name(py)?))
    }
}
