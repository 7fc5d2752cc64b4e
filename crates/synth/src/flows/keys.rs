//! The keys of results: each result is kept under a digest of everything that it depends on.

use super::request::Request;
use super::{placement, synthesis};
use crate::cache::Key;
use crate::tools::Tools;
use crate::{energy, harness};

impl Request {
    /// The key of the result of synthesis, from everything that it depends on.
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

    /// The key of the result of place and route, from everything that it depends on.
    pub(crate) fn placement_key(&self, tools: &Tools, seed: u32) -> Option<Key> {
        let version = &tools.get(self.target.placer()?).version;
        let arguments = placement::arguments(self.target, seed)?.join(" ");
        let synthesis = self.synthesis_key(tools);
        Some(Key::new(["placement", version, &arguments, synthesis.text()]))
    }
}
