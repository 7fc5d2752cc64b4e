//! RC5 under one key with consecutive blocks side by side: ECB, CTR and CBC decryption.

mod many;

pub use many::{Keyed, Rc5Keys};

use crate::Error;
use crate::isa::Engine;
use crate::lanes::blocks::{Blocks, bytes};
#[cfg(target_arch = "aarch64")]
use crate::lanes::neon::Neon;
#[cfg(target_arch = "x86_64")]
use crate::lanes::{avx2::Avx2, avx512::Avx512};
use crate::lanes::{pair::Pair, portable::Portable};
use manylane_primitives::cipher::modes::{BlockCipher, MAX_BLOCK_BYTES};
use manylane_primitives::cipher::rc5::{self, Magic, Rc5Params, Shared};
use manylane_primitives::word::{ByteOrder, Native};
use std::fmt;
use std::num::Wrapping;

/// `(table, data)`: computes every block in `data`.
type BlocksFn<N> = unsafe fn(&[<N as Native>::Scalar], &mut [u8]);
/// `(table, initial, data)`: as those of [`BlockCipher`], from an initialisation vector or counter.
type ModeFn<N> = unsafe fn(&[<N as Native>::Scalar], &[u8], &mut [u8]);

/// The most bytes that a kernel takes at a time.
const MAX_GROUP_BYTES: usize = 512;

/// One way to compute RC5 over words of type `N`.
pub struct CipherKernel<N: Native> {
    engine: Engine,
    ecb_encrypt: BlocksFn<N>,
    ecb_decrypt: BlocksFn<N>,
    cbc_decrypt: ModeFn<N>,
    ctr: ModeFn<N>,
    /// Messages that `ctr_many` takes at a time.
    keys: usize,
    ctr_many: many::ManyFn,
}

/// What becomes of some blocks by themselves, side by side.
trait Step<N: Native> {
    fn step<L: Blocks<Native = N>>(&mut self, rows: L::Rows) -> L::Rows;
}

/// ECB.
struct Ecb<'a, const DECRYPT: bool, N: Native>(Shared<'a, N>);

impl<const DECRYPT: bool, N: Native> Step<N> for Ecb<'_, DECRYPT, N> {
    #[inline(always)]
    fn step<L: Blocks<Native = N>>(&mut self, rows: L::Rows) -> L::Rows {
        let ab = L::split(rows);
        L::join(if DECRYPT {
            rc5::decrypt_block(ab, &self.0)
        } else {
            rc5::encrypt_block(ab, &self.0)
        })
    }
}

/// CTR.
struct Ctr<'a, N: Native> {
    table: Shared<'a, N>,
    /// The next counter block as an integer mod 2^2w.
    next: u128,
}

impl<N: Native> Step<N> for Ctr<'_, N> {
    #[inline(always)]
    fn step<L: Blocks<Native = N>>(&mut self, rows: L::Rows) -> L::Rows {
        let key_stream = rc5::encrypt_block(self.counters::<L>(), &self.table);
        self.next = self.next.wrapping_add(L::BLOCKS as u128);
        L::xor_rows(rows, L::join(key_stream))
    }
}

impl<N: Native> Ctr<'_, N> {
    /// The next counter blocks. They are public, so that the rare carry into the second words may
    /// take a path of its own.
    #[inline(always)]
    fn counters<L: Blocks<Native = N>>(&self) -> [L; 2] {
        let [first, second] = self.counter(0);
        let (x, y) = (L::constant(first), L::positions());
        let (a, b) = (x + y, L::constant(second));
        if self.counter(L::BLOCKS - 1)[1] == second {
            return [a, b];
        }
        // The carry out of the highest bit: of two ones, or of a one that the sum lost.
        let carry = ((x & y) | ((x | y) & !a)) >> (8 * N::BYTES - 1);
        [a, b + carry]
    }

    /// The i-th counter block from the next.
    #[inline(always)]
    fn counter(&self, i: usize) -> [N; 2] {
        let block = self.next.wrapping_add(i as u128).to_le_bytes();
        [0, N::BYTES].map(|at| N::read(&block[at..], ByteOrder::Little))
    }
}

/// Bytes of all blocks of `L`, or fewer.
#[inline(always)]
fn load<L: Blocks>(data: &[u8]) -> L::Rows {
    if data.len() < bytes::<L>() { L::load_part(data) } else { L::load_rows(data) }
}

/// Writes what [`load`] reads.
#[inline(always)]
fn store<L: Blocks>(rows: L::Rows, data: &mut [u8]) {
    if data.len() < bytes::<L>() { L::store_part(rows, data) } else { L::store_rows(rows, data) }
}

/// Takes groups of `W`, then of `L`, the last of which may be shorter, or a few blocks by `O`.
#[inline(always)]
fn each<N, O, L, W>(mut step: impl Step<N>, data: &mut [u8])
where
    N: Native,
    O: Blocks<Native = N>,
    L: Blocks<Native = N>,
    W: Blocks<Native = N>,
{
    let mut groups = data.chunks_exact_mut(bytes::<W>());
    for group in &mut groups {
        W::store_rows(step.step::<W>(W::load_rows(group)), group);
    }
    let mut groups = groups.into_remainder().chunks_exact_mut(bytes::<L>());
    for group in &mut groups {
        L::store_rows(step.step::<L>(L::load_rows(group)), group);
    }
    let rest = groups.into_remainder();
    if rest.len() > L::FEW_BYTES {
        return L::store_part(step.step::<L>(L::load_part(rest)), rest);
    }
    for block in rest.chunks_mut(bytes::<O>()) {
        store::<O>(step.step::<O>(load::<O>(block)), block);
    }
}

