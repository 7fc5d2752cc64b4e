//! RC5 under one key with the blocks of a message side by side.

use super::kernel::{CipherKernel, CipherWord};
use super::select::{engines, kernel_on};
use crate::cpu::Engine;
use crate::error::Error;
use manylane_primitives::cipher::modes::BlockCipher;
use manylane_primitives::cipher::rc5::{self, Rc5Params};
use std::fmt;

/// RC5 under one key, on an engine of this CPU. **Old**: blocks of 64 bits (w = 32) collide after
/// about 2^32 of them. No mode authenticates.
///
/// Use it through [`modes`](crate::modes):
///
/// ```
/// use manylane::{Rc5, modes};
///
/// let rc5 = Rc5::<u32>::new(12, b"sixteen byte key")?;
/// let mut data = *b"any number of bytes, in place";
/// modes::ctr(&rc5, &[7, 0, 0, 0, 0, 0, 0, 0], &mut data).unwrap();
/// modes::ctr(&rc5, &[7, 0, 0, 0, 0, 0, 0, 0], &mut data).unwrap();
/// assert_eq!(&data, b"any number of bytes, in place");
/// # Ok::<(), manylane::Error>(())
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
    pub fn on(rounds: usize, key: &[u8], engine: impl Into<Option<Engine>>) -> Result<Self, Error> {
        let definition = rc5::Rc5::new(rounds, key)?;
        let kernel = kernel_on(definition.params(), engine.into())?;
        Ok(Self { definition, kernel })
    }

    /// The engines of this CPU for this word size, the preferred one last.
    ///
    /// # Errors
    /// If `MANYLANE_MAX_ISA` names no engine.
    pub fn engines() -> Result<Vec<Engine>, Error> {
        engines::<N>()
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
        // SAFETY: `kernel_on` gives only kernels whose engine runs here.
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
