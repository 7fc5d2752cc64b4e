//! Modes of operation over byte slices, in place: ECB, CBC, RC5-CBC-Pad (RFC 2040 §7) and CTR.
//!
//! ```text
//! ECB   C_i = E(P_i)                  blocks are independent
//! CBC   C_i = E(P_i ⊕ C_{i-1})        C_{-1} = IV; decryption's blocks are independent
//! CTR   C_i = P_i ⊕ E(T + i)          blocks are independent; any length; encrypts as it decrypts
//! ```
//!
//! No mode authenticates: whoever alters a ciphertext is noticed by a MAC over it, not here.

use core::fmt;

/// Longest block of a [`BlockCipher`], in bytes: RC5-64.
pub const MAX_BLOCK_BYTES: usize = 16;

/// A block cipher under one key.
///
/// The two functions on one block are what a cipher must have; the defaults of the others are made
/// of them. The functions of [this module](self) check lengths and call these, which check nothing.
pub trait BlockCipher {
    /// Bytes per block: any number in 1..=[`MAX_BLOCK_BYTES`], the same in every call. The modes
    /// answer others with [`Error::BlockLength`].
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
    /// [`counter_block`] i; an engine counts side by side.
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

/// The most bytes that the modes with independent blocks hand on at a time: many lanes' worth of any
/// block.
const CHUNK: usize = 4096;

/// Bytes of the whole blocks in a [`CHUNK`]: a block that is cut in two would be lost.
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

/// Encrypts each block by itself. Equal blocks stay equal: a building block, not for messages.
pub fn ecb_encrypt(cipher: &(impl BlockCipher + ?Sized), data: &mut [u8]) -> Result<(), Error> {
    check_blocks(block_bytes_of(cipher)?, data)?;
    cipher.encrypt_blocks(data);
    Ok(())
}

/// Undoes [`ecb_encrypt`].
pub fn ecb_decrypt(cipher: &(impl BlockCipher + ?Sized), data: &mut [u8]) -> Result<(), Error> {
    check_blocks(block_bytes_of(cipher)?, data)?;
    cipher.decrypt_blocks(data);
    Ok(())
}

/// Encrypts by cipher block chaining (RC5-CBC). `iv` is unpredictable, one block, never used twice
/// under a key. To go on with more data, the next `iv` is the last block of ciphertext.
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
/// [`padded_bytes`]; returns that length. The padding is n bytes of value n, 1 ≤ n ≤ one block. An
/// error leaves the buffer as it was.
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
/// block, the counter's low byte first, a nonce in the high bytes. (RC5 reads its words so too; NIST SP 800-38A counts from
/// the other end.) No two messages under one key may share any value T + i.
pub fn ctr(
    cipher: &(impl BlockCipher + ?Sized),
    initial: &[u8],
    data: &mut [u8],
) -> Result<(), Error> {
    check_ctr(block_bytes_of(cipher)?, initial, data.len())?;
    cipher.add_key_stream(initial, data);
    Ok(())
}

/// Whether [`ctr`] takes an initial counter and data of that many bytes.
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
mod tests {
    use super::*;
    use crate::cipher::Rc5;
    use hex_literal::hex;
    use std::vec::Vec;

    fn rc5(rounds: usize, key: &[u8]) -> Rc5<u32> {
        Rc5::new(rounds, key).unwrap()
    }

    /// Blocks that all differ, so that swapped ones cannot cancel.
    fn message(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|i| (i * 7 + i / 256) as u8).collect()
    }

    /// RFC 2040 §9.
    #[test]
    fn cbc_examples_of_the_standard() {
        let key = hex!("01020304050607081020304050607080");
        for (rounds, ciphertext) in [
            (8, hex!("c533771cd0110e63")),
            (12, hex!("294ddb46b3278d60")),
            (16, hex!("dad6bda9dfe8f7e8")),
        ] {
            let mut data = hex!("1020304050607080");
            cbc_encrypt(&rc5(rounds, &key), &hex!("0102030405060708"), &mut data).unwrap();
            assert_eq!(data, ciphertext);
        }
        let mut chained = hex!("ffffffffffffffff0808080808080808");
        cbc_encrypt(&rc5(8, &hex!("0102030405")), &[0; 8], &mut chained).unwrap();
        assert_eq!(chained, hex!("7875dbf6738c64788f34c3c681c99695"));
    }

