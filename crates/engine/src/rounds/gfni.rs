//! Grøstl on 512-bit lanes with GFNI for SubBytes and the doublings of MixBytes.

use crate::kernel::{Kernel, avx512_gfni};
use crate::lanes::avx512::{Avx512, Gfni};
use manylane_primitives::hash::groestl::{Groestl256, Groestl512};

/// Grøstl-224 and -256.
pub static KERNELS_256: &[Kernel<Groestl256>] = &[avx512_gfni::kernel::<_, Avx512<u64, Gfni>>()];
/// Grøstl-384 and -512.
pub static KERNELS_512: &[Kernel<Groestl512>] = &[avx512_gfni::kernel::<_, Avx512<u64, Gfni>>()];
