//! What tools read of a folder: make and FuseSoC.

mod fusesoc;
mod makefile;
pub(super) mod readme;

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
    /// Files that the benches read.
    pub(super) memories: &'p [&'p str],
    /// Whether there is a bench in Python, for cocotb: `tb/test_TOP.py`.
    pub(super) python: bool,
    /// Whether there is a clock for place and route: `constraints/TOP`.
    pub(super) constraints: bool,
}

/// The files of benches in the hardware's own language, and how each treats the handshakes.
pub(super) const BENCHES: [(Flow, &str); 2] = [(Flow::Full, "tb"), (Flow::Stalls, "tb_stalls")];

impl Package<'_> {
    fn language(&self) -> Language {
        self.about.style.language
    }

    /// Whether the language has a bench of its own: one in Verilog cannot reach what is in VHDL, and
    /// where there is one in Python none is written in VHDL.
    fn has_own_bench(&self) -> bool {
        !(self.python && self.language() == Language::Vhdl)
    }
}

/// What a language means to tools.
impl Language {
    /// The extension of a bench's file: of both Verilogs the same.
    pub(super) fn bench_extension(self) -> &'static str {
        match self {
            Self::Verilog | Self::SystemVerilog => "v",
            Self::Vhdl => "vhd",
        }
    }
}
