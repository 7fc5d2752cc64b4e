//! Which kernel serves how many messages.
//!
//! ```text
//! Engine::available      the engines that this CPU runs, within `MANYLANE_MAX_ISA`
//!      │ kernels of H    those of all hashes and those of H alone, with their constant times
//!      │ times           instead of the constants: this core's table, those of cores like it, or
//!      │                 the table installed
//!      ▼
//! Choice<H>              the best kernels for each number of messages: their function pointers
//! ```
//!
//! A batch may take several calls, of several kernels: `plan.rs` has which.

use super::driver::DriverTimes;
use super::plan::{CallPlan, PricedCall, SIZES, plans, size_of, weight};
use super::times::{self, KernelName, Table, Times, mean};
use crate::cpu::{Engine, names};
use crate::error::Error;
use crate::kernels::kernel::Kernel;
use crate::kernels::rounds;
use crate::kernels::runs::Runs;
use manylane_primitives::catalog::HashId;
use manylane_primitives::{for_each_hash, match_hash};
use std::any::{Any, TypeId, type_name};
use std::sync::OnceLock;

/// The kernels that may be used for a hash, and the best of them for each number of messages.
#[derive(Clone)]
pub struct Choice<H: Runs> {
    kernels: Vec<Kernel<H>>,
    /// Nanoseconds, about, of a unit of the kernels' times.
    unit: f32,
    /// The plan for each [size](size_of) of messages; the last is for long ones.
    plans: [CallPlan; SIZES],
    /// The index of the kernel of one message by itself.
    one: u8,
}

/// The choices of a hash, kept for the process.
struct KeptChoices<H: Runs> {
    all: Choice<H>,
    /// For each engine, in the order of [`Engine::ALL`], the choice among the engine's kernels,
    /// made when it is first asked for; `None` where the engine has no kernel.
    of_engine: [OnceLock<Option<Choice<H>>>; Engine::ALL.len()],
}

impl<H: Runs> KeptChoices<H> {
    #[cold]
    fn of(&self, engine: Engine) -> Result<&Choice<H>, Error> {
        engine.require()?;
        let choice = self.of_engine[engine as usize].get_or_init(|| {
            let of_engine = self.all.kernels.iter().filter(|kernel| kernel.engine == engine);
            let kernels: Vec<_> = of_engine.copied().collect();
            (!kernels.is_empty()).then(|| Choice::among(kernels, self.all.unit))
        });
        choice.as_ref().ok_or_else(|| Error::EngineLacksPrimitive {
            engine: engine.name(),
            primitive: short_name::<H>().into(),
            available: names(&self.all.engines()),
        })
    }
}

