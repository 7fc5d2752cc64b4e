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

/// The functions of a block whatever its length: byte j becomes 3 (byte ⊕ j) + 5 + the ciphertext
/// byte before it, so that each depends on its place.
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

/// The formulas at the top of the module [`super`], block by block.
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
            for blocks in
                (chunks * CHUNK / block_bytes).saturating_sub(1)..=chunks * CHUNK / block_bytes + 2
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
                    if text.len().div_ceil(block_bytes) as u128 > 1 << (8 * block_bytes).min(100) {
                        continue;
                    }
                    let mut data = text.to_vec();
                    ctr(&cipher, &iv, &mut data).unwrap();
                    assert!(data == by_the_formula(&cipher, "CTR", &iv, text), "CTR");
                }

                let mut buffer = plaintext.clone();
                buffer.resize(plaintext.len() + block_bytes, 0);
                let padded = cbc_pad_encrypt(&cipher, &iv, &mut buffer, plaintext.len()).unwrap();
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
