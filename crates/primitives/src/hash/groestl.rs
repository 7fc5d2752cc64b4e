//! Grøstl, as tweaked for the final round (submission document of 2 March 2011): Grøstl-224 and
//! Grøstl-256 over a state of 512 bits, Grøstl-384 and Grøstl-512 over one of 1024 bits.
//!
//! A state is a matrix of bytes with 8 rows and N = 8 or 16 columns, held as N words **by rows**:
//! byte j of word i (counted from the low end) is row i of column j, and words 8 … 15 of the wide
//! state are its columns 8 … 15. SubBytes and MixBytes then work on a row at a time, and ShiftBytes
//! rotates one. A message comes by columns, one per word, and is transposed.

use super::{Compress, Counter, Hash, Padded, Tail, write_words};
use crate::word::{ByteOrder, ByteSub, Word64};
use core::num::Wrapping;

/// Eight columns by rows.
pub type Rows<W> = [W; 8];

/// One of the two permutations, which differ in their round constants and rotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permutation {
    /// P, of the chaining value.
    P,
    /// Q, of the message.
    Q,
}
use Permutation::{P, Q};

/// §3.4.6: the number of rounds of a state of N words.
pub const fn rounds(n: usize) -> usize {
    if n == 8 { 10 } else { 14 }
}

/// §3.4.4: by how many columns ShiftBytes (N = 8) or ShiftBytesWide (N = 16) rotates row i to the
/// left.
#[inline(always)]
pub const fn shift(permutation: Permutation, n: usize, i: usize) -> usize {
    match (permutation, n) {
        (P, 8) => [0, 1, 2, 3, 4, 5, 6, 7][i],
        (Q, 8) => [1, 3, 5, 7, 0, 2, 4, 6][i],
        (P, _) => [0, 1, 2, 3, 4, 5, 6, 11][i],
        (Q, _) => [1, 3, 5, 11, 0, 2, 4, 6][i],
    }
}

/// §3.4.2: byte j is 0x10·(j + `first`) ⊕ r: eight entries of the only row in which the round
/// constant of P differs from column to column.
#[inline(always)]
pub const fn round_constant(r: usize, first: usize) -> u64 {
    0x7060504030201000 ^ ((first << 4 ^ r) as u64 * 0x0101010101010101)
}

/// §3.4.2 AddRoundConstant of round r, on the columns from `first` on.
#[inline(always)]
fn add_round_constant<W: Word64>(
    permutation: Permutation,
    r: usize,
    first: usize,
    mut a: Rows<W>,
) -> Rows<W> {
    match permutation {
        P => a[0] = a[0] ^ W::constant(round_constant(r, first)),
        Q => {
            crate::unroll!(i in [0 1 2 3 4 5 6] { a[i] = !a[i]; });
            a[7] = a[7] ^ W::constant(!round_constant(r, first));
        }
    }
    a
}

/// §3.4.3 SubBytes.
#[inline(always)]
fn sub_bytes<W: ByteSub>(mut a: Rows<W>) -> Rows<W> {
    crate::unroll!(i in 0..8 { a[i] = a[i].sub_bytes(); });
    a
}

/// §3.4.4 ShiftBytes, ShiftBytesWide.
#[inline(always)]
fn shift_bytes<W: Word64, const N: usize>(permutation: Permutation, mut a: [W; N]) -> [W; N] {
    crate::unroll!(i in 0..8 {
        let columns = shift(permutation, N, i);
        if N == 8 {
            a[i] = a[i].rotr(8 * columns);
        } else {
            [a[i], a[8 + i]] = rotate_wide([a[i], a[8 + i]], columns);
        }
    });
    a
}

/// Rotation of a row of sixteen columns to the left.
#[inline(always)]
fn rotate_wide<W: Word64>([low, high]: [W; 2], columns: usize) -> [W; 2] {
    let [low, high] = if columns < 8 { [low, high] } else { [high, low] };
    match 8 * (columns % 8) {
        0 => [low, high],
        bits => [(low >> bits) | (high << (64 - bits)), (high >> bits) | (low << (64 - bits))],
    }
}

