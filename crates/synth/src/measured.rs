//! The figures of a core that was built.

use crate::energy::Energy;
use crate::flows::placement::Placed;
use crate::flows::synthesis::Synthesized;
use crate::flows::{Request, Sums};
use crate::target::{Cells, Target};
use crate::{Tools, harness};
use manylane_plan::hardware::Options;
use serde::{Deserialize, Serialize};

/// A core's figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoreFigures {
    /// The hash and its interface, such as `sha256` or `sha256_axis`, whatever the module's name
    /// is.
    pub module: String,
    /// The recorded function.
    pub primitive: String,
    /// The command line that makes the core.
    pub command: String,
    /// Its shape.
    pub options: Options,
    /// The target for which it was built.
    pub target: Target,
    /// How sums became adders.
    pub sums: Sums,
    /// The tools and their versions.
    pub tools: Vec<String>,
    /// The cells of the core, without its harness.
    pub cells: Cells,
    /// Its area as one number.
    pub area: Area,
    /// For gates: the number of gates on the longest path.
    pub depth: Option<u64>,
    /// The clock in MHz: the median over seeds; for gates, an estimate.
    pub mhz: f64,
    /// Mbit/s with enough messages in flight.
    pub mbps: f64,
    /// Mbit/s of one message alone.
    pub mbps_alone: f64,
    /// For gates, if it was asked for: the switching activity.
    pub energy: Option<Energy>,
    /// The results of each seed.
    pub placed: Vec<Placed>,
}

/// An area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Area {
    /// The number of units.
    pub value: f64,
    /// Its unit: `LC`, `LUT4` or `GE`.
    pub unit: String,
}

/// The delays assumed for a gate, in picoseconds, and for a flip-flop, in gates. With them SHA-256
/// with a chain has 581 MHz, with carry-save sums 1190; static timing with the Nangate 45 nm
/// library, without wires, gives 633 and 1266 MHz.
const GATE_PS: f64 = 40.0;
const REGISTER_GATES: u64 = 3;

impl CoreFigures {
    /// Gathers the figures. The clock is the median over the seeds; of gates it follows from their
    /// depth.
    pub(crate) fn new(
        request: &Request,
        tools: &Tools,
        found: &Synthesized,
        placed: Vec<Placed>,
    ) -> Self {
        let Request { core, target, sums, .. } = request;
        let names = [Some(target.synthesizer()), target.placer()];
        let tools = names.into_iter().flatten().map(|tool| tools.get(tool).version.clone());
        let mhz = match found.depth {
            Some(depth) => 1e6 / (GATE_PS * (depth + REGISTER_GATES) as f64),
            None => median(placed.iter().map(|placed| placed.mhz)),
        };
        let [mbps, mbps_alone] = core.throughput(mhz);
        Self {
            module: core.sheet.reached(),
            primitive: core.sheet.primitive.clone(),
            command: core.sheet.command.clone(),
            options: core.sheet.options,
            target: *target,
            sums: *sums,
            tools: tools.collect(),
            cells: found.cells,
            area: area(request, found, &placed),
            depth: found.depth,
            mhz,
            mbps,
            mbps_alone,
            energy: found.energy,
            placed,
        }
    }

    /// The core's shape: `2×4 chain kw`.
    pub fn shape(&self) -> String {
        let options = &self.options;
        let (merge, stages) = (options.merge, options.stages);
        format!("{merge}×{stages} {} {}", options.adders, options.precompute)
    }

    /// As [`Request::label`].
    pub fn label(&self) -> String {
        format!("{} {}", self.module, self.shape())
    }

    /// Kbit/s per unit of area.
    pub fn efficiency(&self) -> f64 {
        1e3 * self.mbps / self.area.value
    }
}

fn area(request: &Request, found: &Synthesized, placed: &[Placed]) -> Area {
    let value = match request.target {
        // A cell has a table, a carry and a flip-flop. Which of them share a cell is decided when
        // they are packed; those of the harness have a cell each.
        Target::Ice40Hx8k => {
            let used = median(placed.iter().map(|placed| placed.used as f64));
            used - f64::from(harness::flip_flops(&request.core.sheet))
        }
        Target::Ecp5_85k => found.cells.luts as f64,
        Target::GenericGates => found.gate_equivalents.unwrap_or(f64::NAN),
    };
    Area { value, unit: request.target.unit().to_owned() }
}

/// The middle one of values; the mean of two that are in the middle.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n => (values[(n - 1) / 2] + values[n / 2]) / 2.0,
    }
}
