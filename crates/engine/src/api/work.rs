//! How full a batch's lanes are.
//!
//! The driver's decisions depend on lengths alone. Over kernels that count blocks and compute none
//! it makes the same calls, so the counts are those of the real kernels.

use super::batch::{Batch, Options, run_on};
use super::messages::Messages;
use crate::drive::single::Single;
use crate::error::{self, Error};
use crate::kernels::kernel::{Kernel, MAX_LANES};
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;
use crate::select::times::KernelName;
use crate::select::visit::{Visit, try_visit};
use std::cell::Cell;
use std::collections::BTreeMap;

/// The work of a batch on one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Blocks that messages need: their own blocks, padding blocks, and blocks of output that are
    /// computed.
    pub useful: u64,
    /// Blocks that each kernel computes, in lanes with a message and in idle lanes.
    pub computed: BTreeMap<KernelName, u64>,
}

impl Work {
    /// The useful part of the computed blocks, from 0 to 1; 1 if nothing is computed.
    pub fn occupancy(&self) -> f64 {
        match self.computed.values().sum::<u64>() {
            0 => 1.0,
            computed => self.useful as f64 / computed as f64,
        }
    }

    /// The kernel that computes the most blocks.
    pub fn kernel(&self) -> Option<KernelName> {
        self.computed.iter().max_by_key(|(_, blocks)| **blocks).map(|(kernel, _)| *kernel)
    }

    /// The work of both batches, done one after the other.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.useful += other.useful;
        for (kernel, blocks) in other.computed {
            *self.computed.entry(kernel).or_default() += blocks;
        }
        self
    }
}

thread_local! {
    /// For each number of lanes: the blocks that kernels with so many lanes were called for.
    static CALLS: Cell<[u64; MAX_LANES + 1]> = const { Cell::new([0; MAX_LANES + 1]) };
}

fn count(lanes: usize, blocks: usize) {
    let mut calls = CALLS.get();
    calls[lanes] += blocks as u64;
    CALLS.set(calls);
}

/// Returns a kernel that looks to the driver like this one, but counts blocks and computes none.
fn counting<H: Runs>(kernel: &Kernel<H>) -> Kernel<H> {
    Kernel {
        compress: |_, _, _, inputs, blocks| count(inputs.len(), blocks),
        squeeze: |_, state, _, _| count(state.len() / Kernel::<H>::STATE, 1),
        // Without these functions the driver passes every block to `compress`.
        digest: None,
        digests: None,
        compress_expanded: None,
        write: None,
        ..*kernel
    }
}

/// The calls for a batch, by lanes, without those for its prefix.
fn calls<H: Runs>(
    hash: &H,
    choice: &Choice<H>,
    options: &Options,
    messages: &Messages,
) -> Result<[u64; MAX_LANES + 1], Error> {
    CALLS.set([0; MAX_LANES + 1]);
    let digest = hash.digest_bytes();
    let refused = Error::Memory { bytes: messages.count as u128 * digest as u128 };
    let bytes = messages.count.checked_mul(digest).ok_or(refused)?;
    let mut digests = error::try_with_capacity(bytes)?;
    digests.resize(bytes, 0);
    run_on(hash, choice, options, messages, &mut digests)?;
    let mut calls = CALLS.replace([0; MAX_LANES + 1]);
    Single { hash, kernel: choice.for_one() }.begin(&options.prefix);
    for (all, of_prefix) in calls.iter_mut().zip(CALLS.get()) {
        *all -= of_prefix;
    }
    Ok(calls)
}

struct Count<'m, 'a, 'p>(&'a Messages<'m>, &'a Options<'p>);

impl Visit for Count<'_, '_, '_> {
    type Output = Result<Work, Error>;
    fn visit<H: Runs>(self, hash: H) -> Self::Output {
        let Self(messages, options) = self;
        let choice = Choice::<H>::new(options.engine())?;
        let kernels: Vec<Kernel<H>> = choice.kernels().iter().map(counting).collect();
        let single = Kernel { lanes: 1, ..kernels[0] };
        let [_, useful, ..] =
            calls(&hash, &Choice::among(vec![single], choice.unit()), options, messages)?;
        let calls = calls(&hash, &Choice::among(kernels, choice.unit()), options, messages)?;
        let computed = calls.iter().enumerate().filter(|(_, blocks)| **blocks > 0);
        let computed = computed.map(|(lanes, blocks)| {
            // Among kernels with equally many lanes only the fastest is chosen.
            let alike = choice.kernels().iter().filter(|kernel| kernel.lanes == lanes);
            let kernel = alike.min_by(|a, b| a.block_time.total_cmp(&b.block_time));
            (kernel.expect("the kernel that was called").name(), lanes as u64 * blocks)
        });
        Ok(Work { useful, computed: computed.collect() })
    }
}

impl Batch<'_> {
    /// Counts what [`Batch::run`] computes for messages of these lengths on one thread. The
    /// prefix's whole blocks, hashed once, are not counted.
    ///
    /// # Errors
    /// If the engine asked for cannot serve, or the digests, which are not kept, do not fit in
    /// memory.
    pub fn work<M: AsRef<[u8]> + Sync>(&self, messages: &[M]) -> Result<Work, Error> {
        Messages::with(messages, |messages| {
            let one_thread = self.clone().threads(1);
            try_visit(self.algorithm(), Count(&messages, one_thread.options()))
        })
    }
}
