//! Kernels of single hashes: rounds by the CPU's hash instructions, rounds in an order that only
//! assembly keeps, or on WebAssembly only accesses to memory, one message across the words of a
//! vector, and lanes from which only some hashes gain.
//!
//! Each file and each table is compiled with the feature of its family of hashes.

/// Compiles one text of rounds several times: as a function of each name, with features of its own.
/// The text has three parameters: the number of messages, whether their blocks may
/// [just have been written](stream::load), and whether the features have registers of more than 128
/// bits. With `digest`, the text is also inlined into a function of that name, which computes the
/// digest of one message.
#[cfg(all(target_arch = "x86_64", any(feature = "sha1", feature = "sha2")))]
macro_rules! with_features {
    (
        $($name:ident: ($features:literal, $is_wide:literal)),+;
        $(digest: $own:literal;)?
        fn<$hash:ty, const $n:ident: usize, const $written:ident: bool, $wide:ident>
            $parameters:tt $body:block
    ) => {
        $(
            /// # Safety
            /// The CPU must have the features.
            #[target_feature(enable = $features)]
            unsafe fn $name<const $n: usize, const $written: bool> $parameters {
                const $wide: bool = $is_wide;
                $body
            }
        )+

        $(
            /// # Safety
            /// The CPU must have the features.
            #[target_feature(enable = $own)]
            unsafe fn digest(
                hash: &$hash,
                state: &<$hash as manylane_primitives::hash::Hash>::State<u32>,
                blocks: u64,
                rest: &[u8],
                out: &mut [u8],
            ) {
                // The compiler inlines both instances, because each is called in one place.
                #[target_feature(enable = $own)]
                #[inline]
                fn text<const $n: usize, const $written: bool> $parameters {
                    const $wide: bool = false;
                    $body
                }
                crate::kernels::message::digest(
                    hash,
                    state,
                    blocks,
                    rest,
                    out,
                    |state, bytes, blocks| text::<1, false>(hash, state, &mut [], &[bytes], blocks),
                    |state, bytes, blocks| text::<1, true>(hash, state, &mut [], &[bytes], blocks),
                );
            }
        )?
    };
}

#[cfg(target_arch = "aarch64")]
mod armv8;
#[cfg(all(target_arch = "x86_64", feature = "blake"))]
mod blake;
pub mod both;
#[cfg(all(target_arch = "x86_64", feature = "groestl"))]
mod groestl;
#[cfg(all(target_arch = "x86_64", feature = "all-kernels"))]
mod groups;
#[cfg(all(target_arch = "x86_64", feature = "jh"))]
mod jh;
#[cfg(all(target_arch = "x86_64", feature = "sha3"))]
mod keccak;
#[cfg(all(target_arch = "x86_64", feature = "md5"))]
mod md5;
#[cfg(all(target_arch = "x86_64", feature = "sha3"))]
mod memory;
#[cfg(all(target_arch = "x86_64", any(feature = "all-kernels", feature = "skein")))]
mod rolled;
#[cfg(all(target_arch = "x86_64", feature = "sha1"))]
mod sha1;
#[cfg(all(target_arch = "x86_64", feature = "sha2"))]
mod sha256;
#[cfg(all(target_arch = "x86_64", feature = "sha2"))]
mod sha512;
#[cfg(target_feature = "simd128")]
mod simd128;
#[cfg(all(target_arch = "x86_64", feature = "skein"))]
mod skein;
#[cfg(all(target_arch = "x86_64", any(feature = "sha1", feature = "sha2")))]
mod stream;

#[cfg(target_arch = "x86_64")]
use crate::cpu::{is_intel, is_zen5};
use crate::kernels::kernel::Kernel;
use manylane_primitives::hash::Hash;
use std::any::Any;

/// The kernels of this architecture that compute `H` alone, whether or not this CPU runs them; of
/// tables that differ by core, those of this core.
#[cfg(target_arch = "x86_64")]
pub fn kernels<H: Hash>() -> impl Iterator<Item = &'static Kernel<H>> {
    kernels_on(is_intel(), is_zen5())
}

/// [`kernels`] for a core that need not be this one.
#[cfg(target_arch = "x86_64")]
pub fn kernels_on<H: Hash>(
    is_intel: bool,
    is_zen5: bool,
) -> impl Iterator<Item = &'static Kernel<H>> {
    of_hash(by_core(is_intel, is_zen5).chain(on_all_cores()))
}

/// [`kernels`] with the tables of every core.
#[cfg(target_arch = "x86_64")]
pub fn on_any_core<H: Hash>() -> impl Iterator<Item = &'static Kernel<H>> {
    let cores = by_core(true, true).chain(by_core(false, false));
    of_hash(cores.chain(on_all_cores()))
}

