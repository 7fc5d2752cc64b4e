//! Register-transfer logic: cores that compute a compression function or a hash.
//!
//! ```text
//!  compression ──► plan ──► core ─────► netlist ──► lang      Verilog, SystemVerilog, VHDL
//!  (a graph)       clocks   stages      signals     bench     vectors, stalls
//!                            └► wrap ──────▲        project   a folder of files
//!                               messages in, digests out
//! ```

mod about;
mod backend;
mod bench;
mod bench_python;
mod bench_vhdl;
mod best;
mod core;
mod datasheet;
mod error;
mod lang;
mod modes;
mod netlist;
mod package;
mod project;
mod reserved;
mod ring;
mod split;
mod templates;
mod wrap;

pub use self::core::{Core, Options, Storage, core};
pub use about::Project;
pub use backend::{Made, Rtl, Surroundings};
pub use bench::{Flow, TestBlock, Vector, bench, vectors};
pub use bench_vhdl::bench_vhdl;
pub use best::{Wanted, best};
pub use datasheet::{Datasheet, Hash, Port};
pub use error::Error;
pub use lang::{Language, Reset, Style, text};
pub use modes::{Mode, modes};
pub use netlist::{Driver, Expr, Instance, Memory, MemoryId, Netlist, Signal, SignalId, Value};
pub use project::project;
pub use reserved::check_module_name;
pub use wrap::{
    Files, Interface, Message, Register, Wrapped, Wrapper, register_bench, stream_bench, wrap,
    wrapped_project,
};

use manylane_graph::Function;
use manylane_graph::passes::{uniform, uniform_inside};
use manylane_plan::hardware::{self, DelayModel, HardwarePlan, HardwareProgram, Precompute, plan};
use std::sync::OnceLock;

/// A core, and the program that it was made from.
#[derive(Debug)]
pub struct Design {
    /// The planned program, of a compression with rounds that are alike.
    pub program: HardwareProgram,
    /// The core.
    pub core: Core,
}

/// A [`Design`], borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Built<'b> {
    /// The planned program.
    pub program: &'b HardwareProgram,
    /// The core.
    pub core: &'b Core,
}

/// Plans a compression and makes its core. For several shapes of one compression, [`Designer`] is
/// faster.
///
/// # Errors
/// If it has no rounds, the numbers of steps and stages do not divide it, or its rounds cannot be
/// made alike.
pub fn design(
    compression: &Function,
    hardware: &hardware::Options,
    model: &DelayModel,
    options: &Options,
) -> Result<Design, Error> {
    Designer::new(compression).design(hardware, model, options)
}

/// Makes cores of one compression in many shapes. Making its rounds alike takes as long as the rest
/// of a shape, and is done once for all shapes.
#[derive(Debug)]
pub struct Designer<'c> {
    compression: &'c Function,
    /// The compressions with rounds that are alike: one for cores whose steps compute everything,
    /// and one for cores that compute something ahead.
    alike: [OnceLock<Function>; 2],
}

impl<'c> Designer<'c> {
    /// A designer of cores for this compression.
    pub fn new(compression: &'c Function) -> Self {
        Self { compression, alike: Default::default() }
    }

    /// Plans a shape and makes its core.
    ///
    /// # Errors
    /// As [`design`].
    pub fn design(
        &self,
        hardware: &hardware::Options,
        model: &DelayModel,
        options: &Options,
    ) -> Result<Design, Error> {
        Design::new(self.plan(hardware, model)?.program, options)
    }

    /// Plans a shape.
    ///
    /// # Errors
    /// The errors of [`design`] but those of making the core.
    pub fn plan(
        &self,
        hardware: &hardware::Options,
        model: &DelayModel,
    ) -> Result<HardwarePlan, Error> {
        let ahead = hardware.precompute != Precompute::None;
        let of_all = || alike(self.compression, Some(hardware.precompute));
        let alike = || self.alike[usize::from(ahead)].get_or_init(of_all);
        planned(self.compression, alike, hardware, model)
    }
}

impl Design {
    /// Makes the core of a program.
    ///
    /// # Errors
    /// The errors of [`core()`].
    pub fn new(program: HardwareProgram, options: &Options) -> Result<Self, Error> {
        let core = core(&program, options)?;
        Ok(Self { program, core })
    }

    /// Program and core, borrowed.
    pub fn built(&self) -> Built<'_> {
        Built { program: &self.program, core: &self.core }
    }

    /// The compression, with rounds that are alike.
    pub fn compression(&self) -> &Function {
        &self.program.function
    }
}

/// The compression with rounds that are alike, where a step computes what `precompute` leaves to
/// it.
fn alike(compression: &Function, precompute: Option<Precompute>) -> Function {
    match precompute {
        Some(Precompute::None) => uniform_inside(compression),
        Some(Precompute::Kw | Precompute::Full | Precompute::Auto) | None => uniform(compression),
    }
}

/// The plan of a compression; if its rounds are of several kinds, the plan of `alike`, whose rounds
/// can do all of them.
fn planned<'f>(
    compression: &'f Function,
    alike: impl FnOnce() -> &'f Function,
    hardware: &hardware::Options,
    model: &DelayModel,
) -> Result<HardwarePlan, Error> {
    let as_is = plan(compression, hardware, model)?;
    let plan = match as_is.program.regions.len() {
        1 => as_is,
        _ => plan(alike(), hardware, model)?,
    };
    match plan.program.regions.len() {
        1 => Ok(plan),
        _ => Err(core::kinds(&plan.program)),
    }
}
