//! Modes of operation over byte slices, in place: ECB, CBC, RC5-CBC-Pad (RFC 2040 §7) and CTR.
//!
//! ```text
//! ECB   C_i = E(P_i)                  blocks are independent
//! CBC   C_i = E(P_i ⊕ C_{i-1})        C_{-1} = IV; decryption's blocks are independent
//! CTR   C_i = P_i ⊕ E(T + i)          blocks are independent; any length; encrypts as it decrypts
//! ```
//!
//! No mode authenticates: only a MAC over the ciphertext detects that somebody altered it.

use core::fmt;

/// Longest block of a [`BlockCipher`], in bytes: RC5-64.
pub const MAX_BLOCK_BYTES: usize = 16;

/// A block cipher under one key.
///
/// An implementation defines `block_bytes` and the two functions on one block; the defaults of the
/// other functions call those two. No function of the trait checks a length: the functions of [this
/// module](self) do so before they call the trait's.
pub trait BlockCipher {
    /// Bytes per block: any number in 1..=[`MAX_BLOCK_BYTES`], the same in every call. The modes
    /// refuse a cipher with another number by [`Error::BlockLength`].
    fn block_bytes(&self) -> usize;
    /// Encrypts one block.
    ///
    /// # Panics
    /// If `block` is shorter than a block.
    fn encrypt_block(&self, block: &mut [u8]);
    /// Decrypts one block.
    ///
    /// # Panics
    /// If `block` is shorter than a block.
    fn decrypt_block(&self, block: &mut [u8]);
    /// Encrypts each block of a whole number of blocks; an engine does so side by side.
    fn encrypt_blocks(&self, blocks: &mut [u8]) {
        blocks.chunks_exact_mut(self.block_bytes()).for_each(|block| self.encrypt_block(block));
    }
    /// Decrypts each block of a whole number of blocks; an engine does so side by side.
    fn decrypt_blocks(&self, blocks: &mut [u8]) {
        blocks.chunks_exact_mut(self.block_bytes()).for_each(|block| self.decrypt_block(block));
    }
    /// CBC: encrypts each block XORed with the ciphertext before it, the first with `previous`.
    fn encrypt_chain(&self, previous: &[u8], blocks: &mut [u8]) {
        let mut previous = previous;
        for block in blocks.chunks_exact_mut(self.block_bytes()) {
            xor(block, previous);
            self.encrypt_block(block);
            previous = block;
        }
    }
    /// Undoes [`Self::encrypt_chain`]; an engine decrypts blocks side by side.
    fn decrypt_chain(&self, previous: &[u8], blocks: &mut [u8]) {
        let block_bytes = self.block_bytes();
        let mut last = [0; MAX_BLOCK_BYTES];
        last[..block_bytes].copy_from_slice(previous);
        for chunk in blocks.chunks_mut(whole_blocks_in_chunk(block_bytes)) {
            let mut ciphertext = [0; CHUNK];
            let ciphertext = &mut ciphertext[..chunk.len()];
            ciphertext.copy_from_slice(chunk);
            self.decrypt_blocks(chunk);
            let (first, others) = chunk.split_at_mut(block_bytes);
            xor(first, &last);
            xor(others, ciphertext);
            last[..block_bytes].copy_from_slice(&ciphertext[others.len()..]);
        }
    }
    /// CTR: XORs block i of `data`, of which the last may be shorter, with the encryption of
    /// [`counter_block`] i; an engine encrypts several counter blocks side by side.
    fn add_key_stream(&self, initial: &[u8], data: &mut [u8]) {
        let block_bytes = self.block_bytes();
        let mut i = 0;
        for chunk in data.chunks_mut(whole_blocks_in_chunk(block_bytes)) {
            let mut key_stream = [0; CHUNK];
            let key_stream = &mut key_stream[..chunk.len().next_multiple_of(block_bytes)];
            for block in key_stream.chunks_exact_mut(block_bytes) {
                counter_block(initial, i, block);
                i += 1;
            }
            self.encrypt_blocks(key_stream);
            xor(chunk, key_stream);
        }
    }
}

/// The most bytes that the modes with independent blocks pass to the cipher at a time: enough
/// blocks of any length to fill many lanes.
const CHUNK: usize = 4096;

/// Bytes of the whole blocks in a [`CHUNK`]: a chunk must not cut a block in two.
const fn whole_blocks_in_chunk(block_bytes: usize) -> usize {
    CHUNK - CHUNK % block_bytes
}