    /// RFC 2040 §9: a whole block of padding.
    #[test]
    fn cbc_pad_example_of_the_standard() {
        let cipher = rc5(8, &hex!("0102030405"));
        let mut buffer = [0xff; 16];
        assert_eq!(cbc_pad_encrypt(&cipher, &[0; 8], &mut buffer, 8), Ok(16));
        assert_eq!(buffer, hex!("7875dbf6738c64788f34c3c681c99695"));
        assert_eq!(cbc_pad_decrypt(&cipher, &[0; 8], &mut buffer), Ok(8));
        assert_eq!(buffer[..8], [0xff; 8]);
    }

    #[test]
    fn every_mode_and_length_decrypts() {
        let cipher = rc5(12, b"every mode and length");
        let iv = *b"8 bytes!";
        for bytes in 0..40 {
            let plaintext = message(bytes);
            let mut data = plaintext.clone();
            ctr(&cipher, &iv, &mut data).unwrap();
            ctr(&cipher, &iv, &mut data).unwrap();
            assert_eq!(data, plaintext, "CTR");

            data.resize(48, 0);
            let padded = cbc_pad_encrypt(&cipher, &iv, &mut data, bytes).unwrap();
            assert_eq!(padded, padded_bytes(bytes, 8));
            assert_eq!(cbc_pad_decrypt(&cipher, &iv, &mut data[..padded]), Ok(bytes));
            assert_eq!(data[..bytes], plaintext, "CBC-Pad");

            let whole = bytes / 8 * 8;
            let mut data = plaintext[..whole].to_vec();
            ecb_encrypt(&cipher, &mut data).unwrap();
            cbc_encrypt(&cipher, &iv, &mut data).unwrap();
            cbc_decrypt(&cipher, &iv, &mut data).unwrap();
            ecb_decrypt(&cipher, &mut data).unwrap();
            assert_eq!(data, plaintext[..whole], "ECB, CBC");
        }
    }

    /// Every value of every byte of the last block, against the definition.
    #[test]
    fn padding_is_checked() {
        for block_bytes in [2, 4, 8, 16] {
            for n in 0..=255u8 {
                for (at, value) in (0..block_bytes).flat_map(|at| [0, n, 0xee].map(|v| (at, v))) {
                    let mut block = std::vec![n; block_bytes];
                    block[at] = value;
                    let last = block[block_bytes - 1];
                    let expected = (1..=block_bytes)
                        .find(|&m| usize::from(last) == m)
                        .filter(|&m| block[block_bytes - m..].iter().all(|&b| b == last))
                        .map(|m| block_bytes - m);
                    assert_eq!(unpad(&block), expected, "{block:?}");
                }
            }
        }
        let cipher = rc5(12, b"padding");
        let mut data = [0x33; 16];
        assert_eq!(cbc_pad_decrypt(&cipher, &[0; 8], &mut data), Err(Error::Padding));
        assert_eq!(data, [0; 16]);
        assert_eq!(cbc_pad_decrypt(&cipher, &[0; 8], &mut []), Err(Error::Padding));
    }

