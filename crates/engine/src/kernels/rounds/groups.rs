//! More groups of AVX-512 lanes side by side than the shells of [`crate::kernels::shell`] have, for
//! cores that compute more vectors at a time than one group's chain of operations leaves ready.
//!
//! ```text
//! Sapphire Rapids   2 operations a cycle, each takes 1:  2 in flight, one group has them
//! Zen 5             4 operations a cycle, each takes 2:  8 in flight, most hashes' two groups have
//! ```
//!
//! 16 words of message and the chaining value of two groups do not fit into 32 registers, and pass
//! through the stack: Zen 5 loads two vectors a cycle beside the four that it computes. Elsewhere
//! these kernels cost more than they gain, and unless a measured time says otherwise none is
//! chosen.
//!
//! Left to itself the compiler computes whole rounds of one group before those of the other where
//! that saves registers: hence [`InStep`]. So many inputs, and so much code, stay in the caches
//! only if the kernels see to it: hence [`Ahead`].

use crate::kernels::kernel::Kernel;
use crate::kernels::rounds::turns::InTurns;
use crate::kernels::shell::{avx512::kernel, avx512::kernel_of};
use crate::lanes::ahead::Ahead;
use crate::lanes::avx512::Avx512;
use crate::lanes::pair::Pair;
use crate::lanes::step::InStep;
use manylane_primitives::hash::md5::Md5;
use manylane_primitives::hash::ripemd::{Ripemd128, Ripemd160, Ripemd256, Ripemd320};
use manylane_primitives::hash::sha1::Sha1;
use manylane_primitives::hash::sha2::{Sha256, Sha512};
use manylane_primitives::hash::skein::{OUTPUT_TWEAK, Skein, Skein256, Skein512};
use manylane_primitives::hash::{Compress, Hash};

type Beside<L> = Pair<L, InStep>;
/// 64, 32 and 16 messages. A block's rounds, at least 64, suffice to ask for a line of each.
type Words64 = Ahead<Beside<Beside<Avx512<u32>>>, 1, 1>;
type Words32 = Ahead<Beside<Avx512<u32>>, 2, 1>;
type LongWords16 = Ahead<Beside<Avx512<u64>>, 4, 1>;
/// The same for blocks of two lines.
type LongBlocks16 = Ahead<Beside<Avx512<u64>>, 2, 2>;

pub static MD5: &[Kernel<Md5>] = &[wide(kernel::<_, Words64>())];
pub static SHA_1: &[Kernel<Sha1>] = &[wide(kernel::<_, Words32>())];
pub static SHA_256: &[Kernel<Sha256>] = &[wide(kernel_of::<_, Words32, InTurns>())];
pub static SHA_512: &[Kernel<Sha512>] = &[wide(kernel_of::<_, LongBlocks16, InTurns>())];
pub static RIPEMD_128: &[Kernel<Ripemd128>] = &[wide(kernel::<_, Words32>())];
pub static RIPEMD_160: &[Kernel<Ripemd160>] = &[wide(kernel::<_, Words32>())];
pub static RIPEMD_256: &[Kernel<Ripemd256>] = &[wide(kernel::<_, Words32>())];
pub static RIPEMD_320: &[Kernel<Ripemd320>] = &[wide(kernel::<_, Words32>())];
pub static SKEIN_256: &[Kernel<Skein256>] = &[skein()];
pub static SKEIN_512: &[Kernel<Skein512>] = &[skein()];

/// At the time of the kernel with half the lanes, twice, and a little more.
const fn wide<H: Hash>(kernel: Kernel<H>) -> Kernel<H> {
    Kernel { block_time: 2.05 * kernel.block_time, ..kernel }
}

/// The output transformation of Skein (§3.5.3) is the compression of the index, by the same
/// instructions: twice as many would not stay decoded from one short message to the next.
const fn skein<const N: usize>() -> Kernel<Skein<N>>
where
    Skein<N>: Compress<LongWords16, Native = u64>,
{
    Kernel { squeeze: squeeze_by_compress::<N>, ..wide(kernel::<_, LongWords16>()) }
}

/// # Safety
/// The CPU must have the features of the kernel.
unsafe fn squeeze_by_compress<const N: usize>(
    hash: &Skein<N>,
    state: &mut [u64],
    index: u64,
    out: &mut [u64],
) where
    Skein<N>: Compress<LongWords16, Native = u64>,
{
    let mut block = [0; 128];
    block[..8].copy_from_slice(&index.to_le_bytes());
    let mut counters = [[OUTPUT_TWEAK[0]; 16], [OUTPUT_TWEAK[1]; 16]];
    out.copy_from_slice(state);
    // SAFETY: by the caller.
    unsafe { (skein::<N>().compress)(hash, out, counters.as_flattened_mut(), &[&block[..]; 16], 1) }
}