/// Why a mode refuses its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The cipher's blocks are of no length, or longer than [`MAX_BLOCK_BYTES`].
    BlockLength {
        /// Bytes per block.
        block_bytes: usize,
    },
    /// The data is no whole number of blocks.
    NotWholeBlocks {
        /// Bytes of data.
        bytes: usize,
        /// Bytes per block.
        block_bytes: usize,
    },
    /// The initialisation vector or initial counter is not one block long.
    IvLength {
        /// Bytes of the vector.
        bytes: usize,
        /// Bytes per block.
        block_bytes: usize,
    },
    /// The buffer has no room for the padding.
    NoRoom {
        /// Bytes of the buffer.
        bytes: usize,
        /// Bytes of the padded message.
        padded_bytes: usize,
    },
    /// The decrypted data does not end in padding: another key, or altered data.
    Padding,
    /// The data has more blocks than the counter has values.
    CounterExhausted,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BlockLength { block_bytes } => write!(
                f,
                "the cipher has blocks of {block_bytes} bytes; the modes take blocks of 1 to \
                 {MAX_BLOCK_BYTES} bytes"
            ),
            Self::NotWholeBlocks { bytes, block_bytes } => {
                write!(f, "{bytes} bytes are no whole number of blocks of {block_bytes}")
            }
            Self::IvLength { bytes, block_bytes } => write!(
                f,
                "the initialisation vector has {bytes} bytes; it must have one block, {block_bytes}"
            ),
            Self::NoRoom { bytes, padded_bytes } => {
                write!(f, "the padded message has {padded_bytes} bytes, the buffer {bytes}")
            }
            Self::Padding => f.write_str("bad padding: another key, or altered data"),
            Self::CounterExhausted => f.write_str("more blocks than the counter has values"),
        }
    }
}

impl core::error::Error for Error {}

/// Bytes per block of a cipher that the modes can take.
fn block_bytes_of(cipher: &(impl BlockCipher + ?Sized)) -> Result<usize, Error> {
    check_block_bytes(cipher.block_bytes())
}

fn check_block_bytes(block_bytes: usize) -> Result<usize, Error> {
    match block_bytes {
        1..=MAX_BLOCK_BYTES => Ok(block_bytes),
        _ => Err(Error::BlockLength { block_bytes }),
    }
}

fn check_blocks(block_bytes: usize, data: &[u8]) -> Result<(), Error> {
    let bytes = data.len();
    if bytes.is_multiple_of(block_bytes) {
        Ok(())
    } else {
        Err(Error::NotWholeBlocks { bytes, block_bytes })
    }
}

fn check_iv(block_bytes: usize, iv: &[u8]) -> Result<(), Error> {
    let bytes = iv.len();
    if bytes == block_bytes { Ok(()) } else { Err(Error::IvLength { bytes, block_bytes }) }
}

fn xor(out: &mut [u8], other: &[u8]) {
    for (a, b) in out.iter_mut().zip(other) {
        *a ^= b;
    }
}

/// Encrypts each block by itself. Equal blocks have equal ciphertexts, so this is a building block
/// and no way to encrypt messages.
///
/// # Errors
/// If `data` is no whole number of blocks, or the modes cannot take the cipher's blocks.
pub fn ecb_encrypt(cipher: &(impl BlockCipher + ?Sized), data: &mut [u8]) -> Result<(), Error> {
    check_blocks(block_bytes_of(cipher)?, data)?;
    cipher.encrypt_blocks(data);
    Ok(())
}

/// Undoes [`ecb_encrypt`].
///
/// # Errors
/// If `data` is no whole number of blocks, or the modes cannot take the cipher's blocks.
pub fn ecb_decrypt(cipher: &(impl BlockCipher + ?Sized), data: &mut [u8]) -> Result<(), Error> {
    check_blocks(block_bytes_of(cipher)?, data)?;
    cipher.decrypt_blocks(data);
    Ok(())
}

/// Encrypts by cipher block chaining (RC5-CBC). `iv` is one block; it must be unpredictable and
/// never be used twice under a key. To go on with more data, the next `iv` is the last block of
/// ciphertext.
///
/// # Errors
/// If `data` is no whole number of blocks, `iv` is not one block long, or the modes cannot take the
/// cipher's blocks.
pub fn cbc_encrypt(
    cipher: &(impl BlockCipher + ?Sized),
    iv: &[u8],
    data: &mut [u8],
) -> Result<(), Error> {
    let block_bytes = block_bytes_of(cipher)?;
    check_iv(block_bytes, iv)?;
    check_blocks(block_bytes, data)?;
    cipher.encrypt_chain(iv, data);
    Ok(())
}

/// Undoes [`cbc_encrypt`].
///
/// # Errors
/// If `data` is no whole number of blocks, `iv` is not one block long, or the modes cannot take the
/// cipher's blocks.
pub fn cbc_decrypt(
    cipher: &(impl BlockCipher + ?Sized),
    iv: &[u8],
    data: &mut [u8],
) -> Result<(), Error> {
    let block_bytes = block_bytes_of(cipher)?;
    check_iv(block_bytes, iv)?;
    check_blocks(block_bytes, data)?;
    cipher.decrypt_chain(iv, data);
    Ok(())
}

/// Bytes of a message of `bytes` bytes after padding: the next greater multiple of a block, or
/// `usize::MAX`, which no buffer has, where that does not fit.
///
/// # Panics
/// If `block_bytes` is 0.
pub const fn padded_bytes(bytes: usize, block_bytes: usize) -> usize {
    (bytes / block_bytes).saturating_add(1).saturating_mul(block_bytes)
}

