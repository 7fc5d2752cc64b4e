//! Kernels of RC5: tables of shells, a mode of operation each.

use super::keyed::{Keyed, ManyFn, ctr_lanes};
use super::message::{Ctr, Ecb, MAX_GROUP_BYTES, decrypt_chain, each};
use crate::cpu::Engine;
use crate::lanes::blocks::{Blocks, bytes};
#[cfg(target_arch = "aarch64")]
use crate::lanes::neon::Neon;
#[cfg(target_feature = "simd128")]
use crate::lanes::simd128::Simd128;
#[cfg(target_arch = "x86_64")]
use crate::lanes::{avx2::Avx2, avx512::Avx512};
use crate::lanes::{pair::Pair, portable::Portable};
use manylane_primitives::cipher::modes::MAX_BLOCK_BYTES;
use manylane_primitives::cipher::rc5::{Magic, Shared};
use manylane_primitives::word::Native;
use std::num::Wrapping;

/// `(table, data)`: computes every block in `data`.
type BlocksFn<N> = unsafe fn(&[<N as Native>::Scalar], &mut [u8]);
/// `(table, initial, data)`: as those of [`BlockCipher`], from an initialisation vector or counter.
type ModeFn<N> = unsafe fn(&[<N as Native>::Scalar], &[u8], &mut [u8]);

/// One way to compute RC5 over words of type `N`.
pub struct CipherKernel<N: Native> {
    pub(super) engine: Engine,
    pub(super) ecb_encrypt: BlocksFn<N>,
    pub(super) ecb_decrypt: BlocksFn<N>,
    pub(super) cbc_decrypt: ModeFn<N>,
    pub(super) ctr: ModeFn<N>,
    /// Messages that `ctr_many` takes at a time.
    pub(super) keys: usize,
    /// CTR of several messages, each under its own key.
    pub(super) ctr_many: ManyFn,
}

