//! Which kernel serves how many messages.
//!
//! ```text
//! Engine::available      the engines that this CPU runs, within `MANYLANE_MAX_ISA`
//!      │ kernels of H    those of all hashes and those of H alone, with their constant times
//!      │ times           instead of the constants: this core's table, or the one installed
//!      ▼
//! Choice<H>              the best kernel for each number of messages: its function pointers
//! ```

use super::times::{self, KernelName, Table, Times};
use crate::cpu::{Engine, names};
use crate::error::Error;
use crate::kernels::kernel::{Kernel, MAX_LANES};
use crate::kernels::rounds;
use crate::kernels::runs::Runs;
use crate::kernels::shell::scalar_time;
use manylane_primitives::catalog::HashId;
use manylane_primitives::for_each_hash;
use std::any::{Any, type_name};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The kernels that may be used for a hash, and the best of them for each number of messages.
pub struct Choice<H: Runs> {
    kernels: Vec<Kernel<H>>,
    /// `best[n]` is the index of the kernel for n messages of like length.
    best: [u8; MAX_LANES + 1],
}

// Derived, this would ask the same of `H`.
impl<H: Runs> Clone for Choice<H> {
    fn clone(&self) -> Self {
        Self { kernels: self.kernels.clone(), best: self.best }
    }
}

impl<H: Runs> Choice<H> {
    /// The kernels of this CPU, or of one engine only.
    ///
    /// # Errors
    /// If the engine cannot run here or does not compute this hash.
    pub fn new(engine: Option<Engine>) -> Result<Cow<'static, Self>, Error> {
        let all = Self::of(times::installed())?;
        let Some(engine) = engine else { return Ok(Cow::Borrowed(all)) };
        engine.require()?;
        let mut kernels = all.kernels.clone();
        kernels.retain(|kernel| kernel.engine == engine);
        if kernels.is_empty() {
            return Err(Error::EngineLacksPrimitive {
                engine: engine.name(),
                primitive: short_name::<H>().into(),
                available: names(&all.engines()),
            });
        }
        Ok(Cow::Owned(Self::among(kernels)))
    }

    /// The choice among all kernels of this CPU by the times that are built in, made once.
    pub fn built_in() -> Result<&'static Self, Error> {
        Self::of(None)
    }

    /// The choice among all kernels of this CPU, by installed times if there are any.
    fn of(installed: Option<&'static Table>) -> Result<&'static Self, Error> {
        let choice = choices(installed)?.iter().find_map(|choice| choice.downcast_ref());
        choice.ok_or_else(|| Error::NotInCatalogue { primitive: short_name::<H>().into() })
    }

    /// Makes the choice by the times of kernels given, where there are any. Only [`choices`] may
    /// call this: it names the kernels, and whoever names them compiles them.
    fn make(available: &[Engine], times: Option<&Times>) -> Self {
        let all = H::KERNELS.iter().chain(rounds::kernels::<H>());
        let mut kernels: Vec<Kernel<H>> = Vec::new();
        for kernel in all.filter(|kernel| available.contains(&kernel.engine)) {
            // A kernel of the hash's own stands in for the definition's of that name.
            match kernels.iter_mut().find(|other| other.name() == kernel.name()) {
                Some(other) if other.block_time <= kernel.block_time => {}
                Some(other) => *other = *kernel,
                None => kernels.push(*kernel),
            }
        }
        let scalar = KernelName { engine: Engine::Scalar, lanes: 1 };
        if let Some(times) = times
            && let Some(one) = times.get(&scalar)
        {
            for kernel in &mut kernels {
                if let Some(time) = times.get(&kernel.name()) {
                    *kernel = timed(kernel, time / one);
                }
            }
        }
        Self::among(kernels)
    }

    /// The choice by the times given, if every kernel has one.
    pub(crate) fn measured(&self, times: &Times) -> Self {
        let timed = |kernel: &Kernel<H>| Some(timed(kernel, *times.get(&kernel.name())?));
        let kernels: Option<_> = self.kernels.iter().map(timed).collect();
        Self::among(kernels.unwrap_or_else(|| self.kernels.clone()))
    }

    /// The choice among these, by their times.
    pub(crate) fn among(kernels: Vec<Kernel<H>>) -> Self {
        // Calls for `count` messages of like length, times the time of a call.
        let time = |kernel: &Kernel<H>, count: usize| {
            // Without optimisation each of a kernel's thousands of words has a place of its own on
            // the stack. Kernels of several lanes then take up to 9 MB, those of one message less
            // than 1 MB; the stack of a thread has 2 MiB.
            let too_deep = cfg!(unoptimised) && kernel.lanes > 1;
            let penalty = if too_deep { 1e6 } else { 1.0 };
            penalty * count.max(1).div_ceil(kernel.lanes) as f32 * kernel.block_time
        };
        let best = std::array::from_fn(|count| {
            let times = kernels.iter().map(|kernel| time(kernel, count)).enumerate();
            times.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(fastest, _)| fastest as u8)
        });
        Self { kernels, best }
    }

    /// The kernel for `count` messages of like length.
    pub fn for_count(&self, count: usize) -> &Kernel<H> {
        &self.kernels[usize::from(self.best[count.min(MAX_LANES)])]
    }

    /// All of them.
    pub fn kernels(&self) -> &[Kernel<H>] {
        &self.kernels
    }

    /// The engines of the kernels, each once.
    pub fn engines(&self) -> Vec<Engine> {
        let mut engines: Vec<_> = self.kernels.iter().map(|kernel| kernel.engine).collect();
        engines.sort_unstable();
        engines.dedup();
        engines
    }
}

