//! SHA-256 by SHA-NI, one to six messages interleaved: a round's latency is four cycles, so that
//! one message alone leaves the unit idle. Three and four messages also have kernels with the
//! registers of AVX-512.

use crate::cpu::Engine;
use crate::kernels::kernel::{Digests, Kernel, LaneInputs};
use crate::kernels::rounds::stream;
use core::arch::x86_64::*;
use manylane_primitives::hash::sha2::{K256, Sha256};
use manylane_primitives::unroll;

/// For one to six messages: means of what Zen 4 and Zen 5 take. Zen 4's unit begins SHA256RNDS2
/// every clock, and thirty-two registers leave it less idle; Zen 5's begins it every second clock
/// and is busy with sixteen.
pub static KERNELS: &[Kernel<Sha256>] =
    &kernels([0.22, 0.26, 0.37, 0.47, 0.59, 0.71], [0.31, 0.41]);
/// SHA256RNDS2 takes its port for three cycles, on AMD's cores for two or one, so that each message
/// after the first adds as much: measured up to four messages. More registers cannot help.
pub static KERNELS_ON_INTEL: &[Kernel<Sha256>] =
    &kernels([0.27, 0.46, 0.66, 0.85, 1.05, 1.24], [0.66, 0.85]);

const KERNELS_OF_A_CORE: usize = if cfg!(feature = "all-kernels") { 8 } else { 3 };

/// The kernels with their times for one to six messages, and for three and four in thirty-two
/// registers.
const fn kernels(times: [f32; 6], in_more: [f32; 2]) -> [Kernel<Sha256>; KERNELS_OF_A_CORE] {
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
        in_more_registers::<3>(in_more[0]),
        #[cfg(feature = "all-kernels")]
        in_more_registers::<4>(in_more[1]),
    ]
}

const fn in_more_registers<const STREAMS: usize>(time: f32) -> Kernel<Sha256> {
    let compress = compress_in_more_registers::<STREAMS, false>;
    Kernel {
        digests: Some(Digests {
            function: digests_in_more_registers::<STREAMS, false>,
            takes_expansion: true,
        }),
        ..Kernel::compressing(Engine::ShaNiAvx512, STREAMS, time, compress)
    }
}

const fn kernel<const STREAMS: usize>(times: [f32; 6]) -> Kernel<Sha256> {
    // Only one stream gains if blocks that have just been written are loaded word by word.
    let compress =
        if STREAMS == 1 { compress::<STREAMS, true> } else { compress::<STREAMS, false> };
    Kernel {
        digest: if STREAMS == 1 { Some(digest) } else { None },
        digests: Some(Digests { function: digests::<STREAMS, false>, takes_expansion: true }),
        ..Kernel::compressing(Engine::ShaNi, STREAMS, times[STREAMS - 1], compress)
    }
}

/// The working variables of one message as the instructions want them.
#[derive(Clone, Copy)]
struct Halves {
    abef: __m128i,
    cdgh: __m128i,
}

impl Halves {
    /// All words 0.
    // SAFETY: a vector is sixteen bytes of any value.
    const ZERO: Self = unsafe { std::mem::zeroed() };

    /// Loads the chaining value `[a, b, c, d, e, f, g, h]`.
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    #[inline]
    fn load(words: &[u32; 8]) -> Self {
        // SAFETY: two times four words.
        let (dcba, hgfe) = unsafe {
            let words = words.as_ptr();
            (_mm_loadu_si128(words.cast()), _mm_loadu_si128(words.add(4).cast()))
        };
        let (cdab, efgh) = (_mm_shuffle_epi32::<0xb1>(dcba), _mm_shuffle_epi32::<0x1b>(hgfe));
        let abef = _mm_alignr_epi8::<8>(cdab, efgh);
        Self { abef, cdgh: _mm_blend_epi16::<0xf0>(efgh, cdab) }
    }

    /// Passes both vectors through [`stream::narrow`].
    #[inline(always)]
    fn narrow<const WIDE: bool>(self) -> Self {
        Self { abef: stream::narrow::<WIDE>(self.abef), cdgh: stream::narrow::<WIDE>(self.cdgh) }
    }

    /// The chaining value as two vectors, a in the lowest place.
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    #[inline]
    fn words(self) -> [__m128i; 2] {
        let (feba, dchg) =
            (_mm_shuffle_epi32::<0x1b>(self.abef), _mm_shuffle_epi32::<0xb1>(self.cdgh));
        [_mm_blend_epi16::<0xf0>(feba, dchg), _mm_alignr_epi8::<8>(dchg, feba)]
    }

    /// Stores the words as [`Halves::load`] reads them.
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    #[inline]
    fn store(self, words: &mut [u32; 8]) {
        let [low, high] = self.words();
        // SAFETY: two times four words.
        unsafe {
            let words = words.as_mut_ptr();
            _mm_storeu_si128(words.cast(), low);
            _mm_storeu_si128(words.add(4).cast(), high);
        }
    }

    /// Stores the words as the bytes of a digest.
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    #[inline]
    fn store_bytes(self, bytes: &mut [u8; 32]) {
        let swap = _mm_set_epi64x(0x0c0d0e0f_08090a0b, 0x04050607_00010203);
        let [low, high] = self.words();
        // SAFETY: two times sixteen bytes.
        unsafe {
            let bytes = bytes.as_mut_ptr();
            _mm_storeu_si128(bytes.cast(), _mm_shuffle_epi8(low, swap));
            _mm_storeu_si128(bytes.add(16).cast(), _mm_shuffle_epi8(high, swap));
        }
    }

