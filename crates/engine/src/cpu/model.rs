//! Tells cores apart that have the same instructions but need different times.

/// A core whose times were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Core {
    SapphireRapids,
    Zen3,
    Zen4,
    Zen5,
}

/// The maker of a core. For a core that was not measured, the times of its maker's other cores
/// stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Maker {
    Intel,
    Amd,
    Other,
}

/// Whether this is a core of Intel, whose instructions take other times than those of AMD.
pub(crate) fn is_intel() -> bool {
    maker() == Maker::Intel
}

/// Whether this is a core of AMD's Zen 5.
pub(crate) fn is_zen5() -> bool {
    core() == Some(Core::Zen5)
}

/// This core, if it is one whose times were measured.
pub(crate) fn core() -> Option<Core> {
    let (family, model) = family_and_model();
    match (maker(), family, model) {
        // Emerald Rapids has the same core.
        (Maker::Intel, 6, 0x8f | 0xcf) => Some(Core::SapphireRapids),
        // In this family, Zen 3 has no AVX-512.
        (Maker::Amd, 25, _) if is_x86_feature_detected!("avx512f") => Some(Core::Zen4),
        (Maker::Amd, 25, _) => Some(Core::Zen3),
        (Maker::Amd, 26, _) => Some(Core::Zen5),
        _ => None,
    }
}

/// The maker of this CPU, as `cpuid` names it.
pub(crate) fn maker() -> Maker {
    match &vendor() {
        b"GenuineIntel" => Maker::Intel,
        b"AuthenticAMD" => Maker::Amd,
        _ => Maker::Other,
    }
}

/// The numbers that the makers give to a core. The family is the sum of two fields, and the model
/// has its high digit in a field of its own.
fn family_and_model() -> (u32, u32) {
    let version = cpuid(1)[0];
    let field = |from: u32, bits: u32| version >> from & ((1 << bits) - 1);
    let family = match field(8, 4) {
        0xf => 0xf + field(20, 8),
        family => family,
    };
    (family, field(16, 4) << 4 | field(4, 4))
}

fn vendor() -> [u8; 12] {
    let [_, ebx, ecx, edx] = cpuid(0);
    let mut name = [0; 12];
    name.copy_from_slice([ebx, edx, ecx].map(u32::to_le_bytes).as_flattened());
    name
}

/// EAX, EBX, ECX and EDX of a leaf: zeros under Miri, which is no CPU and has no such instruction.
#[cfg(miri)]
fn cpuid(_leaf: u32) -> [u32; 4] {
    [0; 4]
}

/// EAX, EBX, ECX and EDX of a leaf.
#[cfg(not(miri))]
#[allow(unused_unsafe)] // the compilers from our oldest on differ
fn cpuid(leaf: u32) -> [u32; 4] {
    // SAFETY: every x86-64 CPU has the instruction.
    let leaf = unsafe { core::arch::x86_64::__cpuid(leaf) };
    [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx]
}
