//! The targets that cores are built for.

use crate::tool::Tool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A chip, or gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// Lattice iCE40 HX8K in a ct256 package: 7680 cells of a 4-input table, carry and flip-flop.
    #[serde(rename = "ice40-hx8k")]
    Ice40Hx8k,
    /// Lattice ECP5 LFE5U-85F of speed grade 6 in a CABGA756 package: 83640 four-input tables.
    #[serde(rename = "ecp5-85k")]
    Ecp5_85k,
    /// Gates of two inputs, in equivalents of a NAND, without wires.
    GenericGates,
}

/// Cells of a core, by what they take of the chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cells {
    /// Four-input tables; those that a carry cell or a memory of tables occupies are among them.
    pub luts: u64,
    /// Bits of carry chains.
    pub carries: u64,
    /// Flip-flops.
    pub flip_flops: u64,
    /// Block memories.
    pub rams: u64,
    /// Multipliers.
    pub dsps: u64,
}

manylane_primitives::names! { Target:
    /// Its name.
    Ice40Hx8k "ice40-hx8k", Ecp5_85k "ecp5-85k", GenericGates "generic-gates",
}

impl Target {
    /// Its name in words.
    pub fn title(self) -> &'static str {
        match self {
            Self::Ice40Hx8k => "Lattice iCE40 HX8K",
            Self::Ecp5_85k => "Lattice ECP5 85K, speed grade 6",
            Self::GenericGates => "gates of two inputs",
        }
    }

    /// The unit of areas on it.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Ice40Hx8k => "LC",
            Self::Ecp5_85k => "LUT4",
            Self::GenericGates => "GE",
        }
    }

    /// The tool that synthesizes for it.
    pub fn synthesizer(self) -> Tool {
        match self {
            // YoWASP's yosys comes with the placer for ECP5, and is the newer one where both are
            // installed.
            Self::Ecp5_85k => Tool::YosysForEcp5,
            Self::Ice40Hx8k | Self::GenericGates => Tool::Yosys,
        }
    }

    /// The tool that places and routes for it.
    pub fn placer(self) -> Option<Tool> {
        match self {
            Self::Ice40Hx8k => Some(Tool::NextpnrIce40),
            Self::Ecp5_85k => Some(Tool::NextpnrEcp5),
            Self::GenericGates => None,
        }
    }

    /// Four-input tables on the chip.
    pub fn capacity(self) -> Option<u64> {
        match self {
            Self::Ice40Hx8k => Some(7680),
            Self::Ecp5_85k => Some(83640),
            Self::GenericGates => None,
        }
    }

    /// Returns the cells of the chip that cells of these kinds take. Kinds that take none are not
    /// counted.
    pub fn cells(self, kinds: &BTreeMap<String, u64>) -> Cells {
        let mut cells = Cells::default();
        for (kind, &count) in kinds {
            let Cells { luts, carries, flip_flops, rams, dsps } = self.cell(kind);
            cells.luts += count * luts;
            cells.carries += count * carries;
            cells.flip_flops += count * flip_flops;
            cells.rams += count * rams;
            cells.dsps += count * dsps;
        }
        cells
    }

    fn cell(self, kind: &str) -> Cells {
        let none = Cells::default();
        match (self, kind) {
            // The carry stands beside the table of its bit.
            (Self::Ice40Hx8k, "SB_CARRY") => Cells { carries: 1, ..none },
            (Self::Ice40Hx8k, "SB_LUT4") => Cells { luts: 1, ..none },
            (Self::Ice40Hx8k, "SB_RAM40_4K") => Cells { rams: 1, ..none },
            (Self::Ice40Hx8k, kind) if kind.starts_with("SB_DFF") => {
                Cells { flip_flops: 1, ..none }
            }
            // Two bits, and both tables of a slice.
            (Self::Ecp5_85k, "CCU2C") => Cells { luts: 2, carries: 2, ..none },
            (Self::Ecp5_85k, "LUT4") => Cells { luts: 1, ..none },
            // 16 by 4 bits: four tables, and a slice that writes them.
            (Self::Ecp5_85k, "TRELLIS_DPR16X4") => Cells { luts: 6, ..none },
            (Self::Ecp5_85k, "DP16KD" | "PDPW16KD") => Cells { rams: 1, ..none },
            (Self::Ecp5_85k, "MULT18X18D") => Cells { dsps: 1, ..none },
            (Self::GenericGates, "$_DFF_P_") => Cells { flip_flops: 1, ..none },
            (Self::Ecp5_85k, "TRELLIS_FF") => Cells { flip_flops: 1, ..none },
            _ => none,
        }
    }
}
