//! Tells cores apart that have the same instructions but need different times.

/// Whether this is a core of Intel, whose instructions take other times than those of AMD.
#[cfg(target_arch = "x86_64")]
pub(crate) fn is_intel() -> bool {
    vendor() == *b"GenuineIntel"
}

/// Whether this is a core of AMD's Zen 5.
#[cfg(target_arch = "x86_64")]
pub(crate) fn is_zen5() -> bool {
    is_amd_family(26)
}

/// Whether this is a core of AMD's Zen 4: of its family, 25, Zen 3 has no AVX-512.
#[cfg(target_arch = "x86_64")]
pub(crate) fn is_zen4() -> bool {
    is_amd_family(25) && is_x86_feature_detected!("avx512f")
}

/// Whether this is a core of a family of AMD's, 15 or above. Zen 5 is family 26.
#[cfg(target_arch = "x86_64")]
fn is_amd_family(family: u32) -> bool {
    let version = cpuid(1)[0];
    // The family of an AMD core is the sum of bits 8 to 11, here 15, and bits 20 to 27.
    vendor() == *b"AuthenticAMD" && (version >> 8 & 0xf, version >> 20 & 0xff) == (15, family - 15)
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn is_zen4() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn is_zen5() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
fn vendor() -> [u8; 12] {
    let [_, ebx, ecx, edx] = cpuid(0);
    let mut name = [0; 12];
    name.copy_from_slice([ebx, edx, ecx].map(u32::to_le_bytes).as_flattened());
    name
}

/// EAX, EBX, ECX and EDX of a leaf: zeros under Miri, which is no CPU and has no such instruction.
#[cfg(all(target_arch = "x86_64", miri))]
fn cpuid(_leaf: u32) -> [u32; 4] {
    [0; 4]
}

/// EAX, EBX, ECX and EDX of a leaf.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[allow(unused_unsafe)] // the compilers from our oldest on differ
fn cpuid(leaf: u32) -> [u32; 4] {
    // SAFETY: every x86-64 CPU has the instruction.
    let leaf = unsafe { core::arch::x86_64::__cpuid(leaf) };
    [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx]
}