    /// The sums of the words of both.
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    #[inline]
    fn plus(self, other: Self) -> Self {
        Self {
            abef: _mm_add_epi32(self.abef, other.abef),
            cdgh: _mm_add_epi32(self.cdgh, other.cdgh),
        }
    }
}

/// Four rounds, of which `sums` has W_t + K_t (FIPS 180-4 §6.2.2 step 3).
#[target_feature(enable = "sha,ssse3,sse4.1")]
#[inline]
fn four_rounds(Halves { abef, cdgh }: Halves, sums: __m128i) -> Halves {
    let cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sums);
    let abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32::<0x0e>(sums));
    Halves { abef, cdgh }
}

/// Four words W_t … W_{t+3} from the sixteen before them (FIPS 180-4 §6.2.2 step 1).
#[target_feature(enable = "sha,ssse3,sse4.1")]
#[inline]
fn schedule(w16: __m128i, w12: __m128i, w8: __m128i, w4: __m128i) -> __m128i {
    let w7 = _mm_alignr_epi8::<4>(w4, w8);
    _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w16, w12), w7), w4)
}

/// Folds `blocks` blocks of each input into its stream's halves.
macro_rules! fold {
    ($halves:ident, $inputs:ident, $blocks:ident, $streams:ident, $written:ident) => {
        let swap = _mm_set_epi64x(0x0c0d0e0f_08090a0b, 0x04050607_00010203);
        let zero = _mm_setzero_si128();
        for block in 0..$blocks {
            let before = $halves;
            let mut w = [[zero; 4]; $streams];
            unroll!(group in 0..16 {
                // SAFETY: K256 has 64 words, the last four of them from 4 · 15.
                let k = unsafe { _mm_loadu_si128(K256.as_ptr().add(4 * group).cast()) };
                for s in 0..$streams {
                    let w = &mut w[s];
                    w[group % 4] = if group < 4 {
                        let block = &$inputs[s][64 * block..];
                        _mm_shuffle_epi8(stream::load::<$written>(block, group), swap)
                    } else {
                        schedule(
                            w[group % 4],
                            w[(group + 1) % 4],
                            w[(group + 2) % 4],
                            w[(group + 3) % 4],
                        )
                    };
                    let sums = _mm_add_epi32(w[group % 4], k);
                    $halves[s] = four_rounds($halves[s], sums);
                }
            });
            for s in 0..$streams {
                $halves[s] = $halves[s].plus(before[s]);
            }
        }
    };
}

with_features! {
    compress: ("sha,ssse3,sse4.1", false),
    compress_in_more_registers: ("sha,ssse3,sse4.1,avx512vl,avx512bw", true);
    digest: "sha,ssse3,sse4.1";
    fn<Sha256, const STREAMS: usize, const WRITTEN: bool, WIDE>(
        _hash: &Sha256,
        state: &mut [u32],
        _counters: &mut [u32],
        inputs: &[&[u8]],
        blocks: usize,
    ) {
        assert!(state.len() == 8 * STREAMS);
        let mut halves = [Halves::ZERO; STREAMS];
        // The words of one stream lie side by side. Copied one by one, they would not stay in
        // vector registers in `digest`.
        let alone = STREAMS == 1;
        for s in 0..STREAMS {
            halves[s] = match state.first_chunk() {
                Some(words) if alone => Halves::load(words),
                _ => Halves::load(&std::array::from_fn(|i| state[i * STREAMS + s])),
            };
            halves[s] = halves[s].narrow::<WIDE>();
        }
        fold!(halves, inputs, blocks, STREAMS, WRITTEN);
        for s in 0..STREAMS {
            halves[s] = halves[s].narrow::<WIDE>();
            match state.first_chunk_mut() {
                Some(words) if alone => halves[s].store(words),
                _ => {
                    let mut words = [0u32; 8];
                    halves[s].store(&mut words);
                    for (i, word) in words.into_iter().enumerate() {
                        state[i * STREAMS + s] = word;
                    }
                }
            }
        }
    }
}

// Several streams gain nothing if blocks are loaded word by word: `WRITTEN` is false.
with_features! {
    digests: ("sha,ssse3,sse4.1", false),
    digests_in_more_registers: ("sha,ssse3,sse4.1,avx512vl,avx512bw", true);
    fn<Sha256, const STREAMS: usize, const WRITTEN: bool, WIDE>(
        _hash: &Sha256,
        starts: &[[u32; 8]],
        parts: &[LaneInputs; 2],
        sums: &[u32],
        out: &mut [u8],
    ) {
        let mut halves = [Halves::ZERO; STREAMS];
        for s in 0..STREAMS {
            halves[s] = Halves::load(&starts[s]).narrow::<WIDE>();
        }
        for &(inputs, blocks) in parts {
            fold!(halves, inputs, blocks, STREAMS, WRITTEN);
        }
        if !sums.is_empty() {
            let before = halves;
            for four in &sums.as_chunks::<4>().0[..16] {
                // SAFETY: four words.
                let sums = unsafe { _mm_loadu_si128(four.as_ptr().cast()) };
                for s in 0..STREAMS {
                    halves[s] = four_rounds(halves[s], sums);
                }
            }
            for s in 0..STREAMS {
                halves[s] = halves[s].plus(before[s]);
            }
        }
        let digests = &mut out.as_chunks_mut::<32>().0[..STREAMS];
        for s in 0..STREAMS {
            halves[s].narrow::<WIDE>().store_bytes(&mut digests[s]);
        }
    }
}
