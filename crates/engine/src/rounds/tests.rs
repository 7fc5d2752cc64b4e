//! What the kernels of one message are held to.

use crate::kernel::{Kernel, N};
use manylane_primitives::hash::{Compress, Hash, Scalar, read_words};
use manylane_primitives::word::{Native, Words};

/// Compression and output blocks of each kernel of one message are the definition's, however many
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
    for kernel in kernels.iter().filter(|kernel| kernel.lanes == 1) {
        if !kernel.engine.runs_here() {
            eprintln!("kernels_are_the_definition: {kernel:?} skipped");
            continue;
        }
        let state_bytes = <H::State<N<H>> as Words<N<H>>>::LEN * N::<H>::BYTES;
        let mut state: H::State<N<H>> = read_words(&bytes(state_bytes), H::ORDER);
        let mut counters: [N<H>; 2] = read_words(&bytes(2 * N::<H>::BYTES), H::ORDER);
        for blocks in 0..6 {
            let message = bytes(blocks * hash.block_bytes());
            let mut h: H::State<Scalar<H>> = scalars::<H, _>(state.as_ref());
            let mut t = counters.map(Native::scalar);
            for block in message.chunks_exact(hash.block_bytes()) {
                let m: H::Block<N<H>> = read_words(block, H::ORDER);
                h = hash.compress(h, &scalars::<H, _>(m.as_ref()), t);
                t = hash.next_counter(t);
            }
            kernel.compress(hash, state.as_mut(), &mut counters, &[&message], blocks);
            assert_eq!(state.as_ref(), natives::<H>(h.as_ref()), "{kernel:?}, {blocks} blocks");
            if H::COUNTED {
                assert_eq!(counters[..], natives::<H>(&t), "{kernel:?}, {blocks} blocks");
            }
            for index in 0..3 {
                let expected = hash.squeeze(&mut h, index);
                let mut out = state;
                kernel.squeeze(hash, state.as_mut(), index, out.as_mut());
                let what = format!("{kernel:?}, output block {index}");
                assert_eq!(out.as_ref(), natives::<H>(expected.as_ref()), "{what}");
                assert_eq!(state.as_ref(), natives::<H>(h.as_ref()), "{what}, the state");
            }
        }
    }
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
