//! Kernels for WebAssembly, shaped by the machine code that V8 makes of them.
//!
//! On x86-64, V8 has 15 vector registers, emits no vector rotation, and orders operations anew.
//! These kernels differ from the definitions in three ways:
//!
//! - Loops have few rounds. With all rounds unrolled V8 spills more words, and the code exceeds the
//!   cache of decoded instructions.
//! - Two groups of lanes, for MD5 also four, are interleaved: [`Anchored`] accesses to memory keep
//!   V8 from computing many rounds of one group before those of the other. A vector operation of
//!   Zen 5 has a latency of two cycles, for which one group alone would wait.
//! - Constants are read from memory. V8 makes a constant vector by three instructions wherever it
//!   is used.
//!
//! MB/s of the loops alone, without the driver, in Node 20 on Zen 5:
//!
//! ```text
//!            definition             here
//! MD5        8 lanes  1,270     8 lanes  2,640    16 lanes  3,720
//! SHA-1      4        1,240     8        2,370
//! SHA-256    4          970     8        1,130
//! SHA-512    2          550     2          710     3          886     4  900
//! SHA3-256   1          223     1          503     2          729     3  933
//! SHA3-256   2          319
//! ```
//!
//! A round of SHA-256 for four lanes has 52 vector operations on average, of which the CPU starts
//! four a cycle, and takes 15 cycles.

use crate::kernels::kernel::Kernel;
use crate::kernels::shell::{scalar, simd128};
use crate::kernels::text::{Nothing, Text};
use crate::lanes::Lanes;
use crate::lanes::anchor::Anchored;
use crate::lanes::pair::{AnyOrder, Pair};
use crate::lanes::simd128::Simd128;
use core::mem::MaybeUninit;
use core::num::Wrapping;
use manylane_primitives::hash::keccak::{self, Keccak, RC};
use manylane_primitives::hash::md5::{self, Md5};
use manylane_primitives::hash::sha1::{self, Sha1};
use manylane_primitives::hash::sha2::{self, Functions, K256, K512, Sha256, Sha512};
use manylane_primitives::hash::{Counter, Hash};
use manylane_primitives::unroll;
use manylane_primitives::word::ByteOrder;
use std::hint::black_box;

type Words4 = Simd128<u32>;
type Words8 = Pair<Words4>;
type Longs2 = Simd128<u64>;
/// Two lanes of a vector and a scalar word, whose operations have ports of their own. SHA-512 in
/// these three lanes is as fast as in four lanes of vectors in Node 20, and faster in Chromium 156.
/// SHA-256 gains nothing: a scalar word beside four or eight lanes costs 5 to 15 % of the rate.
type Longs3 = Pair<Longs2, AnyOrder, Wrapping<u64>>;

/// Two and four groups of four messages.
#[cfg(feature = "md5")]
pub static MD5: &[Kernel<Md5>] = &[
    Kernel { block_time: 1.9, ..simd128::kernel_of::<_, Words8, Anchors>() },
    Kernel { block_time: 2.6, ..simd128::kernel_of::<_, Pair<Words8>, Anchors>() },
];
/// Two groups of four messages.
#[cfg(feature = "sha1")]
pub static SHA_1: &[Kernel<Sha1>] =
    &[Kernel { block_time: 3.2, ..simd128::kernel_of::<_, Words8, Anchors>() }];
/// Two groups of four messages.
#[cfg(feature = "sha2")]
pub static SHA_256: &[Kernel<Sha256>] =
    &[Kernel { block_time: 3.1, ..simd128::kernel_of::<_, Words8, Anchors>() }];
/// Two messages in a vector; three, one of them in scalar words; two groups of two.
#[cfg(feature = "sha2")]
pub static SHA_512: &[Kernel<Sha512>] = &[
    Kernel { block_time: 1.6, ..simd128::kernel_of::<_, Longs2, Anchors>() },
    Kernel { block_time: 1.75, ..simd128::kernel_of::<_, Longs3, Anchors>() },
    Kernel { block_time: 2.4, ..simd128::kernel_of::<_, Pair<Longs2>, Anchors>() },
];
/// One, two and three messages, the rounds in a loop.
#[cfg(feature = "sha3")]
pub static KECCAK: &[Kernel<Keccak>] = &[
    rolled::<Wrapping<u64>>(scalar::kernel::<_, Wrapping<u64>>(), 0.45),
    rolled::<Longs2>(simd128::kernel::<_, Longs2>(), 0.62),
    rolled::<Longs3>(simd128::kernel::<_, Longs3>(), 0.72),
];

#[cfg(feature = "sha3")]
const fn rolled<L: Lanes<Native = u64>>(kernel: Kernel<Keccak>, block_time: f32) -> Kernel<Keccak> {
    Kernel { block_time, compress: absorb::<L>, squeeze: squeeze::<L>, ..kernel }
}

/// The definition's operations, tied to accesses to memory.
pub struct Anchors;

