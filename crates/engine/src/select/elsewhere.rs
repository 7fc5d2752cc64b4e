//! What kernels cost on other cores than this one, by what is built in: for tests, which check the
//! choice of one core against the times of others.

use super::choice::priced;
use super::cores::{driver_of, tables_of};
use super::plan::weight;
use super::selection::selected;
use super::times::{KernelName, Times};
use super::visit::{Visit, visit};
use crate::cpu::{Core, Engine, Maker};
use crate::kernels::kernel::Kernel;
use crate::kernels::rounds;
use crate::kernels::runs::Runs;
use manylane_primitives::catalog::{Algorithm, HashId};

/// The times that are built in, in nanoseconds, of every kernel of a hash on a core that was
/// measured: `sapphire-rapids`, `zen3`, `zen4` or `zen5`.
pub fn times_on(hash: HashId, cpu: &str) -> Option<Times> {
    let (core, _) = named(cpu)?;
    core.and(all_times_on(hash, cpu)?.into_iter().next())
}

/// The times that are built in for a core that [`times_on`] knows, or for a core that was not
/// measured, named by its maker (`intel`, `amd`, `other`): then one entry for each measured core
/// whose times stand in for it.
// Not generic: what names kernels is compiled in this crate.
#[inline(never)]
fn all_times_on(hash: HashId, cpu: &str) -> Option<Vec<Times>> {
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
    let of = |times| visit(Algorithm::new(hash), OfKernels(maker, core == Some(Core::Zen5), times));
    let mut all: Vec<Option<Times>> = tables_of(core, maker)
        .iter()
        .filter_map(|table| Some(table.of(hash)?.clone()))
        .map(Some)
        .collect();
    if all.is_empty() {
        all.push(None);
    }
    Some(all.into_iter().map(of).collect())
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

/// Nanoseconds that the driver takes on a core, named as in [`selection_on`], to fill and to empty
/// the lanes of a call within a batch, of which `count` have a message.
pub fn setup_on(cpu: &str, kernel: KernelName, count: usize, blocks: usize) -> Option<f64> {
    let (core, _) = named(cpu)?;
    Some(driver_of(core).setup(kernel, count, blocks).into())
}

/// The kernel of this program that would serve first on a core, named as in [`times_on`] or by its
/// maker, for each number of messages from 1 to 64 of `blocks` blocks.
pub fn selection_on(cpu: &str, hash: HashId, blocks: usize) -> Option<Vec<KernelName>> {
    let (core, _) = named(cpu)?;
    let times = all_times_on(hash, cpu)?;
    let times: Vec<&Times> = times.iter().collect();
    selected(hash, blocks, Some(&times), Some(&driver_of(core))).ok()
}
