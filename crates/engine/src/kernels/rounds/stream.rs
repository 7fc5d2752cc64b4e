//! How SHA-NI's kernels of SHA-1 and SHA-256 load their messages and keep their states.

use core::arch::asm;
use core::arch::x86_64::*;

/// Eight bytes at any address.
#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Word(i64);

/// Loads the sixteen bytes `group` of a block of 64, as two words if they may just have been
/// written.
///
/// The last block of a message is padded, word by word, just before it is compressed. A load of
/// bytes that two stores have written waits until both stores are in the cache, and stores go there
/// in the order of the program: after the whole message before. Loads of single words take them
/// from the queue of stores, so that the CPU begins a message while it ends the one before.
/// Kernels of several streams gain nothing by that, because they keep the CPU busy as it is.
#[inline(always)]
pub fn load<const WRITTEN: bool>(block: &[u8], group: usize) -> __m128i {
    if !WRITTEN {
        let bytes: &[u8; 16] = block[16 * group..].first_chunk().expect("sixteen bytes");
        // SAFETY: sixteen bytes.
        return unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
    }
    // The bounds of a block are checked once. With several streams this would keep too many
    // addresses in registers.
    let block: &[u8; 64] = block.first_chunk().expect("a block");
    let words = block.as_chunks::<16>().0[group].as_ptr().cast::<Word>();
    // SAFETY: sixteen bytes are two words, and every CPU of this architecture has the instruction.
    unsafe {
        // The compiler would merge two reads that are not volatile.
        let (low, high) = (words.read_volatile(), words.add(1).read_volatile());
        _mm_set_epi64x(high.0, low.0)
    }
}

/// Returns the vector, in a register of its own where the kernel has wide registers.
///
/// The compiler keeps vectors of several streams in one wide register if they come from adjacent
/// words or go there, and would do so throughout the rounds. SHA-NI's instructions write 128 bits
/// and keep the rest of a register. On Intel's cores each of them takes hundreds of cycles while
/// any register has been written in full: a block of SHA-256 took 250 times as long on Sapphire
/// Rapids.
#[inline(always)]
pub fn narrow<const WIDE: bool>(vector: __m128i) -> __m128i {
    if !WIDE {
        return vector;
    }
    let copy;
    // SAFETY: a kernel with wide registers has AVX. The instruction copies a register.
    unsafe {
        asm!(
            "vmovaps {copy}, {vector}",
            copy = lateout(xmm_reg) copy,
            vector = in(xmm_reg) vector,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    copy
}
