//! The area and clock of an emitted core, by open tools for synthesis and for place and route.
//!
//! ```text
//!  folder ──► Core ──► harness ──► yosys ──► cells of the core ──────────┐
//!             core.json            script    netlist ──► nextpnr × seeds ├──► CoreFigures
//!                                                        clock, path ────┘
//! ```
//!
//! * A core has more ports than a chip has pins. The [`harness`] shifts inputs in and folds outputs
//!   together over three pins. The core keeps its hierarchy while yosys works, so that its cells
//!   are counted without the harness and nothing is optimised across its ports.
//! * Sums are built as the core writes them. By default, yosys makes carry-save trees of sums of
//!   sums, so that a chain of adders is no chain any more; [`Sums::Fused`] allows this.
//! * A core of which synthesis removed a part has no figures: [`Error::Removed`].
//! * Place and route depends on chance: [`CoreFigures::mhz`] is the median over seeds.
//! * Every result is kept by the SHA-256 of what it depends on: texts, script, options, the tools'
//!   versions, seed. An interrupted exploration continues where it was.
#![forbid(unsafe_code)]

mod alive;
mod cache;
pub mod compare;
mod core;
pub mod energy;
mod error;
pub mod explore;
mod fit;
mod flows;
pub mod folder;
pub mod harness;
mod measured;
mod pool;
mod process;
pub mod record;
mod run;
mod target;
mod text;
mod tool;
mod tools;

pub use cache::Cache;
pub use core::{Core, Origin};
pub use error::Error;
pub use flows::placement::Placed;
pub use flows::{Request, Sums};
pub use measured::{Area, CoreFigures, median};
pub use run::{Event, Watch, synthesize};
pub use target::{Cells, Target};
pub use text::read_text;
pub use tool::Tool;
pub use tools::{Found, Tools, program};
