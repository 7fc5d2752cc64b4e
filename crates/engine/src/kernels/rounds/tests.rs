//! What the kernels of single hashes are held to.

use crate::kernels::kernel::{Kernel, N};
use manylane_primitives::hash::{Compress, Hash, Scalar, read_words};
use manylane_primitives::word::{Native, Words};

/// Compression and output blocks of each kernel are the definition's in every lane, however many
/// blocks a call has.
pub fn kernels_are_the_definition<H: Compress<Scalar<H>>>(hash: &H, kernels: &[Kernel<H>]) {
    let mut seed = 1u64;
    let mut bytes = move |count: usize| -> Vec<u8> {
        let next = |_| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 56) as u8
        };
        (0..count).map(next).collect()
    };
    for kernel in kernels {
        if !kernel.engine.runs_here() {
            eprintln!("kernels_are_the_definition: {kernel:?} skipped");
            continue;
        }
        let lanes = kernel.lanes;
        let mut words = |count: usize| -> Vec<N<H>> {
            let word = |bytes: &[u8]| N::<H>::read(bytes, H::ORDER);
            bytes(count * N::<H>::BYTES).chunks_exact(N::<H>::BYTES).map(word).collect()
        };
        let mut state = words(Kernel::<H>::STATE * lanes);
        let mut counters = words(2 * lanes);
        for blocks in 0..6 {
            let messages: Vec<_> = (0..lanes).map(|_| bytes(blocks * hash.block_bytes())).collect();
            let mut expected: Vec<H::State<Scalar<H>>> = Vec::new();
            let mut counted = counters.clone();
            for (lane, message) in messages.iter().enumerate() {
                let mut h = scalars::<H, _>(&of_lane(&state, lanes, lane));
                let mut t = scalars::<H, [Scalar<H>; 2]>(&of_lane(&counters, lanes, lane));
                for block in message.chunks_exact(hash.block_bytes()) {
                    let m: H::Block<N<H>> = read_words(block, H::ORDER);
                    h = hash.compress(h, &scalars::<H, _>(m.as_ref()), t);
                    t = hash.next_counter(t);
                }
                for (i, word) in natives::<H>(&t).into_iter().enumerate() {
                    counted[i * lanes + lane] = word;
                }
                expected.push(h);
            }
            let inputs: Vec<_> = messages.iter().map(Vec::as_slice).collect();
            kernel.compress(hash, &mut state, &mut counters, &inputs, blocks);
            for (lane, h) in expected.iter().enumerate() {
                let what = format!("{kernel:?}, lane {lane}, {blocks} blocks");
                assert_eq!(of_lane(&state, lanes, lane), natives::<H>(h.as_ref()), "{what}");
            }
            if H::COUNTED {
                assert_eq!(counters, counted, "{kernel:?}, {blocks} blocks");
            }
            for index in 0..3 {
                let mut out = state.clone();
                kernel.squeeze(hash, &mut state, index, &mut out);
                for (lane, h) in expected.iter_mut().enumerate() {
                    let block = hash.squeeze(h, index);
                    let what = format!("{kernel:?}, lane {lane}, output block {index}");
                    assert_eq!(of_lane(&out, lanes, lane), natives::<H>(block.as_ref()), "{what}");
                    assert_eq!(of_lane(&state, lanes, lane), natives::<H>(h.as_ref()), "{what}");
                }
            }
        }
    }
}

/// The words of one lane.
fn of_lane<T: Copy>(words: &[T], lanes: usize, lane: usize) -> Vec<T> {
    words[lane..].iter().step_by(lanes).copied().collect()
}

fn scalars<H: Hash, S: Words<Scalar<H>>>(natives: &[N<H>]) -> S {
    let mut words = S::splat(N::<H>::default().scalar());
    for (word, native) in words.as_mut().iter_mut().zip(natives) {
        *word = native.scalar();
    }
    words
}

fn natives<H: Hash>(words: &[Scalar<H>]) -> Vec<N<H>> {
    words.iter().map(|&word| Native::from_scalar(word)).collect()
}
