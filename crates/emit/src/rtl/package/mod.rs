//! The files of a folder that tools read: make, FuseSoC, place and route.

mod constraints;
mod fusesoc;
mod makefile;
pub(super) mod readme;

pub(super) use constraints::constraints;
pub(super) use fusesoc::fusesoc;
pub(super) use makefile::makefile;

use super::{Flow, Language, Project};

/// A folder to be packaged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Package<'p> {
    /// The module on top; its bench is `tb/TOP_tb`, with pauses `tb/TOP_tb_stalls`.
    pub(super) top: &'p str,
    /// What it does.
    pub(super) what: &'p str,
    pub(super) about: &'p Project<'p>,
    /// The hardware's files.
    pub(super) sources: &'p [String],
    /// Whether there are benches in the hardware's language. A bench in Verilog cannot reach what
    /// is in VHDL: a hash in its surroundings, in VHDL, has only the bench in Python.
    pub(super) own_benches: bool,
    /// Whether words are in memory, where the proof of the function does not follow them.
    pub(super) in_memory: bool,
    /// Files that the benches read.
    pub(super) memories: &'p [&'p str],
    /// The file that the bench in Python (`tb/test_TOP.py`, for cocotb) reads.
    pub(super) python_reads: &'p str,
}

/// The files of benches in the hardware's own language, and how each treats the handshakes.
pub(super) const BENCHES: [(Flow, &str); 2] = [(Flow::Full, "tb"), (Flow::Stalls, "tb_stalls")];

impl Package<'_> {
    fn language(&self) -> Language {
        self.about.style.language
    }
}

/// Names and extensions of a language for tools.
impl Language {
    /// The extension of a bench's file: of both Verilogs the same.
    pub(super) fn bench_extension(self) -> &'static str {
        match self {
            Self::Verilog | Self::SystemVerilog => "v",
            Self::Vhdl => "vhd",
        }
    }
}
