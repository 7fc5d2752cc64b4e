//! Which kernel serves how many messages.

use crate::Error;
use crate::isa::{Engine, names};
use crate::kernel::{Kernel, MAX_LANES, Runs};
use crate::rounds;
use std::any::type_name;

/// The kernels that may be used for a hash, and the best of them for each number of messages.
pub struct Choice<H: Runs> {
    kernels: Vec<&'static Kernel<H>>,
    /// `best[n]` is the index of the kernel for n messages of like length.
    best: [u8; MAX_LANES + 1],
}

impl<H: Runs> Choice<H> {
    /// The kernels of this CPU, or of one engine only.
    ///
    /// # Errors
    /// If the engine cannot run here or does not compute this hash.
    pub fn new(engine: Option<Engine>) -> Result<Self, Error> {
        let kernels: Vec<_> = candidates(engine)?.collect();
        let mut best = [0; MAX_LANES + 1];
        for (count, best) in best.iter_mut().enumerate() {
            let time = |&i: &usize| time(kernels[i], count.max(1));
            let fastest = (0..kernels.len()).min_by(|a, b| time(a).total_cmp(&time(b)));
            *best = fastest.expect("there are candidates") as u8;
        }
        Ok(Self { kernels, best })
    }

    /// The kernel for `count` messages of like length.
    pub fn for_count(&self, count: usize) -> &'static Kernel<H> {
        self.kernels[usize::from(self.best[count.min(MAX_LANES)])]
    }

    /// The engines of the kernels, each once.
    pub fn engines(&self) -> Vec<Engine> {
        engines_of(self.kernels.iter().copied())
    }
}

/// The kernel for one message: what [`Choice::for_count`] gives, without the table.
///
/// # Errors
/// If the engine cannot run here or does not compute this hash.
pub fn for_one<H: Runs>(engine: Option<Engine>) -> Result<&'static Kernel<H>, Error> {
    let fastest = candidates(engine)?.min_by(|a, b| time(a, 1).total_cmp(&time(b, 1)));
    Ok(fastest.expect("there are candidates"))
}

/// Time for `count` messages of like length, per block of one.
fn time<H: Runs>(kernel: &Kernel<H>, count: usize) -> f32 {
    count.div_ceil(kernel.lanes) as f32 * kernel.block_time
}

/// At least one kernel: those of this CPU, or of one engine only.
fn candidates<H: Runs>(
    engine: Option<Engine>,
) -> Result<impl Iterator<Item = &'static Kernel<H>>, Error> {
    let available = Engine::available()?;
    if let Some(engine) = engine {
        engine.require()?;
    }
    let all = || {
        let all = H::KERNELS.iter().chain(rounds::kernels::<H>());
        all.filter(|kernel| available.contains(&kernel.engine))
    };
    if let Some(engine) = engine.filter(|&engine| all().all(|kernel| kernel.engine != engine)) {
        return Err(Error::EngineLacksPrimitive {
            engine: engine.name(),
            primitive: short_name::<H>().into(),
            available: names(&engines_of(all())),
        });
    }
    Ok(all().filter(move |kernel| engine.is_none_or(|engine| kernel.engine == engine)))
}

/// The engines of the kernels, each once.
fn engines_of<H: Runs>(kernels: impl Iterator<Item = &'static Kernel<H>>) -> Vec<Engine> {
    let mut engines: Vec<_> = kernels.map(|kernel| kernel.engine).collect();
    engines.dedup();
    engines
}

/// The name of the hash's type without its path.
fn short_name<H>() -> &'static str {
    type_name::<H>().rsplit("::").next().unwrap_or_default()
}
