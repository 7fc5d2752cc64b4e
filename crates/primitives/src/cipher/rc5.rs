//! RC5-w/r/b (RFC 2040; Rivest, "The RC5 Encryption Algorithm", FSE 1994): words of w bits, r
//! rounds, a key of b bytes. **Old**: with 64-bit blocks (w = 32) a key is safe for a few
//! gigabytes.
//!
//! ```text
//! key bytes ──► L[0..c] ─┐
//!                        ├──► mix, 3·max(t, c) times ──► S[0..t] ──► round i takes S[2i], S[2i+1]
//! P_w, Q_w ──► S[0..t] ──┘
//! ```
//!
//! Iteration k of the mixing writes `S[k mod t]`, and an entry is final when it is written for the
//! last time ([`final_iteration`]). Encryption can therefore follow key expansion entry by entry.

use super::BlockCipher;
use crate::word::{ByteOrder, Native, RotateVar, Word};
use core::fmt;
use core::str::FromStr;

/// Most words in an expanded key table: t = 2(r + 1), r = 255.
pub const MAX_TABLE_WORDS: usize = 512;

/// Most words in a key: c = b, for b = 255 and w = 8.
pub const MAX_KEY_WORDS: usize = 255;

/// §5.1: the constants of a word size. Odd(x) is the odd integer nearest to x.
pub trait Magic: Native<Scalar: RotateVar> {
    /// P_w = Odd((e − 2) · 2^w).
    const P: Self;
    /// Q_w = Odd((φ − 1) · 2^w), φ the golden ratio.
    const Q: Self;
}

/// Not in RFC 2040; for the vectors of draft-krovetz-rc6-rc5-vectors, and for exhaustive tests.
impl Magic for u8 {
    const P: Self = 0xb7;
    const Q: Self = 0x9f;
}
impl Magic for u16 {
    const P: Self = 0xb7e1;
    const Q: Self = 0x9e37;
}
impl Magic for u32 {
    const P: Self = 0xb7e15163;
    const Q: Self = 0x9e3779b9;
}
impl Magic for u64 {
    const P: Self = 0xb7e151628aed2a6b;
    const Q: Self = 0x9e3779b97f4a7c15;
}

/// §5.3: the key bytes as words, least significant byte first, the rest zero. `l` has
/// [`Rc5Params::key_words`] words.
pub fn key_words<N: Native>(key: &[u8], l: &mut [N]) {
    l.fill(N::default());
    for (word, chunk) in l.iter_mut().zip(key.chunks(N::BYTES)) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        *word = N::read(&bytes, ByteOrder::Little);
    }
}

/// §5.4: the table before the key is mixed in, `S[i] = P_w + i · Q_w`.
#[inline(always)]
pub fn initialize<W: Word<Native: Magic>>(s: &mut [W]) {
    s[0] = W::constant(Magic::P);
    for i in 1..s.len() {
        s[i] = s[i - 1] + W::constant(Magic::Q);
    }
}

/// §5.5: 3·max(t, c), the iterations that mix a key of c words into a table of t.
#[inline(always)]
pub const fn iterations(t: usize, c: usize) -> usize {
    3 * if t > c { t } else { c }
}

/// The iteration 0 ≤ k < 3·max(t, c) after which `S[i]` is final.
#[inline(always)]
pub const fn final_iteration(i: usize, t: usize, c: usize) -> usize {
    let last = iterations(t, c) - 1;
    last - (last - i) % t
}

/// §5.5: `A = S[i] = (S[i] + A + B) <<< 3`.
#[inline(always)]
pub fn mix_s<W: RotateVar>([a, b]: [W; 2], si: W) -> W {
    (si + a + b).rotl(3)
}

/// §5.5: `B = L[j] = (L[j] + A + B) <<< (A + B)`.
#[inline(always)]
pub fn mix_l<W: RotateVar>([a, b]: [W; 2], lj: W) -> W {
    (lj + a + b).rotl_var(a + b)
}

/// Iteration k of §5.5: from A and B, which begin as zero, and `S[k mod t]` and `L[k mod c]` to
/// their next values. A is then `S[k mod t]`, B is `L[k mod c]`.
#[inline(always)]
pub fn mix<W: RotateVar>(k: usize, ab: [W; 2], s: &mut [W], l: &mut [W]) -> [W; 2] {
    mix_at(k, [k % s.len(), k % l.len()], ab, s, l)
}

