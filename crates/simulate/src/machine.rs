//! The machines.

use crate::board::{self, Board};
use crate::{Error, tools};
use std::path::PathBuf;

/// A machine of two cores that runs C here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Machine {
    /// Two Ibex cores (RV32IMC, Zba, Zbb) of lowRISC's RTL, simulated by Verilator.
    IbexDuo,
    /// Two Cortex-M0+, timed by rp2040js.
    Rp2040,
    /// Two Cortex-M33 of an MPS2 AN521 in QEMU.
    Mps2An521,
    /// Two threads of this computer.
    Host,
    /// Two threads of a big-endian computer in QEMU.
    S390x,
}

/// The unit in which `board_cycles` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Cycles of the cores, the same in every run.
    Cycles,
    /// Ticks of a clock beside the cores (the time stamp counter of x86, else nanoseconds): no two
    /// runs are the same.
    Ticks,
    /// Nothing.
    None,
}

/// How programs are compiled for a machine.
pub(crate) struct Toolchain {
    /// The prefix of its tools' names.
    pub prefix: &'static str,
    /// Its compiler after the prefix.
    pub compiler: &'static str,
    /// Flags to compile for its processor.
    pub compile: &'static [&'static str],
    /// Flags to link for it.
    pub link: &'static [&'static str],
    /// A file of the C library that a package of its own brings, and what the library is called.
    pub library: Option<(&'static str, &'static str)>,
    /// The files that the board adds to a program.
    pub board: Board,
}

impl Toolchain {
    /// Whether programs run on the bare machine, without an operating system.
    pub fn is_bare(&self) -> bool {
        self.board.script.is_some()
    }
}

manylane_primitives::names! { Machine:
    /// Its name, which is also that of its platform, if there is one.
    IbexDuo "ibex-duo", Rp2040 "rp2040", Mps2An521 "mps2-an521", Host "host", S390x "s390x",
}

impl Machine {
    /// The machine of a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self, Error> {
        let known = || Self::ALL.map(Self::name).join(", ");
        Self::by_name(name).ok_or_else(|| Error::Unknown { name: name.to_owned(), known: known() })
    }

    /// Says what the machine is, how exact its simulation is, and what it lacks.
    pub fn title(self) -> &'static str {
        match self {
            Self::IbexDuo => {
                "two Ibex cores (RV32IMC, Zba, Zbb), RTL cycle by cycle; code in a memory of each \
                 core, data in four banks that both share, their arbiter manylane's own"
            }
            Self::Rp2040 => {
                "two Cortex-M0+, instruction timing of rp2040js; code and data in RAM, no flash, \
                 no \
                 contention"
            }
            Self::Mps2An521 => "two Cortex-M33 in QEMU; function only, no cycles",
            Self::Host if self.shares_one_processor() => {
                "two threads of this computer, both on the one processor that may be used; no two \
                 runs take as long"
            }
            Self::Host => {
                "two threads of this computer, each on a processor of its own; no two runs take as \
                 long"
            }
            Self::S390x => "two threads of a big-endian s390x in QEMU; function only, no cycles",
        }
    }

    /// Whether both of its cores are threads of a program that may use one processor alone.
    pub fn shares_one_processor(self) -> bool {
        let alone = || std::thread::available_parallelism().is_ok_and(|all| all.get() == 1);
        self == Self::Host && alone()
    }

    /// The unit in which `board_cycles` counts on it.
    pub fn clock(self) -> Clock {
        match self {
            Self::IbexDuo | Self::Rp2040 => Clock::Cycles,
            Self::Host => Clock::Ticks,
            Self::Mps2An521 | Self::S390x => Clock::None,
        }
    }

    /// Whether each core's accesses reach a memory that both share one by one, in the order of its
    /// program. Emitted C then needs no barriers (`MANYLANE_IN_ORDER`). Ibex takes FENCE for no
    /// operation: its load-store unit has one access under way, and its banks answer in the next
    /// clock.
    pub fn is_in_order(self) -> bool {
        match self {
            Self::IbexDuo | Self::Rp2040 => true,
            Self::Host | Self::Mps2An521 | Self::S390x => false,
        }
    }

    /// The compiler, its options, the C library and the board of a machine.
    pub(crate) fn toolchain(self) -> Toolchain {
        let picolibc = Some(("picolibc.specs", "picolibc"));
        let arm = |flags, board| Toolchain {
            prefix: "arm-none-eabi-",
            compiler: "gcc",
            compile: flags,
            link: flags,
            library: picolibc,
            board,
        };
        match self {
            Self::IbexDuo => Toolchain {
                prefix: "riscv64-unknown-elf-",
                compiler: "gcc",
                compile: &["-march=rv32imc_zicsr_zba_zbb", "-mabi=ilp32"],
                // Debian's libraries are for processors without Zba and Zbb.
                link: &["-march=rv32imc", "-mabi=ilp32"],
                library: picolibc,
                board: board::IBEX,
            },
            Self::Rp2040 => arm(&["-mcpu=cortex-m0plus", "-mthumb"], board::RP2040),
            Self::Mps2An521 => arm(&["-mcpu=cortex-m33+nofp", "-mthumb"], board::AN521),
            Self::Host => Toolchain {
                prefix: "",
                compiler: "cc",
                compile: &["-pthread"],
                link: &["-pthread"],
                library: None,
                board: board::POSIX,
            },
            Self::S390x => Toolchain {
                prefix: "s390x-linux-gnu-",
                compiler: "gcc",
                compile: &["-pthread"],
                link: &["-pthread", "-static"],
                library: Some(("libc.a", "the C library")),
                board: board::POSIX,
            },
        }
    }

    /// The path of a program, or an error that says what installs it.
    pub(crate) fn tool(self, name: &str) -> Result<PathBuf, Error> {
        tools::program(self.name(), name)
    }
}
