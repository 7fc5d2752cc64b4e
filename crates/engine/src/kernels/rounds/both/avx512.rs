//! The kernels of both hashes.

use super::hash_after_hash::hash_after_hash;
use super::interleaved::Interleaved;
use super::joined::Joined;
use crate::cpu::Engine;
use crate::kernels::kernel::Kernel;
use crate::kernels::shell::avx512::kernel_of;
use crate::lanes::avx512::Avx512;
use crate::lanes::pair::Pair;

/// Kernels for these numbers of messages side by side, with the nanoseconds of a call per block
/// that were measured on Zen 5. Up to sixteen messages it takes less time to compute one hash after
/// the other.
pub static KERNELS: &[Kernel<Joined>] = &[
    Kernel::compressing(Engine::Avx512, 1, 95.0, hash_after_hash::<1>),
    Kernel::compressing(Engine::Avx512, 2, 170.0, hash_after_hash::<2>),
    Kernel::compressing(Engine::Avx512, 3, 180.0, hash_after_hash::<3>),
    Kernel::compressing(Engine::Avx512, 4, 198.0, hash_after_hash::<4>),
    Kernel::compressing(Engine::Avx512, 6, 225.0, hash_after_hash::<6>),
    Kernel::compressing(Engine::Avx512, 8, 261.0, hash_after_hash::<8>),
    Kernel::compressing(Engine::Avx512, 16, 286.0, hash_after_hash::<16>),
    Kernel { block_time: 310.0, ..kernel_of::<_, Pair<Avx512<u32>>, Interleaved>() },
];

/// The engines that these kernels need.
pub const ENGINES: [Engine; 3] = [Engine::Bmi2, Engine::ShaNi, Engine::Avx512];
