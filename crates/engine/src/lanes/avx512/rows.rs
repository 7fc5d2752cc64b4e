//! Stores of rows, such as digests, from zmm registers to their places in memory.
//!
//! A masked store of a whole register spans two cache lines most often, and the core has to own
//! both lines, though the row is short. A store without a mask takes less time where the lines are
//! not in a cache. So rows of 16, 32 and 64 bytes have unmasked stores of their width.

use core::arch::x86_64::*;
use manylane_primitives::unroll;

// SAFETY (every `unsafe` below): as in the parent module.

/// Writes the first `bytes` bytes, at most 64, of each row to `at` bytes after its place.
#[inline(always)]
pub(super) fn store_rows<const R: usize>(
    rows: &[__m512i; R],
    places: &[usize],
    at: usize,
    bytes: usize,
    out: &mut [u8],
) {
    assert!(bytes <= 64);
    let rows = rows.iter().zip(places);
    if bytes == 64 {
        for (row, place) in rows {
            let out = &mut out[place + at..][..64];
            // SAFETY: as above; 64 bytes are there.
            unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), *row) };
        }
        return;
    }
    // SAFETY: as above.
    let mask = unsafe { _bzhi_u64(u64::MAX, bytes as u32) };
    for (row, place) in rows {
        let out = &mut out[place + at..][..bytes];
        // SAFETY: as above; the mask admits the slice's bytes only.
        unsafe { _mm512_mask_storeu_epi8(out.as_mut_ptr().cast(), mask, *row) };
    }
}

/// Writes the first `bytes` bytes, at most 16, of each row to its place. Row i is quarter i / 4 of
/// vector i % 4.
#[inline(always)]
pub(super) fn store_quarters(
    vectors: &[__m512i; 4],
    places: &[usize],
    bytes: usize,
    out: &mut [u8],
) {
    assert!(bytes <= 16);
    unroll!(quarter in 0..4 {
        for (vector, &place) in vectors.iter().zip(places.get(4 * quarter..).unwrap_or_default()) {
            let out = &mut out[place..][..bytes];
            // SAFETY: as above; the mask admits the slice's bytes only.
            unsafe {
                let row = _mm512_extracti32x4_epi32::<{ quarter as i32 }>(*vector);
                match bytes {
                    16 => _mm_storeu_si128(out.as_mut_ptr().cast(), row),
                    _ => {
                        let mask = _bzhi_u32(u32::MAX, bytes as u32) as u16;
                        _mm_mask_storeu_epi8(out.as_mut_ptr().cast(), mask, row);
                    }
                }
            }
        }
    });
}

/// [`store_quarters`] of rows of at most 32 bytes. Row i has quarter i / R of `low[i % R]`, then
/// that of `high[i % R]`.
#[inline(always)]
pub(super) fn store_halves<const R: usize>(
    low: &[__m512i; R],
    high: &[__m512i; R],
    places: &[usize],
    bytes: usize,
    out: &mut [u8],
) {
    assert!(bytes <= 32);
    unroll!(quarter in 0..4 {
        let places = places.get(R * quarter..).unwrap_or_default();
        for ((low, high), &place) in low.iter().zip(high).zip(places) {
            let out = &mut out[place..][..bytes];
            // SAFETY: as above; the mask admits the slice's bytes only.
            unsafe {
                // Two rows, each of a quarter of `low` and one of `high`.
                let rows = match quarter / 2 {
                    0 => _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                    _ => _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15),
                };
                let rows = _mm512_permutex2var_epi64(*low, rows, *high);
                let row = _mm512_extracti64x4_epi64::<{ quarter as i32 % 2 }>(rows);
                match bytes {
                    32 => _mm256_storeu_si256(out.as_mut_ptr().cast(), row),
                    _ => {
                        let mask = _bzhi_u32(u32::MAX, bytes as u32);
                        _mm256_mask_storeu_epi8(out.as_mut_ptr().cast(), mask, row);
                    }
                }
            }
        }
    });
}
