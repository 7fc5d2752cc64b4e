//! The objects as which many digests are returned.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, LargeStringArray, StringArray};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::DataType;
use pyo3::exceptions::{PyBufferError, PyIndexError, PyOverflowError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyIterator, PyList, PySequence, PySlice, PyString, PyTuple};
use std::ffi::c_int;
use std::sync::Arc;

use crate::refused::refused;
use crate::text::Text;

/// Digests of many messages in their order: a sequence of `bytes`, or of `str` where an encoding
/// was asked for, with None for null rows.
///
/// It exports itself to Arrow (`pyarrow.array(digests)`, a FixedSizeBinary array) and, without
/// nulls, as a buffer (`numpy.asarray(digests)`, a row for each digest), both without a copy.
///
/// >>> import manylane
/// >>> digests = manylane.hash_many([b"one", b"two"], "md5")
/// >>> len(digests), digests[0].hex()[:8]
/// (2, 'f97c5d29')
/// >>> digests == [manylane.md5(b"one").digest(), manylane.md5(b"two").digest()]
/// True
#[pyclass(module = "manylane", frozen, sequence)]
pub(crate) struct Digests {
    array: ArrayRef,
    /// As a buffer: digests, bytes of each; and the bytes from one to the next.
    shape: [isize; 2],
    strides: [isize; 2],
    /// Bytes of a digest.
    #[pyo3(get)]
    digest_size: usize,
    /// The algorithm's name.
    #[pyo3(get)]
    name: String,
}

impl Digests {
    /// Digests side by side, some of them null.
    pub(crate) fn new(
        py: Python<'_>,
        algorithm: manylane::Algorithm,
        bytes: Vec<u8>,
        nulls: Option<NullBuffer>,
        encoding: Option<Text>,
    ) -> PyResult<Self> {
        let digest_size = algorithm.digest_bytes();
        let name = crate::names::spelled(algorithm);
        let array: ArrayRef = match encoding {
            Some(text) => py.detach(|| text.array(&bytes, digest_size, nulls))?,
            None => {
                let width = i32::try_from(digest_size).map_err(refused)?;
                let bytes = Buffer::from_vec(bytes);
                Arc::new(FixedSizeBinaryArray::try_new(width, bytes, nulls).map_err(refused)?)
            }
        };
        Ok(Self::around(array, digest_size, name))
    }

    fn around(array: ArrayRef, digest_size: usize, name: String) -> Self {
        let shape = [array.len() as isize, digest_size as isize];
        Self { array, shape, strides: [digest_size as isize, 1], digest_size, name }
    }

    fn item<'py>(&self, py: Python<'py>, row: usize) -> Bound<'py, PyAny> {
        if self.array.is_null(row) {
            return py.None().into_bound(py);
        }
        match self.array.data_type() {
            DataType::Utf8 => {
                PyString::new(py, self.array.as_string::<i32>().value(row)).into_any()
            }
            DataType::LargeUtf8 => {
                PyString::new(py, self.array.as_string::<i64>().value(row)).into_any()
            }
            _ => PyBytes::new(py, self.array.as_fixed_size_binary().value(row)).into_any(),
        }
    }

    /// The digests side by side, if they are bytes and none is null.
    fn bytes(&self) -> PyResult<&[u8]> {
        let Some(array) = self.array.as_fixed_size_binary_opt() else {
            return Err(PyBufferError::new_err("encoded digests are no buffer of bytes"));
        };
        if array.null_count() > 0 {
            return Err(PyBufferError::new_err(
                "null rows have no bytes: take the array through Arrow, or fill them",
            ));
        }
        let width = self.digest_size;
        let start = array.offset() * width;
        Ok(&array.values().as_slice()[start..][..array.len() * width])
    }
}

/// Name and length of the digests, whether they are text, and the digests: as one `bytes`, or in a
/// list if they are text or some are null.
type State<'py> = (String, usize, bool, Bound<'py, PyAny>);

/// Digests from the state that pickle has kept.
#[pyfunction]
pub(crate) fn _digests(
    name: String,
    digest_size: usize,
    is_text: bool,
    items: &Bound<'_, PyAny>,
) -> PyResult<Digests> {
    let width = i32::try_from(digest_size).map_err(refused)?;
    let array: ArrayRef = if is_text {
        let items: Vec<Option<String>> = items.extract()?;
        let bytes: usize = items.iter().flatten().map(String::len).sum();
        match i32::try_from(bytes) {
            Ok(_) => Arc::new(StringArray::from(items)),
            Err(_) => Arc::new(LargeStringArray::from(items)),
        }
    } else if let Ok(bytes) = items.cast::<PyBytes>() {
        let bytes = Buffer::from_slice_ref(bytes.as_bytes());
        Arc::new(FixedSizeBinaryArray::try_new(width, bytes, None).map_err(refused)?)
    } else {
        let items: Vec<Option<Vec<u8>>> = items.extract()?;
        let array = FixedSizeBinaryArray::try_from_sparse_iter_with_size(items.into_iter(), width);
        Arc::new(array.map_err(refused)?)
    };
    Ok(Digests::around(array, digest_size, name))
}

