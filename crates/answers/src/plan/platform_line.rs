//! The platform of a plan, as answers show it.

use manylane_graph::framing::ByteOrder;
use manylane_plan::Platform;
use manylane_plan::platform::Basis;
use serde::Serialize;

/// A platform as it is printed: the fields of `--json`.
#[derive(Debug, Serialize)]
pub(super) struct PlatformLine {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) source: String,
    /// Whether its costs are `measured`, an `estimate` or `defined`.
    pub(super) basis: &'static str,
    /// The tools by which the costs were measured, and the days.
    pub(super) measured: Option<String>,
    pub(super) endianness: &'static str,
    /// Whether `manylane platforms` lists it. A user's own file is not listed, whatever its name.
    #[serde(skip)]
    is_listed: bool,
}

impl PlatformLine {
    /// Copies what is printed of a platform.
    pub(super) fn new(platform: &Platform) -> Self {
        Self {
            name: platform.name.clone(),
            title: platform.title.clone(),
            source: platform.source.clone(),
            basis: platform.basis.name(),
            measured: match &platform.basis {
                Basis::Measured(by) => Some(by.clone()),
                Basis::Defined | Basis::Estimate => None,
            },
            endianness: endianness(platform),
            is_listed: Platform::names()
                .any(|name| platform.file == format!("platforms/{name}.toml")),
        }
    }

    /// Whether the platform's costs are an estimate rather than measured.
    pub(super) fn is_estimate(&self) -> bool {
        self.basis == Basis::Estimate.name()
    }

    /// An answer that follows from the platform's costs, marked if they are an estimate.
    pub(super) fn told(&self, answer: &str) -> String {
        match self.is_estimate() {
            true => format!("{answer} (estimate)"),
            false => answer.to_owned(),
        }
    }

    /// Says where the costs come from; returns nothing if they are true by definition.
    pub(super) fn costs(&self) -> Option<String> {
        match (&self.measured, self.is_estimate()) {
            (Some(by), _) => Some(format!("costs measured {by}")),
            (None, true) => {
                let source = match self.is_listed {
                    true => "; `manylane platforms` has their source",
                    false => "",
                };
                Some(format!("an estimate: nobody has measured the costs of {}{source}", self.name))
            }
            (None, false) => None,
        }
    }
}

/// The name of a platform's order of bytes.
pub fn endianness(platform: &Platform) -> &'static str {
    match platform.order {
        ByteOrder::Little => "little",
        ByteOrder::Big => "big",
    }
}
