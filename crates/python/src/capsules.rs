//! Arrow's PyCapsules, which are checked before Arrow's reader takes them.

use crate::refused::refused;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::ArrowError;
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};
use pyo3_arrow::ffi::ArrayReader;
use pyo3_arrow::input::AnyArray;
use pyo3_arrow::{PyArray, PyArrayReader};
use std::ffi::CStr;

/// Whether an object exports Arrow's capsules.
pub(crate) fn is_column(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.hasattr("__arrow_c_array__")? || object.hasattr("__arrow_c_stream__")?)
}

/// A structure of Arrow's C interface, which is taken once: its `release` is null from then on, and
/// nothing else in it means anything.
trait Taken {
    const NAME: &CStr;
    fn is_taken(&self) -> bool;
}

impl Taken for FFI_ArrowSchema {
    const NAME: &CStr = c"arrow_schema";
    fn is_taken(&self) -> bool {
        self.release.is_none()
    }
}

impl Taken for FFI_ArrowArray {
    const NAME: &CStr = c"arrow_array";
    fn is_taken(&self) -> bool {
        self.release.is_none()
    }
}

impl Taken for FFI_ArrowArrayStream {
    const NAME: &CStr = c"arrow_array_stream";
    fn is_taken(&self) -> bool {
        self.release.is_none()
    }
}

/// Refuses a capsule whose content was taken or released before.
fn check<T: Taken>(capsule: &Bound<'_, PyCapsule>) -> PyResult<()> {
    let content = capsule.pointer_checked(Some(T::NAME))?.cast::<T>();
    // SAFETY: Arrow gives capsules of this name this content, and the capsule keeps it.
    if unsafe { content.as_ref() }.is_taken() {
        let name = T::NAME.to_string_lossy();
        return Err(refused(format!(
            "the capsule '{name}' was released: it can be read once, so export the data anew"
        )));
    }
    Ok(())
}

/// The arrays of an object that exports them.
pub(crate) fn reader(object: &Bound<'_, PyAny>) -> PyResult<Box<dyn ArrayReader + Send>> {
    if object.hasattr("__arrow_c_array__")? {
        let capsules = object.call_method0("__arrow_c_array__")?;
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) =
            capsules.extract().map_err(|_| no_capsule("__arrow_c_array__", "two capsules"))?;
        check::<FFI_ArrowSchema>(&schema)?;
        check::<FFI_ArrowArray>(&array)?;
        return AnyArray::Array(PyArray::from_arrow_pycapsule(&schema, &array)?).into_reader();
    }
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let capsule: &Bound<'_, PyCapsule> =
        capsule.cast().map_err(|_| no_capsule("__arrow_c_stream__", "a capsule"))?;
    check::<FFI_ArrowArrayStream>(capsule)?;
    AnyArray::Stream(PyArrayReader::from_arrow_pycapsule(capsule)?).into_reader()
}

/// Whether a `dtype` is that of Python objects in Polars, which exports their addresses as if they
/// were rows of bytes.
fn is_object(dtype: &Bound<'_, PyAny>) -> PyResult<bool> {
    let of_polars = dtype.getattr("__module__").and_then(|module| module.extract::<String>());
    Ok(of_polars.is_ok_and(|module| module.starts_with("polars")) && dtype.str()? == "Object")
}

/// Refuses a column of Python objects.
pub(crate) fn check_series(column: &Bound<'_, PyAny>) -> PyResult<()> {
    match column.getattr("dtype") {
        Ok(dtype) if is_object(&dtype)? => Err(PyTypeError::new_err(
            "rows of type Object are no bytes: convert the column to Binary or String first",
        )),
        _ => Ok(()),
    }
}

/// Refuses a table in which one of these columns is of Python objects.
pub(crate) fn check_table<'n>(
    table: &Bound<'_, PyAny>,
    columns: impl Iterator<Item = &'n str>,
) -> PyResult<()> {
    let Ok(schema) = table.getattr("schema") else { return Ok(()) };
    for name in columns {
        match schema.get_item(name) {
            Ok(dtype) if is_object(&dtype)? => {
                return Err(PyTypeError::new_err(format!(
                    "column '{name}' is of type Object, whose rows have no encoding: convert it, \
                     or name other columns"
                )));
            }
            _ => {}
        }
    }
    Ok(())
}

fn no_capsule(method: &str, needed: &str) -> PyErr {
    PyTypeError::new_err(format!("{method}() must return {needed} of Arrow"))
}

/// Why a stream gave no further array. An interrupt in a stream that Python computes reaches Arrow
/// as a text, and is an interrupt again here.
pub(crate) fn failed(py: Python<'_>, error: ArrowError) -> PyErr {
    if let Err(interrupt) = py.check_signals() {
        return interrupt;
    }
    if let Some(raised) = PyErr::take(py) {
        return raised;
    }
    let text = error.to_string();
    match text.contains("KeyboardInterrupt") {
        true => PyKeyboardInterrupt::new_err(text),
        false => refused(text),
    }
}
