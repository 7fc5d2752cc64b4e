//! Measures the costs of a pairing on this machine.
//!
//! **The curve has about 59 bits of security: for research and teaching only.**

use crate::listener::Listener;
use manylane_engine::pairing::{Eta1223, Pairing};
use manylane_measure::cpu;
use manylane_measure::pairing::contestants::{self, Contestant, FINISH, IN_PARTS, WAYS};
use manylane_measure::pairing::threads::{Shared, cores, handoff};
use manylane_measure::timing::{Paired, on_one_core};
use manylane_plan::threads::{self, Executor, FieldCosts, Unit};
use manylane_primitives::pairing::Parameters;
use serde::Serialize;

/// Slices of each measurement, of which the least counts.
const RUNS: u32 = 5;

/// The costs of the best engine on one core, in nanoseconds.
pub fn costs(listener: &dyn Listener) -> anyhow::Result<threads::Pairing> {
    let pairing = Pairing::new()?;
    let lanes = pairing.lanes();
    let times = on_one_core(&|why| listener.complain(why), || Times::measure(&pairing));
    Ok(threads::Pairing {
        name: "here".to_owned(),
        title: format!("η_T over F_2^1223 on {}, engine {}", cpu::name(), pairing.engine()),
        source: "measured here, just now".to_owned(),
        m: Eta1223::M as u64,
        unit: Unit::Nanoseconds,
        whole: times.of(WAYS[0], 1),
        field: FieldCosts {
            square: times.of("square", lanes),
            square_root: times.of("square root", lanes),
            multiply: times.of("multiply", lanes),
            power: times.of("power 2^612", lanes),
        },
        executor: Some(Executor {
            lanes: lanes as u64,
            multiply_one: times.of("multiply", 1),
            root: 2.0 * times.of("power 2^612", 1),
            part: (times.of(IN_PARTS, 1) - times.of(WAYS[0], 1)).max(f64::MIN_POSITIVE),
            finish: times.of(FINISH, 1),
            handoff: handoff().unwrap_or(0.0),
        }),
        published: Vec::new(),
    })
}

/// Nanoseconds of each operation, by its name and number of elements.
struct Times(Vec<(&'static str, usize, f64)>);

impl Times {
    fn measure(pairing: &Pairing) -> Self {
        let (mut names, mut calls) = (Vec::new(), Vec::new());
        for Contestant { what, count, times, call, .. } in contestants::field(pairing) {
            names.push((what, count, times));
            calls.push(call);
        }
        names.push((WAYS[0], 1, 1));
        calls.push(contestants::pairing(pairing));
        for Contestant { what, count, times, call, .. } in contestants::parts(pairing) {
            names.push((what, count, times));
            calls.push(call);
        }
        let minima = Paired::new(calls).minima(RUNS).into_iter();
        let each = names.into_iter().zip(minima);
        Self(each.map(|((what, count, times), s)| (what, count, s * 1e9 / times as f64)).collect())
    }

    /// Nanoseconds for all its elements together.
    fn of(&self, what: &str, count: usize) -> f64 {
        let time = self.0.iter().find(|time| (time.0, time.1) == (what, count));
        time.expect("every operation is measured").2
    }
}

/// The measured time of the same split on this machine.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct MeasuredPairing {
    pub(super) nanoseconds: f64,
    pub(super) speedup: f64,
}

/// Measures the pairing on `threads` threads; `None` if the machine has fewer cores.
pub fn measured(
    threads: usize,
    listener: &dyn Listener,
) -> anyhow::Result<Option<MeasuredPairing>> {
    if threads > cores() {
        return Ok(None);
    }
    let engine = Pairing::new()?.engine();
    let pairing = || Ok(Pairing::on(Some(engine))?);
    let shared = Shared::measure(pairing, threads, RUNS, &|why| listener.complain(why))?;
    let (nanoseconds, speedup) = (shared.seconds * 1e9, shared.alone / shared.seconds);
    Ok(Some(MeasuredPairing { nanoseconds, speedup }))
}
