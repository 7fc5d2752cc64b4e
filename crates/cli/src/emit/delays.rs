//! How long operations take, as an option.

/// How long operations take: a delay model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Delays {
    /// Lattice ECP5: four-input tables and carry chains
    #[value(alias = "ecp5-85k")]
    Ecp5,
    /// Lattice iCE40 HX
    #[value(alias = "ice40-hx8k")]
    Ice40,
    /// Gates of two inputs, parallel-prefix adders, no wires
    #[value(name = "generic-gates", aliases = ["gates", "gate"])]
    Gates,
}

impl Delays {
    /// The model's name, on the command line and among delay models.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ecp5 => "ecp5",
            Self::Ice40 => "ice40",
            Self::Gates => "generic-gates",
        }
    }
}
