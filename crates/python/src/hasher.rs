//! One message in pieces: objects shaped as those of hashlib and hmac.

use crate::message::{WINDOW, pieces};
use crate::names::{algorithm, spelled};
use crate::refused::refused;
use crate::text::hex;
use manylane::primitives::for_each_hash;
use manylane::{Algorithm, HashId, Hasher};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyString};
use std::io::Read;
use std::sync::{Mutex, MutexGuard, OnceLock};

/// Bytes from which on hashing lets other threads run Python, as in hashlib.
pub(crate) const LONG: usize = 2048;

/// The last byte of a saved state of SHAKE if its name had the usual length. The state itself is
/// the same for a name without a length.
const NAMED_LENGTH: u8 = b'=';

/// A hash of one message, shaped as those of `hashlib`.
///
/// >>> import manylane
/// >>> h = manylane.new("sha256", b"one half, ")
/// >>> h.update(b"the other")
/// >>> h.hexdigest() == manylane.sha256(b"one half, the other").hexdigest()
/// True
#[pyclass(module = "manylane", frozen)]
pub(crate) struct Hash {
    hasher: Mutex<Hasher>,
    algorithm: Algorithm,
    /// Whether the digest's length is to be said at the end, as hashlib asks for SHAKE.
    open_length: bool,
}

/// The bytes of a short `bytes` object, which is hashed while Python's lock is held.
fn short<'b>(data: &'b Bound<'_, PyAny>) -> Option<&'b [u8]> {
    let bytes = data.cast::<PyBytes>().ok()?.as_bytes();
    (bytes.len() < LONG).then_some(bytes)
}

/// Runs `work`, without Python's lock if there is much to do.
fn run<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    match bytes < LONG {
        true => work(),
        false => py.detach(work),
    }
}

/// An argument for which None is not the same as its absence.
fn given<'py>(argument: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(Some(argument.clone()))
}

/// An argument that may be any object, of which only the truth value counts.
fn truth(argument: &Bound<'_, PyAny>) -> PyResult<bool> {
    argument.is_truthy()
}

/// The length of a digest, up to what Python's `bytes` can have.
fn digest_length(length: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let wrong = || {
        let text = format!("length={length}: give a number of bytes from 0 to {}", isize::MAX);
        Err(refused(text))
    };
    match length.extract::<Option<isize>>() {
        Ok(Some(length)) => usize::try_from(length).map(Some).or_else(|_| wrong()),
        Ok(None) => Ok(None),
        Err(error) if error.is_instance_of::<PyOverflowError>(length.py()) => wrong(),
        Err(error) => Err(error),
    }
}

impl Hash {
    fn of(algorithm: Algorithm, name: Option<&str>, engine: Option<&str>) -> PyResult<Self> {
        let hasher = Hasher::on(algorithm, crate::names::engine(engine)?).map_err(refused)?;
        Ok(Self::around(hasher, name))
    }