/// The tables that differ by core.
#[cfg(target_arch = "x86_64")]
fn by_core(is_intel: bool, is_zen5: bool) -> impl Iterator<Item = &'static dyn Any> {
    let tables: [&dyn Any; _] = [
        #[cfg(feature = "sha1")]
        if is_intel { &sha1::KERNELS_ON_INTEL } else { &sha1::KERNELS },
        #[cfg(feature = "sha2")]
        if is_intel { &sha256::KERNELS_ON_INTEL } else { &sha256::KERNELS },
        #[cfg(feature = "sha3")]
        if is_zen5 { &keccak::ON_ZEN5 } else { &keccak::KERNELS },
        #[cfg(feature = "blake")]
        if is_zen5 { &blake::ON_ZEN5_256 } else { &blake::KERNELS_256 },
        #[cfg(feature = "blake")]
        if is_zen5 { &blake::ON_ZEN5_512 } else { &blake::KERNELS_512 },
    ];
    tables.into_iter()
}

/// The tables that all cores share.
#[cfg(target_arch = "x86_64")]
fn on_all_cores() -> impl Iterator<Item = &'static dyn Any> {
    let tables: [&dyn Any; _] = [
        #[cfg(feature = "sha2")]
        &sha512::KERNELS,
        #[cfg(feature = "groestl")]
        &groestl::KERNELS_256,
        #[cfg(feature = "groestl")]
        &groestl::KERNELS_512,
        #[cfg(feature = "jh")]
        &jh::KERNELS,
        #[cfg(feature = "md5")]
        &md5::KERNELS,
        #[cfg(feature = "skein")]
        &skein::KERNELS_512,
        #[cfg(feature = "skein")]
        &skein::KERNELS_1024,
        #[cfg(all(feature = "md5", feature = "all-kernels"))]
        &groups::MD5,
        #[cfg(all(feature = "sha1", feature = "all-kernels"))]
        &groups::SHA_1,
        #[cfg(all(feature = "sha2", feature = "all-kernels"))]
        &groups::SHA_256,
        #[cfg(all(feature = "sha2", feature = "all-kernels"))]
        &groups::SHA_512,
        #[cfg(all(feature = "ripemd", feature = "all-kernels"))]
        &groups::RIPEMD_128,
        #[cfg(all(feature = "ripemd", feature = "all-kernels"))]
        &groups::RIPEMD_160,
        #[cfg(all(feature = "ripemd", feature = "all-kernels"))]
        &groups::RIPEMD_256,
        #[cfg(all(feature = "ripemd", feature = "all-kernels"))]
        &groups::RIPEMD_320,
        #[cfg(all(feature = "blake", feature = "all-kernels"))]
        &groups::BLAKE_256,
        #[cfg(all(feature = "blake", feature = "all-kernels"))]
        &groups::BLAKE_512,
        #[cfg(all(feature = "groestl", feature = "all-kernels"))]
        &groups::GROESTL_256,
        #[cfg(all(feature = "jh", feature = "all-kernels"))]
        &groups::JH,
        #[cfg(all(feature = "skein", feature = "all-kernels"))]
        &groups::SKEIN_256,
        #[cfg(all(feature = "skein", feature = "all-kernels"))]
        &groups::SKEIN_512,
    ];
    tables.into_iter()
}

/// The kernels of this architecture that compute `H` alone, whether or not this CPU runs them.
#[cfg(target_arch = "aarch64")]
pub fn kernels<H: Hash>() -> impl Iterator<Item = &'static Kernel<H>> {
    let tables: [&dyn Any; _] = [
        #[cfg(feature = "sha2")]
        &armv8::sha256::KERNELS,
        #[cfg(feature = "sha1")]
        &armv8::sha1::KERNELS,
        #[cfg(feature = "sha2")]
        &armv8::sha512::KERNELS,
        #[cfg(feature = "groestl")]
        &armv8::groestl::KERNELS_256,
        #[cfg(feature = "groestl")]
        &armv8::groestl::KERNELS_512,
    ];
    of_hash(tables.into_iter())
}

/// The kernels of WebAssembly that compute `H` alone.
#[cfg(target_feature = "simd128")]
pub fn kernels<H: Hash>() -> impl Iterator<Item = &'static Kernel<H>> {
    let tables: [&dyn Any; _] = [
        #[cfg(feature = "md5")]
        &simd128::MD5,
        #[cfg(feature = "sha1")]
        &simd128::SHA_1,
        #[cfg(feature = "sha2")]
        &simd128::SHA_256,
        #[cfg(feature = "sha2")]
        &simd128::SHA_512,
        #[cfg(feature = "sha3")]
        &simd128::KECCAK,
    ];
    of_hash(tables.into_iter())
}

/// This architecture has no kernels of single hashes.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")))]
pub fn kernels<H: Hash>() -> impl Iterator<Item = &'static Kernel<H>> {
    of_hash(std::iter::empty())
}

/// Only on x86-64 do tables differ by core.
#[cfg(not(target_arch = "x86_64"))]
pub use kernels as on_any_core;

/// The kernels of the tables whose type is that of `H`.
fn of_hash<H: Hash>(
    tables: impl Iterator<Item = &'static dyn Any>,
) -> impl Iterator<Item = &'static Kernel<H>> {
    tables.filter_map(|table| table.downcast_ref::<&[Kernel<H>]>()).copied().flatten()
}
