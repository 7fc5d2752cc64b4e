//! Checks pointers and lengths of a caller and makes slices of them.

use crate::status::{Failure, manylane_status};
use std::ffi::{CStr, c_char, c_void};
use std::ops::Range;
use std::slice;

/// A caller's bytes, by pointer and length, before any of them is read or written.
#[derive(Clone, Copy)]
pub(crate) struct CallerBytes {
    start: *const u8,
    length: usize,
}

impl CallerBytes {
    /// No bytes, which overlap nothing: the output of a call that has none.
    pub(crate) const NONE: Self = Self { start: std::ptr::null(), length: 0 };

    /// Checks what can be checked: a null pointer is no start of bytes, and no memory is longer
    /// than half of all addresses.
    pub(crate) fn new(start: *const c_void, length: usize, what: &str) -> Result<Self, Failure> {
        if start.is_null() && length > 0 {
            return Err(null(what));
        }
        if isize::try_from(length).is_err() {
            let text = format!("{what}: {length} bytes are more than memory can have");
            return Err(Failure::new(manylane_status::WrongLength, text));
        }
        Ok(Self { start: start.cast(), length })
    }

    /// Refuses an output that overlaps these bytes.
    pub(crate) fn apart_from(self, output: Self, what: &str) -> Result<Self, Failure> {
        let (start, other) = (self.start as usize, output.start as usize);
        let before = start.saturating_add(self.length) <= other;
        let behind = other.saturating_add(output.length) <= start;
        if self.length == 0 || output.length == 0 || before || behind {
            return Ok(self);
        }
        Err(Failure::new(manylane_status::Overlap, format!("the output lies over {what}")))
    }

    /// # Safety
    /// The bytes can be read, and nobody writes them, as long as the slice lives.
    pub(crate) unsafe fn read<'a>(self) -> &'a [u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: `new` has refused null and too long; the caller vouches for the rest.
        unsafe { slice::from_raw_parts(self.start, self.length) }
    }

    /// # Safety
    /// The bytes can be written, and nobody else reads or writes them, as long as the slice lives.
    pub(crate) unsafe fn write<'a>(self) -> &'a mut [u8] {
        if self.length == 0 {
            return &mut [];
        }
        // SAFETY: `new` has refused null and too long; the caller vouches for the rest.
        unsafe { slice::from_raw_parts_mut(self.start.cast_mut(), self.length) }
    }
}

/// A caller's messages: message i is `sizes[i]` bytes at `starts[i]`.
#[derive(Clone, Copy)]
pub(crate) struct List<'c> {
    pub(crate) starts: &'c [*const c_void],
    pub(crate) sizes: &'c [usize],
}

// SAFETY: what the pointers point to is only read.
unsafe impl Sync for List<'_> {}

impl<'c> List<'c> {
    /// Refuses messages that [`CallerBytes::new`] refuses, and those that overlap the output.
    pub(crate) fn check(self, output: CallerBytes) -> Result<(), Failure> {
        let what = "a message";
        let each = || self.starts.iter().zip(self.sizes);
        // Most lists are accepted by the bounds of all their messages together. If no term has the
        // highest bit, no sum has overflowed.
        let (mut first, mut last, mut bits) = ([usize::MAX; 4], [0; 4], [0; 4]);
        let (starts, few) = self.starts.as_chunks::<4>();
        let (sizes, few_sizes) = self.sizes.as_chunks::<4>();
        let mut see = |i: usize, start: *const c_void, size: usize| {
            let start = start as usize;
            first[i] = first[i].min(start);
            last[i] = last[i].max(start.wrapping_add(size));
            bits[i] |= start | size;
        };
        // Four separate minima and maxima shorten the chain of dependent operations.
        for (starts, sizes) in starts.iter().zip(sizes) {
            (0..4).for_each(|i| see(i, starts[i], sizes[i]));
        }
        few.iter().zip(few_sizes).for_each(|(&start, &size)| see(0, start, size));
        let first = first.into_iter().fold(usize::MAX, usize::min);
        let last = last.into_iter().fold(0, usize::max);
        let bits = bits.into_iter().fold(0, |a, b| a | b);
        if first > 0 && isize::try_from(bits).is_ok() {
            let all = CallerBytes::new(first as *const c_void, last.saturating_sub(first), what);
            if all.and_then(|all| all.apart_from(output, what)).is_ok() {
                return Ok(());
            }
        }
        each().try_for_each(|(&start, &size)| {
            CallerBytes::new(start, size, what)?.apart_from(output, what).map(|_| ())
        })
    }

