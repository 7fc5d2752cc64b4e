//! Skein 1.3 (submission document of 1 October 2010): the tweakable block cipher Threefish, the
//! chaining mode UBI, and the hash and MAC of any digest length that they make.
//!
//! N = 4, 8 or 16 is the number of words of a block, of the state and of a Threefish key.

use core::fmt;
use core::num::Wrapping;

use super::{Compress, Counter, Hash, MAX_DIGEST_BYTES, Padded, Tail, read_words};
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
            let mut pair = [e[2 * j], e[2 * j + 1]];
            [e[2 * j], e[2 * j + 1]] =
                crate::step!(Part, "mix", j, pair, mix(pair, rotation(N, d, j)));
        }
    });
    let f = e;
    crate::unroll!(i in 0..16 { if i < N { e[i] = f[pi(N, i)]; } });
    e
}

/// §3.3.2: the words of the subkeys.
pub trait Subkeys<W, const N: usize> {
    /// Word k_{s,i} of subkey s.
    fn word(&self, s: usize, i: usize) -> W;
}

/// §3.3.2: the extended key k_0 … k_N and the extended tweak t_0, t_1, t_2, each repeated from its
/// beginning so that subkey s reads k_s … k_{s+N-1} and t_s, t_{s+1}, no index reduced. The arrays
/// are as long as N = 16 needs.
#[derive(Clone, Copy)]
pub struct KeySchedule<W> {
    k: [W; 20 + 16],
    t: [W; 20 + 2],
}

impl<W: Word64> KeySchedule<W> {
    /// k_N = C_240 ⊕ k_0 ⊕ … ⊕ k_{N-1}, t_2 = t_0 ⊕ t_1.
    #[inline(always)]
    pub fn new<const N: usize>(key: [W; N], [t0, t1]: [W; 2]) -> Self {
        let mut k = [W::constant(C240); 36];
        let mut t = [t0; 22];
        crate::unroll!(i in 0..8 {
            if i < N / 2 {
                k[2 * i] = key[2 * i];
                k[2 * i + 1] = key[2 * i + 1];
                k[N] = W::xor3(k[N], key[2 * i], key[2 * i + 1]);
            }
        });
        (t[1], t[2]) = (t1, t0 ^ t1);
        let subkeys = rounds(N) / 4 + 1;
        let mut i = N + 1;
        while i < subkeys + N - 1 {
            k[i] = k[i - (N + 1)];
            i += 1;
        }
        let mut i = 3;
        while i < subkeys + 1 {
            t[i] = t[i - 3];
            i += 1;
        }
        Self { k, t }
    }
}

impl<W: Word64, const N: usize> Subkeys<W, N> for KeySchedule<W> {
    #[inline(always)]
    fn word(&self, s: usize, i: usize) -> W {
        subkey_word::<W, N>(s, i, self.k[s + i], [self.t[s], self.t[s + 1]])
    }
}

/// Word k_{s,i} of subkey s, made of word (s + i) mod (N + 1) of the extended key and of words
/// s mod 3 and (s + 1) mod 3 of the extended tweak.
#[inline(always)]
pub fn subkey_word<W: Word64, const N: usize>(s: usize, i: usize, k: W, t: [W; 2]) -> W {
    match N - i {
        3 => k + t[0],
        2 => k + t[1],
        1 => k + W::constant(s as u64),
        _ => k,
    }
}

/// v_{d,i} + k_{s,i} for each i, by the pairs that MIX takes.
#[inline(always)]
fn add_subkey<W: Word64, const N: usize>(
    mut v: [W; N],
    subkeys: &impl Subkeys<W, N>,
    s: usize,
) -> [W; N] {
    crate::unroll!(j in 0..8 {
        if j < N / 2 {
            let mut pair = [v[2 * j], v[2 * j + 1]];
            [v[2 * j], v[2 * j + 1]] = crate::step!(Part, "pair", j, pair, [
                pair[0] + subkeys.word(s, 2 * j),
                pair[1] + subkeys.word(s, 2 * j + 1),
            ]);
        }
    });
    v
}

