//! The rows of arrays of Arrow that are bytes, one array after the other, and their digests.

use crate::job::Job;
use crate::output::Output;
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, GenericBinaryArray,
    LargeBinaryArray, OffsetSizeTrait,
};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::ops::Range;

/// Rows that are hashed at a time, and bytes of rows: an interrupt waits for no more. Chunks are
/// gathered up to this, so that small ones fill lanes and threads too, and little of a stream is
/// held.
pub(crate) const WINDOW: usize = 1 << 18;
pub(crate) const WINDOW_BYTES: usize = 64 << 20;

/// An array whose rows are bytes. Those of a null row may be any.
pub(crate) enum Bytes {
    /// So many rows of nothing.
    Null,
    Short(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    Fixed(FixedSizeBinaryArray),
}

impl Bytes {
    /// The same rows; text becomes the bytes that it is, without a copy.
    pub(crate) fn of(array: &dyn Array) -> PyResult<Self> {
        Ok(match array.data_type() {
            DataType::Null => Self::Null,
            DataType::Binary => Self::Short(array.as_binary::<i32>().clone()),
            DataType::Utf8 => Self::Short(array.as_string::<i32>().clone().into()),
            DataType::LargeBinary => Self::Large(array.as_binary::<i64>().clone()),
            DataType::LargeUtf8 => Self::Large(array.as_string::<i64>().clone().into()),
            DataType::BinaryView => Self::View(array.as_binary_view().clone()),
            DataType::Utf8View => Self::View(array.as_string_view().clone().to_binary_view()),
            DataType::FixedSizeBinary(_) => Self::Fixed(array.as_fixed_size_binary().clone()),
            other => {
                return Err(PyTypeError::new_err(format!("rows of type {other} are no bytes")));
            }
        })
    }

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

    /// Passes the rows of a range through `then`, as [`Iterator::fold`] does. The kind of array is
    /// asked once, where asking for each row takes as long as a tenth of hashing a short one.
    fn fold<'b, T>(
        &'b self,
        rows: Range<usize>,
        first: T,
        mut then: impl FnMut(T, &'b [u8]) -> T,
    ) -> T {
        match self {
            Self::Short(array) => fold(array, rows, first, then),
            Self::Large(array) => fold(array, rows, first, then),
            _ => rows.fold(first, |t, row| then(t, self.row(row))),
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

/// [`Bytes::fold`] of an array with offsets.
fn fold<'b, O: OffsetSizeTrait, T>(
    array: &'b GenericBinaryArray<O>,
    rows: Range<usize>,
    first: T,
    mut then: impl FnMut(T, &'b [u8]) -> T,
) -> T {
    let (bytes, offsets) = (array.value_data(), array.value_offsets());
    offsets[rows.start..=rows.end]
        .windows(2)
        .fold(first, |folded, ends| then(folded, &bytes[ends[0].as_usize()..ends[1].as_usize()]))
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

    pub(crate) fn count(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    /// The number of the array that has a row, which is there.
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
    fn rows(&self, range: Range<usize>) -> Rows<'_> {
        Rows { chunks: self, range }
    }

    /// Appends the digests of the rows, which then are gone.
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

    /// Appends the digests of `count` different rows, of which `list` gives those of a range.
    fn append_listed<'c, I: Iterator<Item = &'c [u8]>>(
        &self,
        py: Python<'_>,
        job: &Job,
        count: usize,
        list: impl Fn(Range<usize>) -> I + Send + Sync,
        digests: &mut Output,
    ) -> PyResult<()> {
        // Windows of one size, of which the last is not too small for threads.
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

/// The rows of a range, in their order.
struct Rows<'c> {
    chunks: &'c Chunks,
    range: Range<usize>,
}

impl<'c> Iterator for Rows<'c> {
    type Item = &'c [u8];

    fn next(&mut self) -> Option<Self::Item> {
        self.range.next().map(|row| self.chunks.row(row))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }

    fn fold<T, F: FnMut(T, Self::Item) -> T>(self, first: T, mut then: F) -> T {
        let Self { chunks, range: Range { mut start, end } } = self;
        let mut folded = first;
        while start < end {
            let place = chunks.place(start);
            let first = chunks.starts[place];
            let until = end.min(chunks.starts[place + 1]);
            folded = chunks.arrays[place].fold(start - first..until - first, folded, &mut then);
            start = until;
        }
        folded
    }
}