    /// The messages of a range of numbers.
    ///
    /// # Safety
    /// [`List::check`] refused nothing; the bytes can be read, and nobody writes them, as long as
    /// the slices live.
    #[inline(always)]
    pub(crate) unsafe fn read(self, range: Range<usize>) -> impl Iterator<Item = &'c [u8]> {
        let each = self.starts[range.clone()].iter().zip(&self.sizes[range]);
        each.map(|(start, &length)| {
            let message = CallerBytes { start: start.cast(), length };
            // SAFETY: the message is checked, and the caller vouches for the rest.
            unsafe { message.read() }
        })
    }
}

/// A caller's array, which is refused if it overlaps the output.
///
/// # Safety
/// If it is not null, `count` elements can be read, and nobody writes them, as long as the slice
/// lives.
pub(crate) unsafe fn array<'a, T>(
    start: *const T,
    count: usize,
    output: CallerBytes,
    what: &str,
) -> Result<&'a [T], Failure> {
    let bytes = count.saturating_mul(size_of::<T>());
    CallerBytes::new(start.cast(), bytes, what)?.apart_from(output, what)?;
    if count == 0 {
        return Ok(&[]);
    }
    aligned(start, what)?;
    // SAFETY: not null, aligned, not too long; the caller vouches for the rest.
    Ok(unsafe { slice::from_raw_parts(start, count) })
}

/// A caller's string, which is refused if it overlaps the output; null gives `None`.
///
/// # Safety
/// It is null or ends with a zero byte, and nobody writes it as long as the string lives.
pub(crate) unsafe fn string<'a>(
    text: *const c_char,
    output: CallerBytes,
    what: &str,
) -> Result<Option<std::borrow::Cow<'a, str>>, Failure> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: not null; the caller vouches for the rest.
    let text = unsafe { CStr::from_ptr(text) };
    CallerBytes::new(text.as_ptr().cast(), text.count_bytes() + 1, what)?
        .apart_from(output, what)?;
    Ok(Some(text.to_string_lossy()))
}

/// The library's object at a pointer.
///
/// # Safety
/// It is null or came from the function that makes such objects, was not freed, and nobody else
/// uses it as long as the reference lives.
pub(crate) unsafe fn object<'a, T>(pointer: *mut T, what: &str) -> Result<&'a mut T, Failure> {
    // SAFETY: the caller vouches for it.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(what))
}

/// [`object`], to be read only.
///
/// # Safety
/// As [`object`], except that others may read it too.
pub(crate) unsafe fn shared<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Failure> {
    aligned(pointer, what)?;
    // SAFETY: aligned; the caller vouches for the rest.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(what))
}

/// Gives the caller an object that [`free`] takes back.
///
/// # Safety
/// `place` is null or can be written.
pub(crate) unsafe fn hand_over<T>(
    place: *mut *mut T,
    what: &str,
    make: impl FnOnce() -> Result<T, Failure>,
) -> Result<(), Failure> {
    if place.is_null() {
        return Err(null(what));
    }
    // SAFETY: not null; the caller vouches for the rest. An error leaves a null pointer there.
    unsafe { place.write(std::ptr::null_mut()) };
    let made = Box::into_raw(Box::new(make()?));
    // SAFETY: as above.
    unsafe { place.write(made) };
    Ok(())
}

/// Frees an object. A null pointer is ignored.
///
/// # Safety
/// It is null or came from [`hand_over`] and was not freed.
pub(crate) unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: it came from `Box::into_raw`, as the caller vouches.
        drop(unsafe { Box::from_raw(pointer) });
    }
}

fn aligned<T>(pointer: *const T, what: &str) -> Result<(), Failure> {
    match pointer.is_aligned() {
        true => Ok(()),
        false => Err(Failure::new(manylane_status::NullPointer, format!("{what} is not aligned"))),
    }
}

fn null(what: &str) -> Failure {
    Failure::new(manylane_status::NullPointer, format!("{what} is null"))
}
