//! The kernels that every hash has: its definition over the lanes of each instruction set.

use super::kernel::{Kernel, N};
#[cfg(not(target_feature = "simd128"))]
use super::shell::portable;
use super::shell::scalar;
#[cfg(target_feature = "simd128")]
use super::shell::simd128;
#[cfg(target_arch = "x86_64")]
use super::shell::{avx2, avx512, bmi2};
#[cfg(target_arch = "aarch64")]
use super::shell::{neon, neon_sha3};
use crate::lanes::laned::Laned;
use crate::lanes::pair::Pair;
use manylane_primitives::hash::{Compress, Hash, Scalar};

type Plain<H> = <N<H> as Laned>::Plain;
#[cfg(not(target_feature = "simd128"))]
type Portable<H> = <N<H> as Laned>::Portable;
#[cfg(target_arch = "x86_64")]
type Avx2<H> = <N<H> as Laned>::Avx2;
#[cfg(target_arch = "x86_64")]
type Avx512<H> = <N<H> as Laned>::Avx512;
#[cfg(target_arch = "aarch64")]
type Neon<H> = <N<H> as Laned>::Neon;
#[cfg(target_arch = "aarch64")]
type NeonSha3<H> = <N<H> as Laned>::NeonSha3;
#[cfg(target_feature = "simd128")]
type Simd128<H> = <N<H> as Laned>::Simd128;

/// Implements [`Runs`] over the lane types of an architecture: with one group of lanes or, for a
/// [`Hash::SERIAL`] hash on vectors, two groups interleaved.
macro_rules! runs {
    ($( $(#[$only:meta])* $shell:ident $lane:ident $pair:literal ),*) => {
        /// A hash that every instruction set of this architecture computes. It is implemented for
        /// every hash whose definition compresses all lane types named here.
        pub trait Runs:
            Hash<Native: Laned, State<<Self as Hash>::Native>: Send + Sync>
            + Compress<Scalar<Self>>
            $( + Compress<$lane<Self>> + Compress<Pair<$lane<Self>>> )*
        {
            /// Its kernels for this architecture, whether or not this CPU runs them.
            const KERNELS: &'static [Kernel<Self>];
        }

        impl<H> Runs for H
        where
            H: Hash<Native: Laned, State<<Self as Hash>::Native>: Send + Sync>
            + Compress<Scalar<H>>
            $( + Compress<$lane<H>> + Compress<Pair<$lane<H>>> )*
        {
            const KERNELS: &'static [Kernel<Self>] = &[
                $( $(#[$only])* if $pair && H::SERIAL {
                    $shell::kernel::<H, Pair<$lane<H>>>()
                } else {
                    $shell::kernel::<H, $lane<H>>()
                } ),*
            ];
        }
    };
}

#[cfg(target_arch = "x86_64")]
runs!(
    scalar Plain false,
    #[cfg(feature = "all-kernels")]
    bmi2 Plain false,
    #[cfg(feature = "portable")]
    portable Portable true,
    avx2 Avx2 true,
    avx512 Avx512 true
);
#[cfg(target_arch = "aarch64")]
runs!(
    scalar Plain false,
    #[cfg(feature = "portable")]
    portable Portable true,
    neon Neon true,
    neon_sha3 NeonSha3 true
);
// Every machine that runs the module has the vectors: arrays beside them would make it larger and
// nothing faster.
#[cfg(target_feature = "simd128")]
runs!(scalar Plain false, simd128 Simd128 true);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")))]
runs!(scalar Plain false, portable Portable true);