#[cfg(feature = "md5")]
impl<L: Lanes<Native = u32> + Anchored> Text<Md5, L> for Anchors {
    type Before = Nothing;

    /// RFC 1321 §3.4.
    #[inline(always)]
    fn compress(_: &Md5, h: &mut [L; 4], x: &[L; 16], _: Counter<L>) {
        let table = black_box(&md5::T);
        let mut s = *h;
        macro_rules! sixteen {
            ($round:literal, $function:expr) => {
                unroll!(j in 0..16 {
                    const T: usize = 16 * $round + j;
                    let [a, b, c, d] = s;
                    let xt = x[md5::k(T)].read_here() + L::constant(table[T]);
                    let next = b + (a + xt + $function(b, c, d)).rotl(md5::S[$round][T % 4]);
                    next.have_here();
                    s = [d, next, b, c];
                });
            };
        }
        sixteen!(0, L::ch);
        sixteen!(1, |b, c, d| L::ch(d, b, c));
        sixteen!(2, L::xor3);
        sixteen!(3, |b: L, c: L, d: L| c ^ (b | !d));
        unroll!(i in 0..4 { h[i] = h[i] + s[i]; });
    }
}

#[cfg(feature = "sha1")]
impl<L: Lanes<Native = u32> + Anchored> Text<Sha1, L> for Anchors {
    type Before = Nothing;

    /// FIPS 180-4 §6.1.2, five rounds at a time, after which each word of the state is back in its
    /// place.
    #[inline(always)]
    fn compress(_: &Sha1, h: &mut [L; 5], m: &[L; 16], _: Counter<L>) {
        let table = black_box(&sha1::K);
        let mut w = Schedule::of(m);
        let mut s = *h;
        macro_rules! twenty {
            ($i:literal) => {
                let k = L::constant(table[$i]);
                for five in 0..4 {
                    unroll!(j in 0..5 {
                        let t = 20 * $i + 5 * five + j;
                        // SAFETY: round t sets word t + 16 up to word 75; words 76 to 79 are set
                        // before the last twenty rounds.
                        let w0 = unsafe { w.at(t) };
                        if $i < 3 {
                            // SAFETY: as above.
                            w.set(t + 16, unsafe { sha1_schedule(&w, t, w0) });
                        }
                        s = sha1::round(20 * $i, s, k, w0);
                        s[0].have_here();
                    });
                }
            };
        }
        twenty!(0);
        twenty!(1);
        twenty!(2);
        for t in 60..64 {
            // SAFETY: the words before number 76 are set.
            w.set(t + 16, unsafe { sha1_schedule(&w, t, w.at(t)) });
        }
        twenty!(3);
        unroll!(i in 0..5 { h[i] = h[i] + s[i]; });
    }
}

/// W_{t+16} of SHA-1, from W_t and later words.
///
/// # Safety
/// The words from t + 1 to t + 15 must have been set.
#[cfg(feature = "sha1")]
#[inline(always)]
unsafe fn sha1_schedule<L: Lanes<Native = u32> + Anchored>(w: &Schedule<L>, t: usize, w0: L) -> L {
    // SAFETY: by the caller.
    unsafe { sha1::schedule(w.at(t + 13), w.at(t + 8), w.at(t + 2), w0) }
}

#[cfg(feature = "sha2")]
impl<L: Lanes<Native = u32> + Anchored> Text<Sha256, L> for Anchors {
    type Before = Nothing;

    #[inline(always)]
    fn compress(_: &Sha256, h: &mut [L; 8], m: &[L; 16], _: Counter<L>) {
        compress_sha2::<Sha256, L, _>(h, m, &K256);
    }
}

#[cfg(feature = "sha2")]
impl<L: Lanes<Native = u64> + Anchored> Text<Sha512, L> for Anchors {
    type Before = Nothing;

    #[inline(always)]
    fn compress(_: &Sha512, h: &mut [L; 8], m: &[L; 16], _: Counter<L>) {
        compress_sha2::<Sha512, L, _>(h, m, &K512);
    }
}

/// The words W_t of a block. A word is initialised when it is set.
struct Schedule<L>([MaybeUninit<L>; 80]);

impl<L: Anchored> Schedule<L> {
    /// The schedule that begins with these words.
    #[inline(always)]
    fn of(m: &[L; 16]) -> Self {
        let mut w = Self([const { MaybeUninit::uninit() }; 80]);
        unroll!(t in 0..16 { w.set(t, m[t]); });
        w
    }

    /// # Safety
    /// The word must have been set.
    #[inline(always)]
    unsafe fn at(&self, t: usize) -> L {
        // SAFETY: by the caller.
        unsafe { self.0[t].assume_init_ref() }.read_here()
    }

    #[inline(always)]
    fn set(&mut self, t: usize, word: L) {
        word.write_here(&mut self.0[t]);
    }
}