/// §3.4.5 MixBytes: b_i = 2·a_i ⊕ 2·a_{i+1} ⊕ 3·a_{i+2} ⊕ 4·a_{i+3} ⊕ 5·a_{i+4} ⊕ 3·a_{i+5} ⊕
/// 5·a_{i+6} ⊕ 7·a_{i+7}, indices mod 8.
///
/// The rows times 4, times 2 and times 1 are summed apart and doubled by Horner's rule, so that 16
/// doublings and 40 sums (8 of them of three) do for the 64 products:
/// ```text
/// x_{i+3} = a_{i+3} ⊕ a_{i+4} ⊕ a_{i+6} ⊕ a_{i+7}                the rows times 4
/// y_{i+7} = a_i ⊕ a_{i+1} ⊕ a_{i+2} ⊕ a_{i+5} ⊕ a_{i+7}          times 2
/// y_{i+4} = a_{i+2} ⊕ a_{i+4} ⊕ a_{i+5} ⊕ a_{i+6} ⊕ a_{i+7}      times 1
/// b_i = 2·(2·x_{i+3} ⊕ y_{i+7}) ⊕ y_{i+4}
/// ```
#[inline(always)]
fn mix_bytes<W: ByteSub>(a: Rows<W>) -> Rows<W> {
    let (mut t, mut x, mut y, mut b) = (a, a, a, a);
    crate::unroll!(i in 0..8 { t[i] = a[i] ^ a[(i + 1) % 8]; });
    crate::unroll!(i in 0..8 { x[i] = t[i] ^ t[(i + 3) % 8]; });
    crate::unroll!(i in 0..8 { y[i] = W::xor3(t[i], t[(i + 2) % 8], a[(i + 6) % 8]); });
    crate::unroll!(i in 0..8 {
        let twice = x[(i + 3) % 8].xtime() ^ y[(i + 7) % 8];
        b[i] = twice.xtime() ^ y[(i + 4) % 8];
    });
    b
}

/// Columns 8·`half` … 8·`half` + 7 of a state.
#[inline(always)]
fn half<W: Copy, const N: usize>(a: &[W; N], half: usize) -> Rows<W> {
    let mut rows = [a[0]; 8];
    crate::unroll!(i in 0..8 { rows[i] = a[8 * half + i]; });
    rows
}

/// Overwrites the columns that [`half`] reads with `rows`.
#[inline(always)]
fn set_half<W: Copy, const N: usize>(a: &mut [W; N], half: usize, rows: Rows<W>) {
    crate::unroll!(i in 0..8 { a[8 * half + i] = rows[i]; });
}

/// Round r of P or Q (§3.4). The unit that hardware pipelines.
#[inline(always)]
pub fn round<W: Word64 + ByteSub, const N: usize>(
    permutation: Permutation,
    r: usize,
    mut a: [W; N],
) -> [W; N] {
    crate::unroll!(c in [0 1] {
        if c < N / 8 {
            let rows = add_round_constant(permutation, r, 8 * c, half(&a, c));
            set_half(&mut a, c, sub_bytes(rows));
        }
    });
    a = shift_bytes(permutation, a);
    crate::unroll!(c in [0 1] {
        if c < N / 8 {
            let rows = mix_bytes(half(&a, c));
            set_half(&mut a, c, rows);
        }
    });
    a
}

/// §3.4: the permutation P.
#[inline(always)]
pub fn p<W: Word64 + ByteSub, const N: usize>(mut a: [W; N]) -> [W; N] {
    let mut r = 0;
    while r < rounds(N) {
        crate::unroll!(i in [0 1] {
            a = crate::step!(Round, "round of P", r + i, a, round(P, r + i, a));
        });
        r += 2;
    }
    a
}

/// §3.4: the permutation Q.
#[inline(always)]
pub fn q<W: Word64 + ByteSub, const N: usize>(mut a: [W; N]) -> [W; N] {
    let mut r = 0;
    while r < rounds(N) {
        crate::unroll!(i in [0 1] {
            a = crate::step!(Round, "round of Q", r + i, a, round(Q, r + i, a));
        });
        r += 2;
    }
    a
}

/// Turns eight columns, one per word, into rows, and back: exchanges squares of 4, 2, then 1 bytes
/// on a side across the diagonal. The selectors are constants, so that hardware needs only wires.
#[inline(always)]
pub fn transpose<W: Word64>(mut a: Rows<W>) -> Rows<W> {
    macro_rules! exchange {
        ($side:literal, $low:literal, [$($i:literal)*]) => {
            $({
                let (low, upper, lower) = (W::constant($low), a[$i], a[$i + $side]);
                a[$i] = W::ch(low, upper, lower << (8 * $side));
                a[$i + $side] = W::ch(low, upper >> (8 * $side), lower);
            })*
        };
    }
    exchange!(4, 0x00000000ffffffff, [0 1 2 3]);
    exchange!(2, 0x0000ffff0000ffff, [0 1 4 5]);
    exchange!(1, 0x00ff00ff00ff00ff, [0 2 4 6]);
    a
}