/// [`mix`] with i = k mod t and j = k mod c given.
#[inline(always)]
fn mix_at<W: RotateVar>(
    k: usize,
    [i, j]: [usize; 2],
    [a, b]: [W; 2],
    s: &mut [W],
    l: &mut [W],
) -> [W; 2] {
    crate::step!(Schedule, "key expansion", k, [a, b, s[i], l[j]], {
        s[i] = crate::step!(Part, "S", i, [a, b, s[i]], mix_s([a, b], s[i]));
        l[j] = crate::step!(Part, "L", j, [s[i], b, l[j]], mix_l([s[i], b], l[j]));
        [s[i], l[j]]
    })
}

/// §5.4 and §5.5: fills the table `s` of t words from the key `l` of c words, which it consumes.
///
/// # Panics
/// If `s` or `l` is empty.
#[inline(always)]
pub fn expand<W: RotateVar<Native: Magic>>(s: &mut [W], l: &mut [W]) {
    initialize(s);
    let mut ab = [W::constant(Default::default()); 2];
    // The remainders k mod t and k mod c are counted: two divisions take longer than an iteration.
    let [mut i, mut j] = [0; 2];
    for k in 0..iterations(s.len(), l.len()) {
        ab = mix_at(k, [i, j], ab, s, l);
        i = if i + 1 < s.len() { i + 1 } else { 0 };
        j = if j + 1 < l.len() { j + 1 } else { 0 };
    }
}

/// Half of a round: `((x ⊕ y) <<< y) + S[i]`. Takes one entry of the table.
#[inline(always)]
pub fn half_round<W: RotateVar>(x: W, y: W, si: W) -> W {
    (x ^ y).rotl_var(y) + si
}

/// Undoes [`half_round`]: `((x − S[i]) >>> y) ⊕ y`.
#[inline(always)]
pub fn half_round_inverse<W: RotateVar>(x: W, y: W, si: W) -> W {
    (x - si).rotr_var(y) ^ y
}

/// Round i = 1..=r of §6.2, from `S[2i]` and `S[2i+1]`.
#[inline(always)]
pub fn round<W: RotateVar>(i: usize, [a, b]: [W; 2], [s0, s1]: [W; 2]) -> [W; 2] {
    let a = crate::step!(Part, "half round", 2 * i, [a, b], half_round(a, b, s0));
    let b = crate::step!(Part, "half round", 2 * i + 1, [a, b], half_round(b, a, s1));
    [a, b]
}

/// Undoes [`round`].
#[inline(always)]
pub fn round_inverse<W: RotateVar>(i: usize, [a, b]: [W; 2], [s0, s1]: [W; 2]) -> [W; 2] {
    let b = crate::step!(Part, "half round", 2 * i + 1, [a, b], half_round_inverse(b, a, s1));
    let a = crate::step!(Part, "half round", 2 * i, [a, b], half_round_inverse(a, b, s0));
    [a, b]
}

/// An expanded key table S as words of type `W`.
pub trait Table<W> {
    /// Number of entries: 2(r + 1).
    fn entries(&self) -> usize;
    /// `S[i]`.
    fn entry(&self, i: usize) -> W;
}

/// Each lane has its own table.
impl<W: Copy> Table<W> for [W] {
    #[inline(always)]
    fn entries(&self) -> usize {
        self.len()
    }
    #[inline(always)]
    fn entry(&self, i: usize) -> W {
        self[i]
    }
}

/// A table that all lanes share: many blocks under one key. Pairs of entries, as rounds take them.
#[derive(Clone, Copy)]
pub struct Shared<'s, N: Native>(&'s [[N::Scalar; 2]]);

impl<'s, N: Native> Shared<'s, N> {
    /// Takes the entries from a whole table.
    #[inline(always)]
    pub fn new(table: &'s [N::Scalar]) -> Self {
        Self(table.as_chunks().0)
    }
}

impl<N: Native, W: Word<Native = N>> Table<W> for Shared<'_, N> {
    #[inline(always)]
    fn entries(&self) -> usize {
        2 * self.0.len()
    }
    #[inline(always)]
    fn entry(&self, i: usize) -> W {
        W::constant(N::from_scalar(self.0[i / 2][i % 2]))
    }
}

/// §6.2: encrypts the block A, B under the table `s`.
#[inline(always)]
pub fn encrypt_block<W: RotateVar>([a, b]: [W; 2], s: &(impl Table<W> + ?Sized)) -> [W; 2] {
    let mut ab = crate::step!(Injection, "whitening", 0, [a, b], [a + s.entry(0), b + s.entry(1)]);
    for i in 1..s.entries() / 2 {
        let entries = [s.entry(2 * i), s.entry(2 * i + 1)];
        ab = crate::step!(Round, "round", i, ab, round(i, ab, entries));
    }
    ab
}