/// Rounds d … d + 7, the period of the rotation constants. A subkey is added before round d, and
/// the next one before round d + 4.
#[inline(always)]
pub fn eight_rounds<W: Word64, const N: usize>(
    d: usize,
    mut v: [W; N],
    subkeys: &impl Subkeys<W, N>,
) -> [W; N] {
    crate::unroll!(j in 0..8 {
        if j.is_multiple_of(4) {
            let s = (d + j) / 4;
            v = crate::step!(Injection, "subkey", s, v, add_subkey(v, subkeys, s));
        }
        v = crate::step!(Round, "round", d + j, v, round(j, v));
    });
    v
}

/// §3.3: encrypts `plaintext` under `key` and `tweak`.
///
/// Vectors are given all rounds in one piece: sums of key words and tweak that subkeys have in
/// common are then computed once, and no index is left (a tenth of the time). A scalar is given
/// eight rounds per turn and no more: in one piece, LLVM regroups the sums of key words across the
/// subkeys, and the scalar instance takes half as long again.
#[inline(always)]
pub fn threefish<W: Word64, const N: usize>(
    key: [W; N],
    tweak: [W; 2],
    plaintext: [W; N],
) -> [W; N] {
    if size_of::<W>() <= size_of::<u64>() {
        return threefish_in_turns(key, tweak, plaintext);
    }
    let schedule = KeySchedule::new(key, tweak);
    let mut v = plaintext;
    crate::unroll!(turn in [0 1 2 3 4 5 6 7 8 9] {
        if 8 * turn < rounds(N) {
            v = eight_rounds(8 * turn, v, &schedule);
        }
    });
    last_subkey(v, &schedule)
}

/// [`threefish`] as a loop, each iteration of which computes eight rounds.
#[inline(always)]
fn threefish_in_turns<W: Word64, const N: usize>(
    key: [W; N],
    tweak: [W; 2],
    plaintext: [W; N],
) -> [W; N] {
    let schedule = KeySchedule::new(key, tweak);
    let mut v = plaintext;
    let mut d = 0;
    while d < rounds(N) {
        v = eight_rounds(d, v, &schedule);
        d += 8;
    }
    last_subkey(v, &schedule)
}

/// The subkey after all rounds.
#[inline(always)]
pub fn last_subkey<W: Word64, const N: usize>(
    mut v: [W; N],
    subkeys: &impl Subkeys<W, N>,
) -> [W; N] {
    let s = rounds(N) / 4;
    crate::step!(Injection, "subkey", s, v, add_subkey(v, subkeys, s))
}

/// The second word of a tweak (§3.4, Table 5): flags and type above a position's upper 32 bits.
mod tweak {
    /// The key. This and the next three are types (§3.5.1, Table 6).
    pub const KEY: u64 = 0;
    /// The configuration block.
    pub const CFG: u64 = 4 << 56;
    /// The message.
    pub const MSG: u64 = 48 << 56;
    /// The output.
    pub const OUT: u64 = 63 << 56;
    /// The message's last byte is incomplete.
    pub const BIT_PAD: u64 = 1 << 55;
    /// First block of a UBI computation.
    pub const FIRST: u64 = 1 << 62;
    /// Last block of a UBI computation.
    pub const FINAL: u64 = 1 << 63;
}
use tweak::{BIT_PAD, CFG, FINAL, FIRST, KEY, MSG, OUT};

/// §3.5.3: the tweak of the output transformation, whose message is 8 bytes long.
pub const OUTPUT_TWEAK: Counter<u64> = Counter { t: [8, OUT | FIRST | FINAL], f: [0; 2] };

/// The tweak of a block up to whose end there are `position` bytes (a 96-bit integer).
fn tweak(position: u128, flags: u64) -> Counter<u64> {
    let Counter { t: [t0, t1], f } = Counter::count(position);
    Counter { t: [t0, t1 | flags], f }
}

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
#[derive(Clone, Copy)]
pub struct Skein<const N: usize> {
    /// The chaining value after the key.
    keyed: [u64; N],
    /// The chaining value after the key and the configuration.
    initial_value: [u64; N],
    digest_bytes: usize,
}

