//! Compares every kernel of a hash with the scalar kernel, from any chaining values and counters.
//!
//! Tests of digests begin at few chaining values, fill the lanes as the driver does, and use only
//! the kernels that are chosen. This comparison also reaches the kernels of other cores, and those
//! that are too slow to be chosen.

use super::times::KernelName;
use super::visit::{Visit, visit};
use crate::kernels::kernel::{Kernel, LONG_CALL, N};
use crate::kernels::message;
use crate::kernels::rounds;
use crate::kernels::runs::Runs;
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::hash::{Hash, read_words};
use manylane_primitives::word::{Native, Words};

/// The most blocks of a call, and output blocks of a message.
const BLOCKS: usize = 5;

/// Compares all kernels that this CPU runs, in every lane: compression of 0 to 5 blocks, and of as
/// many as lie on both sides of [`LONG_CALL`], counters, output blocks, blocks whose expansion is
/// known, digests in their places, and whole messages. Values come from `seed`. Returns the kernels
/// that were compared with the scalar one.
///
/// # Errors
/// Says which kernel differs, and where.
// This function is not generic, so that the kernels it names are compiled in this crate.
#[doc(hidden)]
#[inline(never)]
pub fn kernels_agree(algorithm: Algorithm, seed: u64) -> Result<Vec<KernelName>, String> {
    struct Check(u64);
    impl Visit for Check {
        type Output = Result<Vec<KernelName>, String>;
        fn visit<H: Runs>(self, hash: H) -> Self::Output {
            let (scalar, others) = H::KERNELS.split_first().expect("the scalar kernel");
            let mut compared = Vec::new();
            for kernel in others.iter().chain(rounds::on_any_core::<H>()) {
                if kernel.engine.runs_here() {
                    agree(&hash, scalar, kernel, &mut Random(self.0))?;
                    compared.push(kernel.name());
                }
            }
            Ok(compared)
        }
    }
    visit(algorithm, Check(seed))
}

/// A linear congruential generator (Knuth's for MMIX), which gives the highest byte of each state.
struct Random(u64);

impl Random {
    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let next = |_| {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 56) as u8
        };
        (0..count).map(next).collect()
    }

    fn words<H: Hash>(&mut self, count: usize) -> Vec<N<H>> {
        let bytes = self.bytes(count * N::<H>::BYTES);
        bytes.chunks_exact(N::<H>::BYTES).map(|bytes| N::<H>::read(bytes, H::ORDER)).collect()
    }
}

/// Words of one lane of several.
fn of_lane<T: Copy>(words: &[T], lanes: usize, lane: usize) -> Vec<T> {
    words.iter().skip(lane).step_by(lanes).copied().collect()
}

fn agree<H: Runs>(
    hash: &H,
    scalar: &Kernel<H>,
    kernel: &Kernel<H>,
    random: &mut Random,
) -> Result<(), String> {
    let lanes = kernel.lanes;
    let same = |is: &[N<H>], one: &[N<H>], lane: usize, what: &str| match is == one {
        true => Ok(()),
        false => Err(format!("{kernel:?}, lane {lane}, {what}: {is:x?} where scalar has {one:x?}")),
    };
    let mut state = random.words::<H>(Kernel::<H>::STATE * lanes);
    let mut counters = random.words::<H>(H::COUNTER_WORDS * lanes);
    let block_bytes = hash.block_bytes();
    for blocks in (0..=BLOCKS).chain([LONG_CALL - 1, LONG_CALL]) {
        let messages: Vec<_> = (0..lanes).map(|_| random.bytes(blocks * block_bytes)).collect();
        let inputs: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let (before, counted) = (state.clone(), counters.clone());
        kernel.compress(hash, &mut state, &mut counters, &inputs, blocks);
        for lane in 0..lanes {
            let mut one = of_lane(&before, lanes, lane);
            let mut t = of_lane(&counted, lanes, lane);
            scalar.compress(hash, &mut one, &mut t, &inputs[lane..=lane], blocks);
            same(&of_lane(&state, lanes, lane), &one, lane, &format!("{blocks} blocks"))?;
            let what = format!("counters after {blocks} blocks");
            same(&of_lane(&counters, lanes, lane), &t, lane, &what)?;
        }
    }
    if H::EXPANSION > 0 && kernel.compress_expanded.is_some() {
        let block = random.bytes(block_bytes);
        let mut expansion = vec![N::<H>::default(); H::EXPANSION];
        hash.expand(&read_words(&block, H::ORDER), &mut expansion);
        let before = state.clone();
        kernel.compress_expanded(hash, &mut state, &counters, &expansion);
        for lane in 0..lanes {
            let mut one = of_lane(&before, lanes, lane);
            let mut t = of_lane(&counters, lanes, lane);
            scalar.compress(hash, &mut one, &mut t, &[&block], 1);
            same(&of_lane(&state, lanes, lane), &one, lane, "an expanded block")?;
        }
    }
    // The output blocks of a lane come in order: all lanes compute a block before the next one.
    let mut ones: Vec<_> = (0..lanes).map(|lane| of_lane(&state, lanes, lane)).collect();
    for index in 0..BLOCKS as u64 {
        let mut out = state.clone();
        kernel.squeeze(hash, &mut state, index, &mut out);
        for (lane, one) in ones.iter_mut().enumerate() {
            let mut block = one.clone();
            scalar.squeeze(hash, one, index, &mut block);
            let what = format!("output block {index}");
            same(&of_lane(&out, lanes, lane), &block, lane, &what)?;
            same(&of_lane(&state, lanes, lane), one, lane, &format!("state after {what}"))?;
        }
    }
    writes(hash, kernel, &state)?;
    if kernel.digests.is_some() {
        digests(hash, scalar, kernel, random)?;
    }
    if kernel.digest.is_some() { messages(hash, scalar, kernel, random) } else { Ok(()) }
}

