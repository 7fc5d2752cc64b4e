//! The rows of arrays of Arrow that are bytes, one array after the other, and their digests.

use crate::job::Job;
use crate::output::Output;
use crate::refused::refused;
use arrow_array::array::AnyDictionaryArray;
use arrow_array::cast::AsArray;
use arrow_array::downcast_integer_array;
use arrow_array::{
    Array, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, GenericBinaryArray,
    LargeBinaryArray, OffsetSizeTrait,
};
use arrow_buffer::Buffer;
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::ops::Range;
use std::slice::Windows;

/// The most rows that are hashed at a time. Chunks are gathered up to this number and to
/// [`WINDOW_BYTES`]: small chunks then fill lanes and threads too, little of a stream is held, and
/// an interrupt does not wait long.
pub(crate) const WINDOW: usize = 1 << 18;
/// The most bytes of rows that are hashed at a time.
pub(crate) const WINDOW_BYTES: usize = 64 << 20;

/// An array whose rows are bytes. The bytes of a null row may have any value.
pub(crate) enum Bytes {
    /// Rows without bytes, all of them null.
    Null,
    Short(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    Fixed(FixedSizeBinaryArray),
}

impl Bytes {
    /// Takes an array; text is taken as its bytes, without a copy.
    pub(crate) fn of(array: &dyn Array) -> PyResult<Self> {
        Ok(match array.data_type() {
            DataType::Null => Self::Null,
            DataType::Binary => Self::Short(checked(array.as_binary::<i32>().clone())?),
            DataType::Utf8 => Self::Short(checked(array.as_string::<i32>().clone().into())?),
            DataType::LargeBinary => Self::Large(checked(array.as_binary::<i64>().clone())?),
            DataType::LargeUtf8 => Self::Large(checked(array.as_string::<i64>().clone().into())?),
            DataType::BinaryView => Self::View(checked_views(array.as_binary_view().clone())?),
            DataType::Utf8View => {
                Self::View(checked_views(array.as_string_view().clone().to_binary_view())?)
            }
            DataType::FixedSizeBinary(_) => Self::Fixed(array.as_fixed_size_binary().clone()),
            other => {
                return Err(PyTypeError::new_err(format!("rows of type {other} are no bytes")));
            }
        })
    }

    /// The bytes of a row; a null row has any bytes.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[u8] {
        match self {
            Self::Null => &[],
            Self::Short(array) => array.value(row),
            Self::Large(array) => array.value(row),
            // The view of a null row may lead nowhere.
            Self::View(array) if array.is_null(row) => &[],
            Self::View(array) => array.value(row),
            Self::Fixed(array) => array.value(row),
        }
    }

    /// The rows of a range. The kind of array and the bounds of its offsets are examined once: to
    /// do so for each row would take a tenth of the time of hashing a short row.
    fn rows(&self, range: Range<usize>) -> Rows<'_> {
        match self {
            Self::Short(array) => Rows::Short(WithOffsets::new(array, range)),
            Self::Large(array) => Rows::Large(WithOffsets::new(array, range)),
            _ => Rows::Other(self, range),
        }
    }

    /// An upper bound of the bytes of all rows together.
    fn size(&self) -> usize {
        match self {
            Self::Null => 0,
            Self::Short(array) => {
                let offsets = array.value_offsets();
                (offsets[array.len()] - offsets[0]) as usize
            }
            Self::Large(array) => {
                let offsets = array.value_offsets();
                (offsets[array.len()] - offsets[0]) as usize
            }
            // The low half of a view is its length; that of a null row may be any.
            Self::View(array) => array.views().iter().map(|view| *view as u32 as usize).sum(),
            Self::Fixed(array) => array.len() * array.value_length() as usize,
        }
    }
}

/// The array, if each of its rows ends where it begins or after it, and within the array's data.
fn checked<O: OffsetSizeTrait>(array: GenericBinaryArray<O>) -> PyResult<GenericBinaryArray<O>> {
    let offsets = array.value_offsets();
    // All rows are compared, so that the loop is vectorized; one that stopped at a wrong row would
    // not be.
    let mut fits = true;
    for (before, after) in offsets.iter().zip(&offsets[1..]) {
        fits &= before <= after;
    }
    let last = offsets[offsets.len() - 1].as_usize();
    match fits && offsets[0] >= O::zero() && last <= array.value_data().len() {
        true => Ok(array),
        false => Err(invalid("a row ends before it begins")),
    }
}

