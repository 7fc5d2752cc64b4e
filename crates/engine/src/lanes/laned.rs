//! From a native integer to its lane types.

#[cfg(target_arch = "aarch64")]
use super::neon;
use super::scalar::Opaque;
#[cfg(target_feature = "simd128")]
use super::simd128;
use super::{Lanes, Native, RotateVar, portable};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// A native integer with its lane type on each instruction set.
pub trait Laned: Native {
    /// One message at a time.
    type Plain: Lanes<Native = Self> + RotateVar;
    /// Arrays: the fallback that needs no intrinsics.
    type Portable: Lanes<Native = Self> + RotateVar;
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Lanes<Native = Self> + RotateVar;
    /// AVX-512 (F, BW, DQ, VL).
    #[cfg(target_arch = "x86_64")]
    type Avx512: Lanes<Native = Self> + RotateVar;
    /// Advanced SIMD of aarch64.
    #[cfg(target_arch = "aarch64")]
    type Neon: Lanes<Native = Self> + RotateVar;
    /// Advanced SIMD of aarch64 with FEAT_SHA3.
    #[cfg(target_arch = "aarch64")]
    type NeonSha3: Lanes<Native = Self> + RotateVar;
    /// The vectors of WebAssembly.
    #[cfg(target_feature = "simd128")]
    type Simd128: Lanes<Native = Self> + RotateVar;
}

impl Laned for u32 {
    type Plain = Opaque;
    type Portable = portable::Portable<u32, 4>;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = avx2::Avx2<u32>;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = avx512::Avx512<u32>;
    #[cfg(target_arch = "aarch64")]
    type Neon = neon::Neon<u32>;
    #[cfg(target_arch = "aarch64")]
    type NeonSha3 = neon::Neon<u32, neon::Sha3>;
    #[cfg(target_feature = "simd128")]
    type Simd128 = simd128::Simd128<u32>;
}

impl Laned for u64 {
    type Plain = <u64 as Native>::Scalar;
    type Portable = portable::Portable<u64, 2>;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = avx2::Avx2<u64>;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = avx512::Avx512<u64>;
    #[cfg(target_arch = "aarch64")]
    type Neon = neon::Neon<u64>;
    #[cfg(target_arch = "aarch64")]
    type NeonSha3 = neon::Neon<u64, neon::Sha3>;
    #[cfg(target_feature = "simd128")]
    type Simd128 = simd128::Simd128<u64>;
}
