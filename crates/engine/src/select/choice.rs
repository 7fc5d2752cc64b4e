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
//! The messages of a batch may take several calls, of several kernels: 19 messages of SHA-1 take a
//! call of 16 lanes and a call of three. The time of n messages of b blocks is the minimum, over
//! all kernels, of the time of one call and the time of the messages that it leaves:
//!
//! ```text
//! time(0) = 0,    time(n) = min over kernels of  setup + b * block_time + time(n - lanes)
//! ```
//!
//! `setup` is the driver's time to fill and to empty lanes: half of the time of a message of one
//! block, and negligible for long messages.
//!
//! A core that was not measured goes by the tables of several others. No calls take the least time
//! on all of these cores. For each core, the time of some calls is a multiple of the least time
//! there; the calls are chosen whose greatest multiple is least.

use super::driver::{DriverTimes, has_streams};
use super::times::{self, KernelName, Table, Times, mean};
use crate::cpu::{Engine, names};
use crate::error::Error;
use crate::kernels::kernel::{Kernel, MAX_LANES};
use crate::kernels::rounds;
use crate::kernels::runs::Runs;
use crate::kernels::shell::scalar_time;
use manylane_primitives::catalog::HashId;
use manylane_primitives::for_each_hash;
use std::any::{Any, TypeId, type_name};
use std::sync::OnceLock;

/// Up to this number of messages, all calls are chosen together. A batch of more messages begins
/// with calls of the kernel that takes least time per message, whatever follows.
const PLANNED: usize = 2 * MAX_LANES;

/// The most messages of a batch for which a shorter path calls the same kernels with less
/// preparation.
pub(crate) const FEWEST: usize = 8;

/// Messages of 1, of 2 and 3, of 4 to 7, and so on, and of 64 and more blocks each have a plan of
/// their own.
const SIZES: usize = 7;

/// The kernels that may be used for a hash, and the best of them for each number of messages.
pub struct Choice<H: Runs> {
    kernels: Vec<Kernel<H>>,
    /// Nanoseconds, about, of a unit of the kernels' times.
    unit: f32,
    /// The plan for each [size](size_of) of messages; the last is for long ones.
    plans: [Plan; SIZES],
    /// The index of the kernel of one message by itself.
    one: u8,
}

/// The calls for messages of about one size.
#[derive(Clone, Copy)]
struct Plan {
    /// `first[n]` is the index of the kernel of the first call for n messages. What it leaves
    /// begins with `first[n - lanes]`.
    first: [u8; PLANNED + 1],
    /// The index of the kernel that takes least time per message.
    fastest: u8,
    /// Bit n is set if a batch of n messages, fewer than 64, takes the least time one by one.
    one_by_one: u64,
}

/// The plan for messages of so many blocks, padding among them.
#[inline(always)]
fn size_of(blocks: usize) -> usize {
    (blocks.max(1).ilog2() as usize).min(SIZES - 1)
}

// Derived, this would ask the same of `H`.
impl<H: Runs> Clone for Choice<H> {
    fn clone(&self) -> Self {
        let Self { ref kernels, unit, plans, one } = *self;
        Self { kernels: kernels.clone(), unit, plans, one }
    }
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

    /// The choice by the times given, if every kernel has one.
    pub(crate) fn measured(&self, times: &Times) -> Self {
        self.measured_on(&[times], None)
    }

