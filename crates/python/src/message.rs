//! Bytes of Python that can be read while other threads run Python.
//!
//! A `bytes` object never changes, so it is read where it is. Everything else that has a buffer may
//! be written meanwhile, by Python or by a library, and is copied first.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyMemoryView, PySlice, PyString};

/// Bytes of a buffer that are copied at a time.
const PIECE: usize = 1 << 20;

/// Bytes that are hashed, or written, before signals are handled. For this a thread takes Python's
/// lock again, and may have to wait for it: handling them more often would be slower.
pub(crate) const WINDOW: usize = 64 << 20;

/// A memory view of something with a buffer of contiguous numbers or bytes.
fn view<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if object.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("strings must be encoded before hashing"));
    }
    let view = PyMemoryView::from(object).map_err(|error| {
        // A buffer that was closed or released says so itself, and so does one of Python code.
        let py = object.py();
        let is_array = object.hasattr("__array_interface__").unwrap_or(false);
        if is_array && error.is_instance_of::<PyValueError>(py) {
            let kind = object.getattr("dtype").map_or("?".into(), |kind| kind.to_string());
            return PyTypeError::new_err(format!(
                "items of type {kind} are no bytes: give the bytes that they are to be hashed as"
            ));
        }
        if !error.is_instance_of::<PyTypeError>(py) || error.traceback(py).is_some() {
            return error;
        }
        let name = object.get_type().name().map_or("?".into(), |name| name.to_string());
        PyTypeError::new_err(format!("a bytes-like object is required, not '{name}'"))
    })?;
    if !view.getattr("c_contiguous")?.extract::<bool>()? {
        return Err(pyo3::exceptions::PyBufferError::new_err(
            "the buffer is not C-contiguous: copy it first",
        ));
    }
    match is_number(&view.getattr("format")?.extract::<String>()?) {
        true => Ok(view.into_any()),
        false => Err(PyTypeError::new_err(format!(
            "items of format '{}' are no bytes: give the bytes that they are to be hashed as",
            view.getattr("format")?
        ))),
    }
}

/// Whether a format is that of one number, in the order of this machine's bytes or in another.
fn is_number(format: &str) -> bool {
    let format = format.strip_prefix(['@', '=', '<', '>', '!']).unwrap_or(format);
    format.len() == 1 && "cbB?hHiIlLqQnNefdP".contains(format)
}

/// The bytes of a message, as they are if they cannot change, else a copy.
pub(crate) fn message(object: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(PyBackedBytes::from(bytes.clone()));
    }
    let copy = view(object)?.call_method0("tobytes")?;
    Ok(PyBackedBytes::from(copy.cast_into::<PyBytes>()?))
}

/// Hands the bytes of a message over in pieces, so that a copy never is as large as the message.
pub(crate) fn pieces(
    object: &Bound<'_, PyAny>,
    mut take: impl FnMut(&[u8]) -> PyResult<()>,
) -> PyResult<()> {
    let py = object.py();
    if let Ok(bytes) = object.cast::<PyBytes>() {
        let bytes = PyBackedBytes::from(bytes.clone());
        for (number, window) in bytes.chunks(WINDOW).enumerate() {
            if number > 0 {
                py.check_signals()?;
            }
            take(window)?;
        }
        return Ok(());
    }
    let view = view(object)?;
    let size: usize = view.getattr("nbytes")?.extract()?;
    if size <= PIECE {
        return take(view.call_method0("tobytes")?.cast_into::<PyBytes>()?.as_bytes());
    }
    let (items, mut since) = (view.len()?, 0);
    let step = (PIECE / (size / items)).max(1);
    for start in (0..items).step_by(step) {
        if since >= WINDOW {
            py.check_signals()?;
            since = 0;
        }
        let slice = PySlice::new(py, start as isize, items.min(start + step) as isize, 1);
        let piece = view.get_item(slice)?.call_method0("tobytes")?;
        let piece = PyBackedBytes::from(piece.cast_into::<PyBytes>()?);
        since += piece.len();
        take(&piece)?;
    }
    Ok(())
}