/// Undoes [`encrypt_block`].
#[inline(always)]
pub fn decrypt_block<W: RotateVar>(block: [W; 2], s: &(impl Table<W> + ?Sized)) -> [W; 2] {
    let mut ab = block;
    for i in (1..s.entries() / 2).rev() {
        let entries = [s.entry(2 * i), s.entry(2 * i + 1)];
        ab = crate::step!(Round, "round", i, ab, round_inverse(i, ab, entries));
    }
    crate::step!(Injection, "whitening", 0, ab, [ab[0] - s.entry(0), ab[1] - s.entry(1)])
}

/// The parameters w, r and b, within their bounds. As text: `rc5-32/12/16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rc5Params {
    word_bits: u8,
    rounds: u8,
    key_bytes: u8,
}

impl Rc5Params {
    /// Why RC5 with words of 32 bits is not for new use.
    pub const AGED: &str = "64-bit blocks: collide after 32 GiB";
}

impl Default for Rc5Params {
    /// RC5-32/12/16, the choice that Rivest calls nominal ("The RC5 encryption algorithm", 1995).
    fn default() -> Self {
        Self { word_bits: 32, rounds: 12, key_bytes: 16 }
    }
}

/// Why parameters or their name are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamsError {
    /// w is not 8, 16, 32 or 64.
    WordBits(usize),
    /// r is above 255.
    Rounds(usize),
    /// b is above 255.
    KeyBytes(usize),
    /// The name is not of the form `rc5-w/r/b`.
    Name,
}

impl fmt::Display for ParamsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WordBits(w) => write!(f, "RC5 has words of 8, 16, 32 or 64 bits, not {w}"),
            Self::Rounds(r) => write!(f, "RC5 has 0 to 255 rounds, not {r}"),
            Self::KeyBytes(b) => write!(f, "RC5 has a key of 0 to 255 bytes, not {b}"),
            Self::Name => f.write_str(
                "RC5 is named rc5-<word bits>/<rounds>/<key bytes>, for example rc5-32/12/16",
            ),
        }
    }
}

impl core::error::Error for ParamsError {}

impl Rc5Params {
    /// w bits per word, r rounds, b bytes of key.
    ///
    /// # Errors
    /// If w is not 8, 16, 32 or 64, or r or b is above 255.
    pub fn new(word_bits: usize, rounds: usize, key_bytes: usize) -> Result<Self, ParamsError> {
        if !matches!(word_bits, 8 | 16 | 32 | 64) {
            return Err(ParamsError::WordBits(word_bits));
        }
        Ok(Self {
            word_bits: word_bits as u8,
            rounds: rounds.try_into().map_err(|_| ParamsError::Rounds(rounds))?,
            key_bytes: key_bytes.try_into().map_err(|_| ParamsError::KeyBytes(key_bytes))?,
        })
    }
    /// w: 8, 16, 32 or 64.
    pub fn word_bits(&self) -> usize {
        self.word_bits.into()
    }
    /// r: 0..=255.
    pub fn rounds(&self) -> usize {
        self.rounds.into()
    }
    /// b: 0..=255.
    pub fn key_bytes(&self) -> usize {
        self.key_bytes.into()
    }
    /// Bytes of a block: two words.
    pub fn block_bytes(&self) -> usize {
        self.word_bits() / 4
    }
    /// t = 2(r + 1), the words of the expanded key table: 2..=512.
    pub fn table_words(&self) -> usize {
        2 * (self.rounds() + 1)
    }
    /// c, the words of the key, at least one: 1..=255.
    pub fn key_words(&self) -> usize {
        self.key_bytes().div_ceil(self.word_bits() / 8).max(1)
    }
    /// The number of iterations that mix the key into the table.
    pub fn iterations(&self) -> usize {
        iterations(self.table_words(), self.key_words())
    }
}

impl FromStr for Rc5Params {
    type Err = ParamsError;

    fn from_str(name: &str) -> Result<Self, ParamsError> {
        let (family, numbers) = name.split_once('-').ok_or(ParamsError::Name)?;
        let mut parts =
            numbers.split('/').map(|part| match part.bytes().all(|c| c.is_ascii_digit()) {
                true => part.parse().map_err(|_| ParamsError::Name),
                false => Err(ParamsError::Name),
            });
        let mut number = || parts.next().unwrap_or(Err(ParamsError::Name));
        let (w, r, b) = (number()?, number()?, number()?);
        if !family.eq_ignore_ascii_case("rc5") || parts.next().is_some() {
            return Err(ParamsError::Name);
        }
        Self::new(w, r, b)
    }
}

