//! The output of `manylane explain` and `manylane plan`.

use crate::refused::refused;
use pyo3::prelude::*;
use std::ffi::OsString;

/// Returns the text that the program prints for these arguments, of which the first is the
/// command's name.
#[pyfunction]
pub(crate) fn printed(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<String> {
    py.detach(|| manylane_cli::printed(arguments)).map_err(|error| refused(format!("{error:#}")))
}