/// CBC decryption, group by group as [`each`], but from the end: the ciphertext before a group must
/// be there still.
#[inline(always)]
fn decrypt_chain<N, O, L, W>(table: Shared<N>, previous: &[u8], blocks: &mut [u8])
where
    N: Native,
    O: Blocks<Native = N>,
    L: Blocks<Native = N>,
    W: Blocks<Native = N>,
{
    let mut end = blocks.len();
    let rest = end % bytes::<L>();
    if rest > L::FEW_BYTES {
        end -= rest;
        decrypt_chained::<N, L>(table, previous, blocks, end, rest);
    }
    while end % bytes::<L>() > 0 {
        end -= bytes::<O>();
        decrypt_chained::<N, O>(table, previous, blocks, end, bytes::<O>());
    }
    while end % bytes::<W>() > 0 {
        end -= bytes::<L>();
        decrypt_chained::<N, L>(table, previous, blocks, end, bytes::<L>());
    }
    while end > 0 {
        end -= bytes::<W>();
        decrypt_chained::<N, W>(table, previous, blocks, end, bytes::<W>());
    }
}

/// CBC decryption of `count` bytes from byte `at`.
#[inline(always)]
fn decrypt_chained<N: Native, L: Blocks<Native = N>>(
    table: Shared<N>,
    previous: &[u8],
    blocks: &mut [u8],
    at: usize,
    count: usize,
) {
    let block_bytes = 2 * N::BYTES;
    let before = if at > 0 {
        load::<L>(&blocks[at - block_bytes..][..count])
    } else {
        let mut whole = [0; MAX_GROUP_BYTES];
        whole[..block_bytes].copy_from_slice(&previous[..block_bytes]);
        whole[block_bytes..count].copy_from_slice(&blocks[..count - block_bytes]);
        load::<L>(&whole[..count])
    };
    let group = &mut blocks[at..at + count];
    let rows = L::join(rc5::decrypt_block(L::split(load::<L>(group)), &table));
    store::<L>(L::xor_rows(rows, before), group);
}

/// As [`crate::kernel`]'s shells: `O` takes one block, `L` and `W` several side by side.
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
                each::<N, O, L, W>(Ecb::<false, N>(Shared(table)), data);
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
                each::<N, O, L, W>(Ecb::<true, N>(Shared(table)), data);
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
                decrypt_chain::<N, O, L, W>(Shared(table), previous, blocks);
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
                each::<N, O, L, W>(Ctr { table: Shared(table), next }, data);
            }

            /// # Safety
            /// The CPU must have the features.
            $(#[target_feature(enable = $features)])?
            unsafe fn ctr_many<N: Magic, L: Blocks<Native = N>>(
                params: Rc5Params,
                messages: &mut [&mut Keyed],
            ) {
                many::ctr_lanes::<N, L>(params, messages);
            }

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
);
cipher_word!(
    u64, 2:
    #[cfg(target_arch = "x86_64")]
    avx2 Avx2<u64>;
    #[cfg(target_arch = "x86_64")]
    avx512 Avx512<u64>;
    #[cfg(target_arch = "aarch64")]
    neon Neon<u64>;
);

/// The kernel of the engine given, or of the best one.
fn kernel_on<N: CipherWord>(
    params: Rc5Params,
    engine: Option<Engine>,
) -> Result<&'static CipherKernel<N>, Error> {
    if let Some(engine) = engine {
        engine.require()?;
    }
    let engines = Rc5::<N>::engines()?;
    let wanted = engine.or(engines.last().copied());
    let kernel = N::kernels().iter().find(|kernel| Some(kernel.engine) == wanted);
    kernel.ok_or_else(|| Error::EngineLacksPrimitive {
        engine: wanted.map_or("", Engine::name),
        primitive: params.to_string(),
        available: crate::isa::names(&engines),
    })
}

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
        let kernel = kernel_on(definition.params(), engine)?;
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
        // SAFETY: `on` gives only kernels whose engine runs here.
        unsafe { (self.kernel.ecb_encrypt)(self.definition.table(), blocks) }
    }
    fn decrypt_blocks(&self, blocks: &mut [u8]) {
        // SAFETY: as above.
        unsafe { (self.kernel.ecb_decrypt)(self.definition.table(), blocks) }
    }
    fn encrypt_chain(&self, previous: &[u8], blocks: &mut [u8]) {
        self.definition.encrypt_chain(previous, blocks);
    }
    fn decrypt_chain(&self, previous: &[u8], blocks: &mut [u8]) {
        // SAFETY: as above.
        unsafe { (self.kernel.cbc_decrypt)(self.definition.table(), previous, blocks) }
    }
    fn add_key_stream(&self, initial: &[u8], data: &mut [u8]) {
        // SAFETY: as above.
        unsafe { (self.kernel.ctr)(self.definition.table(), initial, data) }
    }
}

impl<N: CipherWord> fmt::Debug for Rc5<N> {
    /// Shows the parameters and the engine, not the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rc5({}, {})", self.params(), self.engine())
    }
}
