//! Errors of the library's as errors of Python.

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

/// An error of the library's as a `ValueError`.
pub(crate) fn refused(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}