#[pymethods]
impl Digests {
    fn __len__(&self) -> usize {
        self.array.len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let length = self.array.len();
        if let Ok(slice) = index.cast::<PySlice>() {
            let range = slice.indices(length as isize)?;
            if range.step != 1 {
                let rows = (0..range.slicelength as isize)
                    .map(|i| self.item(py, (range.start + i * range.step) as usize));
                return Ok(PyList::new(py, rows.collect::<Vec<_>>())?.into_any());
            }
            let array = self.array.slice(range.start as usize, range.slicelength);
            let part = Self::around(array, self.digest_size, self.name.clone());
            return Ok(Bound::new(py, part)?.into_any());
        }
        let nowhere = || PyIndexError::new_err(format!("there is no digest {index} of {length}"));
        let index: isize = index.extract().map_err(|error: PyErr| {
            if error.is_instance_of::<PyOverflowError>(py) { nowhere() } else { error }
        })?;
        let row = if index < 0 { index + length as isize } else { index };
        match usize::try_from(row).ok().filter(|row| *row < length) {
            Some(row) => Ok(self.item(py, row)),
            None => Err(nowhere()),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.to_pylist(py))?.try_iter()
    }

    /// Equal to any sequence of the same digests. The comparison with anything else, such as an
    /// array of NumPy, is left to that object.
    fn __eq__<'py>(
        &self,
        py: Python<'py>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let answer = |is_equal: bool| Ok(PyBool::new(py, is_equal).to_owned().into_any());
        if let Ok(other) = other.cast::<Self>() {
            return answer(*self.array == *other.get().array);
        }
        if other.cast::<PySequence>().is_err() {
            return Ok(py.NotImplemented().into_bound(py));
        }
        if other.len()? != self.array.len() || other.is_instance_of::<PyString>() {
            return answer(false);
        }
        for (row, item) in other.try_iter()?.enumerate() {
            if row >= self.array.len() || !self.item(py, row).eq(item?)? {
                return answer(false);
            }
        }
        answer(true)
    }

    /// The first place of a digest from `start` on and before `stop`.
    #[pyo3(signature = (value, start = 0, stop = isize::MAX, /))]
    fn index<'py>(
        &self,
        py: Python<'py>,
        value: &Bound<'py, PyAny>,
        start: isize,
        stop: isize,
    ) -> PyResult<usize> {
        let length = self.array.len();
        let place = |end: isize| match usize::try_from(end) {
            Ok(end) => end.min(length),
            Err(_) => length.saturating_sub(end.unsigned_abs()),
        };
        for row in place(start)..place(stop) {
            if self.item(py, row).eq(value)? {
                return Ok(row);
            }
        }
        Err(refused("there is no such digest"))
    }

    /// How many of the digests are `value`.
    #[pyo3(signature = (value, /))]
    fn count<'py>(&self, py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<usize> {
        let mut count = 0;
        for row in 0..self.array.len() {
            count += usize::from(self.item(py, row).eq(value)?);
        }
        Ok(count)
    }

    fn __repr__(&self) -> String {
        format!("<{} digests of {}>", self.array.len(), self.name)
    }

    /// Rows that are null.
    #[getter]
    fn null_count(&self) -> usize {
        self.array.null_count()
    }

    /// The digests as a list.
    fn to_pylist<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        (0..self.array.len()).map(|row| self.item(py, row)).collect()
    }

    /// The digests side by side as one `bytes`.
    fn tobytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.bytes()?;
        PyBytes::new_with(py, bytes.len(), |out| {
            out.copy_from_slice(bytes);
            Ok(())
        })
    }

    /// A function and its arguments, from which pickle and copy make equal digests.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, State<'py>)> {
        let (py, this) = (slf.py(), slf.get());
        let is_text = this.array.as_fixed_size_binary_opt().is_none();
        let items = match this.bytes() {
            Ok(bytes) => PyBytes::new(py, bytes).into_any(),
            Err(_) => PyList::new(py, this.to_pylist(py))?.into_any(),
        };
        let function = py.import("manylane._manylane")?.getattr("_digests")?;
        Ok((function, (this.name.clone(), this.digest_size, is_text, items)))
    }

    /// The Arrow PyCapsule interface: schema and array, which share this object's memory.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, pyo3::types::PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let array = pyo3_arrow::PyArray::from_array_ref(self.array.clone());
        let (array, field) = array.into_inner();
        Ok(pyo3_arrow::ffi::to_array_pycapsules(py, field, &array, requested_schema)?)
    }

    /// # Safety
    /// Python calls it, with a view to fill in.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let this = slf.get();
        let bytes = this.bytes()?;
        if flags & ffi::PyBUF_F_CONTIGUOUS == ffi::PyBUF_F_CONTIGUOUS && this.shape[0] > 1 {
            return Err(PyBufferError::new_err("digests lie row by row"));
        }
        let (start, length) = (bytes.as_ptr().cast_mut().cast(), bytes.len() as isize);
        // SAFETY: the view is Python's to be filled in. It keeps `slf`, which never changes, as
        // long as it lives, and with it the bytes and the shape; it is read-only.
        unsafe {
            if ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start, length, 1, flags) != 0 {
                return Err(PyErr::fetch(slf.py()));
            }
            if flags & ffi::PyBUF_ND == ffi::PyBUF_ND {
                (*view).ndim = 2;
                (*view).shape = this.shape.as_ptr().cast_mut();
                if flags & ffi::PyBUF_STRIDES == ffi::PyBUF_STRIDES {
                    (*view).strides = this.strides.as_ptr().cast_mut();
                }
            }
        }
        Ok(())
    }
}
