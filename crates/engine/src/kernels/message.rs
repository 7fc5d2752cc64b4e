//! A message in one call: its whole blocks, the padded ones, the digest.

use super::kernel::N;
use manylane_primitives::hash::{Hash, Padded, Tail};

/// Two blocks of 64 bytes at the beginning of a cache line.
#[repr(align(64))]
struct PaddingBlocks([u8; 128]);

/// Writes the digest of a message in which `rest` follows `blocks` whole blocks, whose chaining
/// value is `state`. Whole blocks go through `compress`, the padded ones, which have just been
/// written, through `compress_written`; both are given a chaining value, bytes and the number of
/// their blocks. For hashes without counters whose blocks have at most 64 bytes.
#[inline(always)]
pub(crate) fn digest<H: Hash>(
    hash: &H,
    state: &H::State<N<H>>,
    blocks: u64,
    rest: &[u8],
    out: &mut [u8],
    compress: impl Fn(&mut H::State<N<H>>, &[u8], usize),
    compress_written: impl Fn(&mut H::State<N<H>>, &[u8], usize),
) {
    assert!(H::COUNTER_WORDS == 0 && hash.block_bytes() <= 64);
    let mut state = *state;
    let whole = hash.whole_blocks(rest.len() as u64) as usize;
    let (bytes, tail) = rest.split_at(whole * hash.block_bytes());
    if whole > 0 {
        compress(&mut state, bytes, whole);
    }
    let mut end = PaddingBlocks([0; 128]);
    let mut padded = Padded::new(&mut end.0);
    let all = u128::from(blocks) * hash.block_bytes() as u128 + rest.len() as u128;
    hash.pad(&Tail { bytes: tail, total_bits: 8 * all }, &mut padded);
    compress_written(&mut state, padded.bytes, padded.blocks);
    if out.len() == size_of::<H::State<N<H>>>() {
        // With a length that the compiler knows, the output takes half the instructions.
        hash.write_output(&state, &mut out[..size_of::<H::State<N<H>>>()]);
    } else {
        write_part(hash, state, out);
    }
}

/// Writes the first bytes of an output block. Not inlined into [`digest`], because the compiler
/// would then move the words out of vector registers there.
#[inline(never)]
fn write_part<H: Hash>(hash: &H, block: H::State<N<H>>, out: &mut [u8]) {
    hash.write_output(&block, out);
}