/// Omits the chaining values, because one that follows from a key is as secret as the key.
impl<const N: usize> fmt::Debug for Skein<N> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Skein-{}-{}", 64 * N, 8 * self.digest_bytes)
    }
}

/// Skein with a state of 256 bits.
pub type Skein256 = Skein<4>;
/// Skein with a state of 512 bits, the primary proposal.
pub type Skein512 = Skein<8>;
/// Skein with a state of 1024 bits.
pub type Skein1024 = Skein<16>;

/// Appendix B: the chaining values after the configuration of hashes whose digest is as long as the
/// state. Computing one of them takes as long as compressing a block.
#[rustfmt::skip]
const INITIAL_VALUE_256: [u64; 4] = [
    0xfc9da860d048b449, 0x2fca66479fa7d833, 0xb33bc3896656840f, 0x6a54e920fde8da69,
];
#[rustfmt::skip]
const INITIAL_VALUE_512: [u64; 8] = [
    0x4903adff749c51ce, 0x0d95de399746df03, 0x8fd1934127c79bce, 0x9a255629ff352cb1,
    0x5db62599df6ca7b0, 0xeabe394ca9d5c3f4, 0x991112c71a75b523, 0xae18a40b660fcc33,
];
#[rustfmt::skip]
const INITIAL_VALUE_1024: [u64; 16] = [
    0xd593da0741e72355, 0x15b5e511ac73e00c, 0x5180e5aebaf2c4f0, 0x03bd41d3fcbcafaf,
    0x1caec6fd1983a898, 0x6e510b8bcdd0589f, 0x77e2bdfdc6394ada, 0xc11e1db524dcb0a3,
    0xd6d14af9c6329ab5, 0x6a9b0bfc6eb67e0d, 0x9243c60dccff1332, 0x1a1f1dde743f02d4,
    0x0996753c10ed0bb8, 0x6572dd22f2b4969a, 0x61fd3062d00a579a, 0x1de0536e8682e539,
];

impl<const N: usize> Skein<N> {
    /// The hash with a digest of `digest_bytes` bytes, any number up to [`MAX_DIGEST_BYTES`].
    ///
    /// # Panics
    /// If `digest_bytes` is above that, where [`Hash::with_digest_bytes`] returns `None`.
    pub fn new(digest_bytes: usize) -> Self {
        let of_document: &[u64] = match N {
            4 => &INITIAL_VALUE_256,
            8 => &INITIAL_VALUE_512,
            _ => &INITIAL_VALUE_1024,
        };
        match of_document.try_into() {
            Ok(initial_value) if digest_bytes == 8 * N => {
                Self { keyed: [0; N], initial_value, digest_bytes }
            }
            _ => Self::configured([0; N], digest_bytes),
        }
    }

    /// Skein-MAC (§2.6, §3.5.5) under a key of any length. An empty key gives the hash.
    ///
    /// # Panics
    /// If `digest_bytes` is above [`MAX_DIGEST_BYTES`].
    pub fn keyed(key: &[u8], digest_bytes: usize) -> Self {
        let keyed = if key.is_empty() { [0; N] } else { ubi([0; N], key, KEY) };
        Self::configured(keyed, digest_bytes)
    }

