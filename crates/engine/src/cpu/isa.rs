//! The engines by name, and which of them this CPU and its operating system run.

use crate::error::Error;
#[cfg(target_arch = "aarch64")]
use std::arch::is_aarch64_feature_detected;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

/// A way to run primitives on a CPU: an instruction set with the lanes it gives.
///
/// The order is that of [`MAX_ISA_VARIABLE`]: a cap admits the engines up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// One message, plain integers.
    Scalar,
    /// One message, plain integers, compiled with BMI1 and BMI2 (three-operand rotates, and-not).
    Bmi2,
    /// Arrays of words without intrinsics: several messages interleaved.
    Portable,
    /// SHA-NI: hardware rounds of SHA-1 and SHA-256, one to six messages interleaved.
    ShaNi,
    /// PCLMULQDQ: carry-less products of 64 bits, one field element.
    Pclmul,
    /// 128-bit lanes of aarch64.
    Neon,
    /// 128-bit lanes of aarch64 whose byte substitution is FEAT_AES (Grøstl).
    NeonAes,
    /// FEAT_SHA1 and FEAT_SHA256 of aarch64: hardware rounds, one to four messages interleaved.
    ShaCe,
    /// FEAT_SHA512 of aarch64: hardware rounds, one or two messages interleaved.
    Sha512Ce,
    /// 128-bit lanes of aarch64 whose three-input logic and rotations are those of FEAT_SHA3.
    NeonSha3,
    /// 128-bit lanes of WebAssembly.
    Simd128,
    /// 256-bit lanes of x86-64.
    Avx2,
    /// SHA-NI with the thirty-two registers of AVX-512: three or four messages interleaved.
    ShaNiAvx512,
    /// 512-bit lanes of x86-64.
    Avx512,
    /// 512-bit lanes whose byte substitution is GFNI, and whose wide rows VBMI2 shifts (Grøstl).
    Avx512Gfni,
    /// VPCLMULQDQ and GFNI in 512-bit registers: four field elements.
    Vpclmul,
}

/// The environment variable that caps the instruction set: the name of an [`Engine`].
pub const MAX_ISA_VARIABLE: &str = "MANYLANE_MAX_ISA";

impl Engine {
    /// Every engine there is, whether this CPU runs it or not.
    pub const ALL: [Self; 16] = [
        Self::Scalar,
        Self::Bmi2,
        Self::Portable,
        Self::ShaNi,
        Self::Pclmul,
        Self::Neon,
        Self::NeonAes,
        Self::ShaCe,
        Self::Sha512Ce,
        Self::NeonSha3,
        Self::Simd128,
        Self::Avx2,
        Self::ShaNiAvx512,
        Self::Avx512,
        Self::Avx512Gfni,
        Self::Vpclmul,
    ];

