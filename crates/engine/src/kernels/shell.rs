//! Shells: functions that enable the features of an instruction set and inline a text over its
//! lanes.

use super::kernel::{Kernel, N, write_each_end};
use super::text::{Before, Definition, Text};
use crate::cpu::Engine;
use crate::lanes::{Lanes, Unit};
use manylane_primitives::hash::{Compress, Counter, Hash};
use manylane_primitives::word::Words;
use std::hint::black_box;
use std::mem::MaybeUninit;

/// Reads a word-major array of `words` lane vectors.
#[inline(always)]
fn load_all<L: Lanes, A: Words<L>>(natives: &[L::Native]) -> A {
    let mut words = A::splat(L::constant(Default::default()));
    for (i, word) in words.as_mut().iter_mut().enumerate() {
        *word = L::load(&natives[i * L::LANES..]);
    }
    words
}

/// Writes what [`load_all`] reads.
#[inline(always)]
fn store_all<L: Lanes>(words: &[L], natives: &mut [L::Native]) {
    for (i, word) in words.iter().enumerate() {
        word.store(&mut natives[i * L::LANES..]);
    }
}

/// Reads those words of the counter that the hash uses; the others are zero.
#[inline(always)]
fn load_counter<H: Hash, L: Lanes<Native = N<H>>>(natives: &[N<H>]) -> Counter<L> {
    let mut words = [L::constant(Default::default()); 4];
    for (i, word) in words[..H::COUNTER_WORDS].iter_mut().enumerate() {
        *word = L::load(&natives[i * L::LANES..]);
    }
    Counter::from_words(words)
}

/// Aligns the frame of the function that it is inlined into to the vectors of `L`.
///
/// The compiler spills vectors to wherever the frame happens to be unless something else in it asks
/// to be aligned, and a vector across two cache lines takes two accesses.
#[inline(always)]
fn align_frame<L>() {
    if align_of::<L>() > align_of::<u128>() {
        black_box(&MaybeUninit::<L>::uninit());
    }
}

/// The body of every compressing shell: the only call of `compress` in an instance. `code` is where
/// the shell's instructions begin.
#[inline(always)]
pub(crate) fn compress_lanes<H, L, T>(
    hash: &H,
    state: &mut [N<H>],
    counters: &mut [N<H>],
    inputs: &[&[u8]],
    blocks: usize,
    code: *const u8,
) where
    H: Compress<L>,
    L: Lanes<Native = N<H>>,
    T: Text<H, L>,
{
    align_frame::<L>();
    let mut h: H::State<L> = load_all(state);
    let mut t = load_counter::<H, L>(counters);
    let block_bytes = hash.block_bytes();
    let bytes = blocks.checked_mul(block_bytes).expect("blocks that fit in memory");
    for input in inputs {
        assert!(input.len() >= bytes);
    }
    let words = block_bytes / size_of::<N<H>>();
    let zero = L::constant(Default::default());
    // Words beyond those of a block are set to zero once and stay zero from block to block. Where a
    // block has all words, the compiler uses fewer registers on x86 and ARM if each iteration has
    // an array of its own; on WebAssembly it would first fill that array with zeros.
    let keeps = H::SHORT_BLOCKS || cfg!(target_feature = "simd128");
    // `black_box` hides that the words are zero: known zeros are stored by a call of `memset`.
    let mut kept = H::Block::<L>::splat(if keeps { black_box(zero) } else { zero });
    for i in 0..blocks {
        let mut fresh;
        let m = if keeps {
            &mut kept
        } else {
            fresh = H::Block::<L>::splat(zero);
            &mut fresh
        };
        // SAFETY: every input has `bytes` bytes, of which this block's are some.
        unsafe {
            L::load_block(&mut m.as_mut()[..words], inputs, i * block_bytes, H::ORDER);
        }
        T::Before::before_block(h.as_mut(), inputs, i * block_bytes, code);
        T::compress(hash, &mut h, m, t);
        if H::COUNTER_WORDS > 0 {
            t = hash.next_counter(t);
        }
    }
    store_all(h.as_ref(), state);
    store_all(&t.words()[..H::COUNTER_WORDS], counters);
}

