//! A damaged text is either refused with a reason or read as a module.

use manylane_graph::Module;
use manylane_graph::interpret::run_main;
use manylane_graph::verify::verify;

const TEXT: &str = include_str!("filetests/roundtrip-every-operation.graph");

/// Reads a text; if it is a module it is written and read back, and if it is valid it runs.
/// Returns whether all of this was done.
fn goes_all_the_way(text: &str) -> bool {
    let Ok(module) = text.parse::<Module>() else { return false };
    let written = module.to_string();
    if verify(&module).is_err() {
        return false;
    }
    assert_eq!(written.parse(), Ok(module.clone()), "{text}");
    run_main(&module, &vec![u64::MAX; module.main().inputs().len()]);
    true
}

#[test]
fn a_changed_character_is_refused_or_means_something() {
    let text = TEXT.split("---\n").next().unwrap();
    assert!(goes_all_the_way(text));
    let changes = ["", "9", "v", ",", "@", " x[0]"];
    let mut valid = 0;
    for (i, change) in (0..text.len()).zip(changes.iter().cycle()) {
        let changed = format!("{}{change}{}", &text[..i], &text[i + 1..]);
        valid += usize::from(goes_all_the_way(&changed));
    }
    assert!((100..text.len() / 2).contains(&valid), "{valid} of {}", text.len());
}

#[test]
fn a_missing_line_is_refused_or_means_something() {
    let lines: Vec<&str> = TEXT.split("---\n").next().unwrap().lines().collect();
    for i in 0..lines.len() {
        goes_all_the_way(&[&lines[..i], &lines[i + 1..]].concat().join("\n"));
        let doubled = [&lines[..i], &lines[i..=i], &lines[i..]].concat().join("\n");
        goes_all_the_way(&doubled);
    }
}
