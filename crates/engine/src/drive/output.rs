//! From the last chaining values in lanes to digests in memory.

use super::layout::get;
use crate::kernels::kernel::{Kernel, N};
use crate::kernels::runs::Runs;

/// Computes the first output block of each lane, if there is something to compute, into `output`.
/// Returns the words that digests are read from, laid out as `state`.
#[inline(always)]
pub fn first_output<'w, H: Runs>(
    hash: &H,
    kernel: &Kernel<H>,
    state: &'w mut [N<H>],
    output: &'w mut Vec<N<H>>,
) -> &'w [N<H>] {
    if !H::SQUEEZES {
        return state;
    }
    resize(output, state.len());
    kernel.squeeze(hash, state, 0, output);
    output
}

/// The least room for an output, in words: eight lanes of Skein-1024, or sixteen of Grøstl-256 or
/// Skein-512.
const OUTPUT_OF_FEW: usize = 128;

/// Makes room for an output of `words` words, and at least [`OUTPUT_OF_FEW`]: then a batch of a few
/// messages allocates once, whichever of its kernels comes first.
fn resize<W: Copy + Default>(output: &mut Vec<W>, words: usize) {
    if output.capacity() < words {
        output.reserve(words.max(OUTPUT_OF_FEW) - output.len());
    }
    output.resize(words, W::default());
}

/// Writes the first `digest` bytes of the output of the first lanes to `out`, those of lane l from
/// byte `places[l]` on. The places are moved on past all output blocks but the last.
pub fn write_output<H: Runs>(
    hash: &H,
    kernel: &Kernel<H>,
    state: &mut [N<H>],
    output: &mut Vec<N<H>>,
    places: &mut [usize],
    digest: usize,
    out: &mut [u8],
) {
    let block_bytes = hash.output_block_bytes();
    for (block, at) in (0..digest).step_by(block_bytes).enumerate() {
        let computes = H::SQUEEZES || block > 0;
        if computes {
            resize(output, state.len());
            kernel.squeeze(hash, state, block as u64, output);
        }
        let words: &[N<H>] = if computes { output } else { state };
        if block > 0 {
            places.iter_mut().for_each(|place| *place += block_bytes);
        }
        write_words(hash, kernel, words, places, block_bytes.min(digest - at), out);
    }
}

/// Writes the first `bytes` bytes of an output block of the first lanes to their places.
pub fn write_words<H: Runs>(
    hash: &H,
    kernel: &Kernel<H>,
    words: &[N<H>],
    places: &[usize],
    bytes: usize,
    out: &mut [u8],
) {
    if kernel.write(words, places, bytes, out) {
        return;
    }
    let (lanes, needed) = (kernel.lanes, hash.output_words(bytes));
    for (lane, &place) in places.iter().enumerate() {
        // If the compiler knows the stride, the words take a third of the time.
        let block = match lanes {
            lanes if needed < Kernel::<H>::STATE => get::<H>(words, lanes, lane, needed),
            8 => get::<H>(words, 8, lane, Kernel::<H>::STATE),
            16 => get::<H>(words, 16, lane, Kernel::<H>::STATE),
            32 => get::<H>(words, 32, lane, Kernel::<H>::STATE),
            lanes => get::<H>(words, lanes, lane, Kernel::<H>::STATE),
        };
        hash.write_output(&block, &mut out[place..][..bytes]);
    }
}
