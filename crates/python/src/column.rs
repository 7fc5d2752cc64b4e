//! Columns of Arrow, from whatever exports its PyCapsules.

use crate::capsules::{check_series, failed, is_column, reader};
use crate::chunks::{Chunks, WINDOW, WINDOW_BYTES, check_keys};
use crate::digests::Digests;
use crate::job::Job;
use crate::names::thread_count;
use crate::output::Output;
use crate::refused::refused;
use crate::text::Text;
use arrow_array::array::AnyDictionaryArray;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, NullArray};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::Arc;

/// The digest of each row of an Arrow column; null rows stay null.
///
/// `column` is whatever exports Arrow's PyCapsules: a pyarrow Array or ChunkedArray, a polars
/// Series, a column of DuckDB or DataFusion. Its type is Binary, LargeBinary, BinaryView,
/// FixedSizeBinary, or one of the Utf8 kinds, whose bytes are hashed as they are; or a dictionary
/// of these, of which no value is hashed twice. Columns of Arrow do not change and are read where
/// they are.
///
/// encoding: "hex" or "base64" for text instead of bytes. The other arguments are those of
/// `hash_many`. The result is a FixedSizeBinary array: `pyarrow.array(result)` takes it without a
/// copy.
///
/// >>> import pyarrow, manylane
/// >>> digests = manylane.hash_array(pyarrow.array(["a", None, "b"]), "md5", encoding="hex")
/// >>> pyarrow.array(digests).to_pylist()
/// ['0cc175b9c0f1b6a831c399e269772661', None, '92eb5ffee6ae2fec3ad71c777531578f']
#[pyfunction]
#[pyo3(signature = (
    column, algorithm, *, threads = 1, prefix = None, key = None, encoding = None, engine = None
))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn hash_array(
    py: Python<'_>,
    column: &Bound<'_, PyAny>,
    algorithm: &str,
    #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
    prefix: Option<&Bound<'_, PyAny>>,
    key: Option<&Bound<'_, PyAny>>,
    encoding: Option<&str>,
    engine: Option<&str>,
) -> PyResult<Digests> {
    let job = Job::new(algorithm, threads, prefix, key, engine)?;
    let encoding = Text::named(encoding)?;
    if !is_column(column)? {
        let name = column.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "'{name}' exports no Arrow array: give a column of pyarrow, polars or the like, or use \
             hash_many"
        )));
    }
    hash(py, &job, column, encoding)
}

/// The digests of the rows so far.
struct Rows {
    digests: Output,
    count: usize,
    /// Whether each row has a value; none as long as all have.
    valid: Option<BooleanBufferBuilder>,
    /// The dictionary of the last chunk that had one.
    dictionary: Option<Dictionary>,
}

impl Rows {
    /// Appends the rows of chunks.
    fn append(&mut self, py: Python<'_>, job: &Job, chunks: &[ArrayRef]) -> PyResult<()> {
        append(py, job, chunks, &mut self.dictionary, &mut self.digests)?;
        let digest = job.digest_bytes();
        for chunk in chunks {
            self.note(digest, chunk.logical_nulls().as_ref(), chunk.len());
        }
        Ok(())
    }

    /// Notes the nulls of the next rows and clears their digests.
    fn note(&mut self, digest: usize, nulls: Option<&NullBuffer>, count: usize) {
        if let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) {
            let valid = self.valid.get_or_insert_with(|| {
                let mut valid = BooleanBufferBuilder::new(self.count + count);
                valid.append_n(self.count, true);
                valid
            });
            valid.append_buffer(nulls.inner());
            let place = self.count * digest..(self.count + count) * digest;
            let digests = self.digests.filled()[place].chunks_exact_mut(digest);
            for (row, digest) in digests.enumerate() {
                if nulls.is_null(row) {
                    digest.fill(0);
                }
            }
        } else if let Some(valid) = &mut self.valid {
            valid.append_n(count, true);
        }
        self.count += count;
    }

    fn nulls(&mut self) -> Option<NullBuffer> {
        self.valid.take().map(|mut valid| NullBuffer::new(valid.finish()))
    }
}

