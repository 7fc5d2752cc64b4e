//! Keccak: the sponge of FIPS 202 (SHA-3 and SHAKE), and Keccak as it stood in the SHA-3
//! competition.
//!
//! ```text
//!         block 0          block 1                 output 0       output 1
//!            │                │                       ▲               ▲
//! 0 ── rate ─⊕──► f[1600] ────⊕──► f[1600] … ─────────┴──► f[1600] ───┴──►
//! 0 ── capacity ─►        ────────►        … ────────────►         ──────►
//! ```
//!
//! Lane A[x, y] has the index x + 5y. Every rate shares one instance of the compression: the words
//! of a block beyond the rate are zero, and are added all the same.

use super::{BitOrder, Compress, Counter, Hash, MAX_DIGEST_BYTES, Padded, Tail};
use crate::word::{ByteOrder, Word64};

/// The lanes of the state: A[x, y] is at x + 5y.
pub type State<W> = [W; 25];

/// A Keccak sponge over f\[1600\]: its rate, the suffix bits that separate its messages from those
/// of other functions, and its output length.
#[derive(Clone, Copy, Debug)]
pub struct Keccak {
    /// Bytes per block.
    rate: usize,
    /// The bits of the suffix and the first 1 of pad10*1, from the least significant bit on.
    delimiter: u16,
    digest_bytes: usize,
    is_xof: bool,
}

impl Keccak {
    /// Keccak\[r = 1152, c = 448\] of the competition: no suffix.
    pub const KECCAK224: Self = Self::fixed(28, 0b1);
    /// Keccak\[r = 1088, c = 512\] of the competition.
    pub const KECCAK256: Self = Self::fixed(32, 0b1);
    /// Keccak\[r = 832, c = 768\] of the competition.
    pub const KECCAK384: Self = Self::fixed(48, 0b1);
    /// Keccak\[r = 576, c = 1024\] of the competition.
    pub const KECCAK512: Self = Self::fixed(64, 0b1);
    /// §6.1: SHA3-224, suffix 01.
    pub const SHA3_224: Self = Self::fixed(28, 0b110);
    /// §6.1: SHA3-256.
    pub const SHA3_256: Self = Self::fixed(32, 0b110);
    /// §6.1: SHA3-384.
    pub const SHA3_384: Self = Self::fixed(48, 0b110);
    /// §6.1: SHA3-512.
    pub const SHA3_512: Self = Self::fixed(64, 0b110);
    /// §6.2: SHAKE128, suffix 1111; 32 bytes unless told otherwise.
    pub const SHAKE128: Self = Self { is_xof: true, ..Self::fixed(16, 0b11111) }.resized(32);
    /// §6.2: SHAKE256; 64 bytes unless told otherwise.
    pub const SHAKE256: Self = Self { is_xof: true, ..Self::fixed(32, 0b11111) }.resized(64);

    /// The capacity is twice the digest.
    const fn fixed(digest_bytes: usize, delimiter: u16) -> Self {
        Self { rate: 200 - 2 * digest_bytes, delimiter, digest_bytes, is_xof: false }
    }

    const fn resized(self, digest_bytes: usize) -> Self {
        Self { digest_bytes, ..self }
    }
}

/// §3.2.2: the offsets of ρ, by lane.
pub const RHO: [usize; 25] = rho_offsets();

/// §3.2.2, Algorithm 2, modulo the lane size 64.
const fn rho_offsets() -> [usize; 25] {
    let mut offsets = [0; 25];
    let (mut x, mut y) = (1, 0);
    let mut t = 0;
    while t < 24 {
        offsets[x + 5 * y] = (t + 1) * (t + 2) / 2 % 64;
        (x, y) = (y, (2 * x + 3 * y) % 5);
        t += 1;
    }
    offsets
}

/// §3.2.5: the round constants.
pub const RC: [u64; 24] = round_constants();

/// §3.2.5, Algorithm 6, step 3: bit 2^j - 1 of RC is rc(j + 7 i_r).
const fn round_constants() -> [u64; 24] {
    let mut constants = [0; 24];
    let mut r = 1u8; // Algorithm 5: R, its first bit the least significant one
    let mut t = 0;
    while t < 24 * 7 {
        let (round, j) = (t / 7, t % 7);
        constants[round] |= ((r & 1) as u64) << ((1 << j) - 1);
        // R = 0 || R; R[0], R[4], R[5] and R[6] take in R[8]; R is cut to 8 bits.
        r = (r << 1) ^ if r & 0x80 != 0 { 0b0111_0001 } else { 0 };
        t += 1;
    }
    constants
}

