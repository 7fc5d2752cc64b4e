//! Digests as text.

use crate::output::reserve;
use crate::refused::refused;
use arrow_array::{ArrayRef, LargeStringArray, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::ArrowError;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::Arc;

/// How digests are written as text.
#[derive(Clone, Copy)]
pub(crate) enum Text {
    Hex,
    Base64,
}

impl Text {
    /// What an argument `encoding` asks for; None for the bytes.
    pub(crate) fn named(name: Option<&str>) -> PyResult<Option<Self>> {
        match name {
            None => Ok(None),
            Some("hex") => Ok(Some(Self::Hex)),
            Some("base64") => Ok(Some(Self::Base64)),
            Some(name) => Err(refused(format!(
                "encoding='{name}': give \"hex\", \"base64\", or None for the bytes"
            ))),
        }
    }

    /// Characters of the text of so many bytes.
    fn width(self, bytes: usize) -> usize {
        match self {
            Self::Hex => 2 * bytes,
            Self::Base64 => bytes.div_ceil(3) * 4,
        }
    }

    /// Writes the texts of digests of so many bytes that lie side by side.
    fn write(self, digests: &[u8], digest: usize, text: &mut [u8]) -> PyResult<()> {
        match self {
            Self::Hex => write_hex(digests, text),
            Self::Base64 => {
                let rows = text.chunks_exact_mut(self.width(digest));
                for (digest, text) in digests.chunks_exact(digest).zip(rows) {
                    BASE64_STANDARD.encode_slice(digest, text).map_err(refused)?;
                }
            }
        }
        Ok(())
    }

    /// Digests of `digest` bytes, side by side, as an array of strings; null rows stay null.
    pub(crate) fn array(
        self,
        digests: &[u8],
        digest: usize,
        nulls: Option<NullBuffer>,
    ) -> PyResult<ArrayRef> {
        let (count, width) = (digests.len() / digest, self.width(digest));
        let valid = count - nulls.as_ref().map_or(0, NullBuffer::null_count);
        let mut text = Vec::new();
        let length = valid.saturating_mul(width);
        reserve(&mut text, length)?;
        text.resize(length, 0);
        match &nulls {
            None => self.write(digests, digest, &mut text)?,
            Some(nulls) => {
                let mut rest = &mut text[..];
                for (from, to) in nulls.valid_slices() {
                    let (rows, more) = rest.split_at_mut((to - from) * width);
                    self.write(&digests[from * digest..to * digest], digest, rows)?;
                    rest = more;
                }
            }
        }
        let is_valid = |row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        let lengths = (0..count).map(|row| if is_valid(row) { width } else { 0 });
        // Offsets of 32 bits reach 2 GiB of text.
        let array: Result<ArrayRef, ArrowError> = if text.len() <= i32::MAX as usize {
            let offsets = OffsetBuffer::from_lengths(lengths);
            StringArray::try_new(offsets, Buffer::from_vec(text), nulls.clone())
                .map(|array| Arc::new(array) as _)
        } else {
            let offsets = OffsetBuffer::from_lengths(lengths);
            LargeStringArray::try_new(offsets, Buffer::from_vec(text), nulls.clone())
                .map(|array| Arc::new(array) as _)
        };
        array.map_err(refused)
    }
}

/// Writes two hexadecimal digits for each byte.
fn write_hex(bytes: &[u8], text: &mut [u8]) {
    // Not a table, so that the compiler makes vectors of it.
    let digit = |nibble: u8| nibble + if nibble < 10 { b'0' } else { b'a' - 10 };
    for (byte, pair) in bytes.iter().zip(text.chunks_exact_mut(2)) {
        pair[0] = digit(byte >> 4);
        pair[1] = digit(byte & 15);
    }
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    let (mut text, length) = (Vec::new(), bytes.len().saturating_mul(2));
    reserve(&mut text, length)
        .map_err(|_| PyMemoryError::new_err(format!("no memory for {length} characters")))?;
    text.resize(length, 0);
    write_hex(bytes, &mut text);
    PyString::from_bytes(py, &text)
}
