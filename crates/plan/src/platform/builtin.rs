//! The platforms that are built into the program, and those in users' files.

use super::{Platform, read};
use crate::source::{self, BuiltIn, LoadError, Source, SourceError};

/// The word for such a description in errors.
pub(crate) const WHAT: &str = "platform";

/// The platforms that are built into the program.
pub(crate) const BUILTIN: [BuiltIn; 8] = [
    BuiltIn::new("s12x-xgate", include_str!("../../platforms/s12x-xgate.toml")),
    BuiltIn::new("s12x-xgate-2012", include_str!("../../platforms/s12x-xgate-2012.toml")),
    BuiltIn::new("rp2040", include_str!("../../platforms/rp2040.toml")),
    BuiltIn::new("ibex-duo", include_str!("../../platforms/ibex-duo.toml")),
    BuiltIn::new("stm32h7", include_str!("../../platforms/stm32h7.toml")),
    BuiltIn::new("esp32", include_str!("../../platforms/esp32.toml")),
    BuiltIn::new("x86-two-threads", include_str!("../../platforms/x86-two-threads.toml")),
    BuiltIn::new("unit", include_str!("../../platforms/unit.toml")),
];

impl Platform {
    /// The platforms that are built into the program.
    ///
    /// # Panics
    /// Never: a test reads them.
    pub fn builtin() -> Vec<Self> {
        let read = |BuiltIn { name, text, .. }: &BuiltIn| {
            Self::parse(&format!("platforms/{name}.toml"), text).unwrap_or_else(|e| panic!("{e}"))
        };
        BUILTIN.iter().map(read).collect()
    }

    /// Names of [`Platform::builtin`].
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILTIN.iter().map(|known| known.name)
    }

    /// The platform of this name, or the one in the file of this path.
    ///
    /// # Errors
    /// If there is none, or its description is wrong.
    pub fn load(name_or_path: &str) -> Result<Self, LoadError> {
        let (file, text) = Self::text(name_or_path)?;
        Ok(Self::parse(&file, &text)?)
    }

    /// The file of a platform of this name, or of this path, and its text.
    ///
    /// # Errors
    /// If there is none.
    pub fn text(name_or_path: &str) -> Result<(String, String), LoadError> {
        let (file, text) = source::find(WHAT, name_or_path, &BUILTIN)?;
        Ok((file, text.into_owned()))
    }

    /// Reads a platform's description; `file` is the name that errors carry.
    ///
    /// # Errors
    /// If the description is wrong.
    pub fn parse(file: &str, text: &str) -> Result<Self, SourceError> {
        let source = Source { file, text };
        source.check_kind("platform of cores", None)?;
        read::platform(source)
    }
}
