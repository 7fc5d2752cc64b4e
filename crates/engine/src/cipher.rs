//! RC5 with many blocks under one key side by side: ECB, CTR and CBC decryption.

use crate::Error;
use crate::isa::Engine;
use crate::lanes::{Lanes, pair::Pair, portable::Portable};
use manylane_primitives::cipher::modes::BlockCipher;
use manylane_primitives::cipher::rc5::{self, Magic, Rc5Params, Shared};
use manylane_primitives::word::{ByteOrder, Native, RotateVar};
use std::fmt;

/// Words that each lane takes at a time: eight blocks.
const RUN_WORDS: usize = 16;
/// The most lanes of a kernel: four vectors of sixteen.
const MAX_LANES: usize = 64;

/// `(table, data)`: computes every block of the whole groups in `data`.
type GroupsFn<N> = unsafe fn(&[<N as Native>::Scalar], &mut [u8]);

/// One way to compute RC5 over words of type `N`.
pub struct CipherKernel<N: Native> {
    engine: Engine,
    /// Bytes of a group: all lanes' runs.
    group_bytes: usize,
    encrypt: GroupsFn<N>,
    decrypt: GroupsFn<N>,
}

/// The body of every shell: each lane computes the blocks of its own run.
#[inline(always)]
fn groups<const DECRYPT: bool, N: Magic, L: Lanes<Native = N> + RotateVar>(
    table: &[N::Scalar],
    data: &mut [u8],
) {
    let run_bytes = RUN_WORDS * N::BYTES;
    for group in data.chunks_exact_mut(run_bytes * L::LANES) {
        let mut words = [L::constant(N::default()); RUN_WORDS];
        let mut inputs: [&[u8]; MAX_LANES] = [&[]; MAX_LANES];
        for (input, run) in inputs.iter_mut().zip(group.chunks_exact(run_bytes)) {
            *input = run;
        }
        L::load_block(&mut words, &inputs[..L::LANES], 0, ByteOrder::Little);
        for block in words.chunks_exact_mut(2) {
            let ab = [block[0], block[1]];
            let ab = match DECRYPT {
                false => rc5::encrypt_block(ab, &Shared::<N>(table)),
                true => rc5::decrypt_block(ab, &Shared::<N>(table)),
            };
            block.copy_from_slice(&ab);
        }
        let mut natives = [N::default(); MAX_LANES];
        for (i, word) in words.iter().enumerate() {
            word.store(&mut natives);
            for (run, native) in group.chunks_exact_mut(run_bytes).zip(natives) {
                native.write(&mut run[i * N::BYTES..], ByteOrder::Little);
            }
        }
    }
}