impl fmt::Display for Rc5Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rc5-{}/{}/{}", self.word_bits, self.rounds, self.key_bytes)
    }
}

/// RC5 under one key, over scalar words. Its [`Debug`](fmt::Debug) shows the parameters only.
#[derive(Clone)]
pub struct Rc5<N: Magic> {
    params: Rc5Params,
    s: [N::Scalar; MAX_TABLE_WORDS],
}

impl<N: Magic> Rc5<N> {
    /// Expands `key`.
    ///
    /// # Errors
    /// If there are more than 255 rounds or the key has more than 255 bytes.
    pub fn new(rounds: usize, key: &[u8]) -> Result<Self, ParamsError> {
        let params = Rc5Params::new(8 * N::BYTES, rounds, key.len())?;
        let mut natives = [N::default(); MAX_KEY_WORDS];
        key_words(key, &mut natives[..params.key_words()]);
        let mut l = natives.map(Native::scalar);
        let mut s = [N::default().scalar(); MAX_TABLE_WORDS];
        expand(&mut s[..params.table_words()], &mut l[..params.key_words()]);
        Ok(Self { params, s })
    }
    /// The parameters.
    pub fn params(&self) -> Rc5Params {
        self.params
    }
    /// The expanded key table S: 2(r + 1) words.
    pub fn table(&self) -> &[N::Scalar] {
        &self.s[..self.params.table_words()]
    }
    /// Encrypts the block A, B.
    pub fn encrypt(&self, block: [N; 2]) -> [N; 2] {
        encrypt_block(block.map(Native::scalar), self.table()).map(Native::from_scalar)
    }
    /// Decrypts the block A, B.
    pub fn decrypt(&self, block: [N; 2]) -> [N; 2] {
        decrypt_block(block.map(Native::scalar), self.table()).map(Native::from_scalar)
    }
}

impl<N: Magic> fmt::Debug for Rc5<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rc5({})", self.params)
    }
}

/// §6.1: reads A and B, the first and the second word of the block, least significant byte first.
fn load<N: Native>(block: &[u8]) -> [N; 2] {
    let (a, b) = block.split_at(N::BYTES);
    [N::read(a, ByteOrder::Little), N::read(b, ByteOrder::Little)]
}

/// §6.3: writes A and B back to memory.
fn store<N: Native>([a, b]: [N; 2], block: &mut [u8]) {
    let (first, second) = block.split_at_mut(N::BYTES);
    a.write(first, ByteOrder::Little);
    b.write(second, ByteOrder::Little);
}

