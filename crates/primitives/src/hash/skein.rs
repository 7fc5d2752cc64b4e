//! Skein 1.3 (submission document of 1 October 2010): the tweakable block cipher Threefish, the
//! chaining mode UBI, and the hash and MAC of any digest length that they make.
//!
//! N = 4, 8 or 16 is the number of words of a block, of the state and of a Threefish key.

use core::num::Wrapping;

use super::{Compress, Hash, Padded, Tail, read_words};
use crate::word::{ByteOrder, Word64};

/// §3.3: the number of rounds of Threefish.
pub const fn rounds(n: usize) -> usize {
    if n == 16 { 80 } else { 72 }
}

/// §3.3.2: C_240, which keeps the extended key from being all zeros.
pub const C240: u64 = 0x1bd11bdaa9fc1a22;

/// §3.3, Table 3: the permutation π. Word i of the next round is word π(i) of the mixed ones.
#[inline(always)]
pub const fn pi(n: usize, i: usize) -> usize {
    match n {
        4 => [0, 3, 2, 1][i],
        8 => [2, 1, 4, 7, 6, 5, 0, 3][i],
        _ => [0, 9, 2, 13, 6, 11, 4, 15, 10, 7, 12, 3, 14, 5, 8, 1][i],
    }
}

/// §3.3.1, Table 4: the rotation constant R_{d,j} of round d mod 8 and pair j.
#[inline(always)]
pub const fn rotation(n: usize, d: usize, j: usize) -> usize {
    const R4: [[usize; 2]; 8] =
        [[14, 16], [52, 57], [23, 40], [5, 37], [25, 33], [46, 12], [58, 22], [32, 32]];
    const R8: [[usize; 4]; 8] = [
        [46, 36, 19, 37],
        [33, 27, 14, 42],
        [17, 49, 36, 39],
        [44, 9, 54, 56],
        [39, 30, 34, 24],
        [13, 50, 10, 17],
        [25, 29, 39, 43],
        [8, 35, 56, 22],
    ];
    const R16: [[usize; 8]; 8] = [
        [24, 13, 8, 47, 8, 17, 22, 37],
        [38, 19, 10, 55, 49, 18, 23, 52],
        [33, 4, 51, 13, 34, 41, 59, 17],
        [5, 20, 48, 41, 47, 28, 16, 25],
        [41, 9, 37, 31, 12, 47, 44, 30],
        [16, 34, 56, 51, 4, 53, 42, 41],
        [31, 44, 47, 46, 19, 42, 44, 25],
        [9, 48, 35, 52, 23, 31, 37, 20],
    ];
    match n {
        4 => R4[d % 8][j],
        8 => R8[d % 8][j],
        _ => R16[d % 8][j],
    }
}

/// §3.3.1 MIX.
#[inline(always)]
pub fn mix<W: Word64>([x0, x1]: [W; 2], r: usize) -> [W; 2] {
    let y0 = x0 + x1;
    [y0, x1.rotl(r) ^ y0]
}

/// §3.3: round d of Threefish after its subkey, if any: MIX on each pair of words, then π. Only
/// d mod 8 counts.
#[inline(always)]
pub fn round<W: Word64, const N: usize>(d: usize, mut e: [W; N]) -> [W; N] {
    crate::unroll!(j in 0..8 {
        if j < N / 2 {
            [e[2 * j], e[2 * j + 1]] = mix([e[2 * j], e[2 * j + 1]], rotation(N, d, j));
        }
    });
    let f = e;
    crate::unroll!(i in 0..16 { if i < N { e[i] = f[pi(N, i)]; } });
    e
}

/// §3.3.2: the extended key k_0 … k_N, of which only N + 1 words are in use, and the extended tweak
/// t_0, t_1, t_2.
#[derive(Clone, Copy, Debug)]
pub struct KeySchedule<W> {
    k: [W; 17],
    t: [W; 3],
}

impl<W: Word64> KeySchedule<W> {
    /// k_N = C_240 ⊕ k_0 ⊕ … ⊕ k_{N-1}, t_2 = t_0 ⊕ t_1.
    #[inline(always)]
    pub fn new<const N: usize>(key: [W; N], [t0, t1]: [W; 2]) -> Self {
        let mut k = [W::constant(C240); 17];
        crate::unroll!(i in 0..8 {
            if i < N / 2 {
                k[2 * i] = key[2 * i];
                k[2 * i + 1] = key[2 * i + 1];
                k[N] = W::xor3(k[N], key[2 * i], key[2 * i + 1]);
            }
        });
        Self { k, t: [t0, t1, t0 ^ t1] }
    }