/// The number of rows, or 0 where asking for it might compute the rows.
fn rows_known(column: &Bound<'_, PyAny>) -> PyResult<usize> {
    // An array, a ChunkedArray of pyarrow, a Series of polars.
    for name in ["__arrow_c_array__", "num_chunks", "n_chunks"] {
        if column.hasattr(name)? {
            return Ok(column.len().unwrap_or(0));
        }
    }
    Ok(0)
}

fn rows(py: Python<'_>, job: &Job, column: &Bound<'_, PyAny>) -> PyResult<Rows> {
    check_series(column)?;
    let reader = reader(column)?;
    check(reader.field().data_type())?;
    let digests = job.room(rows_known(column)?);
    let mut rows = Rows { digests, count: 0, valid: None, dictionary: None };
    let mut gathered: Vec<ArrayRef> = Vec::new();
    let (mut count, mut bytes) = (0, 0);
    let is_null = *reader.field().data_type() == DataType::Null;
    for chunk in reader {
        let chunk = match chunk {
            Ok(chunk) => chunk,
            // Polars exports rows of type Null with a buffer, for which Arrow has no place.
            Err(_) if is_null && column.len().is_ok() => {
                let rest = column.len()?.saturating_sub(rows.count + count);
                gathered.push(Arc::new(NullArray::new(rest)));
                break;
            }
            Err(error) => return Err(failed(py, error)),
        };
        count += chunk.len();
        bytes += match chunk.to_data().get_slice_memory_size() {
            Ok(bytes) => bytes,
            Err(_) => chunk.get_buffer_memory_size(),
        };
        gathered.push(chunk);
        if count >= WINDOW || bytes >= WINDOW_BYTES {
            rows.append(py, job, &gathered)?;
            gathered.clear();
            (count, bytes) = (0, 0);
        }
    }
    rows.append(py, job, &gathered)?;
    Ok(rows)
}

/// The digests of a column.
pub(crate) fn hash(
    py: Python<'_>,
    job: &Job,
    column: &Bound<'_, PyAny>,
    encoding: Option<Text>,
) -> PyResult<Digests> {
    let mut rows = rows(py, job, column)?;
    let nulls = rows.nulls();
    Digests::new(py, job.algorithm(), rows.digests.into_bytes(), nulls, encoding)
}

/// The digests of a column without nulls, side by side.
pub(crate) fn bytes(py: Python<'_>, job: &Job, column: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let mut rows = rows(py, job, column)?;
    match rows.nulls() {
        Some(_) => Err(refused("null rows have no digest in out: use hash_array")),
        None => Ok(rows.digests.into_bytes()),
    }
}

/// Refuses types whose rows are no bytes.
fn check(data_type: &DataType) -> PyResult<()> {
    match data_type {
        DataType::Null
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_)
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View => Ok(()),
        DataType::Dictionary(_, values) => check(values),
        DataType::Struct(fields) => {
            let names: Vec<_> = fields.iter().map(|field| format!("'{}'", field.name())).collect();
            Err(PyTypeError::new_err(format!(
                "this is a table of columns {}: give one of them, or use hash_rows",
                names.join(", ")
            )))
        }
        other => {
            let has_encoding = *other == DataType::Boolean
                || other.is_numeric()
                || other.is_temporal() && !matches!(other, DataType::Interval(_));
            let remedy = if has_encoding { ", or use hash_rows" } else { "" };
            Err(PyTypeError::new_err(format!(
                "rows of type {other} are no bytes: cast the column to binary or text{remedy}"
            )))
        }
    }
}

/// Appends the digests of the rows of arrays, as one batch where they are few.
fn append(
    py: Python<'_>,
    job: &Job,
    arrays: &[ArrayRef],
    last: &mut Option<Dictionary>,
    digests: &mut Output,
) -> PyResult<()> {
    let mut chunks = Chunks::default();
    for array in arrays {
        match array.as_any_dictionary_opt() {
            None => chunks.push(array)?,
            Some(dictionary) => {
                chunks.append(py, job, digests)?;
                append_dictionary(py, job, dictionary, last, digests)?;
            }
        }
    }
    chunks.append(py, job, digests)
}

