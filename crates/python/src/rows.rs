//! Rows of tables, in an encoding that no two different rows share.
//!
//! ```text
//! row      the values of the columns, in the order in which they are named
//! value    kind 1 byte, length 8 bytes little-endian, bytes; of a null: kind 0 alone
//!
//! kind  0  null
//!       1  binary           the bytes
//!       2  text             UTF-8
//!       3  boolean          one byte, 0 or 1
//!       4  signed integer   little-endian, as many bytes as its type has
//!       5  unsigned integer
//!       6  floating point   IEEE 754, little-endian
//!       7  date32           days since 1970, 4 bytes      8  date64   milliseconds, 8 bytes
//!       9  timestamp        unit (0 s, 1 ms, 2 µs, 3 ns), then 8 bytes since 1970; no time zone
//!      10  decimal          scale, one signed byte, then as many bytes as its type has
//!      11  time of day      unit as above, then 4 or 8 bytes
//!      12  duration         unit, then 8 bytes
//! ```
//!
//! Names of columns are not hashed. A dictionary has the values that it stands for.

use crate::capsules::{check_table, failed, is_column, reader};
use crate::chunks::{Bytes, check_keys};
use crate::digests::Digests;
use crate::job::Job;
use crate::names::thread_count;
use crate::output::Output;
use crate::refused::refused;
use crate::text::Text;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Schema, SchemaRef, TimeUnit};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::ops::Range;
use std::sync::Arc;

/// Rows that are encoded at a time, and bytes of their encodings, unless one row has more.
const WINDOW: usize = 1 << 14;
const WINDOW_BYTES: usize = 64 << 20;

/// The digest of each row of a table, over the columns named, or over all of them.
///
/// `table` is whatever exports Arrow's PyCapsules: a pyarrow Table, a polars DataFrame, a relation
/// of DuckDB. No two different rows of columns of the same types have the same encoding, which
/// docs/python.md describes: each value has its kind and its length before it. Nulls are values, so
/// no row of the result is null.
///
/// >>> import pyarrow, manylane
/// >>> table = pyarrow.table({"a": ["x", "xy"], "b": ["yz", "z"]})
/// >>> digests = manylane.hash_rows(table, ["a", "b"], "sha256")
/// >>> digests[0] != digests[1]
/// True
#[pyfunction]
#[pyo3(signature = (
    table, columns, algorithm, *, threads = 1, prefix = None, key = None, encoding = None,
    engine = None
))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn hash_rows(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    columns: Option<&Bound<'_, PyAny>>,
    algorithm: &str,
    #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
    prefix: Option<&Bound<'_, PyAny>>,
    key: Option<&Bound<'_, PyAny>>,
    encoding: Option<&str>,
    engine: Option<&str>,
) -> PyResult<Digests> {
    let job = Job::new(algorithm, threads, prefix, key, engine)?;
    let encoding = Text::named(encoding)?;
    let columns = columns.map(names).transpose()?;
    if !is_column(table)? {
        return Err(PyTypeError::new_err(
            "this exports no Arrow table: give one of pyarrow, polars or the like",
        ));
    }
    let reader = reader(table)?;
    let schema = schema(reader.field().data_type())?;
    let places = places(&schema, columns)?;
    check_table(table, places.iter().map(|&place| schema.field(place).name().as_str()))?;
    let (mut digests, mut before) = (Output::default(), 0);
    for rows in reader {
        let batch = batch(&schema, rows.map_err(|error| failed(py, error))?, before)?;
        before += batch.num_rows();
        let columns: Vec<Column> =
            places.iter().map(|&place| Column::new(&batch, place)).collect::<PyResult<_>>()?;
        let mut from = 0;
        while from < batch.num_rows() {
            let most = WINDOW.min(batch.num_rows() - from);
            let (bytes, ends) = py.detach(|| encode(&columns, from, most));
            let list = |of: Range<usize>| {
                ends[of.start..=of.end].windows(2).map(|ends| &bytes[ends[0]..ends[1]])
            };
            let rows = ends.len() - 1;
            job.append_listed(py, rows, list, &mut digests)?;
            from += rows;
        }
    }
    Digests::new(py, job.algorithm(), digests.into_bytes(), None, encoding)
}

fn names(columns: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if columns.is_instance_of::<PyString>() {
        let text = format!("columns must be a sequence of names: give ['{columns}']");
        return Err(PyTypeError::new_err(text));
    }
    let names: Vec<String> =
        columns.try_iter()?.map(|name| name?.extract()).collect::<PyResult<_>>()?;
    match names.is_empty() {
        true => Err(refused("columns names no column: name one or more, or give None for all")),
        false => Ok(names),
    }
}

/// The columns of a table, which Arrow has as an array of structs.
fn schema(kind: &DataType) -> PyResult<SchemaRef> {
    match kind {
        DataType::Struct(fields) => Ok(Arc::new(Schema::new(fields.clone()))),
        other => Err(PyTypeError::new_err(format!(
            "this is a column of type {other}, no table: use hash_array, or give a table of it"
        ))),
    }
}

/// The rows of a table that come after `before` others. A row that is null as a whole is refused:
/// its values in the columns are hidden, and say nothing about it.
fn batch(schema: &SchemaRef, rows: ArrayRef, before: usize) -> PyResult<RecordBatch> {
    let (_, columns, nulls) = rows.as_struct().clone().into_parts();
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    if let Some(row) = nulls.and_then(|nulls| (0..nulls.len()).find(|row| nulls.is_null(*row))) {
        return Err(refused(format!(
            "row {} is null as a whole, which has no encoding: leave such rows out, or make a \
             table of the columns, in which each value is null",
            before + row
        )));
    }
    RecordBatch::try_new_with_options(schema.clone(), columns, &options).map_err(refused)
}