impl<N: Magic> BlockCipher for Rc5<N> {
    fn block_bytes(&self) -> usize {
        2 * N::BYTES
    }
    fn encrypt_block(&self, block: &mut [u8]) {
        store(self.encrypt(load(block)), block);
    }
    fn decrypt_block(&self, block: &mut [u8]) {
        store(self.decrypt(load(block)), block);
    }
    /// Computes what the default does, but keeps the chain from block to block in words.
    fn encrypt_chain(&self, previous: &[u8], blocks: &mut [u8]) {
        let mut last = load::<N>(previous).map(Native::scalar);
        for block in blocks.chunks_exact_mut(2 * N::BYTES) {
            let [a, b] = load::<N>(block).map(Native::scalar);
            last = encrypt_block([a ^ last[0], b ^ last[1]], self.table());
            store(last.map(N::from_scalar), block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::num::Wrapping;
    use hex_literal::hex;
    use std::string::ToString;
    use std::vec::Vec;

    fn check<N: Magic>(rounds: usize, key: &[u8], plaintext: &[u8], ciphertext: &[u8]) {
        let rc5 = Rc5::<N>::new(rounds, key).unwrap();
        let mut block = plaintext.to_vec();
        BlockCipher::encrypt_block(&rc5, &mut block);
        assert_eq!(block, ciphertext, "{rc5:?} encrypts");
        BlockCipher::decrypt_block(&rc5, &mut block);
        assert_eq!(block, plaintext, "{rc5:?} decrypts");
    }

    /// Rivest 1994, the appendix: each plaintext is the ciphertext before it.
    #[test]
    fn examples_of_the_paper() {
        let examples = [
            (hex!("00000000000000000000000000000000"), hex!("21a5dbee154b8f6d")),
            (hex!("915f4619be41b2516355a50110a9ce91"), hex!("f7c013ac5b2b8952")),
            (hex!("783348e75aeb0f2fd7b169bb8dc16787"), hex!("2f42b3b70369fc92")),
            (hex!("dc49db1375a5584f6485b413b5f12baf"), hex!("65c178b284d197cc")),
            (hex!("5269f149d41ba0152497574d7f153125"), hex!("eb44e415da319824")),
        ];
        let mut plaintext = [0; 8];
        for (key, ciphertext) in examples {
            check::<u32>(12, &key, &plaintext, &ciphertext);
            plaintext = ciphertext;
        }
    }

    /// draft-krovetz-rc6-rc5-vectors-00 §4: every word size.
    #[test]
    fn every_word_size() {
        let count: [u8; 24] = core::array::from_fn(|i| i as u8);
        check::<u8>(12, &count[..4], &count[..2], &hex!("212a"));
        check::<u16>(16, &count[..8], &count[..4], &hex!("23a8d72e"));
        check::<u32>(20, &count[..16], &count[..8], &hex!("2a0edc0e9431ff73"));
        check::<u64>(24, &count, &count[..16], &hex!("a46772820edbce0235abea32ae7178da"));
    }

    /// Each entry, taken at its final iteration, is the finished table's; each has exactly one.
    #[test]
    fn entries_are_final_when_promised() {
        for (rounds, key_bytes) in [(0, 0), (1, 1), (12, 16), (3, 255), (4, 40), (255, 3)] {
            let params = Rc5Params::new(32, rounds, key_bytes).unwrap();
            let (t, c) = (params.table_words(), params.key_words());
            let key: Vec<u8> = (0..key_bytes).map(|i| i as u8 ^ 0xa5).collect();
            let mut natives = std::vec![0u32; c];
            key_words(&key, &mut natives);
            let mut l: Vec<_> = natives.into_iter().map(Wrapping).collect();
            let mut s = std::vec![Wrapping(0); t];
            let mut early = std::vec![None; t];
            initialize(&mut s);
            let mut ab = [Wrapping(0); 2];
            for k in 0..params.iterations() {
                ab = mix(k, ab, &mut s, &mut l);
                for i in (0..t).filter(|&i| final_iteration(i, t, c) == k) {
                    assert_eq!(early[i].replace(s[i]), None);
                }
            }
            let rc5 = Rc5::<u32>::new(rounds, &key).unwrap();
            let table: Vec<_> = rc5.table().iter().copied().map(Some).collect();
            assert_eq!(early, table, "{params}");
        }
    }

    #[test]
    fn parameters_have_bounds_and_names() {
        for name in ["rc5-32/12/16", "rc5-16/0/0", "rc5-64/255/255", "rc5-8/12/4"] {
            assert_eq!(name.parse::<Rc5Params>().unwrap().to_string(), name);
        }
        assert_eq!("RC5-32/12/16".parse(), Rc5Params::new(32, 12, 16));
        assert_eq!("rc5-24/12/16".parse::<Rc5Params>(), Err(ParamsError::WordBits(24)));
        assert_eq!("rc5-32/256/16".parse::<Rc5Params>(), Err(ParamsError::Rounds(256)));
        assert_eq!("rc5-32/12/256".parse::<Rc5Params>(), Err(ParamsError::KeyBytes(256)));
        for name in [
            "",
            "rc5",
            "rc5-32",
            "rc5-32/12",
            "rc5-32/12/16/1",
            "rc6-32/12/16",
            "rc5-32/+1/1",
            "rc5-32//16",
        ] {
            assert_eq!(name.parse::<Rc5Params>(), Err(ParamsError::Name), "{name:?}");
        }
        assert_eq!(Rc5::<u32>::new(12, &[0; 256]).err(), Some(ParamsError::KeyBytes(256)));
        assert_eq!(Rc5::<u32>::new(256, &[]).err(), Some(ParamsError::Rounds(256)));
    }

    /// The extremes of r and b fill the largest table and key.
    #[test]
    fn extremes_decrypt() {
        fn both_ways<N: Magic>(block: [N; 2]) {
            for (rounds, bytes) in [(0, 0), (255, 255), (0, 255), (255, 0)] {
                let rc5 = Rc5::<N>::new(rounds, &[0x5a; 255][..bytes]).unwrap();
                assert_eq!(rc5.decrypt(rc5.encrypt(block)), block, "{rc5:?}");
            }
        }
        both_ways([1u8, 2]);
        both_ways([1u16, 2]);
        both_ways([1u32, 2]);
        both_ways([1u64, 2]);
    }
}
