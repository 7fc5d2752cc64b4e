//! More groups of lanes side by side than the shells of [`crate::kernels::shell`] have, for cores
//! that start more vector operations at a time than one group has ready.
//!
//! ```text
//! Sapphire Rapids, AVX-512  2 operations a cycle of latency 1:  2 in flight; a group has as many
//! Zen 5, AVX-512            4 operations a cycle of latency 2:  8 in flight; most hashes need two
//!                                                               groups, MD5 four
//! Zen 3, AVX2               4 operations a cycle of latency 1:  4 in flight; a group of MD5 has
//!                                                               1.6, so that it needs three
//! ```
//!
//! The 16 message words and the chaining value of two groups of AVX-512 do not fit into 32
//! registers and are spilled. Zen 5 loads two vectors a cycle beside the four operations. On other
//! cores these kernels are slower than those of one group, and the choice takes them only where a
//! measured time says that they are faster.
//!
//! To save registers the compiler would compute whole rounds of one group before those of the
//! other; [`InStep`] prevents this. [`Ahead`] prefetches the inputs and the code, which are too
//! many to stay in the caches by themselves.

use crate::kernels::kernel::{Kernel, LONG_CALL};
use crate::kernels::rounds::rolled::Rolled;
use crate::kernels::shell::avx512::kernel_of;
use crate::kernels::shell::{avx2, avx512_gfni};
use crate::kernels::text::{Before, Definition, Text};
use crate::lanes::ahead::{Ahead, Counted, Prefetch};
use crate::lanes::avx2::Avx2;
use crate::lanes::avx512::{Avx512, Gfni};
use crate::lanes::pair::{AnyOrder, Pair};
use crate::lanes::step::InStep;
use manylane_primitives::hash::blake::{Blake256, Blake512};
use manylane_primitives::hash::groestl::Groestl256;
use manylane_primitives::hash::jh::Jh;
use manylane_primitives::hash::md5::Md5;
use manylane_primitives::hash::ripemd::{Ripemd128, Ripemd160, Ripemd256, Ripemd320};
use manylane_primitives::hash::sha1::Sha1;
use manylane_primitives::hash::sha2::{Sha256, Sha512};
use manylane_primitives::hash::skein::{OUTPUT_TWEAK, Skein, Skein256, Skein512};
use manylane_primitives::hash::{Compress, Hash};

type Paired<L> = Pair<L, InStep>;
/// Three groups of AVX2.
type Words24 = Pair<Pair<Avx2<u32>>, AnyOrder, Avx2<u32>>;
/// 64, 32 and 16 messages. A block has at least 64 rounds, enough to prefetch a line of each input.
type Words64 = Ahead<Paired<Paired<Avx512<u32>>>, 1, 1>;
type Words32 = Ahead<Paired<Avx512<u32>>, 2, 1>;
type LeftWords32 = Ahead<Paired<Avx512<u32>>, 2, 1, LeftLine>;
type LongWords16 = Ahead<Paired<Avx512<u64>>, 4, 1>;
/// 16 messages whose blocks have two cache lines each.
type LongBlocks16 = Ahead<Paired<Avx512<u64>>, 2, 2>;
/// 16 messages of a hash with 42 rounds.
type Rounds42x16 = Ahead<Paired<Avx512<u64>>, 2, 1>;
/// 32 and 16 messages of hashes with 14 and 16 rounds; the blocks of the latter have two lines. So
/// few rounds reach all lines of the inputs only if each prefetches three.
type Rounds14x32 = Ahead<Paired<Avx512<u32>>, 1, 1, ThreeLines>;
type Rounds16x16 = Ahead<Paired<Avx512<u64>>, 1, 2, ThreeLines>;

/// The rounds of RIPEMD's left line. Those of the right line would prefetch the same lines again.
#[derive(Clone, Copy)]
struct LeftLine;

impl Counted for LeftLine {
    #[inline(always)]
    fn has(name: &str) -> bool {
        name == "left"
    }
}

/// Each round prefetches three lines.
#[derive(Clone, Copy)]
struct ThreeLines;

impl Counted for ThreeLines {
    const AT_ONCE: usize = 3;

    #[inline(always)]
    fn has(_: &str) -> bool {
        true
    }
}

type Whole = Definition<Prefetching>;
type InLoops = Rolled<Prefetching>;

/// Tells lanes that prefetch, before each block, where they are.
struct Prefetching;

impl<L: Prefetch> Before<L> for Prefetching {
    #[inline(always)]
    fn before_block(state: &mut [L], inputs: &[&[u8]], at: usize, code: *const u8) {
        L::before_block(state, inputs, at, code);
    }
    #[inline(always)]
    fn keep_position_in_first(words: &mut [L], from: L) {
        L::keep_position_in_first(words, from);
    }
}

/// Two groups of 16 messages, in loops.
#[cfg(feature = "blake")]
pub static BLAKE_256: &[Kernel<Blake256>] = &[wide(kernel_of::<_, Rounds14x32, InLoops>())];
/// Two groups of 8 messages, in loops.
#[cfg(feature = "blake")]
pub static BLAKE_512: &[Kernel<Blake512>] = &[wide(kernel_of::<_, Rounds16x16, InLoops>())];
/// Without prefetches, and without tying the groups to one order: this form was measured.
#[cfg(feature = "groestl")]
pub static GROESTL_256: &[Kernel<Groestl256>] =
    &[wide(avx512_gfni::kernel::<_, Pair<Avx512<u64, Gfni>, AnyOrder>>())];
