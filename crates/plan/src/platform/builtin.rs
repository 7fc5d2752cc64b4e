//! The platforms that are built into the program, and those in users' files.

use super::{Platform, read};
use crate::kinds::{PLATFORM, PLATFORMS};
use crate::source::{BuiltIn, LoadError, Source, SourceError};

impl Platform {
    /// The platforms that are built into the program.
    ///
    /// # Panics
    /// Never: a test reads them.
    pub fn builtin() -> Vec<Self> {
        let read = |BuiltIn { name, text, .. }: &BuiltIn| {
            Self::parse(&format!("platforms/{name}.toml"), text).unwrap_or_else(|e| panic!("{e}"))
        };
        PLATFORMS.iter().map(read).collect()
    }

    /// Names of [`Platform::builtin`].
    pub fn names() -> impl Iterator<Item = &'static str> {
        PLATFORMS.iter().map(|known| known.name)
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
        let (file, text) = PLATFORM.find(name_or_path)?;
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