/// §3.2.1: θ adds to each lane the parities of two columns.
///
/// D\[x\] = C\[x-1\] ⊕ rotl(C\[x+1\], 1) is not computed by itself. Its two terms and a lane are a
/// sum of three, which is one operation on many machines. On the others the two terms of D\[x\] are
/// added first, so that the five lanes of a sheet share their sum. As it works sheet by sheet, θ
/// keeps 31 words live: 25 lanes and six more.
#[inline(always)]
pub fn theta<W: Word64>(mut a: State<W>) -> State<W> {
    let mut c = [a[0]; 5];
    crate::unroll!(x in 0..5 {
        let mut sheet = [a[x], a[x + 5], a[x + 10], a[x + 15], a[x + 20]];
        c[x] = crate::step!(Part, "parity", x, sheet, W::xor3(
            W::xor3(sheet[0], sheet[1], sheet[2]), sheet[3], sheet[4]));
    });
    crate::unroll!(x in 0..5 {
        let mut sheet = [a[x], a[x + 5], a[x + 10], a[x + 15], a[x + 20]];
        [a[x], a[x + 5], a[x + 10], a[x + 15], a[x + 20]] = crate::step!(Part, "sheet", x, sheet, {
            let (before, after) = (c[(x + 4) % 5], c[(x + 1) % 5].rotl(1));
            [
                W::xor3(before, after, sheet[0]),
                W::xor3(before, after, sheet[1]),
                W::xor3(before, after, sheet[2]),
                W::xor3(before, after, sheet[3]),
                W::xor3(before, after, sheet[4]),
            ]
        });
    });
    a
}

/// §3.2.2: ρ rotates each lane but A[0, 0], sheet by sheet.
#[inline(always)]
pub fn rho<W: Word64>(mut a: State<W>) -> State<W> {
    crate::unroll!(x in 0..5 {
        let mut sheet = [a[x], a[x + 5], a[x + 10], a[x + 15], a[x + 20]];
        [a[x], a[x + 5], a[x + 10], a[x + 15], a[x + 20]] = crate::step!(Part, "sheet", x, sheet, [
            if x == 0 { sheet[0] } else { sheet[0].rotl(RHO[x]) },
            sheet[1].rotl(RHO[x + 5]),
            sheet[2].rotl(RHO[x + 10]),
            sheet[3].rotl(RHO[x + 15]),
            sheet[4].rotl(RHO[x + 20]),
        ]);
    });
    a
}

/// §3.2.3: π moves lanes: A′[x, y] = A[x + 3y, x]. This renames words and computes nothing.
#[inline(always)]
pub fn pi<W: Word64>(a: State<W>) -> State<W> {
    let mut moved = a;
    crate::unroll!(y in 0..5 {
        crate::unroll!(x in 0..5 {
            moved[x + 5 * y] = a[(x + 3 * y) % 5 + 5 * x];
        });
    });
    moved
}

/// §3.2.4: χ, plane by plane; it holds two words beside the lanes.
#[inline(always)]
pub fn chi<W: Word64>(mut a: State<W>) -> State<W> {
    crate::unroll!(y in 0..5 {
        const ROW: usize = 5 * y;
        let mut plane = [a[ROW], a[ROW + 1], a[ROW + 2], a[ROW + 3], a[ROW + 4]];
        [a[ROW], a[ROW + 1], a[ROW + 2], a[ROW + 3], a[ROW + 4]] =
            crate::step!(Part, "plane", y, plane, [
                W::chi(plane[0], plane[1], plane[2]),
                W::chi(plane[1], plane[2], plane[3]),
                W::chi(plane[2], plane[3], plane[4]),
                W::chi(plane[3], plane[4], plane[0]),
                W::chi(plane[4], plane[0], plane[1]),
            ]);
    });
    a
}

/// §3.2.5: ι adds the round constant to A[0, 0].
#[inline(always)]
pub fn iota<W: Word64>(mut a: State<W>, rc: W) -> State<W> {
    a[0] = a[0] ^ rc;
    a
}

