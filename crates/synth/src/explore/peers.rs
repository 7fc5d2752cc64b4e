//! Cores of other projects, with their measured and claimed figures.

use crate::Target;
use serde::{Deserialize, Serialize};

/// A core of another project that was built for a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peer {
    /// Its name.
    pub name: String,
    /// The hashes that it computes.
    pub primitives: Vec<String>,
    /// The target for which it was built.
    pub target: Target,
    /// Its area, in the target's unit.
    pub area: f64,
    /// Mbit/s.
    pub mbps: f64,
    /// Its source.
    pub source: String,
}

/// A throughput without an area, on another chip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Who claims it.
    pub name: String,
    /// The hashes that it is claimed for.
    pub primitives: Vec<String>,
    /// Mbit/s.
    pub mbps: f64,
    /// The publication that claims it.
    pub source: String,
}

/// Cores and claims that a primitive is compared with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Peers {
    /// Cores.
    #[serde(rename = "core")]
    pub cores: Vec<Peer>,
    /// Claims.
    #[serde(rename = "claim")]
    pub claims: Vec<Claim>,
}

impl Peers {
    /// Returns those of a primitive and a target.
    pub fn of(primitive: &str, target: Target) -> Self {
        let all: Self = toml::from_str(include_str!("../../data/peers.toml"))
            .expect("the file is tested to be right");
        let ours = |primitives: &[String]| primitives.iter().any(|name| name == primitive);
        let cores = all.cores.into_iter();
        // The claims are for chips, so they do not count for gates.
        let claims = all.claims.into_iter().filter(|_| target != Target::GenericGates);
        Self {
            cores: cores.filter(|c| c.target == target && ours(&c.primitives)).collect(),
            claims: claims.filter(|claim| ours(&claim.primitives)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn peers_on_an_ecp5_are_as_recorded() {
        let record = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../benches/record/2026-11-22-ecp5-cores-of-others.json"
        );
        let record: Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
        let rows = record["rows"].as_array().unwrap();
        let all: Peers = toml::from_str(include_str!("../../data/peers.toml")).unwrap();
        let built = all.cores.iter().filter(|core| core.target == Target::Ecp5_85k);
        assert_eq!(built.clone().count(), 4);
        for core in built {
            let row = rows.iter().find(|row| row["name"] == core.name).expect(&core.name);
            let figure = |of: &Value| of.as_f64().unwrap().round();
            let recorded = [figure(&row["ours"]["area"]["value"]), figure(&row["ours"]["mbps"])];
            assert_eq!([core.area, core.mbps], recorded, "{}", core.name);
        }
    }

    #[test]
    fn peers_are_those_of_the_primitive_and_target() {
        let peers = Peers::of("sha256", Target::Ecp5_85k);
        assert_eq!((peers.cores.len(), peers.claims.len()), (2, 2));
        assert_eq!(Peers::of("jh256", Target::Ecp5_85k), Peers::default());
        assert!(Peers::of("sha1", Target::GenericGates).claims.is_empty());
    }
}
