//! What `manylane explain` and `manylane plan` print.

use crate::refused;
use pyo3::prelude::*;
use std::ffi::OsString;

/// What the program prints for these arguments, the command's name first.
#[pyfunction]
pub(crate) fn printed(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<String> {
    py.detach(|| manylane_cli::printed(arguments)).map_err(|error| refused(format!("{error:#}")))
}
