//! Modes of operation over the blocks of a message, consecutive blocks side by side. Shells inline
//! these functions.

use crate::lanes::blocks::{Blocks, bytes};
use manylane_primitives::cipher::rc5::{self, Shared};
use manylane_primitives::word::{ByteOrder, Native};

/// The most bytes that a kernel takes at a time.
pub const MAX_GROUP_BYTES: usize = 512;

/// An operation on several independent blocks side by side.
pub trait BlockOperation<N: Native> {
    fn step<L: Blocks<Native = N>>(&mut self, rows: L::Loaded) -> L::Loaded;
}

/// ECB.
pub struct Ecb<'a, const DECRYPT: bool, N: Native>(pub Shared<'a, N>);

impl<const DECRYPT: bool, N: Native> BlockOperation<N> for Ecb<'_, DECRYPT, N> {
    #[inline(always)]
    fn step<L: Blocks<Native = N>>(&mut self, rows: L::Loaded) -> L::Loaded {
        let ab = L::split(rows);
        L::join(if DECRYPT {
            rc5::decrypt_block(ab, &self.0)
        } else {
            rc5::encrypt_block(ab, &self.0)
        })
    }
}

/// CTR.
pub struct Ctr<'a, N: Native> {
    /// The round keys, which all lanes share.
    pub table: Shared<'a, N>,
    /// The next counter block as an integer mod 2^2w.
    pub next: u128,
}

impl<N: Native> BlockOperation<N> for Ctr<'_, N> {
    #[inline(always)]
    fn step<L: Blocks<Native = N>>(&mut self, rows: L::Loaded) -> L::Loaded {
        let key_stream = rc5::encrypt_block(self.counters::<L>(), &self.table);
        self.next = self.next.wrapping_add(L::BLOCKS as u128);
        L::xor_blocks(rows, L::join(key_stream))
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
        // The carry out of the highest bit: both bits are ones, or one of them is and the bit of
        // the sum is 0.
        let carry = ((x & y) | ((x | y) & !a)) >> (8 * N::BYTES - 1);
        [a, b + carry]
    }

    /// The counter block i places after the next one.
    #[inline(always)]
    fn counter(&self, i: usize) -> [N; 2] {
        let block = self.next.wrapping_add(i as u128).to_le_bytes();
        let (first, second) = block.split_at(N::BYTES);
        [N::read(first, ByteOrder::Little), N::read(second, ByteOrder::Little)]
    }
}

/// Reads the bytes of all blocks of `L`, or of fewer.
#[inline(always)]
fn load<L: Blocks>(data: &[u8]) -> L::Loaded {
    if data.len() < bytes::<L>() { L::load_part(data) } else { L::load_blocks(data) }
}

/// Writes what [`load`] reads.
#[inline(always)]
fn store<L: Blocks>(rows: L::Loaded, data: &mut [u8]) {
    if data.len() < bytes::<L>() { L::store_part(rows, data) } else { L::store_blocks(rows, data) }
}

/// Applies `step` to groups of blocks of `W`, then of `L`. What is left is a part of a group of
/// `L`, or if it has at most [`Blocks::FEW_BYTES`], single blocks of `O`.
#[inline(always)]
pub fn each<N, O, L, W>(mut step: impl BlockOperation<N>, data: &mut [u8])
where
    N: Native,
    O: Blocks<Native = N>,
    L: Blocks<Native = N>,
    W: Blocks<Native = N>,
{
    let mut groups = data.chunks_exact_mut(bytes::<W>());
    for group in &mut groups {
        W::store_blocks(step.step::<W>(W::load_blocks(group)), group);
    }
    let mut groups = groups.into_remainder().chunks_exact_mut(bytes::<L>());
    for group in &mut groups {
        L::store_blocks(step.step::<L>(L::load_blocks(group)), group);
    }
    let rest = groups.into_remainder();
    if rest.len() > L::FEW_BYTES {
        return L::store_part(step.step::<L>(L::load_part(rest)), rest);
    }
    for block in rest.chunks_mut(bytes::<O>()) {
        store::<O>(step.step::<O>(load::<O>(block)), block);
    }
}

/// Decrypts by CBC, group by group as [`each`] does, but from the end, because a group needs the
/// ciphertext before it.
#[inline(always)]
pub fn decrypt_chain<N, O, L, W>(table: Shared<N>, previous: &[u8], blocks: &mut [u8])
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
    while !end.is_multiple_of(bytes::<L>()) {
        end -= bytes::<O>();
        decrypt_chained::<N, O>(table, previous, blocks, end, bytes::<O>());
    }
    while !end.is_multiple_of(bytes::<W>()) {
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
    store::<L>(L::xor_blocks(rows, before), group);
}
