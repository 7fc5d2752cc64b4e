//! Many messages: sequences, arrays of rows, iterators.

use crate::digests::Digests;
use crate::job::Job;
use crate::message::message;
use crate::names::thread_count;
use crate::output::Output;
use crate::refused::refused;
use crate::{capsules, column};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyMemoryView, PySlice, PyString, PyTuple};
use std::fmt::Display;

/// Messages, and bytes of messages, that are hashed at a time: bounds what an iterator takes.
const WINDOW: usize = 1 << 16;
const WINDOW_BYTES: usize = 64 << 20;

/// The digests of many messages, in their order.
///
/// `messages` is any iterable of bytes-like objects (an iterator is read in bounded memory), a 2-D
/// array of bytes, whose rows are the messages, or an Arrow column. `bytes` objects are read where
/// they are; buffers that can change, such as `bytearray` and NumPy arrays, are copied first.
///
/// threads: how many threads may work; None for one for each CPU.
/// prefix: bytes before every message. key: HMAC under this key instead of digests.
/// out: a writable buffer of exactly all digests, which then is returned.
/// engine: the name of one of `manylane.engines(algorithm)`; None for the best.
///
/// >>> import manylane
/// >>> [digest.hex()[:8] for digest in manylane.hash_many([b"a", b"b"], "sha256")]
/// ['ca978112', '3e23e816']
#[pyfunction]
#[pyo3(signature = (
    messages, algorithm, *, threads = 1, prefix = None, key = None, out = None, engine = None
))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn hash_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    algorithm: &str,
    #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
    prefix: Option<&Bound<'py, PyAny>>,
    key: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    engine: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let job = Job::new(algorithm, threads, prefix, key, engine)?;
    let place = out.map(place).transpose()?;
    let digests = if is_one_message(messages) {
        return Err(PyTypeError::new_err(
            "messages must be a sequence of messages, this is one: give [message]",
        ));
    } else if let Some(rows) = rows(messages)? {
        hash_array_rows(py, &job, &rows)?
    } else if capsules::is_column(messages)? {
        if place.is_none() {
            let made = column::hash(py, &job, messages, None)?;
            return Ok(Bound::new(py, made)?.into_any());
        }
        column::bytes(py, &job, messages)?
    } else {
        hash_each(py, &job, messages)?
    };
    match (out, place) {
        (Some(out), Some(place)) => {
            if place.len_bytes() != digests.len() {
                let (given, needed) = (place.len_bytes(), digests.len());
                return Err(refused(format!("out has {given} bytes where {needed} are needed")));
            }
            // SAFETY: the buffer is held, writable, contiguous and as long as the digests, and
            // Python's lock keeps others from it. The digests lie in memory of their own.
            unsafe {
                place
                    .buf_ptr()
                    .cast::<u8>()
                    .copy_from_nonoverlapping(digests.as_ptr(), digests.len());
            }
            Ok(out.clone())
        }
        _ => {
            let made = Digests::new(py, job.algorithm(), digests, None, None)?;
            Ok(Bound::new(py, made)?.into_any())
        }
    }
}

/// A writable, contiguous buffer of bytes.
fn place(out: &Bound<'_, PyAny>) -> PyResult<PyUntypedBuffer> {
    let refused = |why: &dyn Display| {
        PyTypeError::new_err(format!("out must be a writable buffer of bytes: {why}"))
    };
    // A memory view knows strides where its object, such as an array of ctypes, gives none.
    let view = PyMemoryView::from(out).map_err(|error| refused(&error))?;
    let buffer = PyUntypedBuffer::get(&view).map_err(|error| refused(&error))?;
    let format = buffer.format().to_string_lossy();
    if !["B", "c"].contains(&item(&format)) {
        return Err(refused(&format!("its items are of format '{format}'")));
    }
    match !buffer.readonly() && buffer.is_c_contiguous() {
        true => Ok(buffer),
        false => Err(PyBufferError::new_err("out is read-only or not C-contiguous")),
    }
}

/// The format of an item without its byte order, which means nothing for items of one byte.
fn item(format: &str) -> &str {
    format.strip_prefix(['@', '=', '<', '>', '!']).unwrap_or(format)
}

fn is_one_message(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || object.is_instance_of::<PyString>()
}

/// A view of a 2-D buffer, if the object is one.
fn rows<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let view = match PyMemoryView::from(object) {
        Ok(view) => view,
        // An array of dates, for example, whose items one by one would be messages of 8 bytes.
        Err(_) if object.hasattr("__array_interface__")? => {
            return Err(PyTypeError::new_err(format!(
                "an array of type {} is no list of messages: give a 2-D array of bytes, whose rows \
                 are the messages",
                object.getattr("dtype").map_or("?".into(), |kind| kind.to_string())
            )));
        }
        Err(_) => return Ok(None),
    };
    match view.getattr("ndim")?.extract::<usize>()? {
        2 => {}
        dimensions if view.getattr("format")?.extract::<String>()? != "O" => {
            return Err(PyTypeError::new_err(format!(
                "an array of {dimensions} dimensions is no list of messages: give a 2-D array of \
                 bytes, whose rows are the messages, or [array] for one message"
            )));
        }
        // An array of objects is a sequence as any other.
        _ => return Ok(None),
    }
    let format = view.getattr("format")?.extract::<String>()?;
    match ["B", "b", "c"].contains(&item(&format)) {
        true => Ok(Some(view.into_any())),
        false => Err(PyTypeError::new_err(format!(
            "a 2-D array of messages must be of bytes, not of format '{format}': say \
             array.view('uint8') of an array of NumPy, or give the rows' bytes in a list"
        ))),
    }
}

