//! Digests side by side, in memory that is first touched where a digest is written.

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System, alloc_zeroed};
use std::hint::black_box;

/// The digests so far.
#[derive(Default)]
pub(crate) struct Output {
    /// Digests, and zeros after them.
    bytes: Vec<u8>,
    filled: usize,
}

impl Output {
    /// With room for so many bytes, if there is memory for them; more can come.
    ///
    /// The system gives pages when they are first written: that takes as long as half of the
    /// hashing of short messages, and is left to the threads that hash.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Self { bytes: zeros(bytes).unwrap_or_default(), filled: 0 }
    }

    /// An output with room for exactly this number of bytes.
    pub(crate) fn with_all(bytes: usize) -> PyResult<Self> {
        match zeros(bytes) {
            None if bytes > 0 => Err(no_memory()),
            bytes => Ok(Self { bytes: bytes.unwrap_or_default(), filled: 0 }),
        }
    }

    /// Room for the next `bytes` bytes.
    pub(crate) fn next(&mut self, bytes: usize) -> PyResult<&mut [u8]> {
        let start = self.filled;
        let end = start.saturating_add(bytes);
        if end > self.bytes.len() {
            reserve(&mut self.bytes, end)?;
            self.bytes.resize(end, 0);
        }
        self.filled = end;
        Ok(&mut self.bytes[start..end])
    }

    /// All bytes so far.
    pub(crate) fn filled(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.filled]
    }

    /// The digests alone, without the room behind them.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.truncate(self.filled);
        self.bytes
    }
}

/// Python's error that there is no memory.
pub(crate) fn no_memory() -> PyErr {
    PyMemoryError::new_err("no memory for the digests")
}

/// Makes room in a list for so many bytes in all.
pub(crate) fn reserve(list: &mut Vec<u8>, bytes: usize) -> PyResult<()> {
    if bytes > list.capacity() {
        let more = bytes.saturating_sub(list.len());
        if !exists(bytes) {
            return Err(no_memory());
        }
        list.try_reserve(more).map_err(|_| no_memory())?;
    }
    Ok(())
}

/// Whether the system can provide this much memory. The module's allocator does not find out: the
/// system gives it addresses even for memory that does not exist.
fn exists(bytes: usize) -> bool {
    // Up to this size, memory may come from the allocator's own store, and the system is not asked.
    const LITTLE: usize = 1 << 30;
    let Ok(layout) = Layout::array::<u8>(bytes) else { return false };
    if bytes <= LITTLE {
        return true;
    }
    // SAFETY: the layout is not empty.
    let start = black_box(unsafe { System.alloc(layout) });
    if start.is_null() {
        return false;
    }
    // SAFETY: this allocator gave it with this layout.
    unsafe { System.dealloc(start, layout) };
    true
}

/// Zeros of which no page was touched, if there is memory for them.
fn zeros(bytes: usize) -> Option<Vec<u8>> {
    let layout = Layout::array::<u8>(bytes).ok().filter(|layout| layout.size() > 0)?;
    if !exists(bytes) {
        return None;
    }
    // SAFETY: the layout is not empty.
    let start = unsafe { alloc_zeroed(layout) };
    if start.is_null() {
        return None;
    }
    // SAFETY: the allocator gave so many bytes with the layout of a vector's, all zeros.
    Some(unsafe { Vec::from_raw_parts(start, bytes, bytes) })
}