/// §3.3: Rnd(A, i_r) = ι(χ(π(ρ(θ(A)))), i_r), `rc` being RC\[i_r\].
#[inline(always)]
pub fn round<W: Word64>(mut a: State<W>, rc: W) -> State<W> {
    a = crate::step!(Part, "theta", 0, a, theta(a));
    a = crate::step!(Part, "rho", 0, a, rho(a));
    a = pi(a);
    a = crate::step!(Part, "chi", 0, a, chi(a));
    crate::step!(Part, "iota", 0, a, iota(a, rc))
}

/// §3.4: Keccak-f\[1600\] = Keccak-p\[1600, 24\].
#[inline(always)]
pub fn keccak_f<W: Word64>(mut a: State<W>) -> State<W> {
    let mut i = 0;
    while i < 24 {
        crate::unroll!(j in 0..8 {
            a = crate::step!(Round, "round", i + j, a, round(a, W::constant(RC[i + j])));
        });
        i += 8;
    }
    a
}

/// §4, Algorithm 8, step 6: adds a block to the state, then permutes it.
#[inline(always)]
pub fn compress<W: Word64>(mut h: State<W>, m: &[W; 21]) -> State<W> {
    crate::unroll!(i in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20] {
        h[i] = h[i] ^ m[i];
    });
    keccak_f(h)
}

impl Hash for Keccak {
    type Native = u64;
    type State<T: Copy> = [T; 25];
    type Block<T: Copy> = [T; 21];
    const ORDER: ByteOrder = ByteOrder::Little;
    // The first output block, the whole of every digest of fixed length, is the state as it is;
    // each later one goes through `squeeze`, whatever this says.
    const SQUEEZES: bool = false;
    const SHORT_BLOCKS: bool = true;

    /// §B.1; in the competition's interface the first bit is the top one, as for its other entries.
    fn bit_order(&self) -> BitOrder {
        if self.delimiter == 0b1 { BitOrder::MsbFirst } else { BitOrder::LsbFirst }
    }
    fn block_bytes(&self) -> usize {
        self.rate
    }
    fn digest_bytes(&self) -> usize {
        self.digest_bytes
    }
    fn with_digest_bytes(self, bytes: usize) -> Option<Self> {
        let defined = self.is_xof && (1..=MAX_DIGEST_BYTES).contains(&bytes);
        defined.then_some(self.resized(bytes))
    }
    fn output_block_bytes(&self) -> usize {
        if self.is_xof { self.rate } else { self.digest_bytes }
    }
    fn is_xof(&self) -> bool {
        self.is_xof
    }
    /// §4, Algorithm 8, step 5.
    fn initial_value(&self) -> State<u64> {
        [0; 25]
    }
    /// §5.1, §6: the suffix, then pad10*1. Two blocks only if odd bits leave too little room.
    fn pad(&self, tail: &Tail, out: &mut Padded<u64>) {
        let odd = tail.odd_bits();
        let whole = tail.bytes.len() - usize::from(odd > 0);
        let odd_bits = match (odd, self.bit_order()) {
            (0, _) => 0,
            (_, BitOrder::LsbFirst) => tail.bytes[whole] & !(0xff << odd),
            (_, BitOrder::MsbFirst) => tail.bytes[whole] >> (8 - odd),
        };
        let last = u16::from(odd_bits) | self.delimiter << odd;
        let delimiter_bits = self.delimiter.ilog2() as usize + 1;
        out.blocks = (8 * whole + odd + delimiter_bits + 1).div_ceil(8 * self.rate);
        let end = out.blocks * self.rate;
        out.bytes[..whole].copy_from_slice(&tail.bytes[..whole]);
        out.bytes[whole..end].fill(0);
        for (byte, last) in out.bytes[whole..end].iter_mut().zip(last.to_le_bytes()) {
            *byte = last;
        }
        out.bytes[end - 1] |= 0x80;
        out.counters = [Counter::default(); 2];
    }
}

impl<W: Word64> Compress<W> for Keccak {
    #[inline(always)]
    fn compress(&self, h: State<W>, m: &[W; 21], _t: Counter<W>) -> State<W> {
        compress(h, m)
    }