impl<H: Runs> Choice<H> {
    /// The kernels of this CPU, or of one engine only.
    ///
    /// # Errors
    /// If the engine cannot run here or does not compute this hash.
    pub fn new(engine: Option<Engine>) -> Result<&'static Self, Error> {
        match engine {
            None => Self::best(),
            Some(engine) => Self::kept(times::installed())?.of(engine),
        }
    }

    /// The kernels of this CPU.
    ///
    /// # Errors
    /// If `MANYLANE_MAX_ISA` names no engine.
    #[inline(always)]
    pub fn best() -> Result<&'static Self, Error> {
        Self::kept(times::installed()).map(|kept| &kept.all)
    }

    /// The choice among all kernels of this CPU by the times that are built in, made once.
    pub fn built_in() -> Result<&'static Self, Error> {
        Self::kept(None).map(|kept| &kept.all)
    }

    /// The choices among the kernels of this CPU, by installed times if there are any.
    #[inline(always)]
    fn kept(installed: Option<&'static Table>) -> Result<&'static KeptChoices<H>, Error> {
        let Some(id) = first_entry::<H>() else {
            return Err(Error::NotInCatalogue { primitive: short_name::<H>().into() });
        };
        let choice = match cell(id, installed).get() {
            Some(choice) => choice,
            None => made(id, installed)?,
        };
        debug_assert!(choice.is::<KeptChoices<H>>());
        // SAFETY: the entry `id` is that of `H`, so `made` has put a `KeptChoices<H>` in its cell.
        // With `downcast_ref` one short message would take 2 % longer.
        Ok(unsafe { &*std::ptr::from_ref(&**choice).cast() })
    }

    /// Makes the choice by the times on one core or on several, or without them by the constants.
    /// Only [`made`] may call this function, because it names the kernels, and a crate that names
    /// kernels compiles them.
    fn make(hash: &H, available: &[Engine], cores: &[&Times]) -> Self {
        let times = mean(cores);
        let (kernels, unit) = priced(hash, available, rounds::kernels::<H>(), times.as_ref());
        Self::of_cores(kernels, unit, cores, &driver_times_of_this_core())
    }

    /// The choice by the times on these cores, if every kernel has one on each, and by the driver
    /// given or that of this core.
    pub(crate) fn measured_on(&self, cores: &[&Times], driver: Option<&DriverTimes>) -> Self {
        let driver = driver.copied().unwrap_or_else(driver_times_of_this_core);
        let times = mean(cores).unwrap_or_default();
        let mut kernels = self.kernels.clone();
        for kernel in &mut kernels {
            let Some(time) = times.get(kernel.name()) else { return self.clone() };
            *kernel = timed(kernel, time);
        }
        Self::of_cores(kernels, 1.0, cores, &driver)
    }

    /// The choice among these kernels, whose times are in units of `unit` nanoseconds.
    pub(crate) fn among(kernels: Vec<Kernel<H>>, unit: f32) -> Self {
        Self::of_cores(kernels, unit, &[], &driver_times_of_this_core())
    }

    fn of_cores(
        kernels: Vec<Kernel<H>>,
        unit: f32,
        cores: &[&Times],
        driver: &DriverTimes,
    ) -> Self {
        let calls: Vec<PricedCall> =
            kernels.iter().map(|of| PricedCall::of(of, unit, cores)).collect();
        let plans = plans(&calls, driver);
        // A kernel of several lanes would be filled anew at each update of a message: one lane is
        // better.
        let of_one_lane = kernels.iter().enumerate().filter(|(_, kernel)| kernel.lanes == 1);
        let one = of_one_lane.min_by(|a, b| a.1.block_time.total_cmp(&b.1.block_time));
        let one = one.map_or(plans[SIZES - 1].first[1], |(index, _)| index as u8);
        Self { plans, kernels, unit, one }
    }

    /// The kernel of the first call for `count` long messages of like length. The messages that
    /// this call leaves go to the kernel for their number; if a kernel has one lane, so have all
    /// that follow.
    #[inline(always)]
    pub fn for_count(&self, count: usize) -> &Kernel<H> {
        self.for_messages(count, usize::MAX)
    }

    /// The kernel of one message by itself. It has one lane, unless the caller asks for an engine
    /// whose kernels all have several.
    #[inline(always)]
    pub fn for_one(&self) -> &Kernel<H> {
        &self.kernels[usize::from(self.one)]
    }

    /// [`Choice::for_count`] for messages of `blocks` blocks, padding among them.
    #[inline(always)]
    pub fn for_messages(&self, count: usize, blocks: usize) -> &Kernel<H> {
        let plan = &self.plans[size_of(blocks)];
        &self.kernels[usize::from(*plan.first.get(count).unwrap_or(&plan.fastest))]
    }

    /// Whether a whole batch of `count` messages, of `blocks` blocks each, takes the least time one
    /// by one; false for 64 messages and more. [`Self::for_messages`] may answer otherwise for the
    /// last `count` messages of a longer batch, which has begun already.
    #[inline(always)]
    pub fn prefers_few_one_by_one(&self, count: usize, blocks: usize) -> bool {
        count < 64 && self.plans[size_of(blocks)].one_by_one >> count & 1 == 1
    }

    /// Whether messages of unlike lengths, with these numbers of blocks, padding among them, take
    /// less time one by one than in lanes. `begun` says that other messages of the batch are in
    /// lanes.
    #[inline(always)]
    pub fn prefers_one_by_one(&self, blocks: impl Iterator<Item = usize>, begun: bool) -> bool {
        let (mut count, mut all, mut longest) = (0, 0, 1);
        for blocks in blocks {
            (count, all, longest) = (count + 1, all + blocks, longest.max(blocks));
        }
        self.are_faster_one_by_one(count, all, longest, begun)
    }

    /// [`Self::prefers_one_by_one`] for `count` messages with `all` blocks together, of which the
    /// longest has `longest`. Not inlined: one copy of this code for all iterators is enough.
    #[inline(never)]
    pub fn are_faster_one_by_one(
        &self,
        count: usize,
        all: usize,
        longest: usize,
        begun: bool,
    ) -> bool {
        let one = self.for_one();
        // Lanes fall idle as messages end, and calls then go to narrower kernels. The kernel for
        // the mean number of busy lanes stands for all of them.
        let time = |blocks: usize, longest: usize| {
            let kernel = self.for_count(count.min(blocks.div_ceil(longest)));
            kernel.block_time * longest.max(blocks.div_ceil(kernel.lanes)) as f32
        };
        let lanes = match longest {
            1 => time(count, 1),
            // Some ends have one block and some have two, and they do not share calls.
            _ => time(all - count, longest - 1) + 2.0 * time(count, 1),
        };
        let driver = driver_times_of_this_core();
        let apart = driver.unlike(one.name(), count, [all, longest], begun) / self.unit;
        one.lanes == 1 && one.block_time * all as f32 <= lanes + apart
    }

    /// Nanoseconds, about, of a unit of the kernels' times.
    pub fn unit(&self) -> f32 {
        self.unit
    }

    /// Nanoseconds per block of one of many long messages of like length, about.
    pub fn least_time(&self) -> f32 {
        let kernel = self.for_count(usize::MAX);
        self.unit * kernel.block_time / kernel.lanes as f32
    }

    /// The kernels that may be used.
    pub fn kernels(&self) -> &[Kernel<H>] {
        &self.kernels
    }

    /// The engines of the kernels, each once.
    pub fn engines(&self) -> Vec<Engine> {
        let computes = |engine: &Engine| self.kernels.iter().any(|k| k.engine == *engine);
        Engine::ALL.into_iter().filter(computes).collect()
    }
}