    /// §3.5.2: the configuration string: schema identifier and version, output length in bits, and
    /// zeros instead of the parameters of a tree.
    fn configured(keyed: [u64; N], digest_bytes: usize) -> Self {
        const { assert!(matches!(N, 4 | 8 | 16)) };
        assert!(
            digest_bytes <= MAX_DIGEST_BYTES,
            "Skein has digests of at most {MAX_DIGEST_BYTES} bytes, not {digest_bytes}"
        );
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
    const COUNTER_WORDS: usize = 2;
    const HOLDS_LAST: bool = true;
    const SQUEEZES: bool = true;
    const OUTPUT_COUNTER: Option<Counter<u64>> = Some(OUTPUT_TWEAK);

    fn digest_bytes(&self) -> usize {
        self.digest_bytes
    }
    fn output_block_bytes(&self) -> usize {
        8 * N
    }
    fn with_digest_bytes(self, bytes: usize) -> Option<Self> {
        (1..=MAX_DIGEST_BYTES).contains(&bytes).then(|| Self::configured(self.keyed, bytes))
    }
    fn initial_value(&self) -> [u64; N] {
        self.initial_value
    }
    /// §3.4: the tweak: how many bytes are processed with this block, and flags.
    fn counter(&self, blocks: u64) -> Counter<u64> {
        let position = (u128::from(blocks) + 1) * 8 * N as u128;
        let first = if blocks == 0 { FIRST } else { 0 };
        tweak(position, MSG | first)
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
            out.bytes[used..8 * N].fill(0);
        } else {
            tail.write_with_one_bit(&mut out.bytes[..8 * N]);
            flags |= BIT_PAD;
        }
        out.blocks = 1;
        out.counters[0] = tweak(position, flags);
    }
}