    /// [`Self::measured`] by the times on several cores, and by the driver given or that of this
    /// core.
    pub(crate) fn measured_on(&self, cores: &[&Times], driver: Option<&DriverTimes>) -> Self {
        let driver = driver.copied().unwrap_or_else(driver_times_of_this_core);
        let times = mean(cores).unwrap_or_default();
        let timed = |kernel: &Kernel<H>| Some(timed(kernel, *times.get(&kernel.name())?));
        let kernels: Option<_> = self.kernels.iter().map(timed).collect();
        match kernels {
            Some(kernels) => Self::of_cores(kernels, 1.0, cores, &driver),
            None => self.clone(),
        }
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
        let calls: Vec<Call> = kernels.iter().map(|of| Call::of(of, unit, cores)).collect();
        let plans = plans(&calls, driver);
        // Lanes for one message are prepared again at each update.
        let of_one_lane = kernels.iter().enumerate().filter(|(_, kernel)| kernel.lanes == 1);
        let one = of_one_lane.min_by(|a, b| a.1.block_time.total_cmp(&b.1.block_time));
        let one = one.map_or(plans[SIZES - 1].first[1], |(index, _)| index as u8);
        Self { plans, kernels, unit, one }
    }

    /// The kernel of the first call for `count` long messages of like length. The kernel for the
    /// number of remaining messages serves those; if it has one lane, so have all that follow.
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

    /// [`Choice::for_count`] for messages of so many blocks, padding among them.
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

