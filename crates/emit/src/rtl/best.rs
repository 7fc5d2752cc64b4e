//! The shape that is built by default.

use super::{Error, alike, planned};
use manylane_graph::Function;
use manylane_plan::hardware::{Adders, DelayModel, HardwarePlan, Options, Precompute};

/// Numbers of steps per clock that are tried, where the steps allow them.
const MERGES: [usize; 3] = [1, 2, 4];

/// The options that are given; the others are chosen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Steps per clock.
    pub merge: Option<usize>,
    /// Pipeline stages; one if nothing is said.
    pub stages: Option<usize>,
    /// How sums are made.
    pub adders: Option<Adders>,
    /// What may be computed ahead.
    pub precompute: Option<Precompute>,
}

/// The shape with the least A · T²: area by the square of the time per block, Thompson's measure.
/// Twice the area is worth it from 1.41 times the throughput on. The choice among shapes hardly
/// depends on the number of stages, which multiplies the area and the throughput of every shape.
///
/// # Errors
/// If there is no core of any such shape; the error of the first one.
pub fn best(compression: &Function, wanted: &Wanted, model: &DelayModel) -> Result<Options, Error> {
    let alike = alike(compression, wanted.precompute);
    let stages = wanted.stages.unwrap_or(1);
    let merges = wanted.merge.map_or(MERGES.to_vec(), |merge| vec![merge]);
    let adders = wanted.adders.map_or(Adders::ALL.to_vec(), |adders| vec![adders]);
    let precompute =
        wanted.precompute.map_or(vec![Precompute::Full, Precompute::Auto], |p| vec![p]);
    let mut least: Option<(f64, Options)> = None;
    let mut error = None;
    for merge in merges {
        for &adders in &adders {
            for &precompute in &precompute {
                let options = Options { merge, stages, adders, precompute };
                match planned(compression, || &alike, &options, model) {
                    Ok(plan) => {
                        let cost = cost(&plan);
                        if least.is_none_or(|(least, _)| cost < least) {
                            least = Some((cost, options));
                        }
                    }
                    Err(of_shape) => error = error.or(Some(of_shape)),
                }
            }
        }
    }
    least.map(|(_, options)| options).ok_or_else(|| error.expect("one shape at least was tried"))
}

/// A · T², in the delay model's units.
fn cost(plan: &HardwarePlan) -> f64 {
    plan.resources.all.area * (plan.period.total * plan.program.cycles_per_block as f64).powi(2)
}