/// The body of every squeezing shell.
#[inline(always)]
pub(crate) fn squeeze_lanes<H, L, T>(hash: &H, state: &mut [N<H>], index: u64, out: &mut [N<H>])
where
    H: Compress<L>,
    L: Lanes<Native = N<H>>,
    T: Text<H, L>,
{
    let mut h: H::State<L> = load_all(state);
    let block = T::squeeze(hash, &mut h, index);
    store_all(h.as_ref(), state);
    store_all(block.as_ref(), out);
}

/// The body of every shell that compresses a block of which the expansion is known.
#[inline(always)]
pub(crate) fn compress_expanded_lanes<H, L, T>(
    hash: &H,
    state: &mut [N<H>],
    counters: &[N<H>],
    expansion: &[N<H>],
) where
    H: Compress<L>,
    L: Lanes<Native = N<H>>,
    T: Text<H, L>,
{
    let h: H::State<L> = load_all(state);
    let h = T::compress_expanded(hash, h, expansion, load_counter::<H, L>(counters));
    store_all(h.as_ref(), state);
}

/// The body of every writing shell.
#[inline(always)]
pub(crate) fn write_lanes<H, L>(words: &[N<H>], places: &[usize], bytes: usize, out: &mut [u8])
where
    H: Hash,
    L: Lanes<Native = N<H>>,
{
    L::write_rows(words, L::LANES, places, bytes, out, H::ORDER);
}

/// The body of every shell that writes padded ends.
#[inline(always)]
pub(crate) fn write_ends_lanes<L: Lanes>(
    rows: &[&[u8]],
    from: usize,
    numbers: &[u8],
    paddings: &[Unit],
    ends: &mut [Unit],
) {
    write_each_end(rows, from, numbers, paddings, ends, L::write_end);
}

/// 1 by definition; more where the scalar instance reads tables at secret addresses, so that a
/// kernel that does not is preferred even for one message.
pub(crate) const fn scalar_time<H: Hash>() -> f32 {
    if H::LOOKS_UP { 4.0 } else { 1.0 }
}

/// Arrays gain only by interleaving: eight messages of a serial hash (MD5) run at 2.4 times the
/// scalar rate, those of other hashes below it.
#[cfg_attr(target_feature = "simd128", allow(dead_code))] // no kernel has it there
const fn portable_time<H: Hash>() -> f32 {
    if H::SERIAL { 3.4 } else { 2.5 * scalar_time::<H>() * (8 / size_of::<N<H>>()) as f32 }
}

/// Estimated from counts of instructions, as are all times on aarch64 (docs/aarch64.md). A serial
/// hash has eight messages in its lanes.
#[cfg(target_arch = "aarch64")]
const fn neon_time<H: Hash>() -> f32 {
    if H::SERIAL { 3.3 } else { 2.2 }
}

/// On cores but Apple's the SHA-3 instructions may take longer than those that they replace: there
/// plain NEON comes first.
#[cfg(target_arch = "aarch64")]
const fn neon_sha3_time<H: Hash>() -> f32 {
    match (cfg!(target_vendor = "apple"), size_of::<N<H>>()) {
        (true, 8) => 0.65 * neon_time::<H>(),
        (true, _) => 0.93 * neon_time::<H>(),
        (false, _) => 1.05 * neon_time::<H>(),
    }
}

/// Measured in Node 20 on AMD (Zen 5): lanes of 32 bits run at 1.25 to 1.7 times the scalar rate,
/// eight of a serial hash at 1.8, lanes of 64 bits at 0.8 to 1.5 times (docs/web.md). V8 has no
/// rotation of lanes, and a scalar one.
#[cfg(target_feature = "simd128")]
const fn simd128_time<H: Hash>() -> f32 {
    match (H::SERIAL, size_of::<N<H>>()) {
        (true, _) => 4.4,
        (false, 4) => 2.6,
        (false, _) => 1.7,
    }
}

