//! A chip's memories, and the addresses at which each core sees them, from a TOML file.

use super::cpu12::{self, CpuXCycles};
use super::xgate::{self, AddlCarry};
use serde::Deserialize;

/// Addresses of 23 bits.
const GLOBAL_END: u32 = 1 << 23;
/// Windows begin and end at multiples of this.
pub(super) const PAGE: u32 = 0x400;

/// A chip with a CPU12X and XGATE.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Chip {
    /// The name.
    pub name: String,
    /// The title, in one line.
    pub title: String,
    /// The local address of XGATE's registers.
    pub xgate_registers: u16,
    /// Registers that hold the written value and have no effect: the first and the last of each
    /// range.
    #[serde(default)]
    pub plain_registers: Vec<(u16, u16)>,
    /// Timing that manuals leave open, or that can only be measured.
    pub timing: Timing,
    /// The memories.
    #[serde(rename = "memory")]
    pub memories: Vec<Memory>,
    /// What the CPU sees.
    pub cpu: Vec<Window>,
    /// What XGATE sees.
    pub xgate: Vec<Window>,
}

/// Clocks and flags that manuals leave open.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// XGATE clocks of SSEM, 1 or 2.
    pub ssem_clocks: u32,
    /// XGATE clocks of CSEM, 1 or 2.
    pub csem_clocks: u32,
    /// XGATE clocks of SIF, 1 or 2.
    pub sif_clocks: u32,
    /// XGATE clocks of RTS, 1 or 2.
    pub rts_clocks: u32,
    /// XGATE clocks from a request to the first instruction of its thread.
    pub start_clocks: u32,
    /// Bus cycles until XGATE sees a request.
    pub request_bus_cycles: u32,
    /// Carry and overflow of ADDL and SUBL.
    pub addl_carry: AddlCarry,
    /// Bus cycles of MUL, 1 or 3.
    pub mul_bus_cycles: u8,
    /// Bus cycles of CLR with an offset of 16 bits, 3 or 4.
    pub clr_offset16_bus_cycles: u8,
    /// The source of the bus cycles of the CPU12X's own instructions.
    pub cpu12x_cycles: CpuXCycles,
}

impl Timing {
    /// The parameters of the CPU's timing.
    pub(super) fn cpu(self) -> cpu12::Timing {
        let Self { mul_bus_cycles, clr_offset16_bus_cycles, cpu12x_cycles, .. } = self;
        let (mul, clr_offset16) = (mul_bus_cycles, clr_offset16_bus_cycles);
        cpu12::Timing { mul, clr_offset16, cpu12x: cpu12x_cycles }
    }

    /// The parameters of XGATE's timing.
    pub(super) fn xgate(self) -> xgate::Timing {
        let Self { ssem_clocks, csem_clocks, sif_clocks, rts_clocks, .. } = self;
        xgate::Timing { ssem: ssem_clocks, csem: csem_clocks, sif: sif_clocks, rts: rts_clocks }
    }
}

/// The kind of a memory.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum MemoryKind {
    /// Read and written by both cores.
    Ram,
    /// Read by both cores; loading a program writes it.
    Rom,
    /// Registers of the chip's modules.
    Registers,
}

/// A memory.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: MemoryKind,
    /// The global address of its first byte.
    pub global: u32,
    /// Bytes.
    pub size: u32,
    /// How many accesses it answers in one bus cycle, 1 or 2; the CPU comes first.
    pub accesses_per_bus_cycle: u8,
}

/// Local addresses at which a core sees global ones.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// The first local address.
    pub from: u16,
    /// The last local address.
    pub to: u16,
    /// The global address that `from` shows, of page 0 if there are pages.
    pub global: u32,
    /// The register that selects a page as large as the window.
    pub page: Option<PageRegister>,
}

/// A register that selects what a window shows.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct PageRegister {
    /// The name.
    pub name: String,
    /// Its local address.
    pub register: u16,
    /// Its value after a reset.
    pub reset: u8,
}

/// What is wrong with a chip's file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ChipError(pub String);

impl Chip {
    /// The MC9S12XDT512.
    ///
    /// # Panics
    /// Never: a test reads the file.
    pub fn xdt512() -> Self {
        Self::read(include_str!("../../s12x/xdt512.toml")).expect("the file is a chip's")
    }

    /// Reads a chip from the text of a TOML file.
    ///
    /// # Errors
    /// If the text is no TOML, or is not that of a chip: what is wrong, and where.
    pub fn read(text: &str) -> Result<Self, ChipError> {
        let chip: Self = toml::from_str(text).map_err(|error| ChipError(error.to_string()))?;
        chip.check()?;
        Ok(chip)
    }