    #[test]
    fn wrong_lengths_are_refused() {
        let cipher = rc5(12, b"lengths");
        let (iv, mut data) = ([0; 8], [0; 15]);
        let blocks = Err(Error::NotWholeBlocks { bytes: 15, block_bytes: 8 });
        assert_eq!(ecb_encrypt(&cipher, &mut data), blocks);
        assert_eq!(ecb_decrypt(&cipher, &mut data), blocks);
        assert_eq!(cbc_encrypt(&cipher, &iv, &mut data), blocks);
        assert_eq!(cbc_decrypt(&cipher, &iv, &mut data), blocks);
        for bytes in [0, 7, 9, 16] {
            let wrong = Err(Error::IvLength { bytes, block_bytes: 8 });
            assert_eq!(cbc_encrypt(&cipher, &[0; 16][..bytes], &mut [0; 8]), wrong);
            assert_eq!(cbc_decrypt(&cipher, &[0; 16][..bytes], &mut [0; 8]), wrong);
            assert_eq!(ctr(&cipher, &[0; 16][..bytes], &mut [0; 8]), wrong);
        }
        let room = Err(Error::NoRoom { bytes: 15, padded_bytes: 16 });
        assert_eq!(cbc_pad_encrypt(&cipher, &iv, &mut data, 8), room);
        // A message that is longer than its buffer, up to one that no machine holds.
        for (message_bytes, padded_bytes) in [(16, 24), (usize::MAX - 7, usize::MAX)] {
            let room = Err(Error::NoRoom { bytes: 15, padded_bytes });
            assert_eq!(cbc_pad_encrypt(&cipher, &iv, &mut data, message_bytes), room);
        }
        // The padding is not written before everything is known to be right.
        let wrong = Err(Error::IvLength { bytes: 7, block_bytes: 8 });
        assert_eq!(cbc_pad_encrypt(&cipher, &iv[..7], &mut data, 3), wrong);
        assert_eq!(data, [0; 15]);
        assert_eq!(padded_bytes(usize::MAX, 1), usize::MAX);
    }

    /// The functions of a block whatever its length: byte j becomes 3 (byte ⊕ key_j) + 5 + the byte
    /// before it, so that each depends on its place.
    struct AnyLength(usize);

    impl BlockCipher for AnyLength {
        fn block_bytes(&self) -> usize {
            self.0
        }
        fn encrypt_block(&self, block: &mut [u8]) {
            let mut before = 0xa5;
            for (j, byte) in block[..self.0].iter_mut().enumerate() {
                *byte = (*byte ^ j as u8).wrapping_mul(3).wrapping_add(5).wrapping_add(before);
                before = *byte;
            }
        }
        fn decrypt_block(&self, block: &mut [u8]) {
            let mut before = 0xa5u8;
            for (j, byte) in block[..self.0].iter_mut().enumerate() {
                let next = *byte;
                // 171 · 3 = 1 mod 256.
                *byte = byte.wrapping_sub(before).wrapping_sub(5).wrapping_mul(171) ^ j as u8;
                before = next;
            }
        }
    }

    /// The formulas at the top of this file, block by block.
    fn by_the_formula(cipher: &AnyLength, mode: &str, iv: &[u8], data: &[u8]) -> Vec<u8> {
        let mut previous = iv.to_vec();
        let mut counter = iv.iter().rev().fold(0u128, |t, &byte| t << 8 | u128::from(byte));
        let mut out = Vec::new();
        for plaintext in data.chunks(cipher.0) {
            let mut block = plaintext.to_vec();
            match mode {
                "ECB" => cipher.encrypt_block(&mut block),
                "CBC" => {
                    xor(&mut block, &previous);
                    cipher.encrypt_block(&mut block);
                    previous.clone_from(&block);
                }
                _ => {
                    let mut key_stream = counter.to_le_bytes()[..cipher.0].to_vec();
                    cipher.encrypt_block(&mut key_stream);
                    counter = counter.wrapping_add(1);
                    xor(&mut block, &key_stream);
                }
            }
            out.extend(block);
        }
        out
    }