/// [`transpose`] of each half of a state.
#[inline(always)]
fn by_rows<W: Word64, const N: usize>(mut a: [W; N]) -> [W; N] {
    crate::unroll!(c in [0 1] {
        if c < N / 8 {
            let rows = transpose(half(&a, c));
            set_half(&mut a, c, rows);
        }
    });
    a
}

/// §3.2: the compression function f(h, m) = P(h ⊕ m) ⊕ Q(m) ⊕ h. `h` by rows, `m` by columns.
#[inline(always)]
pub fn compress<W: Word64 + ByteSub, const N: usize>(h: [W; N], m: [W; N]) -> [W; N] {
    let m = by_rows(m);
    let mut sum = h;
    crate::unroll!(i in 0..16 { if i < N { sum[i] = h[i] ^ m[i]; } });
    let (p, q) = (p(sum), q(m));
    crate::unroll!(i in 0..16 { if i < N { sum[i] = W::xor3(p[i], q[i], h[i]); } });
    sum
}

/// [`compress`] where `m_q` holds m by rows, then Q(m): see [`Hash::expand`].
#[inline(always)]
fn compress_expanded<W: Word64 + ByteSub, const N: usize>(h: [W; N], m_q: &[u64]) -> [W; N] {
    let (m, q) = m_q.split_at(N);
    let mut sum = h;
    crate::unroll!(i in 0..16 { if i < N { sum[i] = h[i] ^ W::constant(m[i]); } });
    let p = p(sum);
    crate::unroll!(i in 0..16 { if i < N { sum[i] = W::xor3(p[i], W::constant(q[i]), h[i]); } });
    sum
}

/// §3.3: the output transformation before truncation, P(x) ⊕ x.
#[inline(always)]
pub fn omega<W: Word64 + ByteSub, const N: usize>(x: [W; N]) -> [W; N] {
    let mut sum = p(x);
    crate::unroll!(i in 0..16 { if i < N { sum[i] = sum[i] ^ x[i]; } });
    sum
}

/// Grøstl with a state of N = 8 or 16 words.
#[derive(Clone, Copy, Debug)]
pub struct Groestl<const N: usize> {
    digest_bytes: usize,
}

/// Grøstl-224 and Grøstl-256.
pub type Groestl256 = Groestl<8>;

/// Grøstl-384 and Grøstl-512.
pub type Groestl512 = Groestl<16>;

impl Groestl256 {
    /// Grøstl-224.
    pub const GROESTL224: Self = Self { digest_bytes: 28 };
    /// Grøstl-256.
    pub const GROESTL256: Self = Self { digest_bytes: 32 };
}

impl Groestl512 {
    /// Grøstl-384.
    pub const GROESTL384: Self = Self { digest_bytes: 48 };
    /// Grøstl-512.
    pub const GROESTL512: Self = Self { digest_bytes: 64 };
}

impl<const N: usize> Hash for Groestl<N> {
    type Native = u64;
    type State<T: Copy> = [T; N];
    type Block<T: Copy> = [T; N];
    const ORDER: ByteOrder = ByteOrder::Little;
    const SQUEEZES: bool = true;
    /// The compression of a block of zeros is P(h) ⊕ Q(0) ⊕ h, and Ω is P(h) ⊕ h.
    const OUTPUT_COUNTER: Option<Counter<u64>> = Some(Counter::splat(0));
    const LOOKS_UP: bool = true;
    const EXPANSION: usize = 2 * N;
    const OUTPUT_IN_ORDER: bool = false;