/// Encrypts by RC5-CBC-Pad the first `message_bytes` bytes of `buffer`, which has room for
/// [`padded_bytes`]; returns that length. The padding is n bytes of value n, 1 ≤ n ≤ one block.
///
/// # Errors
/// If `buffer` has no room for the padded message, `iv` is not one block long, or the modes cannot
/// take the cipher's blocks. The buffer stays as it was.
pub fn cbc_pad_encrypt(
    cipher: &(impl BlockCipher + ?Sized),
    iv: &[u8],
    buffer: &mut [u8],
    message_bytes: usize,
) -> Result<usize, Error> {
    let block_bytes = block_bytes_of(cipher)?;
    check_iv(block_bytes, iv)?;
    let (bytes, padded_bytes) = (buffer.len(), padded_bytes(message_bytes, block_bytes));
    let Some(data) = buffer.get_mut(..padded_bytes) else {
        return Err(Error::NoRoom { bytes, padded_bytes });
    };
    data[message_bytes..].fill((padded_bytes - message_bytes) as u8);
    cbc_encrypt(cipher, iv, data)?;
    Ok(padded_bytes)
}

/// Undoes [`cbc_pad_encrypt`]: returns the length of the message at the start of `data`.
///
/// The padding is checked without branching on its bytes, and `data` is cleared if it is bad. The
/// answer itself still tells good padding from bad: check a MAC over the ciphertext first.
///
/// # Errors
/// [`Error::Padding`] if the padding is bad or `data` is empty. As [`cbc_decrypt`] otherwise.
pub fn cbc_pad_decrypt(
    cipher: &(impl BlockCipher + ?Sized),
    iv: &[u8],
    data: &mut [u8],
) -> Result<usize, Error> {
    let block_bytes = block_bytes_of(cipher)?;
    check_iv(block_bytes, iv)?;
    if data.is_empty() {
        return Err(Error::Padding);
    }
    cbc_decrypt(cipher, iv, data)?;
    let message_bytes = data.len() - block_bytes;
    match unpad(&data[message_bytes..]) {
        Some(kept) => Ok(message_bytes + kept),
        None => {
            data.fill(0);
            Err(Error::Padding)
        }
    }
}

/// The bytes of the last block that belong to the message. Every byte is read, whatever the values.
fn unpad(block: &[u8]) -> Option<usize> {
    let n = block[block.len() - 1];
    let mut bad = less(n, 1) | less(block.len() as u8, n);
    for (i, &byte) in block.iter().rev().enumerate() {
        bad |= less(i as u8, n) & (byte ^ n);
    }
    if core::hint::black_box(bad) == 0 { Some(block.len() - usize::from(n)) } else { None }
}

/// 0xff if a < b, else 0.
fn less(a: u8, b: u8) -> u8 {
    (u16::from(a).wrapping_sub(u16::from(b)) >> 8) as u8
}

/// Encrypts or decrypts in counter mode: block i is XORed with the encryption of T + i mod 2^2w.
///
/// `initial` is T, one block: in memory the **little-endian** integer of 2w bits, w being half a
/// block, the counter's low byte first, a nonce in the high bytes. (RC5 reads its words in this
/// order, too; NIST SP 800-38A counts from the other end.) No two messages under one key may share
/// any value T + i.
///
/// # Errors
/// As [`check_ctr`].
pub fn ctr(
    cipher: &(impl BlockCipher + ?Sized),
    initial: &[u8],
    data: &mut [u8],
) -> Result<(), Error> {
    check_ctr(block_bytes_of(cipher)?, initial, data.len())?;
    cipher.add_key_stream(initial, data);
    Ok(())
}

/// Checks the lengths that [`ctr`] is given: an error if `initial` is not one block of
/// `block_bytes` bytes, or if data of `bytes` bytes has more blocks than the counter has values.
pub fn check_ctr(block_bytes: usize, initial: &[u8], bytes: usize) -> Result<(), Error> {
    check_iv(check_block_bytes(block_bytes)?, initial)?;
    let blocks = bytes.div_ceil(block_bytes) as u128;
    if block_bytes < 16 && blocks > 1 << (8 * block_bytes) {
        return Err(Error::CounterExhausted);
    }
    Ok(())
}

/// T + i mod 2^2w: the block whose encryption [`ctr`] applies to block i.
///
/// # Panics
/// If `initial` is longer than [`MAX_BLOCK_BYTES`] or `out` is not as long as `initial`.
pub fn counter_block(initial: &[u8], i: u64, out: &mut [u8]) {
    let mut t = [0; MAX_BLOCK_BYTES];
    t[..initial.len()].copy_from_slice(initial);
    let sum = u128::from_le_bytes(t).wrapping_add(u128::from(i)).to_le_bytes();
    out.copy_from_slice(&sum[..initial.len()]);
}

#[cfg(test)]
mod tests;