fn hash_array_rows(py: Python<'_>, job: &Job, view: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let (count, width): (usize, usize) = view.getattr("shape")?.extract()?;
    let step = (WINDOW_BYTES / width.max(1)).clamp(1, WINDOW);
    let mut digests = job.all_room(count)?;
    for start in (0..count).step_by(step) {
        let rows = step.min(count - start);
        let slice = PySlice::new(py, start as isize, (start + rows) as isize, 1);
        // The array can be written meanwhile, so it is copied, a window at a time.
        let copy = match width {
            0 => PyBytes::new(py, b""),
            _ => view.get_item(slice)?.call_method0("tobytes")?.cast_into()?,
        };
        let copy = PyBackedBytes::from(copy);
        let messages: Vec<&[u8]> =
            (0..rows).map(|row| &copy[row * width..(row + 1) * width]).collect();
        job.append(py, &messages, &mut digests)?;
    }
    Ok(digests.into_bytes())
}

fn hash_each(py: Python<'_>, job: &Job, messages: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(list) = messages.cast_exact::<PyList>() {
        return hash_tuple(py, job, &list.to_tuple());
    }
    if let Ok(tuple) = messages.cast_exact::<PyTuple>() {
        return hash_tuple(py, job, tuple);
    }
    let iterator = messages.try_iter().map_err(|error| {
        if !error.is_instance_of::<PyTypeError>(py) {
            return error;
        }
        PyTypeError::new_err("messages must be an iterable of bytes-like objects or a column")
    })?;
    let mut digests = Output::default();
    hash_items(py, job, iterator.enumerate(), &mut digests)?;
    Ok(digests.into_bytes())
}

/// The digests of the items of a tuple. A tuple keeps its items and never changes, so `bytes` are
/// read without taking a reference to each.
fn hash_tuple(py: Python<'_>, job: &Job, tuple: &Bound<'_, PyTuple>) -> PyResult<Vec<u8>> {
    let (mut digests, mut items, mut done) = (job.all_room(tuple.len())?, tuple.iter_borrowed(), 0);
    loop {
        let window = items.by_ref().take(WINDOW);
        let held: Vec<_> = window.map_while(|item| item.cast::<PyBytes>().ok()).collect();
        let messages: Vec<&[u8]> = held.iter().map(AsRef::as_ref).collect();
        let mut rest = &messages[..];
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |message: &&&[u8]| {
                let fits = bytes < WINDOW_BYTES;
                bytes += message.len();
                fits
            };
            let (now, later) = rest.split_at(rest.iter().take_while(fits).count());
            job.append(py, now, &mut digests)?;
            rest = later;
        }
        done += held.len();
        if held.len() < WINDOW {
            break;
        }
    }
    // An item that is no `bytes`, and all after it.
    let rest = tuple.iter().enumerate().skip(done).map(|(place, item)| (place, Ok(item)));
    hash_items(py, job, rest, &mut digests)?;
    Ok(digests.into_bytes())
}

/// Appends the digests of items, each with its place.
fn hash_items<'py>(
    py: Python<'py>,
    job: &Job,
    items: impl Iterator<Item = (usize, PyResult<Bound<'py, PyAny>>)>,
    digests: &mut Output,
) -> PyResult<()> {
    let (mut window, mut bytes) = (Vec::new(), 0);
    for (place, item) in items {
        let message = message(&item?).map_err(|error| at(py, place, error))?;
        bytes += message.len();
        window.push(message);
        if window.len() == WINDOW || bytes >= WINDOW_BYTES {
            job.append(py, &window, digests)?;
            window.clear();
            bytes = 0;
        }
    }
    job.append(py, &window, digests)
}

/// The error, saying which message it is about: in its text, or in a note where it is of a type of
/// its own or comes from a buffer that Python code gives.
fn at(py: Python<'_>, place: usize, error: PyErr) -> PyErr {
    let (kind, value) = (error.get_type(py), error.value(py));
    let is_plain = kind.is(py.get_type::<PyTypeError>())
        || kind.is(py.get_type::<PyValueError>())
        || kind.is(py.get_type::<PyBufferError>());
    if is_plain && error.traceback(py).is_none() {
        return PyErr::from_type(kind, format!("message {place}: {value}"));
    }
    match value.call_method1("add_note", (format!("message {place}"),)) {
        Ok(_) => error,
        Err(other) => other,
    }
}