/// Two groups of 8 messages.
#[cfg(feature = "jh")]
pub static JH: &[Kernel<Jh>] = &[wide(kernel_of::<_, Rounds42x16, Whole>())];
/// Three groups of 8 messages on AVX2; four groups of 16 on AVX-512.
#[cfg(feature = "md5")]
pub static MD5: &[Kernel<Md5>] =
    &[three(avx2::kernel::<_, Words24>()), wide(kernel_of::<_, Words64, Whole>())];
/// Two groups of 16 messages.
#[cfg(feature = "sha1")]
pub static SHA_1: &[Kernel<Sha1>] = &[wide(by_length::<_, Words32>())];
/// Two groups of 16 messages, in loops.
#[cfg(feature = "sha2")]
pub static SHA_256: &[Kernel<Sha256>] = &[wide(kernel_of::<_, Words32, InLoops>())];
/// Two groups of 8 messages, in loops.
#[cfg(feature = "sha2")]
pub static SHA_512: &[Kernel<Sha512>] = &[wide(kernel_of::<_, LongBlocks16, InLoops>())];
/// Two groups of 16 messages.
#[cfg(feature = "ripemd")]
pub static RIPEMD_128: &[Kernel<Ripemd128>] = &[wide(kernel_of::<_, LeftWords32, Whole>())];
/// Two groups of 16 messages.
#[cfg(feature = "ripemd")]
pub static RIPEMD_160: &[Kernel<Ripemd160>] = &[wide(kernel_of::<_, LeftWords32, Whole>())];
/// Two groups of 16 messages.
#[cfg(feature = "ripemd")]
pub static RIPEMD_256: &[Kernel<Ripemd256>] = &[wide(kernel_of::<_, LeftWords32, Whole>())];
/// Two groups of 16 messages.
#[cfg(feature = "ripemd")]
pub static RIPEMD_320: &[Kernel<Ripemd320>] = &[wide(kernel_of::<_, LeftWords32, Whole>())];
/// Two groups of 8 messages.
#[cfg(feature = "skein")]
pub static SKEIN_256: &[Kernel<Skein256>] =
    &[skein::<4, Whole>(kernel_of::<Skein256, LongWords16, Whole>())];
/// Two groups of 8 messages; short calls in loops.
#[cfg(feature = "skein")]
pub static SKEIN_512: &[Kernel<Skein512>] =
    &[skein::<8, InLoops>(by_length::<Skein512, LongWords16>())];

/// The kernel that computes a call of fewer than [`LONG_CALL`] blocks in loops, and a longer call
/// as the definition does. Between calls other code runs, which evicts the definition's many
/// instructions from the cache of decoded instructions. `manylane tune` measures long calls, so
/// that the time of this kernel is the definition's.
const fn by_length<H, L>() -> Kernel<H>
where
    H: Compress<L>,
    L: Prefetch<Native = H::Native>,
    InLoops: Text<H, L>,
{
    Kernel { compress: compress_by_length::<H, L>, ..kernel_of::<H, L, InLoops>() }
}

/// # Safety
/// The CPU must have the features of the kernel.
unsafe fn compress_by_length<H, L>(
    hash: &H,
    state: &mut [H::Native],
    counters: &mut [H::Native],
    inputs: &[&[u8]],
    blocks: usize,
) where
    H: Compress<L>,
    L: Prefetch<Native = H::Native>,
    InLoops: Text<H, L>,
{
    let compress = if blocks < LONG_CALL {
        const { kernel_of::<H, L, InLoops>().compress }
    } else {
        const { kernel_of::<H, L, Whole>().compress }
    };
    // SAFETY: by the caller.
    unsafe { compress(hash, state, counters, inputs, blocks) }
}

/// Twice the lanes, for a little more than twice the time.
const fn wide<H: Hash>(kernel: Kernel<H>) -> Kernel<H> {
    Kernel { block_time: 2.05 * kernel.block_time, ..kernel }
}

/// Three groups instead of two: 1.5 times the lanes, for a little more than 1.5 times the time.
const fn three<H: Hash>(kernel: Kernel<H>) -> Kernel<H> {
    Kernel { block_time: 1.55 * kernel.block_time, ..kernel }
}

/// The output transformation of Skein (§3.5.3) is a compression of the index, computed here by a
/// call of the function that compresses short calls: a second copy of its instructions would push
/// the first out of the cache of decoded instructions between short messages.
const fn skein<const N: usize, T>(kernel: Kernel<Skein<N>>) -> Kernel<Skein<N>>
where
    Skein<N>: Compress<LongWords16, Native = u64>,
    T: Text<Skein<N>, LongWords16>,
{
    Kernel { squeeze: squeeze_by_compress::<N, T>, ..wide(kernel) }
}

/// # Safety
/// The CPU must have the features of the kernel.
unsafe fn squeeze_by_compress<const N: usize, T>(
    hash: &Skein<N>,
    state: &mut [u64],
    index: u64,
    out: &mut [u64],
) where
    Skein<N>: Compress<LongWords16, Native = u64>,
    T: Text<Skein<N>, LongWords16>,
{
    let mut block = [0; 128];
    block[..8].copy_from_slice(&index.to_le_bytes());
    let mut counters = OUTPUT_TWEAK.t.map(|word| [word; 16]);
    out.copy_from_slice(state);
    let compress = const { kernel_of::<_, LongWords16, T>().compress };
    // SAFETY: by the caller.
    unsafe { compress(hash, out, counters.as_flattened_mut(), &[&block[..]; 16], 1) }
}