/// Where the bytes of a row of more than [`MOST_INLINE`] bytes lie. Arrow's numbers are signed.
struct View {
    length: i32,
    buffer: i32,
    offset: i32,
}

impl View {
    fn of(view: u128) -> Self {
        // Bits 32 to 63 have the row's first four bytes.
        Self { length: view as i32, buffer: (view >> 64) as i32, offset: (view >> 96) as i32 }
    }

    /// Whether the row's bytes are there.
    fn fits(&self, buffers: &[Buffer]) -> bool {
        // The bytes of a short row lie in the view itself.
        if (0..=MOST_INLINE).contains(&self.length) {
            return true;
        }
        let (Ok(length), Ok(buffer), Ok(offset)) =
            (u64::try_from(self.length), usize::try_from(self.buffer), u64::try_from(self.offset))
        else {
            return false;
        };
        buffers.get(buffer).is_some_and(|bytes| offset + length <= bytes.len() as u64)
    }
}

/// The most bytes of a row that lie in its view.
const MOST_INLINE: i32 = 12;

/// The array, if each row that is not null has a view of bytes that are there.
fn checked_views(array: BinaryViewArray) -> PyResult<BinaryViewArray> {
    let buffers = array.data_buffers();
    let leads_nowhere = |row: &usize| !View::of(array.views()[*row]).fits(buffers);
    let Some(row) = (0..array.len()).filter(leads_nowhere).find(|row| array.is_valid(*row)) else {
        return Ok(array);
    };
    let View { length, buffer, offset } = View::of(array.views()[row]);
    let there = match usize::try_from(buffer).ok().and_then(|buffer| buffers.get(buffer)) {
        Some(bytes) => format!("which has {} bytes", bytes.len()),
        None => format!("but the buffers have numbers below {}", buffers.len()),
    };
    Err(invalid(&format!(
        "the view of row {row} is of {length} bytes from byte {offset} of buffer {buffer}, {there}"
    )))
}

/// Refuses a dictionary with a row whose key is out of range.
pub(crate) fn check_keys(dictionary: &dyn AnyDictionaryArray) -> PyResult<()> {
    let (keys, count) = (dictionary.keys(), dictionary.values().len() as i128);
    let wrong = downcast_integer_array!(
        keys => {
            let is_wrong = |key| !(0..count).contains(&(key as i128));
            keys.iter().position(|key| key.is_some_and(is_wrong))
        },
        _ => None
    );
    match wrong {
        None => Ok(()),
        Some(row) => Err(invalid(&format!("row {row} has a key of no value of the dictionary"))),
    }
}

fn invalid(why: &str) -> PyErr {
    refused(format!("this is no valid Arrow array: {why}"))
}

/// Rows of one array, in their order.
enum Rows<'b> {
    Short(WithOffsets<'b, i32>),
    Large(WithOffsets<'b, i64>),
    Other(&'b Bytes, Range<usize>),
}

impl<'b> Iterator for Rows<'b> {
    type Item = &'b [u8];

    fn next(&mut self) -> Option<&'b [u8]> {
        match self {
            Self::Short(rows) => rows.next(),
            Self::Large(rows) => rows.next(),
            Self::Other(array, range) => range.next().map(|row| array.row(row)),
        }
    }

    /// Has a loop for each kind of array, so that the kind is not examined for each row.
    fn fold<T, F: FnMut(T, &'b [u8]) -> T>(self, first: T, mut then: F) -> T {
        match self {
            Self::Short(rows) => rows.fold(first, then),
            Self::Large(rows) => rows.fold(first, then),
            Self::Other(array, range) => range.fold(first, |t, row| then(t, array.row(row))),
        }
    }
}

/// Rows of an array with offsets.
struct WithOffsets<'b, O> {
    bytes: &'b [u8],
    /// Where each row begins and ends.
    ends: Windows<'b, O>,
}

impl<'b, O: OffsetSizeTrait> WithOffsets<'b, O> {
    fn new(array: &'b GenericBinaryArray<O>, range: Range<usize>) -> Self {
        let ends = array.value_offsets()[range.start..=range.end].windows(2);
        Self { bytes: array.value_data(), ends }
    }
}

impl<'b, O: OffsetSizeTrait> Iterator for WithOffsets<'b, O> {
    type Item = &'b [u8];

