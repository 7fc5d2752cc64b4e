//! SHA-1 by SHA-NI, one to six messages interleaved, three also with the registers of AVX-512.

use crate::cpu::Engine;
use crate::kernels::kernel::{Digests, DigestsFn, Kernel, LaneInputs};
use crate::kernels::rounds::stream;
use core::arch::x86_64::*;
use manylane_primitives::hash::sha1::Sha1;
use manylane_primitives::unroll;

/// For one to six messages: means of what Zen 4 and Zen 5 take. In thirty-two registers three
/// messages take a tenth less on Zen 5, four as long.
pub static KERNELS: &[Kernel<Sha1>] = &kernels([0.48, 0.57, 0.68, 0.76, 0.92, 1.07], 0.62);
/// SHA1RNDS4 keeps its port so long that each message adds as much as one alone takes: measured up
/// to four messages. More registers cannot help.
pub static KERNELS_ON_INTEL: &[Kernel<Sha1>] = &kernels([0.44, 0.86, 1.28, 1.70, 2.12, 2.54], 1.28);

const KERNELS_OF_A_CORE: usize = if cfg!(feature = "all-kernels") { 7 } else { 3 };

/// The kernels with their times for one to six messages, and for three in thirty-two registers.
const fn kernels(times: [f32; 6], in_more: f32) -> [Kernel<Sha1>; KERNELS_OF_A_CORE] {
    [
        kernel::<1>(times),
        kernel::<2>(times),
        #[cfg(feature = "all-kernels")]
        kernel::<3>(times),
        kernel::<4>(times),
        #[cfg(feature = "all-kernels")]
        kernel::<5>(times),
        #[cfg(feature = "all-kernels")]
        kernel::<6>(times),
        #[cfg(feature = "all-kernels")]
        Kernel {
            digests: Some(digests_by(digests_in_more_registers::<3, false>)),
            ..Kernel::compressing(
                Engine::ShaNiAvx512,
                3,
                in_more,
                compress_in_more_registers::<3, false>,
            )
        },
    ]
}

const fn kernel<const STREAMS: usize>(times: [f32; 6]) -> Kernel<Sha1> {
    // Only one stream gains if blocks that have just been written are loaded word by word.
    let compress =
        if STREAMS == 1 { compress::<STREAMS, true> } else { compress::<STREAMS, false> };
    Kernel {
        digest: if STREAMS == 1 { Some(digest) } else { None },
        digests: Some(digests_by(digests::<STREAMS, false>)),
        ..Kernel::compressing(Engine::ShaNi, STREAMS, times[STREAMS - 1], compress)
    }
}

/// Takes no expansion: SHA1RNDS4 adds the round's constant itself, and an expansion contains it.
const fn digests_by(function: DigestsFn<Sha1>) -> Digests<Sha1> {
    Digests { function, takes_expansion: false }
}

/// Four words W_t … W_{t+3} from the sixteen before them (FIPS 180-4 §6.1.2 step 1), of which those
/// of the place `group % 4` are the oldest.
#[target_feature(enable = "sha,ssse3,sse4.1")]
#[inline]
fn next_words(w: &[__m128i; 4], group: usize) -> __m128i {
    let [w16, w12, w8, w4] = std::array::from_fn(|i| w[(group + i) % 4]);
    _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(w16, w12), w8), w4)
}

/// A in the highest place, where the instructions want it, or back in the lowest.
#[inline(always)]
fn reversed(abcd: __m128i) -> __m128i {
    // SAFETY: every x86-64 CPU has SSE2.
    unsafe { _mm_shuffle_epi32::<0x1b>(abcd) }
}

/// The working variables of one message as the instructions want them.
#[derive(Clone, Copy)]
struct Halves {
    abcd: __m128i,
    /// E for the first four rounds of a block, afterwards A … D of the four rounds before, from
    /// which SHA1NEXTE makes E.
    e: __m128i,
}

impl Halves {
    /// All words 0.
    // SAFETY: a vector is sixteen bytes of any value.
    const ZERO: Self = unsafe { std::mem::zeroed() };

    /// Takes the chaining value `[a, b, c, d, e]`.
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    #[inline]
    fn load([a, b, c, d, e]: [u32; 5]) -> Self {
        let words = [a, b, c, d];
        // SAFETY: four words.
        let dcba = unsafe { _mm_loadu_si128(words.as_ptr().cast()) };
        Self { abcd: reversed(dcba), e: _mm_set_epi32(e as i32, 0, 0, 0) }
    }

    /// Passes both vectors through [`stream::narrow`].
    #[inline(always)]
    fn narrow<const WIDE: bool>(self) -> Self {
        Self { abcd: stream::narrow::<WIDE>(self.abcd), e: stream::narrow::<WIDE>(self.e) }
    }