    /// The name on the command line and in [`MAX_ISA_VARIABLE`]: `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Bmi2 => "bmi2",
            Self::Portable => "portable",
            Self::ShaNi => "sha-ni",
            Self::Pclmul => "pclmul",
            Self::Neon => "neon",
            Self::NeonAes => "neon-aes",
            Self::ShaCe => "sha-ce",
            Self::Sha512Ce => "sha512-ce",
            Self::NeonSha3 => "neon-sha3",
            Self::Simd128 => "simd128",
            Self::Avx2 => "avx2",
            Self::ShaNiAvx512 => "sha-ni-avx512",
            Self::Avx512 => "avx512",
            Self::Avx512Gfni => "avx512-gfni",
            Self::Vpclmul => "vpclmul",
        }
    }

    /// One line on what it is.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Scalar => "one message, plain integers",
            Self::Bmi2 => "one message, plain integers with BMI1 and BMI2",
            Self::Portable => "several messages interleaved, no intrinsics",
            Self::ShaNi => "hardware rounds of SHA-1 and SHA-256, 1 to 6 messages",
            Self::Pclmul => "the pairing, one field element, carry-less products",
            Self::Neon => "128-bit lanes",
            Self::NeonAes => "128-bit lanes, byte substitution by the AES instructions",
            Self::ShaCe => "hardware rounds of SHA-1 and SHA-256 on aarch64, 1 to 4 messages",
            Self::Sha512Ce => "hardware rounds of SHA-512 on aarch64, 1 or 2 messages",
            Self::NeonSha3 => "128-bit lanes, logic and rotations by the SHA-3 instructions",
            Self::Simd128 => "128-bit lanes of WebAssembly",
            Self::Avx2 => "256-bit lanes",
            Self::ShaNiAvx512 => "hardware rounds in 32 registers, 3 or 4 messages",
            Self::Avx512 => "512-bit lanes",
            Self::Avx512Gfni => "512-bit lanes, byte substitution by GFNI",
            Self::Vpclmul => "the pairing, four field elements, carry-less products and GFNI",
        }
    }

    /// The engines that this CPU and its operating system run, within [`MAX_ISA_VARIABLE`].
    ///
    /// # Errors
    /// If the variable names no engine.
    pub fn available() -> Result<&'static [Self], Error> {
        static AVAILABLE: OnceLock<Result<Vec<Engine>, Error>> = OnceLock::new();
        let available = AVAILABLE.get_or_init(|| {
            let name = std::env::var_os(MAX_ISA_VARIABLE).unwrap_or_default();
            let cap = match name.to_string_lossy().into_owned() {
                name if !name.is_empty() => name
                    .parse::<Self>()
                    .map_err(|_| Error::UnknownMaxIsa { name, engines: names(&Self::ALL) })?,
                _ => Self::Vpclmul,
            };
            Ok(Self::ALL
                .into_iter()
                .filter(|&engine| engine <= cap && engine.runs_here())
                .collect())
        });
        available.as_deref().map_err(Clone::clone)
    }

    /// Whether the CPU has the instructions and the operating system saves the registers.
    pub fn runs_here(self) -> bool {
        match self {
            Self::Scalar => true,
            // A WebAssembly module that is built with vectors has no kernels over arrays.
            Self::Portable | Self::Simd128 => {
                cfg!(target_feature = "simd128") == (self == Self::Simd128)
            }
            #[cfg(target_arch = "x86_64")]
            Self::Bmi2 => is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2"),
            #[cfg(target_arch = "x86_64")]
            Self::ShaNi => {
                is_x86_feature_detected!("sha")
                    && is_x86_feature_detected!("ssse3")
                    && is_x86_feature_detected!("sse4.1")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Pclmul => {
                is_x86_feature_detected!("pclmulqdq") && is_x86_feature_detected!("avx")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("aes")
            }
            #[cfg(target_arch = "x86_64")]
            Self::ShaNiAvx512 => Self::ShaNi.runs_here() && Self::Avx512.runs_here(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.runs_here()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Gfni => {
                Self::Avx512.runs_here()
                    && is_x86_feature_detected!("gfni")
                    && is_x86_feature_detected!("avx512vbmi2")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Vpclmul => {
                Self::Avx512Gfni.runs_here()
                    && Self::Pclmul.runs_here()
                    && is_x86_feature_detected!("vpclmulqdq")
                    && is_x86_feature_detected!("avx512vbmi")
            }
            #[cfg(target_arch = "aarch64")]
            Self::Neon => is_aarch64_feature_detected!("neon"),
            #[cfg(target_arch = "aarch64")]
            Self::NeonAes => Self::Neon.runs_here() && is_aarch64_feature_detected!("aes"),
            #[cfg(target_arch = "aarch64")]
            Self::ShaCe => Self::Neon.runs_here() && is_aarch64_feature_detected!("sha2"),
            // `sha3` is Rust's name for FEAT_SHA512 and FEAT_SHA3 together.
            #[cfg(target_arch = "aarch64")]
            Self::Sha512Ce | Self::NeonSha3 => {
                Self::Neon.runs_here() && is_aarch64_feature_detected!("sha3")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Neon | Self::NeonAes | Self::ShaCe | Self::Sha512Ce | Self::NeonSha3 => false,
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// This engine, if it may be used.
    ///
    /// # Errors
    /// If it is not [available](Self::available): the error lists those that are.
    pub fn require(self) -> Result<Self, Error> {
        let available = Self::available()?;
        if available.contains(&self) {
            Ok(self)
        } else {
            Err(Error::EngineUnavailable { engine: self.name(), available: names(available) })
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Engine {
    type Err = Error;

    /// Reads a name; an underscore counts as `-`, and case does not matter.
    fn from_str(name: &str) -> Result<Self, Error> {
        let wanted = name.to_ascii_lowercase().replace('_', "-");
        Self::ALL
            .into_iter()
            .find(|engine| engine.name() == wanted || engine.name().replace('-', "") == wanted)
            .ok_or_else(|| Error::UnknownEngine { name: name.into(), engines: names(&Self::ALL) })
    }
}

/// The names, separated by commas.
pub(crate) fn names(engines: &[Engine]) -> String {
    let mut names = String::new();
    for engine in engines {
        if !names.is_empty() {
            names += ", ";
        }
        names += engine.name();
    }
    names
}