/// The [`KeptChoices`] of a hash, made at its first use: by the times that are built in, or by
/// those of the table installed.
///
/// This function is neither generic nor inlined. A [`Stream`] finds its kernels through it alone,
/// so that they are compiled in this crate and not again in each crate that names the type of a
/// hash.
///
/// [`Stream`]: crate::Stream
#[inline(never)]
#[cold]
fn made(id: HashId, installed: Option<&'static Table>) -> Result<&'static AnyChoice, Error> {
    let available = Engine::available()?;
    let measured = installed.and_then(|table| table.of(id));
    let make = || match_hash!(id, |hash| boxed(id, &hash, available, measured));
    Ok(cell(id, installed).get_or_init(make))
}

macro_rules! first_entries {
    ($($id:ident $name:literal $aliases:tt $title:literal $standard:literal
       $security:ident $(($why:literal))? => $value:expr;)*) => {
        /// The first entry of the catalogue whose type this is. The compiler computes it.
        #[inline(always)]
        fn first_entry<H: 'static>() -> Option<HashId> {
            $(
                if type_of(|| $value) == TypeId::of::<H>() {
                    return Some(HashId::$id);
                }
            )*
            None
        }
    };
}
for_each_hash!(first_entries);

/// The type of a value that is not made.
#[inline(always)]
fn type_of<T: 'static>(_: impl FnOnce() -> T) -> TypeId {
    TypeId::of::<T>()
}

/// The cell that keeps the choice that `made` makes for a hash.
#[inline(always)]
fn cell(id: HashId, installed: Option<&'static Table>) -> &'static OnceLock<AnyChoice> {
    type Cells = [OnceLock<AnyChoice>; HashId::ALL.len()];
    static BUILT_IN: Cells = [const { OnceLock::new() }; HashId::ALL.len()];
    static INSTALLED: Cells = [const { OnceLock::new() }; HashId::ALL.len()];
    let cells = if installed.is_some() { &INSTALLED } else { &BUILT_IN };
    &cells[id as usize]
}

/// The [`KeptChoices`] for some hash.
type AnyChoice = Box<dyn Any + Send + Sync>;

fn boxed<H: Runs>(
    id: HashId,
    hash: &H,
    available: &[Engine],
    installed: Option<&Times>,
) -> AnyChoice {
    // An installed table has a time for every kernel.
    let cores = installed.map_or_else(|| of_this_core(id), |times| vec![times]);
    let all = Choice::make(hash, available, &cores);
    Box::new(KeptChoices { all, of_engine: [const { OnceLock::new() }; Engine::ALL.len()] })
}

/// The kernels of a hash, of which those in `own` are its alone, and the nanoseconds of a unit of
/// their times. Times come from `times` where it has them, elsewhere from the kernels' constants.
pub(crate) fn priced<H: Runs>(
    hash: &H,
    available: &[Engine],
    own: impl Iterator<Item = &'static Kernel<H>>,
    times: Option<&Times>,
) -> (Vec<Kernel<H>>, f32) {
    let mut kernels: Vec<Kernel<H>> = Vec::new();
    let all = H::KERNELS.iter().chain(own);
    for kernel in all.filter(|kernel| available.contains(&kernel.engine)) {
        // Of a kernel of the hash's own and the definition's of the same name, the faster one
        // stays.
        match kernels.iter_mut().find(|other| other.name() == kernel.name()) {
            Some(other) if other.block_time <= kernel.block_time => {}
            Some(other) => *other = *kernel,
            None => kernels.push(*kernel),
        }
    }
    // The scalar kernel takes 1 to 3 nanoseconds for a byte, by hash and CPU.
    let mut unit = 1.5 * hash.block_bytes() as f32;
    let scalar = KernelName { engine: Engine::Scalar, lanes: 1 };
    if let Some(times) = times
        && let Some(one) = times.get(scalar)
    {
        unit = one as f32;
        for kernel in &mut kernels {
            if let Some(time) = times.get(kernel.name()) {
                *kernel = timed(kernel, time / one);
            }
        }
    }
    (kernels, unit)
}

/// The kernel with a measured time. A kernel whose addresses depend on secrets is not preferred
/// although it is fast.
fn timed<H: Runs>(kernel: &Kernel<H>, time: f64) -> Kernel<H> {
    Kernel { block_time: weight(kernel) * time as f32, ..*kernel }
}

#[cfg(target_arch = "x86_64")]
use super::cores::{driver_times_of_this_core, of_this_core};

/// No core of this architecture was measured.
#[cfg(not(target_arch = "x86_64"))]
fn of_this_core(_: HashId) -> Vec<&'static Times> {
    Vec::new()
}
#[cfg(not(target_arch = "x86_64"))]
fn driver_times_of_this_core() -> DriverTimes {
    DriverTimes::UNKNOWN
}

/// The name of the hash's type without its path.
fn short_name<H>() -> &'static str {
    type_name::<H>().rsplit("::").next().unwrap_or_default()
}