    fn check(&self) -> Result<(), ChipError> {
        let wrong = |what: String| Err(ChipError(what));
        /// The number of a memory is a byte, and no chip has as many.
        const MOST: usize = 16;
        if self.memories.is_empty() || self.memories.len() > MOST {
            return wrong(format!("{} memories; there must be 1 to {MOST}", self.memories.len()));
        }
        for (number, memory) in self.memories.iter().enumerate() {
            let Memory { name, global, size, accesses_per_bus_cycle, .. } = memory;
            let aligned = global % PAGE == 0 && size % PAGE == 0 && *size > 0;
            if !aligned || global.checked_add(*size).is_none_or(|end| end > GLOBAL_END) {
                return wrong(format!(
                    "memory {name}: its address and size must be multiples of {PAGE:#x} below \
                     {GLOBAL_END:#x}"
                ));
            }
            if !(1..=2).contains(accesses_per_bus_cycle) {
                return wrong(format!("memory {name}: accesses_per_bus_cycle must be 1 or 2"));
            }
            let overlaps = |other: &&Memory| {
                other.global < global + size && *global < other.global + other.size
            };
            if let Some(other) = self.memories[..number].iter().find(overlaps) {
                return wrong(format!("memory {name} and memory {} overlap", other.name));
            }
            if name.is_empty() {
                return wrong(format!("memory {}: its name is empty", number + 1));
            }
            if self.memories[..number].iter().any(|other| other.name == *name) {
                return wrong(format!("two memories are named {name}"));
            }
        }
        for (core, windows) in [("cpu", &self.cpu), ("xgate", &self.xgate)] {
            for (number, window) in windows.iter().enumerate() {
                let Window { from, to, global, page } = window;
                let place = format!("window {from:#06x} to {to:#06x} of {core}");
                let aligned = u32::from(*from) % PAGE == 0 && (u32::from(*to) + 1) % PAGE == 0;
                if !aligned || global % PAGE != 0 || from > to || *global >= GLOBAL_END {
                    return wrong(format!(
                        "{place}: it must begin and end at multiples of {PAGE:#x}, as its global \
                         address"
                    ));
                }
                let overlaps = |other: &&Window| other.from <= *to && *from <= other.to;
                if windows[..number].iter().any(|other| overlaps(&other)) {
                    return wrong(format!("{place} overlaps another one"));
                }
                if page.is_some() && core == "xgate" {
                    return wrong(format!("{place}: XGATE has no pages"));
                }
            }
        }
        if !self.xgate_registers.is_multiple_of(xgate::REGISTERS_SIZE) {
            return wrong("xgate_registers must be a multiple of 64".to_owned());
        }
        self.check_registers()?;
        let Timing { ssem_clocks, csem_clocks, sif_clocks, rts_clocks, .. } = self.timing;
        if [ssem_clocks, csem_clocks, sif_clocks, rts_clocks].iter().any(|n| !(1..=2).contains(n)) {
            return wrong("timing: SSEM, CSEM, SIF and RTS take 1 or 2 clocks".to_owned());
        }
        let Timing { mul_bus_cycles, clr_offset16_bus_cycles, .. } = self.timing;
        if ![1, 3].contains(&mul_bus_cycles) || ![3, 4].contains(&clr_offset16_bus_cycles) {
            return wrong("timing: MUL takes 1 or 3 bus cycles, CLR 3 or 4".to_owned());
        }
        Ok(())
    }

    /// Refuses a register with two meanings, of which the simulator would take one and say nothing.
    fn check_registers(&self) -> Result<(), ChipError> {
        let end = self.xgate_registers + (xgate::REGISTERS_SIZE - 1);
        let mut taken = vec![(self.xgate_registers, end, "XGATE's registers".to_owned())];
        let pages = self.cpu.iter().filter_map(|window| window.page.as_ref());
        taken.extend(pages.map(|page| (page.register, page.register, page.name.clone())));
        let plain = |&(from, to): &(u16, u16)| {
            (from, to, format!("plain_registers {from:#06x} to {to:#06x}"))
        };
        taken.extend(self.plain_registers.iter().map(plain));
        for (number, (from, to, name)) in taken.iter().enumerate() {
            if from > to {
                return Err(ChipError(format!("{name}: the last one is before the first")));
            }
            for (other_from, other_to, other) in &taken[..number] {
                if from <= other_to && other_from <= to {
                    let at = from.max(other_from);
                    return Err(ChipError(format!("{name} and {other} are both at {at:#06x}")));
                }
                if name == other {
                    return Err(ChipError(format!("two registers are named {name}")));
                }
            }
        }
        Ok(())
    }

    /// Returns the number of the memory that holds a global address.
    pub fn memory_at(&self, global: u32) -> Option<usize> {
        self.memories
            .iter()
            .position(|memory| (memory.global..memory.global + memory.size).contains(&global))
    }
}
