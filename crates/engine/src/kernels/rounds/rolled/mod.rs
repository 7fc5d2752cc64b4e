//! Hashes whose rounds are rolled into loops, for kernels that should have little code.
//!
//! ```text
//!              rounds       an iteration              KiB unrolled       rolled
//! SHA-1        80           5, and 5 words            18                 8
//! SHA-256      64           16, then 16 words         17                 11
//! BLAKE-256    14           1                         32                 6
//! Skein-512    72           8                         17                 5
//! ```
//!
//! The KiB are those of two groups of lanes in AVX-512. On Zen 5 a kernel of 17 KiB does not stay
//! in the cache of decoded instructions if padding, transposition and the driver run between two
//! short calls. The definition of SHA-2 has a loop too, which contains 16 rounds twice: once
//! without and once with words of the schedule. All rounds of Skein-1024 are 4,400 instructions of
//! AVX2, more than that cache has room for on any core. Loops took 0.85 of the time on Zen 3,
//! measured while the compiler still chose where key words are kept.

#[cfg(all(feature = "blake", feature = "all-kernels"))]
mod blake;
#[cfg(all(feature = "sha1", feature = "all-kernels"))]
mod sha1;
#[cfg(all(feature = "sha2", feature = "all-kernels"))]
mod sha2;
#[cfg(feature = "skein")]
mod skein;
#[cfg(any(feature = "blake", feature = "sha1", feature = "skein"))]
mod stored;

use crate::kernels::text::Nothing;
use core::marker::PhantomData;

/// The definition's operations, with a few rounds in an iteration of a loop. `B` runs before each
/// block.
pub(crate) struct Rolled<B = Nothing>(PhantomData<B>);