    #[inline]
    fn next(&mut self) -> Option<&'b [u8]> {
        self.ends.next().map(|ends| &self.bytes[ends[0].as_usize()..ends[1].as_usize()])
    }
}

/// The rows of arrays, one array after the other.
#[derive(Default)]
pub(crate) struct Chunks {
    arrays: Vec<Bytes>,
    /// The number of the first row of each array, and of the row after the last.
    starts: Vec<usize>,
    /// An upper bound of the bytes of all rows.
    bytes: usize,
}

impl Chunks {
    /// Appends the rows of an array.
    pub(crate) fn push(&mut self, array: &dyn Array) -> PyResult<()> {
        if !array.is_empty() {
            let start = self.count();
            let rows = Bytes::of(array)?;
            self.bytes = self.bytes.saturating_add(rows.size());
            self.arrays.push(rows);
            self.starts.pop();
            self.starts.extend([start, start + array.len()]);
        }
        Ok(())
    }

    /// The number of rows of all arrays.
    pub(crate) fn count(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    /// The index of the array that contains a row. There must be such a row.
    fn place(&self, row: usize) -> usize {
        // Arrays most often are as long as the first.
        let first = self.starts[1].max(1);
        let place = (row / first).min(self.arrays.len() - 1);
        match (self.starts[place]..self.starts[place + 1]).contains(&row) {
            true => place,
            false => self.starts.partition_point(|start| *start <= row) - 1,
        }
    }

    /// The bytes of a row.
    fn row(&self, row: usize) -> &[u8] {
        let place = self.place(row);
        self.arrays[place].row(row - self.starts[place])
    }

    /// The rows of a range.
    fn rows(&self, Range { start, end }: Range<usize>) -> impl Iterator<Item = &[u8]> {
        let first = if start < end { self.place(start) } else { self.arrays.len() };
        let arrays = self.arrays[first..].iter().zip(self.starts[first..].windows(2));
        arrays.take_while(move |(_, ends)| ends[0] < end).flat_map(move |(array, ends)| {
            array.rows(start.max(ends[0]) - ends[0]..end.min(ends[1]) - ends[0])
        })
    }

    /// Appends the digests of all rows, and removes the rows.
    pub(crate) fn append(
        &mut self,
        py: Python<'_>,
        job: &Job,
        digests: &mut Output,
    ) -> PyResult<()> {
        self.append_from(0, py, job, digests)?;
        *self = Self::default();
        Ok(())
    }

    /// Appends the digests of row `first` and all after it.
    pub(crate) fn append_from(
        &self,
        first: usize,
        py: Python<'_>,
        job: &Job,
        digests: &mut Output,
    ) -> PyResult<()> {
        let list = |of: Range<usize>| self.rows(first + of.start..first + of.end);
        self.append_listed(py, job, self.count() - first, list, digests)
    }

    /// Appends the digests of the rows with these numbers, which are all different.
    pub(crate) fn append_some(
        &self,
        py: Python<'_>,
        job: &Job,
        numbers: &[usize],
        digests: &mut Output,
    ) -> PyResult<()> {
        let list = |of: Range<usize>| numbers[of].iter().map(|&row| self.row(row));
        self.append_listed(py, job, numbers.len(), list, digests)
    }

    /// Appends the digests of `count` different rows; `list` returns the rows of a range of
    /// indices.
    fn append_listed<'c, I: Iterator<Item = &'c [u8]>>(
        &self,
        py: Python<'_>,
        job: &Job,
        count: usize,
        list: impl Fn(Range<usize>) -> I + Send + Sync,
        digests: &mut Output,
    ) -> PyResult<()> {
        // All windows have about one size, so that the last one is not too small for several
        // threads.
        let step = count.div_ceil(count.div_ceil(WINDOW).max(1)).max(1);
        let mut from = 0;
        while from < count {
            let mut rows = step.min(count - from);
            if self.bytes > WINDOW_BYTES {
                let mut bytes = 0;
                let fits = |row: &&[u8]| {
                    let fits = bytes < WINDOW_BYTES;
                    bytes += row.len();
                    fits
                };
                rows = list(from..from + rows).take_while(fits).count();
            }
            let of_window = |of: Range<usize>| list(from + of.start..from + of.end);
            job.append_listed(py, rows, of_window, digests)?;
            from += rows;
        }
        Ok(())
    }
}
