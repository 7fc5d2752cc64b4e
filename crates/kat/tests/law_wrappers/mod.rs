//! Lanes that are made of other lanes must forward every function that the inner lanes override. If
//! a wrapper leaves a function to the trait's default, an instruction set loses its instruction
//! there, and no test of values finds this.

use super::{functions, read, sources};
use std::collections::BTreeSet;

/// Traits of lanes with functions that have a default, and where they are.
const TRAITS: [(&str, &str); 3] = [
    ("Word", "crates/primitives/src/word.rs"),
    ("Lanes", "crates/engine/src/lanes/mod.rs"),
    ("Blocks", "crates/engine/src/lanes/blocks.rs"),
];

/// The functions that a wrapper need not forward, and why.
const LEFT_OUT: [(&str, &str, &str); 2] = [
    ("Pair", "load_part", "kernels take parts of a group of blocks by single lanes"),
    ("Pair", "store_part", "kernels take parts of a group of blocks by single lanes"),
];

/// An implementation of a trait: whether of a type over other lanes `A`, the type, its functions.
struct Implementation {
    wraps: bool,
    type_: String,
    functions: BTreeSet<String>,
}

/// The implementations of a trait in a file, in macros too.
fn implementations(name: &str, content: &str) -> Vec<Implementation> {
    let lines: Vec<&str> = content.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        if !line.trim_start().starts_with("impl") {
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let open = lines[i..].iter().position(|line| line.contains('{')).unwrap_or(0);
        let header = lines[i..=i + open].concat();
        let Some((generics, type_)) = header.split_once(&format!(" {name} for ")) else { continue };
        let end = format!("{indent}}}");
        let body = lines[i..].iter().take_while(|line| **line != end);
        let names = body.filter_map(|line| {
            let line = line.trim().trim_start_matches("unsafe ");
            Some(line.strip_prefix("fn ")?.split(['(', '<']).next()?.to_owned())
        });
        let type_ = type_.split(['<', ' ', '{']).next().unwrap_or_default().to_owned();
        let wraps = generics.trim_start().starts_with("impl<A");
        found.push(Implementation { wraps, type_, functions: names.collect() });
    }
    found
}

/// The functions of a trait that have a default.
fn defaults(name: &str, content: &str) -> BTreeSet<String> {
    let from = content.find(&format!("\npub trait {name}")).expect("the trait is there");
    let end = from + content[from..].find("\n}\n").expect("it ends");
    functions(&content[from..end]).iter().map(|function| function.name.to_owned()).collect()
}

/// The functions that wrappers do not forward, each with the wrapper's type.
fn missing(lanes: &[String]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, file) in TRAITS {
        let defaults = defaults(name, &read(file));
        let all: Vec<_> = lanes.iter().flat_map(|file| implementations(name, file)).collect();
        let overridden: BTreeSet<&String> = all
            .iter()
            .filter(|one| !one.wraps)
            .flat_map(|one| one.functions.intersection(&defaults))
            .collect();
        for wrapper in all.iter().filter(|one| one.wraps) {
            for function in &overridden {
                if !wrapper.functions.contains(*function) {
                    found.push((wrapper.type_.clone(), (*function).clone()));
                }
            }
        }
    }
    found
}

fn lanes() -> Vec<String> {
    sources("crates/engine/src/lanes").into_iter().map(|(_, content)| content).collect()
}

#[test]
fn wrappers_hand_down_what_lanes_override() {
    let expected = LEFT_OUT.map(|(type_, function, _)| (type_.to_owned(), function.to_owned()));
    assert_eq!(missing(&lanes()), expected, "hand it down, or say in LEFT_OUT why not");
}

/// A wrapper that lacks a function is found, whichever it is.
#[test]
fn planted_gaps_are_found() {
    for function in ["xor3", "ch", "maj", "chi", "write_rows"] {
        let mut lanes = lanes();
        let pair = lanes.iter_mut().find(|content| content.contains("pub struct Pair<")).unwrap();
        let name = format!("fn {function}(");
        assert!(pair.contains(&name), "{function}");
        *pair = pair.replace(&name, "fn other(");
        let found = missing(&lanes);
        assert!(found.contains(&("Pair".to_owned(), function.to_owned())), "{found:?}");
    }
}
