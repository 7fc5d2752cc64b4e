//! RC5 under many keys side by side: a key table and a message per lane.

use super::kernel::{CipherKernel, CipherWord};
use super::{Rc5, kernel_on};
use crate::cpu::Engine;
use crate::error::Error;
use crate::lanes::blocks::{Blocks, bytes, number};
use manylane_primitives::cipher::modes;
use manylane_primitives::cipher::rc5::{self, Magic, Rc5Params};
use manylane_primitives::word::Native;
use std::cmp::Reverse;
use std::fmt;

/// The longest key table in lanes, 31 rounds: 4 KiB of the widest vectors.
const TABLE_WORDS: usize = 64;
/// The longest key in lanes.
const KEY_WORDS: usize = 16;
/// The most bytes of a block in each lane.
const MAX_BYTES: usize = 128;

/// `([t, c], messages)`: see [`ctr_lanes`].
pub(super) type ManyFn = unsafe fn([usize; 2], &mut [&mut Keyed]);

/// A message with a key of its own, for [`Rc5Keys`]. Its [`Debug`](fmt::Debug) shows the length only.
pub struct Keyed<'a> {
    /// The key.
    pub key: &'a [u8],
    /// The first counter block, as for [`modes::ctr`]. One value may serve under many keys.
    pub initial: &'a [u8],
    /// The message, encrypted in place.
    pub data: &'a mut [u8],
}

impl fmt::Debug for Keyed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keyed({} bytes)", self.data.len())
    }
}

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
    /// For keys of `key_bytes` bytes, at most 255, and at most 255 rounds.
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
    pub fn on(rounds: usize, key_bytes: usize, engine: Option<Engine>) -> Result<Self, Error> {
        let params = Rc5Params::new(8 * N::BYTES, rounds, key_bytes)?;
        Ok(Self { params, kernel: kernel_on(params, engine)? })
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
                let engine = Some(self.engine());
                let rc5 = Rc5::<N>::on(self.params.rounds(), message.key, engine)?;
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

/// Encrypts up to [`Blocks::BLOCKS`] messages, the longest first, each under its own key of c words
/// expanded to t.
#[inline(always)]
pub(super) fn ctr_lanes<N: Magic, L: Blocks<Native = N>>(
    [table_words, key_words]: [usize; 2],
    messages: &mut [&mut Keyed],
) {
    let zero = L::constant(N::default());
    let (mut s, mut l) = ([zero; TABLE_WORDS], [zero; KEY_WORDS]);
    let (s, l) = (&mut s[..table_words], &mut l[..key_words]);
    for (i, pair) in l.chunks_mut(2).enumerate() {
        let at = 2 * N::BYTES * i;
        let words =
            gather::<L>(messages.iter().map(|message| message.key.get(at..).unwrap_or(&[])));
        pair.copy_from_slice(&words[..pair.len()]);
    }
    rc5::expand(s, l);

    let [mut a, mut b] = gather::<L>(messages.iter().map(|message| message.initial));
    let mut at = 0;
    let mut running = messages.len();
    loop {
        while running > 0 && messages[running - 1].data.len() <= at {
            running -= 1;
        }
        if running == 0 {
            return;
        }
        let mut key_stream = [0; MAX_BYTES];
        L::store_rows(L::join(rc5::encrypt_block([a, b], &*s)), &mut key_stream[..bytes::<L>()]);
        let blocks = key_stream.chunks_exact(2 * N::BYTES);
        for (message, block) in messages[..running].iter_mut().zip(blocks) {
            let rest = &mut message.data[at..];
            // All but the last block have a length that the compiler knows.
            match rest.get_mut(..2 * N::BYTES) {
                Some(whole) => xor(whole, block),
                None => xor(rest, block),
            }
        }
        at += 2 * N::BYTES;
        let next = a + L::constant(number(1));
        // All ones give zero: the highest bit goes from 1 to 0 there only.
        b = b + ((a & !next) >> (8 * N::BYTES - 1));
        a = next;
    }
}

/// The first bytes of each lane's part as two words; the rest of a shorter part is zero.
#[inline(always)]
fn gather<'a, L: Blocks>(parts: impl Iterator<Item = &'a [u8]>) -> [L; 2] {
    let mut whole = [0; MAX_BYTES];
    for (block, part) in whole.chunks_exact_mut(2 * L::Native::BYTES).zip(parts) {
        for (byte, &from) in block.iter_mut().zip(part) {
            *byte = from;
        }
    }
    L::split(L::load_rows(&whole[..bytes::<L>()]))
}

#[inline(always)]
fn xor(data: &mut [u8], key_stream: &[u8]) {
    for (byte, key) in data.iter_mut().zip(key_stream) {
        *byte ^= key;
    }
}
