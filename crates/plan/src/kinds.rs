//! The kinds of descriptions, each with those that are part of the program. The kinds stand in one
//! file so that an error can say that a name belongs to another kind.

use crate::source::{self, BuiltIn, LoadError};
use manylane_nearest::{listed, nearest_by};
use std::borrow::Cow;
use std::path::Path;

/// Platforms of one core or two.
pub(crate) const PLATFORM: DescriptionKind =
    DescriptionKind { word: "platform", built_in: &PLATFORMS };

/// Delay models of hardware.
pub(crate) const DELAY_MODEL: DescriptionKind =
    DescriptionKind { word: "delay model", built_in: &DELAY_MODELS };

/// Costs of a pairing on a processor.
pub(crate) const PAIRING: DescriptionKind =
    DescriptionKind { word: "pairing platform", built_in: &PAIRINGS };

/// The built-in platforms.
pub(crate) const PLATFORMS: [BuiltIn; 8] = [
    BuiltIn::new("s12x-xgate", include_str!("../platforms/s12x-xgate.toml")),
    BuiltIn::new("s12x-xgate-2012", include_str!("../platforms/s12x-xgate-2012.toml")),
    BuiltIn::new("rp2040", include_str!("../platforms/rp2040.toml")),
    BuiltIn::new("ibex-duo", include_str!("../platforms/ibex-duo.toml")),
    BuiltIn::new("stm32h7", include_str!("../platforms/stm32h7.toml")),
    BuiltIn::new("esp32", include_str!("../platforms/esp32.toml")),
    BuiltIn::new("x86-two-threads", include_str!("../platforms/x86-two-threads.toml")),
    BuiltIn::new("unit", include_str!("../platforms/unit.toml")),
];

/// The built-in delay models. A chip's name is an alias of its model's name.
pub const DELAY_MODELS: [BuiltIn; 4] = [
    BuiltIn::new("unit-adder", include_str!("../platforms/unit-adder.toml")),
    BuiltIn {
        name: "generic-gates",
        aliases: &["gate", "gates"],
        text: include_str!("../platforms/gate.toml"),
    },
    BuiltIn { name: "ecp5", aliases: &["ecp5-85k"], text: include_str!("../platforms/ecp5.toml") },
    BuiltIn {
        name: "ice40",
        aliases: &["ice40-hx8k"],
        text: include_str!("../platforms/ice40.toml"),
    },
];

/// The built-in costs of pairings.
pub const PAIRINGS: [BuiltIn; 2] = [
    BuiltIn::new("core2-45nm", include_str!("../platforms/core2-45nm.toml")),
    BuiltIn::new("core2-65nm", include_str!("../platforms/core2-65nm.toml")),
];

/// A kind of description.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DescriptionKind {
    /// The word for such a description in errors.
    pub word: &'static str,
    /// The descriptions that are part of the program.
    built_in: &'static [BuiltIn],
}

impl DescriptionKind {
    /// Name and text of a description of this kind: a built-in one, or that in the file of this
    /// path.
    ///
    /// # Errors
    /// If there is none; the message says that there is no such description.
    pub fn find(self, name_or_path: &str) -> Result<(String, Cow<'static, str>), LoadError> {
        let Self { word: what, built_in } = self;
        if let Some(known) = built_in.iter().find(|known| known.has(name_or_path)) {
            return Ok((format!("platforms/{}.toml", known.name), known.text.into()));
        }
        if !name_or_path.contains(['/', '\\']) && !name_or_path.ends_with(".toml") {
            let names: Vec<&str> = built_in.iter().map(|known| known.name).collect();
            let all = built_in.iter();
            let all = all.flat_map(|known| known.names().map(|name| (name, known.name)));
            let mut suggestion = listed(&nearest_by(name_or_path, all), &names);
            if let Some(kind) = self.other(name_or_path) {
                suggestion = format!("that is the name of a {kind}; {suggestion}");
            } else if Path::new(name_or_path).is_file() {
                suggestion =
                    format!("for the file of this name write ./{name_or_path}; {suggestion}");
            }
            return Err(LoadError::Unknown { what, name: name_or_path.to_owned(), suggestion });
        }
        Ok((name_or_path.to_owned(), source::read(what, name_or_path)?.into()))
    }

    /// The word for the other kind that has a description of this name.
    fn other(self, name: &str) -> Option<&'static str> {
        let others = [PLATFORM, DELAY_MODEL, PAIRING].into_iter();
        let mut others = others.filter(|kind| kind.word != self.word);
        let found = others.find(|kind| kind.built_in.iter().any(|known| known.has(name)));
        found.map(|kind| kind.word)
    }
}