    /// The chaining value.
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    #[inline]
    fn words(self) -> [u32; 5] {
        let mut words = [0; 4];
        // SAFETY: four words.
        unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), reversed(self.abcd)) };
        let [a, b, c, d] = words;
        [a, b, c, d, _mm_extract_epi32::<3>(self.e) as u32]
    }
}

/// Folds `blocks` blocks of each input into its stream's halves.
macro_rules! fold {
    ($halves:ident, $inputs:ident, $blocks:ident, $streams:ident, $written:ident) => {
        let swap = _mm_set_epi64x(0x00010203_04050607, 0x08090a0b_0c0d0e0f);
        let zero = _mm_setzero_si128();
        // One stream waits for SHA1RNDS4 only if its words are there early: as soon as a group of
        // four is used, that of sixteen rounds later takes its place. Several streams wait for none
        // and would need more registers.
        let alone = $streams == 1;
        for block in 0..$blocks {
            let before = $halves;
            let mut w = [[zero; 4]; $streams];
            unroll!(group in 0..20 {
                for s in 0..$streams {
                    let w = &mut w[s];
                    let loaded = match group {
                        0 if alone => 0..4,
                        0..4 if !alone => group..group + 1,
                        _ => 0..0,
                    };
                    for four in loaded {
                        let block = &$inputs[s][64 * block..];
                        w[four] = _mm_shuffle_epi8(stream::load::<$written>(block, four), swap);
                    }
                    if group >= 4 && !alone {
                        w[group % 4] = next_words(w, group);
                    }
                    let Halves { abcd, e } = $halves[s];
                    let ew = if group == 0 {
                        _mm_add_epi32(e, w[0])
                    } else {
                        _mm_sha1nexte_epu32(e, w[group % 4])
                    };
                    let next = _mm_sha1rnds4_epu32::<{ group as i32 / 5 }>(abcd, ew);
                    $halves[s] = Halves { abcd: next, e: abcd };
                    if group < 16 && alone {
                        w[group % 4] = next_words(w, group);
                    }
                }
            });
            for s in 0..$streams {
                let Halves { abcd, e } = $halves[s];
                $halves[s] = Halves {
                    abcd: _mm_add_epi32(abcd, before[s].abcd),
                    e: _mm_sha1nexte_epu32(e, before[s].e),
                };
            }
        }
    };
}

with_features! {
    compress: ("sha,ssse3,sse4.1", false),
    compress_in_more_registers: ("sha,ssse3,sse4.1,avx512vl,avx512bw", true);
    digest: "sha,ssse3,sse4.1";
    fn<Sha1, const STREAMS: usize, const WRITTEN: bool, WIDE>(
        _hash: &Sha1,
        state: &mut [u32],
        _counters: &mut [u32],
        inputs: &[&[u8]],
        blocks: usize,
    ) {
        assert!(state.len() == 5 * STREAMS);
        let mut halves = [Halves::ZERO; STREAMS];
        for s in 0..STREAMS {
            let words = std::array::from_fn(|i| state[i * STREAMS + s]);
            halves[s] = Halves::load(words).narrow::<WIDE>();
        }
        fold!(halves, inputs, blocks, STREAMS, WRITTEN);
        for s in 0..STREAMS {
            for (i, word) in halves[s].narrow::<WIDE>().words().into_iter().enumerate() {
                state[i * STREAMS + s] = word;
            }
        }
    }
}

// Several streams gain nothing if blocks are loaded word by word: `WRITTEN` is false.
with_features! {
    digests: ("sha,ssse3,sse4.1", false),
    digests_in_more_registers: ("sha,ssse3,sse4.1,avx512vl,avx512bw", true);
    fn<Sha1, const STREAMS: usize, const WRITTEN: bool, WIDE>(
        _hash: &Sha1,
        starts: &[[u32; 5]],
        parts: &[LaneInputs; 2],
        _expansion: &[u32],
        out: &mut [u8],
    ) {
        let mut halves = [Halves::ZERO; STREAMS];
        for s in 0..STREAMS {
            halves[s] = Halves::load(starts[s]).narrow::<WIDE>();
        }
        for &(inputs, blocks) in parts {
            fold!(halves, inputs, blocks, STREAMS, WRITTEN);
        }
        let digests = &mut out.as_chunks_mut::<20>().0[..STREAMS];
        for s in 0..STREAMS {
            for (i, word) in halves[s].narrow::<WIDE>().words().into_iter().enumerate() {
                digests[s][4 * i..][..4].copy_from_slice(&word.to_be_bytes());
            }
        }
    }
}
