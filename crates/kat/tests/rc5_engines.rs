//! RC5: every engine and mode against the formulas of the standards over plain integers, at every
//! length around the groups that engines compute at a time and at every carry of the counter.

use manylane_engine::{Engine, Error, Keyed, Rc5, Rc5Keys, modes};
use manylane_kat::Rng;
use manylane_primitives::cipher::{BlockCipher, rc5};

/// Bytes of the largest group of blocks that a kernel takes at a time.
const GROUP: usize = 512;
/// Four groups, and one block of the largest.
const BYTES: usize = 4 * GROUP + 16;

/// Blocks differ, so that exchanged lanes cannot pass.
fn counting(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i ^ (i >> 8).wrapping_mul(37)) as u8).collect()
}

/// RFC 2040 and Rivest's paper over integers mod 2^w, independent of the definition.
struct Plain {
    /// w / 8.
    word_bytes: usize,
    table: Vec<u64>,
}

impl Plain {
    fn new(word_bytes: usize, rounds: usize, key: &[u8]) -> Self {
        let (p, q) = match word_bytes {
            2 => (0xb7e1, 0x9e37),
            4 => (0xb7e1_5163, 0x9e37_79b9),
            _ => (0xb7e1_5162_8aed_2a6b, 0x9e37_79b9_7f4a_7c15),
        };
        let mut plain = Self { word_bytes, table: Vec::new() };
        let mut l: Vec<u64> = key.chunks(word_bytes).map(little_endian).collect();
        if l.is_empty() {
            l.push(0);
        }
        let t = 2 * (rounds + 1);
        let mut s: Vec<u64> = (0..t as u64).map(|i| plain.sum(p, i.wrapping_mul(q), 0)).collect();
        let (mut a, mut b) = (0, 0);
        for k in 0..3 * t.max(l.len()) {
            let (i, j) = (k % t, k % l.len());
            s[i] = plain.rotate(plain.sum(s[i], a, b), 3);
            a = s[i];
            l[j] = plain.rotate(plain.sum(l[j], a, b), plain.sum(a, b, 0));
            b = l[j];
        }
        plain.table = s;
        plain
    }

    /// x + y + z mod 2^w.
    fn sum(&self, x: u64, y: u64, z: u64) -> u64 {
        x.wrapping_add(y).wrapping_add(z) & (u64::MAX >> (64 - 8 * self.word_bytes))
    }

    /// x <<< by mod w.
    fn rotate(&self, x: u64, by: u64) -> u64 {
        let w = 8 * self.word_bytes as u64;
        let twice = u128::from(x) << w | u128::from(x);
        self.sum((twice >> (w - by % w)) as u64, 0, 0)
    }

    fn negative(&self, x: u64) -> u64 {
        self.sum(0, x.wrapping_neg(), 0)
    }

    fn encrypt(&self, block: &[u8]) -> Vec<u8> {
        let s = &self.table;
        let mut ab =
            [0, 1].map(|i| little_endian(&block[i * self.word_bytes..][..self.word_bytes]));
        ab = [self.sum(ab[0], s[0], 0), self.sum(ab[1], s[1], 0)];
        for (i, &entry) in s.iter().enumerate().skip(2) {
            let (x, y) = (ab[i % 2], ab[(i + 1) % 2]);
            ab[i % 2] = self.sum(self.rotate(x ^ y, y), entry, 0);
        }
        self.bytes(ab)
    }

    fn decrypt(&self, block: &[u8]) -> Vec<u8> {
        let s = &self.table;
        let mut ab =
            [0, 1].map(|i| little_endian(&block[i * self.word_bytes..][..self.word_bytes]));
        for (i, &entry) in s.iter().enumerate().skip(2).rev() {
            let (x, y) = (ab[i % 2], ab[(i + 1) % 2]);
            ab[i % 2] = self.rotate(self.sum(x, self.negative(entry), 0), self.negative(y)) ^ y;
        }
        self.bytes([
            self.sum(ab[0], self.negative(s[0]), 0),
            self.sum(ab[1], self.negative(s[1]), 0),
        ])
    }

    fn bytes(&self, ab: [u64; 2]) -> Vec<u8> {
        ab.iter().flat_map(|x| x.to_le_bytes()[..self.word_bytes].to_vec()).collect()
    }

    fn blocks(&self, data: &[u8], block: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        data.chunks_exact(2 * self.word_bytes).flat_map(block).collect()
    }