    /// Word i of subkey s: k_{(s+i) mod (N+1)}, to which the last three words add something.
    #[inline(always)]
    fn word<const N: usize>(&self, s: usize, i: usize) -> W {
        let k = self.k[(s + i) % (N + 1)];
        match N - i {
            3 => k + self.t[s % 3],
            2 => k + self.t[(s + 1) % 3],
            1 => k + W::constant(s as u64),
            _ => k,
        }
    }

    #[inline(always)]
    fn word2<const N: usize>(&self, s: usize, real: usize, i: usize) -> W {
        let k = self.k[(s + i) % (N + 1)];
        match N - i {
            3 => k + self.t[s % 3],
            2 => k + self.t[(s + 1) % 3],
            1 => k + W::constant(real as u64),
            _ => k,
        }
    }
    /// x
    #[inline(always)]
    pub fn add_subkey2<const N: usize>(&self, s: usize, real: usize, mut v: [W; N]) -> [W; N] {
        crate::unroll!(i in 0..16 { if i < N { v[i] = v[i] + self.word2::<N>(s, real, i); } });
        v
    }
    /// Adds subkey s to the words `v`.
    #[inline(always)]
    pub fn add_subkey<const N: usize>(&self, s: usize, mut v: [W; N]) -> [W; N] {
        crate::unroll!(i in 0..16 { if i < N { v[i] = v[i] + self.word::<N>(s, i); } });
        v
    }
}

/// §3.3: encrypts `plaintext` under `key` and `tweak`.
#[inline(always)]
pub fn threefish<W: Word64, const N: usize>(
    key: [W; N],
    tweak: [W; 2],
    plaintext: [W; N],
) -> [W; N] {
    let schedule = KeySchedule::new(key, tweak);
    let mut v = plaintext;
    let mut schedule = schedule;
    let mut g = 0;
    while g < rounds(N) / 8 {
        crate::unroll!(d in 0..8 {
            if d % 4 == 0 {
                let s = 2 * g + d / 4;
                v = crate::step!("subkey", s, &v, schedule.add_subkey2(d / 4, s, v));
            }
            v = crate::step!("round", 8 * g + d, &v, round(d, v));
        });
        let old = schedule;
        crate::unroll!(i in 0..16 { if i <= N { schedule.k[i] = old.k[(i + 2) % (N + 1)]; } });
        if N == 16 {
            schedule.k[16] = old.k[1];
        }
        schedule.t = [old.t[2], old.t[0], old.t[1]];
        g += 1;
    }
    schedule.add_subkey2(0, rounds(N) / 4, v)
}

/// The second word of a tweak (§3.4): type of the block and flags, above a position's upper 32 bits.
mod tweak {
    /// Types.
    pub const KEY: u64 = 0;
    pub const CFG: u64 = 4 << 56;
    pub const MSG: u64 = 48 << 56;
    pub const OUT: u64 = 63 << 56;
    /// The message's last byte is incomplete.
    pub const BIT_PAD: u64 = 1 << 55;
    /// First block of a UBI computation.
    pub const FIRST: u64 = 1 << 62;
    /// Last block of a UBI computation.
    pub const FINAL: u64 = 1 << 63;
}
use tweak::{BIT_PAD, CFG, FINAL, FIRST, KEY, MSG, OUT};

/// One block of UBI (§3.4): Threefish under the chaining value `h` and the tweak `t`, plus `m`.
#[inline(always)]
pub fn compress<W: Word64, const N: usize>(h: [W; N], m: &[W; N], t: [W; 2]) -> [W; N] {
    let mut sum = threefish(h, t, *m);
    crate::unroll!(i in 0..16 { if i < N { sum[i] = sum[i] ^ m[i]; } });
    sum
}

/// UBI (§3.4) of whole bytes, over natives.
fn ubi<const N: usize>(mut h: [u64; N], message: &[u8], kind: u64) -> [u64; N] {
    let blocks = message.len().div_ceil(8 * N).max(1);
    for i in 0..blocks {
        let (start, end) = (8 * N * i, message.len().min(8 * N * (i + 1)));
        let mut bytes = [0; 128];
        bytes[..end - start].copy_from_slice(&message[start..end]);
        let m: [u64; N] = read_words(&bytes[..8 * N], ByteOrder::Little);
        let first = if i == 0 { FIRST } else { 0 };
        let last = if i == blocks - 1 { FINAL } else { 0 };
        let t = [end as u64, kind | first | last];
        h = compress(h.map(Wrapping), &m.map(Wrapping), t.map(Wrapping)).map(|word| word.0);
    }
    h
}