    /// Wraps a hasher. SHAKE without a length in its name has none until its digest is asked for.
    fn around(hasher: Hasher, name: Option<&str>) -> Self {
        let algorithm = hasher.algorithm();
        // The security strength is one number, the length is another.
        let numbers = |name: &str| {
            name.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty()).count()
        };
        let open_length = name.is_none_or(|name| numbers(name) < 2);
        let mut hash = Self { hasher: Mutex::new(hasher), algorithm, open_length };
        hash.open_length &= hash.is_extendable() && hash.has_usual_length();
        hash
    }

    fn is_extendable(&self) -> bool {
        self.algorithm.id().entry().shape.extendable
    }

    /// Whether the digest is as long as without a length in the name.
    fn has_usual_length(&self) -> bool {
        self.algorithm == Algorithm::new(self.algorithm.id())
    }

    fn started(self, py: Python<'_>, data: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        if let Some(data) = data {
            self.append(py, data)?;
        }
        Ok(self)
    }

    fn append(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Some(short) = short(data) {
            self.locked(py)?.update(short);
            return Ok(());
        }
        pieces(data, |piece| {
            if piece.len() < LONG {
                self.locked(py)?.update(piece);
                return Ok(());
            }
            let hasher = &self.hasher;
            // Python's lock is released before the hasher's is taken: the thread that has the
            // hasher may be waiting for Python's lock.
            let done = py.detach(|| match hasher.lock() {
                Ok(mut hasher) => {
                    hasher.update(piece);
                    true
                }
                Err(_) => false,
            });
            done.then_some(()).ok_or_else(|| refused("a thread that used the hash has failed"))
        })
    }

    /// The hasher, locked. A thread that waits for the hasher releases Python's lock meanwhile, or
    /// lets Python stop it where Python has no lock, because the thread that has the hasher may
    /// wait for either. Code that holds Python's lock takes the hasher's lock only in this way.
    fn locked(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Hasher>> {
        self.hasher
            .lock_py_attached(py)
            .map_err(|_| refused("a thread that used the hash has failed"))
    }

    fn bytes<'py>(&self, py: Python<'py>, length: Option<usize>) -> PyResult<Bound<'py, PyBytes>> {
        match length {
            None if self.open_length => Err(PyTypeError::new_err(format!(
                "digest() of {} needs a length: the number of bytes",
                self.name()
            ))),
            None if self.is_extendable() => self.output(py, self.algorithm.digest_bytes()),
            None => {
                let hasher = self.locked(py)?;
                PyBytes::new_with(py, self.algorithm.digest_bytes(), |out| {
                    hasher.finalize_into(out);
                    Ok(())
                })
            }
            Some(_) if !self.is_extendable() => Err(PyTypeError::new_err(format!(
                "the digest of {} has one length: call it without",
                self.name()
            ))),
            Some(length) => self.output(py, length),
        }
    }

    /// The first bytes of output without end.
    fn output<'py>(&self, py: Python<'py>, length: usize) -> PyResult<Bound<'py, PyBytes>> {
        let mut reader = self.locked(py)?.finalize_xof();
        PyBytes::new_with(py, length, |out| {
            for (number, window) in out.chunks_mut(WINDOW).enumerate() {
                if number > 0 {
                    py.check_signals()?;
                }
                run(py, window.len(), || reader.read_exact(window))?;
            }
            Ok(())
        })
    }
}