/// FIPS 180-4 §6.2.2 and §6.4.2, four rounds at a time. Round t also computes W_{t+16}, for which
/// it has W_t at hand.
#[inline(always)]
fn compress_sha2<F: Functions<L>, L: Lanes + Anchored, const ROUNDS: usize>(
    h: &mut [L; 8],
    m: &[L; 16],
    k: &[L::Native; ROUNDS],
) {
    let mut w = Schedule::of(m);
    let mut s = *h;
    let mut t = 0;
    while t < ROUNDS - 16 {
        unroll!(j in 0..4 {
            // SAFETY: sixteen words are set before the loop, and one in each round.
            let [w0, w1, w9, w14] = unsafe {
                [w.at(t + j), w.at(t + j + 1), w.at(t + j + 9), w.at(t + j + 14)]
            };
            w.set(t + j + 16, sha2::schedule::<F, L>(w14, w9, w1, w0));
            s = round::<F, L>(s, L::constant(k[t + j]), w0);
        });
        t += 4;
    }
    while t < ROUNDS {
        unroll!(j in 0..4 {
            // SAFETY: the words of all rounds are set.
            s = round::<F, L>(s, L::constant(k[t + j]), unsafe { w.at(t + j) });
        });
        t += 4;
    }
    unroll!(i in 0..8 { h[i] = h[i] + s[i]; });
}

/// Round t of §6.2.2 or §6.4.2, step 3. The sums are ordered so that only one addition comes
/// between Σ₁(e), which takes longest, and the new e.
#[inline(always)]
fn round<F: Functions<L>, L: Lanes + Anchored>(
    [a, b, c, d, e, f, g, h]: [L; 8],
    kt: L,
    wt: L,
) -> [L; 8] {
    let (hkw, ch, sigma) = (h + (kt + wt), L::ch(e, f, g), F::big_sigma1(e));
    let next_e = d + hkw + ch + sigma;
    next_e.have_here();
    let next_a = hkw + ch + sigma + (F::big_sigma0(a) + L::maj(a, b, c));
    next_a.have_here();
    [next_a, a, b, c, next_e, e, f, g]
}

/// FIPS 202 §4, Algorithm 8, step 6. Words of a block are added to the state two at a time: an
/// array for a whole block would be filled and copied by calls.
///
/// # Safety
/// Nothing is required: the function is unsafe because the type of a kernel's functions is.
#[cfg(feature = "sha3")]
unsafe fn absorb<L: Lanes<Native = u64>>(
    hash: &Keccak,
    state: &mut [u64],
    _: &mut [u64],
    inputs: &[&[u8]],
    blocks: usize,
) {
    let rate = hash.block_bytes();
    for input in inputs {
        assert!(input.len() >= blocks * rate);
    }
    let mut a = load::<L>(state);
    for block in 0..blocks {
        let mut words = a[..rate / 8].chunks_exact_mut(2);
        let mut at = block * rate;
        for two in &mut words {
            let mut m = [L::constant(0); 2];
            // SAFETY: the inputs have all bytes of the blocks.
            unsafe { L::load_block(&mut m, inputs, at, ByteOrder::Little) };
            two[0] = two[0] ^ m[0];
            two[1] = two[1] ^ m[1];
            at += 16;
        }
        for word in words.into_remainder() {
            let mut m = [L::constant(0)];
            // SAFETY: as above.
            unsafe { L::load_block(&mut m, inputs, at, ByteOrder::Little) };
            *word = *word ^ m[0];
        }
        keccak_f(&mut a);
    }
    store(&a, state);
}

/// # Safety
/// Nothing is required, as for [`absorb`].
#[cfg(feature = "sha3")]
unsafe fn squeeze<L: Lanes<Native = u64>>(
    _: &Keccak,
    state: &mut [u64],
    index: u64,
    out: &mut [u64],
) {
    if index > 0 {
        let mut a = load::<L>(state);
        keccak_f(&mut a);
        store(&a, state);
    }
    out.copy_from_slice(state);
}

#[cfg(feature = "sha3")]
#[inline(always)]
fn load<L: Lanes<Native = u64>>(state: &[u64]) -> keccak::State<L> {
    core::array::from_fn(|i| L::load(&state[i * L::LANES..]))
}

#[cfg(feature = "sha3")]
#[inline(always)]
fn store<L: Lanes<Native = u64>>(a: &keccak::State<L>, state: &mut [u64]) {
    for (i, word) in a.iter().enumerate() {
        word.store(&mut state[i * L::LANES..]);
    }
}

/// The definition's rounds, one in each iteration. V8 spills the words for which it has no
/// registers; with eight rounds in an iteration they take twice the time.
#[cfg(feature = "sha3")]
#[inline(always)]
fn keccak_f<L: Lanes<Native = u64>>(h: &mut keccak::State<L>) {
    let mut a = *h;
    for rc in black_box(&RC) {
        a = keccak::round(a, L::constant(*rc));
    }
    *h = a;
}
