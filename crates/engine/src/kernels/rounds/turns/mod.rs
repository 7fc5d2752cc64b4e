//! Hashes in turns of a few rounds, for kernels that should have little code.
//!
//! ```text
//! SHA-2
//! definition   16 rounds │ 16 words of the schedule, 16 rounds │ … │ 16 words, 16 rounds
//! in turns     16 rounds, 16 words │ 16 rounds, 16 words │ … │ 16 rounds
//!
//!              definition               in turns
//! SHA-1        80 rounds                5 rounds and 5 words of the schedule │ … │ 5 rounds
//! BLAKE        14 or 16 rounds          1 round │ … │ 1 round
//! Skein        72 or 80 rounds          8 rounds │ … │ 8 rounds
//! ```
//!
//! Two groups of lanes in AVX-512 have this many KiB of instructions:
//!
//! ```text
//!              SHA-1   SHA-256   BLAKE-256   Skein-512
//! definition   18      17        25          17
//! in turns     5       11        4           5
//! ```
//!
//! On Zen 5 a kernel of 17 KiB does not stay in the cache of decoded instructions if padding,
//! transposition and the driver run between two short calls. All rounds of Skein-1024 are 4,400
//! instructions of AVX2, more than that cache has room for on any core; in turns they take 0.83 of
//! the time on Zen 3.

#[cfg(feature = "blake")]
mod blake;
#[cfg(feature = "sha1")]
mod sha1;
#[cfg(feature = "sha2")]
mod sha2;
#[cfg(feature = "skein")]
mod skein;
#[cfg(any(feature = "blake", feature = "sha1", feature = "skein"))]
mod stored;

use crate::kernels::text::Nothing;
use core::marker::PhantomData;

/// The definition's operations in such turns, with `B` before each block.
pub(crate) struct InTurns<B = Nothing>(PhantomData<B>);
