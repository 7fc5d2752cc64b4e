//! The messages of a batch, whatever they are stored in.

use crate::kernels::kernel::MAX_LANES;
use smallvec::SmallVec;
use std::ops::Range;

/// The number of messages that can be listed and sorted without an allocation.
pub const INLINE: usize = MAX_LANES;

/// Messages that are listed together.
pub type Window<'m> = SmallVec<[&'m [u8]; INLINE]>;
/// Replaces the messages of a window by those of a range.
type List<'m> = dyn Fn(Range<usize>, &mut Window<'m>) + Sync + 'm;

/// Many messages.
pub struct Messages<'m> {
    /// How many there are.
    pub count: usize,
    /// Returns the message of a number.
    pub get: &'m (dyn Fn(usize) -> &'m [u8] + Sync),
    /// Lists many messages by one call through a pointer.
    pub list: &'m List<'m>,
    /// The bytes of all messages of a range. Messages may share their memory, so the sum may exceed
    /// the size of memory; it is at most `u64::MAX`.
    pub bytes: &'m (dyn Fn(Range<usize>) -> u64 + Sync),
}

impl Messages<'_> {
    /// Calls `then` with messages stored as an array.
    pub fn with<M: AsRef<[u8]> + Sync, T>(messages: &[M], then: impl FnOnce(Messages) -> T) -> T {
        Self::listed(messages.len(), |range| messages[range].iter().map(M::as_ref), then)
    }

    /// Calls `then` with `count` messages; `list` gives those of a range. An array is thus read
    /// without a check of each number, which takes a nanosecond.
    pub fn listed<'b, T, I: Iterator<Item = &'b [u8]>>(
        count: usize,
        list: impl Fn(Range<usize>) -> I + Sync,
        then: impl FnOnce(Messages) -> T,
    ) -> T {
        let get = |i: usize| -> &[u8] { list(i..i + 1).next().expect("one is in the range") };
        let bytes = |range: Range<usize>| {
            list(range).map(|message| message.len() as u64).fold(0, u64::saturating_add)
        };
        let list = |range: Range<usize>, window: &mut SmallVec<[_; INLINE]>| {
            window.clear();
            window.reserve(range.len());
            let (most, mut count) = (window.capacity(), 0);
            let start: *mut &[u8] = window.as_mut_ptr();
            // An iterator over several arrays is faster through `for_each`, in which it loops over
            // each array, than through `next`, which has to find the array for each message.
            list(range).for_each(|message: &[u8]| {
                assert!(count < most, "more messages than numbers");
                // SAFETY: `count` is less than `most`, the capacity.
                unsafe { start.add(count).write(message) };
                count += 1;
            });
            // SAFETY: `count` messages have been written.
            unsafe { window.set_len(count) };
        };
        then(Messages { count, get: &get, list: &list, bytes: &bytes })
    }
}
