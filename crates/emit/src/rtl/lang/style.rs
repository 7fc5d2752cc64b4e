//! The choices that a netlist leaves open for its text: language and reset.

/// A hardware description language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// Verilog-2001, which every tool reads.
    #[default]
    Verilog,
    /// SystemVerilog-2012, what synthesis takes of it.
    SystemVerilog,
    /// VHDL-2008, over `numeric_std`.
    Vhdl,
}

/// When a reset takes hold. It is active high either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reset {
    /// At the next rising edge of the clock.
    #[default]
    Sync,
    /// At once. Its release must be synchronous to the clock.
    Async,
}

/// The choices that a netlist leaves open for its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// The language.
    pub language: Language,
    /// The reset of the registers that have one.
    pub reset: Reset,
}

manylane_graph::names! { Language:
    /// Its name on the command line.
    Verilog "verilog", SystemVerilog "sv", Vhdl "vhdl",
}

impl Language {
    /// Its name and version for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Verilog => "Verilog-2001",
            Self::SystemVerilog => "SystemVerilog",
            Self::Vhdl => "VHDL-2008",
        }
    }

    /// How its files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Verilog => "v",
            Self::SystemVerilog => "sv",
            Self::Vhdl => "vhd",
        }
    }
}

manylane_graph::names! { Reset:
    /// Its name on the command line.
    Sync "sync", Async "async",
}