macro_rules! every_choice {
    ($($id:ident $name:literal $aliases:tt $title:literal $standard:literal
       $security:ident $(($why:literal))? => $value:expr;)*) => {
        /// A [`Choice`] among all kernels of this CPU for each hash of the catalogue, made at the
        /// first use: by the times that are built in, or by those of the table installed.
        ///
        /// Not generic and not inlined: through it, and through nothing else, a [`Stream`] finds
        /// its kernels, so that they are compiled in this crate and not again in each that names
        /// the type of a hash.
        ///
        /// [`Stream`]: crate::Stream
        #[inline(never)]
        fn choices(installed: Option<&'static Table>) -> Result<&'static [AnyChoice], Error> {
            static BUILT_IN: OnceLock<Vec<AnyChoice>> = OnceLock::new();
            static INSTALLED: OnceLock<Vec<AnyChoice>> = OnceLock::new();
            let choices = if installed.is_some() { &INSTALLED } else { &BUILT_IN };
            let available = Engine::available()?;
            let measured = |id| installed.and_then(|table| table.of(id));
            Ok(choices.get_or_init(|| {
                vec![$( boxed(HashId::$id, &$value, available, measured(HashId::$id)) ),*]
            }))
        }
    };
}
for_each_hash!(every_choice);

/// A [`Choice`] for some hash.
type AnyChoice = Box<dyn Any + Send + Sync>;

fn boxed<H: Runs>(id: HashId, _: &H, available: &[Engine], installed: Option<&Times>) -> AnyChoice {
    let choice = Choice::<H>::make(available, times::of_this_core(id));
    Box::new(match installed {
        Some(times) => choice.measured(times),
        None => choice,
    })
}

/// The kernel with a measured time. One with secret addresses is no better for being fast.
fn timed<H: Runs>(kernel: &Kernel<H>, time: f64) -> Kernel<H> {
    let looks_up = matches!(kernel.engine, Engine::Scalar | Engine::Bmi2 | Engine::Portable);
    let weight = if looks_up { scalar_time::<H>() } else { 1.0 };
    Kernel { block_time: weight * time as f32, ..*kernel }
}

/// The name of the hash's type without its path.
fn short_name<H>() -> &'static str {
    type_name::<H>().rsplit("::").next().unwrap_or_default()
}
