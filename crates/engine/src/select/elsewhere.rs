//! What kernels cost on other cores than this one, by what is built in: for tests, which hold the
//! choice of one core to the times of others.

use super::choice::{self, priced, weight};
use super::cores::{setup_of, table_of};
use super::selection::selected;
use super::times::{KernelName, Times};
use super::visit::{Visit, visit};
use crate::cpu::{Core, Engine, Maker};
use crate::kernels::kernel::Kernel;
use crate::kernels::rounds;
use crate::kernels::runs::Runs;
use manylane_primitives::catalog::{Algorithm, HashId};

/// The times that are built in, in nanoseconds, of every kernel of a hash on a core: one that was
/// measured (`sapphire-rapids`, `zen3`, `zen4`, `zen5`), or another of a maker (`intel`, `amd`,
/// `other`).
// Not generic: what names kernels is compiled in this crate.
#[inline(never)]
pub fn times_on(hash: HashId, cpu: &str) -> Option<Times> {
    struct OfKernels(Maker, bool, Option<Times>);
    impl Visit for OfKernels {
        type Output = Times;
        fn visit<H: Runs>(self, hash: H) -> Times {
            let Self(maker, is_zen5, times) = self;
            let own = rounds::kernels_on::<H>(maker == Maker::Intel, is_zen5);
            let (kernels, unit) = priced(&hash, &Engine::ALL, own, times.as_ref());
            let time = |block_time: f32, weight: f32| f64::from(block_time * unit / weight);
            let of = |kernel: &Kernel<H>| (kernel.name(), time(kernel.block_time, weight(kernel)));
            kernels.iter().map(of).collect()
        }
    }
    let (core, maker) = named(cpu)?;
    let times = table_of(core, maker).of(hash).cloned();
    Some(visit(Algorithm::new(hash), OfKernels(maker, core == Some(Core::Zen5), times)))
}

fn named(cpu: &str) -> Option<(Option<Core>, Maker)> {
    Some(match cpu {
        "sapphire-rapids" => (Some(Core::SapphireRapids), Maker::Intel),
        "zen3" => (Some(Core::Zen3), Maker::Amd),
        "zen4" => (Some(Core::Zen4), Maker::Amd),
        "zen5" => (Some(Core::Zen5), Maker::Amd),
        "intel" => (None, Maker::Intel),
        "amd" => (None, Maker::Amd),
        "other" => (None, Maker::Other),
        _ => return None,
    })
}

/// Nanoseconds that a core named as for [`times_on`] takes to fill and to empty the lanes of a
/// call, of which `count` have a message.
pub fn setup_on(cpu: &str, lanes: usize, count: usize, blocks: usize) -> Option<f64> {
    let (core, _) = named(cpu)?;
    Some(choice::setup(setup_of(core), lanes, count, blocks).into())
}

/// The kernel of this machine that would serve first on such a core, for each number of messages
/// from 1 to 64 of so many blocks.
pub fn selection_on(cpu: &str, hash: HashId, blocks: usize) -> Option<Vec<KernelName>> {
    let (core, _) = named(cpu)?;
    selected(hash, blocks, Some(&times_on(hash, cpu)?), Some(setup_of(core))).ok()
}