/// Skein with a state of N = 4, 8 or 16 words: a hash, or a MAC if there is a key.
#[derive(Clone, Copy, Debug)]
pub struct Skein<const N: usize> {
    /// The chaining value after the key.
    keyed: [u64; N],
    /// The chaining value after the key and the configuration.
    initial_value: [u64; N],
    digest_bytes: usize,
}

/// Skein with a state of 256 bits.
pub type Skein256 = Skein<4>;
/// Skein with a state of 512 bits, the primary proposal.
pub type Skein512 = Skein<8>;
/// Skein with a state of 1024 bits.
pub type Skein1024 = Skein<16>;

impl<const N: usize> Skein<N> {
    /// The hash with a digest of `digest_bytes` bytes, any number.
    pub fn new(digest_bytes: usize) -> Self {
        Self::configured([0; N], digest_bytes)
    }

    /// Skein-MAC (§2.6, §3.5.4) under a key of any length. An empty key gives the hash.
    pub fn keyed(key: &[u8], digest_bytes: usize) -> Self {
        let keyed = if key.is_empty() { [0; N] } else { ubi([0; N], key, KEY) };
        Self::configured(keyed, digest_bytes)
    }

    /// §3.5.1: the configuration string: schema identifier and version, output length in bits, and
    /// zeros instead of the parameters of a tree.
    fn configured(keyed: [u64; N], digest_bytes: usize) -> Self {
        const { assert!(matches!(N, 4 | 8 | 16)) };
        let mut string = [0; 32];
        string[..4].copy_from_slice(b"SHA3");
        string[4] = 1;
        string[8..16].copy_from_slice(&(8 * digest_bytes as u64).to_le_bytes());
        Self { keyed, initial_value: ubi(keyed, &string, CFG), digest_bytes }
    }
}

impl<const N: usize> Hash for Skein<N> {
    type Native = u64;
    type State<T: Copy> = [T; N];
    type Block<T: Copy> = [T; N];
    const ORDER: ByteOrder = ByteOrder::Little;
    const COUNTED: bool = true;
    const HOLDS_LAST: bool = true;
    const SQUEEZES: bool = true;

    fn digest_bytes(&self) -> usize {
        self.digest_bytes
    }
    fn output_block_bytes(&self) -> usize {
        8 * N
    }
    fn with_digest_bytes(self, bytes: usize) -> Option<Self> {
        Some(Self::configured(self.keyed, bytes))
    }
    fn initial_value(&self) -> [u64; N] {
        self.initial_value
    }
    /// §3.4: the tweak: how many bytes are processed with this block (a 96-bit integer), and flags.
    fn counter(&self, blocks: u64) -> [u64; 2] {
        let position = (u128::from(blocks) + 1) * 8 * N as u128;
        let first = if blocks == 0 { FIRST } else { 0 };
        [position as u64, (position >> 64) as u64 | MSG | first]
    }
    /// §3.4: a 1 bit only if the last byte is incomplete, then zeros: one block, full or not.
    fn pad(&self, tail: &Tail, out: &mut Padded<u64>) {
        let position = tail.total_bits.div_ceil(8);
        let used = tail.bytes.len();
        let mut flags = MSG | FINAL;
        if position == used as u128 {
            flags |= FIRST;
        }
        if tail.odd_bits() == 0 {
            out.bytes[..used].copy_from_slice(tail.bytes);
        } else {
            tail.write_one_bit(&mut out.bytes);
            flags |= BIT_PAD;
        }
        out.bytes[used..8 * N].fill(0);
        out.blocks = 1;
        out.counters[0] = [position as u64, (position >> 64) as u64 | flags];
    }
}

impl<W: Word64, const N: usize> Compress<W> for Skein<N> {
    #[inline(always)]
    fn compress(&self, h: [W; N], m: &[W; N], t: [W; 2]) -> [W; N] {
        compress(h, m, t)
    }
    /// Right below position 2^64.
    #[inline(always)]
    fn next_counter(&self, [t0, t1]: [W; 2]) -> [W; 2] {
        [t0 + W::constant(8 * N as u64), t1 & W::constant(!FIRST)]
    }
    /// §3.5.2: output block i is UBI of the integer i, 8 bytes long.
    #[inline(always)]
    fn squeeze(&self, h: &mut [W; N], index: u64) -> [W; N] {
        let mut m = [W::constant(0); N];
        m[0] = W::constant(index);
        compress(*h, &m, [W::constant(8), W::constant(OUT | FIRST | FINAL)])
    }
}