impl<W: Word64, const N: usize> Compress<W> for Skein<N> {
    #[inline(always)]
    fn compress(&self, h: [W; N], m: &[W; N], t: Counter<W>) -> [W; N] {
        compress(h, m, t.t)
    }
    /// This is right for positions below 2^64.
    #[inline(always)]
    fn next_counter(&self, Counter { t: [t0, t1], f }: Counter<W>) -> Counter<W> {
        Counter { t: [t0 + W::constant(8 * N as u64), t1 & W::constant(!FIRST)], f }
    }
    /// §3.5.3: output block i is UBI of the integer i, 8 bytes long.
    #[inline(always)]
    fn squeeze(&self, h: &mut [W; N], index: u64) -> [W; N] {
        let mut m = [W::constant(0); N];
        m[0] = W::constant(index);
        compress(*h, &m, OUTPUT_TWEAK.constant().t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::digest;
    use hex_literal::hex;

    fn check<const N: usize>(hash: Skein<N>, message: &[u8], expected: &[u8]) {
        let mut out = std::vec![0; hash.digest_bytes()];
        digest(&hash, message, &mut out);
        assert_eq!(out, expected, "{hash:?}");
    }

    /// Appendix C: the message of one byte ff.
    #[test]
    fn examples_of_the_document() {
        check(
            Skein256::new(32),
            &[0xff],
            &hex!("0b98dcd198ea0e50a7a244c444e25c23da30c10fc9a1f270a6637f1f34e67ed2"),
        );
        check(
            Skein512::new(64),
            &[0xff],
            &hex!(
                "71b7bce6fe6452227b9ced6014249e5bf9a9754c3ad618ccc4e0aae16b316cc8\
                 ca698d864307ed3e80b6ef1570812ac5272dc409b5a012df2a579102f340617a"
            ),
        );
        check(
            Skein1024::new(128),
            &[0xff],
            &hex!(
                "e62c05802ea0152407cdd8787fda9e35703de862a4fbc119cff8590afe79250b\
                 ccc8b3faf1bd2422ab5c0d263fb2f8afb3f796f048000381531b6f00d85161bc\
                 0fff4bef2486b1ebcd3773fabf50ad4ad5639af9040e3f29c6c931301bf79832\
                 e9da09857e831e82ef8b4691c235656515d437d2bda33bcec001c67ffde15ba8"
            ),
        );
    }

    /// The submission's file skein_golden_kat.txt, "random+MAC": keys and messages are the
    /// beginnings of two strings. Two keys end within their first block, two within the second.
    #[test]
    fn macs_of_the_submission() {
        const KEY: &[u8] = &hex!(
            "cb41f1706cde09651203c2d0efbaddf847a0d315cb2e53ff8bac41da0002672e\
             920244c66e02d5f0dad3e94c42bb65f0d14157decf4105ef5609d5b0984457c1"
            "935df3061ff06e9f204192ba11e5bb2cac0430c1c370cb3d113fea5ec1021eb8\
             75e5946d7a96ac69a1626c6206b7252736f24253c9ee9b85eb852dfc81463134"
            "6c"
        );
        const MESSAGE: &[u8] = &hex!(
            "d3090c72167517f7c7ad82a70c2fd3f6443f608301591e598eadb195e8357135\
             ba26fede2ee187417f816048d00fc23512737a2113709a77e4170c49a94b7fdf"
            "f45ff579a72287743102e7766c35ca5abc5dfe2f63a1e726ce5fbd2926db03a2\
             dd18b03fc1508a9aac45eb362440203a323e09edee6324ee2e37b4432c1867ed"
        );
        check(
            Skein256::keyed(&KEY[..16], 32),
            b"",
            &hex!("886e4efefc15f06aa298963971d7a25398fffe5681c84db39bd00851f64ae29d"),
        );
        check(
            Skein512::keyed(&KEY[..65], 20),
            MESSAGE,
            &hex!("5670b226156570dff3efe16661ab86eb24982cdf"),
        );
        check(
            Skein1024::keyed(&KEY[..129], 32),
            MESSAGE,
            &hex!("6c5b671c1766f6eecea6d24b641d4a6bf84bba13a1976f8f80b3f30ee2f93de6"),
        );
        // Two output blocks, the second of one byte; the length changed while the key stays.
        check(
            Skein256::keyed(&KEY[..16], 1).with_digest_bytes(33).unwrap(),
            MESSAGE,
            &hex!("064abd4896f460b1953f5a357e7f7c5256e29cdb62b8740d0b52295cfa2ef4c7a2"),
        );
    }

    /// Appendix B: the chaining value after the configuration, as it is computed for other lengths.
    #[test]
    fn initial_values_of_the_document() {
        fn check<const N: usize>() {
            let computed = Skein::<N>::configured([0; N], 8 * N).initial_value;
            assert_eq!(Skein::<N>::new(8 * N).initial_value, computed);
        }
        check::<4>();
        check::<8>();
        check::<16>();
    }

    #[test]
    fn an_empty_key_is_none() {
        assert_eq!(Skein512::keyed(b"", 64).initial_value, Skein512::new(64).initial_value);
    }

    /// Positions are 96 bits wide: they neither wrap nor reach the flags.
    #[test]
    fn positions_of_long_messages() {
        let skein = Skein512::new(64);
        for blocks in [0, 1, (1 << 26) - 1, 1 << 26, (1 << 58) - 3] {
            let next = Compress::<Wrapping<u64>>::next_counter(
                &skein,
                skein.counter(blocks).map(Wrapping),
            );
            assert_eq!(next.map(|word| word.0), skein.counter(blocks + 1), "{blocks}");
        }
        assert_eq!(skein.counter(1 << 26).t, [(1 << 32) + 64, MSG]);
        assert_eq!(skein.counter(1 << 60).t, [64, MSG | 4]);

        let mut bytes = [0; 128];
        let mut padded = Padded::new(&mut bytes);
        let mut last = |bytes: &[u8], total_bits| {
            skein.pad(&Tail { bytes, total_bits }, &mut padded);
            assert_eq!(padded.blocks, 1);
            padded.counters[0].t
        };
        assert_eq!(last(&[], 0), [0, MSG | FIRST | FINAL]);
        assert_eq!(last(&[0; 64], 512), [64, MSG | FIRST | FINAL]);
        assert_eq!(last(&[0; 64], 511), [64, MSG | FIRST | FINAL | BIT_PAD]);
        assert_eq!(last(&[0], 513), [65, MSG | FINAL | BIT_PAD]);
        assert_eq!(last(&[0; 64], 1 << 35), [1 << 32, MSG | FINAL]);
        assert_eq!(last(&[0; 3], (1 << 67) + 24), [3, MSG | FINAL | 1]);
    }
}