#[pymethods]
impl Hash {
    /// A hash of the algorithm of that name. `usedforsecurity` is taken for hashlib's sake and
    /// changes nothing.
    #[new]
    #[pyo3(
        signature = (name, data = None, *, usedforsecurity = true, engine = None),
        text_signature = "(name, data=b'', *, usedforsecurity=True, engine=None)"
    )]
    fn new(
        py: Python<'_>,
        name: &str,
        #[pyo3(from_py_with = given)] data: Option<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = truth)] usedforsecurity: bool,
        engine: Option<&str>,
    ) -> PyResult<Self> {
        let _ = usedforsecurity;
        Self::of(algorithm(name)?, Some(name), engine)?.started(py, data.as_ref())
    }

    /// Appends bytes to the message.
    #[pyo3(signature = (data, /))]
    fn update(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        self.append(py, data)
    }

    /// The digest of what was appended so far. The hash can go on. SHAKE needs a length in bytes.
    #[pyo3(signature = (length = None))]
    fn digest<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = digest_length)] length: Option<usize>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.bytes(py, length)
    }

    /// The digest in hexadecimal digits.
    #[pyo3(signature = (length = None))]
    fn hexdigest<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = digest_length)] length: Option<usize>,
    ) -> PyResult<Bound<'py, PyString>> {
        hex(py, self.bytes(py, length)?.as_bytes())
    }

    /// Another hash that goes on from the same message.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let (algorithm, open_length) = (self.algorithm, self.open_length);
        Ok(Self { hasher: Mutex::new(self.locked(py)?.clone()), algorithm, open_length })
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    /// What was appended so far as bytes, from which `Hash.restore` goes on in another process.
    ///
    /// >>> import manylane
    /// >>> state = manylane.sha256(b"one half, ").save()
    /// >>> later = manylane.Hash.restore(state)
    /// >>> later.update(b"the other")
    /// >>> later.digest() == manylane.sha256(b"one half, the other").digest()
    /// True
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut state = self.locked(py)?.save();
        if self.is_extendable() && self.has_usual_length() && !self.open_length {
            state.push(NAMED_LENGTH);
        }
        Ok(PyBytes::new(py, &state))
    }

    /// The hash that `save` saved.
    ///
    /// >>> import manylane
    /// >>> manylane.Hash.restore(manylane.md5(b"abc").save()).hexdigest()
    /// '900150983cd24fb0d6963f7d28e17f72'
    #[staticmethod]
    fn restore(state: &[u8]) -> PyResult<Self> {
        let error = match Hasher::restore(state) {
            Ok(hasher) => return Ok(Self::around(hasher, None)),
            Err(error) => error,
        };
        let before = state.strip_suffix(&[NAMED_LENGTH]);
        let hash = before.and_then(|state| Some(Self::around(Hasher::restore(state).ok()?, None)));
        match hash.filter(|hash| hash.open_length) {
            Some(hash) => Ok(Self { open_length: false, ..hash }),
            None => Err(refused(error)),
        }
    }

    /// The name, as hashlib spells it.
    #[getter]
    fn name(&self) -> String {
        spelled(self.algorithm)
    }

    /// Bytes of the digest; 0 where its length is said at the end.
    #[getter]
    fn digest_size(&self) -> usize {
        if self.open_length { 0 } else { self.algorithm.digest_bytes() }
    }

    /// Bytes of a block of the hash.
    #[getter]
    fn block_size(&self) -> usize {
        self.algorithm.id().entry().shape.block_bytes
    }

    /// The engine that computes it.
    #[getter]
    fn engine(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(self.locked(py)?.engine().name())
    }

    fn __repr__(&self) -> String {
        format!("<{} manylane.Hash>", self.name())
    }
}

/// The message under either of the names that versions of hashlib have given it.
fn one_of<'py>(
    data: Option<Bound<'py, PyAny>>,
    string: Option<Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match (data, string) {
        (Some(_), Some(_)) => Err(PyTypeError::new_err("data and string are the same: give one")),
        (data, string) => Ok(data.or(string)),
    }
}

macro_rules! constructors {
    ($($id:ident $name:literal $aliases:tt $title:literal $standard:literal
       $security:ident $(($why:literal))? => $value:expr;)*) => {
        /// A function for each hash, named as hashlib names it.
        pub(crate) fn add_constructors(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $({
                #[doc = concat!("A hash by ", $title, " (", $standard, ").")]
                #[pyfunction]
                #[pyo3(
                    signature = (data = None, *, usedforsecurity = true, string = None),
                    text_signature = "(data=b'', *, usedforsecurity=True, string=b'')"
                )]
                #[allow(non_snake_case)]
                fn $id(
                    py: Python<'_>,
                    #[pyo3(from_py_with = given)] data: Option<Bound<'_, PyAny>>,
                    #[pyo3(from_py_with = truth)] usedforsecurity: bool,
                    #[pyo3(from_py_with = given)] string: Option<Bound<'_, PyAny>>,
                ) -> PyResult<Hash> {
                    let data = one_of(data, string)?;
                    // A copy takes half the time of what looks for the best engine.
                    static FRESH: OnceLock<Hash> = OnceLock::new();
                    let _ = usedforsecurity;
                    let fresh = match FRESH.get() {
                        Some(fresh) => fresh,
                        None => {
                            let made = Hash::of(HashId::$id.into(), None, None)?;
                            FRESH.get_or_init(|| made)
                        }
                    };
                    fresh.copy(py)?.started(py, data.as_ref())
                }
                let function = wrap_pyfunction!($id, module)?;
                module.add(&*spelled(HashId::$id.into()), &function)?;
                // Pickle finds a function by the name that it was defined with.
                module.add(stringify!($id), function)?;
            })*
            Ok(())
        }
    };
}
for_each_hash!(constructors);