    /// §4, Algorithm 8, steps 8 to 10.
    #[inline(always)]
    fn squeeze(&self, h: &mut State<W>, index: u64) -> State<W> {
        if index > 0 {
            *h = keccak_f(*h);
        }
        *h
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{LONGEST_END, digest, digest_bits};
    use hex_literal::hex;

    fn check(hash: Keccak, message: &[u8], expected: &[u8]) {
        let mut out = std::vec![0; expected.len()];
        digest(&hash, message, &mut out);
        assert_eq!(out, expected);
    }

    /// The examples of the page that FIPS 202 refers to, and the team's for the competition's form.
    #[test]
    #[rustfmt::skip]
    fn examples_of_the_standard() {
        check(Keccak::SHA3_224, b"abc",
            &hex!("e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"));
        check(Keccak::SHA3_256, b"abc",
            &hex!("3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"));
        check(Keccak::SHA3_384, b"abc",
            &hex!("ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c25"
                  "96da7cf0e49be4b298d88cea927ac7f539f1edf228376d25"));
        check(Keccak::SHA3_512, b"abc",
            &hex!("b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e"
                  "10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0"));
        check(Keccak::KECCAK256, b"",
            &hex!("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"));
        check(Keccak::SHAKE128, b"",
            &hex!("7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"));
        check(Keccak::SHAKE256, b"",
            &hex!("46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f"));
    }

    /// The standard's five-bit message, 11001, whose first bit is the least significant one.
    #[test]
    fn message_of_five_bits() {
        let mut out = [0; 32];
        // The unused bits are not read.
        for message in [0b000_10011, 0b111_10011] {
            digest_bits(&Keccak::SHA3_256, &[message], 5, &mut out);
            let expected = hex!("7b0047cf5a456882363cbf0fb05322cf65f4b7059a46365e830132e3b5d957af");
            assert_eq!(out, expected);
        }
    }

    /// Padding of a first block that lacks one byte, by the odd bits in that byte.
    #[test]
    fn suffix_and_padding_spill_over() {
        let last_bytes = |hash: Keccak, odd: u128| {
            let rate = hash.block_bytes();
            let mut bytes = [0xee; LONGEST_END];
            let mut out = Padded::new(&mut bytes);
            let total_bits = 8 * (rate as u128 - 1) + odd;
            let tail = [0; 168];
            hash.pad(
                &Tail { bytes: &tail[..total_bits.div_ceil(8) as usize], total_bits },
                &mut out,
            );
            let end = out.blocks * rate;
            assert!(out.bytes[rate..end].iter().skip(1).rev().skip(1).all(|&byte| byte == 0));
            let second = (out.blocks == 2).then(|| (out.bytes[rate], out.bytes[end - 1]));
            (out.bytes[rate - 1], second)
        };
        // Keccak: 1 0* 1 needs two bits.
        assert_eq!(last_bytes(Keccak::KECCAK256, 0), (0x81, None));
        assert_eq!(last_bytes(Keccak::KECCAK256, 6), (0xc0, None));
        assert_eq!(last_bytes(Keccak::KECCAK256, 7), (0x80, Some((0x00, 0x80))));
        // SHA-3: four bits.
        assert_eq!(last_bytes(Keccak::SHA3_256, 4), (0xe0, None));
        assert_eq!(last_bytes(Keccak::SHA3_256, 5), (0xc0, Some((0x00, 0x80))));
        assert_eq!(last_bytes(Keccak::SHA3_256, 7), (0x00, Some((0x03, 0x80))));
        // SHAKE: six.
        assert_eq!(last_bytes(Keccak::SHAKE128, 2), (0xfc, None));
        assert_eq!(last_bytes(Keccak::SHAKE128, 3), (0xf8, Some((0x00, 0x80))));
        assert_eq!(last_bytes(Keccak::SHAKE128, 7), (0x80, Some((0x0f, 0x80))));
    }

    /// An output across several blocks begins with every shorter one.
    #[test]
    fn longer_outputs_extend_shorter_ones() {
        for hash in [Keccak::SHAKE128, Keccak::SHAKE256] {
            let mut long = [0; 500];
            digest(&hash, b"output", &mut long);
            for bytes in [1, 135, 136, 137, 167, 168, 169, 336, 337, 499] {
                check(hash.with_digest_bytes(bytes).unwrap(), b"output", &long[..bytes]);
            }
            assert!(hash.with_digest_bytes(0).is_none());
        }
        assert!(Keccak::SHA3_256.with_digest_bytes(16).is_none());
    }
}
