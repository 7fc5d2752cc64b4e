//! What is asked of the tools, and what they say.

pub mod placement;
pub mod synthesis;

use crate::cache::Key;
use crate::tools::Tools;
use crate::{Core, Target, energy, harness};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// How sums become adders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sums {
    /// As the core writes them.
    #[default]
    AsWritten,
    /// Sums of sums as carry-save trees, as yosys does by itself.
    Fused,
}

impl fmt::Display for Sums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AsWritten => "as-written",
            Self::Fused => "fused",
        })
    }
}

/// A core to be built.
#[derive(Clone, Debug)]
pub struct Request {
    /// The core.
    pub core: Core,
    /// For what.
    pub target: Target,
    /// How sums become adders.
    pub sums: Sums,
    /// Seeds of place and route.
    pub seeds: Vec<u32>,
    /// Whether to count, of gates, how much they switch.
    pub energy: bool,
    /// How long each run of a tool may take.
    pub time_limit: Duration,
}

impl Request {
    /// What the result of synthesis depends on.
    pub(crate) fn synthesis_key(&self, tools: &Tools) -> Key {
        let version = &tools.get(self.target.synthesizer()).version;
        let script = synthesis::script(self);
        let harness = harness::verilog(&self.core.sheet);
        let maps = [synthesis::AS_WRITTEN, synthesis::PREFIX];
        let what = match self.energy {
            true => format!("whole core, energy of {}", energy::stimulus(&self.core.sheet)),
            // Results from before the check that the core is whole are not taken.
            false => "whole core".to_owned(),
        };
        let parts: [&str; 5] = [&what, version, &script, &self.core.verilog, &harness];
        Key::new(parts.into_iter().chain(maps))
    }

    /// What the result of place and route depends on.
    pub(crate) fn placement_key(&self, tools: &Tools, seed: u32) -> Option<Key> {
        let version = &tools.get(self.target.placer()?).version;
        let arguments = placement::arguments(self.target, seed)?.join(" ");
        let synthesis = self.synthesis_key(tools);
        Some(Key::new(["placement", version, &arguments, synthesis.text()]))
    }
}
