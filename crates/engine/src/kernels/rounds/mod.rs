//! Kernels of single hashes: rounds that are instructions of their own rather than words, rounds in
//! an order that only assembly keeps, one message across the words of a vector, and lanes that only
//! some hashes gain from.

#[cfg(target_arch = "aarch64")]
mod armv8;
#[cfg(target_arch = "x86_64")]
mod blake;
#[cfg(target_arch = "x86_64")]
mod groestl;
#[cfg(target_arch = "x86_64")]
mod groups;
#[cfg(target_arch = "x86_64")]
mod jh;
#[cfg(target_arch = "x86_64")]
mod keccak;
#[cfg(target_arch = "x86_64")]
mod md5;
#[cfg(target_arch = "x86_64")]
mod sha1;
#[cfg(target_arch = "x86_64")]
mod sha256;
#[cfg(target_arch = "x86_64")]
mod sha512;
#[cfg(target_arch = "x86_64")]
mod skein;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;

#[cfg(target_arch = "x86_64")]
mod turns;

#[cfg(target_arch = "x86_64")]
use crate::cpu::{is_intel, is_zen5};
use crate::kernels::kernel::Kernel;
use manylane_primitives::hash::Hash;
use std::any::Any;

/// The kernels of this architecture that compute `H` alone, whether or not this CPU runs them.
#[cfg(target_arch = "x86_64")]
pub fn kernels<H: Hash>() -> impl Iterator<Item = &'static Kernel<H>> {
    let sha256 = if is_intel() { &sha256::KERNELS_ON_INTEL } else { &sha256::KERNELS };
    let (keccak, blake_256, blake_512) = match is_zen5() {
        true => (&keccak::ON_ZEN5, &blake::ON_ZEN5_256, &blake::ON_ZEN5_512),
        false => (&keccak::KERNELS, &blake::KERNELS_256, &blake::KERNELS_512),
    };
    let tables: [&dyn Any; 21] = [
        sha256,
        &sha1::KERNELS,
        &sha512::KERNELS,
        &groestl::KERNELS_256,
        &groestl::KERNELS_512,
        &jh::KERNELS,
        &md5::KERNELS,
        keccak,
        blake_256,
        blake_512,
        &skein::KERNELS,
        &groups::MD5,
        &groups::SHA_1,
        &groups::SHA_256,
        &groups::SHA_512,
        &groups::RIPEMD_128,
        &groups::RIPEMD_160,
        &groups::RIPEMD_256,
        &groups::RIPEMD_320,
        &groups::SKEIN_256,
        &groups::SKEIN_512,
    ];
    of_hash(tables)
}

/// The kernels of this architecture that compute `H` alone, whether or not this CPU runs them.
#[cfg(target_arch = "aarch64")]
pub fn kernels<H: Hash>() -> impl Iterator<Item = &'static Kernel<H>> {
    let tables: [&dyn Any; 5] = [
        &armv8::sha256::KERNELS,
        &armv8::sha1::KERNELS,
        &armv8::sha512::KERNELS,
        &armv8::groestl::KERNELS_256,
        &armv8::groestl::KERNELS_512,
    ];
    of_hash(tables)
}

/// There are none.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn kernels<H: Hash>() -> impl Iterator<Item = &'static Kernel<H>> {
    of_hash([])
}

/// The kernels of the tables whose type is that of `H`.
fn of_hash<H: Hash, const TABLES: usize>(
    tables: [&'static dyn Any; TABLES],
) -> impl Iterator<Item = &'static Kernel<H>> {
    tables.into_iter().filter_map(|table| table.downcast_ref::<&[Kernel<H>]>()).copied().flatten()
}
