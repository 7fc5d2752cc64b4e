//! Two hashes of the same messages in one pass: which hashes, and the kernels.

#[cfg(all(target_arch = "x86_64", feature = "md5", feature = "sha2", feature = "all-kernels"))]
mod avx512;
#[cfg(all(target_arch = "x86_64", feature = "md5", feature = "sha2", feature = "all-kernels"))]
mod hash_after_hash;
#[cfg(all(target_arch = "x86_64", feature = "md5", feature = "sha2", feature = "all-kernels"))]
mod interleaved;
mod joined;

pub use joined::{FIRST, Joined, SECOND, parts};

use crate::cpu::Engine;
use crate::kernels::kernel::Kernel;
use manylane_primitives::catalog::HashId;

/// The two hashes in the order of their digests, where the catalogue has both.
#[cfg(all(feature = "md5", feature = "sha2"))]
pub const HASHES: Option<[HashId; 2]> = Some([HashId::Sha256, HashId::Md5]);
/// None, because the catalogue lacks one of the two hashes.
#[cfg(not(all(feature = "md5", feature = "sha2")))]
pub const HASHES: Option<[HashId; 2]> = None;

/// The kernels of both hashes; none unless they take less time on this CPU than one hash after the
/// other, and the engines that they need are `available`.
pub fn kernels(available: &[Engine]) -> &'static [Kernel<Joined>] {
    #[cfg(all(target_arch = "x86_64", feature = "md5", feature = "sha2", feature = "all-kernels"))]
    if crate::cpu::is_zen5() && avx512::ENGINES.iter().all(|engine| available.contains(engine)) {
        return avx512::KERNELS;
    }
    let _ = available;
    &[]
}