    /// Every length of a block, around one, two and three chunks, whose length few blocks divide.
    #[test]
    fn blocks_of_every_length_go_through_every_mode() {
        for block_bytes in 1..=MAX_BLOCK_BYTES {
            let cipher = AnyLength(block_bytes);
            // A carry goes through all bytes of the counter, and off its end.
            let iv: Vec<u8> = std::vec![0xff; block_bytes];
            for chunks in 0..=3 {
                for blocks in (chunks * CHUNK / block_bytes).saturating_sub(1)
                    ..=chunks * CHUNK / block_bytes + 2
                {
                    let plaintext = message(blocks * block_bytes);
                    let mut data = plaintext.clone();
                    ecb_encrypt(&cipher, &mut data).unwrap();
                    assert!(data == by_the_formula(&cipher, "ECB", &iv, &plaintext), "ECB");
                    ecb_decrypt(&cipher, &mut data).unwrap();
                    assert!(data == plaintext, "ECB of {blocks} blocks of {block_bytes} bytes");

                    cbc_encrypt(&cipher, &iv, &mut data).unwrap();
                    assert!(data == by_the_formula(&cipher, "CBC", &iv, &plaintext), "CBC");
                    cbc_decrypt(&cipher, &iv, &mut data).unwrap();
                    assert!(data == plaintext, "CBC of {blocks} blocks of {block_bytes} bytes");

                    for cut in 0..block_bytes.min(plaintext.len() + 1) {
                        let text = &plaintext[..plaintext.len() - cut];
                        if text.len().div_ceil(block_bytes) as u128
                            > 1 << (8 * block_bytes).min(100)
                        {
                            continue;
                        }
                        let mut data = text.to_vec();
                        ctr(&cipher, &iv, &mut data).unwrap();
                        assert!(data == by_the_formula(&cipher, "CTR", &iv, text), "CTR");
                    }

                    let mut buffer = plaintext.clone();
                    buffer.resize(plaintext.len() + block_bytes, 0);
                    let padded =
                        cbc_pad_encrypt(&cipher, &iv, &mut buffer, plaintext.len()).unwrap();
                    assert_eq!(padded, plaintext.len() + block_bytes);
                    let kept = cbc_pad_decrypt(&cipher, &iv, &mut buffer);
                    assert_eq!(kept, Ok(plaintext.len()), "blocks of {block_bytes} bytes");
                    assert!(buffer[..plaintext.len()] == plaintext);
                }
            }
        }
    }

    #[test]
    fn blocks_of_a_length_that_no_mode_takes_are_refused() {
        for block_bytes in [0, MAX_BLOCK_BYTES + 1, 32, usize::MAX] {
            let cipher: &dyn BlockCipher = &AnyLength(block_bytes);
            let wrong = Error::BlockLength { block_bytes };
            let (iv, mut data) = ([0; 32], [7; 64]);
            for iv in [&iv[..0], &iv[..17], &iv[..]] {
                assert_eq!(ecb_encrypt(cipher, &mut data), Err(wrong));
                assert_eq!(ecb_decrypt(cipher, &mut data), Err(wrong));
                assert_eq!(cbc_encrypt(cipher, iv, &mut data), Err(wrong));
                assert_eq!(cbc_decrypt(cipher, iv, &mut data), Err(wrong));
                assert_eq!(cbc_pad_encrypt(cipher, iv, &mut data, 1), Err(wrong));
                assert_eq!(cbc_pad_decrypt(cipher, iv, &mut data), Err(wrong));
                assert_eq!(cbc_pad_decrypt(cipher, iv, &mut []), Err(wrong));
                assert_eq!(ctr(cipher, iv, &mut data), Err(wrong));
                assert_eq!(check_ctr(block_bytes, iv, 64), Err(wrong));
            }
            assert_eq!(data, [7; 64], "an error changes nothing");
            assert!(std::format!("{wrong}").contains(&std::format!("{block_bytes} bytes")));
        }
    }

    /// Little-endian, with a carry into the nonce and around the end.
    #[test]
    fn counters_count() {
        let mut out = [0; 8];
        counter_block(&hex!("fdffff00aabbccdd"), 3, &mut out);
        assert_eq!(out, hex!("00000001aabbccdd"));
        counter_block(&[0xff; 8], 2, &mut out);
        assert_eq!(out, hex!("0100000000000000"));

        let cipher = rc5(12, b"counters");
        let mut stream = [0; 20];
        ctr(&cipher, &[0xff; 8], &mut stream).unwrap();
        let mut blocks = hex!("ffffffffffffffff 0000000000000000 0100000000000000");
        ecb_encrypt(&cipher, &mut blocks).unwrap();
        assert_eq!(stream, blocks[..20]);

        let tiny = Rc5::<u8>::new(12, b"tiny").unwrap();
        assert_eq!(ctr(&tiny, &[0; 2], &mut std::vec![0; 131_072]), Ok(()));
        assert_eq!(ctr(&tiny, &[0; 2], &mut std::vec![0; 131_073]), Err(Error::CounterExhausted));
    }
}
