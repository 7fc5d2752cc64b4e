//! Features: each family of primitives is one, by the same name in every crate that has it; and
//! what a registry shows of the packages.

use super::{ORDER, published, read, text};
use manylane_primitives::catalog::HashId;
use manylane_primitives::family::FAMILIES;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The features of a package, each with what it turns on.
fn features(package: &str) -> BTreeMap<String, BTreeSet<String>> {
    let packages = published();
    let found = packages.iter().find(|p| text(&p["name"]) == package).expect("it is published");
    let list = |on: &Value| on.as_array().unwrap().iter().map(|f| text(f).to_owned()).collect();
    let features = found["features"].as_object().unwrap().iter();
    features.map(|(name, on)| (name.clone(), list(on))).collect()
}

/// A family that a crate does not hand down would be compiled without its kernels, or be lacking
/// where all are asked for.
#[test]
fn every_family_is_a_feature_of_each_crate_and_on_by_default() {
    let [primitives, engine, library] =
        ["manylane-primitives", "manylane-engine", "manylane"].map(features);
    for (family, is_on) in FAMILIES {
        assert!(is_on, "{family} is off, and the tests of the workspace run with all");
        assert!(primitives[*family].is_empty(), "{family} of manylane-primitives");
        let handed = |to: &str| BTreeSet::from([format!("{to}/{family}")]);
        assert_eq!(engine[*family], handed("manylane-primitives"));
        assert_eq!(library[*family], handed("manylane-engine"));
        for features in [&primitives, &engine, &library] {
            assert!(features["default"].contains(*family), "{family} is not on by default");
        }
    }
    for feature in engine["default"].difference(&primitives["default"]) {
        assert!(library["default"].contains(feature), "{feature} is on in the engine alone");
    }
    let documented = read("crates/manylane/src/lib.rs");
    for feature in library.keys().filter(|feature| *feature != "default") {
        assert!(documented.contains(&format!("`{feature}`")), "its page names no `{feature}`");
    }
}

/// The gates stand where CONTRIBUTING says, and nowhere else.
#[test]
fn only_a_few_files_ask_for_a_family() {
    let gated = |files: Vec<(std::path::PathBuf, String)>| -> BTreeSet<String> {
        let is_gated = |text: &str| {
            let of = |family: &str| format!("feature = \"{family}\"");
            FAMILIES.iter().any(|(family, _)| text.contains(&of(family)))
        };
        let found = files.into_iter().filter(|(_, content)| {
            is_gated(content.split("#[cfg(test)]").next().unwrap_or_default())
        });
        found.map(|(file, _)| file.to_str().unwrap().to_owned()).collect()
    };
    let engine = gated(super::sources("crates/engine/src"));
    let outside: Vec<_> = engine.iter().filter(|f| !f.contains("/kernels/rounds/")).collect();
    assert_eq!(outside, ["crates/engine/src/api/tree/mod.rs"], "besides kernels written by hand");
    assert!(engine.len() > 2, "{engine:?}: the search is broken");
    for folder in ["crates/primitives/src", "crates/manylane/src"] {
        assert_eq!(gated(super::sources(folder)), BTreeSet::new());
    }
}

/// The catalogue's families are the features, in one order.
#[test]
fn the_catalogue_has_the_families_that_are_features() {
    let catalogue = read("crates/primitives/src/catalog.rs");
    let list = catalogue.split("of_enabled_families! {").nth(1).expect("the list");
    let list = list.split("} };").next().unwrap();
    let opens: Vec<&str> = list.lines().filter_map(|line| line.trim().strip_suffix(" {")).collect();
    let families: Vec<&str> = FAMILIES.iter().map(|(family, _)| *family).collect();
    assert_eq!(opens, families);
    assert!(HashId::ALL.len() > families.len());
}

/// The categories of crates.io that ours are in.
const CATEGORIES: [&str; 10] = [
    "algorithms",
    "api-bindings",
    "command-line-utilities",
    "compilers",
    "cryptography",
    "embedded",
    "hardware-support",
    "no-std",
    "simulation",
    "visualization",
];

#[test]
fn packages_have_what_registries_ask_for() {
    for package in published() {
        let name = text(&package["name"]);
        let words = |field: &str| -> Vec<String> {
            let words = package[field].as_array().unwrap().iter();
            words.map(|word| text(word).to_owned()).collect()
        };
        let (categories, keywords) = (words("categories"), words("keywords"));
        assert!((1..=5).contains(&categories.len()), "{name}: {categories:?}");
        for category in &categories {
            assert!(CATEGORIES.contains(&category.as_str()), "{name}: no category {category}");
        }
        assert!((1..=5).contains(&keywords.len()), "{name}: {keywords:?}");
        assert!(keywords.iter().all(|keyword| keyword.len() <= 20), "{name}: {keywords:?}");
        assert!(!text(&package["rust_version"]).is_empty(), "{name} promises no version of Rust");
        assert!(!package["authors"].as_array().unwrap().is_empty(), "{name} has no authors");
        let targets = &package["metadata"]["docs"]["rs"]["targets"];
        assert!(targets.is_array(), "{name} does not say for what docs.rs is to document it");
        // Between crates of the workspace a registry goes by versions.
        for dependency in package["dependencies"].as_array().unwrap() {
            let is_ours = !text(&dependency["path"]).is_empty();
            let is_for_tests = text(&dependency["kind"]) == "dev";
            let version = text(&dependency["req"]);
            let other = text(&dependency["name"]);
            assert!(!is_ours || is_for_tests || version != "*", "{name}: a version of {other}");
        }
    }
}

/// Each package after all that it depends on.
#[test]
fn the_release_recipe_has_the_order_of_packages() {
    let recipe = read("docs/release.md");
    let listed = recipe.lines().filter_map(|line| {
        let (number, rest) = line.split_once(". `")?;
        let name = rest.split('`').next()?;
        number.parse::<usize>().ok().filter(|_| name.starts_with("manylane")).map(|_| name)
    });
    let published: Vec<_> = ORDER.into_iter().filter(|name| *name != super::FOR_TESTS).collect();
    assert_eq!(listed.collect::<Vec<_>>(), published);
}
