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
#[cfg(target_arch = "x86_64")]
mod turns;

#[cfg(target_arch = "x86_64")]
use crate::cpu::{is_intel, is_zen5};
use crate::kernels::kernel::Kernel;
use manylane_primitives::hash::Hash;
use std::any::Any;

/// The kernels of this architecture that compute `H` alone, whether or not this CPU runs them; of
/// tables that differ by core, those of this core.
#[cfg(target_arch = "x86_64")]
pub fn kernels<H: Hash>() -> impl Iterator<Item = &'static Kernel<H>> {
    of_hash(by_core(is_intel(), is_zen5()).into_iter().chain(on_all_cores()))
}

/// The same with the tables of every core.
#[cfg(target_arch = "x86_64")]
pub fn on_any_core<H: Hash>() -> impl Iterator<Item = &'static Kernel<H>> {
    let cores = by_core(true, true).into_iter().chain(by_core(false, false));
    of_hash(cores.chain(on_all_cores()))
}

/// The tables that differ by core.
#[cfg(target_arch = "x86_64")]
fn by_core(is_intel: bool, is_zen5: bool) -> [&'static dyn Any; 5] {
    let sha1 = if is_intel { &sha1::KERNELS_ON_INTEL } else { &sha1::KERNELS };
    let sha256 = if is_intel { &sha256::KERNELS_ON_INTEL } else { &sha256::KERNELS };
    match is_zen5 {
        true => [sha1, sha256, &keccak::ON_ZEN5, &blake::ON_ZEN5_256, &blake::ON_ZEN5_512],
        false => [sha1, sha256, &keccak::KERNELS, &blake::KERNELS_256, &blake::KERNELS_512],
    }
}

/// The tables that all cores share.
#[cfg(target_arch = "x86_64")]
fn on_all_cores() -> [&'static dyn Any; 16] {
    [
        &sha512::KERNELS,
        &groestl::KERNELS_256,
        &groestl::KERNELS_512,
        &jh::KERNELS,
        &md5::KERNELS,
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
    ]
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
    of_hash(tables.into_iter())
}

/// There are none.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
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
