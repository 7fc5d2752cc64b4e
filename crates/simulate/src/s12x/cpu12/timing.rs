//! Bus cycles, with parameters for those that the documents leave open.

use super::decode::{Address, Mode, Origin};
use super::lookup::rows;
use super::table::{Cycles, Operation};
use serde::Deserialize;

/// The source of the bus cycles of the CPU12X's own instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CpuXCycles {
    /// The cycles of the instruction with the same operands on page 1, and one for the prefix, as
    /// the CPU12's own instructions of page 2 have it: `eorx #` takes 3 as `cpx #` takes 2.
    #[default]
    Prefixed,
    /// The cycles of GNU binutils' table, which says that its entries for these instructions are
    /// not up to date.
    Listed,
}

/// The parameters of timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Bus cycles of MUL: 1 since the HCS12, 3 on the 68HC12.
    pub mul: u8,
    /// Bus cycles of CLR with an offset of 16 bits: 3 like STAA, or 4.
    pub clr_offset16: u8,
    /// The CPU12X's own instructions.
    pub cpu12x: CpuXCycles,
}

impl Default for Timing {
    fn default() -> Self {
        Self { mul: 1, clr_offset16: 3, cpu12x: CpuXCycles::Prefixed }
    }
}

impl Timing {
    /// The table of GNU binutils in everything.
    pub const LISTED: Self = Self { mul: 3, clr_offset16: 4, cpu12x: CpuXCycles::Listed };

    /// Returns the bus cycles of every opcode.
    pub(super) fn costs(self) -> Box<[Cycles; 512]> {
        let mut costs = Box::new([[0; 5]; 512]);
        for row in rows().iter().filter(|row| !row.alias) {
            let cost = &mut costs[row.index()];
            *cost = match self.cpu12x {
                CpuXCycles::Prefixed => row.cycles,
                CpuXCycles::Listed => row.listed,
            };
            if row.operation == Operation::Multiply8 {
                *cost = [self.mul; 5];
            }
            if row.mnemonic == "clr" {
                cost[2] = self.clr_offset16;
            }
        }
        costs
    }
}

/// The bus cycles of MOVB and MOVW beyond those of their opcode: one more if the destination has an
/// offset of 9 bits or is indirect by D, unless the source is a value or needs its postbyte alone.
pub(super) fn move_cycles(origin: Origin, target: Address) -> u8 {
    let long = match origin {
        Origin::Immediate(_) => false,
        Origin::Memory(Address::Indexed(indexed)) => !indexed.mode.is_short(),
        Origin::Memory(_) => true,
    };
    let more = matches!(
        target,
        Address::Indexed(indexed) if matches!(indexed.mode, Mode::Offset9(_) | Mode::IndirectD)
    );
    u8::from(long && more)
}