/// A shell: functions that enable features and do nothing but inline their bodies.
///
/// `$time` is the [`Kernel::block_time`] that serves for most hashes, measured on Intel (Sapphire
/// Rapids) and AMD (Zen 4).
macro_rules! shell {
    ($name:ident, $engine:expr, $time:expr $(, $features:literal)?) => {
        /// The functions of one instruction set; `kernel` and `kernel_of` make kernels of them.
        pub(crate) mod $name {
            #[allow(unused_imports)]
            use super::{
                Definition, Engine, Kernel, Lanes, N, Text, Unit, compress_expanded_lanes,
                compress_lanes, portable_time, scalar_time, squeeze_lanes, write_ends_lanes,
                write_lanes,
            };
            use manylane_primitives::hash::{Compress, Hash};

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn compress<H: Compress<L>, L: Lanes<Native = N<H>>, T: Text<H, L>>(
                hash: &H,
                state: &mut [N<H>],
                counters: &mut [N<H>],
                inputs: &[&[u8]],
                blocks: usize,
            ) {
                let code = compress::<H, L, T> as *const u8;
                compress_lanes::<H, L, T>(hash, state, counters, inputs, blocks, code);
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn squeeze<H: Compress<L>, L: Lanes<Native = N<H>>, T: Text<H, L>>(
                hash: &H,
                state: &mut [N<H>],
                index: u64,
                out: &mut [N<H>],
            ) {
                squeeze_lanes::<H, L, T>(hash, state, index, out);
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn compress_expanded<H: Compress<L>, L: Lanes<Native = N<H>>, T: Text<H, L>>(
                hash: &H,
                state: &mut [N<H>],
                counters: &[N<H>],
                expansion: &[N<H>],
            ) {
                compress_expanded_lanes::<H, L, T>(hash, state, counters, expansion);
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn write<H: Hash, L: Lanes<Native = N<H>>>(
                words: &[N<H>],
                places: &[usize],
                bytes: usize,
                out: &mut [u8],
            ) {
                write_lanes::<H, L>(words, places, bytes, out);
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn write_ends<L: Lanes>(
                rows: &[&[u8]],
                from: usize,
                numbers: &[u8],
                paddings: &[Unit],
                ends: &mut [Unit],
            ) {
                write_ends_lanes::<L>(rows, from, numbers, paddings, ends);
            }

            /// The kernel of `H` over lanes of `L`.
            pub const fn kernel<H: Compress<L>, L: Lanes<Native = N<H>>>() -> Kernel<H> {
                kernel_of::<H, L, Definition>()
            }

            /// The kernel of `H` over lanes of `L` by another text `T` of the compression.
            pub const fn kernel_of<H, L, T>() -> Kernel<H>
            where
                H: Compress<L>,
                L: Lanes<Native = N<H>>,
                T: Text<H, L>,
            {
                Kernel {
                    engine: $engine,
                    lanes: L::LANES,
                    block_time: $time,
                    compress: compress::<H, L, T>,
                    digest: None,
                    digests: None,
                    squeeze: squeeze::<H, L, T>,
                    compress_expanded: match H::EXPANSION {
                        0 => None,
                        _ => Some(compress_expanded::<H, L, T>),
                    },
                    write: match H::OUTPUT_IN_ORDER {
                        true => Some(write::<H, L>),
                        false => None,
                    },
                    write_ends: Some(write_ends::<L>),
                }
            }
        }
    };
}

shell!(scalar, Engine::Scalar, scalar_time::<H>());
#[cfg(not(target_feature = "simd128"))]
shell!(portable, Engine::Portable, portable_time::<H>());
#[cfg(target_arch = "x86_64")]
shell!(bmi2, Engine::Bmi2, 0.95 * scalar_time::<H>(), "bmi1,bmi2");
#[cfg(target_arch = "x86_64")]
shell!(avx2, Engine::Avx2, 1.9, "avx2,bmi1,bmi2,aes");
#[cfg(target_arch = "x86_64")]
shell!(avx512, Engine::Avx512, 1.8, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes");
#[cfg(target_arch = "x86_64")]
shell!(
    avx512_gfni,
    Engine::Avx512Gfni,
    0.8,
    "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes,gfni,avx512vbmi2"
);
#[cfg(target_arch = "aarch64")]
shell!(neon, Engine::Neon, super::neon_time::<H>(), "neon");
#[cfg(target_arch = "aarch64")]
shell!(neon_aes, Engine::NeonAes, 0.64 * super::neon_time::<H>(), "neon,aes");
#[cfg(target_arch = "aarch64")]
shell!(neon_sha3, Engine::NeonSha3, super::neon_sha3_time::<H>(), "neon,sha3");
#[cfg(target_feature = "simd128")]
shell!(simd128, Engine::Simd128, super::simd128_time::<H>());