    /// C_i = E(P_i ⊕ C_{i-1}).
    fn cbc_encrypt(&self, iv: &[u8], data: &[u8]) -> Vec<u8> {
        let mut out: Vec<u8> = iv.to_vec();
        for block in data.chunks_exact(2 * self.word_bytes) {
            let chained = xor(block, &out[out.len() - block.len()..]);
            out.extend(self.encrypt(&chained));
        }
        out.split_off(iv.len())
    }

    /// The encryptions of T, T + 1, … mod 2^2w.
    fn key_stream(&self, initial: &[u8], blocks: usize) -> Vec<u8> {
        let mut t = [0; 16];
        t[..initial.len()].copy_from_slice(initial);
        let t = u128::from_le_bytes(t);
        (0..blocks as u128)
            .flat_map(|i| self.encrypt(&t.wrapping_add(i).to_le_bytes()[..initial.len()]))
            .collect()
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

fn xor(x: &[u8], y: &[u8]) -> Vec<u8> {
    x.iter().zip(y).map(|(x, y)| x ^ y).collect()
}

/// The outputs of every mode for the longest data. The output for shorter data is a beginning of
/// it.
struct Expected {
    data: Vec<u8>,
    iv: Vec<u8>,
    ecb: [Vec<u8>; 2],
    cbc: [Vec<u8>; 2],
    ctr: Vec<u8>,
}

impl Expected {
    fn new(plain: &Plain) -> Self {
        let block_bytes = 2 * plain.word_bytes;
        let data = counting(BYTES);
        let iv = counting(40)[24..][..block_bytes].to_vec();
        let ecb = [
            plain.blocks(&data, |block| plain.encrypt(block)),
            plain.blocks(&data, |block| plain.decrypt(block)),
        ];
        let before = [&iv[..], &data].concat();
        let cbc = [plain.cbc_encrypt(&iv, &data), xor(&ecb[1], &before)];
        let ctr = xor(&data, &plain.key_stream(&iv, BYTES / block_bytes));
        Self { data, iv, ecb, cbc, ctr }
    }

    fn check(&self, rc5: &(impl BlockCipher + std::fmt::Debug), bytes: usize) {
        let iv = &self.iv;
        let run = |mode: &dyn Fn(&mut [u8]) -> Result<(), modes::Error>| {
            let mut data = self.data[..bytes].to_vec();
            mode(&mut data).unwrap();
            data
        };
        let ctr = run(&|data| modes::ctr(rc5, iv, data));
        assert_eq!(ctr, self.ctr[..bytes], "{rc5:?} CTR, {bytes} bytes");
        if !bytes.is_multiple_of(rc5.block_bytes()) {
            return;
        }
        let [ecb, cbc] = [&self.ecb, &self.cbc].map(|two| [&two[0][..bytes], &two[1][..bytes]]);
        let encrypted = run(&|data| modes::ecb_encrypt(rc5, data));
        assert_eq!(encrypted, ecb[0], "{rc5:?} ECB encrypts {bytes} bytes");
        let decrypted = run(&|data| modes::ecb_decrypt(rc5, data));
        assert_eq!(decrypted, ecb[1], "{rc5:?} ECB decrypts {bytes} bytes");
        let encrypted = run(&|data| modes::cbc_encrypt(rc5, iv, data));
        assert_eq!(encrypted, cbc[0], "{rc5:?} CBC encrypts {bytes} bytes");
        let decrypted = run(&|data| modes::cbc_decrypt(rc5, iv, data));
        assert_eq!(decrypted, cbc[1], "{rc5:?} CBC decrypts {bytes} bytes");
    }
}

macro_rules! every_engine {
    ($($name:ident $native:ty),*) => { $(
        mod $name {
            use super::*;

            const WORD_BYTES: usize = size_of::<$native>();

            fn on(rounds: usize, key: &[u8], engine: Engine) -> Rc5<$native> {
                let rc5 = Rc5::<$native>::on(rounds, key, Some(engine)).unwrap();
                assert_eq!(rc5.engine(), engine);
                rc5
            }

            #[test]
            fn every_length() {
                let key = counting(21);
                let expected = Expected::new(&Plain::new(WORD_BYTES, 12, &key));
                let definition = rc5::Rc5::<$native>::new(12, &key).unwrap();
                for bytes in [0, 1, 16, 1000, BYTES] {
                    expected.check(&definition, bytes);
                }
                for engine in Rc5::<$native>::engines().unwrap() {
                    let rc5 = on(12, &key, engine);
                    for bytes in 0..=BYTES {
                        expected.check(&rc5, bytes);
                    }
                }
            }

            #[test]
            fn every_number_of_rounds() {
                for (rounds, key) in [(0, 0), (0, 16), (1, 1), (2, 255), (20, 7), (255, 16)] {
                    let key = counting(key);
                    let expected = Expected::new(&Plain::new(WORD_BYTES, rounds, &key));
                    for engine in Rc5::<$native>::engines().unwrap() {
                        expected.check(&on(rounds, &key, engine), BYTES);
                    }
                }
            }

            /// Counters that carry from the first word to the second and around the end, at every
            /// block of a group.
            #[test]
            fn every_carry() {
                let block_bytes = 2 * WORD_BYTES;
                let plain = Plain::new(WORD_BYTES, 12, b"carries");
                let blocks = BYTES / block_bytes;
                for second in [0, 7, 0xff] {
                    // From as many blocks before the carry as there are.
                    let mut first = vec![0xff; block_bytes];
                    first[WORD_BYTES..].fill(second);
                    let carry = {
                        let mut t = [0; 16];
                        t[..block_bytes].copy_from_slice(&first);
                        u128::from_le_bytes(t)
                    };
                    let start = |before: usize| carry.wrapping_sub(before as u128).to_le_bytes();
                    let initial = &start(blocks)[..block_bytes];
                    let key_stream = plain.key_stream(initial, 2 * blocks);
                    for engine in Rc5::<$native>::engines().unwrap() {
                        let rc5 = on(12, b"carries", engine);
                        for before in 0..blocks {
                            let mut data = vec![0; BYTES];
                            modes::ctr(&rc5, &start(before)[..block_bytes], &mut data).unwrap();
                            let at = (blocks - before) * block_bytes;
                            assert_eq!(
                                data,
                                key_stream[at..][..BYTES],
                                "{rc5:?}, {before} blocks before {second:02x}"
                            );
                        }
                    }
                }
            }

            /// Each lane has its own key, counter and length: exchanged or shared ones cannot pass.
            #[test]
            fn many_keys() {
                let block_bytes = 2 * WORD_BYTES;
                let shapes = [(12, 16), (0, 0), (31, 5), (32, 16), (8, 255), (20, 31)];
                for (rounds, key_bytes) in shapes {
                    for engine in Rc5::<$native>::engines().unwrap() {
                        for count in [0, 1, 7, 16, 17, 40] {
                            let mut rng = Rng::from_name("many keys");
                            let keys = rng.messages(vec![key_bytes; count]);
                            let mut initials = rng.messages(vec![block_bytes; count]);
                            // Some carry after a few blocks.
                            for initial in initials.iter_mut().step_by(3) {
                                initial[..WORD_BYTES].fill(0xff);
                                initial[0] = 0xfe;
                            }
                            let texts = rng.messages((0..count).map(|i| i * i * 7 % 150));
                            let mut ours = texts.clone();
                            let mut messages: Vec<_> = ours
                                .iter_mut()
                                .enumerate()
                                .map(|(i, data)| {
                                    let (key, initial) = (&keys[i], &initials[i]);
                                    Keyed { key, initial, data }
                                })
                                .collect();
                            let rc5 = Rc5Keys::<$native>::on(rounds, key_bytes, Some(engine));
                            let rc5 = rc5.unwrap();
                            assert_eq!(rc5.engine(), engine);
                            rc5.ctr(&mut messages).unwrap();
                            for (i, text) in texts.iter().enumerate() {
                                let plain = Plain::new(WORD_BYTES, rounds, &keys[i]);
                                let blocks = text.len().div_ceil(block_bytes);
                                let expected = xor(text, &plain.key_stream(&initials[i], blocks));
                                assert_eq!(ours[i], expected, "{rc5:?}, message {i} of {count}");
                            }
                        }
                    }
                }
            }

            #[test]
            fn many_keys_of_wrong_lengths() {
                let rc5 = Rc5Keys::<$native>::new(12, 3).unwrap();
                let initial = [0; 2 * WORD_BYTES];
                let refused = |key: &[u8], initial: &[u8]| {
                    let mut data = [1; 40];
                    let error = rc5.ctr(&mut [Keyed { key, initial, data: &mut data }]).err();
                    assert!(error.is_none() || data == [1; 40]);
                    error
                };
                assert_eq!(refused(b"key", &initial), None);
                let error = Error::KeyLength { given: 4, needed: 3 };
                assert_eq!(refused(b"keys", &initial), Some(error));
                let (bytes, block_bytes) = (initial.len() - 1, initial.len());
                let error = modes::Error::IvLength { bytes, block_bytes };
                assert_eq!(refused(b"key", &initial[1..]), Some(Error::Mode(error)));
            }
        }
    )* };
}

every_engine!(words_of_16_bits u16, words_of_32_bits u32, words_of_64_bits u64);