    /// Whether messages of unlike lengths, with so many blocks each, padding among them, take less
    /// time one by one than in lanes. `begun` says that other messages of the batch are in lanes.
    pub fn prefers_one_by_one(&self, blocks: impl Iterator<Item = usize>, begun: bool) -> bool {
        let (mut count, mut all, mut longest) = (0, 0, 1);
        for blocks in blocks {
            (count, all, longest) = (count + 1, all + blocks, longest.max(blocks));
        }
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
        let apart = driver_times_of_this_core().unlike(count, longest, begun) / self.unit;
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

/// The properties of a kernel that a plan needs.
struct Call {
    kernel: KernelName,
    /// Nanoseconds of a call per block, on each of the cores by whose times the plan is made.
    block_times: Vec<f32>,
}

impl Call {
    /// The call of a kernel whose own time is in units of so many nanoseconds, on cores with these
    /// times, or on one core where there are none.
    fn of<H: Runs>(kernel: &Kernel<H>, unit: f32, cores: &[&Times]) -> Self {
        // Without optimisation each of a kernel's thousands of words has a place of its own on the
        // stack. Kernels of several lanes then take up to 9 MB, those of one message less than
        // 1 MB; the stack of a thread has 2 MiB.
        let too_deep = if cfg!(unoptimised) && kernel.lanes > 1 { 1e6 } else { 1.0 };
        let name = kernel.name();
        let measured = |times: &&Times| Some(weight(kernel) * *times.get(&name)? as f32);
        let measured: Option<Vec<f32>> = cores.iter().map(measured).collect();
        // Where a core lacks it, the kernel's own time is a multiple of the scalar kernel's.
        let scalar = KernelName { engine: Engine::Scalar, lanes: 1 };
        let unit_of = |times: &&Times| times.get(&scalar).map_or(unit, |&time| time as f32);
        let mut block_times = match (measured, cores) {
            (_, []) => vec![kernel.block_time * unit],
            (Some(times), _) => times,
            (None, _) => cores.iter().map(|core| kernel.block_time * unit_of(core)).collect(),
        };
        block_times.iter_mut().for_each(|time| *time *= too_deep);
        Self { kernel: name, block_times }
    }

    /// Nanoseconds of a call for messages of `blocks` blocks on core number `core`, with the
    /// nanoseconds of its setup.
    fn time(&self, core: usize, blocks: usize, setup: f32) -> f32 {
        blocks as f32 * self.block_times[core] + setup
    }
}

/// The plans for messages of each [size](size_of). Not generic, to be compiled once for all hashes.
fn plans(calls: &[Call], driver: &DriverTimes) -> [Plan; SIZES] {
    std::array::from_fn(|size| {
        // The blocks of the shortest messages of this size, for which the setup counts most. For
        // long messages the setup does not count.
        let blocks = 1 << size;
        let counts = size + 1 < SIZES;
        let setup = |kernel, count| if counts { driver.setup(kernel, count, blocks) } else { 0.0 };
        let of_few = |kernel, count| match counts {
            true => driver.setup_of_few(kernel, count, blocks),
            false => 0.0,
        };
        let mut plan = Plan::of(calls, blocks, PLANNED, &setup);
        let few = Plan::of(calls, blocks, FEWEST, &of_few);
        for count in 1..64 {
            let is_alone = match count {
                ..=FEWEST => calls[usize::from(few.first[count])].kernel.lanes == 1,
                _ => plan.loses_to_one_by_one(calls, blocks, count, &setup, driver.batch),
            };
            plan.one_by_one |= u64::from(is_alone) << count;
        }
        plan
    })
}

impl Plan {
    /// The plan that takes the least time for up to `most` messages of `blocks` blocks, if
    /// `setup(kernel, count)` nanoseconds are added to the time of each call. For several cores:
    /// the plan that loses least on the core where it loses most.
    fn of(
        calls: &[Call],
        blocks: usize,
        most: usize,
        setup: &dyn Fn(KernelName, usize) -> f32,
    ) -> Self {
        let cores = calls.first().map_or(0, |call| call.block_times.len());
        // For each kernel and core, the time of a call whose lanes all have a message. It is
        // computed once, since most calls are such and a program's first digest waits for the
        // plans.
        let of_full = |call: &Call| {
            let setup = setup(call.kernel, call.kernel.lanes);
            (0..cores).map(|core| call.time(core, blocks, setup)).collect()
        };
        let full: Vec<Vec<f32>> = calls.iter().map(of_full).collect();
        let per_lane =
            |index: usize, core: usize| full[index][core] / calls[index].kernel.lanes as f32;
        let least: Vec<f32> = (0..cores)
            .map(|core| (0..calls.len()).map(|of| per_lane(of, core)).fold(f32::INFINITY, f32::min))
            .collect();
        let per_message = |index: usize| {
            (0..cores).map(|core| per_lane(index, core) / least[core]).fold(0.0, f32::max)
        };
        // There are about a dozen kernels: inserting them in order needs none of the standard
        // library's code for sorting long slices.
        let mut order: Vec<usize> = Vec::new();
        for index in 0..calls.len() {
            let faster = |other: &usize| per_message(*other) <= per_message(index);
            order.insert(order.partition_point(faster), index);
        }
        let fastest = order.first().map_or(0, |&index| index as u8);
        // For each core, the least time of so many messages, and that of the calls that are chosen.
        let mut least = vec![[0.0; PLANNED + 1]; cores];
        let mut chosen = least.clone();
        let mut first = [fastest; PLANNED + 1];
        for count in 1..=most {
            let total = |index: usize, core: usize, sums: &[[f32; PLANNED + 1]]| {
                let call = &calls[index];
                match count.checked_sub(call.kernel.lanes) {
                    Some(left) => full[index][core] + sums[core][left],
                    None => call.time(core, blocks, setup(call.kernel, count)),
                }
            };
            for core in 0..cores {
                let all = order.iter().map(|&index| total(index, core, &least));
                least[core][count] = all.fold(f32::INFINITY, f32::min);
            }
            let mut best = f32::INFINITY;
            for &index in &order {
                let loss = |core: usize| total(index, core, &chosen) / least[core][count];
                let worst = (0..cores).map(loss).fold(0.0, f32::max);
                // These calls in another order differ by rounding only: then the call that takes
                // least time per message comes first, and the last is the one with idle lanes.
                if worst < best * (1.0 - 1e-5) {
                    (best, first[count]) = (worst, index as u8);
                }
            }
            for core in 0..cores {
                chosen[core][count] = total(usize::from(first[count]), core, &chosen);
            }
        }
        first[0] = first[1];
        Self { first, fastest, one_by_one: 0 }
    }

    /// Whether this plan begins a batch of `count` messages with a call of several messages on
    /// SHA-NI, but on every core takes longer for it, with `batch` nanoseconds for the beginning of
    /// the batch, than the messages take one by one.
    fn loses_to_one_by_one(
        &self,
        calls: &[Call],
        blocks: usize,
        count: usize,
        setup: &dyn Fn(KernelName, usize) -> f32,
        batch: f32,
    ) -> bool {
        let first = &calls[usize::from(self.first[count])];
        let cores = first.block_times.len();
        has_streams(first.kernel)
            && (0..cores).all(|core| {
                let alone = calls.iter().filter(|call| call.kernel.lanes == 1);
                let alone = alone.map(|call| call.time(core, blocks, setup(call.kernel, 1)));
                let (mut planned, mut left) = (batch, count);
                while left > 0 {
                    let call = &calls[usize::from(self.first[left])];
                    planned += call.time(core, blocks, setup(call.kernel, left));
                    left = left.saturating_sub(call.kernel.lanes);
                }
                count as f32 * alone.fold(f32::INFINITY, f32::min) < planned
            })
    }
}

macro_rules! made {
    ($($id:ident $name:literal $aliases:tt $title:literal $standard:literal
       $security:ident $(($why:literal))? => $value:expr;)*) => {
        /// The [`KeptChoices`] of a hash, made at its first use: by the times that are built in, or
        /// by those of the table installed.
        ///
        /// This function is neither generic nor inlined. A [`Stream`] finds its kernels through it
        /// alone, so that they are compiled in this crate and not again in each crate that names
        /// the type of a hash.
        ///
        /// [`Stream`]: crate::Stream
        #[inline(never)]
        #[cold]
        fn made(
            id: HashId,
            installed: Option<&'static Table>,
        ) -> Result<&'static AnyChoice, Error> {
            let available = Engine::available()?;
            let measured = installed.and_then(|table| table.of(id));
            Ok(cell(id, installed).get_or_init(|| match id {
                $( HashId::$id => boxed(id, &$value, available, measured), )*
                // The enum is non-exhaustive for other crates, because a later catalogue may have
                // more hashes.
                _ => unreachable!("this catalogue has no other hash"),
            }))
        }
    };
}
for_each_hash!(made);

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
    let choice = Choice::make(hash, available, &of_this_core(id));
    let all = match installed {
        Some(times) => choice.measured(times),
        None => choice,
    };
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
        // A kernel of the hash's own stands in for the definition's of that name.
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
        && let Some(one) = times.get(&scalar)
    {
        unit = *one as f32;
        for kernel in &mut kernels {
            if let Some(time) = times.get(&kernel.name()) {
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

/// The factor by which the time of a kernel is raised because it reads tables at secret addresses.
pub(crate) fn weight<H: Runs>(kernel: &Kernel<H>) -> f32 {
    let looks_up = matches!(kernel.engine, Engine::Scalar | Engine::Bmi2 | Engine::Portable);
    if looks_up { scalar_time::<H>() } else { 1.0 }
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

#[cfg(test)]
mod tests {
    use super::Choice;
    use crate::kernels::kernel::Kernel;
    use crate::kernels::runs::Runs;
    use manylane_primitives::hash::sha2::Sha256;

    /// Messages of unlike lengths on a kernel of one lane that takes 33 ns a block, and on one of
    /// sixteen lanes that takes 167, as SHA-256 on Zen 5.
    #[test]
    fn few_of_unlike_lengths_go_one_by_one() {
        let of = |lanes, block_time| Kernel { lanes, block_time, ..Sha256::KERNELS[0] };
        let choice: Choice<Sha256> = Choice::among(vec![of(1, 33.0), of(16, 167.0)], 1.0);
        let alone = |blocks: &[usize]| choice.prefers_one_by_one(blocks.iter().copied(), false);
        assert!(alone(&[1, 1]));
        assert!(alone(&[1, 3]));
        assert!(alone(&[4, 4, 1, 4, 2, 4, 2, 4, 1, 1, 2, 2]));
        assert!(alone(&[60, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]));
        assert!(!alone(&[60; 16]));
        assert!(!alone(&std::array::from_fn::<_, 64, _>(|i| 8 + i % 9)));
    }
}
