//! Grøstl in lanes whose byte substitution is FEAT_AES.

use crate::kernels::kernel::Kernel;
use crate::kernels::shell::neon_aes;
use crate::lanes::neon::{Aes, Neon};
use manylane_primitives::hash::groestl::{Groestl256, Groestl512};

/// Grøstl-224 and -256.
pub static KERNELS_256: &[Kernel<Groestl256>] = &[neon_aes::kernel::<_, Neon<u64, Aes>>()];
/// Grøstl-384 and -512.
pub static KERNELS_512: &[Kernel<Groestl512>] = &[neon_aes::kernel::<_, Neon<u64, Aes>>()];
