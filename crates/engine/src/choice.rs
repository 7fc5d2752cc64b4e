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
        let available = Engine::available()?;
        if let Some(engine) = engine {
            engine.require()?;
        }
        let mut kernels: Vec<_> = (H::KERNELS.iter().chain(rounds::kernels::<H>()))
            .filter(|kernel| available.contains(&kernel.engine))
            .collect();
        if let Some(engine) = engine {
            let computing = engines_of(&kernels);
            kernels.retain(|kernel| kernel.engine == engine);
            if kernels.is_empty() {
                return Err(Error::EngineLacksPrimitive {
                    engine: engine.name(),
                    primitive: short_name::<H>().into(),
                    available: names(&computing),
                });
            }
        }
        let mut best = [0; MAX_LANES + 1];
        for (count, best) in best.iter_mut().enumerate() {
            let time =
                |kernel: &Kernel<H>| count.max(1).div_ceil(kernel.lanes) as f32 * kernel.block_time;
            let fastest =
                (0..kernels.len()).min_by(|&a, &b| time(kernels[a]).total_cmp(&time(kernels[b])));
            *best = fastest.unwrap_or(0) as u8;
        }
        Ok(Self { kernels, best })
    }

    /// The kernel for `count` messages of like length.
    pub fn for_count(&self, count: usize) -> &'static Kernel<H> {
        self.kernels[usize::from(self.best[count.min(MAX_LANES)])]
    }

    /// The engines of the kernels, each once.
    pub fn engines(&self) -> Vec<Engine> {
        engines_of(&self.kernels)
    }
}

fn engines_of<H: Runs>(kernels: &[&'static Kernel<H>]) -> Vec<Engine> {
    let mut engines: Vec<_> = kernels.iter().map(|kernel| kernel.engine).collect();
    engines.dedup();
    engines
}

/// The name of the hash's type without its path.
fn short_name<H>() -> &'static str {
    type_name::<H>().rsplit("::").next().unwrap_or_default()
}