/// As [`crate::kernels::shell`]'s shells: `O` takes one block, `L` and `W` several side by side.
macro_rules! shell {
    ($name:ident, $engine:expr $(, $features:literal)?) => {
        mod $name {
            use super::*;

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn ecb_encrypt<N, O, L, W>(
                table: &[N::Scalar],
                data: &mut [u8],
            ) where
                N: Magic,
                O: Blocks<Native = N>,
                L: Blocks<Native = N>,
                W: Blocks<Native = N>,
            {
                each::<N, O, L, W>(Ecb::<false, N>(Shared::new(table)), data);
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn ecb_decrypt<N, O, L, W>(
                table: &[N::Scalar],
                data: &mut [u8],
            ) where
                N: Magic,
                O: Blocks<Native = N>,
                L: Blocks<Native = N>,
                W: Blocks<Native = N>,
            {
                each::<N, O, L, W>(Ecb::<true, N>(Shared::new(table)), data);
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn cbc_decrypt<N, O, L, W>(
                table: &[N::Scalar],
                previous: &[u8],
                blocks: &mut [u8],
            ) where
                N: Magic,
                O: Blocks<Native = N>,
                L: Blocks<Native = N>,
                W: Blocks<Native = N>,
            {
                decrypt_chain::<N, O, L, W>(Shared::new(table), previous, blocks);
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn ctr<N, O, L, W>(
                table: &[N::Scalar],
                initial: &[u8],
                data: &mut [u8],
            ) where
                N: Magic,
                O: Blocks<Native = N>,
                L: Blocks<Native = N>,
                W: Blocks<Native = N>,
            {
                let mut next = [0; MAX_BLOCK_BYTES];
                next[..2 * N::BYTES].copy_from_slice(&initial[..2 * N::BYTES]);
                let next = u128::from_le_bytes(next);
                each::<N, O, L, W>(Ctr { table: Shared::new(table), next }, data);
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn ctr_many<N: Magic, L: Blocks<Native = N>>(
                words: [usize; 2],
                messages: &mut [&mut Keyed],
            ) {
                super::ctr_lanes::<N, L>(words, messages);
            }

            /// The kernel of this shell: one message's blocks are computed in lanes L and in wider
            /// lanes W, a single block in O.
            pub const fn kernel<N, O, L, W>() -> CipherKernel<N>
            where
                N: Magic,
                O: Blocks<Native = N>,
                L: Blocks<Native = N>,
                W: Blocks<Native = N>,
            {
                const { assert!(bytes::<W>() % bytes::<L>() == 0) };
                const { assert!(bytes::<W>() <= MAX_GROUP_BYTES) };
                CipherKernel {
                    engine: $engine,
                    ecb_encrypt: ecb_encrypt::<N, O, L, W>,
                    ecb_decrypt: ecb_decrypt::<N, O, L, W>,
                    cbc_decrypt: cbc_decrypt::<N, O, L, W>,
                    ctr: ctr::<N, O, L, W>,
                    keys: L::BLOCKS,
                    ctr_many: ctr_many::<N, L>,
                }
            }
        }
    };
}

shell!(scalar, Engine::Scalar);
shell!(portable, Engine::Portable);
#[cfg(target_arch = "x86_64")]
shell!(avx2, Engine::Avx2, "avx2,bmi1,bmi2,aes");
#[cfg(target_arch = "x86_64")]
shell!(avx512, Engine::Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,aes");
#[cfg(target_arch = "aarch64")]
shell!(neon, Engine::Neon, "neon");
#[cfg(target_feature = "simd128")]
shell!(simd128, Engine::Simd128);

/// Two vectors twice: a rotation by data waits for the rotation before it, so that four blocks per
/// lane keep the unit busy.
type Four<L> = Pair<Pair<L>>;

/// A word size of RC5 that engines compute: `u16`, `u32` or `u64`. The bound for code that is
/// generic over the word of [`Rc5`](crate::Rc5) or [`Rc5Keys`](crate::Rc5Keys); no other type can
/// implement it.
///
/// ```
/// use manylane::{CipherWord, Error, Rc5, modes, modes::BlockCipher};
///
/// /// Encrypts `data`, of any length, under RC5 with words of type `W` and 20 rounds.
/// fn encrypt<W: CipherWord>(key: &[u8], counter: u64, data: &mut [u8]) -> Result<(), Error> {
///     let rc5 = Rc5::<W>::new(20, key)?;
///     let initial = &u128::from(counter).to_le_bytes()[..rc5.block_bytes()];
///     Ok(modes::ctr(&rc5, initial, data)?)
/// }
///
/// let mut data = *b"a message";
/// encrypt::<u64>(b"sixteen byte key", 7, &mut data)?;
/// assert_ne!(&data, b"a message");
/// # Ok::<(), Error>(())
/// ```
pub trait CipherWord: Magic {
    /// The kernels for this architecture, whether or not this CPU runs them, the preferred one
    /// last.
    // A function that is not inlined, so that the kernels are compiled in this crate and not again
    // in each that names a word size.
    #[doc(hidden)]
    fn kernels() -> &'static [CipherKernel<Self>];
}

/// `shell L;` for each instruction set: see [`shell!`].
macro_rules! cipher_word {
    ($native:ty, $portable:literal: $($(#[$only:meta])* $shell:ident $lanes:ty;)*) => {
        impl CipherWord for $native {
            #[inline(never)]
            fn kernels() -> &'static [CipherKernel<$native>] {
                type N = $native;
                type One = Wrapping<N>;
                type Words = Portable<N, $portable>;
                const {
                    &[
                        portable::kernel::<N, One, One, Words>(),
                        scalar::kernel::<N, One, One, Four<One>>(),
                        $( $(#[$only])* $shell::kernel::<N, One, $lanes, Four<$lanes>>(), )*
                    ]
                }
            }
        }
    };
}

cipher_word!(
    u16, 8:
    #[cfg(target_arch = "x86_64")]
    avx2 Avx2<u16>;
    #[cfg(target_arch = "x86_64")]
    avx512 Avx512<u16>;
);
cipher_word!(
    u32, 4:
    #[cfg(target_arch = "x86_64")]
    avx2 Avx2<u32>;
    #[cfg(target_arch = "x86_64")]
    avx512 Avx512<u32>;
    #[cfg(target_arch = "aarch64")]
    neon Neon<u32>;
    #[cfg(target_feature = "simd128")]
    simd128 Simd128<u32>;
);
cipher_word!(
    u64, 2:
    #[cfg(target_arch = "x86_64")]
    avx2 Avx2<u64>;
    #[cfg(target_arch = "x86_64")]
    avx512 Avx512<u64>;
    #[cfg(target_arch = "aarch64")]
    neon Neon<u64>;
    #[cfg(target_feature = "simd128")]
    simd128 Simd128<u64>;
);