/// The encodings of a window's rows, at most so many, one after the other, and where each begins
/// and ends.
fn encode(columns: &[Column], from: usize, most: usize) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut ends) = (Vec::new(), vec![0]);
    for row in from..from + most {
        if bytes.len() >= WINDOW_BYTES {
            break;
        }
        for column in columns {
            column.write(row, &mut bytes);
        }
        ends.push(bytes.len());
    }
    (bytes, ends)
}

/// The columns' places by their names.
fn places(schema: &Schema, columns: Option<Vec<String>>) -> PyResult<Vec<usize>> {
    let Some(columns) = columns else { return Ok((0..schema.fields().len()).collect()) };
    let place = |name: &String| {
        let mut found = (0..schema.fields().len()).filter(|i| schema.field(*i).name() == name);
        match (found.next(), found.next()) {
            (Some(place), None) => Ok(place),
            (Some(_), Some(_)) => {
                Err(refused(format!("there are two columns '{name}': rename one")))
            }
            (None, _) => {
                let names: Vec<_> = schema.fields().iter().map(|f| f.name().as_str()).collect();
                let text = format!("no column '{name}'; there are: {}", names.join(", "));
                Err(PyKeyError::new_err(text))
            }
        }
    };
    columns.iter().map(place).collect()
}

/// A column whose values are written one by one.
struct Column {
    array: ArrayRef,
    nulls: Option<arrow_buffer::NullBuffer>,
    kind: Kind,
    /// The values side by side, from the first row on, where all have one length.
    fixed: Option<arrow_buffer::Buffer>,
}

enum Kind {
    Null,
    /// Kind of values that have lengths of their own, and the values.
    Bytes(u8, Bytes),
    Boolean,
    /// Kind, a byte before the value, bytes of the value.
    Fixed(u8, Option<u8>, usize),
}

fn number(unit: TimeUnit) -> u8 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 1,
        TimeUnit::Microsecond => 2,
        TimeUnit::Nanosecond => 3,
    }
}

impl Column {
    fn new(batch: &RecordBatch, place: usize) -> PyResult<Self> {
        let mut array = batch.column(place).clone();
        while let DataType::Dictionary(_, values) = array.data_type() {
            check_keys(array.as_any_dictionary())?;
            array = arrow_cast::cast(&array, values).map_err(refused)?;
        }
        let width = || array.data_type().primitive_width().unwrap_or_default();
        let kind = match array.data_type() {
            DataType::Null => Kind::Null,
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => Kind::Bytes(1, Bytes::of(&array)?),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                Kind::Bytes(2, Bytes::of(&array)?)
            }
            DataType::Boolean => Kind::Boolean,
            kind if kind.is_signed_integer() => Kind::Fixed(4, None, width()),
            kind if kind.is_unsigned_integer() => Kind::Fixed(5, None, width()),
            DataType::Float16 | DataType::Float32 | DataType::Float64 => {
                Kind::Fixed(6, None, width())
            }
            DataType::Date32 => Kind::Fixed(7, None, 4),
            DataType::Date64 => Kind::Fixed(8, None, 8),
            DataType::Timestamp(unit, _) => Kind::Fixed(9, Some(number(*unit)), width()),
            DataType::Decimal32(_, scale)
            | DataType::Decimal64(_, scale)
            | DataType::Decimal128(_, scale)
            | DataType::Decimal256(_, scale) => Kind::Fixed(10, Some(*scale as u8), width()),
            DataType::Time32(unit) | DataType::Time64(unit) => {
                Kind::Fixed(11, Some(number(*unit)), width())
            }
            DataType::Duration(unit) => Kind::Fixed(12, Some(number(*unit)), width()),
            other => {
                let name = batch.schema().field(place).name().clone();
                return Err(PyTypeError::new_err(format!(
                    "column '{name}' is of type {other}, whose rows have no encoding: cast it, or \
                     name other columns"
                )));
            }
        };
        let nulls = array.logical_nulls();
        let fixed = match kind {
            Kind::Fixed(_, _, width) => {
                let data = array.to_data();
                Some(data.buffers()[0].slice(data.offset() * width))
            }
            _ => None,
        };
        Ok(Self { array, nulls, kind, fixed })
    }

    /// Writes the value of a row.
    fn write(&self, row: usize, out: &mut Vec<u8>) {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return out.push(0);
        }
        let mut value = |kind: u8, before: Option<u8>, bytes: &[u8]| {
            out.push(kind);
            let length = bytes.len() as u64 + u64::from(before.is_some());
            out.extend_from_slice(&length.to_le_bytes());
            out.extend(before);
            out.extend_from_slice(bytes);
        };
        match &self.kind {
            Kind::Null => out.push(0),
            Kind::Bytes(kind, bytes) => value(*kind, None, bytes.row(row)),
            Kind::Boolean => value(3, None, &[self.array.as_boolean().value(row).into()]),
            Kind::Fixed(kind, before, width) => {
                let fixed = self.fixed.as_ref().map_or(&[][..], |fixed| fixed.as_slice());
                value(*kind, *before, &fixed[row * width..][..*width]);
            }
        }
    }
}
