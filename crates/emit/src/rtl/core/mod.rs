//! The core: a pipeline of stages that each take k steps of the compression per clock.
//!
//! ```text
//!  in ──► opening ──► stage 0 ──► stage 1 ──► … ──► last words ──► ending ──► out
//!     └─► kept ─────► kept 1 ───► … ──────────────────────────────────▲
//! ```
//!
//! All times are counted from the clock in which a block is taken, clock 0. Turn g of the rounds
//! (over all stages) has its clock g + shift; what a program places in clock c of the turn works in
//! clock g + c + shift. Stage s begins C clocks after stage s - 1, C being the clocks per block,
//! and one more where a pipeline register stands between them. Only the start signals pass from
//! stage to stage; everything else is delayed from there.
//!
//! Everything is decided before the first signal is made:
//!
//! ```text
//!  Asked ──► Recurrences ──► WindowPlan ──► Timetable       = Microarchitecture
//!                                              │
//!  Control ──► Sources: Inputs, Window ──► Datapath ──► LastWords ──► Ending ──► Core
//! ```

mod architecture;
mod asked;
mod chaining;
mod clear;
mod columns;
mod control;
mod datapath;
mod ending;
mod inputs;
mod kinds;
mod last;
mod made;
mod mode;
mod operations;
mod options;
mod recurrences;
mod sources;
mod stage;
mod storage;
mod timetable;
mod window;

pub(super) use kinds::kinds;
pub use made::Core;
pub use options::Options;
pub use storage::Storage;

use self::architecture::Microarchitecture;
use self::asked::Asked;
use self::control::Control;
use self::datapath::Datapath;
use self::ending::finish;
use self::inputs::{Inputs, Opened};
use self::operations::operations;
use self::sources::Sources;
use self::window::Window;
use super::error::Error;
use super::netlist::Netlist;
use super::split::SplitRegion;
use manylane_plan::hardware::HardwareProgram;

/// Makes the core of a planned compression.
///
/// # Errors
/// If the program has operations that no core has, or stages whose turns are not alike; if words of
/// message or chaining values cannot be kept in memory.
pub fn core(program: &HardwareProgram, options: &Options) -> Result<Core, Error> {
    operations(program)?;
    let [region] = &program.regions[..] else {
        return Err(kinds(program));
    };
    let split = SplitRegion::new(region);
    let arch = Microarchitecture::new(Asked { program, options }, &split)?;
    let mut net = Netlist::new(&options.module);
    let mut control = Control::new(&mut net, &arch.times);
    let Opened { inputs, window, ports, valid: offered, ready, started } =
        Inputs::open(arch.asked, &mut net, &mut control, &arch.times, arch.window.as_ref());
    let sources = Sources::new(&arch, inputs, window);
    let mut path = Datapath::new(&arch, net, control, sources);
    let ended = finish(&mut path);
    chaining::check_kept(arch.asked, &path.net)?;
    path.close_window();
    let Datapath { mut net, mut control, sources: Sources { window, .. }, .. } = path;
    if let Some(why) = window.as_ref().and_then(Window::refused) {
        return Err(window::plan::refused(arch.asked, why.to_owned()));
    }
    if options.clear && !net.memories().is_empty() {
        return Err(Error::ClearRam);
    }
    let mut may_take = vec![control.enable.into()];
    if options.clear {
        may_take.push(clear::clear(&mut net, &mut control, &arch.times, offered).into());
    }
    let loaded = window.as_ref().map(Window::loaded);
    control.take(&mut net, (offered, ready), may_take, loaded);
    net.drop_unread();
    let of_words = window.as_ref().map_or(0, Window::clocks);
    Ok(Core {
        cycles_per_block: program.cycles_per_block.max(of_words),
        latency: (arch.times.end() + ended + 1) as usize,
        ports,
        window: options.window,
        chaining: options.chaining,
        modes: options.modes.clone(),
        started,
        clears: options.clear,
        netlist: net,
    })
}
