//! Words that stay in memory, for kernels with more words than registers.

/// Reads the word here and nowhere else.
///
/// Left alone, the compiler reads words long before it needs them, keeps what it computed from them
/// for later, and spills both.
#[inline(always)]
pub fn read<W: Copy>(word: &W) -> W {
    // SAFETY: a reference is valid for reads, and its word can be copied.
    unsafe { std::ptr::read_volatile(word) }
}
