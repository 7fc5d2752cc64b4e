//! RC5 under many keys side by side.

use super::kernel::{CipherKernel, CipherWord};
use super::keyed::{KEY_WORDS, Keyed, TABLE_WORDS};
use super::one_key::Rc5;
use super::select::kernel_on;
use crate::cpu::Engine;
use crate::error::Error;
use manylane_primitives::cipher::modes;
use manylane_primitives::cipher::rc5::Rc5Params;
use std::cmp::Reverse;
use std::fmt;

/// RC5 under many keys of one length: each lane expands its own key and encrypts its own message.
///
/// ```
/// use manylane::{Keyed, Rc5Keys};
///
/// let keys: Vec<[u8; 16]> = (0..100).map(|i| [i; 16]).collect();
/// let mut records = vec![*b"any number of bytes, in place"; 100];
/// let mut messages: Vec<_> = keys
///     .iter()
///     .zip(&mut records)
///     .map(|(key, data)| Keyed { key, initial: &[0; 8], data })
///     .collect();
/// Rc5Keys::<u32>::new(12, 16)?.ctr(&mut messages)?;
/// assert_ne!(records[0], records[1]);
/// # Ok::<(), manylane::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Rc5Keys<N: CipherWord> {
    params: Rc5Params,
    kernel: &'static CipherKernel<N>,
}

impl<N: CipherWord> Rc5Keys<N> {
    /// Prepares for keys of `key_bytes` bytes, at most 255, and at most 255 rounds.
    ///
    /// # Errors
    /// If the parameters are out of bounds or `MANYLANE_MAX_ISA` names no engine.
    pub fn new(rounds: usize, key_bytes: usize) -> Result<Self, Error> {
        Self::on(rounds, key_bytes, None)
    }

    /// As [`Self::new`], on the engine given, or on the best one.
    ///
    /// # Errors
    /// If the parameters are out of bounds or the engine cannot serve.
    pub fn on(
        rounds: usize,
        key_bytes: usize,
        engine: impl Into<Option<Engine>>,
    ) -> Result<Self, Error> {
        let params = Rc5Params::new(8 * N::BYTES, rounds, key_bytes)?;
        Ok(Self { params, kernel: kernel_on(params, engine.into())? })
    }

    /// The parameters.
    pub fn params(&self) -> Rc5Params {
        self.params
    }

    /// The engine it runs on.
    pub fn engine(&self) -> Engine {
        self.kernel.engine
    }

    /// Encrypts or decrypts each message in counter mode under its own key. Lanes are used best by
    /// messages of like length.
    ///
    /// # Errors
    /// If a key has another length than promised, an initial counter is not one block long, or a
    /// message has more blocks than there are counters. Nothing is encrypted then.
    pub fn ctr(&self, messages: &mut [Keyed]) -> Result<(), Error> {
        for message in messages.iter() {
            let (given, needed) = (message.key.len(), self.params.key_bytes());
            if given != needed {
                return Err(Error::KeyLength { given, needed });
            }
            modes::check_ctr(self.params.block_bytes(), message.initial, message.data.len())?;
        }
        let words = [self.params.table_words(), self.params.key_words()];
        if words[0] > TABLE_WORDS || words[1] > KEY_WORDS {
            for message in messages {
                let rc5 = Rc5::<N>::on(self.params.rounds(), message.key, self.engine())?;
                modes::ctr(&rc5, message.initial, message.data)?;
            }
            return Ok(());
        }
        let mut messages: Vec<&mut Keyed> = messages.iter_mut().collect();
        messages.sort_by_key(|message| Reverse(message.data.len()));
        for group in messages.chunks_mut(self.kernel.keys) {
            // SAFETY: `kernel_on` gives only kernels whose engine runs here.
            unsafe { (self.kernel.ctr_many)(words, group) }
        }
        Ok(())
    }
}

impl<N: CipherWord> fmt::Debug for Rc5Keys<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rc5Keys({}, {})", self.params, self.engine())
    }
}