    fn digest_bytes(&self) -> usize {
        self.digest_bytes
    }
    /// §3.5: the digest's length in bits as a big-endian integer that fills the state: its two
    /// bytes are rows 6 and 7 of the last column.
    fn initial_value(&self) -> [u64; N] {
        let bits = 8 * self.digest_bytes as u64;
        let mut rows = [0; N];
        rows[N - 2] = (bits >> 8) << 56;
        rows[N - 1] = (bits & 0xff) << 56;
        rows
    }
    /// §3.6: the number of blocks closes the message.
    fn pad(&self, tail: &Tail, out: &mut Padded<u64>) {
        let block = 8 * N;
        let whole = tail.total_bits / (8 * block as u128);
        out.finish_with(tail, block, 8, ByteOrder::Big, |padded| whole + padded as u128);
    }
    /// m by rows, then Q(m).
    fn expand(&self, m: &[u64; N], expansion: &mut [u64]) {
        let m = by_rows(m.map(Wrapping));
        for (word, value) in expansion.iter_mut().zip(m.into_iter().chain(q(m))) {
            *word = value.0;
        }
    }
    fn output_words(&self, _bytes: usize) -> usize {
        N
    }
    /// §3.3: the last bytes of the state, by columns.
    fn write_output(&self, rows: &[u64; N], out: &mut [u8]) {
        let mut bytes = [0; 128];
        let columns = by_rows(rows.map(Wrapping)).map(|column| column.0);
        write_words(&columns, Self::ORDER, &mut bytes);
        out.copy_from_slice(&bytes[8 * N - self.digest_bytes..][..out.len()]);
    }
}

impl<W: Word64 + ByteSub, const N: usize> Compress<W> for Groestl<N> {
    #[inline(always)]
    fn compress(&self, h: [W; N], m: &[W; N], _t: Counter<W>) -> [W; N] {
        compress(h, *m)
    }
    #[inline(always)]
    fn compress_expanded(&self, h: [W; N], m_q: &[u64], _t: Counter<W>) -> [W; N] {
        compress_expanded(h, m_q)
    }
    #[inline(always)]
    fn squeeze(&self, h: &mut [W; N], _index: u64) -> [W; N] {
        omega(*h)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::digest;
    use hex_literal::hex;

    fn check<const N: usize>(hash: Groestl<N>, message: &[u8], expected: &[u8]) {
        let mut out = std::vec![0; hash.digest_bytes()];
        digest(&hash, message, &mut out);
        assert_eq!(out, expected);
    }

    /// ShortMsgKAT of the submission, Len = 0.
    #[test]
    fn empty_message() {
        check(
            Groestl256::GROESTL224,
            b"",
            &hex!("f2e180fb5947be964cd584e22e496242c6a329c577fc4ce8c36d34c3"),
        );
        check(
            Groestl256::GROESTL256,
            b"",
            &hex!("1a52d11d550039be16107f9c58db9ebcc417f16f736adb2502567119f0083467"),
        );
        check(
            Groestl512::GROESTL384,
            b"",
            &hex!(
                "ac353c1095ace21439251007862d6c62f829ddbe6de4f78e\
                 68d310a9205a736d8b11d99bffe448f57a1cfa2934f044a5"
            ),
        );
        check(
            Groestl512::GROESTL512,
            b"",
            &hex!(
                "6d3ad29d279110eef3adbd66de2a0345a77baede1557f5d099fce0c03d6dc2ba\
                 8e6d4a6633dfbd66053c20faa87d1a11f39a7fbe4a6c2f009801370308fc4ad8"
            ),
        );
    }

    /// §3.4.5: MixBytes multiplies by the circulant of 02 02 03 04 05 03 05 07.
    #[test]
    fn mix_bytes_is_the_circulant() {
        const CIRCULANT: [u8; 8] = [2, 2, 3, 4, 5, 3, 5, 7];
        for j in 0..8 {
            for byte in 0..=255u8 {
                let mut a = [Wrapping(0u64); 8];
                a[j] = Wrapping(u64::from(byte));
                let double = a[j].xtime();
                let powers = [a[j], double, double.xtime()];
                for (i, b) in mix_bytes(a).into_iter().enumerate() {
                    let factor = CIRCULANT[(j + 8 - i) % 8];
                    let mut product = Wrapping(0);
                    for (bit, power) in powers.into_iter().enumerate() {
                        product ^= power * Wrapping(u64::from(factor >> bit & 1));
                    }
                    assert_eq!(b, product, "row {i} from row {j}, byte {byte:#x}");
                }
            }
        }
    }

    /// Every byte has its own value, so that no exchange can go unseen.
    #[test]
    fn transpose_moves_columns_to_rows() {
        let byte = |column: usize, row: usize| (8 * column + row) as u8;
        let word = |f: &dyn Fn(usize) -> u8| Wrapping(u64::from_le_bytes(core::array::from_fn(f)));
        let columns: Rows<_> = core::array::from_fn(|j| word(&|i| byte(j, i)));
        let rows: Rows<_> = core::array::from_fn(|i| word(&|j| byte(j, i)));
        assert_eq!(transpose(columns), rows);
        assert_eq!(transpose(rows), columns);
    }
}
