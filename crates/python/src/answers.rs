//! The output of `manylane explain` and `manylane plan`.

use crate::refused::refused;
use manylane_answers::Listener;
use pyo3::prelude::*;
use std::ffi::OsString;

/// Returns the text that the program prints for these arguments, of which the first is the
/// command's name.
#[pyfunction]
pub(crate) fn printed(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<String> {
    py.detach(|| manylane_answers::printed(arguments, &StandardError))
        .map_err(|error| refused(format!("{error:#}")))
}

/// Complains as the program does, and shows no progress.
struct StandardError;

impl Listener for StandardError {
    fn searches(&self, _: &str) {}

    fn found(&self) {}

    fn complain(&self, message: &str) {
        eprintln!("manylane: {message}");
    }
}
