//! Messages that have a key each, in lanes: a key table and a message per lane.

use crate::lanes::blocks::{Blocks, bytes, number};
use manylane_primitives::cipher::rc5::{self, Magic};
use manylane_primitives::word::Native;
use std::fmt;

/// The longest key table in lanes, 31 rounds: 4 KiB of the widest vectors.
pub const TABLE_WORDS: usize = 64;
/// The longest key in lanes.
pub const KEY_WORDS: usize = 16;
/// The most bytes that one block of every lane has together.
const MAX_BYTES: usize = 128;

/// `([t, c], messages)`: see [`ctr_lanes`].
pub type ManyFn = unsafe fn([usize; 2], &mut [&mut Keyed]);

/// A message with a key of its own, for [`Rc5Keys`](crate::Rc5Keys). Its [`Debug`](fmt::Debug)
/// shows the length only.
pub struct Keyed<'a> {
    /// The key.
    pub key: &'a [u8],
    /// The first counter block, as for [`ctr`](manylane_primitives::cipher::modes::ctr). One value
    /// may serve under many keys.
    pub initial: &'a [u8],
    /// The message, encrypted in place.
    pub data: &'a mut [u8],
}

impl fmt::Debug for Keyed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keyed({} bytes)", self.data.len())
    }
}

/// Encrypts up to [`Blocks::BLOCKS`] messages, the longest first, each under its own key of c
/// words, which is expanded to t words.
#[inline(always)]
pub fn ctr_lanes<N: Magic, L: Blocks<Native = N>>(
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
        L::store_blocks(L::join(rc5::encrypt_block([a, b], &*s)), &mut key_stream[..bytes::<L>()]);
        let blocks = key_stream.chunks_exact(2 * N::BYTES);
        for (message, block) in messages[..running].iter_mut().zip(blocks) {
            let rest = &mut message.data[at..];
            // The compiler knows the length of all blocks but the last.
            match rest.get_mut(..2 * N::BYTES) {
                Some(whole) => xor(whole, block),
                None => xor(rest, block),
            }
        }
        at += 2 * N::BYTES;
        let next = a + L::constant(number(1));
        // If all bits of A are ones, A + 1 is zero. Only then does the highest bit change from 1 to
        // 0, so this bit is the carry into B.
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
    L::split(L::load_blocks(&whole[..bytes::<L>()]))
}

#[inline(always)]
fn xor(data: &mut [u8], key_stream: &[u8]) {
    for (byte, key) in data.iter_mut().zip(key_stream) {
        *byte ^= key;
    }
}
