//! Bytes of Python that can be read while other threads run Python.
//!
//! A `bytes` object never changes, so it is read where it is. Everything else that has a buffer may
//! be written meanwhile, by Python or by a library, and is copied first.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyMemoryView, PyString};

/// Bytes of a buffer that are copied at a time.
const PIECE: usize = 1 << 20;

/// Something with a buffer as a view of contiguous bytes.
fn view<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if object.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("strings must be encoded before hashing"));
    }
    let view = PyMemoryView::from(object).map_err(|error| {
        // A buffer that was closed or released says so itself.
        if !error.is_instance_of::<PyTypeError>(object.py()) {
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
    match view.getattr("nbytes")?.extract::<usize>()? {
        // A view with a length of zero in some dimension cannot be cast.
        0 => Ok(PyMemoryView::from(PyBytes::new(object.py(), b"").as_any())?.into_any()),
        _ => view.call_method1("cast", ("B",)),
    }
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
    mut take: impl FnMut(PyBackedBytes) -> PyResult<()>,
) -> PyResult<()> {
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return take(PyBackedBytes::from(bytes.clone()));
    }
    let view = view(object)?;
    let length = view.len()?;
    for start in (0..length).step_by(PIECE) {
        let slice = pyo3::types::PySlice::new(
            object.py(),
            start as isize,
            length.min(start + PIECE) as isize,
            1,
        );
        let piece = view.get_item(slice)?.call_method0("tobytes")?;
        take(PyBackedBytes::from(piece.cast_into::<PyBytes>()?))?;
    }
    Ok(())
}