/// As [`crate::kernel`]'s shells.
macro_rules! shell {
    ($name:ident, $engine:expr $(, $features:literal)?) => {
        mod $name {
            use super::*;

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn encrypt<N: Magic, L: Lanes<Native = N> + RotateVar>(
                table: &[N::Scalar],
                data: &mut [u8],
            ) {
                groups::<false, N, L>(table, data);
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn decrypt<N: Magic, L: Lanes<Native = N> + RotateVar>(
                table: &[N::Scalar],
                data: &mut [u8],
            ) {
                groups::<true, N, L>(table, data);
            }

            pub const fn kernel<N: Magic, L: Lanes<Native = N> + RotateVar>() -> CipherKernel<N> {
                CipherKernel {
                    engine: $engine,
                    group_bytes: RUN_WORDS * N::BYTES * L::LANES,
                    encrypt: encrypt::<N, L>,
                    decrypt: decrypt::<N, L>,
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

/// Two vectors twice: a rotation by data waits for the rotation before it, so that four blocks per
/// lane keep the unit busy.
type Four<L> = Pair<Pair<L>>;

/// A word size of RC5 with its kernels, the preferred one last.
pub trait CipherWord: Magic {
    /// For this architecture, whether or not this CPU runs them.
    ///
    /// A function that is not inlined, so that the kernels are compiled in this crate and not again
    /// in each that names a word size.
    fn kernels() -> &'static [CipherKernel<Self>];
}

impl CipherWord for u16 {
    #[inline(never)]
    fn kernels() -> &'static [CipherKernel<u16>] {
        const {
            &[
                portable::kernel::<u16, Portable<u16, 8>>(),
                scalar::kernel::<u16, <u16 as Native>::Scalar>(),
            ]
        }
    }
}

macro_rules! cipher_word {
    ($native:ty, $lanes:literal) => {
        impl CipherWord for $native {
            #[inline(never)]
            fn kernels() -> &'static [CipherKernel<$native>] {
                const {
                    &[
                        portable::kernel::<$native, Portable<$native, $lanes>>(),
                        scalar::kernel::<$native, <$native as Native>::Scalar>(),
                        #[cfg(target_arch = "x86_64")]
                        avx2::kernel::<$native, Four<crate::lanes::avx2::Avx2<$native>>>(),
                        #[cfg(target_arch = "x86_64")]
                        avx512::kernel::<$native, Four<crate::lanes::avx512::Avx512<$native>>>(),
                        #[cfg(target_arch = "aarch64")]
                        neon::kernel::<$native, Four<crate::lanes::neon::Neon<$native>>>(),
                    ]
                }
            }
        }
    };
}

cipher_word!(u32, 4);
cipher_word!(u64, 2);

/// RC5 under one key, on an engine of this CPU. **Of age**: blocks of 64 bits (w = 32) collide
/// after 2^32 of them; nothing authenticates.
///
/// Use it through [`manylane_primitives::cipher::modes`]:
///
/// ```
/// use manylane_engine::{Rc5, modes};
///
/// let rc5 = Rc5::<u32>::new(12, b"sixteen byte key")?;
/// let mut data = *b"any number of bytes, in place";
/// modes::ctr(&rc5, &[7, 0, 0, 0, 0, 0, 0, 0], &mut data).unwrap();
/// modes::ctr(&rc5, &[7, 0, 0, 0, 0, 0, 0, 0], &mut data).unwrap();
/// assert_eq!(&data, b"any number of bytes, in place");
/// # Ok::<(), manylane_engine::Error>(())
/// ```
#[derive(Clone)]
pub struct Rc5<N: CipherWord> {
    definition: rc5::Rc5<N>,
    kernel: &'static CipherKernel<N>,
}

impl<N: CipherWord> Rc5<N> {
    /// Expands `key` for the best engine of this CPU. At most 255 rounds and 255 bytes.
    ///
    /// # Errors
    /// If the parameters are out of bounds or `MANYLANE_MAX_ISA` names no engine.
    pub fn new(rounds: usize, key: &[u8]) -> Result<Self, Error> {
        Self::on(rounds, key, None)
    }

    /// Expands `key` for the engine given, or for the best one.
    ///
    /// # Errors
    /// If the parameters are out of bounds or the engine cannot serve.
    pub fn on(rounds: usize, key: &[u8], engine: Option<Engine>) -> Result<Self, Error> {
        let definition = rc5::Rc5::new(rounds, key)?;
        if let Some(engine) = engine {
            engine.require()?;
        }
        let engines = Self::engines()?;
        let wanted = engine.or(engines.last().copied());
        let kernel = N::kernels().iter().find(|kernel| Some(kernel.engine) == wanted);
        let kernel = kernel.ok_or_else(|| Error::EngineLacksPrimitive {
            engine: wanted.map_or("", Engine::name),
            primitive: definition.params().to_string(),
            available: crate::isa::names(&engines),
        })?;
        Ok(Self { definition, kernel })
    }

    /// The engines of this CPU for this word size, the preferred one last.
    ///
    /// # Errors
    /// If `MANYLANE_MAX_ISA` names no engine.
    pub fn engines() -> Result<Vec<Engine>, Error> {
        let available = Engine::available()?;
        let engines = N::kernels().iter().map(|kernel| kernel.engine);
        Ok(engines.filter(|engine| available.contains(engine)).collect())
    }

    /// The parameters.
    pub fn params(&self) -> Rc5Params {
        self.definition.params()
    }

    /// The engine it runs on.
    pub fn engine(&self) -> Engine {
        self.kernel.engine
    }

    /// Whole groups by `compute`; a rest that fills a good part of a group in a copy of it, what is
    /// left by `each`.
    fn run(&self, data: &mut [u8], compute: GroupsFn<N>, each: impl Fn(&mut [u8])) {
        let group_bytes = self.kernel.group_bytes;
        let table = self.definition.table();
        let (whole, rest) = data.split_at_mut(data.len() / group_bytes * group_bytes);
        // SAFETY: `on` gives only kernels whose engine runs here.
        unsafe { compute(table, whole) };
        if rest.len() >= group_bytes / 4 {
            let mut group = vec![0; group_bytes];
            group[..rest.len()].copy_from_slice(rest);
            // SAFETY: as above.
            unsafe { compute(table, &mut group) };
            rest.copy_from_slice(&group[..rest.len()]);
        } else {
            each(rest);
        }
    }
}

impl<N: CipherWord> BlockCipher for Rc5<N> {
    fn block_bytes(&self) -> usize {
        self.definition.block_bytes()
    }
    fn encrypt_block(&self, block: &mut [u8]) {
        self.definition.encrypt_block(block);
    }
    fn decrypt_block(&self, block: &mut [u8]) {
        self.definition.decrypt_block(block);
    }
    fn encrypt_blocks(&self, blocks: &mut [u8]) {
        self.run(blocks, self.kernel.encrypt, |rest| self.definition.encrypt_blocks(rest));
    }
    fn decrypt_blocks(&self, blocks: &mut [u8]) {
        self.run(blocks, self.kernel.decrypt, |rest| self.definition.decrypt_blocks(rest));
    }
}

impl<N: CipherWord> fmt::Debug for Rc5<N> {
    /// Shows the parameters and the engine, not the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rc5({}, {})", self.params(), self.engine())
    }
}