/// Digests of messages of up to three blocks and a byte, in full and cut, after no whole blocks and
/// after 2⁵⁰.
fn messages<H: Runs>(
    hash: &H,
    scalar: &Kernel<H>,
    kernel: &Kernel<H>,
    random: &mut Random,
) -> Result<(), String> {
    let words = random.words::<H>(Kernel::<H>::STATE);
    let mut state = H::State::splat(N::<H>::default());
    state.as_mut().copy_from_slice(&words);
    let rest = random.bytes(3 * hash.block_bytes() + 1);
    for (length, blocks) in (0..=rest.len()).flat_map(|length| [(length, 0), (length, 1 << 50)]) {
        for bytes in [hash.output_block_bytes(), hash.output_block_bytes() - 3] {
            let (mut out, mut expected) = (vec![0xa5; bytes], vec![0; bytes]);
            let rest = &rest[..length];
            let compress = |state: &mut H::State<N<H>>, bytes: &[u8], blocks| {
                scalar.compress(hash, state.as_mut(), &mut [], &[bytes], blocks);
            };
            message::digest(hash, &state, blocks, rest, &mut expected, compress, compress);
            kernel.digest(hash, &state, blocks, rest, &mut out);
            if out != expected {
                return Err(format!("{kernel:?}: {bytes} bytes of the digest of {length} bytes"));
            }
        }
    }
    Ok(())
}

/// Digests of messages that begin at any chaining values, after 0 to 5 blocks in two parts and,
/// where the kernel takes one, a block whose expansion is known.
fn digests<H: Runs>(
    hash: &H,
    scalar: &Kernel<H>,
    kernel: &Kernel<H>,
    random: &mut Random,
) -> Result<(), String> {
    let (lanes, block_bytes) = (kernel.lanes, hash.block_bytes());
    let last = random.bytes(block_bytes);
    let mut expansion = vec![N::<H>::default(); H::EXPANSION];
    hash.expand(&read_words(&last, H::ORDER), &mut expansion);
    let endings: &[&[N<H>]] = if kernel.takes_expansion() { &[&[], &expansion] } else { &[&[]] };
    let cases = (0..=BLOCKS).flat_map(|blocks| endings.iter().map(move |end| (blocks, *end)));
    for (blocks, expansion) in cases {
        let messages: Vec<_> = (0..lanes).map(|_| random.bytes(blocks * block_bytes)).collect();
        let inputs: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let mut starts = vec![H::State::splat(N::<H>::default()); lanes];
        for start in &mut starts {
            start.as_mut().copy_from_slice(&random.words::<H>(Kernel::<H>::STATE));
        }
        let bytes = size_of::<H::State<N<H>>>();
        let mut out = vec![0xa5; lanes * bytes];
        let first = blocks / 2;
        let second: Vec<&[u8]> = inputs.iter().map(|all| &all[first * block_bytes..]).collect();
        let parts = [(&inputs[..], first), (&second[..], blocks - first)];
        kernel.digests(hash, &starts, &parts, expansion, &mut out);
        for (lane, digest) in out.chunks_exact(bytes).enumerate() {
            let mut one = starts[lane];
            scalar.compress(hash, one.as_mut(), &mut [], &inputs[lane..=lane], blocks);
            if !expansion.is_empty() {
                scalar.compress(hash, one.as_mut(), &mut [], &[&last], 1);
            }
            let mut expected = vec![0; bytes];
            hash.write_output(&one, &mut expected);
            if digest != expected {
                return Err(format!("{kernel:?}, lane {lane}: the digest after {blocks} blocks"));
            }
        }
    }
    Ok(())
}

/// Digests of any length at places in any order are what the definition writes.
fn writes<H: Runs>(hash: &H, kernel: &Kernel<H>, state: &[N<H>]) -> Result<(), String> {
    let whole = hash.output_block_bytes();
    for (bytes, count) in [(1, kernel.lanes), (whole, kernel.lanes), (whole, kernel.lanes / 2)] {
        let places: Vec<_> = (0..count).rev().map(|lane| (bytes + 3) * lane).collect();
        let mut out = vec![0xa5; (bytes + 3) * count];
        let mut expected = out.clone();
        if !kernel.write(state, &places, bytes, &mut out) {
            continue;
        }
        for (lane, &place) in places.iter().enumerate() {
            let mut words = H::State::splat(N::<H>::default());
            words.as_mut().copy_from_slice(&of_lane(state, kernel.lanes, lane));
            hash.write_output(&words, &mut expected[place..][..bytes]);
        }
        if out != expected {
            return Err(format!("{kernel:?}: digests of {bytes} bytes of {count} lanes"));
        }
    }
    Ok(())
}