/// The values of a dictionary, and the digests of those that were hashed so far.
struct Dictionary {
    values: ArrayRef,
    rows: Chunks,
    digests: Output,
    /// Where the digest of each value stands among the digests, counted from 1, and 0 where it was
    /// not hashed; none where all were hashed, in their order.
    places: Option<Vec<usize>>,
}

impl Dictionary {
    /// The values of a dictionary whose first chunk has `count` rows. If there are more values than
    /// rows, only values that rows refer to are hashed.
    fn new(values: ArrayRef, count: usize) -> PyResult<Self> {
        let mut rows = Chunks::default();
        rows.push(&values)?;
        let places = (values.len() > count).then(|| vec![0; values.len()]);
        Ok(Self { values, rows, digests: Output::default(), places })
    }

    /// Whether these are the values, by the memory where they lie.
    fn has(&self, values: &ArrayRef) -> bool {
        self.values.to_data().ptr_eq(&values.to_data())
    }

    /// Hashes what was not hashed before: all values, or those of these places.
    fn hash(
        &mut self,
        py: Python<'_>,
        job: &Job,
        used: impl Iterator<Item = usize>,
    ) -> PyResult<()> {
        let done = self.digests.filled().len() / job.digest_bytes();
        let Some(places) = &mut self.places else {
            return self.rows.append_from(done, py, job, &mut self.digests);
        };
        let mut new = Vec::new();
        for value in used {
            if places[value] == 0 {
                places[value] = usize::MAX;
                new.push(value);
            }
        }
        // In the order in which they lie they are read faster.
        new.sort_unstable();
        for (i, value) in new.iter().enumerate() {
            places[*value] = done + i + 1;
        }
        self.rows.append_some(py, job, &new, &mut self.digests)
    }
}

/// Appends the digests of a dictionary's rows. A value is hashed once, also if several chunks share
/// the dictionary; of more values than rows, only those that rows have.
fn append_dictionary(
    py: Python<'_>,
    job: &Job,
    dictionary: &dyn AnyDictionaryArray,
    last: &mut Option<Dictionary>,
    digests: &mut Output,
) -> PyResult<()> {
    let (count, digest) = (dictionary.len(), job.digest_bytes());
    let Some((keys, values)) = resolved(dictionary)? else {
        digests.next(count * digest)?.fill(0);
        return Ok(());
    };
    let known = match last.take().filter(|last| last.has(&values)) {
        Some(known) => last.insert(known),
        None => last.insert(Dictionary::new(values, count)?),
    };
    let nulls = dictionary.nulls();
    let is_valid = |row: &usize| nulls.is_none_or(|nulls| nulls.is_valid(*row));
    known.hash(py, job, (0..count).filter(is_valid).map(|row| keys[row]))?;
    let (of_values, places) = (known.digests.filled(), known.places.as_deref());
    let of_rows = digests.next(count * digest)?.chunks_exact_mut(digest);
    for (row, of_row) in of_rows.enumerate() {
        let place = match places {
            None => keys[row],
            // Only null rows have values that were not hashed, and their digests are cleared.
            Some(places) => places[keys[row]].saturating_sub(1),
        };
        match of_values.get(place * digest..(place + 1) * digest) {
            Some(of_value) => of_row.copy_from_slice(of_value),
            None => of_row.fill(0),
        }
    }
    Ok(())
}

/// The place of each row's value, and the values, which are no dictionary; none if there are no
/// values, so that every row is null.
///
/// # Errors
/// If a key is out of range.
fn resolved(dictionary: &dyn AnyDictionaryArray) -> PyResult<Option<(Vec<usize>, ArrayRef)>> {
    check_keys(dictionary)?;
    let mut values = dictionary.values();
    if values.is_empty() {
        return Ok(None);
    }
    let mut keys = dictionary.normalized_keys();
    while let Some(inner) = values.as_any_dictionary_opt() {
        check_keys(inner)?;
        values = inner.values();
        if values.is_empty() {
            return Ok(None);
        }
        let places = inner.normalized_keys();
        keys.iter_mut().for_each(|key| *key = places[*key]);
    }
    Ok(Some((keys, values.clone())))
}
